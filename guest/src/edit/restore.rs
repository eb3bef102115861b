//! Source text that was kept from a file → what it means, and whether it still fits where it is to go.
//!
//! It never edits anything. A harness may have laid the file out anew since the text was kept.

use alloc::{format, string::String};

use super::{Document, Fault, FaultKind, Format, write};
use crate::value::Value;

/// Where the text is to go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// Behind a key that begins its line at this column.
    Block {
        /// Spaces before the key.
        column: usize,
    },
    /// Behind a key between brackets.
    Flow,
}

/// What the text behind a `:` says.
pub(super) struct Meaning {
    /// The value.
    pub value: Value,
    /// Whether it says so at the place that was asked about. If it says it only elsewhere, it is to be written
    /// anew from its value.
    pub fits: bool,
    /// Whether it is a block: what follows on its last line would become part of it.
    pub block: bool,
}

/// Reads text that stood behind a `:` and is to go to `place`.
pub(super) fn meaning(format: Format, raw: &str, place: Place) -> Result<Meaning, Fault> {
    let there = match (format, place) {
        (Format::Json, _) => format!("{{\"k\":{raw}}}"),
        (Format::Yaml, Place::Flow) => format!("{{k:{raw}}}\n"),
        (Format::Yaml, Place::Block { column }) => at_column(raw, column),
    };
    match (read(format, &there), format) {
        (Ok(meaning), _) => Ok(meaning),
        (Err(fault), Format::Json) => Err(fault),
        (Err(_), Format::Yaml) => Ok(Meaning { fits: false, ..read(format, &at_column(raw, 0))? }),
    }
}

fn at_column(raw: &str, column: usize) -> String {
    let mut text = String::new();
    write::pad(&mut text, column);
    // Behind a lone CR, an LF would not begin a further line.
    text + "k:" + raw + if raw.ends_with('\r') { "\r" } else { "\n" }
}

/// Reads a file of the one key `k`.
fn read(format: Format, text: &str) -> Result<Meaning, Fault> {
    let document = Document::parse(format, text.as_bytes())?;
    let block = document.tree.entry(&["k"]).is_some_and(|entry| document.tree.nodes[entry.value].block);
    match document.into_value() {
        Value::Map(mut map) if map.len() == 1 => map.remove("k"),
        _ => None,
    }
    .map(|value| Meaning { value, fits: true, block })
    .ok_or_else(|| Fault::new(FaultKind::Syntax, "it holds more than one value"))
}
