//! From files to a draft of a pack, in which everything still knows its line. It never judges what the values say.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_saphyr::Spanned;

use super::Fault;

/// A value of a YAML file with its place. Every key is optional here, so that all missing ones are told at once.
pub(super) type Value<T> = Option<Spanned<T>>;

/// `pack.yml` as it is written.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct PackDraft {
    pub id: Value<String>,
    pub title: Value<String>,
    pub summary: Value<String>,
    pub levels: Value<Vec<Spanned<LevelDraft>>>,
}

/// A level as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LevelDraft {
    pub id: Value<String>,
    pub order: Value<u64>,
    pub title: Value<String>,
    pub summary: Value<String>,
    #[serde(default)]
    pub unlocks: Vec<Spanned<String>>,
}

/// The front matter of a quest as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct QuestDraft {
    pub id: Value<String>,
    pub level: Value<String>,
    pub title: Value<String>,
    pub summary: Value<String>,
    pub required: Value<bool>,
    pub xp: Value<u64>,
    #[serde(default)]
    pub requires: Vec<Spanned<String>>,
    #[serde(default)]
    pub unlocks: Vec<Spanned<String>>,
}

/// A whole pack, read but not checked.
#[derive(Default)]
pub(super) struct Draft {
    /// None when `pack.yml` could not be read; that is among the faults.
    pub pack: Option<PackDraft>,
    /// (file, front matter, body), by file.
    pub quests: Vec<(String, QuestDraft, String)>,
}

pub(super) const PACK: &str = "pack.yml";

/// Reads `pack.yml` and everything under `quests/` that ends in `.md`.
pub(super) fn folder(root: &Path, files: &mut Vec<(String, String)>, faults: &mut Vec<Fault>) {
    file(root, PACK, files, faults);
    walk(root, "quests", files, faults);
}

fn file(root: &Path, path: &str, files: &mut Vec<(String, String)>, faults: &mut Vec<Fault>) {
    match fs::read_to_string(root.join(path)) {
        Ok(text) => files.push((path.to_owned(), text)),
        Err(error) => faults.push(fault(path, None, format!("cannot be read: {error}"))),
    }
}

fn walk(root: &Path, path: &str, files: &mut Vec<(String, String)>, faults: &mut Vec<Fault>) {
    let entries = match fs::read_dir(root.join(path)) {
        Ok(entries) => entries,
        Err(error) => return faults.push(fault(path, None, format!("cannot be read: {error}"))),
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = format!("{path}/{name}");
        // A link is not followed: a pack is what its folder holds, and a circle of links would never end.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => walk(root, &inside, files, faults),
            Ok(kind) if kind.is_file() && name.ends_with(".md") => file(root, &inside, files, faults),
            _ => {}
        }
    }
}

/// The draft in the texts of the files.
pub(super) fn draft(files: &[(String, String)], faults: &mut Vec<Fault>) -> Draft {
    let mut draft = Draft::default();
    for (path, text) in files {
        if path == PACK {
            draft.pack = yaml(path, text, faults);
        } else if let Some((front_matter, body)) = split(path, text, faults)
            && let Some(quest) = yaml(path, front_matter, faults)
        {
            draft.quests.push((path.clone(), quest, body.to_owned()));
        }
    }
    if !files.iter().any(|(path, _)| path == PACK) && !faults.iter().any(|fault| fault.file == PACK) {
        faults.push(fault(PACK, None, "is missing".into()));
    }
    draft
}

/// The front matter with its opening `---`, which is YAML too and keeps the line numbers right, and the body.
fn split<'a>(path: &str, text: &'a str, faults: &mut Vec<Fault>) -> Option<(&'a str, &'a str)> {
    let mut end = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let is_fence = line.trim_end() == "---";
        if index == 0 && !is_fence {
            break;
        }
        if index > 0 && is_fence {
            return Some((&text[..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    faults.push(fault(path, Some(1), "does not begin with a front matter between two lines of ---".into()));
    None
}

fn yaml<T: DeserializeOwned>(path: &str, text: &str, faults: &mut Vec<Fault>) -> Option<T> {
    serde_saphyr::from_str(text)
        .map_err(|error| {
            let line = error.location().map(|location| location.line());
            let message = error.without_snippet().to_string();
            let message = message.lines().next().unwrap_or_default().to_owned();
            faults.push(fault(path, line, message));
        })
        .ok()
}

pub(super) fn fault(file: &str, line: Option<u64>, message: String) -> Fault {
    Fault { file: file.to_owned(), line, message }
}
