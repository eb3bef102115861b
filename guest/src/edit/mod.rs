//! Edits of YAML and JSON configuration files that leave every other byte as it is.
//!
//! A [`Document`] is the learner's text with the place of everything in it. [`Document::edit`] replaces pieces
//! of that text, reads the result again, and compares it with what was intended. It never formats a file anew,
//! never falls back to doing so, and refuses a file that a harness would read otherwise than this module does.

mod block;
mod change;
mod fault;
mod flow;
mod json;
mod list;
mod patch;
mod plan;
mod put;
mod restore;
mod scalar;
mod text;
mod tree;
mod write;
mod yaml;
mod yaml_flow;
mod yaml_marks;
mod yaml_scalar;

use alloc::{borrow::Cow, format, string::String, vec::Vec};

pub use fault::{Fault, FaultKind};
pub use scalar::write_scalar;
pub use write::{Block, Flow};

use self::{change::Walk, plan::Steps, tree::Tree};
use crate::{
    value::{Mapping, Value},
    words::joined,
};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// How deep lists and mappings may be nested.
pub const MAX_DEPTH: usize = 128;

/// The byte order mark, which a file may begin with and then keeps (case B10).
const BOM: &str = "\u{feff}";

/// The language of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML as `Bun.YAML` 1.4.5 reads it.
    Yaml,
    /// JSON without comments.
    Json,
}

/// A file that was read, with the place of everything in it.
#[derive(Debug)]
pub struct Document<'t> {
    format: Format,
    bom: bool,
    /// Behind the byte order mark.
    source: &'t str,
    tree: Tree<'t>,
    value: Value,
}

/// One change to a file. A path names keys of mappings from the top down.
#[derive(Debug, Clone, Copy)]
pub enum Edit<'e> {
    /// Makes `value` the value at `path`, creating mappings on the way. A list that replaces a list keeps the
    /// items that both have, with their comments; a mapping that replaces a mapping keeps such entries.
    Set {
        /// Where.
        path: &'e [String],
        /// What.
        value: &'e Value,
    },
    /// Puts text back that [`Document::raw`] gave for this path in an earlier state of the file.
    Restore {
        /// Where.
        path: &'e [String],
        /// The text.
        raw: &'e str,
    },
    /// Takes the key out, and the mappings above it that become empty by that, unless they hold comments.
    Remove {
        /// Where. A path that is not there is no fault.
        path: &'e [String],
    },
    /// What becomes of the mapping at `path` if the other edits leave nothing in it: it stays, and is spelled so. Text
    /// as for [`Edit::Restore`].
    Empty {
        /// Where.
        path: &'e [String],
        /// The text.
        raw: &'e str,
    },
}

impl<'t> Document<'t> {
    /// Reads a file; refuses one that a harness would read otherwise.
    pub fn parse(format: Format, bytes: &'t [u8]) -> Result<Self, Fault> {
        Self::parse_within(format, bytes, MAX_BYTES)
    }

    /// The same with another limit than [`MAX_BYTES`], for documents that are not configuration files.
    pub fn parse_within(format: Format, bytes: &'t [u8], limit: usize) -> Result<Self, Fault> {
        if bytes.len() > limit {
            let message = format!("the file is larger than {} MiB, the most garnish reads; shorten it", limit >> 20);
            return Err(Fault::at("", 0, FaultKind::TooLarge, message));
        }
        let text = core::str::from_utf8(bytes).map_err(|error| {
            let valid = core::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            let message = "the file is not UTF-8: a byte here belongs to no character; save it as UTF-8";
            Fault::at(valid, valid.len(), FaultKind::NotUtf8, message)
        })?;
        let (bom, source) = match text.strip_prefix(BOM) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let tree = match format {
            Format::Yaml => yaml::parse(source)?,
            Format::Json => json::parse(source)?,
        };
        let value = tree.value(source)?;
        Ok(Document { format, bom, source, tree, value })
    }

