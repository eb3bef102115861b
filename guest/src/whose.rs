//! Whose the values in a file are: the learner's, or garnish's, maybe of an older state that the harness saved again.
//!
//! It judges by the file's marker and by what is remembered; it changes neither.

use alloc::{borrow::ToOwned, string::String};

use crate::{
    displaced::{FileRecord, ValueRecord},
    edit::Document,
    gate_config::{self, Capabilities},
    ordered::Set,
    profile::{Form, MARKER, Profile, split},
    value::Value,
};

/// What a file's marker says of the file as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// As garnish left it: what differs is the learner's edit.
    Current,
    /// An older state of ours that the harness saved again: what differs is to be mended.
    Old,
    /// None: not our file, or a new one.
    Missing,
}

/// What is judged: a file, and what is remembered of it.
pub struct Whose<'m> {
    /// How the harness is written to.
    pub profile: &'m Profile,
    /// None: there is no file.
    pub document: Option<&'m Document<'m>>,
    /// The memory.
    pub old: &'m FileRecord,
    /// The file as a whole.
    pub marker: Marker,
    /// What the file's marker says was held; none: there is no marker.
    pub marked_held: Option<Capabilities>,
    /// The keys that the file's marker lists as garnish's.
    pub marked: Set<String>,
}

impl<'m> Whose<'m> {
    /// Looks at the marker.
    pub fn new(profile: &'m Profile, document: Option<&'m Document<'m>>, old: &'m FileRecord) -> Self {
        let found = document.and_then(|document| document.value().at(&[MARKER]));
        let mut whose = Self {
            profile,
            document,
            old,
            marker: Marker::Old,
            marked_held: document.and_then(|document| gate_config::marked_held(document.value())),
            marked: texts(found.and_then(|found| found.at(&["leaves"])?.as_list()).unwrap_or_default()),
        };
        whose.marker = match found {
            None if whose.is_still_ours() => Marker::Old,
            None => Marker::Missing,
            found if old.marker.as_ref() == found => Marker::Current,
            _ => Marker::Old,
        };
        whose
    }

    /// Whether a file without a marker has every value that garnish left there: then only the marker was taken out.
    fn is_still_ours(&self) -> bool {
        let mut any = false;
        for (dotted, record) in self.old.values.iter().filter(|(_, record)| !record.released) {
            if record.wrote.as_ref() != self.present(&split(dotted)) {
                return false;
            }
            any = true;
        }
        any && self.document.is_some()
    }

    /// What stands at a place.
    pub fn present(&self, path: &[String]) -> Option<&'m Value> {
        self.document?.value().at(path)
    }

    /// The learner's value at a place as source text, and whether the place has been theirs again. `raw` is the text
    /// that stands there.
    pub fn value(&self, dotted: &str, raw: Option<&str>) -> (Option<String>, bool) {
        let raw = raw.map(ToOwned::to_owned);
        let present = self.present(&split(dotted));
        let is_marked = self.marked.contains(dotted);
        let Some(ValueRecord { original, wrote, released }) = self.old.values.get(dotted) else {
            // The marker says the value is ours, and the memory of theirs is lost: nothing to give back.
            let is_ours = is_marked && self.can_hold(dotted, present);
            return if is_ours { (None, false) } else { (raw, present.is_some()) };
        };
        let (may_be_theirs, is_back) = match self.marker {
            Marker::Current => (true, *released),
            // An older marker that does not list the key: it had been given back by then, too.
            Marker::Old => (*released && !is_marked, *released && !is_marked),
            Marker::Missing => (present.is_some(), false),
        };
        let is_theirs = may_be_theirs && (wrote.as_ref() != present || self.marker == Marker::Missing);
        (if is_theirs { raw } else { original.clone() }, is_back)
    }

    /// Whether what stands at a key can be garnish's, by itself.
    fn can_hold(&self, dotted: &str, present: Option<&Value>) -> bool {
        match self.profile.switches.iter().find(|switch| switch.key == dotted) {
            Some(switch) => present == Some(&switch.held),
            None => present.is_none_or(|present| !present.is_true()),
        }
    }

    /// The same for an entry of a deny-list: whether it is the learner's. `was_held`: the marker names it.
    pub fn entry(&self, dotted: &str, name: &str, is_there: bool, was_held: bool) -> (bool, bool) {
        let Some(old) = self.old.entries.get(dotted).and_then(|entries| entries.get(name)) else {
            return (is_there && !was_held, !was_held);
        };
        let has_list = matches!(self.present(&split(dotted)), Some(Value::List(_)));
        let (is_theirs, is_back) = match self.marker {
            Marker::Current => (old.wrote != is_there, old.released),
            Marker::Old => (old.released && !was_held, old.released && !was_held),
            Marker::Missing => (has_list, false),
        };
        (if is_theirs { is_there } else { old.original }, is_back)
    }

    /// The entries of a deny-list that the file's marker says were held.
    pub fn marked_entries(&self, dotted: &str) -> Set<String> {
        let mut names = Set::new();
        for held in self.marked_held.iter().flatten() {
            let rules = self.profile.rules(held).iter().filter(|rule| rule.form == Form::Deny && rule.key == dotted);
            names.extend(rules.map(|rule| rule.entry(held)));
        }
        names
    }
}

/// The texts in a list.
pub fn texts(items: &[Value]) -> Set<String> {
    let mut texts = Set::new();
    texts.extend(items.iter().filter_map(Value::as_str).map(ToOwned::to_owned));
    texts
}
