//! How values cross the border of the component: the canonical ABI, word by word.
//!
//! wit-bindgen writes the way of every type out in every export, 50 KB for this world; here each type has its way once.
//! Everything in `wit/` is made of words of 32 bits: a text or a list is a pointer and a length, a variant its tag and
//! then room for the largest payload, a record its fields. That is so in parameters and in memory alike, but for a tag,
//! which is one byte in memory: the rest of its word means nothing.

use alloc::{string::String, vec, vec::Vec};
use core::{cell::RefCell, mem};

use super::OneThread;
use crate::diagnostic::Error;

/// Words to be read: the parameters of a call, or the items of a list.
pub struct Words(vec::IntoIter<usize>);

impl Words {
    /// The parameters of a call.
    pub fn new(flat: &[usize]) -> Self {
        Self(flat.to_vec().into_iter())
    }

    fn next(&mut self) -> usize {
        self.0.next().unwrap_or_default()
    }

    /// The tag of a variant.
    pub fn tag(&mut self) -> u8 {
        self.next() as u8
    }

    /// Passes over words.
    pub fn skip(&mut self, words: usize) {
        for _ in 0..words {
            self.next();
        }
    }

    /// A value.
    pub fn read<T: Lift>(&mut self) -> T {
        T::lift(self)
    }

    /// A list of plain items, each of a size in parts; it now belongs to us.
    fn list<T>(&mut self, parts: usize) -> Vec<T> {
        let (pointer, length) = (self.next(), self.next() * parts);
        if length == 0 {
            return Vec::new();
        }
        // SAFETY: the caller made the list by `cabi_realloc`, that is by our allocator, with this size and alignment,
        // filled it, and gave it away.
        unsafe { Vec::from_raw_parts(core::ptr::with_exposed_provenance_mut(pointer), length, length) }
    }
}

/// What can be a parameter.
pub trait Lift {
    /// How many words it has.
    const WORDS: usize;

    /// Reads it.
    fn lift(words: &mut Words) -> Self;
}

impl Lift for Vec<u8> {
    const WORDS: usize = 2;

    fn lift(words: &mut Words) -> Self {
        words.list(1)
    }
}

impl Lift for String {
    const WORDS: usize = 2;

    fn lift(words: &mut Words) -> Self {
        // A caller checks its texts; what is none all the same becomes the empty one.
        String::from_utf8(words.read()).unwrap_or_default()
    }
}

impl<T: Lift> Lift for Option<T> {
    const WORDS: usize = 1 + T::WORDS;

    fn lift(words: &mut Words) -> Self {
        if words.tag() == 1 {
            return Some(words.read());
        }
        words.skip(T::WORDS);
        None
    }
}

impl<T: Lift> Lift for Vec<T> {
    const WORDS: usize = 2;

    fn lift(words: &mut Words) -> Self {
        let list = words.list(T::WORDS);
        let mut items = Vec::new();
        let count = list.len() / T::WORDS;
        let mut words = Words(list.into_iter());
        items.extend((0..count).map(|_| words.read::<T>()));
        items
    }
}

/// An answer in the making.
#[derive(Default)]
pub struct Out {
    words: Vec<u32>,
    /// What the words point to.
    texts: Vec<Vec<u8>>,
    lists: Vec<Vec<u32>>,
}

impl Out {
    /// A number, or a tag.
    pub fn word(&mut self, word: u32) {
        self.words.push(word);
    }

    /// A value.
    pub fn write(&mut self, value: impl Lower) -> &mut Self {
        value.lower(self);
        self
    }

    fn list<T>(&mut self, list: &[T], length: usize) {
        self.word(list.as_ptr().expose_provenance() as u32);
        self.word(length as u32);
    }

    /// A tag, then a payload or the room for it.
    pub fn variant<T: Lower>(&mut self, tag: u32, payload: Option<T>) {
        self.word(tag);
        match payload {
            Some(payload) => payload.lower(self),
            None => self.words.resize(self.words.len() + T::WORDS, 0),
        }
    }
}

/// What can be answered.
pub trait Lower {
    /// How many words it has.
    const WORDS: usize;

    /// Writes it.
    fn lower(self, out: &mut Out);
}

impl Lower for () {
    const WORDS: usize = 0;

    fn lower(self, _: &mut Out) {}
}

impl Lower for u32 {
    const WORDS: usize = 1;

    fn lower(self, out: &mut Out) {
        out.word(self);
    }
}

impl Lower for u64 {
    const WORDS: usize = 2;

    fn lower(self, out: &mut Out) {
        out.word(self as u32);
        out.word((self >> 32) as u32);
    }
}

impl Lower for Vec<u8> {
    const WORDS: usize = 2;

    fn lower(self, out: &mut Out) {
        out.list(&self, self.len());
        out.texts.push(self);
    }
}

impl Lower for String {
    const WORDS: usize = 2;

    fn lower(self, out: &mut Out) {
        self.into_bytes().lower(out);
    }
}

impl Lower for &'static str {
    const WORDS: usize = 2;

    fn lower(self, out: &mut Out) {
        out.list(self.as_bytes(), self.len());
    }
}

impl<T: Lower> Lower for Option<T> {
    const WORDS: usize = 1 + T::WORDS;

    fn lower(self, out: &mut Out) {
        out.variant(u32::from(self.is_some()), self);
    }
}

impl<T: Lower> Lower for Vec<T> {
    const WORDS: usize = 2;

    fn lower(self, out: &mut Out) {
        let (outer, count) = (mem::take(&mut out.words), self.len());
        for item in self {
            item.lower(out);
        }
        let list = mem::replace(&mut out.words, outer);
        out.list(&list, count);
        out.lists.push(list);
    }
}

/// No answer has more words.
const MAX_ANSWER: usize = 32;

/// The last answer, and what it points to.
type Answer = (Vec<u64>, Out);

static ANSWER: OneThread<RefCell<Option<Answer>>> = OneThread(RefCell::new(None));

/// Calls an export. Its answer stands behind a tag of so many words, and so does its error.
pub fn respond(
    parameters: &[usize],
    tag_words: usize,
    export: fn(&mut Words, &mut Out) -> Result<(), Error>,
) -> *const u64 {
    let mut out = Out::default();
    out.words.resize(tag_words, 0);
    if let Err(error) = export(&mut Words::new(parameters), &mut out) {
        out.words = vec![1];
        out.words.resize(tag_words, 0);
        error.lower(&mut out);
    }
    keep(out)
}

/// The caller reads an answer before it calls again, so it stays until then.
fn keep(mut out: Out) -> *const u64 {
    out.words.resize(MAX_ANSWER, 0);
    let mut words = Vec::new();
    for pair in out.words.chunks_exact(2) {
        words.push(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    }
    let place = words.as_ptr();
    ANSWER.0.replace(Some((words, out)));
    place
}
