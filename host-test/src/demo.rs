//! The main job, shown: a throwaway agent dir with a learner's own config and the bundled curriculum, through
//! `garnish.wasm` in wasmtime. Each step says in a line what happened, shows what changed, and stops the demo if it is
//! not so.
//!
//! The session is a recording one; a real harness comes with the extension.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use garnish_host::{AgentDir, Outcome, Tool, Trigger, curriculum::Pack};
use serde_json::Value;

use crate::driver::{self, Driver};
use crate::recorder::{Harness, RecordedEffects, RecordedSession, Shared, locked};

/// What the harness of the demo could offer.
const TOOLS: [&str; 9] = ["bash", "edit", "glob", "grep", "read", "task", "todo", "web_search", "write"];

/// A config that a learner brings along.
const CONFIG: &str = "# my omp settings\ntheme: dark   # easier on the eyes\nbash:\n  timeout: 30\nproviders:\n  office:\n    apiKeyRef: ${OFFICE_KEY}\n";

/// Runs the demo.
///
/// # Errors
/// A step did not end as it should, or could not be written; in a sentence.
pub fn run(out: &mut impl Write) -> Result<(), String> {
    let temp = tempfile::tempdir().map_err(|error| error.to_string())?;
    let pack = Pack::bundled().map_err(|faults| faults.to_string())?;
    let mut demo = Demo { out, agent: temp.path(), record: Shared::default(), driver: None };
    demo.provision(&pack)?;
    demo.locked_start()?;
    demo.earn_live(&pack)?;
    demo.earn_baked(&pack)?;
    demo.second_session()?;
    demo.play_to_the_end(&pack)?;
    demo.line(&format!(
        "\nThe main job works: {} levels earned, nothing of the learner's lost. Next: make test",
        pack.levels.len()
    ))
}

struct Demo<'d, W> {
    out: &'d mut W,
    agent: &'d Path,
    record: Shared,
    driver: Option<Box<dyn Driver>>,
}

