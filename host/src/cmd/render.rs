//! `garnish render`: the gate config as garnish alone would write it, or what it changes in the learner's files. It
//! writes nothing.

use serde_json::json;
use similar::{ChangeTag, TextDiff};

use super::{Context, DISPLACED, existing};
use crate::AgentDir;
use crate::bindings::{File, Merged, Rendered, UnlockSet};
use crate::effects::Effects;
use crate::instance::Garnish;
use crate::output::{self, Answer, BAD, Ended, Exit, FAINT, GOOD, STRONG, styled};
use crate::setup::Setup;

pub(crate) fn run(context: &Context, diff: bool, features: Option<Vec<String>>) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, setup, unlocked) = match features {
        Some(features) => {
            let setup = Setup::read(&mut dir)?;
            let mut garnish = context.garnish()?;
            let unlocked = of_features(&mut garnish, &setup, features)?;
            (garnish, setup, unlocked)
        }
        None => {
            let (mut garnish, setup, graph) = context.garnish_with_graph()?;
            let unlocked = super::fold(&mut garnish, &mut dir, &setup, &graph)?.progress.unlocked;
            (garnish, setup, unlocked)
        }
    };
    if diff {
        return changes(&mut garnish, &mut dir, &setup, &unlocked);
    }
    let rendered = garnish.render_gate_config(&unlocked, &setup.catalog, &setup.profile);
    Ok(whole(rendered.map_err(|error| setup.blame(error))?))
}

fn of_features(garnish: &mut Garnish, setup: &Setup, features: Vec<String>) -> Result<UnlockSet, Ended> {
    let known = garnish.catalog_feature_ids(&setup.catalog).map_err(|error| setup.blame(error))?;
    let features: Vec<String> = features.into_iter().filter(|feature| !feature.is_empty()).collect();
    let unknown: Vec<&str> = features.iter().filter(|id| !known.contains(id)).map(String::as_str).collect();
    if unknown.is_empty() {
        return Ok(UnlockSet { features, ..super::nothing_unlocked() });
    }
    let message = format!("The catalog has no feature {}. It has {}.", unknown.join(", "), known.join(", "));
    Err(Ended::new(Exit::NotSo, "garnish::cli::unknown-feature", message))
}

fn whole(rendered: Rendered) -> Answer {
    let mut text = String::new();
    let mut files = Vec::new();
    for File { path, bytes } in &rendered.files {
        let content = String::from_utf8_lossy(bytes);
        text.push_str(&format!("{}\n{content}", styled(STRONG, format_args!("==> {path} <=="))));
        files.push(json!({ "path": path, "text": content }));
    }
    let json = json!({ "files": files, "enabled": rendered.enabled, "held": rendered.held });
    Answer { text, json, exit: Exit::Done }
}

fn changes(garnish: &mut Garnish, dir: &mut AgentDir, setup: &Setup, unlocked: &UnlockSet) -> Result<Answer, Ended> {
    let paths = garnish.describe_profile(&setup.profile).map_err(|error| setup.blame(error))?.files;
    let files: Vec<File> = existing(dir, paths)?.into_iter().map(|(file, _)| file).collect();
    let displaced = dir.read(DISPLACED)?.map(|content| content.bytes);
    let Merged { changed, diagnostics, .. } = garnish
        .merge_gate_config(&files, unlocked, &setup.catalog, &setup.profile, displaced.as_deref())
        .map_err(|error| setup.blame(error))?;

    let mut text = String::new();
    let mut diffs = Vec::new();
    for File { path, bytes } in &changed {
        let before = files.iter().find(|file| file.path == *path).map(|file| file.bytes.as_slice());
        let before = String::from_utf8_lossy(before.unwrap_or_default());
        let after = String::from_utf8_lossy(bytes);
        let is_new = !files.iter().any(|file| file.path == *path);
        text.push_str(&coloured(path, is_new, &before, &after));
        diffs.push(json!({ "path": path, "new": is_new, "diff": unified(path, is_new, &before, &after) }));
    }
    if changed.is_empty() {
        text.push_str("Nothing to change: your files say what the log says.\n");
    }
    text.extend(diagnostics.iter().map(output::told));
    let json = json!({ "changed": diffs, "diagnostics": output::diagnostics_json(&diagnostics) });
    Ok(Answer { text, json, exit: Exit::Done })
}

fn old_name(path: &str, is_new: bool) -> String {
    if is_new { "/dev/null".into() } else { format!("a/{path}") }
}

/// A diff that `patch -p1` takes.
fn unified(path: &str, is_new: bool, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(&old_name(path, is_new), &format!("b/{path}")).to_string()
}

fn coloured(path: &str, is_new: bool, before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let mut text = format!(
        "{}\n{}\n",
        styled(STRONG, format_args!("--- {}", old_name(path, is_new))),
        styled(STRONG, format_args!("+++ b/{path}"))
    );
    for hunk in diff.unified_diff().iter_hunks() {
        text.push_str(&format!("{}\n", styled(FAINT, hunk.header())));
        for change in hunk.iter_changes() {
            let line = change.value().trim_end_matches('\n');
            let line = format!("{}{line}", change.tag());
            text.push_str(&match change.tag() {
                ChangeTag::Insert => styled(GOOD, line),
                ChangeTag::Delete => styled(BAD, line),
                ChangeTag::Equal => line,
            });
            text.push('\n');
            if change.missing_newline() {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    text
}
