//! Lines of a text: where they start and end, how they break.
//!
//! It never looks at what a line means. A line ends with LF, CRLF or a lone CR, as in YAML.

use crate::words::{has, trim_end};

/// The start of the line that holds `offset`.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = offset.min(bytes.len());
    while at > 0 {
        match bytes[at - 1] {
            b'\n' => break,
            // The CR of a CRLF that `offset` stands inside of does not end a line.
            b'\r' if bytes.get(at) != Some(&b'\n') => break,
            _ => at -= 1,
        }
    }
    at
}

/// The end of the line that holds `offset`, without its break.
pub(super) fn line_end(text: &str, offset: usize) -> usize {
    let rest = text.as_bytes().get(offset..).unwrap_or_default();
    rest.iter().position(|b| matches!(b, b'\n' | b'\r')).map_or(text.len(), |n| offset + n)
}

/// The start of the line after the one that holds `offset`.
pub(super) fn next_line(text: &str, offset: usize) -> usize {
    let end = line_end(text, offset);
    match &text.as_bytes()[end..] {
        [b'\r', b'\n', ..] => end + 2,
        [_, ..] => end + 1,
        [] => end,
    }
}

/// The first offset from `offset` on that is neither a space nor a tab.
pub(super) fn skip_blanks(text: &str, offset: usize) -> usize {
    let rest = text.as_bytes().get(offset..).unwrap_or_default();
    rest.iter().position(|b| !matches!(b, b' ' | b'\t')).map_or(text.len(), |n| offset + n)
}

/// The end of the text before `offset` without the spaces and tabs that stand directly before it.
pub(super) fn back_over_blanks(text: &str, offset: usize) -> usize {
    trim_end(&text[..offset], " \t").len()
}

/// The first offset from `offset` on that is neither white space nor part of a comment.
/// Only for places between tokens: inside a scalar a `#` is no comment.
pub(super) fn skip_trivia(text: &str, mut offset: usize) -> usize {
    let bytes = text.as_bytes();
    while let Some(byte) = bytes.get(offset) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => offset += 1,
            b'#' => offset = line_end(text, offset),
            _ => break,
        }
    }
    offset
}

/// Whether a comment stands in `from..to`, a place between tokens.
pub(super) fn has_comment(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|gap| has(gap, b'#'))
}

/// The spaces and tabs that the line of `offset` begins with.
pub(super) fn indent(text: &str, offset: usize) -> &str {
    let start = line_start(text, offset);
    &text[start..skip_blanks(text, start)]
}

/// Whether only spaces and tabs stand before `offset` on its line.
pub(super) fn begins_line(text: &str, offset: usize) -> bool {
    let before = back_over_blanks(text, offset);
    before == 0 || matches!(text.as_bytes()[before - 1], b'\n' | b'\r')
}

/// Line and column of a byte offset, both counted from 1, the column in characters.
pub(super) fn place(text: &str, offset: usize) -> (u32, u32) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let bytes = text.as_bytes();
    let start = line_start(text, offset);
    let mut line = 1;
    for (i, byte) in bytes[..start].iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
            line += 1;
        }
    }
    let column = text[start..offset].chars().count() as u32 + 1;
    (line, column)
}

/// The line ending that most lines of the text have; LF where there is none.
pub(super) fn ending(text: &str) -> &'static str {
    let bytes = text.as_bytes();
    let (mut lf, mut crlf, mut cr) = (0usize, 0usize, 0usize);
    for (i, byte) in bytes.iter().enumerate() {
        match byte {
            b'\n' if i > 0 && bytes[i - 1] == b'\r' => crlf += 1,
            b'\n' => lf += 1,
            b'\r' if bytes.get(i + 1) != Some(&b'\n') => cr += 1,
            _ => {}
        }
    }
    if crlf > lf && crlf >= cr {
        "\r\n"
    } else if cr > lf {
        "\r"
    } else {
        "\n"
    }
}

/// Whether the text ends inside a line.
pub(super) fn lacks_final_break(text: &str) -> bool {
    !text.is_empty() && !text.ends_with(['\n', '\r'])
}
