//! What may stand before a YAML value: an anchor (`&name`) and a tag (`!name`), and what they do to it.
//!
//! A tag types nothing anew: the harness lets one of the core types confirm a plain spelling, and takes everything
//! else that is tagged for a text.

use alloc::borrow::Cow;

use super::{
    fault::{Fault, FaultKind},
    scalar::{self, Scalar},
    tree::{Kind, NodeId},
    yaml::Reader,
};
use crate::words::trim_start;

/// An anchor and a tag, each if there is one.
#[derive(Clone, Copy, Default)]
pub(super) struct Marks<'t> {
    /// Where the first of them starts.
    pub start: Option<usize>,
    /// Where the last of them ends.
    pub end: usize,
    /// The name of the anchor.
    pub anchor: Option<&'t str>,
    /// The tag as it is spelled.
    tag: Option<&'t str>,
}

impl<'t> Marks<'t> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.start.is_none()
    }

    /// What a single value that carries these means.
    pub fn typed(&self, text: Cow<'t, str>, plain: bool) -> Scalar<'t> {
        let core = match self.tag {
            None if plain => return scalar::resolve(text),
            // The harness takes `!int` for `!!int`.
            Some(tag) if plain => trim_start(tag, "!"),
            _ => return Scalar::Text(text),
        };
        match (core, scalar::resolve(text.clone())) {
            ("int" | "float", number @ Scalar::Number(_)) => number,
            ("bool", flag @ Scalar::Bool(_)) => flag,
            ("null", Scalar::Null) => Scalar::Null,
            _ => Scalar::Text(text),
        }
    }

    /// What these mean with no value behind them.
    pub fn absent(&self) -> Scalar<'t> {
        match self.tag.map(|tag| trim_start(tag, "!")) {
            None => Scalar::Absent,
            Some("str") => Scalar::Text(Cow::Borrowed("")),
            Some(_) => Scalar::Null,
        }
    }
}

impl<'t> Reader<'t> {
    /// Reads the anchor and the tag that begin here, and the spaces behind them.
    pub fn marks(&mut self) -> Result<Marks<'t>, Fault> {
        let mut marks = Marks::default();
        while let sign @ (b'&' | b'!') = self.byte(0) {
            let start = self.at;
            let word = self.word();
            let name = trim_start(word, if sign == b'&' { "&" } else { "!" });
            let here = Marks { start: Some(start), end: self.at, ..Marks::default() };
            let here = if sign == b'&' {
                if word.len() == 1 || !(self.is_blank(0) || matches!(self.byte(0), b',' | b']' | b'}')) {
                    return Err(self.refuse(self.at, "an anchor (`&name`) needs a name and a space behind it"));
                }
                Marks { anchor: word.get(1..), ..here }
            } else {
                let ordinary = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
                let named = name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(ordinary);
                let short = named && word.len() - name.len() <= 2;
                self.tagged = true;
                if !short || !self.ends_plain(0) || matches!(self.byte(0), b'[' | b'{') {
                    return Err(self.refuse(start, "a tag (`!name`) with unusual characters; remove it"));
                }
                Marks { tag: Some(word), ..here }
            };
            marks = self.together(marks, here)?;
            self.blanks();
        }
        Ok(marks)
    }

    /// The word that starts here, up to white space or what ends an entry in brackets.
    fn word(&mut self) -> &'t str {
        let start = self.at;
        self.at += 1;
        while !self.is_blank(0) && !matches!(self.byte(0), b',' | b'[' | b']' | b'{' | b'}') {
            self.at += 1;
        }
        &self.source[start..self.at]
    }

    /// Both of them for one value.
    pub fn together(&self, first: Marks<'t>, second: Marks<'t>) -> Result<Marks<'t>, Fault> {
        if first.is_empty() || second.is_empty() {
            return Ok(if second.is_empty() { first } else { second });
        }
        if (first.anchor.is_some() && second.anchor.is_some()) || (first.tag.is_some() && second.tag.is_some()) {
            return Err(self.fault(second.end, "a value has two anchors (`&name`) or two tags (`!name`)"));
        }
        let Marks { end, .. } = second;
        Ok(Marks { start: first.start, end, anchor: first.anchor.or(second.anchor), tag: first.tag.or(second.tag) })
    }

    /// Notes that the node of an anchor begins. Two of one name in each other: which of them an alias means
    /// depends on the reader.
    pub fn open_anchor(&mut self, id: NodeId, marks: &Marks<'t>) -> Result<(), Fault> {
        let Some(name) = marks.anchor else { return Ok(()) };
        self.open_anchors.push((id, name));
        if let Some(None) = self.anchors.insert(name, None) {
            let message = "this anchor (`&name`) stands inside the value of another one of that name; \
                           give it a name of its own";
            return Err(self.refuse(marks.end, message));
        }
        Ok(())
    }

    /// Notes that a node is complete.
    pub fn close_anchor(&mut self, id: NodeId) {
        if let Some((_, name)) = self.open_anchors.pop_if(|(open, _)| *open == id) {
            self.anchors.insert(name, Some(id));
        }
    }

    /// Reads an alias, `*name`.
    pub fn alias(&mut self, marks: &Marks<'t>) -> Result<NodeId, Fault> {
        let start = self.at;
        let name = self.word();
        match self.anchors.get(&name[1..]) {
            _ if !marks.is_empty() => Err(self.fault(start, "an alias (`*name`) has no anchor or tag of its own")),
            None => Err(self.fault(start, "this alias (`*name`) refers to no anchor (`&name`) before it")),
            Some(None) => {
                let message = "this alias stands inside the value that it refers to";
                Err(Fault::at(self.source, start, FaultKind::Alias, message))
            }
            Some(Some(id)) => {
                let kind = Kind::Alias(*id);
                self.place(kind, start, self.at, false, marks)
            }
        }
    }
}
