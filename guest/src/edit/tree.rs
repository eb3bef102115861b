//! The syntax tree of a file: every list, mapping, key and value with its place in the text.
//!
//! It knows where things stand, not how to change them, and it holds no text of its own but what had escapes.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    scalar::{self, Scalar},
    text,
};
use crate::{
    order,
    value::{Mapping, Value},
};

/// Where a node stands in [`Tree::nodes`].
pub(super) type NodeId = usize;

/// How many values aliases may add to a file. An alias bomb ends here; a config stays far below.
const MAX_ALIASED: usize = 100_000;

/// How many bytes of text aliases may add to a file.
const MAX_ALIASED_BYTES: usize = 4 * 1024 * 1024;

/// A parsed file.
#[derive(Debug, Default)]
pub(super) struct Tree<'t> {
    /// All nodes; a child stands after its parent.
    pub nodes: Vec<Node<'t>>,
    /// The top mapping; none in an empty file.
    pub root: Option<NodeId>,
    /// Where the first key goes in an empty file; 0 in JSON, where no file is empty.
    pub empty_at: usize,
    /// Spaces by which nested block mappings are indented, if the file has one.
    pub step: Option<usize>,
    /// Spaces by which block lists are indented under their key, if the file has one.
    pub list_step: Option<usize>,
}

/// A list, a mapping, or a single value.
#[derive(Debug)]
pub(super) struct Node<'t> {
    /// Where it starts, with its anchor and tag. For a block scalar: somewhere behind its header.
    pub start: usize,
    /// Where it ends. For a block list or mapping: the end of its last line, with the comment there.
    pub end: usize,
    /// What it is.
    pub kind: Kind<'t>,
    /// Whether it is written over lines of its own: a block list or mapping, or a block scalar.
    pub block: bool,
    /// Whether it carries an anchor or a tag.
    pub marked: bool,
    /// Whether it or something in it carries an anchor.
    pub anchored: bool,
}

/// What a node is.
#[derive(Debug)]
pub(super) enum Kind<'t> {
    /// A single value.
    Scalar(Scalar<'t>),
    /// A list.
    List(Vec<NodeId>),
    /// A mapping.
    Map(Map<'t>),
    /// A reference to an anchored node.
    Alias(NodeId),
}

/// The entries of a mapping.
#[derive(Debug, Default)]
pub(super) struct Map<'t> {
    /// The entries as they stand in the file.
    pub entries: Vec<Entry<'t>>,
    /// Indices into `entries`, sorted by key.
    sorted: Vec<usize>,
}

/// One key of a mapping with its value.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    /// The key as the harness reads it.
    pub key: Cow<'t, str>,
    /// Where the key starts, with its anchor and tag.
    pub start: usize,
    /// Where the key ends.
    pub key_end: usize,
    /// Where the text of the value begins: directly behind the `:`. None where the entry is not spelled
    /// `key: value`, such as `? key`; then nothing in it is edited.
    pub colon: Option<usize>,
    /// Whether the key carries an anchor or a tag, or is an alias.
    pub marked: bool,
    /// The value.
    pub value: NodeId,
}

impl<'t> Map<'t> {
    /// Closes the mapping; answers the two entries that have one key, if any have.
    pub fn close(&mut self) -> Result<(), (usize, usize)> {
        let entries = &self.entries;
        // Of two equal keys the first in the file comes first.
        self.sorted = order::sorted(entries.len(), &mut |a, b| entries[a].key.cmp(&entries[b].key));
        let doubled = self.sorted.windows(2).filter(|pair| entries[pair[0]].key == entries[pair[1]].key);
        match doubled.map(|pair| (pair[0], pair[1])).min_by_key(|pair| pair.1) {
            Some(pair) => Err(pair),
            None => Ok(()),
        }
    }

    /// The entry of a key.
    pub fn find(&self, key: &str) -> Option<usize> {
        let at = self.sorted.binary_search_by(|i| self.entries[*i].key.as_ref().cmp(key)).ok()?;
        Some(self.sorted[at])
    }
}

/// What is left of the allowance for aliases.
struct Allowance {
    values: usize,
    bytes: usize,
}

impl<'t> Tree<'t> {
    /// The end of an entry's value; where nothing is written, directly behind the `:`.
    pub fn value_end(&self, entry: &Entry<'_>) -> usize {
        let node = &self.nodes[entry.value];
        match node.kind {
            Kind::Scalar(Scalar::Absent) if !node.marked => entry.colon.unwrap_or(entry.key_end),
            _ => node.end,
        }
    }

    /// The mapping that a node is.
    pub fn map(&self, id: NodeId) -> Option<&Map<'t>> {
        match &self.nodes.get(id)?.kind {
            Kind::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The entry at a path that goes through mappings only.
    pub fn entry(&self, path: &[&str]) -> Option<&Entry<'t>> {
        let (last, parents) = path.split_last()?;
        let mut id = self.root?;
        for key in parents {
            let map = self.map(id)?;
            id = map.entries[map.find(key)?].value;
        }
        let map = self.map(id)?;
        Some(&map.entries[map.find(last)?])
    }

