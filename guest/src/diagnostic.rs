//! What went wrong, where, and the way out: the one form in which every module reports a fault.
//!
//! It words nothing itself; the module that finds a fault knows best what to do about it.

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::{list::IntoList, words::joined};
use core::ops::{Deref, DerefMut};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something that was asked is not done.
    Error,
    /// Done, or ignored; somebody should look.
    Warning,
    /// Good to know.
    Note,
}

/// One fault, with the place it is about. Ordered by that place, then by code.
///
/// Its details are kept elsewhere: a result is small where there is no fault.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic(Box<Details>);

/// What a [`Diagnostic`] tells.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Details {
    /// Relative to the agent dir.
    pub file: Option<String>,
    /// Counted from 1.
    pub line: Option<u32>,
    /// Counted from 1, in characters.
    pub column: Option<u32>,
    /// The place inside the document.
    pub path: Option<String>,
    /// Stable; never reused for another meaning.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Plain sentences for a person, ending in the way out.
    pub message: String,
}

impl Deref for Diagnostic {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut Details {
        &mut self.0
    }
}

impl Diagnostic {
    fn new(code: &'static str, severity: Severity, message: String) -> Self {
        Self(Box::new(Details { code, severity, message, file: None, line: None, column: None, path: None }))
    }

    /// An error that is about no place yet.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message.into())
    }

    /// The same, as a warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message.into())
    }

    /// The same, as a note.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message.into())
    }

    /// What it tells.
    pub fn details(self) -> Details {
        *self.0
    }

    /// About this file.
    pub fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.into());
        self
    }

    /// About this line and column, counted from 1.
    pub fn at(mut self, place: Option<(u32, u32)>) -> Self {
        self.line = place.map(|(line, _)| line);
        self.column = place.map(|(_, column)| column);
        self
    }

    /// About this place inside the document.
    pub fn on(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

/// Sorted by file, place and code, without doubles: the order in which lists of faults are answered.
pub fn sorted(mut faults: Vec<Diagnostic>) -> Vec<Diagnostic> {
    crate::order::sort(&mut faults);
    faults.dedup();
    faults
}

/// Why a call could not be answered. The same cases as `error` in `wit/types.wit`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Catalog, profile, graph or setup cannot be used; all faults, sorted.
    #[error("{}", joined(&.0.iter().map(|fault| fault.message.as_str()).list(), " "))]
    Invalid(Vec<Diagnostic>),
    /// A file of the learner cannot be edited safely; it is as it was.
    #[error("{}", .0.message)]
    Refused(Diagnostic),
    /// An import answered with a failure.
    #[error("{}", .1.message)]
    Host(FailureReason, Diagnostic),
    /// An argument breaks its grammar or a limit.
    #[error("{}", .0.message)]
    Argument(Diagnostic),
}

impl Error {
    /// What it tells, whatever kind it is.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        match self {
            Error::Invalid(faults) => faults,
            Error::Refused(fault) | Error::Host(_, fault) | Error::Argument(fault) => alloc::vec![fault],
        }
    }
}

/// The same cases as `failure-reason` in `wit/types.wit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureReason {
    /// A folder on the way does not exist.
    NotFound,
    /// Forbidden by the system or by the host's confinement.
    Denied,
    /// The place cannot be written at all.
    ReadOnly,
    /// The disk is full.
    NoSpace,
    /// The file changed since it was read.
    Conflict,
    /// Over the host's limit.
    TooLarge,
    /// No running session.
    NoSession,
    /// Anything else.
    Other,
}
