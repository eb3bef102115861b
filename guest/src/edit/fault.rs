//! What can be wrong with a file that a learner asks garnish to change, said with its place.
//!
//! It never repairs anything and never guesses: whoever gets a [`Fault`] leaves the file as it is.

use alloc::{boxed::Box, string::String};
use core::ops::Deref;

/// Why a file could not be read, or an edit not be made. The file stays as it was.
///
/// Its details are kept elsewhere: a result is small where there is no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Fault(Box<Details>);

/// What a [`Fault`] tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Details {
    /// What kind of fault this is.
    pub kind: FaultKind,
    /// The line, counted from 1, if the fault has a place.
    pub line: Option<u32>,
    /// The column in characters, counted from 1, if the fault has a place.
    pub column: Option<u32>,
    /// What was found and what to do, in plain English.
    pub message: String,
}

/// The kinds of [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text is not YAML, or not JSON.
    Syntax,
    /// A comment in a JSON file (case A08).
    Comment,
    /// The whole file is a list or a single value (case B08).
    NotAMapping,
    /// A key stands twice in one mapping (case B04).
    DuplicateKey,
    /// The file holds more than one YAML document.
    SeveralDocuments,
    /// A value stands where the edit needs a mapping (case A12).
    NotAMappingHere,
    /// A value stands where garnish needs a list.
    NotAListHere,
    /// The path goes through an alias or a merge key.
    Alias,
    /// The value or key carries an anchor or a tag.
    Anchor,
    /// Valid, but spelled in a way that cannot be edited, or not be read as surely as the harness reads it.
    Spelling,
    /// The value has no spelling in this format, such as an infinity in JSON.
    Unwritable,
    /// The file is larger than [`super::MAX_BYTES`], or its aliases expand too far.
    TooLarge,
    /// Lists and mappings are nested deeper than [`super::MAX_DEPTH`].
    TooDeep,
    /// The edited text, read again, does not say what was intended.
    Verify,
}

impl FaultKind {
    /// The stable code that a person can search for.
    pub fn code(self) -> &'static str {
        match self {
            FaultKind::NotUtf8 => "garnish::file::not-utf8",
            FaultKind::Syntax => "garnish::file::syntax",
            FaultKind::Comment => "garnish::file::comment",
            FaultKind::NotAMapping => "garnish::file::not-a-mapping",
            FaultKind::DuplicateKey => "garnish::file::duplicate-key",
            FaultKind::SeveralDocuments => "garnish::file::several-documents",
            FaultKind::NotAMappingHere => "garnish::file::not-a-mapping-here",
            FaultKind::NotAListHere => "garnish::file::not-a-list-here",
            FaultKind::Alias => "garnish::file::alias",
            FaultKind::Anchor => "garnish::file::anchor",
            FaultKind::Spelling => "garnish::file::spelling",
            FaultKind::Unwritable => "garnish::file::unwritable",
            FaultKind::TooLarge => "garnish::file::too-large",
            FaultKind::TooDeep => "garnish::file::too-deep",
            FaultKind::Verify => "garnish::file::verify",
        }
    }
}

impl Deref for Fault {
    type Target = Details;

    fn deref(&self) -> &Details {
        &self.0
    }
}

impl Fault {
    /// A fault of the file as a whole.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self::placed(kind, None, message.into())
    }

    /// A fault at a line and column, if it has a place.
    pub fn placed(kind: FaultKind, place: Option<(u32, u32)>, message: String) -> Self {
        Fault(Box::new(Details { kind, line: place.map(|place| place.0), column: place.map(|place| place.1), message }))
    }

    /// A fault at a byte offset of `text`.
    pub(super) fn at(text: &str, offset: usize, kind: FaultKind, message: impl Into<String>) -> Self {
        Self::placed(kind, Some(super::text::place(text, offset)), message.into())
    }
}
