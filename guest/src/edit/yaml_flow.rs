//! YAML between brackets: lists and mappings in flow style.
//!
//! Whether their lines are indented enough is for the block around them to check.

use alloc::vec::Vec;

use super::{
    fault::Fault,
    text,
    tree::{self, Entry, Kind, Map, NodeId},
    yaml::{Key, Reader},
    yaml_marks::Marks,
};

impl<'t> Reader<'t> {
    /// Reads the list or mapping whose bracket stands here.
    pub fn flow(&mut self, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let id = self.open(false, marks)?;
        let (is_map, close) = (self.byte(0) == b'{', self.byte(0) + 2);
        let (mut map, mut items) = (Map::default(), Vec::new());
        loop {
            self.at += 1;
            self.gap()?;
            match self.byte(0) {
                byte if byte == close => break,
                b',' => return Err(self.fault(self.at, "there is nothing before this comma")),
                b']' | b'}' => {}
                _ if self.column().is_none() => {}
                _ if is_map => {
                    let entry = self.flow_entry()?;
                    map.entries.push(entry);
                    self.gap()?;
                }
                _ => {
                    let item = self.flow_item()?;
                    items.push(item);
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
        map.close().map_err(|pair| tree::doubled(self.source, &map, pair))?;
        let kind = if is_map { Kind::Map(map) } else { Kind::List(items) };
        self.close(id, kind, self.at, marks);
        Ok(id)
    }

    /// Reads an entry of a mapping: `key: value`, or `key` alone.
    fn flow_entry(&mut self) -> Result<Entry<'t>, Fault> {
        let explicit = self.indicator(b'?');
        if explicit {
            self.at += 1;
            self.gap()?;
        }
        let id = self.flow_node()?;
        let quoted = self.is_quoted(id);
        let key = self.key_of(id)?;
        self.rest_of_entry(key, quoted, explicit)
    }

    /// Reads what stands behind a key.
    fn rest_of_entry(&mut self, key: Key<'t>, quoted: bool, explicit: bool) -> Result<Entry<'t>, Fault> {
        let Key { text: key, marked, start, end: key_end } = key;
        self.gap()?;
        let mut colon = None;
        let value = if self.is_flow_colon(quoted) {
            self.at += 1;
            let behind = self.at;
            if !explicit && text::skip_blanks(self.source, key_end) + 1 == behind {
                colon = Some(behind);
            }
            self.gap()?;
            match self.byte(0) {
                b',' | b']' | b'}' | 0 => self.absent(behind, &Marks::default())?,
                _ => self.flow_node()?,
            }
        } else {
            self.absent(key_end, &Marks::default())?
        };
        Ok(Entry { key, start, key_end, colon, marked, value })
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

    /// Reads an item of a list: a value, or the one entry of a mapping without braces.
    fn flow_item(&mut self) -> Result<NodeId, Fault> {
        let (start, line) = (self.at, self.line);
        let explicit = self.indicator(b'?');
        if explicit {
            self.at += 1;
            self.gap()?;
        }
        let id = self.flow_node()?;
        let quoted = self.is_quoted(id);
        self.blanks();
        if !explicit && !self.is_flow_colon(quoted) {
            return Ok(id);
        }
        if !explicit && self.line != line {
            return Err(self.fault(start, "a key must stand on one line with its `:`"));
        }
        let key = self.key_of(id)?;
        let none = Marks::default();
        let id = self.open(false, &none)?;
        let entry = self.rest_of_entry(key, quoted, explicit)?;
        let end = self.tree.value_end(&entry);
        let mut map = Map::default();
        map.entries.push(entry);
        // One key is never doubled.
        let _ = map.close();
        self.tree.nodes[id].start = start;
        self.close(id, Kind::Map(map), end, &none);
        Ok(id)
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
            b'[' | b'{' => self.flow(&marks),
            b'*' => self.alias(&marks),
            b',' | b']' | b'}' | 0 => self.absent(start, &marks),
            b':' if self.ends_plain(1) => Err(self.refuse(self.at, "there is no key before this `:`")),
            _ => self.scalar(None, &marks),
        }
    }
}
