//! Small work on texts that many modules need, with little code: what the standard library has for it carries tables and
//! searches that nothing else here uses.

use alloc::{borrow::ToOwned, string::String};

use crate::edit::write_quoted;

/// A text in double quotes, for a message: on one line, with everything visible.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_quoted(&mut out, text);
    out
}

/// Where `part` begins in `text` first.
pub fn find(text: &str, part: &str) -> Option<usize> {
    text.as_bytes().windows(part.len()).position(|bytes| bytes == part.as_bytes())
}

/// A template with `value` in the place of every `mark`.
pub fn filled(template: &str, mark: &str, value: &str) -> String {
    match find(template, mark) {
        Some(at) => {
            let (before, rest) = template.split_at(at);
            let behind = rest.get(mark.len()..).unwrap_or_default();
            before.to_owned() + value + &filled(behind, mark, value)
        }
        None => template.to_owned(),
    }
}
