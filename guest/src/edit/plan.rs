//! A list of edits → a tree of what is to happen to each key, so that one walk over the file does them all.
//!
//! It never looks at the file, and never reorders edits that concern the same value.

use alloc::string::String;

use super::{Edit, Fault, FaultKind};
use crate::{ordered::Map, value::Value};

/// What is to happen at one key.
#[derive(Debug, Default)]
pub(super) struct Step<'e> {
    /// What happens to the value itself; then there are no children.
    pub action: Option<Action<'e>>,
    /// What happens to keys inside the value.
    pub children: Steps<'e>,
    /// What the value becomes if nothing is left in it.
    pub empty: Option<&'e str>,
}

/// One edit without its path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Action<'e> {
    /// See [`Edit::Set`].
    Set(&'e Value),
    /// See [`Edit::Restore`].
    Restore(&'e str),
    /// See [`Edit::Remove`].
    Remove,
    /// See [`Edit::Empty`]; it is never the action of a step.
    Empty(&'e str),
}

/// The keys of one mapping that something happens to.
#[derive(Debug, Default)]
pub(super) struct Steps<'e>(Map<&'e str, Step<'e>>);

impl<'e> Steps<'e> {
    /// Takes edits from the front as long as none concerns a value that an earlier one already changed as a
    /// whole; answers how many. The rest must see the file as these leave it.
    pub fn gather(edits: &'e [Edit<'e>]) -> Result<(Self, usize), Fault> {
        let mut steps = Steps::default();
        for (done, edit) in edits.iter().enumerate() {
            let (path, action) = match edit {
                Edit::Set { path, value } => (path, Action::Set(value)),
                Edit::Restore { path, raw } => (path, Action::Restore(raw)),
                Edit::Remove { path } => (path, Action::Remove),
                Edit::Empty { path, raw } => (path, Action::Empty(raw)),
            };
            if path.is_empty() {
                let message = "an edit must name a key; the file as a whole is not replaced";
                return Err(Fault::new(FaultKind::NotAMappingHere, message));
            }
            if !steps.add(path, action) {
                return Ok((steps, done));
            }
        }
        Ok((steps, edits.len()))
    }

    fn add(&mut self, path: &'e [String], action: Action<'e>) -> bool {
        let Some((key, rest)) = path.split_first() else { return false };
        // Look before anything is added: a refused edit must leave no trace.
        let is_new = !self.0.contains_key(key.as_str());
        let step = self.0.or_default(key);
        match action {
            _ if step.action.is_some() => return false,
            _ if !rest.is_empty() => return step.children.add(rest, action),
            Action::Empty(raw) => step.empty = Some(raw),
            _ if !is_new => return false,
            _ => step.action = Some(action),
        }
        true
    }

    /// Whether nothing is to happen to any.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The keys in the order in which the edits named them.
    pub fn in_order<'s>(&'s self) -> impl Iterator<Item = (&'e str, &'s Step<'e>)> {
        self.0.as_added().map(|(key, step)| (*key, step))
    }
}

impl Step<'_> {
    /// Whether anything here puts a value into the file.
    pub fn writes(&self) -> bool {
        match self.action {
            Some(Action::Remove) => false,
            Some(_) => true,
            None => self.children.0.values().any(Step::writes),
        }
    }
}
