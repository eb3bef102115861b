//! Flow style: entries between brackets, in YAML and in JSON.
//!
//! It never lays out anew what is there: commas and white space go with an entry or come with one.

use alloc::{string::String, vec::Vec};

use super::{
    fault::{Fault, FaultKind},
    patch::Patches,
    text,
};

/// One entry of the list or mapping as it is to be.
pub(super) enum Slot {
    /// An entry that is there. Their numbers rise.
    Keep(usize),
    /// A new one.
    New(String),
}

/// A list or mapping in brackets.
pub(super) struct Change<'c> {
    /// The text that is edited.
    pub source: &'c str,
    /// Where the opening bracket stands.
    pub open: usize,
    /// Where the closing bracket stands.
    pub close: usize,
    /// The entries, each from its first to behind its last byte.
    pub spans: &'c [(usize, usize)],
    /// How new entries are set apart.
    pub style: &'c Style,
}

/// How new entries are set apart.
pub(super) struct Style {
    /// What stands behind a comma.
    pub after_comma: String,
    /// What stands behind the opening bracket of an empty one that gets entries.
    pub after_open: String,
    /// What stands before the closing one.
    pub before_close: String,
    /// The line ending.
    pub eol: &'static str,
}

impl Change<'_> {
    /// Whether a comment stands between the entries.
    pub fn has_comments(&self) -> bool {
        let mut from = self.open;
        let ends = self.spans.iter().copied().chain([(self.close, self.close)]);
        ends.into_iter().any(|(start, end)| text::has_comment(self.source, core::mem::replace(&mut from, end), start))
    }

    /// Writes the replacements. `commented`: whether comments may stand between the entries.
    pub fn write(&self, slots: Vec<Slot>, commented: bool, patches: &mut Patches) -> Result<(), Fault> {
        if commented && self.has_comments() {
            return self.write_by_line(slots, patches);
        }
        // Between two entries that stay everything is one piece: what goes, then what comes.
        let mut before: Option<usize> = None;
        let mut new: Vec<String> = Vec::new();
        for slot in slots {
            match slot {
                Slot::New(text) => new.push(text),
                Slot::Keep(next) => {
                    self.piece(before, Some(next), &core::mem::take(&mut new), patches);
                    before = Some(next);
                }
            }
        }
        self.piece(before, None, &new, patches);
        Ok(())
    }

    fn piece(&self, before: Option<usize>, next: Option<usize>, new: &[String], patches: &mut Patches) {
        // A comma before each new entry, but for the first of all; behind an entry only if nothing else precedes it.
        let mut text = String::new();
        for (i, entry) in new.iter().enumerate() {
            if i > 0 || before.is_some() {
                self.comma(&mut text);
            }
            text.push_str(entry);
        }
        if before.is_none() && next.is_some() && !text.is_empty() {
            self.comma(&mut text);
        }
        let spans = self.spans;
        match (before, next) {
            (Some(before), _) => {
                let last = next.unwrap_or(spans.len()) - 1;
                if last > before || !text.is_empty() {
                    patches.replace(spans[before].1, spans[last].1, text);
                }
            }
            (None, Some(next)) if next == 0 && text.is_empty() => {}
            (None, Some(next)) => patches.replace(spans[0].0, spans[next].0, text),
            _ if text.is_empty() => patches.delete(self.open + 1, self.close),
            _ => match (spans.first(), spans.last()) {
                (Some(first), Some(last)) => patches.replace(first.0, last.1, text),
                _ => {
                    let text = String::from(&self.style.after_open) + &text + &self.style.before_close;
                    patches.replace(self.open + 1, self.close, text);
                }
            },
        }
    }

    fn comma(&self, text: &mut String) {
        text.push(',');
        text.push_str(&self.style.after_comma);
    }

    /// With comments between them, entries come and go with their lines. Whether a comma stands behind the last
    /// one stays as it was.
    fn write_by_line(&self, slots: Vec<Slot>, patches: &mut Patches) -> Result<(), Fault> {
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.len().checked_sub(1)) else {
            return if slots.is_empty() { Ok(()) } else { Err(self.refuse(self.open)) };
        };
        let indent = text::indent(self.source, first.0);
        let ends_in_comma = self.line_of(last).1.is_some();
        let mut at = text::begins_line(self.source, first.0).then(|| text::line_start(self.source, first.0));
        let mut kept = alloc::vec![false; self.spans.len()];
        let mut slots = slots.into_iter().peekable();
        while let Some(slot) = slots.next() {
            match slot {
                Slot::Keep(i) => {
                    kept[i] = true;
                    let (end, comma) = self.line_of(i);
                    at = end;
                    match (comma, slots.peek()) {
                        (Some(comma), None) if !ends_in_comma => patches.delete(comma, comma + 1),
                        (None, Some(_)) if i == last => patches.insert(self.spans[i].1, ","),
                        _ => {}
                    }
                }
                Slot::New(text) => {
                    let Some(at) = at else { return Err(self.refuse(first.0)) };
                    let comma = if slots.peek().is_some() || ends_in_comma { "," } else { "" };
                    patches.insert(at, String::from(indent) + &text + comma + self.style.eol);
                }
            }
        }
        for (i, kept) in kept.iter().enumerate() {
            let start = self.spans[i].0;
            match self.line_of(i).0 {
                _ if *kept => {}
                Some(end) if text::begins_line(self.source, start) => {
                    patches.delete(text::line_start(self.source, start), end);
                }
                _ => return Err(self.refuse(start)),
            }
        }
        Ok(())
    }

    /// Where the line behind an entry begins, if nothing but its comma and a comment follows it on its own;
    /// and where its comma stands, if it stands there.
    fn line_of(&self, i: usize) -> (Option<usize>, Option<usize>) {
        let bytes = self.source.as_bytes();
        let mut at = text::skip_blanks(self.source, self.spans[i].1);
        let comma = (bytes.get(at) == Some(&b',')).then_some(at);
        if comma.is_some() {
            at = text::skip_blanks(self.source, at + 1);
        }
        let alone = matches!(bytes.get(at), Some(b'#' | b'\n' | b'\r'));
        // A comma on a later line cannot go with this one.
        let whole = alone && (comma.is_some() || i + 1 == self.spans.len());
        (whole.then(|| text::next_line(self.source, at)), comma)
    }

    fn refuse(&self, at: usize) -> Fault {
        let message = "garnish cannot change this without moving a comment; put each entry between the brackets on \
                       a line of its own";
        Fault::at(self.source, at, FaultKind::Spelling, message)
    }
}
