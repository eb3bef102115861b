//! Single YAML values as they are written: plain, in quotes, or as a block of lines.
//!
//! It only reads; how a value is spelled anew is in [`super::scalar`].

use alloc::{borrow::Cow, string::String};

use super::{
    fault::Fault,
    text,
    tree::{Kind, NodeId},
    yaml::Reader,
    yaml_marks::Marks,
};
use crate::words::{has, trim, trim_start};

/// A text that may differ from how it is spelled: what is the same is taken over in pieces.
struct Folded<'t> {
    source: &'t str,
    begin: usize,
    from: usize,
    text: Option<String>,
}

impl<'t> Folded<'t> {
    fn new(source: &'t str, begin: usize) -> Self {
        Self { source, begin, from: begin, text: None }
    }

    /// Takes over what stands up to `end`, and goes on behind `next`.
    fn take(&mut self, end: usize, next: usize) -> &mut String {
        let text = self.text.get_or_insert_default();
        text.push_str(&self.source[self.from..end]);
        self.from = next;
        text
    }

    fn finish(mut self, end: usize) -> Cow<'t, str> {
        if self.text.is_some() {
            self.take(end, end);
        }
        match self.text {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(&self.source[self.begin..end]),
        }
    }
}

/// What a fold of so many breaks means.
fn fold(text: &mut String, breaks: usize) {
    if breaks == 1 {
        text.push(' ');
    }
    newlines(text, breaks - 1);
}

fn newlines(text: &mut String, count: usize) {
    for _ in 0..count {
        text.push('\n');
    }
}

impl<'t> Reader<'t> {
    /// Reads the plain or quoted value that begins here. Its further lines are indented by at least `least`; none:
    /// it stands between brackets.
    pub fn scalar(&mut self, least: Option<usize>, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let quote = self.byte(0);
        let plain = !matches!(quote, b'"' | b'\'');
        let text = if plain { self.plain(least)? } else { self.quoted(quote, least.is_none())? };
        if plain && (text == "?" || (!marks.is_empty() && text.starts_with(':'))) {
            return Err(self.refuse(start, "this text is read in more than one way; put it in quotes"));
        }
        let kind = Kind::Scalar(marks.typed(text, plain));
        self.place(kind, marks.start.unwrap_or(start), self.at, false, marks)
    }

    /// Reads the key of a block entry that [`Reader::begins_key`].
    pub fn key(&mut self, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        if self.byte(0) == b'*' { self.alias(marks) } else { self.scalar(Some(usize::MAX), marks) }
    }

    /// Whether a key begins here that has its `:` on this line.
    pub fn begins_key(&self) -> bool {
        let rest = &self.source[self.at..];
        let end = match self.byte(0) {
            quote @ (b'"' | b'\'') => match quote_end(rest.as_bytes(), quote) {
                Some(length) => self.at + length,
                None => return false,
            },
            b'*' => self.at + rest.find([' ', '\t', '\n', '\r']).unwrap_or(rest.len()),
            _ if self.begins_plain(false) => self.plain_end(false),
            _ => return false,
        };
        let colon = text::skip_blanks(self.source, end) - self.at;
        self.byte(colon) == b':' && self.is_blank(colon + 1)
    }

    /// Whether white space, the end, or what ends an entry in brackets stands `ahead`.
    pub fn ends_plain(&self, ahead: usize) -> bool {
        self.is_blank(ahead) || is_bracket(self.byte(ahead))
    }

    /// Whether a plain text can begin here.
    fn begins_plain(&self, in_flow: bool) -> bool {
        match self.byte(0) {
            b'-' | b'?' | b':' => !(self.is_blank(1) || (in_flow && is_bracket(self.byte(1)))),
            byte => !b",[]{}#&*!|>'\"%@`\n\r\0".contains(&byte),
        }
    }

