//! How a command ends: an answer or a reason, as text for people or one JSON object, and an exit code. It never
//! decides which; it only says it.

use std::io::Write;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::agent_dir::AgentDirError;
use crate::bindings::{Activation, Applied, Diagnostic, ErrorKind, Failure, FailureReason, Report, Severity};
use crate::component::ComponentError;
use crate::instance::{CallError, Told, Trapped};
use crate::setup::SetupError;

pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
pub(crate) const ODD: Style = AnsiColor::Yellow.on_default();

/// A text in a style.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Whether a person looks at what is printed: then colours and aligned columns help.
pub(crate) fn is_terminal() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Rows under their names: aligned on a terminal, one tab between cells elsewhere.
pub(crate) fn table(names: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    if !is_terminal() {
        for row in rows {
            text.push_str(&format!("{}\n", row.join("\t")));
        }
        return text;
    }
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(names.get(column).map(|name| name.len())).max().unwrap_or(0)
    };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    for (index, row) in std::iter::once(&names).chain(rows).enumerate() {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let blanks = if column + 1 < row.len() { width(column) + 2 - cell.chars().count() } else { 0 };
            line.push_str(&format!("{cell}{}", " ".repeat(blanks)));
        }
        text.push_str(&if index == 0 { format!("{}\n", styled(FAINT, line)) } else { format!("{line}\n") });
    }
    text
}

/// What the exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done, or nothing to do.
    Done = 0,
    /// What was asked is not so: no such level, a check that does not hold.
    NotSo = 1,
    /// Wrong usage.
    Usage = 2,
    /// A file of the learner was not touched.
    Refused = 3,
    /// The machine or the folder is not as it must be.
    Environment = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The answer of a command.
#[derive(Debug)]
pub(crate) struct Answer {
    /// For people; ends in a line feed, or is empty. Styles are taken out where there is no terminal.
    pub text: String,
    /// For programs: an object, which gets `version` if it has none.
    pub json: Value,
    pub exit: Exit,
}

impl Answer {
    pub(crate) fn print(self, as_json: bool) -> ExitCode {
        // A reader that has seen enough (`garnish render | head`) is no failure.
        let mut out = anstream::stdout();
        let _ = if as_json { writeln!(out, "{}", versioned(self.json)) } else { write!(out, "{}", self.text) };
        let _ = out.flush();
        self.exit.into()
    }
}

fn versioned(mut json: Value) -> Value {
    if let Some(object) = json.as_object_mut() {
        object.entry("version").or_insert(json!(1));
    }
    json
}

/// Why a command gave no answer.
#[derive(Debug)]
pub(crate) struct Ended {
    exit: Exit,
    code: String,
    message: String,
}

impl Ended {
    pub(crate) fn new(exit: Exit, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { exit, code: code.into(), message: message.into() }
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn print(self, as_json: bool) -> ExitCode {
        let Self { exit, code, message } = self;
        if as_json {
            let json = json!({ "error": { "code": code, "message": message, "exit": exit as u8 } });
            return Answer { text: String::new(), json, exit }.print(true);
        }
        let _ = writeln!(anstream::stderr(), "{}: {message}", styled(BAD, "error"));
        exit.into()
    }
}

impl From<&ComponentError> for Ended {
    fn from(error: &ComponentError) -> Self {
        Self::new(Exit::Environment, "garnish::cli::component", error.to_string())
    }
}

impl From<AgentDirError> for Ended {
    fn from(error: AgentDirError) -> Self {
        let way_out = "Start the harness once, so that it makes its folder, or name another with --agent-dir DIR.";
        Self::new(Exit::Environment, "garnish::cli::agent-dir", capital(&format!("{error}. {way_out}")))
    }
}

impl From<SetupError> for Ended {
    fn from(error: SetupError) -> Self {
        Self::new(Exit::Environment, "garnish::cli::setup", error.to_string())
    }
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::new(exit_of(failure.reason), "garnish::cli::file", failure.message)
    }
}

impl From<Trapped> for Ended {
    fn from(trapped: Trapped) -> Self {
        let way_out = "What was recorded is in the log; run the command again.";
        Self::new(Exit::Environment, "garnish::cli::trapped", capital(&format!("{trapped}. {way_out}")))
    }
}

