//! YAML text → [`Tree`].
//!
//! It never reads a file in a way that `Bun.YAML`, the reader of the harness, does not: what the two would
//! read differently is refused, see [`super::harness`].

use alloc::{borrow::Cow, collections::BTreeMap, format, string::String, vec::Vec};

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, StructureStyle, Tag, options};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    harness,
    scalar::{self, Scalar},
    text,
    tree::{self, Entry, Kind, Map, Node, NodeId, Tree},
};

/// Reads one document that is a mapping, or empty.
pub(super) fn parse(source: &str) -> Result<Tree<'_>, Fault> {
    // The parser stops at the one and skips the other; the harness does neither.
    for (c, name) in [('\0', "NUL character"), ('\u{feff}', "byte order mark")] {
        if let Some(at) = source.find(c) {
            let message = format!("there is a {name} inside the file; remove it");
            return Err(Fault::at(source, at, FaultKind::Syntax, message));
        }
    }
    let options = options! {
        // Too strict for `a: [` … `]` with the bracket below its key, which the harness reads.
        strict_indentation: false,
        emit_anchor_events: true,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    };
    let mut build = Build { source, ..Build::default() };
    build.tree.empty_at = source.len();
    for event in Parser::new_from_str_with_options(source, options) {
        match event {
            Ok((event, span)) => build.event(event, span)?,
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(source.len());
                if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
                    return Err(tree::too_deep(source, at));
                }
                let message = format!("this is not valid YAML: {}", harness::explain(error.kind()));
                return Err(Fault::at(source, at, FaultKind::Syntax, message));
            }
        }
    }
    build.finish()
}

/// A list or mapping that is not closed yet.
struct Open<'t> {
    id: NodeId,
    /// The key whose value comes next.
    key: Option<Entry<'t>>,
    /// Where its first line is indented to; only compared in block style.
    column: usize,
    /// The parser's number of its anchor, or 0. It counts only once the node is closed: an alias inside
    /// the node that it refers to would never end.
    anchor: usize,
    /// The name of its anchor.
    name: Option<Cow<'t, str>>,
}

/// The node or key that an anchor event belongs to.
#[derive(Clone, Copy)]
enum Last {
    None,
    Node(NodeId),
    Key,
}

/// The state between two events.
struct Build<'t> {
    source: &'t str,
    tree: Tree<'t>,
    open: Vec<Open<'t>>,
    /// Anchored nodes and keys, by the parser's number.
    anchors: BTreeMap<usize, NodeId>,
    documents: usize,
    last: Last,
    /// Where the last token ends.
    behind: usize,
}

impl Default for Build<'_> {
    fn default() -> Self {
        Build {
            source: "",
            tree: Tree::default(),
            open: Vec::new(),
            anchors: BTreeMap::new(),
            documents: 0,
            last: Last::None,
            behind: 0,
        }
    }
}

impl<'t> Build<'t> {
    fn event(&mut self, event: Event<'t>, span: Span) -> Result<(), Fault> {
        let range = span.byte_range().unwrap_or(0..0);
        if matches!(event, Event::Scalar(..) | Event::Alias(_)) || !range.is_empty() {
            harness::check_gap(self.source, self.behind..range.start)?;
            self.behind = self.behind.max(range.end);
        }
        let start = span.tag_start().and_then(|mark| mark.byte_offset()).unwrap_or(range.start);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                let before = self.source.get(..range.start).unwrap_or_default();
                if before.lines().any(|line| line.starts_with('%') && !line.starts_with("%YAML ")) {
                    let message = "a directive (`%…`) stands before the mapping; remove it";
                    return Err(self.fault(0, FaultKind::Spelling, message));
                }
                // To the harness an end mark without a document ends an empty one.
                let ended = self.documents == 1 && before.lines().any(|line| line.starts_with("..."));
                if self.documents > 1 || ended {
                    let message = "a second YAML document starts here; the harness reads one document a file";
                    return Err(self.fault(range.start, FaultKind::SeveralDocuments, message));
                }
            }
            Event::DocumentEnd if !range.is_empty() => {
                self.tree.empty_at = text::line_start(self.source, range.start);
            }
            Event::Anchor(_, name) => {
                let doubled = self.open.iter().any(|open| open.name.as_ref() == Some(&name));
                harness::check_anchor(self.source, doubled, range.end)?;
                match self.last {
                    Last::Node(id) => {
                        let node = &mut self.tree.nodes[id];
                        node.start = node.start.min(range.start);
                        if let Some(open) = self.open.last_mut()
                            && open.id == id
                        {
                            open.name = Some(name);
                        }
                    }
                    Last::Key => {
                        if let Some(key) = self.open.last_mut().and_then(|open| open.key.as_mut()) {
                            key.start = key.start.min(range.start);
                        }
                    }
                    Last::None => {}
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
                let end = if block { harness::block_scalar_end(self.source, &text, &span) } else { range.end };
                let absent = style == ScalarStyle::Plain && range.is_empty();
                if matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) {
                    harness::check_lines(self.source, range.clone(), self.around(), "")?;
                }
                let marked = anchor != 0 || tag.is_some();
                harness::check_tag(self.source, &span)?;
                if absent && self.awaits_key() {
                    return Err(self.fault(start, FaultKind::Spelling, "there is no key before this `:`"));
                }
                if style == ScalarStyle::Plain && (text == "?" || (marked && text.starts_with(':'))) {
                    let message = "this text is read in more than one way; put it in quotes";
                    return Err(self.fault(start, FaultKind::Spelling, message));
                }
                let scalar = harness::typed(text, style == ScalarStyle::Plain, absent, tag.as_deref());
                if self.awaits_key() {
                    if anchor != 0 {
                        // An alias to a key needs a node to point to.
                        let id = self.push(range.start, end, Kind::Scalar(scalar.clone()), block, marked);
                        self.anchors.insert(anchor, id);
                    }
                    self.key(scalar::key_text(scalar), start, end, marked)?;
                } else {
                    let id = self.place(start, end, Kind::Scalar(scalar), block, anchor, marked)?;
                    self.close_value(id);
                }
            }
            Event::Alias(anchor) => {
                let Some(target) = self.anchors.get(&anchor).copied() else {
                    let message = "this alias stands inside the value that it refers to";
                    return Err(self.fault(range.start, FaultKind::Alias, message));
                };
                if self.awaits_key() {
                    let Kind::Scalar(scalar) = &self.tree.nodes[target].kind else {
                        return Err(self.key_is_collection(range.start));
                    };
                    let key = scalar::key_text(scalar.clone());
                    self.key(key, range.start, range.end, true)?;
                } else {
                    let id = self.place(range.start, range.end, Kind::Alias(target), false, 0, false)?;
                    self.close_value(id);
                }
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.open(Kind::List(Vec::new()), style, anchor, tag, start, range, span)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open(Kind::Map(Map::default()), style, anchor, tag, start, range, span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(range.end)?,
            _ => {}
        }
        Ok(())
    }

