//! JSON text, value by value: where each stands and what it says. Strict, and in one pass.
//!
//! It builds no tree and allocates only for what has escapes; what the values mean is for its callers to say.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::words::split_first;

/// Where a text stops being JSON, and what is wrong there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Broken {
    /// In bytes.
    pub at: usize,
    /// In words for a person.
    pub what: &'static str,
}

/// One value.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is spelled.
    Number(&'t str),
    /// A text.
    Text(Text<'t>),
    /// An object or a list, as it is spelled.
    Nested(&'t str),
}

/// What stands between two quotes.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    raw: &'t str,
    escaped: bool,
}

/// A key of an object, with its places in bytes.
pub struct Key<'t> {
    /// What it says.
    pub text: Text<'t>,
    /// Where its opening quote stands.
    pub start: usize,
    /// Behind its closing quote.
    pub end: usize,
    /// Behind its `:`.
    pub colon: usize,
}

/// A text that is read as JSON, and how far it has been read.
pub struct Scanner<'t> {
    source: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    /// At the first value of a text.
    pub fn new(source: &'t str) -> Self {
        let mut scanner = Self { source, at: 0 };
        scanner.skip();
        scanner
    }

    /// How far it has been read, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next byte; 0 at the end.
    pub fn peek(&self) -> u8 {
        self.source.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn fault<T>(&self, what: &'static str) -> Result<T, Broken> {
        let what = if self.at < self.source.len() { what } else { "the text ends too early" };
        Err(Broken { at: self.at, what })
    }

    fn skip(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\r' | b'\t') {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    /// Fails if anything but white space follows.
    pub fn end(&mut self) -> Result<(), Broken> {
        self.skip();
        if self.at == self.source.len() { Ok(()) } else { self.fault("there is text behind the end of the value") }
    }

    /// Steps to the next key of an object, and over its `:`; `first`: at the `{`. None: over the `}`.
    pub fn next_key(&mut self, first: bool) -> Result<Option<Key<'t>>, Broken> {
        if !self.next(first, b'{', b'}')? {
            return Ok(None);
        }
        let start = self.at;
        if self.peek() != b'"' {
            return self.fault("a key in double quotes is missing");
        }
        let text = self.text()?;
        let end = self.at;
        self.skip();
        if !self.eat(b':') {
            return self.fault("a `:` is missing");
        }
        let colon = self.at;
        self.skip();
        Ok(Some(Key { text, start, end, colon }))
    }

    /// Steps to the next item of a list; `first`: at the `[`. False: over the `]`.
    pub fn next_item(&mut self, first: bool) -> Result<bool, Broken> {
        self.next(first, b'[', b']')
    }

    fn next(&mut self, first: bool, open: u8, close: u8) -> Result<bool, Broken> {
        self.skip();
        if first {
            if !self.eat(open) {
                return self.fault("a `{` is missing");
            }
            self.skip();
        }
        if self.eat(close) {
            return Ok(false);
        }
        if !first {
            if !self.eat(b',') {
                return self.fault("a comma or a closing bracket is missing");
            }
            self.skip();
            if self.peek() == close {
                return self.fault("there is a comma behind the last entry");
            }
        }
        Ok(true)
    }

    /// Reads the value that starts here.
    pub fn value(&mut self) -> Result<Piece<'t>, Broken> {
        let start = self.at;
        // What is open, from the outside in: each by its opening bracket.
        let mut open: Vec<u8> = Vec::new();
        loop {
            let bracket = self.peek();
            let mut first = matches!(bracket, b'{' | b'[');
            if first {
                open.push(bracket);
            } else {
                let piece = self.single()?;
                if open.is_empty() {
                    return Ok(piece);
                }
            }
            while let Some(bracket) = open.last() {
                let more = if *bracket == b'{' { self.next_key(first)?.is_some() } else { self.next_item(first)? };
                if more {
                    break;
                }
                first = false;
                open.pop();
            }
            if open.is_empty() {
                return Ok(Piece::Nested(&self.source[start..self.at]));
            }
        }
    }

    /// Reads a value that is neither object nor list.
    pub fn single(&mut self) -> Result<Piece<'t>, Broken> {
        match self.peek() {
            b'"' => self.text().map(Piece::Text),
            b'-' | b'0'..=b'9' => self.number().map(Piece::Number),
            _ => {
                let rest = &self.source[self.at..];
                let words = [("null", Piece::Null), ("true", Piece::Bool(true)), ("false", Piece::Bool(false))];
                match words.into_iter().find(|(word, _)| rest.starts_with(word)) {
                    Some((word, piece)) => {
                        self.at += word.len();
                        Ok(piece)
                    }
                    None => self.fault("a value is missing"),
                }
            }
        }
    }

    fn number(&mut self) -> Result<&'t str, Broken> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        } else if self.peek().is_ascii_digit() {
            return self.fault("a number starts with 0");
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(&self.source[start..self.at])
    }

    fn digits(&mut self) -> Result<(), Broken> {
        if !self.peek().is_ascii_digit() {
            return self.fault("a digit is missing");
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    /// Reads the text whose opening quote stands here.
    fn text(&mut self) -> Result<Text<'t>, Broken> {
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        loop {
            match self.peek() {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.at += 1;
                    let hex = match self.peek() {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 0,
                        b'u' => 4,
                        _ => return self.fault("a `\\` stands before a character that needs none"),
                    };
                    for _ in 0..hex {
                        self.at += 1;
                        if !self.peek().is_ascii_hexdigit() {
                            return self.fault("four hexadecimal digits must follow `\\u`");
                        }
                    }
                    self.at += 1;
                }
                0..b' ' => return self.fault("a control character stands in a text"),
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(Text { raw: &self.source[start..self.at - 1], escaped })
    }
}

impl<'t> Text<'t> {
    /// What it says; none if it holds half a surrogate pair, which is no character.
    pub fn decode(self) -> Option<Cow<'t, str>> {
        if !self.escaped {
            return Some(Cow::Borrowed(self.raw));
        }
        let mut out = String::new();
        let mut rest = self.raw;
        while let Some((before, behind)) = split_first(rest, "\\") {
            out.push_str(before);
            let mut chars = behind.chars();
            out.push(match chars.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let unit = hex(&mut chars)?;
                    match unit {
                        0xd800..0xdc00 => {
                            let (Some('\\'), Some('u')) = (chars.next(), chars.next()) else { return None };
                            let low = hex(&mut chars)?.checked_sub(0xdc00)?;
                            char::from_u32(0x10000 + ((unit - 0xd800) << 10) + low).filter(|_| low < 0x400)?
                        }
                        _ => char::from_u32(unit)?,
                    }
                }
                other => other,
            });
            rest = chars.as_str();
        }
        out.push_str(rest);
        Some(Cow::Owned(out))
    }
}

