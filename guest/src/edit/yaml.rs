//! YAML text → [`Tree`]: documents, and blocks, whose lines are told apart by how far they are indented.
//!
//! It reads what `Bun.YAML` 1.4.5, the reader of the harness, reads, and as that does (the cases stand in
//! `tests/edit_bun.rs`); what readers of YAML take in more than one way is refused. Brackets are read in
//! [`super::yaml_flow`], single values in [`super::yaml_scalar`], anchors and tags in [`super::yaml_marks`].

use alloc::{borrow::Cow, format, vec::Vec};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    scalar::{self, Scalar},
    text,
    tree::{self, Entry, Kind, Map, Node, NodeId, Tree},
    yaml_marks::Marks,
};
use crate::ordered;

/// Reads one document that is a mapping, or empty.
pub(super) fn parse(source: &str) -> Result<Tree<'_>, Fault> {
    if let Some(at) = source.find(is_unprintable) {
        let message = "there is a character inside the file that cannot be seen; remove it";
        return Err(Fault::at(source, at, FaultKind::Syntax, message));
    }
    let mut reader = Reader { source, at: 0, line: 0, tree: Tree::default(), anchors: ordered::Map::new(), depth: 0 };
    reader.tree.empty_at = source.len();
    reader.document()?;
    Ok(reader.tree)
}

/// What a YAML file may not hold, a byte order mark inside it included.
fn is_unprintable(c: char) -> bool {
    let control = c < ' ' && !matches!(c, '\t' | '\n' | '\r');
    control || matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A text, and how far it has been read.
pub(super) struct Reader<'t> {
    pub source: &'t str,
    pub at: usize,
    /// Where the line of `at` starts.
    pub line: usize,
    pub tree: Tree<'t>,
    /// Anchored nodes by name; none while the node is open: an alias to it in itself would never end.
    pub anchors: ordered::Map<&'t str, Option<NodeId>>,
    depth: usize,
}

/// Where a node of a block may stand.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// Behind the `:` of a key: a block begins on a line of its own, a list may be indented like the key.
    Value,
    /// Behind a `-` or `?`, or where a line begins: a block may begin right there.
    Compact,
    /// Behind `---`.
    Document,
}

