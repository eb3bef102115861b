//! The commands, one file each. A command opens an instance, asks it, and says what it answered; it has no rule of its
//! own.

pub(crate) mod complete;
mod diff;
pub(crate) mod eject;
pub(crate) mod init;
pub(crate) mod launch;
pub(crate) mod render;
pub(crate) mod status;
pub(crate) mod unlock;

use std::path::PathBuf;

use serde_json::json;

use crate::AgentDir;
use crate::bindings::{Failure, File, Folded, Outcome, UnlockSet};
use crate::component::Component;
use crate::effects::Effects;
use crate::instance::Garnish;
use crate::output::{self, Answer, Ended, Exit};
use crate::session::NoSession;
use crate::setup::Setup;

/// What every command is given.
pub(crate) struct Context {
    pub agent_dir: PathBuf,
    pub component: Option<PathBuf>,
}

impl Context {
    fn dir(&self) -> Result<AgentDir, Ended> {
        let code = std::env::current_exe().ok().into_iter().chain(self.component.clone());
        Ok(AgentDir::open(&self.agent_dir)?.with_code(code))
    }

    /// A new instance on the agent dir. Its notices are dropped: a command says what the report says.
    fn garnish(&self) -> Result<Garnish, Ended> {
        let session = NoSession::new(|_, _| {});
        let effects = self.dir()?;
        Ok(match &self.component {
            None => Garnish::new(Component::embedded().map_err(Ended::from)?, effects, session)?,
            Some(file) => {
                let component = Component::from_file(file).map_err(|error| Ended::from(&error))?;
                Garnish::new(&component, effects, session)?
            }
        })
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
