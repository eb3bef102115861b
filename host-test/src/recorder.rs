//! A harness's session and the real effects on a folder, both writing down what they are asked for; and able to fail
//! one call, to die there, or to let another process work meanwhile.
//!
//! It decides nothing: a scenario says how the harness behaves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use garnish_host::{
    Activation, AgentDir, Content, Effects, Failure, FailureReason, LogStat, NoticeLevel, Resolution, Role, Session,
};
use serde::Deserialize;

/// How the harness of a scenario behaves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Harness {
    /// Every tool that it could offer.
    pub tools: Vec<String>,
    /// Those offered now; as `tools` when empty.
    pub active: Vec<String>,
    /// On whose behalf the instance runs: `main` or `subagent`.
    pub role: String,
    /// What a reload answers for each capability: `live`, `next-turn`, `queued`, `restart`, or `failed: why`.
    pub reload: String,
    /// The same by capability, where one differs.
    pub reload_of: BTreeMap<String, String>,
    /// What setting tools answers.
    pub set_tools: String,
    /// Whether there is a session at all.
    pub session: bool,
}

impl Default for Harness {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            active: Vec::new(),
            role: "main".into(),
            reload: "live".into(),
            reload_of: BTreeMap::new(),
            set_tools: "live".into(),
            session: true,
        }
    }
}

/// An activation as a scenario spells it.
pub fn activation(text: &str) -> Activation {
    match text.split_once(": ") {
        Some(("failed", reason)) => Activation::Failed(reason.into()),
        Some(("pending", reason)) => Activation::Pending(reason.into()),
        _ => match text {
            "live" => Activation::Live,
            "next-turn" => Activation::NextTurn,
            "queued" => Activation::Queued,
            "restart" => Activation::Restart,
            other => Activation::Failed(format!("{other:?} is no activation")),
        },
    }
}

/// A reason as `wit/types.wit` spells it.
pub fn reason_word(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::NotFound => "not-found",
        FailureReason::Denied => "denied",
        FailureReason::ReadOnly => "read-only",
        FailureReason::NoSpace => "no-space",
        FailureReason::Conflict => "conflict",
        FailureReason::TooLarge => "too-large",
        FailureReason::NoSession => "no-session",
        FailureReason::Other => "other",
    }
}

/// The reason of that spelling.
pub fn reason_named(word: &str) -> FailureReason {
    use FailureReason::{Conflict, Denied, NoSession, NoSpace, NotFound, Other, ReadOnly, TooLarge};
    [NotFound, Denied, ReadOnly, NoSpace, Conflict, TooLarge, NoSession]
        .into_iter()
        .find(|reason| reason_word(*reason) == word)
        .unwrap_or(Other)
}

/// One call that is to fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The next call of an import, by its name (`files.write`, or `files.write config.yml`).
    Next(String, FailureReason),
    /// The call of that number, counted from 1 over all imports that can fail.
    Nth(usize),
    /// The process dies in the call of that number, before the effect took place.
    DiesBefore(usize),
    /// The process dies there, and the effect has taken place.
    DiesAfter(usize),
}

/// Something that happens at the moment of a call, before it has its effect.
pub struct Meanwhile {
    /// The number of that call.
    pub call: usize,
    /// What happens. It may not touch the record of the call.
    pub act: Box<dyn FnOnce() + Send>,
}

impl fmt::Debug for Meanwhile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meanwhile").field("call", &self.call).finish_non_exhaustive()
    }
}

/// What both halves write down.
#[derive(Debug, Default)]
pub struct Record {
    /// Calls with an effect, in order, one line each.
    pub lines: Vec<String>,
    /// How often each import was called, effects or not.
    pub counts: BTreeMap<&'static str, usize>,
    /// Calls that can fail, over the life of the record.
    pub calls: usize,
    /// Calls that are to fail.
    pub faults: Vec<Fault>,
    /// Faults that came to pass.
    pub failed: Vec<String>,
    /// Tools offered now.
    pub active: BTreeSet<String>,
    /// Notices given over the life of the record.
    pub notices: Vec<String>,
    /// The process is dead: what is left of it has no effect any more. A new one, with effects of its own, lives again.
    dead: bool,
    /// What another process does meanwhile.
    pub meanwhile: Option<Meanwhile>,
    ticks: u32,
}

/// A record that a session and its effects share.
pub type Shared = Arc<Mutex<Record>>;

/// The record, whatever happened to whoever held it before.
pub fn locked(record: &Shared) -> MutexGuard<'_, Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Record {
    /// Counts a call and says whether it is to fail.
    fn call(&mut self, import: &'static str, detail: &str) -> Result<(), Failure> {
        if self.dead {
            return Err(died());
        }
        *self.counts.entry(import).or_default() += 1;
        self.calls += 1;
        if let Some(meanwhile) = self.meanwhile.take_if(|meanwhile| meanwhile.call == self.calls) {
            (meanwhile.act)();
        }
        let named = format!("{import} {detail}");
        let fault = self.faults.iter().position(|fault| match fault {
            Fault::Next(name, _) => *name == import || *name == named,
            Fault::Nth(number) | Fault::DiesBefore(number) => *number == self.calls,
            // What there is to do is done first: see `effect`.
            Fault::DiesAfter(_) => false,
        });
        let Some(index) = fault else { return Ok(()) };
        let reason = match self.faults.remove(index) {
            Fault::Next(_, reason) => reason,
            Fault::DiesBefore(_) => {
                self.dead = true;
                self.failed.push(format!("{} before", named.trim_end()));
                return Err(died());
            }
            Fault::Nth(_) | Fault::DiesAfter(_) => FailureReason::Other,
        };
        self.failed.push(named.trim_end().to_owned());
        let reason_word = reason_word(reason);
        self.lines.push(format!("{} fails: {reason_word}", named.trim_end()));
        Err(Failure { reason, message: format!("{} was made to fail ({reason_word}).", named.trim_end()) })
    }

    /// The call is over, and nobody may be left to hear of it.
    fn done(&mut self) -> Result<(), Failure> {
        let calls = self.calls;
        let Some(index) = self.faults.iter().position(|fault| *fault == Fault::DiesAfter(calls)) else { return Ok(()) };
        self.faults.remove(index);
        self.dead = true;
        self.failed.push(format!("call {calls} after"));
        Err(died())
    }

    fn line(&mut self, line: String) {
        self.lines.push(line);
    }
}

