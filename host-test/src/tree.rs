//! Files as scenarios have them: copied, listed, compared.
//!
//! It judges nothing, and writes only where it is told to copy to.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use similar::TextDiff;

/// What only garnish reads: named where it changes, never shown.
pub const PRIVATE: [&str; 2] = ["garnish/displaced.json", "garnish/held.json"];

/// The event log.
pub const LOG: &str = "garnish/events.jsonl";

/// Copies a folder's content; of a folder that is not there, nothing.
///
/// # Errors
/// What cannot be read or written.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let (path, target) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target)?;
            // A checkout's modes depend on the machine's umask.
            set_mode(&target, 0o644)?;
        }
    }
    Ok(())
}

/// Sets a file's mode.
///
/// # Errors
/// It cannot be set.
#[cfg(unix)]
pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// Elsewhere there are no modes.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn set_mode(_: &Path, _: u32) -> io::Result<()> {
    Ok(())
}

/// Makes a link in the place of whatever is there; `hard`: another name for the same file.
///
/// # Errors
/// It cannot be made.
pub fn link(target: &str, path: &Path, hard: bool) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        fs::remove_file(path)?;
    }
    if hard {
        return fs::hard_link(path.with_file_name(target), path);
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, path);
    #[cfg(not(unix))]
    Err(io::ErrorKind::Unsupported.into())
}

/// Every file below a folder, by its path there.
///
/// # Errors
/// A file that cannot be read.
pub fn tree(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                walk(root, &path, files)?;
            } else {
                let content = match fs::read(&path) {
                    // A link to nothing.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    read => read?,
                };
                files.insert(name(root, &path), content);
            }
        }
        Ok(())
    }
    let mut files = BTreeMap::new();
    walk(folder, folder, &mut files)?;
    Ok(files)
}

fn name(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Every file below a folder, sorted: its mode, its name, and where it leads if it is a link.
///
/// # Errors
/// A folder that cannot be read.
pub fn listed(folder: &Path) -> io::Result<Vec<String>> {
    fn walk(root: &Path, folder: &Path, lines: &mut Vec<(String, String)>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let leads = fs::read_link(&path).map(|target| format!(" -> {}", target.display())).unwrap_or_default();
            let Ok(found) = fs::metadata(&path) else {
                lines.push((name(root, &path), format!("none {}{leads}", name(root, &path))));
                continue;
            };
            if found.is_dir() {
                walk(root, &path, lines)?;
            } else {
                lines.push((name(root, &path), format!("{} {}{leads}", mode(&found), name(root, &path))));
            }
        }
        Ok(())
    }
    let mut lines = Vec::new();
    walk(folder, folder, &mut lines)?;
    lines.sort();
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

#[cfg(unix)]
fn mode(found: &fs::Metadata) -> String {
    use std::os::unix::fs::PermissionsExt;
    format!("{:o}", found.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> String {
    "644".into()
}

/// Where the files of `agent` are not those that a case expects, in a sentence each; what only garnish reads is its own
/// business, and `garnish/graph.json` comes from the case.
///
/// # Errors
/// A file that cannot be read.
pub fn differences(expected: &Path, agent: &Path) -> io::Result<Vec<String>> {
    let (expected, found) = (expectable(expected)?, expectable(agent)?);
    let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let differ = names.into_iter().filter(|name| expected.get(*name) != found.get(*name));
    let said = |bytes: Option<&Vec<u8>>| {
        bytes.map_or("nothing".into(), |bytes| format!("{:?}", String::from_utf8_lossy(bytes)))
    };
    Ok(differ.map(|name| format!("{name}: {}, not {}", said(found.get(name)), said(expected.get(name)))).collect())
}

/// The files that a case says something about; of a folder that is not there, none.
///
/// # Errors
/// A file that cannot be read.
pub fn expectable(folder: &Path) -> io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = if folder.exists() { tree(folder)? } else { BTreeMap::new() };
    files.retain(|name, _| !PRIVATE.contains(&name.as_str()) && name != "garnish/graph.json");
    Ok(files)
}

/// What changed in each file but the log, whose lines are written down as they are appended. Of files that only garnish
/// reads, the name.
pub fn changes(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>, brief: bool) -> String {
    let mut text = String::new();
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names.into_iter().filter(|name| *name != LOG) {
        let (old, new) = (before.get(name), after.get(name));
        if old == new {
            continue;
        }
        let [old, new] =
            [old, new].map(|bytes| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default());
        let _ = writeln!(text, "-- {name}");
        if brief || PRIVATE.contains(&name.as_str()) {
            continue;
        }
        let diff = TextDiff::from_lines(&old, &new);
        for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
            let shown = hunk.to_string().replace('\u{feff}', "<BOM>").replace('\r', "<CR>");
            text.push_str(&shown);
            if !shown.ends_with('\n') {
                text.push('\n');
            }
        }
    }
    text
}
