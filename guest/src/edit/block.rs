//! Block style: keys and items that have lines of their own.
//!
//! It never touches a line that is not the line of a key or item that goes; comments and blank lines stay,
//! but for those behind the last item kept of a value that is garnish's as a whole.

use alloc::{string::String, vec::Vec};

use super::{
    fault::{Fault, FaultKind},
    patch::Patches,
    text,
    tree::{Map, NodeId, Tree},
    write::Block,
};
use crate::{value::Value, words::has};

/// What to do with the entries of one block mapping.
pub(super) struct Change<'c, 't> {
    /// The text that is edited.
    pub source: &'c str,
    /// Its tree.
    pub tree: &'c Tree<'t>,
    /// The mapping.
    pub map: &'c Map<'t>,
    /// For each entry, whether it goes.
    pub removed: &'c [bool],
    /// New entries, each a line or lines with the last break.
    pub new: &'c str,
    /// Whether the whole mapping is garnish's. Its text must then stay in one piece, so that it can be put back:
    /// what stands behind the last entry that is kept would be left outside.
    pub owned: bool,
}

impl Change<'_, '_> {
    /// Whether a comment stands between or behind the entries, or behind the key above them: something of the
    /// learner's that would go if the mapping went.
    pub fn has_comments(&self, colon: usize) -> bool {
        let mut from = colon;
        for entry in &self.map.entries {
            if text::has_comment(self.source, from, entry.start) {
                return true;
            }
            from = text::next_line(self.source, self.tree.value_end(entry));
        }
        behind(self.source, from, text::indent(self.source, colon).len()) > from
    }

    /// Writes the replacements.
    pub fn write(&self, eol: &str, patches: &mut Patches) -> Result<(), Fault> {
        let mut rows = Vec::with_capacity(self.map.entries.len());
        for (entry, removed) in self.map.entries.iter().zip(self.removed) {
            if *removed {
                own_line(self.source, entry.start)?;
            }
            let end = text::line_end(self.source, self.tree.value_end(entry));
            rows.push(Row { start: text::line_start(self.source, entry.start), end, kept: !removed });
        }
        if self.owned {
            rewrite(self.source, &rows, self.new, eol, patches);
            return Ok(());
        }
        for row in rows.iter().filter(|row| !row.kept) {
            patches.delete(row.start, text::next_line(self.source, row.end));
        }
        if let Some(last) = rows.last() {
            let column = text::indent(self.source, rows[0].start).len();
            patches.insert(behind(self.source, text::next_line(self.source, last.end), column), self.new);
        }
        Ok(())
    }
}

/// The lines of one entry or item.
struct Row {
    /// Where its first line starts.
    start: usize,
    /// Where its last line ends, without the break.
    end: usize,
    /// Whether it stays.
    kept: bool,
}

/// Removes the rows that go, and puts the lines of `new`, each with a break, behind the last row: nothing that
/// stays is left behind the end, and the break there is not touched.
fn rewrite(source: &str, rows: &[Row], new: &str, eol: &str, patches: &mut Patches) {
    let (Some(last), Some(end)) = (rows.len().checked_sub(1), rows.last().map(|row| row.end)) else { return };
    let last_kept = rows.iter().rposition(|row| row.kept);
    let tail = if new.is_empty() { last_kept.unwrap_or(last) } else { last };
    for row in rows[..tail].iter().filter(|row| !row.kept) {
        patches.delete(row.start, text::next_line(source, row.end));
    }
    if new.is_empty() {
        patches.delete(rows[tail].end, end);
        return;
    }
    let new = new.strip_suffix(eol).unwrap_or(new);
    if rows[last].kept {
        patches.insert(end, String::from(eol) + new);
    } else {
        patches.replace(rows[last].start, end, new);
    }
}

/// Fails where something else stands before a key on its line.
pub(super) fn own_line(source: &str, start: usize) -> Result<(), Fault> {
    if text::begins_line(source, start) && !has(text::indent(source, start), b'\t') {
        return Ok(());
    }
    let message = "garnish can only edit a key that begins its line; put this one on a line of its own";
    Err(Fault::at(source, start, FaultKind::Spelling, message))
}

/// The end of the comment lines from `from` on that are indented further than `column`: they belong to what
/// stands above them.
fn behind(source: &str, from: usize, column: usize) -> usize {
    let (mut end, mut at) = (from, from);
    while at < source.len() {
        let first = text::skip_blanks(source, at);
        match source.as_bytes().get(first) {
            Some(b'#') if first - at > column => {
                at = text::next_line(source, first);
                end = at;
            }
            Some(b'\n' | b'\r') => at = text::next_line(source, first),
            _ => break,
        }
    }
    end
}

/// Edits a block list so that it holds `new`: items that stay keep their lines.
pub(super) fn list(
    (source, tree, patches): (&str, &Tree<'_>, &mut Patches),
    block: Block,
    colon: usize,
    items: &[NodeId],
    new: &[Value],
    stays: &[Option<usize>],
) -> Result<(), Fault> {
    // Dashes have no place in the tree; between two items there is nothing but comments before the next dash.
    let mut rows = Vec::with_capacity(items.len());
    let mut from = colon;
    for item in items {
        let dash = text::skip_trivia(source, from);
        if source.as_bytes().get(dash) != Some(&b'-') {
            let message = "garnish cannot find the items of this list; write each as `- item` on its own line";
            return Err(Fault::at(source, dash, FaultKind::Spelling, message));
        }
        own_line(source, dash)?;
        from = text::line_end(source, tree.nodes[*item].end.max(dash + 1));
        rows.push(Row { start: text::line_start(source, dash), end: from, kept: false });
    }
    for at in stays.iter().flatten() {
        rows[*at].kept = true;
    }
    let Some(first) = rows.first() else { return Ok(()) };
    let column = text::indent(source, first.start).len();
    let mut at = first.start;
    let mut lines = String::new();
    for (value, stay) in new.iter().zip(stays) {
        match stay {
            Some(old) => {
                patches.insert(at, core::mem::take(&mut lines));
                at = text::next_line(source, rows[*old].end);
            }
            None => {
                block.item(&mut lines, value, column);
                lines.push_str(block.eol);
            }
        }
    }
    // What is new behind the last item that stays goes below the comments of those that go.
    rewrite(source, &rows, &lines, block.eol, patches);
    Ok(())
}
