//! JSON text → [`Tree`].
//!
//! It never accepts more than JSON: `serde_json` judges the whole text first, and this module only finds out
//! where things stand.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    scalar::Scalar,
    text,
    tree::{self, Entry, Kind, Map, Node, NodeId, Tree},
};

/// Reads one JSON object.
pub(super) fn parse(source: &str) -> Result<Tree<'_>, Fault> {
    if source.trim_matches([' ', '\t', '\n', '\r']).is_empty() {
        let message = "the file is empty; a JSON file holds at least `{}`";
        return Err(Fault::at(source, 0, FaultKind::Syntax, message));
    }
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(source) {
        return Err(syntax(source, &error));
    }
    let mut reader = Reader { source, at: 0, tree: Tree::default() };
    reader.skip();
    let root = reader.value(1)?;
    if reader.tree.map(root).is_none() {
        let what = if matches!(reader.tree.nodes[root].kind, Kind::List(_)) { "a list" } else { "a single value" };
        let message = format!("the whole file is {what}; a configuration file must be an object (`{{…}}`)");
        return Err(Fault::at(source, reader.tree.nodes[root].start, FaultKind::NotAMapping, message));
    }
    reader.tree.root = Some(root);
    Ok(reader.tree)
}

/// What `serde_json` found, at its place.
fn syntax(source: &str, error: &serde_json::Error) -> Fault {
    // serde_json counts lines by LF from 1, and columns in bytes; column 0 is the break before the line.
    let mut start = 0;
    for _ in 1..error.line() {
        start = source[start..].find('\n').map_or(source.len(), |n| start + n + 1);
    }
    let mut at = (start + error.column()).saturating_sub(1).min(source.len());
    while !source.is_char_boundary(at) {
        at -= 1;
    }
    if matches!(source.as_bytes().get(at), Some(b'/' | b'#')) {
        let message = "there is a comment in this JSON file; the harness itself does not read JSON with comments, \
                       so nothing in this file takes effect: remove the comment";
        return Fault::at(source, at, FaultKind::Comment, message);
    }
    let text = format!("{error}");
    let what = text.split(" at line ").next().unwrap_or_default();
    Fault::at(source, at, FaultKind::Syntax, format!("this is not valid JSON: {what}"))
}

/// A text that is known to be JSON, and how far it has been read.
struct Reader<'t> {
    source: &'t str,
    at: usize,
    tree: Tree<'t>,
}

impl<'t> Reader<'t> {
    fn skip(&mut self) {
        let rest = &self.source.as_bytes()[self.at..];
        let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n' | b'\r');
        self.at += rest.iter().position(|b| !blank(b)).unwrap_or(rest.len());
    }

    fn peek(&self) -> u8 {
        self.source.as_bytes().get(self.at).copied().unwrap_or_default()
    }

    fn push(&mut self, start: usize, kind: Kind<'t>) -> NodeId {
        self.tree.nodes.push(Node { start, end: self.at, kind, block: false, marked: false, anchored: false });
        self.tree.nodes.len() - 1
    }