    /// The whole file as the harness reads it. An empty file is an empty mapping.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The whole file as the harness reads it, without the file.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// The source text of the value at `path`: from directly behind the `:` to the end of the value. It is empty
    /// where nothing is written. A comment behind a single value or a closing bracket is not part of it; of a
    /// block, all up to the end of its last line is.
    ///
    /// [`Edit::Restore`] with this text gives the file back byte for byte after any [`Edit::Set`] of the path.
    pub fn raw(&self, path: &[&str]) -> Option<&'t str> {
        let entry = self.tree.entry(path)?;
        self.source.get(entry.colon?..self.tree.value_end(entry))
    }

    /// Line and column of the key at `path`, both counted from 1, the column in characters.
    pub fn place(&self, path: &[&str]) -> Option<(u32, u32)> {
        Some(text::place(self.source, self.tree.entry(path)?.start))
    }

    /// Makes all edits, in order, and answers the new bytes: the old ones if there is nothing to change.
    ///
    /// The result is read again and compared with what was intended; a difference is a [`FaultKind::Verify`].
    pub fn edit(&self, edits: &[Edit<'_>]) -> Result<Vec<u8>, Fault> {
        for edit in edits {
            if let Edit::Set { value, path } = edit {
                write::check_depth(value, (MAX_DEPTH + 1).saturating_sub(path.len()))?;
                if self.format == Format::Json && !write::fits_json(value) {
                    let message = format!("JSON has no spelling for the number in `{}`", joined(path, "."));
                    return Err(Fault::new(FaultKind::Unwritable, message));
                }
            }
        }
        let (mut bytes, mut done) = self.some_edits(edits)?;
        while done < edits.len() {
            let (next, more) = Document::parse(self.format, &bytes)?.some_edits(&edits[done..])?;
            bytes = next;
            done += more;
        }
        Ok(bytes)
    }

    /// Makes as many of the edits as one walk can; answers how many.
    fn some_edits(&self, edits: &[Edit<'_>]) -> Result<(Vec<u8>, usize), Fault> {
        let (steps, count) = Steps::gather(edits)?;
        // Lines are added and removed whole, so the last one needs its break; the file does not get it.
        let by_lines = self.format == Format::Yaml
            && self.tree.root.is_none_or(|root| self.tree.nodes[root].block)
            && text::lacks_final_break(self.source);
        let eol = text::ending(self.source);
        let source: Cow<'_, str> =
            if by_lines { Cow::Owned(String::from(self.source) + eol) } else { Cow::Borrowed(self.source) };
        let mut walk = Walk::new(self.format, &source, &self.tree);
        walk.run(&self.value, &steps)?;
        let Walk { patches, outcomes, .. } = walk;
        let bom = if self.bom { BOM } else { "" };
        if patches.is_empty() {
            return Ok((Vec::from(String::from(bom) + self.source), count));
        }
        let body = patches
            .apply(&source)
            .ok_or_else(|| Fault::new(FaultKind::Verify, "two edits touch the same text; the file is left as it is"))?;
        let body = if by_lines { body.strip_suffix(eol).unwrap_or(&body) } else { &body };
        let bytes = Vec::from(String::from(bom) + body);
        self.verify(&bytes, outcomes, &edits[..count])?;
        Ok((bytes, count))
    }

    /// Reads the result again and compares it with what was intended.
    fn verify(
        &self,
        bytes: &[u8],
        outcomes: Vec<(Vec<String>, Option<Value>)>,
        edits: &[Edit<'_>],
    ) -> Result<(), Fault> {
        let mut intended = self.value.clone();
        for (path, value) in outcomes {
            put(&mut intended, &path, value);
        }
        let result = Document::parse(self.format, bytes).map_err(|fault| match fault.kind {
            FaultKind::TooLarge | FaultKind::TooDeep => fault,
            _ => Fault::new(FaultKind::Verify, format!("the edited file could not be read: {fault}")),
        })?;
        let asked = edits.iter().all(|edit| match edit {
            Edit::Set { path, value } => result.value.at(path) == Some(value),
            Edit::Restore { path, .. } => result.value.at(path).is_some(),
            Edit::Remove { path } => result.value.at(path).is_none(),
            Edit::Empty { .. } => true,
        });
        if asked && result.value == intended {
            return Ok(());
        }
        let message = "the edited file would not say what was intended; the file is left as it is";
        Err(Fault::new(FaultKind::Verify, message))
    }
}

/// The value that a piece of source text stands for, as [`Document::raw`] gave it.
pub fn raw_value(format: Format, raw: &str) -> Result<Value, Fault> {
    restore::meaning(format, raw, restore::Place::Block { column: 0 }).map(|meaning| meaning.value)
}

/// Makes `value` the value at `path`, or takes the key out. What is no mapping on the way becomes one.
fn put(root: &mut Value, path: &[String], value: Option<Value>) {
    let Some((last, parents)) = path.split_last() else { return };
    let mut at = root;
    for key in parents {
        if at.as_map().is_none() {
            *at = Value::Map(Mapping::new());
        }
        let Value::Map(map) = at else { return };
        at = map.or_insert(key.clone(), Value::Null);
    }
    if at.as_map().is_none() {
        *at = Value::Map(Mapping::new());
    }
    let Value::Map(map) = at else { return };
    match value {
        Some(value) => map.insert(last.clone(), value),
        None => map.remove(last),
    };
}
