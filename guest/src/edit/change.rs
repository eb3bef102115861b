//! The walk over the mappings of a file that turns planned edits into replacements of text.
//!
//! It never writes inside a value that no edit names, and refuses to go through what is written elsewhere too:
//! aliases, merge keys, anchors.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use super::{
    Format, block,
    fault::{Fault, FaultKind},
    flow::{self, Slot},
    json::{self, Layout},
    patch::Patches,
    plan::{Action, Step, Steps},
    restore, text,
    tree::{Entry, Map, NodeId, Tree},
    write::{self, Block, Flow},
};
use crate::{
    list::IntoList,
    value::{Mapping, Value},
    words,
};

/// What an edit made of the value at a path: the new one, or nothing.
pub(super) type Outcome = (Vec<String>, Option<Value>);

/// One walk over one file.
pub(super) struct Walk<'w, 't> {
    pub(super) format: Format,
    /// The text, ended by a line break if the file is edited by lines.
    pub(super) source: &'w str,
    pub(super) tree: &'w Tree<'t>,
    pub(super) block: Block,
    layout: Layout<'w>,
    /// The replacements found so far.
    pub(super) patches: Patches,
    /// What the result must say.
    pub(super) outcomes: Vec<Outcome>,
    path: Vec<String>,
}

/// What is to happen at one key of a mapping.
pub(super) enum Job<'e> {
    /// What edits say.
    Step(&'e Step<'e>),
    /// This value is to stand there.
    Put(&'e Value),
    /// The key goes.
    Drop,
}

/// A value for a key that is not there yet.
enum Fresh<'e> {
    Value(Cow<'e, Value>),
    /// Text that fits as it is, and what it means.
    Raw(&'e str, Value),
}

/// What became of an entry.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum After {
    /// It stays, whatever became of its value.
    Stays,
    /// It is to be taken out.
    Goes,
}

