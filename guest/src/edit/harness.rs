//! Where `Bun.YAML`, the reader of the harness, reads otherwise than the parser: what the parser takes and the
//! harness does not, what a tag does to a value, where a block scalar ends. Measured with Bun 1.4.5; the cases
//! stand in `tests/edit_bun.rs`.
//!
//! It never makes the parser accept more.

use alloc::borrow::Cow;
use core::ops::Range;

use granit_parser::{ErrorKind, Span, Tag};

use super::{
    fault::{Fault, FaultKind},
    scalar::{self, Scalar},
    text,
};

/// What is wrong with a tab before a key.
pub(super) const NO_TABS: &str = "this is not valid YAML: a tab stands where only spaces may indent; use spaces";

/// Fails where a line between two tokens begins with a tab: whether the harness takes a blank line or a comment
/// for that depends on what stands before it, and an edit may change that.
pub(super) fn check_gap(source: &str, gap: Range<usize>) -> Result<(), Fault> {
    let Some(text) = source.get(gap.clone()) else { return Ok(()) };
    let mut line_starts = gap.start == 0;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' | b'\r' => line_starts = true,
            b' ' => {}
            b'\t' if line_starts => {
                let message = "a line begins with a tab here; the harness reads only spaces there: remove the tab";
                return Err(Fault::at(source, gap.start + i, FaultKind::Syntax, message));
            }
            _ => line_starts = false,
        }
    }
    Ok(())
}

/// Fails for a tag of other than ordinary characters, which the parser takes and the harness does not.
pub(super) fn check_tag(source: &str, span: &Span) -> Result<(), Fault> {
    let Some(range) = span.tag_span().and_then(|span| span.byte_range()) else { return Ok(()) };
    let tag = source.get(range.clone()).unwrap_or_default();
    let name = tag.trim_start_matches('!');
    let ordinary = |c: char| c.is_ascii_alphanumeric() || "-_./!".contains(c);
    let named = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(ordinary);
    if named || name.starts_with('<') {
        return Ok(());
    }
    let message = "a tag (`!name`) with unusual characters; remove it";
    Err(Fault::at(source, range.start, FaultKind::Spelling, message))
}

/// Fails for an anchor in a node that has an anchor of the same name: which of the two an alias means
/// depends on the reader.
pub(super) fn check_anchor(source: &str, doubled: bool, end: usize) -> Result<(), Fault> {
    let behind = source.as_bytes().get(end);
    let apart = matches!(behind, None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}'));
    if apart && !doubled {
        return Ok(());
    }
    let message = "this anchor (`&name`) stands inside the value of another one of that name, or touches \
                   what follows; give it a name of its own and a space behind it";
    Err(Fault::at(source, end, FaultKind::Spelling, message))
}

/// Fails where a text in quotes or brackets goes on in a line that is not indented further than the block
/// around it, unless the line begins with one of `but_for`: the parser is not as strict as the harness.
pub(super) fn check_lines(
    source: &str,
    range: Range<usize>,
    around: Option<usize>,
    but_for: &str,
) -> Result<(), Fault> {
    let text = &source[range.clone()];
    if !text.contains(['\n', '\r']) {
        return Ok(());
    }
    if but_for.is_empty() && text.contains('\r') {
        let message = "a text in quotes that goes on over several lines is read in more than one way where \
                       lines end with CR; write it on one line";
        return Err(Fault::at(source, range.start, FaultKind::Spelling, message));
    }
    let Some(around) = around else { return Ok(()) };
    let mut at = text::next_line(source, range.start);
    while at < range.end {
        let spaces = source[at..].bytes().take_while(|b| *b == b' ').count();
        let first = source[text::skip_blanks(source, at)..].chars().next().unwrap_or('\n');
        if spaces <= around && !matches!(first, '\n' | '\r') && !but_for.contains(first) {
            let message = "this line must be indented further than the block around it, with spaces";
            return Err(Fault::at(source, at, FaultKind::Syntax, message));
        }
        at = text::next_line(source, at);
    }
    Ok(())
}

