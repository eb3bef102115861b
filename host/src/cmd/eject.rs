//! `garnish eject`: the learner's files as they were, with their later edits kept, and nothing of garnish left but what is
//! theirs: the record of what they earned, a catalog or levels of their own.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::json;

use super::diff::Difference;
use super::init_files::is_demo_alone;
use super::{Context, DISPLACED, Versioned, existing};
use crate::AgentDir;
use crate::bindings::{Ejected, File, ProfileSource};
use crate::curriculum::Pack;
use crate::effects::Effects;
use crate::instance::Garnish;
use crate::output::{Answer, Ended, Exit};
use crate::setup::{self, Setup};
use crate::{inventory, overlay};

/// What garnish makes, and can make again.
const OWN: [&str; 8] = [
    "extensions/garnish",
    "extensions/garnish-demo",
    "garnish/demo",
    "garnish/held.json",
    inventory::PATH,
    overlay::PATH,
    DISPLACED,
    setup::PATH,
];

/// Taken away once nothing is left in them.
const FOLDERS: [&str; 2] = ["extensions", "garnish"];

const GRAPH: &str = "garnish/graph.json";
const LOG: &str = "garnish/events.jsonl";

/// Where MCP servers are set up.
const MCP: &str = "mcp.json";

/// `purge` throws the log away too; `dry_run` only says what would happen.
pub(crate) fn run(context: &Context, purge: bool, dry_run: bool) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let root = dir.path().to_owned();
    let mut garnish = context.garnish()?;
    let mut changed = Vec::new();
    let mut gone = Vec::new();
    let is_remembered = dir.read(DISPLACED)?.is_some();
    for profile in profiles(&mut dir) {
        let (files, removed) = given_back(&mut dir, &mut garnish, &profile)?;
        changed.extend(files);
        gone.extend(removed);
    }
    // The file that `init` made for the demo server; in Pi no profile knows of it.
    let index = changed.iter().position(|(file, _)| file.path == MCP);
    let left = match index {
        Some(index) => Some(changed[index].0.bytes.clone()),
        None => dir.read(MCP)?.map(|content| content.bytes),
    };
    if left.is_some_and(|bytes| is_demo_alone(&bytes)) && !gone.iter().any(|path| path == MCP) {
        index.map(|index| changed.remove(index));
        gone.push(MCP.to_owned());
    }
    gone.extend(OWN.iter().filter(|path| root.join(path).exists()).map(|path| (*path).to_owned()));
    if is_bundled(&mut dir)? {
        gone.push(GRAPH.into());
    }
    let log_length = dir.log_stat()?.length;
    if root.join(LOG).exists() && (purge || log_length == 0) {
        gone.push(LOG.into());
    }
    if !dry_run {
        for (File { path, bytes }, version) in &changed {
            dir.write(path, Some(*version), bytes)?;
        }
        for path in &gone {
            remove(&root.join(path))?;
        }
        dir.sweep();
        for folder in FOLDERS {
            // Fails where something is left in it, as it should.
            let _ = fs::remove_dir(root.join(folder));
        }
    }
    let mut said = said(&changed, &gone, kept(&root, &gone), dry_run);
    if !is_remembered && !changed.is_empty() {
        said.text.push_str(&format!(
            "{DISPLACED} is missing, so what stood there before garnish is not known: what garnish held was taken out, \
             and the harness's defaults count.\n"
        ));
    }
    said.json["remembered"] = is_remembered.into();
    if dry_run {
        let mut diffs = Vec::new();
        for (File { path, bytes }, _) in &changed {
            let before = dir.read(path)?.map(|content| content.bytes);
            let difference = Difference::new(path, before.as_deref(), bytes);
            said.text.push_str(&difference.coloured());
            diffs.push(difference.json());
        }
        said.json["changed"] = diffs.into();
    }
    Ok(said)
}

/// That of the setup; where it cannot be read, those that `init` writes.
fn profiles(dir: &mut AgentDir) -> Vec<ProfileSource> {
    match Setup::read(dir) {
        Ok(setup) => vec![setup.profile],
        Err(_) => ["omp-18", "pi-1"].map(|name| ProfileSource::Builtin(name.into())).into(),
    }
}

/// The files to be written, and those that held nothing but garnish's.
fn given_back(
    dir: &mut AgentDir,
    garnish: &mut Garnish,
    profile: &ProfileSource,
) -> Result<(Vec<Versioned>, Vec<String>), Ended> {
    let paths = garnish.describe_profile(profile)?.files;
    let read = existing(dir, paths)?;
    let files: Vec<File> = read.iter().map(|(file, _)| file.clone()).collect();
    let displaced = dir.read(DISPLACED)?.map_or_else(|| br#"{"version":1}"#.to_vec(), |content| content.bytes);
    let Ejected { changed, removed } = garnish.eject(&files, profile, &displaced)?;
    let version = |path: &str| read.iter().find(|(file, _)| file.path == path).map(|(_, version)| *version);
    let changed = changed.into_iter().filter_map(|file| version(&file.path).map(|version| (file, version))).collect();
    Ok((changed, removed))
}

/// Whether the levels are those that garnish brings, untouched.
fn is_bundled(dir: &mut AgentDir) -> Result<bool, Ended> {
    let Some(graph) = dir.read(GRAPH)? else { return Ok(false) };
    Ok(Pack::bundled().is_ok_and(|pack| pack.graph_json().as_bytes() == graph.bytes))
}

fn remove(path: &Path) -> Result<(), Ended> {
    let result = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            let message = format!("{}: {error}. Everything before it was given back.", path.display());
            Err(Ended::new(Exit::Environment, "garnish::cli::file", message))
        }
        _ => Ok(()),
    }
}

/// What stays in garnish's folder: it is the learner's.
fn kept(root: &Path, gone: &[String]) -> Vec<String> {
    let entries = fs::read_dir(root.join("garnish")).into_iter().flatten().flatten();
    let names = entries.map(|entry| format!("garnish/{}", entry.file_name().to_string_lossy()));
    let mut kept: Vec<String> = names.filter(|name| !gone.contains(name)).collect();
    kept.sort();
    kept
}

fn said(changed: &[Versioned], gone: &[String], kept: Vec<String>, dry_run: bool) -> Answer {
    let restored: Vec<&str> = changed.iter().map(|(file, _)| file.path.as_str()).collect();
    let verb = if dry_run { "Would be" } else { "Was" };
    let mut text = String::new();
    for path in &restored {
        text.push_str(&format!("{verb} given back as it was before garnish, your later edits kept: {path}\n"));
    }
    for path in gone {
        text.push_str(&format!("{verb} removed: {path}\n"));
    }
    if restored.is_empty() && gone.is_empty() {
        text.push_str("There is nothing of garnish here.\n");
    }
    if !kept.is_empty() {
        let kept = kept.join(", ");
        text.push_str(&format!("Kept, since it is yours: {kept}. `garnish init` takes it up again.\n"));
    }
    let json = json!({ "restored": restored, "removed": gone, "kept": kept, "dry_run": dry_run });
    Answer { text, json, exit: Exit::Done }
}
