//! The commands, one file each. A command opens an instance, asks it, and says what it answered; it has no rule of its
//! own.

pub(crate) mod catalog;
pub(crate) mod check;
pub(crate) mod complete;
mod diff;
pub(crate) mod doctor;
pub(crate) mod eject;
pub(crate) mod explain;
pub(crate) mod graph;
mod graph_text;
pub(crate) mod hint;
pub(crate) mod init;
mod init_files;
pub(crate) mod launch;
pub(crate) mod log;
pub(crate) mod render;
pub(crate) mod replay;
pub(crate) mod shell;
pub(crate) mod status;
pub(crate) mod unlock;

use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::AgentDir;
use crate::bindings::{Failure, File, Folded, Outcome, UnlockSet};
use crate::component::Component;
use crate::dry_run::{DryRun, Nowhere, Would};
use crate::effects::Effects;
use crate::instance::Garnish;
use crate::output::{self, Answer, Ended, Exit};
use crate::session::NoSession;
use crate::setup::Setup;

/// What every command is given.
#[derive(Clone)]
pub(crate) struct Context {
    pub agent_dir: PathBuf,
    pub component: Option<PathBuf>,
    /// Where writes go instead of to the disk.
    pub would: Option<Arc<Mutex<Would>>>,
}

impl Context {
    fn dir(&self) -> Result<AgentDir, Ended> {
        let code = std::env::current_exe().ok().into_iter().chain(self.component.clone());
        Ok(AgentDir::open(&self.agent_dir)?.with_code(code))
    }

    /// A new instance on the agent dir. Its notices are dropped: a command says what the report says.
    fn garnish(&self) -> Result<Garnish, Ended> {
        self.garnish_on(self.effects()?)
    }

    /// One without an agent dir: for the exports that call no import.
    fn bare(&self) -> Result<Garnish, Ended> {
        self.garnish_on(Nowhere)
    }

    fn garnish_on(&self, effects: impl Effects + 'static) -> Result<Garnish, Ended> {
        let session = NoSession::new(|_, _| {});
        Ok(match &self.component {
            None => Garnish::new(Component::embedded().map_err(Ended::from)?, effects, session)?,
            Some(file) => {
                let component = Component::from_file(file).map_err(|error| Ended::from(&error))?;
                Garnish::new(&component, effects, session)?
            }
        })
    }

    /// The agent dir's own effects, or in a dry run those that write nothing.
    fn effects(&self) -> Result<Box<dyn Effects>, Ended> {
        Ok(match &self.would {
            None => Box::new(self.dir()?),
            // What does not exist yet is empty.
            Some(would) if !self.agent_dir.exists() => Box::new(DryRun::new(Nowhere, Arc::clone(would))),
            Some(would) => Box::new(DryRun::new(self.dir()?, Arc::clone(would))),
        })
    }

    /// The answer of a dry run: what the command says, and then what it would have written.
    pub(crate) fn dry(&self, mut answer: Answer) -> Result<Answer, Ended> {
        let Some(would) = &self.would else { return Ok(answer) };
        let would = would.lock().unwrap_or_else(PoisonError::into_inner);
        let mut dir = self.dir().ok();
        let mut diffs = Vec::new();
        answer.text.push_str("\nNothing was written: this was a dry run. It would have\n");
        for line in String::from_utf8_lossy(&would.appended).lines().filter(|line| !line.is_empty()) {
            answer.text.push_str(&format!("appended to garnish/events.jsonl: {line}\n"));
        }
        for (path, bytes) in &would.files {
            let before = dir.as_mut().map(|dir| dir.read(path)).transpose()?.flatten().map(|content| content.bytes);
            let difference = diff::Difference::new(path, before.as_deref(), bytes);
            // What only garnish reads is named, not shown.
            let is_own = path.starts_with("garnish/");
            answer.text.push_str(&if is_own { format!("written {path}\n") } else { difference.coloured() });
            diffs.push(difference.json());
        }
        if would.files.is_empty() && would.appended.is_empty() {
            answer.text.push_str("written nothing.\n");
        }
        answer.json["dry_run"] = json!(true);
        answer.json["would_write"] = diffs.into();
        answer.json["would_append"] = json!(String::from_utf8_lossy(&would.appended));
        Ok(answer)
    }