fn died() -> Failure {
    Failure { reason: FailureReason::Other, message: "This process is dead.".into() }
}

/// The real effects on a folder, recorded.
pub struct RecordedEffects {
    dir: AgentDir,
    record: Shared,
}

impl RecordedEffects {
    /// Records into `record` what `dir` is asked for.
    pub fn new(dir: AgentDir, record: Shared) -> Self {
        locked(&record).dead = false;
        Self { dir, record }
    }
}

impl Effects for RecordedEffects {
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure> {
        locked(&self.record).call("files.read", path)?;
        let answer = self.dir.read(path)?;
        locked(&self.record).done()?;
        Ok(answer)
    }

    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure> {
        locked(&self.record).call("files.write", path)?;
        let version = self.dir.write(path, expected, bytes)?;
        let mut record = locked(&self.record);
        record.line(format!("write {path}"));
        record.done()?;
        Ok(version)
    }

    fn resolve(&mut self, path: &str, cwd: &str) -> Result<Resolution, Failure> {
        locked(&self.record).call("files.resolve", path)?;
        let answer = self.dir.resolve(path, cwd)?;
        locked(&self.record).done()?;
        Ok(answer)
    }

    fn log_stat(&mut self) -> Result<LogStat, Failure> {
        locked(&self.record).call("event-log.stat", "")?;
        let answer = self.dir.log_stat()?;
        locked(&self.record).done()?;
        Ok(answer)
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
        locked(&self.record).call("event-log.read", "")?;
        let answer = self.dir.log_read(offset, limit)?;
        locked(&self.record).done()?;
        Ok(answer)
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure> {
        locked(&self.record).call("event-log.append", "")?;
        let length = self.dir.log_append(lines)?;
        let text = String::from_utf8_lossy(lines);
        let mut record = locked(&self.record);
        text.lines().for_each(|line| record.line(format!("append {line}")));
        record.done()?;
        Ok(length)
    }

    fn now(&mut self) -> String {
        let mut record = locked(&self.record);
        record.ticks += 1;
        format!("2026-07-02T12:{:02}:{:02}Z", record.ticks / 60, record.ticks % 60)
    }
}

/// A harness's session, recorded.
pub struct RecordedSession {
    harness: Harness,
    record: Shared,
}

impl RecordedSession {
    /// A session of `harness`; its active tools are those of the record.
    pub fn new(harness: Harness, record: Shared) -> Self {
        Self { harness, record }
    }

    fn called(&self, import: &'static str) -> Result<MutexGuard<'_, Record>, Failure> {
        let mut record = locked(&self.record);
        record.call(import, "")?;
        if !self.harness.session {
            return Err(Failure {
                reason: FailureReason::NoSession,
                message: "There is no running session here.".into(),
            });
        }
        Ok(record)
    }
}

impl Session for RecordedSession {
    fn role(&mut self) -> Role {
        if self.harness.role == "subagent" { Role::Subagent } else { Role::Main }
    }

    fn active_tools(&mut self) -> Result<Vec<String>, Failure> {
        let mut record = self.called("session.get-active-tools")?;
        record.done()?;
        Ok(record.active.iter().cloned().collect())
    }

    fn all_tools(&mut self) -> Result<Vec<String>, Failure> {
        self.called("session.get-all-tools")?.done()?;
        Ok(self.harness.tools.clone())
    }

    fn set_active_tools(&mut self, names: Vec<String>) -> Result<Activation, Failure> {
        let mut record = self.called("session.set-active-tools")?;
        record.line(format!("set-active-tools {}", names.join(" ")));
        let answer = activation(&self.harness.set_tools);
        if answer == Activation::Live {
            record.active = names.into_iter().collect();
        }
        record.done()?;
        Ok(answer)
    }

    fn reload(&mut self, capabilities: Vec<String>) -> Result<Vec<Activation>, Failure> {
        let mut record = self.called("session.reload")?;
        record.line(format!("reload {}", capabilities.join(" ")));
        record.done()?;
        let answer =
            |capability: &String| activation(self.harness.reload_of.get(capability).unwrap_or(&self.harness.reload));
        Ok(capabilities.iter().map(answer).collect())
    }

    fn notify(&mut self, level: NoticeLevel, text: String) {
        let mut record = locked(&self.record);
        if record.dead {
            return;
        }
        let level = format!("{level:?}").to_lowercase();
        let level = level.rsplit("::").next().unwrap_or(&level);
        record.notices.push(text.clone());
        text.lines().for_each(|line| record.lines.push(format!("notify {level}: {line}")));
    }
}
