//! Small documents of ours (catalogs, profiles): bytes → a value with places, whichever of YAML and JSON they are in.
//!
//! It edits nothing; for that see [`crate::edit`].

use alloc::format;

use crate::{
    diagnostic::Diagnostic,
    edit::{self, Document, Fault, Format},
    value::Value,
};

/// Largest catalog or profile, in bytes.
pub const MAX_DOCUMENT: usize = 4 << 20;

/// Why a document cannot be read.
#[derive(Debug)]
pub struct Unreadable(Fault);

impl Unreadable {
    /// The fault as a diagnostic about a `what`.
    pub fn diagnostic(&self, what: &str) -> Diagnostic {
        let place = self.0.line.map(|line| (line, self.0.column.unwrap_or(1)));
        Diagnostic::error(self.0.kind.code(), format!("The {what} cannot be read: {}", self.0.message)).at(place)
    }
}

/// Reads YAML, or JSON if the first character is `{`.
///
/// # Errors
/// See [`Document::parse`].
pub fn parse(bytes: &[u8]) -> Result<Document<'_>, Unreadable> {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let format = if start.starts_with(b"{") { Format::Json } else { Format::Yaml };
    Document::parse_within(format, bytes, MAX_DOCUMENT).map_err(Unreadable)
}

/// The value of a JSON text, if it is one.
pub fn json_text_value(text: &str) -> Option<Value> {
    let document = format!("{{\"v\":{text}}}");
    let document = Document::parse(Format::Json, document.as_bytes()).ok()?;
    document.value().at(&["v"]).cloned()
}

/// The value that a piece of source text stands for, as [`Document::raw`] gave it.
pub fn raw_value(format: Format, raw: &str) -> Option<Value> {
    edit::raw_value(format, raw).ok()
}