    /// As [`Self::garnish`], where there is a graph to fold by.
    fn garnish_with_graph(&self) -> Result<(Garnish, Setup, Vec<u8>), Ended> {
        let mut dir = self.dir()?;
        let setup = Setup::read(&mut dir)?;
        let Some(graph) = dir.read(&setup.graph_path)? else {
            let message = format!(
                "{} is not set up for garnish: {} is missing. Put the graph of your curriculum there (in a checkout \
                 of garnish, `host-test graph` prints the bundled one), or name another folder with --agent-dir DIR.",
                dir.path().display(),
                setup.graph_path,
            );
            return Err(Ended::new(Exit::Environment, "garnish::cli::no-graph", message));
        };
        Ok((self.garnish()?, setup, graph.bytes))
    }
}

/// The whole log.
fn read_log(dir: &mut AgentDir) -> Result<Vec<u8>, Ended> {
    let mut log = Vec::new();
    loop {
        let chunk = dir.log_read(log.len() as u64, 1 << 20)?;
        if chunk.is_empty() {
            return Ok(log);
        }
        log.extend(chunk);
    }
}

/// The log folded, with the unlocks that complete levels give and that nobody has recorded yet.
fn fold(garnish: &mut Garnish, dir: &mut AgentDir, setup: &Setup, graph: &[u8]) -> Result<Folded, Ended> {
    let mut log = read_log(dir)?;
    let folded = garnish.fold_events(&log, graph).map_err(|error| error.in_file(&setup.graph_path))?;
    if folded.derived.is_empty() {
        return Ok(folded);
    }
    if log.last().is_some_and(|last| *last != b'\n') {
        log.push(b'\n');
    }
    log.extend_from_slice(&folded.derived);
    Ok(garnish.fold_events(&log, graph)?)
}

/// The record of the learner's values that garnish holds back, as `wit/gating.wit` names it.
const DISPLACED: &str = "garnish/displaced.json";

/// A file of the agent dir, with the version that was read.
type Versioned = (File, u64);

/// Those of some files that are there.
fn existing(dir: &mut AgentDir, paths: Vec<String>) -> Result<Vec<Versioned>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if let Some(content) = dir.read(&path)? {
            files.push((File { path, bytes: content.bytes }, content.version));
        }
    }
    Ok(files)
}

/// Says something at once, in a command that goes on; ends it when nobody reads any more.
fn say_now(text: &str, json: &Value, as_json: bool) -> Result<(), Ended> {
    let mut out = anstream::stdout();
    let said = if as_json { writeln!(out, "{json}") } else { write!(out, "{text}") };
    let gone = |_| Ended::new(Exit::Done, "garnish::cli::closed", "Nobody reads this any more.");
    said.and_then(|()| out.flush()).map_err(gone)
}

/// The known name that is most like this one, if any is much like it.
fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let likeness = |other: &str| strsim::jaro_winkler(&name.to_lowercase(), &other.to_lowercase());
    let best = known.into_iter().map(|other| (likeness(other), other)).max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness > 0.8).map(|(_, other)| other)
}

fn nothing_unlocked() -> UnlockSet {
    UnlockSet { features: Vec::new(), levels: Vec::new() }
}

/// What `unlock` and `complete` say.
fn outcome(outcome: Outcome) -> Answer {
    let Outcome { exit_code, message, report } = outcome;
    let mut text = format!("{message}\n");
    let mut json = json!({ "message": message, "recorded": report.is_some() });
    let mut exit = if exit_code == 0 { Exit::Done } else { Exit::NotSo };
    if let Some(report) = report {
        text.push_str(&output::report(&report));
        exit = exit.max(output::exit_of_report(&report));
        json["report"] = output::report_json(&report);
    }
    json["exit"] = json!(exit as u8);
    Answer { text, json, exit }
}
