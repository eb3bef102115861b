//! `garnish log [--last N] [--follow]`: the event log in words. It reads and never writes.

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use super::Context;
use crate::effects::Effects;
use crate::log_lines::{Line, lines};
use crate::output::{Answer, Ended, Exit, FAINT, ODD, styled};

/// How often a followed log is looked at: one `stat`.
const EVERY: Duration = Duration::from_millis(250);

pub(crate) fn run(context: &Context, last: Option<usize>, follow: bool, as_json: bool) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, _, graph) = context.garnish_with_graph()?;
    let log = super::read_log(&mut dir)?;
    let folded = garnish.fold_events(&log, &graph)?;
    let mut all = lines(&log, 0, &folded.diagnostics);
    if let Some(last) = last {
        all.drain(..all.len().saturating_sub(last));
    }
    if !follow {
        let text = match all.as_slice() {
            [] => "The log is empty: nothing has been earned yet.\n".to_owned(),
            all => all.iter().map(in_words).collect(),
        };
        let json = json!({ "events": all.iter().map(in_json).collect::<Vec<_>>() });
        return Ok(Answer { text, json, exit: Exit::Done });
    }
    let say = |line: &Line| {
        let (text, json) = (in_words(line), in_json(line));
        super::say_now(&text, &json, as_json)
    };
    for line in &all {
        say(line)?;
    }
    // Whole lines alone: the rest of a torn one may still come.
    let whole = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut stat = dir.log_stat()?;
    let (mut read, mut seen) = (whole(&log), lines_in(&log[..whole(&log)]));
    loop {
        let now = dir.log_stat()?;
        if now.identity != stat.identity || now.length < stat.length {
            (read, seen) = (0, 0);
        }
        stat = now;
        while (read as u64) < stat.length {
            let more = dir.log_read(read as u64, 1 << 20)?;
            let more = &more[..whole(&more)];
            if more.is_empty() {
                break;
            }
            let faults = garnish.fold_events(more, &graph)?.diagnostics;
            let faults: Vec<_> = faults
                .into_iter()
                .map(|mut fault| {
                    fault.line = fault.line.map(|line| line + seen as u32);
                    fault
                })
                .collect();
            for line in lines(more, seen, &faults) {
                say(&line)?;
            }
            read += more.len();
            seen += lines_in(more);
        }
        sleep(EVERY);
    }
}

fn lines_in(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

fn in_words(line: &Line) -> String {
    let place = styled(FAINT, format_args!("{:>5}  {:<20}", line.number, line.at()));
    let words = line.words();
    let words = if line.fault.is_some() { styled(ODD, words) } else { words };
    format!("{place}  {words}\n")
}

/// The event as it is in the log, its line, and what is wrong with it.
fn in_json(line: &Line) -> Value {
    match &line.event {
        Some(event) => json!({ "line": line.number, "event": event }),
        None => json!({ "line": line.number, "skipped": line.fault, "text": line.text }),
    }
}
