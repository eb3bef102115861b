//! The ids of features, levels and quests, each a type of its own, and the grammar that makes them safe to print.
//!
//! An id is a word, never a path: nothing here or elsewhere joins one to a file name.

use alloc::{borrow::ToOwned, string::String};
use core::fmt;

/// Longest id, in bytes. Long enough for any name a person gives, short enough for every message and log line.
pub const MAX_ID: usize = 128;

/// Whether `text` is `^[a-z][a-z0-9]*(?:[-:.][a-z0-9]+)*$` and not too long.
pub fn is_feature_id(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && is_words(text, |byte| matches!(byte, b'-' | b':' | b'.'))
}

/// Whether `text` is `^[a-z0-9]+(?:-[a-z0-9]+)*$` and not too long: the grammar of levels, quests and packs.
pub fn is_slug(text: &str) -> bool {
    is_words(text, |byte| byte == b'-')
}

/// Lower-case words with single separators between them.
fn is_words(text: &str, separator: impl Fn(u8) -> bool) -> bool {
    let mut in_word = false;
    for &byte in text.as_bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => in_word = true,
            _ if in_word && separator(byte) => in_word = false,
            _ => return false,
        }
    }
    in_word && text.len() <= MAX_ID
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $check:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// The id, if `text` keeps to the grammar.
            pub fn new(text: &str) -> Option<Self> {
                $check(text).then(|| Self(text.to_owned()))
            }

            /// The id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl core::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    };
}

id! {
    /// What a learner earns: `tool:file`, `context`.
    FeatureId, is_feature_id
}
id! {
    /// A level of the graph.
    LevelId, is_slug
}
id! {
    /// A quest of the graph.
    QuestId, is_slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_words_and_never_paths() {
        for good in ["context", "tool:file", "a.b-c:d9", "a1"] {
            assert!(is_feature_id(good), "{good}");
        }
        for bad in ["", "1a", "A", "a--b", "a-", "-a", "a/b", "../x", "C:\\x", "a b", "a\0", "é", "a..b", "a:"] {
            assert!(!is_feature_id(bad), "{bad}");
        }
        for good in ["9-lives", "core-loop", "a"] {
            assert!(is_slug(good), "{good}");
        }
        for bad in ["", "a:b", "a.b", "-", "a-", "../x", "con/"] {
            assert!(!is_slug(bad), "{bad}");
        }
        assert!(is_slug(&"a".repeat(MAX_ID)) && !is_slug(&"a".repeat(MAX_ID + 1)));
    }
}