/// The end of a block scalar: of its last line of content, or with `+` of its last blank line.
pub(super) fn block_scalar_end(source: &str, content: &str, span: &Span) -> usize {
    let range = span.byte_range().unwrap_or(0..0);
    let keeps = content == "\n" || content.ends_with("\n\n");
    let mut end = range.end;
    // The parser stops behind the indentation of what follows.
    if text::begins_line(source, end) {
        end = text::line_start(source, end);
    }
    loop {
        let before = &source[..end];
        let cut = before.strip_suffix("\r\n").or(before.strip_suffix(['\n', '\r']));
        let Some(cut) = cut else { return end };
        let line = &cut[text::line_start(cut, cut.len())..];
        let blank = line.bytes().all(|b| b == b' ' || b == b'\t');
        // A line of spaces that is longer than the indentation has content.
        let content_line = line.len() > span.start.col() && end > range.start;
        if keeps || !blank || (content_line && !content.is_empty()) {
            return cut.len();
        }
        end = text::line_start(cut, cut.len());
    }
}

/// What a scalar means, by its style and by its tag as it is spelled.
pub(super) fn typed<'t>(text: Cow<'t, str>, plain: bool, absent: bool, tag: Option<&Tag>) -> Scalar<'t> {
    let Some(tag) = tag else {
        return match (plain, absent) {
            (_, true) => Scalar::Absent,
            (true, _) => scalar::resolve(text),
            (false, _) => Scalar::Text(text),
        };
    };
    let (handle, suffix) = tag.original_parts();
    let is_text = matches!((handle, suffix), ("!!" | "!", "str") | ("!", "") | ("", "!"));
    if absent {
        return if is_text { Scalar::Text(Cow::Borrowed("")) } else { Scalar::Null };
    }
    // The harness takes `!int` for `!!int`.
    if !plain || !matches!(handle, "!" | "!!") {
        return Scalar::Text(text);
    }
    // A tag of the core types only confirms what the plain spelling says anyway; else it makes a text of it.
    match (suffix, scalar::resolve(text.clone())) {
        ("int" | "float", number @ Scalar::Number(_)) => number,
        ("bool", flag @ Scalar::Bool(_)) => flag,
        ("null", Scalar::Null) => Scalar::Null,
        _ => Scalar::Text(text),
    }
}

/// A parser's error in words for the learner.
pub(super) fn explain(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabInIndentation
        | ErrorKind::TabInPlainScalar => "a tab stands where only spaces may indent; use spaces",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::DocumentIndicatorInQuotedScalar => {
            "a quote that is opened is never closed"
        }
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::UnclosedFlowCollection { .. } => "a bracket that is opened is never closed",
        ErrorKind::MisplacedFlowCollectionEnd | ErrorKind::MismatchedFlowCollectionEnd { .. } => {
            "a bracket is closed that does not match the one opened"
        }
        ErrorKind::ExpectedFlowMappingSeparator | ErrorKind::ExpectedFlowSequenceSeparator => {
            "a comma or a closing bracket is missing"
        }
        ErrorKind::UnknownAnchor => "this alias (`*name`) refers to no anchor (`&name`) before it",
        ErrorKind::UndeclaredTagHandle => "this tag's prefix is not declared",
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            "a `:` stands where none may be; quote the text if it belongs to it"
        }
        ErrorKind::SimpleKeyExpected | ErrorKind::InvalidSimpleKey => "a key without its `:`",
        ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::InvalidIndentation
        | ErrorKind::InvalidFlowScalarIndent
        | ErrorKind::InvalidQuotedScalarIndent
        | ErrorKind::InvalidBlockScalarIndent
        | ErrorKind::BlockSequenceEntryNotAllowed => "the line is not indented as the lines around it need",
        ErrorKind::UnexpectedCharacter { .. } => {
            "this character may not stand here; put the text in quotes, or remove it if it cannot be seen"
        }
        ErrorKind::BomInsideDocument => "there is a byte order mark inside the file; remove it",
        ErrorKind::CommentNotSeparated => "a comment needs a space before its `#`",
        ErrorKind::InvalidTrailingSingleQuotedScalar | ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            "there is text behind a closing quote"
        }
        ErrorKind::UnknownQuotedScalarEscape
        | ErrorKind::InvalidQuotedScalarHexEscape
        | ErrorKind::InvalidUnicodeEscape
        | ErrorKind::InvalidLowSurrogateHexEscape
        | ErrorKind::InvalidLowSurrogate
        | ErrorKind::MissingLowSurrogate
        | ErrorKind::UnpairedLowSurrogate => "a `\\` escape in double quotes that YAML does not know",
        _ => "something else was expected here",
    }
}