/// A key before its `:`.
pub(super) struct Key<'t> {
    pub text: Cow<'t, str>,
    /// Whether it carries an anchor or a tag, or is an alias.
    pub marked: bool,
    /// Where it starts, with its anchor and tag.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl<'t> Reader<'t> {
    pub fn fault(&self, at: usize, what: &str) -> Fault {
        Fault::at(self.source, at, FaultKind::Syntax, format!("this is not valid YAML: {what}"))
    }

    pub fn refuse(&self, at: usize, message: &str) -> Fault {
        Fault::at(self.source, at, FaultKind::Spelling, message)
    }

    pub fn key_is_collection(&self, at: usize) -> Fault {
        self.refuse(at, "a list or mapping stands here as a key; a key must be a single value")
    }

    /// The byte `ahead` of the present place; 0 behind the end.
    pub fn byte(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    /// Whether white space or the end stands `ahead`.
    pub fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.byte(ahead), b' ' | b'\t' | b'\n' | b'\r' | 0)
    }

    /// Whether this character stands here with white space behind it.
    pub fn indicator(&self, byte: u8) -> bool {
        self.byte(0) == byte && self.is_blank(1)
    }

    /// Steps over spaces and tabs.
    pub fn blanks(&mut self) {
        self.at = text::skip_blanks(self.source, self.at);
    }

    /// Whether nothing but a comment follows on the line.
    pub fn line_is_over(&self) -> bool {
        match self.byte(0) {
            b'\n' | b'\r' | 0 => true,
            b'#' => self.at == self.line || matches!(self.source.as_bytes()[self.at - 1], b' ' | b'\t'),
            _ => false,
        }
    }

    /// Steps over white space, breaks and comments. No line of them may begin with a tab: whether the harness
    /// takes that for a blank line depends on what stands before it, and an edit may change that.
    pub fn gap(&mut self) -> Result<(), Fault> {
        loop {
            let begins = self.at == self.line;
            let from = self.at;
            self.blanks();
            if begins && self.source[from..self.at].contains('\t') {
                return Err(self.fault(self.at, "a tab stands where only spaces may indent; use spaces"));
            }
            if !self.line_is_over() || self.byte(0) == 0 {
                return Ok(());
            }
            self.at = text::next_line(self.source, self.at);
            self.line = self.at;
        }
    }

    /// Whether a line here marks the start or end of a document.
    fn is_marker(&self) -> bool {
        let line = &self.source.as_bytes()[self.at..];
        self.at == self.line && (line.starts_with(b"---") || line.starts_with(b"...")) && self.is_blank(3)
    }

    /// How far the present place is indented; none at the end of the document.
    pub fn column(&self) -> Option<usize> {
        let over = self.at == self.source.len() || self.is_marker();
        (!over).then(|| self.at - self.line)
    }

    fn document(&mut self) -> Result<(), Fault> {
        self.gap()?;
        let mut place = Place::Compact;
        let mut directive = false;
        while self.byte(0) == b'%' && self.at == self.line {
            let line = &self.source[self.at..text::line_end(self.source, self.at)];
            let version = line.strip_prefix("%YAML 1.").map(str::trim_ascii_end).unwrap_or_default();
            if version.is_empty() || !version.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(self.refuse(0, "a directive (`%…`) stands before the mapping; remove it"));
            }
            if core::mem::replace(&mut directive, true) {
                return Err(self.fault(self.at, "there are two `%YAML` lines"));
            }
            self.at = text::line_end(self.source, self.at);
            self.gap()?;
        }
        if self.is_marker() && self.byte(0) == b'-' {
            self.at += 3;
            place = Place::Document;
        } else if directive {
            return Err(self.fault(self.at, "`---` is missing behind the `%YAML` line"));
        }
        if place == Place::Document || self.column().is_some() {
            let root = self.node(0, place)?;
            if !matches!(self.tree.nodes[root], Node { kind: Kind::Scalar(Scalar::Absent), marked: false, .. }) {
                self.tree.root = Some(root);
            }
            self.gap()?;
        }
        self.ends()?;
        let Some(root) = self.tree.root.map(|root| &self.tree.nodes[root]) else { return Ok(()) };
        let what = match root.kind {
            Kind::Map(_) => return Ok(()),
            Kind::List(_) => "a list",
            _ => "a single value",
        };
        let message = format!("the whole file is {what}; a configuration file must be a mapping (`key: value`)");
        Err(Fault::at(self.source, root.start, FaultKind::NotAMapping, message))
    }

    /// Fails if anything but end marks follows the document.
    fn ends(&mut self) -> Result<(), Fault> {
        if self.column().is_some() {
            return Err(self.fault(self.at, MISPLACED));
        }
        self.tree.empty_at = self.at;
        while self.is_marker() && self.byte(0) == b'.' {
            self.at += 3;
            self.line_end()?;
            self.gap()?;
        }
        if self.at == self.source.len() {
            return Ok(());
        }
        let message = "a second YAML document starts here; the harness reads one document a file";
        Err(Fault::at(self.source, self.at, FaultKind::SeveralDocuments, message))
    }

    /// Fails if anything but a comment follows on the line.
    pub fn line_end(&mut self) -> Result<(), Fault> {
        self.blanks();
        match self.byte(0) {
            _ if self.line_is_over() => Ok(()),
            b':' => Err(self.fault(self.at, "a `:` stands where none may be; quote the text if it belongs to it")),
            b'#' => Err(self.fault(self.at, "a comment needs a space before its `#`")),
            _ => Err(self.fault(self.at, "there is text behind the end of a value")),
        }
    }

    /// Reads the node that begins here or on a later line that is indented by at least `least`.
    fn node(&mut self, least: usize, place: Place) -> Result<NodeId, Fault> {
        let begin = self.at;
        let mut marks = Marks::default();
        let mut compact = place == Place::Compact;
        let (start, here) = loop {
            self.blanks();
            let start = self.at;
            let here = self.marks()?;
            if !self.line_is_over() {
                break (start, here);
            }
            marks = self.together(marks, here)?;
            self.gap()?;
            compact = true;
            let fits = match self.column() {
                Some(column) if place == Place::Value && column + 1 == least => self.indicator(b'-'),
                Some(column) => column >= least,
                None => false,
            };
            if !fits {
                return self.absent(begin, &marks);
            }
        };
        let column = start - self.line;
        let dash = self.indicator(b'-');
        if !dash && !(compact && (self.indicator(b'?') || self.begins_key())) {
            let marks = self.together(marks, here)?;
            return self.single(least, &marks);
        }
        if !compact || (dash && !here.is_empty()) {
            return Err(self.fault(self.at, "a list must begin on a line of its own"));
        }
        if self.source[self.line.max(begin)..start].contains('\t') {
            return Err(self.fault(start, "a tab stands where only spaces may indent; use spaces"));
        }
        // The first blocks below keys show how far the file indents.
        let deeper = column + 1 - least;
        if dash {
            self.tree.list_step = self.tree.list_step.or((place == Place::Value).then_some(deeper));
            return self.list(column, &marks);
        }
        self.tree.step = self.tree.step.or((place == Place::Value).then_some(deeper));
        self.at = start;
        self.map(column, &marks)
    }

    /// Reads a node that is no block: a single value, or brackets.
    fn single(&mut self, least: usize, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let id = match self.byte(0) {
            b'[' | b'{' => {
                let id = self.flow(marks)?;
                self.check_lines(start, least, "]},#")?;
                id
            }
            b'*' => self.alias(marks)?,
            b'|' | b'>' => return self.block_scalar(least, marks),
            quote => {
                let id = self.scalar(Some(least), marks)?;
                if matches!(quote, b'"' | b'\'') {
                    self.check_lines(start, least, "")?;
                }
                id
            }
        };
        if self.byte(text::skip_blanks(self.source, self.at) - self.at) == b':'
            && matches!(self.tree.nodes[id].kind, Kind::List(_) | Kind::Map(_))
        {
            return Err(self.key_is_collection(start));
        }
        self.line_end()?;
        Ok(id)
    }

    /// Adds a value where none is written.
    pub fn absent(&mut self, at: usize, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = marks.start.unwrap_or(at);
        self.place(Kind::Scalar(marks.absent()), start, if marks.is_empty() { at } else { marks.end }, false, marks)
    }

    /// Adds a node that is complete.
    pub fn place(
        &mut self,
        kind: Kind<'t>,
        start: usize,
        end: usize,
        block: bool,
        marks: &Marks<'t>,
    ) -> Result<NodeId, Fault> {
        let id = self.push(kind, start, end, block, marks)?;
        self.close_anchor(marks, id);
        Ok(id)
    }

    fn push(
        &mut self,
        kind: Kind<'t>,
        start: usize,
        end: usize,
        block: bool,
        marks: &Marks<'t>,
    ) -> Result<NodeId, Fault> {
        self.open_anchor(marks)?;
        let (marked, anchored) = (!marks.is_empty(), marks.anchor.is_some());
        self.tree.nodes.push(Node { start, end, kind, block, marked, anchored });
        Ok(self.tree.nodes.len() - 1)
    }

    /// Adds a list or mapping that is to be filled.
    pub fn open(&mut self, block: bool, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = marks.start.unwrap_or(self.at);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(tree::too_deep(self.source, self.at));
        }
        self.push(Kind::List(Vec::new()), start, start, block, marks)
    }

    /// Completes a list or mapping.
    pub fn close(&mut self, id: NodeId, kind: Kind<'t>, end: usize, marks: &Marks<'t>) {
        let anchored = match &kind {
            Kind::List(items) => items.iter().any(|item| self.tree.nodes[*item].anchored),
            Kind::Map(map) => map.entries.iter().any(|entry| entry.marked || self.tree.nodes[entry.value].anchored),
            _ => false,
        };
        let node = &mut self.tree.nodes[id];
        node.kind = kind;
        node.end = end;
        node.anchored |= anchored;
        self.depth -= 1;
        self.close_anchor(marks, id);
    }

    fn list(&mut self, column: usize, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let id = self.open(true, marks)?;
        let mut items = Vec::new();
        let mut end = self.at;
        while self.next_in_block(column)? && self.indicator(b'-') {
            self.at += 1;
            let item = self.node(column + 1, Place::Compact)?;
            end = text::line_end(self.source, self.tree.nodes[item].end);
            items.push(item);
        }
        self.close(id, Kind::List(items), end, marks);
        Ok(id)
    }

    /// Whether a further line of the block at `column` comes next.
    fn next_in_block(&mut self, column: usize) -> Result<bool, Fault> {
        self.gap()?;
        match self.column() {
            Some(found) if found > column => Err(self.fault(self.at, MISPLACED)),
            found => Ok(found == Some(column)),
        }
    }

    fn map(&mut self, column: usize, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let id = self.open(true, marks)?;
        let mut map = Map::default();
        let mut end = self.at;
        while self.next_in_block(column)? && !self.indicator(b'-') {
            let entry = self.entry(column)?;
            end = text::line_end(self.source, self.tree.value_end(&entry));
            map.entries.push(entry);
        }
        // The harness gives the tag of a block mapping to its first key.
        if let (false, Some(key)) = (marks.is_empty(), map.entries.first()) {
            let spelled = Cow::Borrowed(&self.source[key.start..key.key_end]);
            if !matches!(scalar::resolve(spelled), Scalar::Text(_)) {
                return Err(self.refuse(key.start, "put this key in quotes: the mapping carries a tag or an anchor"));
            }
        }
        map.close().map_err(|pair| tree::doubled(self.source, &map, pair))?;
        self.close(id, Kind::Map(map), end, marks);
        Ok(id)
    }

    fn entry(&mut self, column: usize) -> Result<Entry<'t>, Fault> {
        let start = self.at;
        if self.indicator(b'?') {
            return self.explicit_entry(column);
        }
        if self.indicator(b':') {
            return Err(self.refuse(start, "there is no key before this `:`"));
        }
        let marks = self.marks()?;
        if !self.begins_key() {
            return Err(match self.byte(0) {
                b'[' | b'{' => self.key_is_collection(start),
                _ => self.fault(self.at, "a key without its `:`"),
            });
        }
        let id = self.key(&marks)?;
        let Key { text: key, marked, end: key_end, .. } = self.key_of(id)?;
        self.blanks();
        self.at += 1;
        let colon = Some(self.at);
        let value = self.node(column + 1, Place::Value)?;
        Ok(Entry { key, start, key_end, colon, marked, value })
    }

    /// `? key`, then `: value`. Such an entry is read, and not edited.
    fn explicit_entry(&mut self, column: usize) -> Result<Entry<'t>, Fault> {
        self.at += 1;
        let id = self.node(column + 1, Place::Compact)?;
        let Key { text: key, marked, start, end: key_end } = self.key_of(id)?;
        self.gap()?;
        let value = if self.column() == Some(column) && self.indicator(b':') {
            self.at += 1;
            self.node(column + 1, Place::Compact)?
        } else {
            self.absent(key_end, &Marks::default())?
        };
        Ok(Entry { key, start, key_end, colon: None, marked, value })
    }

    /// The key that the last node is.
    pub fn key_of(&mut self, id: NodeId) -> Result<Key<'t>, Fault> {
        let node = &self.tree.nodes[id];
        let (start, end, anchored) = (node.start, node.end, node.anchored);
        let (scalar, marked) = match &node.kind {
            Kind::Scalar(Scalar::Absent) => return Err(self.refuse(start, "there is no key here")),
            // Maybe an anchor and a tag alone.
            Kind::Scalar(Scalar::Null) if node.marked => return Err(self.refuse(start, "there is no key here")),
            Kind::Scalar(Scalar::Text(text)) if node.marked && text.is_empty() => {
                return Err(self.refuse(start, "there is no key here"));
            }
            Kind::Scalar(scalar) => (scalar.clone(), node.marked),
            Kind::Alias(target) => match &self.tree.nodes[*target].kind {
                Kind::Scalar(scalar) => (scalar.clone(), true),
                _ => return Err(self.key_is_collection(start)),
            },
            _ => return Err(self.key_is_collection(start)),
        };
        // Only an alias may still need it.
        if !anchored {
            self.tree.nodes.truncate(id);
        }
        Ok(Key { text: scalar::key_text(scalar), marked, start, end })
    }
}

/// What is wrong with a line that fits no block.
const MISPLACED: &str = "the line is not indented as the lines around it need";

impl Reader<'_> {
    /// Fails where a text in quotes or brackets from `start` to here goes on in a line that is not indented by
    /// at least `least`, unless the line begins with one of `but_for`.
    pub fn check_lines(&self, start: usize, least: usize, but_for: &str) -> Result<(), Fault> {
        let mut at = text::next_line(self.source, start);
        while at < self.at {
            let first = text::skip_blanks(self.source, at);
            let spaces = self.source[at..first].bytes().take_while(|byte| *byte == b' ').count();
            let rest = &self.source[first..];
            if spaces < least && !rest.starts_with(['\n', '\r']) && !rest.starts_with(|c| but_for.contains(c)) {
                return Err(self.fault(at, "this line must be indented further than the block around it, with spaces"));
            }
            at = text::next_line(self.source, first);
        }
        Ok(())
    }
}
