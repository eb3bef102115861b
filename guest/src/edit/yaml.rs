//! YAML text → [`Tree`]: documents, and blocks, whose lines are told apart by how far they are indented.
//!
//! It reads what `Bun.YAML` 1.4.5, the reader of the harness, reads, and as that does (the cases stand in
//! `fixtures/yaml`); what readers of YAML take in more than one way is refused. Brackets are read in
//! [`super::yaml_flow`], single values in [`super::yaml_scalar`], anchors and tags in [`super::yaml_marks`].

use alloc::{format, vec::Vec};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    scalar::{self, Scalar},
    text,
    tree::{self, Entry, Kind, Map, Node, NodeId, Tree},
    yaml_marks::Marks,
};
use crate::{ordered, words::has};

/// Reads one document that is a mapping, or empty.
pub(super) fn parse(source: &str) -> Result<Tree<'_>, Fault> {
    if let Some(at) = source.find(is_unprintable) {
        let message = "there is a character inside the file that cannot be seen; remove it";
        return Err(Fault::at(source, at, FaultKind::Syntax, message));
    }
    let tree = Tree { empty_at: source.len(), ..Tree::default() };
    let (anchors, open_anchors) = (ordered::Map::new(), Vec::new());
    let mut reader = Reader { source, at: 0, line: 0, tree, anchors, open_anchors, tagged: false, depth: 0 };
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
    /// The open nodes that have an anchor, with its name.
    pub open_anchors: Vec<(NodeId, &'t str)>,
    /// Whether there has been a tag.
    pub tagged: bool,
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
            if begins && has(&self.source[from..self.at], b'\t') {
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
    ///
    /// This is where nested blocks nest the calls too: what is long lives in functions of its own, to spare the stack.
    fn node(&mut self, least: usize, place: Place) -> Result<NodeId, Fault> {
        let (id, block) = self.begin(least, place)?;
        let Some(column) = block else { return Ok(id) };
        let is_list = matches!(self.tree.nodes[id].kind, Kind::List(_));
        while self.next_in_block(column)? && is_list == self.indicator(b'-') {
            let value = if is_list {
                self.at += 1;
                self.node(column + 1, Place::Compact)?
            } else if self.entry_key(id)? {
                self.node(column + 1, Place::Value)?
            } else {
                // `? key`, then `: value`. Such an entry is read, and not edited.
                let key = self.node(column + 1, Place::Compact)?;
                self.add_key(id, key, None)?;
                let end = self.at;
                self.gap()?;
                if self.column() == Some(column) && self.indicator(b':') {
                    self.at += 1;
                    self.node(column + 1, Place::Compact)?
                } else {
                    self.absent(end, &Marks::default())?
                }
            };
            self.add(id, value);
        }
        self.close_block(id)?;
        Ok(id)
    }

    /// Reads a node up to what is nested in it; with a column: it is a block of that, and opened.
    #[inline(never)]
    fn begin(&mut self, least: usize, place: Place) -> Result<(NodeId, Option<usize>), Fault> {
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
                return Ok((self.absent(begin, &marks)?, None));
            }
        };
        let dash = self.indicator(b'-');
        if !dash && !(compact && (self.indicator(b'?') || self.begins_key())) {
            let marks = self.together(marks, here)?;
            return Ok((self.single(least, &marks)?, None));
        }
        if !compact || (dash && !here.is_empty()) {
            return Err(self.fault(self.at, "a list must begin on a line of its own"));
        }
        if has(&self.source[self.line.max(begin)..start], b'\t') {
            return Err(self.fault(start, "a tab stands where only spaces may indent; use spaces"));
        }
        let column = start - self.line;
        // The first blocks below keys show how far the file indents.
        let deeper = (place == Place::Value).then(|| column + 1 - least);
        let step = if dash { &mut self.tree.list_step } else { &mut self.tree.step };
        *step = step.or(deeper);
        self.at = start;
        let kind = if dash { Kind::List(Vec::new()) } else { Kind::Map(Map::default()) };
        Ok((self.open(kind, true, &marks)?, Some(column)))
    }

    /// Reads a node that is no block: a single value, or brackets.
    fn single(&mut self, least: usize, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let first = self.byte(0);
        let id = match first {
            b'|' | b'>' => return self.block_scalar(least, marks),
            b'[' | b'{' => self.flow(marks)?,
            b'*' => self.alias(marks)?,
            _ => self.scalar(Some(least), marks)?,
        };
        match first {
            b'[' | b'{' => self.check_lines(start, least, "]}#")?,
            b'"' | b'\'' => self.check_lines(start, least, "")?,
            _ => {}
        }
        self.blanks();
        if self.byte(0) == b':' && matches!(first, b'[' | b'{') {
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
        self.close_anchor(id);
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
        let id = self.tree.nodes.len();
        self.open_anchor(id, marks)?;
        let (marked, anchored) = (!marks.is_empty(), marks.anchor.is_some());
        self.tree.nodes.push(Node { start, end, kind, block, marked, anchored });
        Ok(id)
    }

    /// Adds a list or mapping that is to be filled.
    pub fn open(&mut self, kind: Kind<'t>, block: bool, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = marks.start.unwrap_or(self.at);
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(tree::too_deep(self.source, self.at));
        }
        self.push(kind, start, start, block, marks)
    }

    /// Adds an item to a list, or to a mapping the value of its last key.
    pub fn add(&mut self, id: NodeId, value: NodeId) {
        let mut anchored = self.tree.nodes[value].anchored;
        let node = &mut self.tree.nodes[id];
        match &mut node.kind {
            Kind::List(items) => items.push(value),
            Kind::Map(map) => {
                if let Some(entry) = map.entries.last_mut() {
                    entry.value = value;
                    anchored |= entry.marked;
                }
            }
            _ => {}
        }
        node.anchored |= anchored;
    }

    /// Adds to a mapping the key that the last node is; its value comes next.
    #[inline(never)]
    pub fn add_key(&mut self, id: NodeId, key: NodeId, colon: Option<usize>) -> Result<(), Fault> {
        let entry = self.key_entry(key, colon)?;
        if let Kind::Map(map) = &mut self.tree.nodes[id].kind {
            map.entries.push(entry);
        }
        Ok(())
    }

    /// An entry, without its value, for the key that the last node is; the node goes.
    pub fn key_entry(&mut self, key: NodeId, colon: Option<usize>) -> Result<Entry<'t>, Fault> {
        let Node { start, end: key_end, kind, marked, anchored, .. } = &self.tree.nodes[key];
        let (start, key_end) = (*start, *key_end);
        let (scalar, marked) = match kind {
            Kind::Scalar(scalar) => (scalar.clone(), *marked),
            Kind::Alias(target) => match &self.tree.nodes[*target].kind {
                Kind::Scalar(scalar) => (scalar.clone(), true),
                _ => return Err(self.key_is_collection(start)),
            },
            _ => return Err(self.key_is_collection(start)),
        };
        // Maybe an anchor and a tag alone.
        let no_key = match &scalar {
            Scalar::Absent => true,
            Scalar::Null => marked,
            Scalar::Text(text) => marked && text.is_empty(),
            _ => false,
        };
        if no_key {
            return Err(self.refuse(start, "there is no key here"));
        }
        // The harness gives the tag of a value or a mapping to a key behind it too.
        if self.tagged && matches!(scalar, Scalar::Null | Scalar::Bool(_) | Scalar::Number(_)) {
            return Err(self.refuse(start, "put this key in quotes: there is a tag (`!name`) before it"));
        }
        // Only an alias may still need the node.
        if !anchored {
            self.tree.nodes.truncate(key);
        }
        Ok(Entry { key: scalar::key_text(scalar), start, key_end, colon, marked, value: 0 })
    }

    /// Completes a list or mapping.
    pub fn close(&mut self, id: NodeId, end: usize) -> Result<(), Fault> {
        let node = &mut self.tree.nodes[id];
        node.end = end;
        if let Kind::Map(map) = &mut node.kind {
            map.close().map_err(|pair| tree::doubled(self.source, map, pair))?;
        }
        self.depth -= 1;
        self.close_anchor(id);
        Ok(())
    }

    /// Completes a block: it ends with the line of what is last in it.
    fn close_block(&mut self, id: NodeId) -> Result<(), Fault> {
        let node = &self.tree.nodes[id];
        let end = match &node.kind {
            Kind::List(items) => items.last().map(|item| self.tree.nodes[*item].end),
            Kind::Map(map) => map.entries.last().map(|entry| self.tree.value_end(entry)),
            _ => None,
        };
        self.close(id, text::line_end(self.source, end.unwrap_or(node.start)))
    }

    /// Whether a further line of the block at `column` comes next.
    fn next_in_block(&mut self, column: usize) -> Result<bool, Fault> {
        self.gap()?;
        match self.column() {
            Some(found) if found > column => Err(self.fault(self.at, MISPLACED)),
            found => Ok(found == Some(column)),
        }
    }

    /// Reads the key of an entry and steps behind its `:`; false: behind the `?` of a key that comes yet.
    #[inline(never)]
    fn entry_key(&mut self, id: NodeId) -> Result<bool, Fault> {
        let start = self.at;
        if self.indicator(b'?') {
            self.at += 1;
            return Ok(false);
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
        let key = self.key(&marks)?;
        self.blanks();
        self.at += 1;
        self.add_key(id, key, Some(self.at))?;
        Ok(true)
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
            if spaces < least
                && !rest.starts_with(['\n', '\r'])
                && !rest.starts_with(|c| but_for.chars().any(|other| other == c))
            {
                return Err(self.fault(at, "this line must be indented further than the block around it, with spaces"));
            }
            at = text::next_line(self.source, first);
        }
        Ok(())
    }
}