impl From<CallError> for Ended {
    fn from(error: CallError) -> Self {
        let message = error.to_string();
        let error = match error {
            CallError::Trapped(trapped) => return trapped.into(),
            CallError::Answered(error) => error,
        };
        let exit = match error.kind {
            ErrorKind::Invalid => Exit::Environment,
            ErrorKind::Refused => Exit::Refused,
            ErrorKind::Argument => Exit::Usage,
            ErrorKind::Host(reason) => exit_of(reason),
        };
        let code = error.diagnostics.into_iter().next().map(|first| first.code);
        let code = code.unwrap_or_else(|| "garnish::cli::error".into());
        // A disk that was full in the middle of it has whole events too.
        let again = match code.as_str() {
            "garnish::host::event-log.append" => " It is not recorded, or not all of it: run the command again then.",
            _ => "",
        };
        Self::new(exit, code, format!("{message}{again}"))
    }
}

fn exit_of(reason: FailureReason) -> Exit {
    match reason {
        FailureReason::Conflict | FailureReason::TooLarge => Exit::Refused,
        _ => Exit::Environment,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// One diagnostic for people: `warning: config.yml:3:1: …`.
pub(crate) fn told(diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => styled(BAD, "error"),
        Severity::Warning => styled(ODD, "warning"),
        Severity::Note => styled(FAINT, "note"),
    };
    format!("{severity}: {}\n", Told(diagnostic))
}

/// What a report says, for people: what was written, and what is open from when on.
pub(crate) fn report(report: &Report) -> String {
    let mut text = String::new();
    if !report.files_written.is_empty() {
        text.push_str(&format!("Wrote {}.\n", report.files_written.join(", ")));
    }
    let with = |wanted: fn(&Activation) -> bool| -> Vec<&str> {
        let fresh = report.fresh.iter().filter(|applied| wanted(&applied.activation));
        fresh.map(|applied| applied.capability.as_str()).collect()
    };
    let later = with(|activation| matches!(activation, Activation::Restart | Activation::Queued));
    let now = with(|activation| matches!(activation, Activation::Live | Activation::NextTurn));
    for (when, which) in [("Open now", now), ("Open from the next start of the harness on", later)] {
        if !which.is_empty() {
            text.push_str(&format!("{}: {}.\n", styled(GOOD, when), which.join(", ")));
        }
    }
    let mut waiting: Vec<(String, &str, Vec<&str>)> = Vec::new();
    for Applied { capability, activation } in &report.fresh {
        let (word, why) = match activation {
            Activation::Failed(why) => (styled(BAD, "failed"), why),
            Activation::Pending(why) => (styled(ODD, "waiting"), why),
            _ => continue,
        };
        // One reason is said once, however many it holds up.
        match waiting.iter_mut().find(|(known, reason, _)| *known == word && reason == why) {
            Some((_, _, capabilities)) => capabilities.push(capability),
            None => waiting.push((word, why, vec![capability])),
        }
    }
    for (word, why, capabilities) in waiting {
        text.push_str(&format!("{word}: {}: {why}\n", capabilities.join(", ")));
    }
    text.extend(report.diagnostics.iter().map(told));
    text
}

/// The exit code that a report alone gives: the worst of what it says.
pub(crate) fn exit_of_report(report: &Report) -> Exit {
    let errors = report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let of_code = |diagnostic: &Diagnostic| match diagnostic.code.starts_with("garnish::host::") {
        true => Exit::Environment,
        false => Exit::Refused,
    };
    let failed = report.fresh.iter().any(|applied| matches!(applied.activation, Activation::Failed(_)));
    errors.map(of_code).chain(failed.then_some(Exit::Refused)).max().unwrap_or(Exit::Done)
}

pub(crate) fn report_json(report: &Report) -> Value {
    let fresh = |applied: &Applied| {
        let (activation, reason) = match &applied.activation {
            Activation::Live => ("live", None),
            Activation::NextTurn => ("next-turn", None),
            Activation::Queued => ("queued", None),
            Activation::Restart => ("restart", None),
            Activation::Pending(why) => ("pending", Some(why)),
            Activation::Failed(why) => ("failed", Some(why)),
        };
        json!({ "capability": applied.capability, "activation": activation, "reason": reason })
    };
    json!({
        "fresh": report.fresh.iter().map(fresh).collect::<Vec<_>>(),
        "filesWritten": report.files_written,
        "diagnostics": diagnostics_json(&report.diagnostics),
    })
}

pub(crate) fn diagnostics_json(diagnostics: &[Diagnostic]) -> Value {
    let one = |diagnostic: &Diagnostic| {
        let severity = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        json!({
            "code": diagnostic.code, "severity": severity, "message": diagnostic.message, "file": diagnostic.file,
            "line": diagnostic.line, "column": diagnostic.column, "path": diagnostic.path,
        })
    };
    diagnostics.iter().map(one).collect()
}
