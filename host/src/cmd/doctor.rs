//! `garnish doctor [--fix]`: what is wrong with this machine, this agent dir and its log, each with the command that mends
//! it. `--fix` does the safe ones: it writes what garnish itself writes at the next start, and nothing else.

use std::path::Path;

use serde_json::{Value, json};

use super::{Context, DISPLACED, existing};
use crate::agent_dir::AgentDir;
use crate::bindings::{File, ProfileDescription, Severity, Trigger};
use crate::component::{Component, VERSION};
use crate::effects::Effects;
use crate::harness::Harness;
use crate::instance::Garnish;
use crate::inventory::Inventory;
use crate::output::{Answer, BAD, Ended, Exit, FAINT, GOOD, ODD, styled};
use crate::setup::Setup;

/// Where `init` installs the extension, inside the agent dir.
const EXTENSION: &str = "extensions/garnish";
const HELD: &str = "garnish/held.json";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Good,
    /// It works, and is worth a look.
    Odd,
    Bad,
}

struct Finding {
    about: &'static str,
    health: Health,
    says: String,
    /// The command that mends it.
    mend: Option<String>,
    /// `--fix` mends it.
    safe: bool,
}

struct Doctor<'c> {
    context: &'c Context,
    found: Vec<Finding>,
}

pub(crate) fn run(context: &Context, fix: bool) -> Result<Answer, Ended> {
    let mut found = examined(context);
    let mut mended = Vec::new();
    if fix && found.iter().any(|finding| finding.safe && finding.health != Health::Good) {
        let report = context.garnish()?.apply_unlocks(Trigger::SessionStart)?;
        mended = report.files_written;
        found = examined(context);
    }
    let mut text = String::new();
    for finding in &found {
        let word = match finding.health {
            Health::Good => styled(GOOD, format_args!("{:<7}", "ok")),
            Health::Odd => styled(ODD, format_args!("{:<7}", "note")),
            Health::Bad => styled(BAD, format_args!("{:<7}", "fault")),
        };
        text.push_str(&format!("{word} {:<10} {}\n", finding.about, finding.says));
        if let Some(mend) = &finding.mend {
            text.push_str(&format!("{:18} {}\n", "", styled(FAINT, format_args!("mend it: {mend}"))));
        }
    }
    if !mended.is_empty() {
        text.push_str(&format!("Wrote {}.\n", mended.join(", ")));
    }
    let bad = found.iter().filter(|finding| finding.health == Health::Bad).count();
    text.push_str(&match bad {
        0 => "Nothing is wrong.\n".to_owned(),
        1 => "One thing is wrong.\n".to_owned(),
        bad => format!("{bad} things are wrong.\n"),
    });
    let one = |finding: &Finding| {
        let health = match finding.health {
            Health::Good => "ok",
            Health::Odd => "note",
            Health::Bad => "fault",
        };
        json!({ "about": finding.about, "health": health, "says": finding.says, "mend": finding.mend, "fixable": finding.safe })
    };
    let json = json!({ "findings": found.iter().map(one).collect::<Vec<Value>>(), "wrote": mended });
    Ok(Answer { text, json, exit: if bad == 0 { Exit::Done } else { Exit::NotSo } })
}

fn examined(context: &Context) -> Vec<Finding> {
    let mut doctor = Doctor { context, found: Vec::new() };
    doctor.component();
    match context.dir() {
        Ok(mut dir) => doctor.agent_dir(&mut dir),
        Err(ended) => {
            let mend = format!("garnish init --agent-dir {:?}", context.agent_dir);
            doctor.bad("agent dir", ended.message().to_owned(), Some(mend));
        }
    }
    doctor.found
}