    /// The entry by which a mapping takes over the keys of others, if it has one.
    pub fn merge(&self, map: &Map<'t>) -> Option<usize> {
        // In JSON it is a key like any other.
        let at = map.find("<<").filter(|_| self.empty_at > 0)?;
        let mut value = map.entries[at].value;
        while let Kind::Alias(target) = self.nodes[value].kind {
            value = target;
        }
        matches!(self.nodes[value].kind, Kind::Map(_) | Kind::List(_)).then_some(at)
    }

    /// What the file means to the harness.
    pub fn value(&self, source: &str) -> Result<Value, Fault> {
        let mut allowance = Allowance { values: MAX_ALIASED, bytes: MAX_ALIASED_BYTES };
        match self.root {
            Some(root) => self.node_value(source, root, 1, false, &mut allowance),
            None => Ok(Value::Map(Mapping::new())),
        }
    }

    fn node_value(
        &self,
        source: &str,
        id: NodeId,
        depth: usize,
        aliased: bool,
        left: &mut Allowance,
    ) -> Result<Value, Fault> {
        let node = &self.nodes[id];
        if depth > MAX_DEPTH + 1 {
            return Err(too_deep(source, node.start));
        }
        if aliased {
            let bytes = match &node.kind {
                Kind::Scalar(Scalar::Text(text)) => text.len(),
                Kind::Map(map) => map.entries.iter().map(|entry| entry.key.len()).sum(),
                _ => 0,
            };
            match (left.values.checked_sub(1), left.bytes.checked_sub(bytes)) {
                (Some(values), Some(bytes)) => *left = Allowance { values, bytes },
                _ => {
                    let message = "the aliases (`*name`) of this file expand to more than garnish reads; \
                                   write the values out instead";
                    return Err(Fault::at(source, node.start, FaultKind::TooLarge, message));
                }
            }
        }
        Ok(match &node.kind {
            Kind::Scalar(Scalar::Absent | Scalar::Null) => Value::Null,
            Kind::Scalar(Scalar::Bool(flag)) => Value::Bool(*flag),
            Kind::Scalar(Scalar::Number(number)) => Value::Number(*number),
            Kind::Scalar(Scalar::Text(text)) => Value::String(String::from(text.as_ref())),
            Kind::Alias(target) => self.node_value(source, *target, depth, true, left)?,
            Kind::List(items) => {
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.node_value(source, *item, depth + 1, aliased, left)?);
                }
                Value::List(list)
            }
            Kind::Map(map) => {
                let merge = self.merge(map);
                let mut values = Mapping::new();
                for (i, entry) in map.entries.iter().enumerate() {
                    if merge != Some(i) {
                        let value = self.node_value(source, entry.value, depth + 1, aliased, left)?;
                        values.insert(String::from(entry.key.as_ref()), value);
                    }
                }
                if let Some(at) = merge {
                    // A key of the mapping itself wins wherever it stands, then the first that is merged in.
                    let merged = self.node_value(source, map.entries[at].value, depth + 1, true, left)?;
                    let sources = match merged {
                        Value::List(items) => items,
                        one => Vec::from([one]),
                    };
                    for one in sources {
                        if let Value::Map(keys) = one {
                            for (key, value) in keys {
                                // The harness compares such keys by type, and lets the wrong one win.
                                let typed = !matches!(scalar::resolve(Cow::Borrowed(&key)), Scalar::Text(_));
                                if typed && values.contains_key(&key) {
                                    let message =
                                        format!("the key `{key}` is also merged in with `<<`; remove one of them");
                                    return Err(Fault::at(source, node.start, FaultKind::Spelling, message));
                                }
                                values.or_insert(key, value);
                            }
                        }
                    }
                }
                Value::Map(values)
            }
        })
    }
}

/// The fault of nesting beyond [`MAX_DEPTH`].
pub(super) fn too_deep(source: &str, offset: usize) -> Fault {
    let message = format!("lists and mappings are nested more than {MAX_DEPTH} levels deep; nest them less");
    Fault::at(source, offset, FaultKind::TooDeep, message)
}

/// The fault of a key that stands twice, named at its second place.
pub(super) fn doubled(source: &str, map: &Map<'_>, pair: (usize, usize)) -> Fault {
    let (first, second) = (&map.entries[pair.0], &map.entries[pair.1]);
    let first_line = text::place(source, first.start).0;
    let second_line = text::place(source, second.start).0;
    let message = format!(
        "the key `{}` stands twice in one mapping, on line {first_line} and on line {second_line}; \
         remove one of them",
        second.key
    );
    Fault::at(source, second.start, FaultKind::DuplicateKey, message)
}
