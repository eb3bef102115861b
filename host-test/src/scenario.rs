//! A scenario: a folder with an agent dir before (`agent/`) and what happens to it (`scenario.yml`); run, and written
//! down as text: each call with an effect, each answer, and what changed in each file.
//!
//! It expects nothing itself; the snapshot beside the test does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::driver::{Answer, Driver, Refused, Start};
use crate::recorder::{
    Fault, Harness, RecordedEffects, RecordedSession, Shared, activation, locked, reason_named, reason_word,
};
use crate::tree::{self, LOG, changes, copy, listed, tree};
use garnish_host::{
    Activation, AgentDir, Applied, Diagnostic, Error, ErrorKind, LayerMoment, Outcome, Report, Selector, Severity,
    Tool, ToolCall, Trigger, Verdict,
};
use serde::Deserialize;

/// What happens, in order.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What the scenario promises, in a sentence.
    pub about: String,
    /// For a case: where the fault was reported that is not to be repeated.
    #[serde(default)]
    pub source: Option<String>,
    /// The graph, by its name in `fixtures/graphs`; none: there is none, or the agent dir brings its own.
    #[serde(default)]
    pub graph: Option<String>,
    /// How the harness behaves.
    #[serde(default)]
    pub harness: Harness,
    /// What happens.
    pub steps: Vec<Step>,
}

/// One thing that happens: exactly one of these.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Step {
    apply: Option<String>,
    hold_tools: Option<Vec<String>>,
    complete: Option<String>,
    hint: Option<String>,
    unlock: Option<String>,
    settle: Option<BTreeMap<String, String>>,
    call: Option<Call>,
    /// Ask for one of `status`, `applied`, `held`, `overrides`, `overrides-running`; or list the `files`.
    show: Option<String>,
    /// A new instance on the same folder: a new process, or a reload that reads the files anew.
    restart: Option<Harness>,
    /// Another process appends these lines to the log, as they are.
    log: Option<String>,
    /// Somebody writes a file of the agent dir; empty text removes it.
    write: Option<BTreeMap<String, String>>,
    /// Somebody replaces a piece of a file: `old => new`.
    replace: Option<BTreeMap<String, String>>,
    /// Somebody puts a link in the place of a file, by its path: the text that it leads to. `{outside}/` in a path of
    /// `write` is beside the agent dir, as `../outside` is to the link.
    link: Option<BTreeMap<String, String>>,
    /// The same, as a second name for a file of the same folder.
    hard_link: Option<BTreeMap<String, String>>,
    /// Somebody sets the mode of a file: `"600"`.
    mode: Option<BTreeMap<String, String>>,
    /// The next call of an import fails, with a reason.
    fail: Option<BTreeMap<String, String>>,
    /// The same step so many times; only the first, the last and those with an error are
    /// written down.
    times: Option<usize>,
    /// Name the files that changed, without what changed in them.
    brief: bool,
}

/// A tool call of an agent. `{agent}` in a text stands for the agent dir.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    tool: String,
    #[serde(default)]
    server: Option<String>,
    #[serde(default)]
    input: yaml_serde::Value,
    #[serde(default = "project")]
    cwd: String,
}

fn project() -> String {
    "/project".into()
}

/// A scenario's folder after all of it has happened.
pub struct Ran {
    /// What happened, as text.
    pub transcript: String,
    /// The record of all calls.
    pub record: Shared,
    /// The agent dir; gone when this is dropped.
    pub folder: Agent,
}

/// An agent dir inside a folder of its own, so that there is a place beside it.
pub struct Agent {
    path: PathBuf,
    _around: tempfile::TempDir,
}

impl Agent {
    fn new() -> std::io::Result<Self> {
        let around = tempfile::tempdir()?;
        let path = around.path().canonicalize()?.join("agent");
        fs::create_dir(&path)?;
        fs::create_dir(path.with_file_name("outside"))?;
        Ok(Self { path, _around: around })
    }