    /// Reads the value at the present place and the white space behind it.
    fn value(&mut self, depth: usize) -> Result<NodeId, Fault> {
        let start = self.at;
        let id = match self.peek() {
            b'{' | b'[' if depth > MAX_DEPTH => return Err(tree::too_deep(self.source, start)),
            b'{' => self.object(start, depth)?,
            b'[' => self.list(start, depth)?,
            b'"' => {
                let text = self.string()?;
                self.push(start, Kind::Scalar(Scalar::Text(text)))
            }
            _ => {
                let rest = &self.source.as_bytes()[start..];
                let ends = |b: &u8| matches!(b, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r');
                self.at += rest.iter().position(ends).unwrap_or(rest.len());
                let scalar = match &self.source[start..self.at] {
                    "null" => Scalar::Null,
                    "true" => Scalar::Bool(true),
                    "false" => Scalar::Bool(false),
                    number => match number.parse() {
                        Ok(number) => Scalar::Number(number),
                        Err(_) => return Err(self.broken()),
                    },
                };
                self.push(start, Kind::Scalar(scalar))
            }
        };
        self.skip();
        Ok(id)
    }

    fn list(&mut self, start: usize, depth: usize) -> Result<NodeId, Fault> {
        let id = self.push(start, Kind::List(Vec::new()));
        let mut items = Vec::new();
        self.at += 1;
        self.skip();
        while self.peek() != b']' {
            items.push(self.value(depth + 1)?);
            self.comma(b']')?;
        }
        self.at += 1;
        self.tree.nodes[id].kind = Kind::List(items);
        self.tree.nodes[id].end = self.at;
        Ok(id)
    }

    fn object(&mut self, start: usize, depth: usize) -> Result<NodeId, Fault> {
        let id = self.push(start, Kind::Map(Map::default()));
        let mut map = Map::default();
        self.at += 1;
        self.skip();
        while self.peek() != b'}' {
            let start = self.at;
            let key = self.string()?;
            let key_end = self.at;
            self.skip();
            if self.peek() != b':' {
                return Err(self.broken());
            }
            self.at += 1;
            let colon = Some(self.at);
            self.skip();
            let value = self.value(depth + 1)?;
            map.entries.push(Entry { key, start, key_end, colon, marked: false, value });
            self.comma(b'}')?;
        }
        self.at += 1;
        map.close().map_err(|pair| tree::doubled(self.source, &map, pair))?;
        self.tree.nodes[id].kind = Kind::Map(map);
        self.tree.nodes[id].end = self.at;
        Ok(id)
    }

    /// Steps over a comma, or stays before the closing bracket.
    fn comma(&mut self, close: u8) -> Result<(), Fault> {
        match self.peek() {
            b',' => {
                self.at += 1;
                self.skip();
                Ok(())
            }
            byte if byte == close => Ok(()),
            _ => Err(self.broken()),
        }
    }

    /// Reads the string at the present place.
    fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        let start = self.at;
        let bytes = self.source.as_bytes();
        let mut escaped = false;
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at += 2;
                }
                Some(_) => at += 1,
                None => return Err(self.broken()),
            }
        }
        self.at = at + 1;
        if !escaped {
            return Ok(Cow::Borrowed(&self.source[start + 1..at]));
        }
        match serde_json::from_str::<String>(&self.source[start..self.at]) {
            Ok(text) => Ok(Cow::Owned(text)),
            Err(_) => {
                let message = "this text holds half of a surrogate pair (`\\ud…`), which is no character";
                Err(Fault::at(self.source, start, FaultKind::Syntax, message))
            }
        }
    }

    /// The text is not what `serde_json` said it was.
    fn broken(&self) -> Fault {
        Fault::at(self.source, self.at, FaultKind::Syntax, "this is not valid JSON")
    }
}

/// How a JSON file is laid out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout<'t> {
    /// Whether the file has more than one line.
    pub lines: bool,
    /// One step of indentation.
    pub unit: &'t str,
    /// Whether a space stands behind a `:`.
    pub spaced: bool,
}

/// Finds out how a file is laid out from its outermost object, then from the first key in it.
pub(super) fn layout<'t>(source: &'t str, tree: &Tree<'_>) -> Layout<'t> {
    let body = source.trim_matches([' ', '\t', '\n', '\r']);
    let first = tree.root.and_then(|root| tree.map(root)).and_then(|map| map.entries.first());
    let mut layout = Layout { lines: body.contains(['\n', '\r']), unit: "  ", spaced: true };
    if let Some(entry) = first {
        let colon = entry.colon.unwrap_or(entry.key_end);
        layout.spaced = matches!(source.as_bytes().get(colon), Some(b' ' | b'\t' | b'\n' | b'\r'));
        let indent = text::indent(source, entry.start);
        if text::begins_line(source, entry.start) && !indent.is_empty() {
            layout.unit = indent;
        }
    }
    layout
}
