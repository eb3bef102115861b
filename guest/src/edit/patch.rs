//! Replacements of pieces of a text, collected in any order and made at once.
//!
//! It never changes a byte outside the pieces it was given.

use alloc::{string::String, vec::Vec};

use crate::order;

/// The replacements to make in one text.
#[derive(Debug, Default)]
pub(super) struct Patches(Vec<Patch>);

#[derive(Debug)]
struct Patch {
    start: usize,
    end: usize,
    text: String,
}

impl Patches {
    /// Puts `text` in the place of `start..end`. Several insertions at one place stay in the order given.
    pub fn replace(&mut self, start: usize, end: usize, text: impl Into<String>) {
        self.0.push(Patch { start, end, text: text.into() });
    }

    /// Removes `start..end`.
    pub fn delete(&mut self, start: usize, end: usize) {
        if start < end {
            self.replace(start, end, "");
        }
    }

    /// Inserts `text`.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.replace(at, at, text);
        }
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with all replacements made; None if two of them overlap.
    pub fn apply(self, text: &str) -> Option<String> {
        let patches = &self.0;
        let order = order::sorted(patches.len(), &mut |a, b| {
            (patches[a].start, patches[a].end).cmp(&(patches[b].start, patches[b].end))
        });
        let added: usize = self.0.iter().map(|patch| patch.text.len()).sum();
        let mut out = String::with_capacity(text.len() + added);
        let mut at = 0;
        for patch in order.into_iter().map(|at| &patches[at]) {
            out.push_str(text.get(at..patch.start)?);
            out.push_str(&patch.text);
            at = patch.end;
        }
        out.push_str(text.get(at..)?);
        Some(out)
    }
}