    /// Its path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Scenario {
    /// Reads `scenario.yml`.
    ///
    /// # Errors
    /// It cannot be read, in a sentence with the path.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let path = folder.join("scenario.yml");
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        yaml_serde::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Runs all steps on a copy of the folder's agent dir.
    ///
    /// # Errors
    /// Something in the way of running at all, in a sentence.
    pub fn run(&self, folder: &Path, start: Start, faults: Vec<Fault>) -> Result<Ran, String> {
        let agent_dir = Agent::new().map_err(|error| error.to_string())?;
        let agent = agent_dir.path().to_owned();
        copy(&folder.join("agent"), &agent).map_err(|error| format!("{}: {error}", folder.display()))?;
        if let Some(graph) = &self.graph {
            let from = crate::fixtures().join("graphs").join(format!("{graph}.json"));
            let to = agent.join("garnish/graph.json");
            fs::create_dir_all(agent.join("garnish"))
                .and_then(|()| fs::copy(&from, to))
                .map_err(|error| format!("{}: {error}", from.display()))?;
        }
        let record: Shared = Arc::default();
        locked(&record).faults = faults;
        let mut run = Run {
            agent,
            record: Arc::clone(&record),
            start,
            driver: None,
            harness: self.harness.clone(),
            text: format!("{}\n", self.about),
        };
        run.begin(&self.harness)?;
        for step in &self.steps {
            run.repeated(step)?;
        }
        Ok(Ran { transcript: run.text, record, folder: agent_dir })
    }
}

struct Run {
    agent: PathBuf,
    record: Shared,
    start: Start,
    driver: Option<Box<dyn Driver>>,
    harness: Harness,
    text: String,
}

impl Run {
    /// A new instance; the old one is gone.
    fn begin(&mut self, harness: &Harness) -> Result<(), String> {
        self.driver = None;
        self.harness = harness.clone();
        let active = if harness.active.is_empty() { &harness.tools } else { &harness.active };
        locked(&self.record).active = active.iter().cloned().collect();
        let dir = AgentDir::open(&self.agent).map_err(|error| error.to_string())?;
        let effects = RecordedEffects::new(dir, Arc::clone(&self.record));
        let session = RecordedSession::new(harness.clone(), Arc::clone(&self.record));
        self.driver =
            Some((self.start)(Box::new(effects), Box::new(session)).map_err(|refused| format!("{refused:?}"))?);
        Ok(())
    }

    fn repeated(&mut self, step: &Step) -> Result<(), String> {
        for time in 1..=step.times.unwrap_or(1) {
            let length = self.text.len();
            self.step(step)?;
            let went_wrong = self.text.get(length..).is_some_and(|text| text.contains("error"));
            if time > 1 && step.times != Some(time) && !went_wrong {
                self.text.truncate(length);
            }
        }
        Ok(())
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        let before = tree(&self.agent).map_err(|error| error.to_string())?;
        {
            let mut record = locked(&self.record);
            record.lines.clear();
            record.counts.clear();
        }
        let (title, answer) = self.act(step)?;
        let _ = writeln!(self.text, "\n== {title}");
        let record = locked(&self.record);
        for line in record.lines.iter().chain(&answer) {
            let _ = writeln!(self.text, "{}", plain(line, &self.agent));
        }
        if !record.counts.is_empty() {
            let counts: Vec<String> = record.counts.iter().map(|(import, count)| format!("{import} {count}")).collect();
            let _ = writeln!(self.text, "calls: {}", counts.join(", "));
        }
        drop(record);
        let after = tree(&self.agent).map_err(|error| error.to_string())?;
        self.text.push_str(&changes(&before, &after, step.brief));
        Ok(())
    }

