//! What the component may do to the machine: the `files`, `event-log` and `clock` imports as one trait. The real
//! effects are `AgentDir`; a test wraps them to record calls, or to let one fail.
//!
//! The rules of each method are those of `wit/files.wit`, `wit/event-log.wit` and `wit/clock.wit`; what is repeated here
//! is what an implementation gets wrong most easily.

use crate::bindings::{Content, Failure, LogStat, Resolution};

/// The effects of one instance.
pub trait Effects: Send {
    /// A file of the agent dir, with a version that changes whenever the bytes do. None: there is no such file.
    ///
    /// # Errors
    ///
    /// `Other` for a folder, `TooLarge` over 4 MiB, `Denied` outside the agent dir.
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure>;

    /// Replaces a file whole, atomically and durably, if it still is at `expected` (none: if there still is none), and
    /// answers the new version. After an error the old bytes stand and no other file was left.
    ///
    /// # Errors
    ///
    /// `Conflict` when the file is not at `expected`; otherwise what the operating system answered.
    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure>;

    /// Where a path leads that a tool call names, all links followed.
    ///
    /// # Errors
    ///
    /// `Other` when `cwd` is not absolute or the path cannot be one.
    fn resolve(&mut self, path: &str, cwd: &str) -> Result<Resolution, Failure>;

    /// Length and identity of the log, for the price of a `stat`.
    ///
    /// # Errors
    ///
    /// What the operating system answered. A log that does not exist is no error.
    fn log_stat(&mut self) -> Result<LogStat, Failure>;

    /// At most `limit` bytes from `offset` on; fewer only at the end of the log.
    ///
    /// # Errors
    ///
    /// What the operating system answered.
    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure>;

    /// Appends whole lines in one write, on a line of their own, on disk when this returns. Answers the new length.
    ///
    /// # Errors
    ///
    /// What the operating system answered. A part of the lines may be there all the same, as a torn line.
    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure>;

    /// The time, as ISO 8601 with zone.
    fn now(&mut self) -> String;
}

impl<E: Effects + ?Sized> Effects for Box<E> {
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure> {
        (**self).read(path)
    }

    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure> {
        (**self).write(path, expected, bytes)
    }

    fn resolve(&mut self, path: &str, cwd: &str) -> Result<Resolution, Failure> {
        (**self).resolve(path, cwd)
    }

    fn log_stat(&mut self) -> Result<LogStat, Failure> {
        (**self).log_stat()
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
        (**self).log_read(offset, limit)
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure> {
        (**self).log_append(lines)
    }

    fn now(&mut self) -> String {
        (**self).now()
    }
}
