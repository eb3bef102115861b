//! How parameters are read: the fields of each record in the order of `wit/`.

use alloc::{string::String, vec::Vec};

use super::{Selector, Source};
use crate::{
    guard::Call,
    hold::{Moment, Tool},
    host::Activation,
    merge::File,
    runtime::abi::{Lift, Words},
};

/// `unlock-set`
pub struct Unlocked {
    /// Levels open nothing by themselves.
    pub features: Vec<String>,
}

impl Lift for Unlocked {
    const WORDS: usize = 4;

    fn lift(words: &mut Words) -> Self {
        let features = words.read();
        words.read::<Vec<String>>();
        Self { features }
    }
}

/// `catalog-source`, `profile-source`
impl Lift for Source {
    const WORDS: usize = 3;

    fn lift(words: &mut Words) -> Self {
        match words.tag() {
            0 => Source::Builtin(words.read()),
            _ => Source::Document(words.read()),
        }
    }
}

impl Lift for Selector {
    const WORDS: usize = 3;

    fn lift(words: &mut Words) -> Self {
        match words.read() {
            None => Selector::All,
            Some(name) => Selector::Level(name),
        }
    }
}

impl Lift for File {
    const WORDS: usize = 4;

    fn lift(words: &mut Words) -> Self {
        Self { path: words.read(), bytes: words.read() }
    }
}

impl Lift for Activation {
    const WORDS: usize = 3;

    fn lift(words: &mut Words) -> Self {
        let tag = words.tag();
        if tag >= 4 {
            let reason = words.read();
            return if tag == 4 { Activation::Pending(reason) } else { Activation::Failed(reason) };
        }
        words.skip(2);
        match tag {
            0 => Activation::Live,
            1 => Activation::NextTurn,
            2 => Activation::Queued,
            _ => Activation::Restart,
        }
    }
}

/// `applied`
impl Lift for (String, Activation) {
    const WORDS: usize = 5;

    fn lift(words: &mut Words) -> Self {
        (words.read(), words.read())
    }
}

impl Lift for Tool {
    const WORDS: usize = 5;

    fn lift(words: &mut Words) -> Self {
        Self { name: words.read(), server: words.read() }
    }
}

/// `layer-moment`
impl Lift for Moment {
    const WORDS: usize = 1;

    fn lift(words: &mut Words) -> Self {
        if words.tag() == 0 { Self::Building } else { Self::Running }
    }
}

/// `tool-call`
impl Lift for Call {
    const WORDS: usize = 15;

    fn lift(words: &mut Words) -> Self {
        let (tool, input, cwd) = (words.read(), words.read(), words.read());
        words.read::<Option<String>>();
        Self { tool, input, cwd, home: words.read() }
    }
}
