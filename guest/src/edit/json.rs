//! JSON text → [`Tree`].
//!
//! It never accepts more than JSON: see [`crate::json_scan`].

use alloc::{borrow::Cow, format, vec::Vec};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    scalar::Scalar,
    text,
    tree::{self, Entry, Kind, Map, Node, NodeId, Tree},
};
use crate::{
    json_scan::{Broken, Piece, Scanner, Text},
    number, words,
};

/// Reads one JSON object.
pub(super) fn parse(source: &str) -> Result<Tree<'_>, Fault> {
    let mut reader = Reader { source, scanner: Scanner::new(source), tree: Tree::default() };
    if reader.scanner.at() == source.len() {
        let message = "the file is empty; a JSON file holds at least `{}`";
        return Err(Fault::at(source, 0, FaultKind::Syntax, message));
    }
    let root = reader.value(1)?;
    reader.scanner.end().map_err(|broken| syntax(source, broken))?;
    if reader.tree.map(root).is_none() {
        let what = if matches!(reader.tree.nodes[root].kind, Kind::List(_)) { "a list" } else { "a single value" };
        let message = format!("the whole file is {what}; a configuration file must be an object (`{{…}}`)");
        return Err(Fault::at(source, reader.tree.nodes[root].start, FaultKind::NotAMapping, message));
    }
    reader.tree.root = Some(root);
    Ok(reader.tree)
}

/// What is no JSON, at its place.
fn syntax(source: &str, Broken { at, what }: Broken) -> Fault {
    if matches!(source.as_bytes().get(at), Some(b'/' | b'#')) {
        let message = "there is a comment in this JSON file; the harness itself does not read JSON with comments, \
                       so nothing in this file takes effect: remove the comment";
        return Fault::at(source, at, FaultKind::Comment, message);
    }
    Fault::at(source, at, FaultKind::Syntax, format!("this is not valid JSON: {what}"))
}

/// Builds the tree of a text.
struct Reader<'t> {
    source: &'t str,
    scanner: Scanner<'t>,
    tree: Tree<'t>,
}

impl<'t> Reader<'t> {
    fn scanned<T>(&self, scanned: Result<T, Broken>) -> Result<T, Fault> {
        scanned.map_err(|broken| syntax(self.source, broken))
    }

    /// Reads the value at the present place.
    fn value(&mut self, depth: usize) -> Result<NodeId, Fault> {
        let start = self.scanner.at();
        let id = self.tree.nodes.len();
        let node =
            Node { start, end: start, kind: Kind::Scalar(Scalar::Null), block: false, marked: false, anchored: false };
        self.tree.nodes.push(node);
        let kind = match self.scanner.peek() {
            b'{' | b'[' if depth > MAX_DEPTH => return Err(tree::too_deep(self.source, start)),
            b'{' => Kind::Map(self.object(depth)?),
            b'[' => {
                let mut items = Vec::new();
                while self.scanned_item(items.is_empty())? {
                    items.push(self.value(depth + 1)?);
                }
                Kind::List(items)
            }
            _ => {
                let single = self.scanner.single();
                Kind::Scalar(match self.scanned(single)? {
                    Piece::Bool(flag) => Scalar::Bool(flag),
                    Piece::Number(number) => Scalar::Number(number::parse(number)),
                    Piece::Text(text) => Scalar::Text(self.text(text, start)?),
                    Piece::Null | Piece::Nested(_) => Scalar::Null,
                })
            }
        };
        let node = &mut self.tree.nodes[id];
        node.kind = kind;
        node.end = self.scanner.at();
        Ok(id)
    }

    fn scanned_item(&mut self, first: bool) -> Result<bool, Fault> {
        let next = self.scanner.next_item(first);
        self.scanned(next)
    }

    fn object(&mut self, depth: usize) -> Result<Map<'t>, Fault> {
        let mut map = Map::default();
        loop {
            let next = self.scanner.next_key(map.entries.is_empty());
            let Some(key) = self.scanned(next)? else { break };
            let value = self.value(depth + 1)?;
            map.entries.push(Entry {
                key: self.text(key.text, key.start)?,
                start: key.start,
                key_end: key.end,
                colon: Some(key.colon),
                marked: false,
                value,
            });
        }
        map.close().map_err(|pair| tree::doubled(self.source, &map, pair))?;
        Ok(map)
    }

    fn text(&self, text: Text<'t>, start: usize) -> Result<Cow<'t, str>, Fault> {
        let message = "this text holds half of a surrogate pair (`\\ud…`), which is no character";
        text.decode().ok_or_else(|| Fault::at(self.source, start, FaultKind::Syntax, message))
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
    let body = words::trim(source, " \t\n\r");
    let first = tree.root.and_then(|root| tree.map(root)).and_then(|map| map.entries.first());
    let mut layout = Layout { lines: words::has(body, b'\n') || words::has(body, b'\r'), unit: "  ", spaced: true };
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