    /// Where a plain text from here ends on this line.
    fn plain_end(&self, in_flow: bool) -> usize {
        let bytes = self.source.as_bytes();
        let (mut at, mut end) = (self.at, self.at);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' => {
                    at += 1;
                    continue;
                }
                b'\n' | b'\r' => break,
                b':' if self.is_blank(at + 1 - self.at) || (in_flow && is_bracket(self.byte(at + 1 - self.at))) => {
                    break;
                }
                b'#' if at > end || at == self.at => break,
                byte if in_flow && is_bracket(*byte) => break,
                _ => {}
            }
            at += 1;
            end = at;
        }
        end
    }

    fn plain(&mut self, least: Option<usize>) -> Result<Cow<'t, str>, Fault> {
        let in_flow = least.is_none();
        if !self.begins_plain(in_flow) {
            let what = "this character may not stand here; put the text in quotes, or remove it if it cannot be seen";
            return Err(self.fault(self.at, what));
        }
        let mut folded = Folded::new(self.source, self.at);
        self.at = self.plain_end(in_flow);
        loop {
            let (end, line) = (self.at, self.line);
            self.blanks();
            if matches!(self.byte(0), b'\n' | b'\r') {
                let breaks = self.breaks();
                let spaces = self.source[self.line..self.at].bytes().take_while(|byte| *byte == b' ').count();
                let next = self.plain_end(in_flow);
                if next > self.at && self.column().is_some() && least.is_none_or(|least| spaces >= least) {
                    fold(folded.take(end, self.at), breaks);
                    self.at = next;
                    continue;
                }
            }
            (self.at, self.line) = (end, line);
            return Ok(folded.finish(end));
        }
    }

    /// Steps over line breaks and what is blank behind them; answers how many breaks there were.
    fn breaks(&mut self) -> usize {
        let mut breaks = 0;
        while matches!(self.byte(0), b'\n' | b'\r') {
            breaks += 1;
            self.at = text::next_line(self.source, self.at);
            self.line = self.at;
            if self.column().is_none() {
                break;
            }
            self.blanks();
        }
        breaks
    }

    fn quoted(&mut self, quote: u8, in_flow: bool) -> Result<Cow<'t, str>, Fault> {
        let (open, line) = (self.at, self.line);
        self.at += 1;
        let mut folded = Folded::new(self.source, self.at);
        let end = loop {
            let at = self.at;
            match self.byte(0) {
                _ if self.column().is_none() => return Err(self.fault(open, "a quote that is opened is never closed")),
                b'\'' if quote == b'\'' && self.byte(1) == b'\'' => {
                    folded.take(at + 1, at + 2);
                    self.at += 2;
                }
                byte if byte == quote => break at,
                b'\\' if quote == b'"' => {
                    self.at += 1;
                    let text = folded.take(at, at);
                    self.escape(text)?;
                    folded.from = self.at;
                }
                b'\n' | b'\r' => {
                    // Blanks before the break go, but not those that are escaped.
                    let before = text::back_over_blanks(self.source, at).max(folded.from);
                    let breaks = self.breaks();
                    fold(folded.take(before, self.at), breaks);
                }
                _ => self.at += 1,
            }
        };
        self.at += 1;
        if self.line != line && (in_flow || has(&self.source[open..self.at], b'\r')) {
            let message = "a text in quotes that goes on over several lines is read in more than one way between \
                           brackets, and where lines end with CR; write it on one line";
            return Err(self.refuse(open, message));
        }
        Ok(folded.finish(end))
    }

    /// Reads what stands behind a `\`.
    fn escape(&mut self, text: &mut String) -> Result<(), Fault> {
        let at = self.at;
        let byte = self.byte(0);
        let digits = match byte {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            b'\n' | b'\r' => {
                let breaks = self.breaks();
                newlines(text, breaks - 1);
                return Ok(());
            }
            _ => 0,
        };
        self.at += 1;
        let c = match byte {
            b'0' => Some('\0'),
            b'a' => Some('\u{7}'),
            b'b' => Some('\u{8}'),
            b't' | b'\t' => Some('\t'),
            b'n' => Some('\n'),
            b'v' => Some('\u{b}'),
            b'f' => Some('\u{c}'),
            b'r' => Some('\r'),
            b'e' => Some('\u{1b}'),
            b'N' => Some('\u{85}'),
            b'_' => Some('\u{a0}'),
            b'L' => Some('\u{2028}'),
            b'P' => Some('\u{2029}'),
            b' ' | b'"' | b'/' | b'\\' => Some(char::from(byte)),
            _ => self.hex(digits).and_then(|code| match code {
                // The first half of a pair, as in JSON.
                0xd800..0xdc00 if self.source[self.at..].starts_with("\\u") => {
                    self.at += 2;
                    let low = self.hex(4)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x10000 + ((code - 0xd800) << 10) + low)
                }
                _ => char::from_u32(code),
            }),
        };
        let Some(c) = c else { return Err(self.fault(at, "a `\\` escape in double quotes that YAML does not know")) };
        text.push(c);
        Ok(())
    }

    /// Reads so many hexadecimal digits; none if there are fewer, or none are asked for.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text = self.source.get(self.at..self.at + digits)?;
        self.at += digits;
        let digit = |code: u32, c: char| Some(code.wrapping_mul(16) + c.to_digit(16)?);
        text.chars().try_fold(0, digit).filter(|_| digits > 0)
    }

    /// Reads a block of lines, from its `|` or `>` on.
    pub fn block_scalar(&mut self, least: usize, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let folds = self.byte(0) == b'>';
        let (mut chomp, mut indent) = (0, None);
        loop {
            self.at += 1;
            match self.byte(0) {
                sign @ (b'+' | b'-') if chomp == 0 => chomp = sign,
                digit @ b'1'..=b'9' if indent.is_none() => {
                    indent = Some((least + usize::from(digit - b'0')).saturating_sub(1))
                }
                _ => break,
            }
        }
        if !self.is_blank(0) {
            return Err(self.fault(self.at, "only `+`, `-` and a digit may follow `|` and `>`"));
        }
        self.line_end()?;
        let mut end = text::back_over_blanks(self.source, text::line_end(self.source, self.at));
        let mut text = String::new();
        // Breaks since the last line of content; whether that line kept its own; the longest blank line before any.
        let (mut breaks, mut kept, mut blank) = (0, true, 0);
        loop {
            self.at = text::next_line(self.source, self.at);
            self.line = self.at;
            if self.column().is_none() {
                break;
            }
            let line_end = text::line_end(self.source, self.at);
            let line = &self.source[self.at..line_end];
            let spaces = line.len() - trim_start(line, " ").len();
            if spaces == line.len() && indent.is_none_or(|indent| spaces <= indent) {
                // Behind content, blanks at the end of the file are no line.
                if line_end < self.source.len() || (text.is_empty() && indent.is_none_or(|indent| spaces == indent)) {
                    blank = blank.max(spaces);
                    breaks += 1;
                    if chomp == b'+' {
                        end = line_end;
                    }
                }
                continue;
            }
            if spaces < indent.unwrap_or(least) {
                break;
            }
            if indent.is_none() && blank > spaces {
                return Err(self.fault(self.at, "a blank line above is indented further than this text"));
            }
            let content = &line[*indent.get_or_insert(spaces)..];
            let keeps = !folds || content.starts_with([' ', '\t']);
            if kept || keeps {
                newlines(&mut text, breaks);
            } else {
                fold(&mut text, breaks);
            }
            text.push_str(content);
            (breaks, kept, end) = (1, keeps, line_end);
        }
        let has_content = !text.is_empty();
        match chomp {
            b'+' => newlines(&mut text, breaks),
            b'-' => {}
            _ if has_content => text.push('\n'),
            _ => {}
        }
        // Right behind content, a line with a tab and nothing else is blank to the harness.
        let line = &self.source[self.at..text::line_end(self.source, self.at)];
        if has_content && breaks == 1 && trim(line, " \t").is_empty() {
            self.at = text::next_line(self.source, self.at);
            self.line = self.at;
        }
        let kind = Kind::Scalar(marks.typed(Cow::Owned(text), false));
        self.place(kind, marks.start.unwrap_or(start), end, true, marks)
    }
}

/// Whether this ends a plain text between brackets.
fn is_bracket(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

/// Behind the closing quote of a text on one line.
fn quote_end(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\n' | b'\r' => return None,
            // What is escaped may be a break, and that ends the line all the same.
            b'\\' if quote == b'"' && matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 1,
            b'\'' if quote == b'\'' && bytes.get(at + 1) == Some(&b'\'') => at += 1,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}
