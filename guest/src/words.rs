//! Small work on texts that many modules need, with little code: what the standard library has for it carries tables
//! and searches that nothing else here uses.

use alloc::{borrow::ToOwned, string::String, vec::Vec};
use core::fmt::Write as _;

/// A text in double quotes, for a message: on one line, with everything visible.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_quoted(&mut out, text);
    out
}

/// Appends `text` to `out` in double quotes, on one line, as JSON and YAML both read it.
pub fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // What YAML calls not printable, breaks a line in YAML 1.1, or cannot be seen in an editor.
            '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Where `part` begins in `text` first; what is empty, at its start.
pub fn find(text: &str, part: &str) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    text.as_bytes().windows(part.len()).position(|bytes| bytes == part.as_bytes())
}

/// Whether a letter of ASCII stands in `text`.
pub fn has(text: &str, letter: u8) -> bool {
    text.bytes().any(|byte| byte == letter)
}

/// Texts as one, with `between` between them.
pub fn joined<T: AsRef<str>>(texts: &[T], between: &str) -> String {
    let mut all = String::new();
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            all.push_str(between);
        }
        all.push_str(text.as_ref());
    }
    all
}

/// What stands between letters of ASCII, without what is empty.
pub fn parts<'t>(text: &'t str, breaks: &str) -> Vec<&'t str> {
    let mut parts = pieces(text, breaks);
    parts.retain(|part| !part.is_empty());
    parts
}

/// What stands between letters of ASCII, be it empty.
pub fn pieces<'t>(text: &'t str, breaks: &str) -> Vec<&'t str> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    for at in 0..=text.len() {
        if text.as_bytes().get(at).is_none_or(|byte| has(breaks, *byte)) {
            pieces.extend(text.get(start..at));
            start = at + 1;
        }
    }
    pieces
}

/// A text without these letters of ASCII at its start.
pub fn trim_start<'t>(text: &'t str, letters: &str) -> &'t str {
    let start = text.bytes().position(|byte| !has(letters, byte));
    start.and_then(|start| text.get(start..)).unwrap_or_default()
}

/// A text without these letters of ASCII at its end.
pub fn trim_end<'t>(text: &'t str, letters: &str) -> &'t str {
    let last = text.bytes().rposition(|byte| !has(letters, byte));
    last.and_then(|last| text.get(..=last)).unwrap_or_default()
}

/// A text without these letters of ASCII at both ends.
pub fn trim<'t>(text: &'t str, letters: &str) -> &'t str {
    trim_end(trim_start(text, letters), letters)
}

/// What stands before and behind the first of some letters of ASCII.
pub fn split_first<'t>(text: &'t str, letters: &str) -> Option<(&'t str, &'t str)> {
    let at = text.bytes().position(|byte| has(letters, byte))?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// What stands before and behind the last of a letter of ASCII.
pub fn split_last(text: &str, letter: u8) -> Option<(&str, &str)> {
    let at = text.bytes().rposition(|byte| byte == letter)?;
    Some((text.get(..at)?, text.get(at + 1..)?))
}

/// What stands behind the last of a letter of ASCII; all, if there is none.
pub fn behind_last(text: &str, letter: u8) -> &str {
    split_last(text, letter).map_or(text, |(_, behind)| behind)
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
