//! `garnish eject`: the learner's files as they were, with their later edits kept, and nothing of garnish left but the
//! record of what was earned.

use std::fs;
use std::io;

use serde_json::json;

use super::Context;
use super::init::is_demo_alone;
use crate::bindings::{Ejected, File};
use crate::effects::Effects;
use crate::output::{Answer, Ended, Exit};
use crate::setup::Setup;

const DISPLACED: &str = "garnish/displaced.json";

/// What is garnish's own, and can be made again.
const OWN: [&str; 3] = ["extensions/garnish", "extensions/garnish-demo", "garnish/demo"];

/// Where MCP servers are set up.
const MCP: &str = "mcp.json";

/// What stays: it is the learner's.
const LOG: &str = "garnish/events.jsonl";

/// `purge` throws the log away too; `dry_run` only says what would happen.
pub(crate) fn run(context: &Context, purge: bool, dry_run: bool) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let setup = Setup::read(&mut dir)?;
    let mut garnish = context.garnish()?;
    let mut files = Vec::new();
    let mut versions = Vec::new();
    for path in garnish.describe_profile(&setup.profile).map_err(|error| setup.blame(error))?.files {
        if let Some(content) = dir.read(&path)? {
            versions.push(content.version);
            files.push(File { path, bytes: content.bytes });
        }
    }
    let displaced = dir.read(DISPLACED)?.map_or_else(|| br#"{"version":1}"#.to_vec(), |content| content.bytes);
    let Ejected { mut changed, mut removed } =
        garnish.eject(&files, &setup.profile, &displaced).map_err(|error| setup.blame(error))?;

    // The file that `init` made for the demo server; in Pi no profile knows of it.
    let given_back = changed.iter().position(|file| file.path == MCP);
    let left = match given_back {
        Some(index) => Some(changed[index].bytes.clone()),
        None => dir.read(MCP)?.map(|content| content.bytes),
    };
    if left.is_some_and(|bytes| is_demo_alone(&bytes)) {
        given_back.map(|index| changed.remove(index));
        removed.push(MCP.to_owned());
    }

    let log_length = dir.log_stat()?.length;
    let keeps_log = !purge && log_length > 0;
    let root = dir.path().to_owned();
    let mut gone: Vec<String> = removed.clone();
    gone.extend(OWN.iter().filter(|path| root.join(path).exists()).map(|path| (*path).to_owned()));
    if root.join("garnish").exists() {
        gone.push("garnish".into());
    }
    if !dry_run {
        for File { path, bytes } in &changed {
            let version =
                files.iter().position(|file| file.path == *path).and_then(|index| versions.get(index).copied());
            dir.write(path, version, bytes)?;
        }
        for path in &gone {
            let whole = root.join(path);
            let result = match path.as_str() {
                "garnish" if keeps_log => all_but_the_log(&root),
                _ if whole.is_dir() => fs::remove_dir_all(&whole),
                _ => fs::remove_file(&whole),
            };
            match result {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    let message = format!("{}: {error}. What is named before it was given back.", whole.display());
                    return Err(Ended::new(Exit::Environment, "garnish::cli::file", message));
                }
                _ => {}
            }
        }
    }
    let restored: Vec<&str> = changed.iter().map(|file| file.path.as_str()).collect();
    let verb = if dry_run { "Would be" } else { "Was" };
    let mut text = String::new();
    for path in &restored {
        text.push_str(&format!("{verb} given back as it was before garnish, your later edits kept: {path}\n"));
    }
    for path in &gone {
        text.push_str(&format!("{verb} removed: {path}\n"));
    }
    if restored.is_empty() && gone.is_empty() {
        text.push_str("There is nothing of garnish here.\n");
    }
    if keeps_log {
        text.push_str(&format!(
            "Kept: {LOG}, what you have earned. `garnish init` takes it up again; --purge removes it.\n"
        ));
    }
    let json = json!({ "restored": restored, "removed": gone, "log_kept": keeps_log, "dry_run": dry_run });
    Ok(Answer { text, json, exit: Exit::Done })
}

fn all_but_the_log(root: &std::path::Path) -> io::Result<()> {
    for entry in fs::read_dir(root.join("garnish"))? {
        let path = entry?.path();
        if path == root.join(LOG) {
            continue;
        }
        if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    Ok(())
}
