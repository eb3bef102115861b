//! Effects that change nothing: what would be written is kept in memory, and read back from there. So `--dry-run` runs the
//! command itself, not a second telling of what it does.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bindings::{Content, Failure, FailureReason, LogStat, Resolution};
use crate::digest;
use crate::effects::Effects;

/// What would have been written.
#[derive(Debug, Default)]
pub(crate) struct Would {
    /// By path: the file as it would be.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Lines that would be appended to the log.
    pub appended: Vec<u8>,
}

/// Effects that are only read from.
pub(crate) struct DryRun<E> {
    dir: E,
    would: Arc<Mutex<Would>>,
}

impl<E: Effects> DryRun<E> {
    /// What is written goes to `would`.
    pub(crate) fn new(dir: E, would: Arc<Mutex<Would>>) -> Self {
        Self { dir, would }
    }

    fn would(&self) -> MutexGuard<'_, Would> {
        self.would.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<E: Effects> Effects for DryRun<E> {
    fn read(&mut self, path: &str) -> Result<Option<Content>, Failure> {
        let written = self.would().files.get(path).cloned();
        match written {
            Some(bytes) => Ok(Some(Content { version: digest::of(&bytes), bytes })),
            None => self.dir.read(path),
        }
    }

    fn write(&mut self, path: &str, expected: Option<u64>, bytes: &[u8]) -> Result<u64, Failure> {
        if self.read(path)?.map(|content| content.version) != expected {
            let message = format!("{path} was changed by somebody else in the meantime");
            return Err(Failure { reason: FailureReason::Conflict, message });
        }
        self.would().files.insert(path.to_owned(), bytes.to_vec());
        Ok(digest::of(bytes))
    }

    fn resolve(&mut self, path: &str, cwd: &str) -> Result<Resolution, Failure> {
        self.dir.resolve(path, cwd)
    }

    fn log_stat(&mut self) -> Result<LogStat, Failure> {
        let stat = self.dir.log_stat()?;
        let more = self.would().appended.len() as u64;
        Ok(LogStat {
            length: stat.length + more,
            identity: if more > 0 { stat.identity.max(1) } else { stat.identity },
        })
    }

    fn log_read(&mut self, offset: u64, limit: u32) -> Result<Vec<u8>, Failure> {
        let on_disk = self.dir.log_stat()?.length;
        if offset < on_disk {
            let rest = (on_disk - offset).min(u64::from(limit));
            return self.dir.log_read(offset, rest as u32);
        }
        let would = self.would();
        let rest = would.appended.get((offset - on_disk) as usize..).unwrap_or_default();
        Ok(rest[..rest.len().min(limit as usize)].to_vec())
    }

    fn log_append(&mut self, lines: &[u8]) -> Result<u64, Failure> {
        let length = self.dir.log_stat()?.length;
        let is_torn = length > 0 && self.would().appended.is_empty() && self.dir.log_read(length - 1, 1)? != b"\n";
        let mut would = self.would();
        if is_torn {
            would.appended.push(b'\n');
        }
        would.appended.extend_from_slice(lines);
        Ok(length + would.appended.len() as u64)
    }

    fn now(&mut self) -> String {
        self.dir.now()
    }
}

/// An empty folder that nothing can be written to: for questions that need no agent dir.
pub(crate) struct Nowhere;

fn nowhere<T>() -> Result<T, Failure> {
    Err(Failure { reason: FailureReason::NotFound, message: "There is no agent dir here.".into() })
}

impl Effects for Nowhere {
    fn read(&mut self, _: &str) -> Result<Option<Content>, Failure> {
        Ok(None)
    }

    fn write(&mut self, _: &str, _: Option<u64>, _: &[u8]) -> Result<u64, Failure> {
        nowhere()
    }

    fn resolve(&mut self, _: &str, _: &str) -> Result<Resolution, Failure> {
        nowhere()
    }

    fn log_stat(&mut self) -> Result<LogStat, Failure> {
        Ok(LogStat { length: 0, identity: 0 })
    }

    fn log_read(&mut self, _: u64, _: u32) -> Result<Vec<u8>, Failure> {
        Ok(Vec::new())
    }

    fn log_append(&mut self, _: &[u8]) -> Result<u64, Failure> {
        nowhere()
    }

    fn now(&mut self) -> String {
        humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
    }
}
