//! Everything given back: the files with every displaced value restored and nothing of garnish left in them.
//!
//! What the learner changed since stays as they changed it.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::{
    diagnostic::Diagnostic,
    displaced::{Displaced, FileRecord},
    edit::{Document, Edit, Fault, Format},
    list::IntoList,
    merge::{File, chosen, refusal},
    profile::{MARKER, Profile, split},
    render::HEADER,
    value::Value,
};

/// What giving everything back changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ejected {
    /// Files to be written, whole.
    pub changed: Vec<File>,
    /// Files that held nothing but what garnish put there.
    pub removed: Vec<String>,
}

enum Back {
    Set(Value),
    Restore(String),
    Remove,
}

/// Takes garnish out of the files.
///
/// # Errors
/// The memory or a file that cannot be read or edited; then nothing may be written.
pub fn eject(files: &[File], profile: &Profile, displaced: &[u8]) -> Result<Ejected, Diagnostic> {
    // An agent dir that garnish never wrote to has no memory.
    let memory = Displaced::parse((!displaced.is_empty()).then_some(displaced))?;
    let (mut ejected, none) = (Ejected::default(), FileRecord::default());
    for file in &profile.files {
        let Some(found) = chosen(file, files) else { continue };
        let record = memory.files.get(&found.path).unwrap_or(&none);
        let (bytes, is_empty) = restored(found, file.format, record).map_err(|fault| refusal(&found.path, &fault))?;
        if record.created && is_empty {
            ejected.removed.push(found.path.clone());
        } else if bytes != found.bytes {
            ejected.changed.push(File { path: found.path.clone(), bytes });
        }
    }
    Ok(ejected)
}

fn restored(file: &File, format: Format, record: &FileRecord) -> Result<(Vec<u8>, bool), Fault> {
    let document = Document::parse(format, &file.bytes)?;
    let mut backs: Vec<(Vec<String>, Back)> = Vec::new();
    for (dotted, entries) in record.entries.iter() {
        let path = split(dotted);
        let Some(Value::List(items)) = document.value().at(&path) else { continue };
        let ours = |item: &Value| {
            item.as_str().and_then(|name| entries.get(name)).is_some_and(|entry| entry.wrote && !entry.original)
        };
        let kept: Vec<Value> = items.iter().filter(|item| !ours(item)).cloned().list();
        let had_none = record.values.get(dotted).is_some_and(|value| value.original.is_none());
        match (kept.is_empty() && had_none, kept.len() == items.len()) {
            (true, _) => backs.push((path, Back::Remove)),
            (false, true) => {}
            (false, false) => backs.push((path, Back::Set(Value::List(kept)))),
        }
    }
    for (dotted, value) in record.values.iter().filter(|(dotted, _)| !record.entries.contains_key(*dotted)) {
        let path = split(dotted);
        let present = document.value().at(&path);
        let untouched =
            value.wrote.as_ref() == present || present == Some(&Value::List(Vec::new())) && value.wrote.is_none();
        match &value.original {
            None if untouched && present.is_some() => backs.push((path, Back::Remove)),
            Some(raw) if untouched && !value.released => backs.push((path, Back::Restore(raw.clone()))),
            _ => {}
        }
    }
    if document.value().at(&[MARKER]).is_some() {
        backs.push((alloc::vec![MARKER.to_owned()], Back::Remove));
    }
    let edits: Vec<Edit> = backs
        .iter()
        .map(|(path, back)| match back {
            Back::Set(value) => Edit::Set { path, value },
            Back::Restore(raw) => Edit::Restore { path, raw },
            Back::Remove => Edit::Remove { path },
        })
        .list();
    let mut bytes = if edits.is_empty() { file.bytes.clone() } else { document.edit(&edits)? };
    if let (true, Some(rest)) = (record.created, bytes.strip_prefix(HEADER.as_bytes())) {
        bytes = rest.to_vec();
    }
    let is_empty = Document::parse(format, &bytes)?.value().as_map().is_none_or(|map| map.is_empty());
    Ok((bytes, is_empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_memory_nothing_is_given_back_and_nothing_lost() {
        let profile = Profile::builtin("omp-18").expect("a profile");
        let files = [File { path: "config.yml".into(), bytes: b"theme: dark\n".to_vec() }];
        for memory in [&b""[..], b"{\"version\":1}"] {
            assert_eq!(eject(&files, &profile, memory).expect("ejected"), Ejected::default());
        }
    }
}