impl Doctor<'_> {
    fn add(&mut self, about: &'static str, health: Health, says: String, mend: Option<String>, safe: bool) {
        self.found.push(Finding { about, health, says, mend, safe });
    }

    fn good(&mut self, about: &'static str, says: String) {
        self.add(about, Health::Good, says, None, false);
    }

    fn odd(&mut self, about: &'static str, says: String, mend: Option<String>) {
        self.add(about, Health::Odd, says, mend, false);
    }

    fn bad(&mut self, about: &'static str, says: String, mend: Option<String>) {
        self.add(about, Health::Bad, says, mend, false);
    }

    fn component(&mut self) {
        let component = match &self.context.component {
            None => Component::embedded().map(|_| "built in".to_owned()).map_err(ToString::to_string),
            Some(file) => {
                Component::from_file(file).map(|_| file.display().to_string()).map_err(|error| error.to_string())
            }
        };
        match component {
            Ok(which) => self.good("component", format!("garnish:gating@{VERSION}, {which}")),
            Err(error) => self.bad(
                "component",
                error,
                Some("leave --component out, or run `make` in a checkout of garnish".into()),
            ),
        }
    }

    fn agent_dir(&mut self, dir: &mut AgentDir) {
        let init = format!("garnish init --agent-dir {:?}", dir.path());
        let setup = match Setup::read(dir) {
            Ok(setup) => setup,
            Err(error) => {
                return self.bad(
                    "setup",
                    error.to_string(),
                    Some("mend the file by hand, or move it away and run `garnish init`".into()),
                );
            }
        };
        self.good("agent dir", dir.path().display().to_string());
        let Ok(mut garnish) = self.context.garnish() else { return };
        let profile = match garnish.describe_profile(&setup.profile).map_err(|error| setup.blame(error)) {
            Ok(profile) => profile,
            Err(error) => return self.bad("setup", error.to_string(), None),
        };
        match garnish.validate_catalog(&setup.catalog, &setup.profile) {
            Ok(faults) if faults.iter().any(|fault| fault.severity == Severity::Error) => {
                let mend = "garnish check".to_owned();
                self.bad("catalog", format!("{} faults; with them nothing can be unlocked", faults.len()), Some(mend));
            }
            _ => self.good(
                "setup",
                format!("profile {}, {}", profile.id, setup.catalog_path.as_deref().unwrap_or("a built-in catalog")),
            ),
        }
        self.harness(&profile);
        self.extension(dir, &profile);
        self.log(dir, &mut garnish, &setup, &init);
        self.files(dir, &mut garnish, &setup, &profile);
    }

    fn harness(&mut self, profile: &ProfileDescription) {
        let name = profile.harness.as_str();
        let Some(program) = Harness::named(name).and_then(Harness::program) else {
            return self.bad(
                "harness",
                format!("{name} is not on the PATH"),
                Some(format!("install {name}, or start it with `garnish launch --program FILE`")),
            );
        };
        let tested = profile.tested_versions.join(", ");
        match Harness::version(&program) {
            None => self.bad("harness", format!("{} does not say its version", program.display()), Some(format!("{name} --version"))),
            Some(version) if profile.tested_versions.contains(&version) => self.good("harness", format!("{name} {version}, {}", program.display())),
            Some(version) => self.odd(
                "harness",
                format!("{name} {version}, {}; garnish was tested with {tested}. What it holds is held all the same; what it says of the rest may be wrong", program.display()),
                None,
            ),
        }
    }

    fn extension(&mut self, dir: &mut AgentDir, profile: &ProfileDescription) {
        let folder = dir.path().join(EXTENSION);
        let mend = format!(
            "garnish init --agent-dir {:?} --harness {} --extension DIR (in a checkout: make install)",
            dir.path(),
            profile.harness
        );
        let is_whole = ["index.js", "garnish.core.wasm", "package.json"].iter().all(|file| folder.join(file).is_file());
        if !folder.exists() {
            return self.bad(
                "extension",
                format!("{EXTENSION} is missing: in a session nothing is held but by the config"),
                Some(mend),
            );
        }
        if !is_whole {
            return self.bad("extension", format!("{EXTENSION} is not whole"), Some(mend));
        }
        match version_of(&folder.join("package.json")) {
            Some(version) if version == VERSION => {}
            other => {
                let other = other.unwrap_or_else(|| "of an unknown version".into());
                return self.bad("extension", format!("{EXTENSION} is {other}, this garnish is {VERSION}"), Some(mend));
            }
        }
        match Inventory::read(dir) {
            Ok(Some(seen)) if seen.garnish == VERSION => {
                self.good("extension", format!("{VERSION}, last loaded by {}", seen.harness))
            }
            Ok(Some(seen)) => self.odd(
                "extension",
                format!("installed is {VERSION}, the last session had {}", seen.garnish),
                Some(format!("start {} once", profile.harness)),
            ),
            _ => self.odd(
                "extension",
                format!("{VERSION}, and no session has loaded it yet"),
                Some(format!("garnish launch --agent-dir {:?}", dir.path())),
            ),
        }
    }

    fn log(&mut self, dir: &mut AgentDir, garnish: &mut Garnish, setup: &Setup, init: &str) {
        let graph = match dir.read(&setup.graph_path) {
            Ok(Some(content)) => content.bytes,
            Ok(None) => {
                return self.bad(
                    "graph",
                    format!("{} is missing, so nothing can be earned", setup.graph_path),
                    Some(init.to_owned()),
                );
            }
            Err(failure) => return self.bad("graph", failure.message, None),
        };
        let log = match super::read_log(dir) {
            Ok(log) => log,
            Err(ended) => return self.bad("log", ended.message().to_owned(), None),
        };
        let folded = match garnish.fold_events(&log, &graph) {
            Ok(folded) => folded,
            Err(error) => return self.bad("graph", error.in_file(&setup.graph_path).to_string(), None),
        };
        for fault in folded.diagnostics.iter().take(10) {
            let mend = fault
                .line
                .map(|line| format!("delete line {line} of garnish/events.jsonl; no other line depends on it"));
            self.odd("log", fault.message.clone(), mend);
        }
        if folded.diagnostics.len() > 10 {
            self.odd(
                "log",
                format!("{} more lines are skipped", folded.diagnostics.len() - 10),
                Some("garnish log".into()),
            );
        }
        if folded.unknown_events > 0 {
            self.odd(
                "log",
                format!("{} events were written by a newer garnish and are ignored here", folded.unknown_events),
                Some("install that garnish here".into()),
            );
        }
        if folded.diagnostics.is_empty() {
            let lines = log.iter().filter(|byte| **byte == b'\n').count();
            self.good("log", format!("{lines} events, {} XP", folded.progress.xp_total));
        }
    }

    fn files(&mut self, dir: &mut AgentDir, garnish: &mut Garnish, setup: &Setup, profile: &ProfileDescription) {
        let read = existing(dir, profile.files.clone());
        let displaced = dir.read(DISPLACED);
        let (files, displaced) = match (read, displaced) {
            (Ok(files), Ok(displaced)) => (files, displaced.map(|content| content.bytes)),
            (Err(failure), _) | (_, Err(failure)) => return self.bad("files", failure.message, None),
        };
        let files: Vec<File> = files.into_iter().map(|(file, _)| file).collect();
        let Ok(Some(graph)) = dir.read(&setup.graph_path) else { return };
        let Ok(folded) = super::fold(garnish, dir, setup, &graph.bytes) else { return };
        let merged = garnish.merge_gate_config(
            &files,
            &folded.progress.unlocked,
            &setup.catalog,
            &setup.profile,
            displaced.as_deref(),
        );
        let drift: Vec<String> = match merged {
            Ok(merged) => merged.changed.into_iter().map(|file| file.path).collect(),
            Err(error) => {
                return self.bad(
                    "files",
                    error.to_string(),
                    Some("mend the file by hand; garnish leaves it as it is".into()),
                );
            }
        };
        let held = garnish.held_capabilities().unwrap_or_default();
        let on_disk =
            dir.read(HELD).ok().flatten().and_then(|content| serde_json::from_slice::<Value>(&content.bytes).ok());
        let on_disk: Option<Vec<String>> =
            on_disk.and_then(|value| serde_json::from_value(value.get("capabilities")?.clone()).ok());
        let fix = Some("garnish doctor --fix".to_owned());
        if !drift.is_empty() {
            self.add("files", Health::Bad, format!("not as the log says: {}", drift.join(", ")), fix.clone(), true);
        }
        if on_disk.as_ref() != Some(&held) {
            self.add("files", Health::Bad, format!("not as the log says: {HELD}"), fix, true);
        }
        if drift.is_empty() && on_disk.as_ref() == Some(&held) {
            self.good(
                "files",
                format!(
                    "{} say what the log says; {} surfaces are held",
                    files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join(", "),
                    held.len()
                ),
            );
        }
    }
}

/// The version in a `package.json`.
fn version_of(path: &Path) -> Option<String> {
    let package: Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    Some(package.get("version")?.as_str()?.to_owned())
}