    /// Does it; answers what to call it and what came back.
    fn act(&mut self, step: &Step) -> Result<(String, Vec<String>), String> {
        let agent = self.agent.clone();
        if let Some(lines) = &step.log {
            let path = agent.join(LOG);
            let mut bytes = fs::read(&path).unwrap_or_default();
            bytes.extend(lines.as_bytes());
            fs::create_dir_all(agent.join("garnish"))
                .and_then(|()| fs::write(&path, bytes))
                .map_err(|error| error.to_string())?;
            return Ok((format!("another process appends {lines:?}"), Vec::new()));
        }
        if let Some(files) = &step.write {
            for (name, text) in files {
                let path = match name.strip_prefix("{outside}") {
                    Some(rest) => agent.with_file_name(format!("outside{rest}")),
                    None => agent.join(name),
                };
                let done = if text.is_empty() {
                    fs::remove_file(&path)
                } else {
                    fs::create_dir_all(path.parent().unwrap_or(&agent)).and_then(|()| fs::write(&path, text))
                };
                done.map_err(|error| format!("{name}: {error}"))?;
            }
            return Ok((
                format!("somebody edits {}", files.keys().cloned().collect::<Vec<_>>().join(", ")),
                Vec::new(),
            ));
        }
        if let Some(files) = &step.replace {
            for (name, change) in files {
                let (old, new) = change.split_once(" => ").ok_or("a replacement is spelled `old => new`")?;
                let text = fs::read_to_string(agent.join(name)).map_err(|error| format!("{name}: {error}"))?;
                // In a run with faults the piece may not be there; then there is nothing to replace.
                fs::write(agent.join(name), text.replacen(old, new, 1)).map_err(|error| format!("{name}: {error}"))?;
            }
            return Ok((
                format!("somebody edits {}", files.keys().cloned().collect::<Vec<_>>().join(", ")),
                Vec::new(),
            ));
        }
        for (links, hard) in [(&step.link, false), (&step.hard_link, true)] {
            if let Some(links) = links {
                for (name, target) in links {
                    tree::link(target, &agent.join(name), hard).map_err(|error| format!("{name}: {error}"))?;
                }
                let links: Vec<String> = links.iter().map(|(name, target)| format!("{name} to {target}")).collect();
                return Ok((
                    format!("somebody {}links {}", if hard { "hard-" } else { "" }, links.join(", ")),
                    Vec::new(),
                ));
            }
        }
        if let Some(modes) = &step.mode {
            for (name, mode) in modes {
                let mode = u32::from_str_radix(mode, 8).map_err(|error| format!("{name}: {error}"))?;
                tree::set_mode(&agent.join(name), mode).map_err(|error| format!("{name}: {error}"))?;
            }
            let modes: Vec<String> = modes.iter().map(|(name, mode)| format!("{mode} {name}")).collect();
            return Ok((format!("somebody sets {}", modes.join(", ")), Vec::new()));
        }
        if step.show.as_deref() == Some("files") {
            return Ok(("files".into(), listed(&agent).map_err(|error| error.to_string())?));
        }
        if let Some(faults) = &step.fail {
            for (import, reason) in faults {
                locked(&self.record).faults.push(Fault::Next(import.clone(), reason_named(reason)));
            }
            return Ok((
                format!(
                    "will fail: {}",
                    faults.iter().map(|(import, reason)| format!("{import} ({reason})")).collect::<Vec<_>>().join(", ")
                ),
                Vec::new(),
            ));
        }
        if let Some(harness) = &step.restart {
            let harness = if harness.tools.is_empty() { self.harness.clone() } else { harness.clone() };
            self.begin(&harness)?;
            return Ok(("a new instance on the same folder".into(), Vec::new()));
        }
        let driver = self.driver.as_mut().ok_or("no instance")?;
        Ok(asked(driver.as_mut(), step, &agent))
    }
}

fn asked(driver: &mut dyn Driver, step: &Step, agent: &Path) -> (String, Vec<String>) {
    if let Some(trigger) = &step.apply {
        return (
            format!("apply {trigger}"),
            told(driver.apply(trigger_named(trigger)), |report| report_lines(&report)),
        );
    }
    if let Some(tools) = &step.hold_tools {
        let tools: Vec<Tool> = tools.iter().map(|tool| tool_named(tool)).collect();
        return (
            "hold-tools".into(),
            told(driver.hold_tools(tools), |shown| vec![format!("shown: {}", shown.join(" "))]),
        );
    }
    if let Some(quest) = &step.complete {
        return (format!("complete {quest}"), told(driver.complete(quest), |outcome| outcome_lines(&outcome)));
    }
    if let Some(quest) = &step.hint {
        return (format!("hint {quest}"), told(driver.open_hint(quest), |outcome| outcome_lines(&outcome)));
    }
    if let Some(what) = &step.unlock {
        let selector = if what == "all" { Selector::All } else { Selector::Level(what.clone()) };
        return (format!("unlock {what}"), told(driver.unlock(selector), |outcome| outcome_lines(&outcome)));
    }
    if let Some(outcomes) = &step.settle {
        let outcomes = outcomes
            .iter()
            .map(|(capability, state)| Applied { capability: capability.clone(), activation: activation(state) })
            .collect();
        return ("settle".into(), told(driver.settle(outcomes), |()| Vec::new()));
    }
    if let Some(call) = &step.call {
        let input = serde_json::to_string(&call.input).unwrap_or_default().replace("{agent}", &agent.to_string_lossy());
        let cwd = call.cwd.replace("{agent}", &agent.to_string_lossy());
        let title = format!("call {} {}", call.tool, plain(&input, agent));
        let tool = Tool { name: call.tool.clone(), server: call.server.clone() };
        let call = ToolCall {
            tool,
            input: input.into_bytes(),
            cwd,
            project: Some("/project".into()),
            home: Some("/home/me".into()),
        };
        return (title, told(driver.check(call), verdict_lines));
    }
    let show = step.show.as_deref().unwrap_or_default();
    if show == "status" {
        let pretty = |bytes: Vec<u8>| {
            let value: serde_json::Value = serde_json::from_slice(&bytes).unwrap_or_default();
            serde_json::to_string_pretty(&value).unwrap_or_default().lines().map(ToOwned::to_owned).collect()
        };
        return ("status".into(), told(driver.status(), pretty));
    }
    if show == "applied" {
        let mut lines = told(driver.applied(), |applied| applied.iter().map(applied_line).collect());
        lines.extend(told(driver.reload_count(), |count| vec![format!("reloads: {count}")]));
        return ("applied".into(), lines);
    }
    if let Some(moment) = moment_named(show) {
        let lines = |settings: Vec<garnish_host::Setting>| {
            settings.iter().map(|setting| format!("{} = {}", setting.key, setting.json)).collect()
        };
        return (show.into(), told(driver.overrides(moment), lines));
    }
    ("held".into(), told(driver.held(), |held| vec![format!("held: {}", held.join(" "))]))
}