    fn fault(&self, offset: usize, kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault::at(self.source, offset, kind, message)
    }

    fn key_is_collection(&self, offset: usize) -> Fault {
        let message = "a list or mapping stands here as a key; a key must be a single value";
        self.fault(offset, FaultKind::Spelling, message)
    }

    /// The column of the innermost open block, if there is one.
    fn around(&self) -> Option<usize> {
        self.open.iter().rev().find(|open| self.tree.nodes[open.id].block).map(|open| open.column)
    }

    /// Whether the next node is a key.
    fn awaits_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.key.is_none() && matches!(self.tree.nodes[open.id].kind, Kind::Map(_)))
    }

    fn key(&mut self, key: Cow<'t, str>, start: usize, key_end: usize, marked: bool) -> Result<(), Fault> {
        let in_block = self.open.last().is_some_and(|open| self.tree.nodes[open.id].block);
        if in_block && self.source[text::line_start(self.source, start)..start].contains('\t') {
            return Err(self.fault(start, FaultKind::Syntax, harness::NO_TABS));
        }
        let behind = text::skip_blanks(self.source, key_end);
        let before = text::back_over_blanks(self.source, start);
        let bytes = self.source.as_bytes();
        // `? key` and `{key}` have their `:` elsewhere, or none.
        let explicit = before > 0 && bytes[before - 1] == b'?';
        let colon = (bytes.get(behind) == Some(&b':') && !explicit).then_some(behind + 1);
        if let Some(open) = self.open.last_mut() {
            open.key = Some(Entry { key, start, key_end, colon, marked, value: 0 });
        }
        self.last = Last::Key;
        Ok(())
    }

    fn push(&mut self, start: usize, end: usize, kind: Kind<'t>, block: bool, marked: bool) -> NodeId {
        self.tree.nodes.push(Node { start, end, kind, block, marked, anchored: false });
        self.tree.nodes.len() - 1
    }

    /// Adds a node where the parser stands: as root, item, or value of the pending key.
    fn place(
        &mut self,
        start: usize,
        end: usize,
        kind: Kind<'t>,
        block: bool,
        anchor: usize,
        marked: bool,
    ) -> Result<NodeId, Fault> {
        if self.awaits_key() {
            return Err(self.key_is_collection(start));
        }
        let id = self.push(start, end, kind, block, marked);
        self.tree.nodes[id].anchored = anchor != 0;
        self.last = Last::Node(id);
        match self.open.last_mut() {
            None => self.tree.root = Some(id),
            Some(open) => {
                let key = open.key.take();
                match (&mut self.tree.nodes[open.id].kind, key) {
                    (Kind::List(items), _) => items.push(id),
                    (Kind::Map(map), Some(entry)) => map.entries.push(Entry { value: id, ..entry }),
                    _ => {}
                }
            }
        }
        if anchor != 0 && !matches!(self.tree.nodes[id].kind, Kind::List(_) | Kind::Map(_)) {
            self.anchors.insert(anchor, id);
        }
        Ok(id)
    }

    /// Tells the parent what it needs to know of a child that is complete.
    fn close_value(&mut self, id: NodeId) {
        let anchored = self.tree.nodes[id].anchored;
        if let Some(open) = self.open.last() {
            let parent = &mut self.tree.nodes[open.id];
            parent.anchored |= anchored;
            if let Kind::Map(map) = &parent.kind {
                parent.anchored |= map.entries.last().is_some_and(|entry| entry.marked);
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one event")]
    fn open(
        &mut self,
        kind: Kind<'t>,
        style: StructureStyle,
        anchor: usize,
        tag: Option<Cow<'t, Tag>>,
        start: usize,
        range: core::ops::Range<usize>,
        span: Span,
    ) -> Result<(), Fault> {
        let block = style == StructureStyle::Block;
        harness::check_tag(self.source, &span)?;
        // The parser gives the place of a list that is not indented behind its first dash.
        let dash = match self.open.last().and_then(|open| open.key.as_ref()?.colon) {
            Some(colon) if block && matches!(kind, Kind::List(_)) => Some(text::skip_trivia(self.source, colon)),
            _ => None,
        };
        let column = match dash {
            Some(dash) if self.source.as_bytes().get(dash) == Some(&b'-') => dash - text::line_start(self.source, dash),
            _ => span.start.col(),
        };
        if block && let Some(parent) = self.open.last() {
            let holder = &self.tree.nodes[parent.id];
            let deeper = column.saturating_sub(parent.column);
            if holder.block && matches!(holder.kind, Kind::Map(_)) {
                match &kind {
                    Kind::Map(_) if deeper > 0 => self.tree.step = self.tree.step.or(Some(deeper)),
                    Kind::List(_) => self.tree.list_step = self.tree.list_step.or(Some(deeper)),
                    _ => {}
                }
            }
        }
        let id = self.place(start, range.end, kind, block, anchor, anchor != 0 || tag.is_some())?;
        self.open.push(Open { id, key: None, column, anchor, name: None });
        if self.open.len() > MAX_DEPTH {
            return Err(tree::too_deep(self.source, range.start));
        }
        Ok(())
    }

    fn close(&mut self, end: usize) -> Result<(), Fault> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let id = open.id;
        let in_block = self.open.last().is_none_or(|open| self.tree.nodes[open.id].block);
        if in_block && !self.tree.nodes[id].block {
            harness::check_lines(self.source, self.tree.nodes[id].start..end, self.around(), "]},#")?;
        }
        let (marked, block) = (self.tree.nodes[id].marked, self.tree.nodes[id].block);
        let last = match &mut self.tree.nodes[id].kind {
            Kind::Map(map) => {
                // The harness gives the tag of a block mapping to its first key.
                if let Some(first) = map.entries.first()
                    && (marked && block)
                    && !matches!(
                        scalar::resolve(Cow::Borrowed(&self.source[first.start..first.key_end])),
                        Scalar::Text(_)
                    )
                {
                    let message = "put this key in quotes: the mapping carries a tag or an anchor";
                    return Err(Fault::at(self.source, first.start, FaultKind::Spelling, message));
                }
                if let Err(pair) = map.close() {
                    return Err(tree::doubled(self.source, map, pair));
                }
                map.entries.len().checked_sub(1)
            }
            _ => None,
        };
        let node = &self.tree.nodes[id];
        // The parser ends a block where the next token begins, far behind comments that do not belong to it.
        let end = match &node.kind {
            Kind::Map(map) => match last {
                Some(last) if node.block => text::line_end(self.source, self.tree.value_end(&map.entries[last])),
                // `[a: 1]`: a mapping without braces.
                Some(last) if self.source.as_bytes().get(end.wrapping_sub(1)) != Some(&b'}') => {
                    self.tree.value_end(&map.entries[last])
                }
                _ => end,
            },
            Kind::List(items) => match items.last() {
                Some(last) if node.block => text::line_end(self.source, self.tree.nodes[*last].end),
                _ => end,
            },
            _ => end,
        };
        self.tree.nodes[id].end = end;
        if open.anchor != 0 {
            self.anchors.insert(open.anchor, id);
        }
        self.close_value(id);
        self.last = Last::None;
        Ok(())
    }

    fn finish(mut self) -> Result<Tree<'t>, Fault> {
        harness::check_gap(self.source, self.behind..self.source.len())?;
        if let Some(root) = self.tree.root {
            let node = &self.tree.nodes[root];
            match &node.kind {
                Kind::Map(_) => {}
                Kind::Scalar(Scalar::Absent) if !node.marked => self.tree.root = None,
                kind => {
                    let what = if matches!(kind, Kind::List(_)) { "a list" } else { "a single value" };
                    let message =
                        format!("the whole file is {what}; a configuration file must be a mapping (`key: value`)");
                    let at = node.start.min(self.source.len());
                    return Err(self.fault(at, FaultKind::NotAMapping, message));
                }
            }
        }
        Ok(self.tree)
    }
}
