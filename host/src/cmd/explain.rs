//! `garnish explain NAME`: why a tool or another surface is open or held: by which feature, since when or how it is earned,
//! where the harness takes it from, and what stands above that.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Context, DISPLACED};
use crate::agent_dir::AgentDir;
use crate::effects::Effects;
use crate::gates::{self, FeatureGate, Key};
use crate::harness::Harness;
use crate::log_lines::{Line, lines};
use crate::output::{Answer, Ended, Exit, FAINT, GOOD, ODD, STRONG, styled};
use crate::place;

/// The part of `status` that is needed here: docs/status-json.md.
#[derive(Deserialize)]
struct Status {
    features: Vec<Feature>,
    held: Vec<Held>,
    open: Vec<String>,
}

#[derive(Deserialize)]
struct Feature {
    id: String,
    title: String,
    #[serde(default)]
    how: Option<String>,
    unlocked: bool,
}

#[derive(Deserialize)]
struct Held {
    capability: String,
}

pub(crate) fn run(context: &Context, name: &str) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, setup, graph) = context.garnish_with_graph()?;
    let status: Status = serde_json::from_slice(&garnish.status()?).map_err(|error| unreadable(&error))?;
    let features = gates::features(&mut garnish, &setup.catalog, &setup.profile).map_err(|error| setup.blame(error))?;
    let held: Vec<&str> = status.held.iter().map(|held| held.capability.as_str()).collect();
    let known: Vec<&str> = held.iter().copied().chain(status.open.iter().map(String::as_str)).collect();
    let wanted = named(name, &known, &features);
    if wanted.is_empty() {
        return Err(unknown(name, &known));
    }
    let profile = garnish.describe_profile(&setup.profile).map_err(|error| setup.blame(error))?;
    let harness = Harness::named(&profile.harness);
    let log = super::read_log(&mut dir)?;
    let folded = garnish.fold_events(&log, &graph)?;
    let lines = lines(&log, 0, &folded.diagnostics);

    let (mut all, mut seen) = (Vec::new(), Vec::new());
    for capability in wanted {
        let is_held = held.contains(&capability);
        let by: Vec<&Feature> = features
            .iter()
            .filter(|gate| gate.capabilities.iter().any(|opened| opened == capability))
            .filter_map(|gate| status.features.iter().find(|feature| feature.id == gate.id))
            .collect();
        let since = lines.iter().find(|line| {
            line.unlocked().is_some_and(|(kind, id)| kind == "feature" && by.iter().any(|feature| feature.id == id))
        });
        let keys = gates::keys(&mut garnish, capability, &setup.profile)?;
        let takes = takes(&mut dir, &profile.files, &keys, is_held)?;
        let above = harness.map(|harness| above(harness, &profile.project_configs, &keys)).unwrap_or_default();
        seen.push((styled(STRONG, capability), told(is_held, &by, since, &takes, &above, harness)));
        all.push(json!({
            "capability": capability,
            "state": if is_held { "held" } else { "open" },
            "features": by.iter().map(|feature| json!({ "id": feature.id, "title": feature.title, "unlocked": feature.unlocked, "how": feature.how })).collect::<Vec<_>>(),
            "since": since.filter(|_| !is_held).map(|line| json!({ "line": line.number, "at": line.at(), "reason": line.reason() })),
            "keys": takes.iter().map(Take::json).collect::<Vec<_>>(),
            "above": above.iter().map(|above| json!({ "file": above.file, "line": above.line, "key": above.key, "says": above.says, "closes": above.closes })).collect::<Vec<_>>(),
        }));
    }
    // Surfaces of which the same is to be said are named together.
    let mut text = String::new();
    while let Some((first, said)) = seen.first().cloned() {
        let (same, others): (Vec<_>, Vec<_>) = seen.into_iter().partition(|(_, other)| *other == said);
        let names: Vec<String> = same.into_iter().map(|(name, _)| name).collect();
        let names = if names.len() == 1 { first } else { names.join(", ") };
        text.push_str(&format!("{names}: {said}"));
        seen = others;
    }
    Ok(Answer { text, json: json!({ "explained": all }), exit: Exit::Done })
}

fn unreadable(error: &serde_json::Error) -> Ended {
    let message = format!(
        "The status of this component cannot be read ({error}): it is of another version. Leave --component out."
    );
    Ended::new(Exit::Environment, "garnish::cli::component", message)
}

/// What a name can mean: a capability, a feature, or the name of a tool, a server, a skill.
fn named<'k>(name: &str, known: &[&'k str], features: &[FeatureGate]) -> Vec<&'k str> {
    let pick = |is: &dyn Fn(&str) -> bool| -> Vec<&'k str> {
        known.iter().copied().filter(|capability| is(capability)).collect()
    };
    let exact = pick(&|capability| capability == name);
    if !exact.is_empty() {
        return exact;
    }
    let tail = |capability: &str| capability.split_once(':').map(|(_, tail)| tail.to_owned()).unwrap_or_default();
    let by_name = pick(&|capability| {
        tail(capability) == name || tail(capability).strip_prefix("extension-module:") == Some(name)
    });
    if !by_name.is_empty() {
        return by_name;
    }
    match features.iter().find(|feature| feature.id == name) {
        Some(feature) => pick(&|capability| feature.capabilities.iter().any(|opened| opened == capability)),
        None => Vec::new(),
    }
}

fn unknown(name: &str, known: &[&str]) -> Ended {
    let near = super::nearest(
        name,
        known.iter().flat_map(|capability| [*capability, capability.split_once(':').map_or("", |(_, tail)| tail)]),
    );
    let near = near.map_or_else(String::new, |near| format!(" Did you mean {near}?"));
    let message = format!(
        "The catalog gates nothing called {name:?}, so garnish neither holds nor opens it.{near} `garnish catalog show` lists what it gates."
    );
    Ended::new(Exit::NotSo, "garnish::cli::unknown-surface", message)
}

