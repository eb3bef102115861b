//! Everything given back: the files with every displaced value restored and nothing of garnish left in them.
//!
//! What the learner changed since stays as they changed it.

use alloc::{borrow::ToOwned, string::String, vec::Vec};

use crate::{
    diagnostic::Diagnostic,
    displaced::{Displaced, FileRecord},
    edit::{Document, Fault, Format},
    list::IntoList,
    merge::{File, chosen, refusal},
    profile::{MARKER, Profile},
    render::HEADER,
    targets::{Target, Targeted, edited, given_back},
    whose::Whose,
};

/// What giving everything back changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ejected {
    /// Files to be written, whole.
    pub changed: Vec<File>,
    /// Files that held nothing but what garnish put there.
    pub removed: Vec<String>,
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
        let (bytes, is_nothing) =
            restored(found, file.format, profile, record).map_err(|fault| refusal(&found.path, &fault))?;
        if is_nothing {
            ejected.removed.push(found.path.clone());
        } else if bytes != found.bytes {
            ejected.changed.push(File { path: found.path.clone(), bytes });
        }
    }
    Ok(ejected)
}

/// The file without garnish, and whether nothing is left of a file that garnish made.
fn restored(file: &File, format: Format, profile: &Profile, record: &FileRecord) -> Result<(Vec<u8>, bool), Fault> {
    let document = Document::parse(format, &file.bytes)?;
    let whose = Whose::new(profile, Some(&document), record);
    let mut targets: Vec<Targeted> = Vec::new();
    // Those that are remembered, then those of which only the marker tells: what they were before, nobody knows.
    let mut keys: Vec<&str> = record.values.keys().map(String::as_str).list();
    keys.extend(whose.marked.iter().map(String::as_str).filter(|dotted| !record.values.contains_key(*dotted)));
    for dotted in keys {
        targets.extend(given_back(&whose, format, dotted));
    }
    if document.value().at(&[MARKER]).is_some() {
        targets.push((alloc::vec![MARKER.to_owned()], Target::Remove));
    }
    let mut bytes = edited(&document, &targets, &record.empty)?.unwrap_or_else(|| file.bytes.clone());
    let mut created = record.created;
    if bytes.starts_with(HEADER.as_bytes()) {
        created = true;
        bytes.drain(..HEADER.len());
    }
    let is_nothing = created && Document::parse(format, &bytes)?.value().as_map().is_none_or(|map| map.is_empty());
    Ok((bytes, is_nothing))
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
