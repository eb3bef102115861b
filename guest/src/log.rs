//! Bytes of the event log, in chunks of any size → events and the numbers of the lines that give none.
//!
//! It never reads a file and never knows what an event means.

use alloc::{format, vec::Vec};

use crate::{
    diagnostic::Diagnostic,
    event::Event,
    event_line::{self, LineFault, MAX_LINE},
};

/// The log, relative to the agent dir.
pub const LOG_FILE: &str = "garnish/events.jsonl";

/// How many bad lines are told of by themselves; the rest is counted.
const MAX_TOLD: usize = 20;

/// Where a reader of the log is. It holds at most one unfinished line.
#[derive(Debug, Clone, Default)]
pub struct LogReader {
    line: u32,
    pending: Vec<u8>,
    /// The unfinished line is too long to be kept: everything up to its end is skipped.
    overlong: bool,
    unknown: u64,
    bad: usize,
    told: Vec<Diagnostic>,
    /// The line that was told as torn: it is not told again as a bad one, once another line follows it.
    torn: u32,
}

impl LogReader {
    /// Takes the next bytes of the log and hands every finished line's event to `sink`, in order.
    pub fn push(&mut self, mut bytes: &[u8], sink: &mut dyn FnMut(Event)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.pending.is_empty() && !self.overlong {
                self.finish(line, sink);
            } else {
                self.keep(line);
                let line = core::mem::take(&mut self.pending);
                self.finish(&line, sink);
            }
            self.overlong = false;
        }
        self.keep(bytes);
    }

    fn keep(&mut self, part: &[u8]) {
        if self.pending.len() + part.len() > MAX_LINE + 1 {
            self.overlong = true;
            self.pending.clear();
        }
        if !self.overlong {
            self.pending.extend_from_slice(part);
        }
    }

    fn finish(&mut self, line: &[u8], sink: &mut dyn FnMut(Event)) {
        self.line = self.line.saturating_add(1);
        if self.overlong {
            return self.fault(LineFault::Bad("it is longer than 64 KiB".into()));
        }
        match parse(line) {
            Some(Ok(event)) => sink(event),
            Some(Err(fault)) => self.fault(fault),
            None => {}
        }
    }

    fn fault(&mut self, fault: LineFault) {
        match fault {
            LineFault::UnknownType => self.unknown += 1,
            LineFault::Bad(reason) => {
                self.bad += 1;
                if self.bad <= MAX_TOLD && self.line != self.torn {
                    self.told.push(bad_line(self.line, &reason));
                }
            }
        }
    }

    /// At the end of what there is to read: takes the event on a last line without a line feed, if it is whole. A
    /// writer that was stopped right before the line feed lost nothing. What is not whole stays pending.
    pub fn settle(&mut self, sink: &mut dyn FnMut(Event)) {
        if let (false, Some(Ok(event))) = (self.overlong, parse(&self.pending)) {
            sink(event);
            self.pending.clear();
        }
    }

    /// What is left of a torn write: a last line that is no event.
    pub fn torn(&mut self) -> Option<Diagnostic> {
        let torn = self.overlong || matches!(parse(&self.pending), Some(Err(LineFault::Bad(_))));
        if torn {
            self.torn = self.line.saturating_add(1);
        }
        torn.then(|| {
            Diagnostic::warning(
                "garnish::log::torn",
                format!(
                    "The last line of the event log (line {}) is not whole: a write was interrupted. It is \
                skipped; the next event starts on a line of its own.",
                    self.line + 1
                ),
            )
            .in_file(LOG_FILE)
            .at(Some((self.line.saturating_add(1), 1)))
        })
    }

    /// Lines with a type that this version does not know, the unfinished one too.
    pub fn unknown(&self) -> u64 {
        self.unknown + u64::from(matches!(parse(&self.pending), Some(Err(LineFault::UnknownType))))
    }

    /// The bad lines found since this was asked last.
    pub fn take_faults(&mut self) -> Vec<Diagnostic> {
        let mut told = core::mem::take(&mut self.told);
        if self.bad > MAX_TOLD {
            told.push(
                Diagnostic::warning(
                    "garnish::log::bad-lines",
                    format!("{} more lines of the event log are skipped.", self.bad - MAX_TOLD),
                )
                .in_file(LOG_FILE),
            );
            self.bad = MAX_TOLD;
        }
        told
    }
}

/// None: an empty line. A carriage return at its end is what an editor left there.
fn parse(line: &[u8]) -> Option<Result<Event, LineFault>> {
    let line = line.trim_ascii();
    (!line.is_empty()).then(|| event_line::parse(line))
}

fn bad_line(line: u32, reason: &str) -> Diagnostic {
    Diagnostic::warning(
        "garnish::log::bad-line",
        format!(
            "Line {line} of the event log is skipped: {reason}. Nothing else is lost; delete the line \
        to be rid of this message."
        ),
    )
    .in_file(LOG_FILE)
    .at(Some((line, 1)))
}
