//! The log as an instance knows it: read where it grew, folded as it comes.
//!
//! It appends nothing. An unchanged log costs one `stat`.

use alloc::{string::String, vec::Vec};

use crate::{
    diagnostic::{Diagnostic, Error},
    graph::Graph,
    host::{Host, LogStat, import},
    log::{LOG_FILE, LogReader},
    ordered::Set,
    progression::Progress,
};

/// How much of the log is read at once, in bytes: large enough to make calls rare, small enough to stay in a cache.
const CHUNK: u32 = 256 * 1024;

/// The log, folded as far as it has been read.
#[derive(Debug)]
pub struct Fold {
    progress: Progress,
    reader: LogReader,
    stat: LogStat,
    offset: u64,
    /// Whether the log was looked at before.
    begun: bool,
    /// What was open before the log shrank or was replaced: within a session nothing is taken back.
    kept: Set<String>,
}

impl Fold {
    /// Before anything was read.
    pub fn new(graph: &Graph) -> Self {
        let (progress, reader) = (Progress::new(graph), LogReader::default());
        Self { progress, reader, stat: LogStat::default(), offset: 0, begun: false, kept: Set::new() }
    }

    /// What the learner has reached.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Whether a feature is unlocked.
    pub fn is_unlocked(&self, feature: &str) -> bool {
        self.progress.has_feature(feature) || self.kept.contains(feature)
    }

    /// Lines of a newer garnish.
    pub fn unknown_events(&self) -> u64 {
        self.reader.unknown()
    }

    /// Takes in what the log gained, and says whether it gained anything.
    ///
    /// # Errors
    /// The log could not be read. What was folded before stays.
    pub fn refresh(&mut self, graph: &Graph, host: &mut dyn Host, told: &mut Vec<Diagnostic>) -> Result<bool, Error> {
        let stat = host.log_stat().map_err(|failure| failure.during(import::LOG_STAT, LOG_FILE))?;
        if self.begun && stat == self.stat {
            return Ok(false);
        }
        if self.begun && self.offset > 0 && (stat.length < self.offset || stat.identity != self.stat.identity) {
            told.push(self.start_anew(graph));
        }
        while self.offset < stat.length {
            let limit = u32::try_from(stat.length - self.offset).map_or(CHUNK, |rest| rest.min(CHUNK));
            let bytes =
                host.log_read(self.offset, limit).map_err(|failure| failure.during(import::LOG_READ, LOG_FILE))?;
            if bytes.is_empty() {
                break;
            }
            self.offset += bytes.len() as u64;
            let progress = &mut self.progress;
            self.reader.push(&bytes, &mut |event| progress.apply(event, graph));
        }
        let progress = &mut self.progress;
        self.reader.settle(&mut |event| progress.apply(event, graph));
        told.extend(self.reader.take_faults());
        told.extend(self.reader.torn());
        self.stat = stat;
        self.begun = true;
        Ok(true)
    }

    fn start_anew(&mut self, graph: &Graph) -> Diagnostic {
        let kept = core::mem::take(&mut self.kept);
        let old = core::mem::replace(self, Self::new(graph));
        self.kept = kept;
        self.kept.extend(old.progress.features().iter().cloned());
        let message = "The event log was replaced or cut. What is open stays open in this session; from the next \
            start on, the log as it is now decides.";
        Diagnostic::warning("garnish::log::replaced", message).in_file(LOG_FILE)
    }
}

/// A whole log, folded at once.
pub fn whole(log: &[u8], graph: &Graph) -> (Progress, Vec<Diagnostic>, u64) {
    let mut progress = Progress::new(graph);
    let mut reader = LogReader::default();
    reader.push(log, &mut |event| progress.apply(event, graph));
    reader.settle(&mut |event| progress.apply(event, graph));
    let mut diagnostics = reader.take_faults();
    diagnostics.extend(reader.torn());
    (progress, diagnostics, reader.unknown())
}