impl<'w, 't> Walk<'w, 't> {
    /// A walk over `source`, which is what `tree` was read from, maybe with a line break at the end.
    pub fn new(format: Format, source: &'w str, tree: &'w Tree<'t>) -> Self {
        let eol = text::ending(source);
        let step = tree.step.unwrap_or(2);
        let block = Block { eol, step, list_step: tree.list_step.unwrap_or(step) };
        let layout = json::layout(source, tree);
        Walk {
            format,
            source,
            tree,
            block,
            layout,
            patches: Patches::default(),
            outcomes: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Walks from the top.
    pub fn run(&mut self, value: &Value, steps: &Steps<'_>) -> Result<(), Fault> {
        let empty = Mapping::new();
        let values = value.as_map().unwrap_or(&empty);
        let jobs: Vec<_> = steps.in_order().map(|(key, step)| (key, Job::Step(step))).list();
        match self.tree.root {
            Some(root) => self.map(root, None, values, jobs, false).map(|_| ()),
            None => {
                let mut lines = String::new();
                for (key, job) in jobs {
                    self.add_line(&mut lines, key, &job, 0)?;
                }
                // In a file without a break at its end, the break added behind it comes first.
                let at = if self.tree.empty_at + self.block.eol.len() == self.source.len()
                    && self.source.ends_with(self.block.eol)
                    && !self.source[..self.tree.empty_at].ends_with(['\n', '\r'])
                {
                    self.source.len()
                } else {
                    self.tree.empty_at
                };
                self.patches.insert(at, lines);
                Ok(())
            }
        }
    }

    pub(super) fn fault(&self, offset: usize, kind: FaultKind, what: &str) -> Fault {
        Fault::at(self.source, offset, kind, format!("`{}` {what}", words::joined(&self.path, ".")))
    }

    /// Notes what the result must say at the present path.
    pub(super) fn outcome(&mut self, value: Option<Value>) {
        self.outcomes.push((self.path.clone(), value));
    }

    /// Edits the entries of a mapping. `entry` is the one that it is the value of; none for the top.
    /// `owned`: see [`block::Change::owned`].
    pub(super) fn map(
        &mut self,
        id: NodeId,
        entry: Option<&Entry<'t>>,
        values: &Mapping,
        jobs: Vec<(&str, Job<'_>)>,
        owned: bool,
    ) -> Result<After, Fault> {
        let tree = self.tree;
        let node = &tree.nodes[id];
        let Some(map) = tree.map(id) else { return Ok(After::Stays) };
        if let (Some(at), Some((key, _))) = (tree.merge(map), jobs.first()) {
            let what = "cannot be edited: the mapping takes over keys from elsewhere with `<<`; write them out instead";
            self.path.push(String::from(*key));
            return Err(self.fault(map.entries[at].start, FaultKind::Alias, what));
        }
        let mut removed = alloc::vec![false; map.entries.len()];
        let mut new = Vec::new();
        for (key, job) in jobs {
            self.path.push(key.into());
            match (map.find(key), values.get(key)) {
                (Some(i), Some(value)) => {
                    let after = self.entry(&map.entries[i], !node.block, value, job)?;
                    if after == After::Goes {
                        removed[i] = true;
                        self.outcome(None);
                    }
                }
                _ => new.push((key, job)),
            }
            self.path.pop();
        }
        if node.block {
            self.block_map(map, entry, &removed, new, owned)
        } else {
            self.flow_map(id, map, entry, &removed, new)
        }
    }

    fn block_map(
        &mut self,
        map: &Map<'t>,
        entry: Option<&Entry<'t>>,
        removed: &[bool],
        new: Vec<(&str, Job<'_>)>,
        owned: bool,
    ) -> Result<After, Fault> {
        let column = map.entries.first().map_or(0, |first| text::indent(self.source, first.start).len());
        let mut lines = String::new();
        for (key, job) in new {
            self.add_line(&mut lines, key, &job, column)?;
        }
        let change = block::Change { source: self.source, tree: self.tree, map, removed, new: &lines, owned };
        let emptied = lines.is_empty() && removed.iter().all(|gone| *gone);
        if emptied && let Some(colon) = entry.and_then(|entry| entry.colon) {
            if !change.has_comments(colon) {
                return Ok(After::Goes);
            }
            // The comments in it are the learner's: the key stays for them.
            self.outcome(Some(Value::Null));
        }
        change.write(self.block.eol, &mut self.patches)?;
        Ok(After::Stays)
    }

    /// Appends the line or lines of a new key in block style, and notes it.
    pub(super) fn add_line(
        &mut self,
        lines: &mut String,
        key: &str,
        job: &Job<'_>,
        column: usize,
    ) -> Result<(), Fault> {
        let mut behind = String::new();
        match job {
            Job::Step(step) if step.action.is_none() => {
                let inner = column + self.block.step;
                self.path.push(key.into());
                behind.push_str(self.block.eol);
                for (key, step) in step.children.in_order() {
                    self.add_line(&mut behind, key, &Job::Step(step), inner)?;
                }
                self.path.pop();
                if behind == self.block.eol {
                    return Ok(());
                }
            }
            _ => {
                let Some(fresh) = self.fresh(key, job, restore::Place::Block { column })? else { return Ok(()) };
                match &fresh {
                    Fresh::Raw(raw, _) => behind.push_str(raw),
                    Fresh::Value(value) => self.block.behind_key(&mut behind, value, column),
                }
                behind.push_str(self.block.eol);
                self.note_new(key, fresh);
            }
        }
        write::pad(lines, column);
        Flow::YAML.key(lines, key);
        lines.push_str(&behind);
        Ok(())
    }

    fn note_new(&mut self, key: &str, fresh: Fresh<'_>) {
        let mut path = self.path.clone();
        path.push(key.into());
        let value = match fresh {
            Fresh::Value(value) => value.into_owned(),
            Fresh::Raw(_, value) => value,
        };
        self.outcomes.push((path, Some(value)));
    }

    /// How flow text is laid out whose first line is the one at `offset`.
    pub(super) fn flow_at(&self, offset: usize, lines: bool) -> Flow<'w> {
        let json = self.format == Format::Json;
        let space = if !json || self.layout.spaced { " " } else { "" };
        // YAML in brackets is written on one line: there it may not be indented less than the block around it.
        let lines = (json && lines).then(|| (self.block.eol, text::indent(self.source, offset), self.layout.unit));
        Flow { json, space, lines }
    }

    /// How new entries of a flow list or mapping are set apart, and laid out.
    pub(super) fn flow_style(&self, id: NodeId, spans: &[(usize, usize)]) -> (flow::Style, Flow<'w>) {
        let (source, node) = (self.source, &self.tree.nodes[id]);
        let eol = self.block.eol;
        let one_line = |space: &str| flow::Style {
            after_comma: space.into(),
            after_open: String::new(),
            before_close: String::new(),
            eol,
        };
        match spans {
            [first, ..] if text::begins_line(source, first.0) => {
                let after_comma = String::from(eol) + text::indent(source, first.0);
                let style = flow::Style { after_comma, after_open: String::new(), before_close: String::new(), eol };
                (style, self.flow_at(first.0, true))
            }
            [first, second, ..] => {
                let spaced = source[first.1..second.0].ends_with(' ');
                (one_line(if spaced { " " } else { "" }), self.flow_at(first.0, false))
            }
            [] if self.format == Format::Json && self.layout.lines => {
                let outer = text::indent(source, node.start);
                let inner = String::from(outer) + self.layout.unit;
                let after_comma = String::from(eol) + &inner;
                let before_close = String::from(eol) + outer;
                let style = flow::Style { after_open: after_comma.clone(), after_comma, before_close, eol };
                let flow = self.flow_at(node.start, true);
                (style, flow)
            }
            _ => {
                let flow = self.flow_at(node.start, false);
                (one_line(flow.space), flow)
            }
        }
    }

    fn flow_map(
        &mut self,
        id: NodeId,
        map: &Map<'t>,
        entry: Option<&Entry<'t>>,
        removed: &[bool],
        new: Vec<(&str, Job<'_>)>,
    ) -> Result<After, Fault> {
        let tree = self.tree;
        let node = &tree.nodes[id];
        let spans: Vec<_> = map.entries.iter().map(|entry| (entry.start, tree.value_end(entry))).list();
        let (style, flow) = self.flow_style(id, &spans);
        let mut slots: Vec<_> = (0..spans.len()).filter(|i| !removed[*i]).map(Slot::Keep).list();
        for (key, job) in new {
            if let Some(fresh) = self.fresh(key, &job, restore::Place::Flow)? {
                let mut text = String::new();
                flow.key(&mut text, key);
                match &fresh {
                    Fresh::Raw(raw, _) => text.push_str(raw),
                    Fresh::Value(value) => {
                        text.push_str(flow.space);
                        self.flow_value(&mut text, &style, flow, value);
                    }
                }
                slots.push(Slot::New(text));
                self.note_new(key, fresh);
            }
        }
        let change =
            flow::Change { source: self.source, open: node.start, close: node.end - 1, spans: &spans, style: &style };
        let yaml = self.format == Format::Yaml;
        if slots.is_empty() && !spans.is_empty() && entry.is_some() {
            if !(yaml && change.has_comments()) {
                return Ok(After::Goes);
            }
            self.outcome(Some(Value::Map(Mapping::new())));
        }
        if slots.len() != spans.len() || slots.iter().any(|slot| matches!(slot, Slot::New(_))) {
            change.write(slots, yaml, &mut self.patches)?;
        }
        Ok(After::Stays)
    }

    /// Writes a new value of a flow entry, indented from where the entry's line is.
    pub(super) fn flow_value(&self, out: &mut String, style: &flow::Style, flow: Flow<'_>, value: &Value) {
        let base = words::trim_start(&style.after_comma, "\r\n");
        let lines = flow.lines.map(|(eol, _, unit)| (eol, base, unit));
        Flow { lines, ..flow }.value(out, value);
    }

    /// The value for a key that is not there, if the job gives it one.
    fn fresh<'e>(&self, key: &str, job: &Job<'e>, place: restore::Place) -> Result<Option<Fresh<'e>>, Fault> {
        Ok(match job {
            Job::Drop => None,
            Job::Put(value) => Some(Fresh::Value(Cow::Borrowed(*value))),
            Job::Step(step) => match step.action {
                Some(Action::Remove | Action::Empty(_)) => None,
                Some(Action::Set(value)) => Some(Fresh::Value(Cow::Borrowed(value))),
                Some(Action::Restore(raw)) => {
                    let meaning =
                        restore::meaning(self.format, raw, place).map_err(|fault| self.unreadable(key, fault))?;
                    Some(match meaning.fits {
                        true => Fresh::Raw(raw, meaning.value),
                        false => Fresh::Value(Cow::Owned(meaning.value)),
                    })
                }
                None => self.fresh_map(&step.children)?.map(|map| Fresh::Value(Cow::Owned(Value::Map(map)))),
            },
        })
    }

    /// The mapping that edits below a missing key make; none if they only remove.
    pub(super) fn fresh_map(&self, steps: &Steps<'_>) -> Result<Option<Mapping>, Fault> {
        let mut map = Mapping::new();
        for (key, step) in steps.in_order() {
            let value = match self.fresh(key, &Job::Step(step), restore::Place::Flow)? {
                Some(Fresh::Value(value)) => value.into_owned(),
                Some(Fresh::Raw(_, value)) => value,
                None => continue,
            };
            map.insert(key.into(), value);
        }
        Ok((!map.is_empty()).then_some(map))
    }

    pub(super) fn unreadable(&self, key: &str, fault: Fault) -> Fault {
        let message = format!("the text recorded for `{key}` cannot be put back: {}", fault.message);
        Fault::new(fault.kind, message)
    }
}
