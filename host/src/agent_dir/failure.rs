//! What the operating system answered, in the words of `wit/types.wit`, with the way out where there is one. It never
//! hides a path: every message names one.

use std::io::{Error, ErrorKind};

use crate::bindings::{Failure, FailureReason};

/// A failure of one's own finding; the message becomes a sentence.
pub(super) fn failure(reason: FailureReason, message: impl Into<String>) -> Failure {
    let mut message = message.into();
    if !message.ends_with('.') {
        message.push('.');
    }
    Failure { reason, message }
}

/// A failure to do `what` (`be read`, `be written`) with the file that `shown` names.
pub(super) fn io(error: &Error, shown: &str, what: &str) -> Failure {
    let reason = match error.kind() {
        ErrorKind::NotFound => FailureReason::NotFound,
        ErrorKind::PermissionDenied => FailureReason::Denied,
        ErrorKind::ReadOnlyFilesystem => FailureReason::ReadOnly,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FailureReason::NoSpace,
        // A limit on the size of files (`ulimit -f`), or of the file system.
        ErrorKind::FileTooLarge => FailureReason::TooLarge,
        _ => FailureReason::Other,
    };
    failure(reason, format!("{shown} cannot {what}: {}.{}", words(error), way_out(reason)))
}

fn way_out(reason: FailureReason) -> &'static str {
    match reason {
        FailureReason::Denied => " Look at its permissions, and at those of its folder.",
        FailureReason::ReadOnly => " Make its file system writable.",
        FailureReason::NoSpace => " Make room on its disk.",
        FailureReason::TooLarge => " Raise the limit on the size of files (`ulimit -f`).",
        _ => "",
    }
}

/// The error without Rust's `(os error 28)`, first letter small.
fn words(error: &Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}