/// Four hexadecimal digits.
fn hex(chars: &mut core::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |unit, _| Some(unit * 16 + chars.next()?.to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces that JSON is made of, so that random text comes near to being some.
    fn soup() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\"a\":",
            "{\"a\":1}",
            "null",
            "true",
            "false",
            "nul",
            "0",
            "01",
            "-",
            "-0",
            "1.5",
            "1.",
            ".5",
            "1e5",
            "1e+5",
            "1E-",
            " ",
            "\n",
            "\t",
            "\\",
            "\\n",
            "\\u00e9",
            "\\ud83d\\ude00",
            "\\ud83d",
            "\\ude00",
            "\\u12",
            "é",
            "\u{1}",
            "\u{7f}",
            "\u{feff}",
            "/",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn read(text: &str) -> Result<Piece<'_>, Broken> {
        let mut scanner = Scanner::new(text);
        let piece = scanner.value()?;
        scanner.end().map(|()| piece)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn what_is_json_is_what_serde_json_takes(text in soup()) {
            let theirs = serde_json::from_str::<serde::de::IgnoredAny>(&text);
            prop_assert_eq!(read(&text).is_ok(), theirs.is_ok(), "{:?}: {:?} {:?}", text, read(&text), theirs);
        }

        #[test]
        fn a_text_says_what_serde_json_says(text in soup()) {
            let text = alloc::format!("\"{}\"", text.replace('"', ""));
            let ours = read(&text).ok().and_then(|piece| match piece {
                Piece::Text(text) => text.decode(),
                _ => None,
            });
            let theirs = serde_json::from_str::<String>(&text).ok();
            prop_assert_eq!(ours.as_deref(), theirs.as_deref(), "{}", text);
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(matches!(read(&deep), Ok(Piece::Nested(_))));
    }
}
