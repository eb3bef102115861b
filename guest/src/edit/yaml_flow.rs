//! YAML between brackets: lists and mappings in flow style.
//!
//! Whether their lines are indented enough is for the block around them to check.

use alloc::vec::Vec;

use super::{
    fault::Fault,
    text,
    tree::{Kind, Map, NodeId},
    yaml::Reader,
    yaml_marks::Marks,
};

impl<'t> Reader<'t> {
    /// Reads the list or mapping whose bracket stands here.
    pub fn flow(&mut self, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let (is_map, close) = (self.byte(0) == b'{', self.byte(0) + 2);
        let id = self.open(if is_map { Kind::Map(Map::default()) } else { Kind::List(Vec::new()) }, false, marks)?;
        loop {
            self.at += 1;
            self.gap()?;
            match self.byte(0) {
                b',' => return Err(self.fault(self.at, "there is nothing before this comma")),
                b']' | b'}' => {}
                _ if self.column().is_none() => {}
                _ => {
                    self.flow_entry(id, is_map)?;
                    self.gap()?;
                }
            }
            match self.byte(0) {
                b',' => {}
                byte if byte == close => break,
                b']' | b'}' => {
                    return Err(self.fault(self.at, "a bracket is closed that does not match the one opened"));
                }
                _ if self.column().is_none() => {
                    return Err(self.fault(start, "a bracket that is opened is never closed"));
                }
                _ => return Err(self.fault(self.at, "a comma or a closing bracket is missing")),
            }
        }
        self.at += 1;
        self.close(id, self.at)?;
        Ok(id)
    }

    /// Reads an entry of a mapping, `key: value` or `key` alone; or an item of a list, a value or the one entry of a
    /// mapping without braces.
    fn flow_entry(&mut self, id: NodeId, is_map: bool) -> Result<(), Fault> {
        let (start, line) = (self.at, self.line);
        let explicit = self.indicator(b'?');
        if explicit {
            self.at += 1;
            self.gap()?;
        }
        let key = self.flow_node()?;
        let quoted = self.is_quoted(key);
        if is_map {
            self.add_key(id, key, None)?;
            return self.flow_value(id, quoted, explicit);
        }
        self.blanks();
        if !explicit && !self.is_flow_colon(quoted) {
            self.add(id, key);
            return Ok(());
        }
        if !explicit && self.line != line {
            return Err(self.fault(start, "a key must stand on one line with its `:`"));
        }
        let pair = self.open_pair(key, start)?;
        self.flow_value(pair, quoted, explicit)?;
        let end =
            self.tree.map(pair).and_then(|map| map.entries.last()).map_or(self.at, |entry| self.tree.value_end(entry));
        self.close(pair, end)?;
        self.add(id, pair);
        Ok(())
    }

    /// Opens the mapping of one entry whose key the last node is.
    #[inline(never)]
    fn open_pair(&mut self, key: NodeId, start: usize) -> Result<NodeId, Fault> {
        let mut map = Map::default();
        map.entries.push(self.key_entry(key, None)?);
        let pair = self.open(Kind::Map(map), false, &Marks::default())?;
        self.tree.nodes[pair].start = start;
        Ok(pair)
    }

    /// Reads what stands behind the last key of a mapping.
    fn flow_value(&mut self, id: NodeId, quoted: bool, explicit: bool) -> Result<(), Fault> {
        let mut behind = self.at;
        self.gap()?;
        let has_value = self.is_flow_colon(quoted);
        if has_value {
            self.at += 1;
            behind = self.at;
            self.set_colon(id, explicit);
            self.gap()?;
        }
        let value = match self.byte(0) {
            b',' | b']' | b'}' | 0 => self.absent(behind, &Marks::default())?,
            _ if has_value => self.flow_node()?,
            _ => self.absent(behind, &Marks::default())?,
        };
        self.add(id, value);
        Ok(())
    }

    /// Notes the `:` right before the present place, if it is spelled `key: value`.
    fn set_colon(&mut self, id: NodeId, explicit: bool) {
        if let Kind::Map(map) = &mut self.tree.nodes[id].kind
            && let Some(entry) = map.entries.last_mut()
            && !explicit
            && text::skip_blanks(self.source, entry.key_end) + 1 == self.at
        {
            entry.colon = Some(self.at);
        }
    }

    /// Whether a `:` that parts key and value stands here; behind a quote nothing need follow it.
    fn is_flow_colon(&self, quoted: bool) -> bool {
        self.byte(0) == b':' && (quoted || self.ends_plain(1))
    }

    /// Whether a node is a text in quotes.
    fn is_quoted(&self, id: NodeId) -> bool {
        let source = self.source.as_bytes();
        let node = &self.tree.nodes[id];
        matches!(node.kind, Kind::Scalar(_)) && matches!(source.get(node.end.wrapping_sub(1)), Some(b'"' | b'\''))
    }

    /// Reads a value between brackets.
    fn flow_node(&mut self) -> Result<NodeId, Fault> {
        let start = self.at;
        let mut marks = Marks::default();
        while matches!(self.byte(0), b'&' | b'!') {
            let more = self.marks()?;
            marks = self.together(marks, more)?;
            self.gap()?;
        }
        match self.byte(0) {
            // A mark of the end of the document, inside the brackets.
            _ if self.column().is_none() => self.absent(start, &marks),
            b'[' | b'{' => self.flow(&marks),
            b'*' => self.alias(&marks),
            b',' | b']' | b'}' => self.absent(start, &marks),
            b':' if self.ends_plain(1) => Err(self.refuse(self.at, "there is no key before this `:`")),
            _ => self.scalar(None, &marks),
        }
    }
}