/// Where the harness takes a key from.
struct Take {
    key: Key,
    /// The file that is there, of those that the harness would read.
    file: Option<String>,
    place: Option<(u64, u64)>,
    /// What the file says now.
    says: Option<Value>,
    /// What the learner had there, which comes back.
    theirs: Option<String>,
}

impl Take {
    fn json(&self) -> Value {
        json!({
            "key": self.key.dotted(), "file": self.file, "line": self.place.map(|place| place.0), "says": self.says,
            "held": self.key.held, "open": self.key.open, "yours": self.theirs,
        })
    }
}

fn takes(dir: &mut AgentDir, paths: &[String], keys: &[Key], is_held: bool) -> Result<Vec<Take>, Ended> {
    let memory: Value = match dir.read(DISPLACED)? {
        Some(content) => serde_json::from_slice(&content.bytes).unwrap_or_default(),
        None => Value::Null,
    };
    let mut takes = Vec::new();
    for key in keys {
        // The profile names the first of the paths that a file may have.
        let stem = key.file.rsplit_once('.').map_or(key.file.as_str(), |(stem, _)| stem);
        let mut take = Take { key: key.clone(), file: None, place: None, says: None, theirs: None };
        for path in paths.iter().filter(|path| path.rsplit_once('.').is_some_and(|(other, _)| other == stem)) {
            let Some(content) = dir.read(path)? else { continue };
            let text = String::from_utf8_lossy(&content.bytes).into_owned();
            let steps: Vec<&str> = key.path.iter().map(String::as_str).collect();
            take.place = place::of_key(&text, &steps);
            let value: Option<Value> = serde_saphyr::from_str(&text).ok();
            take.says = value.and_then(|value| steps.iter().try_fold(&value, |value, step| value.get(step)).cloned());
            let record = memory.get("files").and_then(|files| files.get(path)?.get("values")?.get(key.dotted()));
            let original = record.and_then(|record| record.get("original")).and_then(Value::as_str);
            take.theirs = original.filter(|_| is_held).map(|text| text.trim().to_owned());
            take.file = Some(path.clone());
            break;
        }
        takes.push(take);
    }
    Ok(takes)
}

/// A file above the agent dir's that has the same key.
struct Above {
    file: PathBuf,
    line: u64,
    key: String,
    says: Value,
    /// It says what garnish says while the surface is held.
    closes: bool,
}

/// In the project that this is called in, and in the overlays that the environment names.
fn above(harness: Harness, project: &[String], keys: &[Key]) -> Vec<Above> {
    let project = project.iter().map(PathBuf::from);
    let overlays = harness.overlay_variable().and_then(std::env::var_os).unwrap_or_default();
    let overlays: Vec<PathBuf> = std::env::split_paths(&overlays).filter(|path| path != Path::new("")).collect();
    let mut found = Vec::new();
    for file in project.chain(overlays) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let value: Value = serde_saphyr::from_str(&text).unwrap_or_default();
        for key in keys {
            let steps: Vec<&str> = key.path.iter().map(String::as_str).collect();
            if let Some((line, _)) = place::of_key(&text, &steps) {
                let says = steps.iter().try_fold(&value, |value, step| value.get(step)).cloned().unwrap_or_default();
                let closes = Some(&says) == key.held.as_ref();
                found.push(Above { file: file.clone(), line, key: key.dotted(), says, closes });
            }
        }
    }
    found
}

fn told(
    is_held: bool,
    by: &[&Feature],
    since: Option<&Line>,
    takes: &[Take],
    above: &[Above],
    harness: Option<Harness>,
) -> String {
    let state = if is_held { styled(ODD, "held") } else { styled(GOOD, "open") };
    let mut text = format!("{state}\n");
    for feature in by {
        let how = feature.how.as_deref().map(|how| format!(": {how}")).unwrap_or_default();
        let unlocked = if feature.unlocked { ", unlocked" } else { "" };
        text.push_str(&format!("  opened by {} ({}{unlocked}){how}\n", feature.id, feature.title));
    }
    if by.is_empty() {
        text.push_str("  no gate closes it\n");
    }
    if let (false, Some(line)) = (is_held, since) {
        text.push_str(&format!("  since {}, line {} of the log: {}\n", line.at(), line.number, line.reason()));
    }
    for take in takes {
        let key = take.key.dotted();
        let said = |value: &Option<Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), Value::to_string);
        text.push_str(&match (&take.file, take.place) {
            (Some(file), Some((line, column))) => format!("  {file}:{line}:{column}  {key}: {}\n", said(&take.says)),
            (Some(file), None) => format!("  {file}  does not say {key}: the harness's own default counts\n"),
            (None, _) => format!("  {} is not there: the harness's own default of {key} counts\n", take.key.file),
        });
        if let Some(theirs) = &take.theirs {
            text.push_str(&format!("    {}\n", styled(FAINT, format_args!("yours is {theirs}, kept in {DISPLACED}"))));
        }
    }
    if takes.is_empty() {
        text.push_str("  no setting of the harness holds it: the session does\n");
    }
    for Above { file, line, key, says, closes } in above {
        let (file, name) = (file.display(), harness.map_or("the harness", Harness::command));
        let then = match closes {
            true => "So it stays closed here, whatever is unlocked.",
            false => "In a session with garnish that opens nothing; without garnish it would count.",
        };
        let mark = styled(ODD, "shadowed:");
        text.push_str(&format!(
            "  {mark} {file}:{line} says {key}: {says}, and {name} takes that before the agent dir's. {then}\n"
        ));
    }
    text
}