impl<W: Write> Demo<'_, W> {
    fn line(&mut self, text: &str) -> Result<(), String> {
        writeln!(self.out, "{text}").map_err(|error| error.to_string())
    }

    fn expect(&mut self, holds: bool, what: &str) -> Result<(), String> {
        if holds { Ok(()) } else { Err(format!("expected that {what}")) }
    }

    fn driver(&mut self) -> Result<&mut Box<dyn Driver>, String> {
        self.driver.as_mut().ok_or_else(|| "no session".into())
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.agent.join(name)).unwrap_or_default()
    }

    fn count(&self, import: &str) -> usize {
        locked(&self.record).counts.get(import).copied().unwrap_or_default()
    }

    fn notices(&self) -> usize {
        locked(&self.record).notices.len()
    }

    fn provision(&mut self, pack: &Pack) -> Result<(), String> {
        let garnish = self.agent.join("garnish");
        let write =
            |path: &Path, text: &str| fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()));
        fs::create_dir_all(&garnish).map_err(|error| error.to_string())?;
        write(&garnish.join("graph.json"), &pack.graph_json())?;
        write(&self.agent.join("config.yml"), CONFIG)?;
        self.line(&format!("0. A throwaway agent dir with a config of the learner's own, and the curriculum {:?}: {} levels, {} quests.", pack.title, pack.levels.len(), pack.quests.len()))
    }

    /// A new instance of the component, as a harness makes one when it loads its files.
    fn start(&mut self) -> Result<(), String> {
        self.record = Arc::default();
        let dir = AgentDir::open(self.agent).map_err(|error| error.to_string())?;
        let harness = Harness { tools: TOOLS.map(ToOwned::to_owned).to_vec(), ..Harness::default() };
        let effects = RecordedEffects::new(dir, Arc::clone(&self.record));
        let session = RecordedSession::new(harness, Arc::clone(&self.record));
        let mut driver =
            driver::wasm(Box::new(effects), Box::new(session)).map_err(|refused| format!("{refused:?}"))?;
        let tools = TOOLS.map(|name| Tool { name: name.into(), server: None }).to_vec();
        let shown = driver.hold_tools(tools).map_err(|refused| format!("{refused:?}"))?;
        locked(&self.record).active = shown.into_iter().collect();
        self.driver = Some(driver);
        Ok(())
    }

    fn offered(&self) -> String {
        let active: Vec<String> = locked(&self.record).active.iter().cloned().collect();
        active.join(", ")
    }

    fn locked_start(&mut self) -> Result<(), String> {
        self.start()?;
        let before = self.read("config.yml");
        self.driver()?.apply(Trigger::SessionStart).map_err(|refused| format!("{refused:?}"))?;
        let offered = self.offered();
        self.line(&format!("\n1. Locked start. The model is offered: {offered}. Held on disk, too:"))?;
        self.diff("config.yml", &before)?;
        self.expect(offered == "todo, web_search", "only tools that no catalog names are offered")?;
        let kept = CONFIG.lines().all(|line| self.read("config.yml").contains(line));
        self.expect(kept, "every line of the learner's config is still there")
    }

    /// Completes the required quests of a level, each told in a line.
    fn complete_level(&mut self, pack: &Pack, level: &str) -> Result<Outcome, String> {
        let quests: Vec<String> = pack
            .quests
            .iter()
            .filter(|quest| quest.level == level && quest.required)
            .map(|quest| quest.id.clone())
            .collect();
        let mut last = None;
        for quest in quests {
            let outcome = self.driver()?.complete(&quest).map_err(|refused| format!("{refused:?}"))?;
            self.line(&format!("   {}", outcome.message))?;
            last = Some(outcome);
        }
        last.ok_or_else(|| format!("{level} has no quest"))
    }

    fn told(&mut self, since: usize) -> Result<(), String> {
        let notices: Vec<String> = locked(&self.record).notices.iter().skip(since).cloned().collect();
        notices.iter().try_for_each(|notice| self.line(&format!("   > {notice}")))
    }

    fn earn_live(&mut self, pack: &Pack) -> Result<(), String> {
        self.line("\n2. Quests of the first level, and the tools come alive in the running session:")?;
        let (before, told, reloads) = (self.read("config.yml"), self.notices(), self.count("session.reload"));
        self.complete_level(pack, "onboarding")?;
        self.told(told)?;
        let offered = self.offered();
        self.line(&format!(
            "   The model is now offered: {offered}. Reloads: {}.",
            self.count("session.reload") - reloads
        ))?;
        self.diff("config.yml", &before)?;
        self.expect(offered == "edit, glob, grep, read, todo, web_search, write", "the file tools joined the others")?;
        self.expect(self.count("session.reload") == reloads, "tools need no reload")
    }

    fn earn_baked(&mut self, pack: &Pack) -> Result<(), String> {
        self.line("\n3. Two levels on: skills are written to the config, then reloaded:")?;
        self.complete_level(pack, "core-loop")?;
        let (before, told, reloads) = (self.read("config.yml"), self.notices(), self.count("session.reload"));
        self.complete_level(pack, "context")?;
        self.told(told)?;
        self.line(&format!("   Reloads: {}.", self.count("session.reload") - reloads))?;
        self.diff("config.yml", &before)?;
        self.expect(self.count("session.reload") == reloads + 1, "there was one reload")
    }

    fn second_session(&mut self) -> Result<(), String> {
        self.start()?;
        let (log, told) = (self.read("garnish/events.jsonl"), self.notices());
        let report = self.driver()?.apply(Trigger::SessionStart).map_err(|refused| format!("{refused:?}"))?;
        let events = self.read("garnish/events.jsonl").len() - log.len();
        let (reloads, notices) = (self.count("session.reload"), self.notices() - told);
        self.line(&format!(
            "\n4. A second session starts at a fixed point: {} writes, {reloads} reloads, {events} new events, {notices} notices. Offered: {}.",
            report.files_written.len(),
            self.offered()
        ))?;
        self.expect(report.files_written.is_empty() && reloads + events + notices == 0, "nothing is done twice")
    }

    fn play_to_the_end(&mut self, pack: &Pack) -> Result<(), String> {
        self.line("\n5. The rest of the curriculum, to stock parity:")?;
        let before = self.read("config.yml");
        for level in ["skills", "extensions-and-mcp", "delegation", "automation", "capstone"] {
            let told = self.notices();
            let outcome = self.complete_level(pack, level)?;
            self.expect(outcome.message.ends_with("is complete."), &format!("{level} is complete"))?;
            self.told(told)?;
        }
        self.diff("config.yml", &before)?;
        let status = self.driver()?.status().map_err(|refused| format!("{refused:?}"))?;
        let status: Value = serde_json::from_slice(&status).map_err(|error| error.to_string())?;
        let badges = status["badges"].as_array().map_or(0, Vec::len);
        self.line(&format!(
            "   Stock parity: {}. XP: {}. Badges: {badges}. Offered: {}.",
            status["stock_parity"],
            status["xp"],
            self.offered()
        ))?;
        self.expect(
            status["stock_parity"] == Value::Bool(true) && self.offered() == TOOLS.join(", "),
            "everything is open",
        )?;
        self.expect(!self.read("garnish/events.jsonl").contains("\"cheat\""), "nothing was cheated")
    }

    /// What changed in a file, setting by setting, without garnish's own marker.
    fn diff(&mut self, name: &str, before: &str) -> Result<(), String> {
        let (before, after) = (settings(before)?, settings(&self.read(name))?);
        let keys: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        for key in keys.into_iter().filter(|key| before.get(*key) != after.get(*key)) {
            let text = |value: Option<&String>| value.map_or("(none)", String::as_str).to_owned();
            self.line(&format!("   {name}  {key}: {} -> {}", text(before.get(key)), text(after.get(key))))?;
        }
        Ok(())
    }
}

/// Every setting of a config by its dotted key, read by another YAML implementation than the one that wrote it.
fn settings(text: &str) -> Result<BTreeMap<String, String>, String> {
    fn walk(prefix: &str, value: &Value, settings: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(map) => {
                map.iter().filter(|(key, _)| !(prefix.is_empty() && *key == "garnish")).for_each(|(key, value)| {
                    let dotted = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                    walk(&dotted, value, settings);
                })
            }
            other => drop(settings.insert(prefix.to_owned(), other.to_string())),
        }
    }
    let value: Value = yaml_serde::from_str(text).map_err(|error| error.to_string())?;
    let mut settings = BTreeMap::new();
    walk("", &value, &mut settings);
    Ok(settings)
}
