//! What happens to one entry that is there: its value is replaced, edited inside, put back, or it goes.
//!
//! It never touches an entry that another place in the file refers to, and never a text that means the same already.

use alloc::{format, string::String, vec::Vec};

use super::{
    Format,
    block::{self, own_line},
    change::{After, Job, Walk},
    fault::{Fault, FaultKind},
    flow::{self, Slot},
    list,
    plan::{Action, Step},
    restore,
    scalar::Scalar,
    text,
    tree::{Entry, Kind, NodeId},
    write::{self, Flow},
};
use crate::{list::IntoList, value::Value, words};

impl<'t> Walk<'_, 't> {
    /// Edits one entry that is there. `in_flow`: whether it stands between brackets.
    pub(super) fn entry(
        &mut self,
        entry: &Entry<'t>,
        in_flow: bool,
        value: &Value,
        job: Job<'_>,
    ) -> Result<After, Fault> {
        let tree = self.tree;
        let node = &tree.nodes[entry.value];
        if let Job::Step(Step { action: None, children, .. }) = job
            && children.is_empty()
        {
            return Ok(After::Stays);
        }
        if matches!(node.kind, Kind::Alias(_)) {
            let what = "is an alias (`*name`): editing it would not stay in one place; write the value out instead";
            return Err(self.fault(entry.start, FaultKind::Alias, what));
        }
        if entry.marked || node.marked {
            let what = "carries an anchor or a tag (`&name`, `!name`); garnish edits plain values only: remove it";
            return Err(self.fault(entry.start, FaultKind::Anchor, what));
        }
        let Some(colon) = entry.colon else {
            let what = "is not spelled `key: value`; garnish cannot edit it: spell it so";
            return Err(self.fault(entry.start, FaultKind::Spelling, what));
        };
        let step = match job {
            Job::Put(new) => return self.set(entry, colon, in_flow, value, new).map(|()| After::Stays),
            Job::Drop => return self.goes(entry),
            Job::Step(step) => step,
        };
        match step.action {
            Some(Action::Remove | Action::Empty(_)) => self.goes(entry),
            Some(Action::Set(new)) => self.set(entry, colon, in_flow, value, new).map(|()| After::Stays),
            Some(Action::Restore(raw)) => self.restore(entry, colon, in_flow, value, raw).map(|()| After::Stays),
            None => self.inside(entry, colon, in_flow, value, step),
        }
    }

    fn goes(&self, entry: &Entry<'t>) -> Result<After, Fault> {
        self.no_anchor(entry)?;
        Ok(After::Goes)
    }

    fn no_anchor(&self, entry: &Entry<'t>) -> Result<(), Fault> {
        if self.tree.nodes[entry.value].anchored {
            let what = "holds an anchor (`&name`) that other values may refer to; garnish does not replace it";
            return Err(self.fault(entry.start, FaultKind::Anchor, what));
        }
        Ok(())
    }

    /// Edits keys inside the value of an entry.
    fn inside(
        &mut self,
        entry: &Entry<'t>,
        colon: usize,
        in_flow: bool,
        value: &Value,
        step: &Step<'_>,
    ) -> Result<After, Fault> {
        let tree = self.tree;
        match (&tree.nodes[entry.value].kind, value) {
            (Kind::Map(_), Value::Map(values)) => {
                let jobs = step.children.in_order();
                let jobs = jobs.map(|(key, step)| (key, Job::Step(step))).list();
                let after = self.map(entry.value, Some(entry), values, jobs, false)?;
                let (After::Goes, Some(raw)) = (after, step.empty) else { return Ok(after) };
                self.restore(entry, colon, in_flow, value, raw)?;
            }
            (Kind::Scalar(Scalar::Absent), _) if !in_flow => {
                // Below the key, and before comments that stand below it: `skills:`.
                own_line(self.source, entry.start)?;
                let column = text::indent(self.source, entry.start).len() + self.block.step;
                let mut lines = String::new();
                for (key, step) in step.children.in_order() {
                    self.add_line(&mut lines, key, &Job::Step(step), column)?;
                }
                self.patches.insert(text::next_line(self.source, colon), lines);
            }
            (Kind::Scalar(Scalar::Absent | Scalar::Null), _) => {
                if let Some(map) = self.fresh_map(&step.children)? {
                    self.set(entry, colon, in_flow, value, &Value::Map(map))?;
                }
            }
            _ if step.writes() => {
                let kind = value.kind();
                let what = format!("is {kind} here, where garnish needs a mapping; it does not replace it");
                return Err(self.fault(entry.start, FaultKind::NotAMappingHere, &what));
            }
            _ => {}
        }
        Ok(After::Stays)
    }

    /// Makes `new` the value of an entry.
    fn set(&mut self, entry: &Entry<'t>, colon: usize, in_flow: bool, old: &Value, new: &Value) -> Result<(), Fault> {
        if old == new {
            return Ok(());
        }
        let tree = self.tree;
        let node = &tree.nodes[entry.value];
        match (&node.kind, old, new) {
            (Kind::List(items), Value::List(before), Value::List(after)) if !before.is_empty() && !after.is_empty() => {
                self.list(entry, colon, items, before, after)?;
                self.outcome(Some(new.clone()));
            }
            (Kind::Map(_), Value::Map(before), Value::Map(after)) if !before.is_empty() && !after.is_empty() => {
                let gone = before.keys().filter(|key| !after.contains_key(*key));
                let jobs = gone.map(|key| (key.as_str(), Job::Drop));
                let jobs = jobs.chain(after.iter().map(|(key, value)| (key.as_str(), Job::Put(value))));
                self.map(entry.value, Some(entry), before, jobs.list(), true)?;
            }
            _ => {
                self.no_anchor(entry)?;
                self.replace(entry, colon, in_flow, new);
                self.outcome(Some(new.clone()));
            }
        }
        Ok(())
    }

    /// Puts a new value into the place of an old one that it has nothing in common with.
    fn replace(&mut self, entry: &Entry<'t>, colon: usize, in_flow: bool, new: &Value) {
        let node = &self.tree.nodes[entry.value];
        let end = self.tree.value_end(entry);
        let absent = matches!(node.kind, Kind::Scalar(Scalar::Absent));
        let mut text = String::new();
        if in_flow {
            let flow = self.flow_at(entry.start, text::begins_line(self.source, entry.start));
            if absent {
                text.push(' ');
            }
            flow.value(&mut text, new);
            self.patches.replace(if absent { colon } else { node.start }, end, text);
            return;
        }
        // What follows on the line would follow the last line of a block, and belong to it from then on.
        let alone = text::line_end(self.source, end) == end;
        if write::is_tall(new) && alone {
            self.block.behind_key(&mut text, new, text::indent(self.source, entry.start).len());
            self.patches.replace(colon, end, text);
        } else if absent || node.block {
            text.push(' ');
            Flow::YAML.value(&mut text, new);
            self.patches.replace(colon, end, text);
        } else {
            Flow::YAML.value(&mut text, new);
            self.patches.replace(node.start, end, text);
        }
    }

    /// Edits a list item by item.
    fn list(
        &mut self,
        entry: &Entry<'t>,
        colon: usize,
        items: &[NodeId],
        old: &[Value],
        new: &[Value],
    ) -> Result<(), Fault> {
        let tree = self.tree;
        let node = &tree.nodes[entry.value];
        let stays = list::staying(old, new);
        let mut kept = alloc::vec![false; items.len()];
        for at in stays.iter().flatten() {
            kept[*at] = true;
        }
        if items.iter().zip(&kept).any(|(item, kept)| !kept && tree.nodes[*item].anchored) {
            self.no_anchor(entry)?;
        }
        if node.block {
            return block::list((self.source, tree, &mut self.patches), self.block, colon, items, new, &stays);
        }
        let spans: Vec<_> = items.iter().map(|item| (tree.nodes[*item].start, tree.nodes[*item].end)).list();
        let (style, flow) = self.flow_style(entry.value, &spans);
        let slots = new.iter().zip(&stays).map(|(value, stay)| match stay {
            Some(at) => Slot::Keep(*at),
            None => {
                let mut text = String::new();
                self.flow_value(&mut text, &style, flow, value);
                Slot::New(text)
            }
        });
        let slots = slots.list();
        let change =
            flow::Change { source: self.source, open: node.start, close: node.end - 1, spans: &spans, style: &style };
        change.write(slots, self.format == Format::Yaml, &mut self.patches)
    }

    /// Puts source text back as the value of an entry.
    fn restore(&mut self, entry: &Entry<'t>, colon: usize, in_flow: bool, old: &Value, raw: &str) -> Result<(), Fault> {
        let end = self.tree.value_end(entry);
        if &self.source[colon..end] == raw {
            return Ok(());
        }
        let place = match in_flow {
            true => restore::Place::Flow,
            false => restore::Place::Block { column: text::indent(self.source, entry.start).len() },
        };
        let key = entry.key.as_ref();
        let meaning = restore::meaning(self.format, raw, place).map_err(|fault| self.unreadable(key, fault))?;
        if !meaning.fits {
            return self.set(entry, colon, in_flow, old, &meaning.value);
        }
        self.no_anchor(entry)?;
        match place {
            // A comment that came to stand behind the value since: it would become part of the last line.
            restore::Place::Block { column } if meaning.block && !self.rest(end).is_empty() => {
                let mut text = String::from(raw) + self.block.eol;
                write::pad(&mut text, column);
                text.push_str(self.rest(end));
                self.patches.replace(colon, text::line_end(self.source, end), text);
            }
            _ => self.patches.replace(colon, end, raw),
        }
        self.outcome(Some(meaning.value));
        Ok(())
    }

    /// What stands behind a value on its line.
    fn rest(&self, end: usize) -> &str {
        words::trim(&self.source[end..text::line_end(self.source, end)], " \t")
    }
}
