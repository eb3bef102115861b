//! What the rules need from the world, as a trait: the imports of `wit/`, and nothing else.
//!
//! The component implements it by its imports, tests by a table in memory. Nothing below [`crate::apply`] sees it.

use alloc::{string::String, vec::Vec};

use crate::{
    capability::Capability,
    diagnostic::{Diagnostic, Error, FailureReason},
};

/// The stable codes of the imports, for failures.
pub mod import {
    /// `files.read`
    pub const FILES_READ: &str = "garnish::host::files.read";
    /// `files.write`
    pub const FILES_WRITE: &str = "garnish::host::files.write";
    /// `files.resolve`
    pub const FILES_RESOLVE: &str = "garnish::host::files.resolve";
    /// `event-log.stat`
    pub const LOG_STAT: &str = "garnish::host::event-log.stat";
    /// `event-log.read`
    pub const LOG_READ: &str = "garnish::host::event-log.read";
    /// `event-log.append`
    pub const LOG_APPEND: &str = "garnish::host::event-log.append";
}

/// How an import says that it could not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which kind.
    pub reason: FailureReason,
    /// For a person.
    pub message: String,
}

impl Failure {
    /// As the error of the call that needed the import.
    pub fn during(self, import: &'static str, path: &str) -> Error {
        Error::Host(self.reason, Diagnostic::error(import, self.message).in_file(path))
    }
}

/// How far a capability has come in this session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activation {
    /// In force now.
    Live,
    /// In force from the next request on.
    NextTurn,
    /// The host reports the end of it later.
    Queued,
    /// A new process of the harness will have it.
    Restart,
    /// The harness does not have it now.
    Pending(String),
    /// It did not work.
    Failed(String),
}

/// On whose behalf an instance runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The learner's session or command.
    Main,
    /// An agent's own session.
    Subagent,
}

/// How a notice is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Good news.
    Info,
    /// Look at this.
    Warning,
    /// Something did not work.
    Error,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// All of it.
    pub bytes: Vec<u8>,
    /// Differs whenever the bytes do.
    pub version: u64,
}

/// Where a path leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Inside the agent dir, relative to it.
    Inside(String),
    /// A folder that the agent dir lies in.
    Above,
    /// Garnish's own code.
    Component,
    /// Anywhere else.
    Outside,
}

/// Where a path leads, and whether something is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    /// Where.
    pub place: Place,
    /// Whether something is there.
    pub exists: bool,
}

/// The log without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LogStat {
    /// In bytes.
    pub length: u64,
    /// Another number for another file.
    pub identity: u64,
}

/// The imports. See `wit/` for what each promises.
pub trait Host {
    /// `session.get-role`
    fn role(&mut self) -> Role;
    /// `session.get-active-tools`
    fn active_tools(&mut self) -> Result<Vec<String>, Failure>;
    /// `session.get-all-tools`
    fn all_tools(&mut self) -> Result<Vec<String>, Failure>;
    /// `session.set-active-tools`
    fn set_active_tools(&mut self, names: &[String]) -> Result<Activation, Failure>;
    /// `session.reload`
    fn reload(&mut self, capabilities: &[Capability]) -> Result<Vec<Activation>, Failure>;
    /// `session.notify`
    fn notify(&mut self, level: NoticeLevel, text: &str);
    /// `files.read`
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure>;
    /// `files.write`
    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure>;
    /// `files.resolve`
    fn resolve(&mut self, path: &str, cwd: &str) -> Result<Resolution, Failure>;
    /// `event-log.stat`
    fn log_stat(&mut self) -> Result<LogStat, Failure>;
    /// `event-log.read`
    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure>;
    /// `event-log.append`
    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure>;
    /// `clock.now`
    fn now(&mut self) -> String;
}