/// `name`, or `name@server`.
fn tool_named(text: &str) -> Tool {
    match text.split_once('@') {
        Some((name, server)) => Tool { name: name.into(), server: Some(server.into()) },
        None => Tool { name: text.into(), server: None },
    }
}

fn moment_named(word: &str) -> Option<LayerMoment> {
    match word {
        "overrides" => Some(LayerMoment::Building),
        "overrides-running" => Some(LayerMoment::Running),
        _ => None,
    }
}

fn trigger_named(word: &str) -> Trigger {
    match word {
        "before-request" => Trigger::BeforeRequest,
        "turn-end" => Trigger::TurnEnd,
        "agent-end" => Trigger::AgentEnd,
        "command" => Trigger::Command,
        _ => Trigger::SessionStart,
    }
}

fn told<T>(answer: Answer<T>, lines: impl FnOnce(T) -> Vec<String>) -> Vec<String> {
    match answer {
        Ok(answer) => lines(answer),
        Err(Refused::Answered(Error { kind, diagnostics })) => {
            let kind = match kind {
                ErrorKind::Invalid => "invalid".into(),
                ErrorKind::Refused => "refused".into(),
                ErrorKind::Host(reason) => format!("host ({})", reason_word(reason)),
                ErrorKind::Argument => "argument".into(),
            };
            core::iter::once(format!("error: {kind}")).chain(diagnostics.iter().map(diagnostic_line)).collect()
        }
        Err(Refused::Broken(message)) => vec![format!("BROKEN: {message}")],
    }
}

fn report_lines(report: &Report) -> Vec<String> {
    let fresh = report.fresh.iter().map(|applied| format!("fresh {}", applied_line(applied)));
    let written = (!report.files_written.is_empty()).then(|| format!("wrote: {}", report.files_written.join(" ")));
    fresh.chain(written).chain(report.diagnostics.iter().map(diagnostic_line)).collect()
}

fn outcome_lines(outcome: &Outcome) -> Vec<String> {
    let head = format!("exit {}: {}", outcome.exit_code, outcome.message);
    core::iter::once(head).chain(outcome.report.iter().flat_map(report_lines)).collect()
}

fn applied_line(applied: &Applied) -> String {
    let state = match &applied.activation {
        Activation::Live => "live".into(),
        Activation::NextTurn => "next-turn".into(),
        Activation::Queued => "queued".into(),
        Activation::Restart => "restart".into(),
        Activation::Pending(reason) => format!("pending: {reason}"),
        Activation::Failed(reason) => format!("failed: {reason}"),
    };
    format!("{} {state}", applied.capability)
}

fn diagnostic_line(found: &Diagnostic) -> String {
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let place = [
        found.file.clone(),
        found.line.map(|line| line.to_string()),
        found.column.map(|column| column.to_string()),
        found.path.clone(),
    ];
    let place: Vec<String> = place.into_iter().flatten().collect();
    format!("{severity} {} at {}: {}", found.code, place.join(":"), found.message)
}

fn verdict_lines(verdict: Verdict) -> Vec<String> {
    match verdict {
        Verdict::Allow => vec!["allow".into()],
        Verdict::Block(refusal) => vec![
            format!("block {} {}", refusal.code, refusal.feature.unwrap_or_default()),
            format!("agent: {}", refusal.for_agent),
            format!("learner: {}", refusal.for_learner),
        ],
    }
}

fn plain(text: &str, agent: &Path) -> String {
    text.replace(&*agent.to_string_lossy(), "{agent}").trim_end().to_owned()
}
