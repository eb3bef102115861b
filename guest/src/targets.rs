//! What is to happen at the places of a file that garnish owns, and what stands there again when it lets go of one.
//!
//! It decides nothing about places that a gate needs; [`crate::merge`] does.

use alloc::{string::String, vec::Vec};

use crate::{
    displaced::EntryRecord,
    document,
    edit::{Document, Edit, Fault, Format},
    list::IntoList,
    ordered::{Map, Set},
    profile::split,
    value::{Mapping, Value},
    whose::{Marker, Whose, texts},
    words::{joined, parts},
};

/// What is to happen at one place.
#[derive(Debug, PartialEq)]
pub enum Target {
    /// Nothing.
    Keep,
    /// See [`Edit::Set`].
    Set(Value),
    /// See [`Edit::Restore`].
    Restore(String),
    /// See [`Edit::Remove`].
    Remove,
}

/// A place, and what is to happen there.
pub type Targeted = (Vec<String>, Target);

/// The learner's mappings that have nothing in them but garnish's keys, as they were spelled: they stay when those go.
pub fn emptied(whose: &Whose<'_>, document: &Document<'_>, targets: &[Targeted]) -> Mapping {
    let mut empty = Mapping::new();
    for (dotted, raw) in whose.old.empty.iter() {
        if whose.marker != Marker::Missing && whose.present(&split(dotted)).is_some() {
            empty.insert(dotted.clone(), raw.clone());
        }
    }
    for (path, target) in targets {
        for depth in 1..path.len() {
            let steps: Vec<&str> = path[..depth].iter().map(String::as_str).list();
            let hollow = match document.value().at(&steps) {
                Some(Value::Null) => true,
                Some(Value::Map(map)) => map.is_empty(),
                _ => false,
            };
            if let (true, Target::Set(_) | Target::Restore(_), Some(raw)) = (hollow, target, document.raw(&steps)) {
                empty.insert(joined(&steps, "."), Value::from(raw));
            }
        }
    }
    empty
}

/// A file with only these places changed; none: nothing changes. `empty`: see [`FileRecord::empty`].
pub fn edited(document: &Document<'_>, targets: &[Targeted], empty: &Mapping) -> Result<Option<Vec<u8>>, Fault> {
    let mut edits: Vec<Edit> = Vec::new();
    for (path, target) in targets {
        match target {
            Target::Keep => {}
            Target::Set(value) => edits.push(Edit::Set { path, value }),
            Target::Restore(raw) => edits.push(Edit::Restore { path, raw }),
            Target::Remove => edits.push(Edit::Remove { path }),
        }
    }
    if edits.is_empty() {
        return Ok(None);
    }
    let empty: Vec<(Vec<String>, &Value)> = empty.iter().map(|(dotted, raw)| (split(dotted), raw)).list();
    edits.extend(empty.iter().map(|(path, raw)| Edit::Empty { path, raw: raw.as_str().unwrap_or_default() }));
    document.edit(&edits).map(Some)
}

/// What is to happen at a key that no gate needs any more: the learner's value, if garnish's still stands there.
pub fn given_back(whose: &Whose<'_>, format: Format, dotted: &str) -> Option<Targeted> {
    let path = split(dotted);
    let present = whose.present(&path);
    let raw = whose.document.and_then(|document| document.raw(&parts(dotted, ".")));
    let record = whose.old.values.get(dotted);
    let is_list = whose.old.entries.contains_key(dotted) || whose.profile.is_deny(dotted);
    let target = if is_list && present.is_none_or(|present| present.as_list().is_some()) {
        let items = present.and_then(Value::as_list).unwrap_or_default();
        let kept = theirs(whose, dotted, items);
        match record.and_then(|record| record.original.as_ref()) {
            None if kept.is_empty() => Target::Remove,
            Some(raw) if kept.is_empty() && is_empty_list(format, raw, true) => Target::Restore(raw.clone()),
            _ if kept == items => Target::Keep,
            _ => Target::Set(Value::List(kept)),
        }
    } else {
        match whose.value(dotted, raw) {
            (None, _) => Target::Remove,
            (Some(raw), false) => Target::Restore(raw),
            _ => Target::Keep,
        }
    };
    // Where nothing changes, nothing is refused.
    let same = match &target {
        Target::Restore(text) => Some(text.as_str()) == raw,
        Target::Remove => raw.is_none(),
        _ => false,
    };
    (!same).then_some((path, target))
}

/// The items of a deny-list that are the learner's.
fn theirs(whose: &Whose<'_>, dotted: &str, items: &[Value]) -> Vec<Value> {
    let there = texts(items);
    let marked = whose.marked_entries(dotted);
    let remembered = whose.old.entries.get(dotted);
    let mut wanted = Map::new();
    for name in marked.iter().chain(remembered.into_iter().flatten().map(|(name, _)| name)) {
        let (wrote, _) = whose.entry(dotted, name, there.contains(name), marked.contains(name));
        wanted.insert(name.clone(), EntryRecord { original: wrote, wrote, released: true });
    }
    with_entries(items, &there, &wanted)
}

/// Whether the source text of a value says an empty list; or nothing, if that counts as one.
pub fn is_empty_list(format: Format, raw: &str, or_null: bool) -> bool {
    match document::raw_value(format, raw) {
        Some(Value::List(items)) => items.is_empty(),
        Some(Value::Null) => or_null,
        _ => false,
    }
}

/// The items of a list, whose texts are `there`, with and without these entries.
pub fn with_entries(items: &[Value], there: &Set<String>, wanted: &Map<String, EntryRecord>) -> Vec<Value> {
    let gone = |item: &Value| item.as_str().and_then(|name| wanted.get(name)).is_some_and(|entry| !entry.wrote);
    let mut result = Vec::new();
    for item in items.iter().filter(|item| !gone(item)) {
        result.push(item.clone());
    }
    for (name, entry) in wanted.iter() {
        if entry.wrote && !there.contains(name) {
            result.push(Value::from(name.as_str()));
        }
    }
    result
}
