//! `garnish render`: the gate config as garnish alone would write it, or what it changes in the learner's files. It
//! writes nothing.

use serde_json::json;

use super::diff::Difference;
use super::{Context, DISPLACED, existing};
use crate::AgentDir;
use crate::bindings::{File, Merged, Rendered, UnlockSet};
use crate::effects::Effects;
use crate::instance::Garnish;
use crate::output::{self, Answer, Ended, Exit, STRONG, styled};
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
        let difference = Difference::new(path, before, bytes);
        text.push_str(&difference.coloured());
        diffs.push(difference.json());
    }
    if changed.is_empty() {
        text.push_str("Nothing to change: your files say what the log says.\n");
    }
    text.extend(diagnostics.iter().map(output::told));
    let json = json!({ "changed": diffs, "diagnostics": output::diagnostics_json(&diagnostics) });
    Ok(Answer { text, json, exit: Exit::Done })
}
