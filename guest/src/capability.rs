//! Surfaces of a harness and their canonical spelling: `tool:bash` ↔ (tool, `bash`).
//!
//! It knows no catalog and no harness: how a surface is written in a file is the business of [`crate::profile`].

use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt;

use crate::words::{has, pieces, split_first};

/// The kinds of surface, in the order of their spelled prefixes, so that the derived order of [`Capability`] is the
/// byte order of the canonical spelling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// How much the agent may do without asking.
    ApprovalMode,
    /// Code that the harness loads.
    Extension,
    /// An MCP server.
    McpServer,
    /// A source of context files, rules and skills.
    Provider,
    /// Something without a config key, held in the running session alone.
    Session,
    /// Skills that a glob names.
    Skill,
    /// A tool of the agent.
    Tool,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 7] =
        [Kind::ApprovalMode, Kind::Extension, Kind::McpServer, Kind::Provider, Kind::Session, Kind::Skill, Kind::Tool];

    /// The word before the `:` of a capability.
    pub const fn prefix(self) -> &'static str {
        match self {
            Kind::ApprovalMode => "approvalMode",
            Kind::Extension => "extension",
            Kind::McpServer => "mcp",
            Kind::Provider => "provider",
            Kind::Session => "session",
            Kind::Skill => "skill",
            Kind::Tool => "tool",
        }
    }

    /// The `kind` of a surface in a catalog file.
    pub const fn word(self) -> &'static str {
        match self {
            Kind::McpServer => "mcpServer",
            other => other.prefix(),
        }
    }

    /// The key that holds the surface's name in a catalog file.
    pub const fn name_key(self) -> &'static str {
        match self {
            Kind::ApprovalMode => "mode",
            Kind::Extension | Kind::Provider | Kind::Session => "id",
            Kind::McpServer | Kind::Tool => "name",
            Kind::Skill => "glob",
        }
    }

    /// The kind that a catalog file calls `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// How much an agent may do without asking, weakest first. The harness knows no others.
pub const APPROVAL_MODES: [&str; 3] = ["always-ask", "write", "yolo"];

/// How strong an approval mode is: its place in [`APPROVAL_MODES`].
pub fn approval_strength(mode: &str) -> Option<usize> {
    APPROVAL_MODES.iter().position(|known| *known == mode)
}

/// One surface in its canonical spelling. Ordered by the bytes of that spelling.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Capability {
    /// Which kind of surface.
    pub kind: Kind,
    /// Its name there: a tool's name, a glob, an id, a mode.
    pub name: String,
}

impl fmt::Display for Capability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.kind.prefix(), self.name)
    }
}

impl Capability {
    /// The surface `name` of a kind, if the name can be one. An extension id without a `:` is a module's.
    pub fn new(kind: Kind, name: &str) -> Option<Self> {
        let name = match kind {
            // Judged before the prefix would hide what is wrong with it.
            Kind::Extension if !has(name, b':') && is_plain_name(name) => {
                format!("extension-module:{name}")
            }
            _ => name.to_string(),
        };
        let fits = match kind {
            Kind::Tool => pieces(&name, ".").into_iter().all(is_tool_word),
            Kind::ApprovalMode => approval_strength(&name).is_some(),
            _ => is_plain_name(&name),
        };
        (fits && name.len() <= MAX_NAME).then_some(Self { kind, name })
    }

    /// Reads the canonical spelling.
    pub fn parse(text: &str) -> Option<Self> {
        let (prefix, name) = split_first(text, ":")?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.prefix() == prefix)?;
        Self::new(kind, name)
    }

    /// Whether having this capability gives `other` too: `skill:*` every skill, an approval mode the weaker ones.
    pub fn covers(&self, other: &Capability) -> bool {
        self == other
            || self.kind == other.kind
                && match self.kind {
                    Kind::Skill => self.name == "*",
                    Kind::ApprovalMode => approval_strength(&self.name) >= approval_strength(&other.name),
                    _ => false,
                }
    }
}

/// Longest name of a surface, in bytes.
pub const MAX_NAME: usize = 128;

fn is_tool_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Names that a harness takes from its user (globs, server names, extension ids): anything that prints on one line and
/// cannot be taken for a path.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name != "."
        && !name.as_bytes().windows(2).any(|pair| pair == b"..")
        && name.trim() == name
        && !name.chars().any(|character| {
            character.is_control() || matches!(character, '/' | '\\' | '\u{2028}' | '\u{2029}' | '\u{feff}')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_round_trips_and_sorts_by_bytes() {
        let mut spelled = [
            "tool:bash",
            "skill:*",
            "mcp:demo",
            "extension:extension-module:demo",
            "provider:claude",
            "approvalMode:write",
            "session:append-system",
            "tool:eval.py",
            "extension:context-file:user:AGENTS.md",
        ];
        spelled.sort_unstable();
        let mut parsed: alloc::vec::Vec<_> =
            spelled.iter().rev().map(|text| Capability::parse(text).expect(text)).collect();
        parsed.sort();
        assert!(parsed.iter().map(ToString::to_string).eq(spelled.iter().map(ToString::to_string)));
    }

    #[test]
    fn an_extension_without_a_kind_is_a_module() {
        assert_eq!(
            Capability::new(Kind::Extension, "demo").map(|c| c.to_string()).as_deref(),
            Some("extension:extension-module:demo")
        );
    }

    #[test]
    fn names_that_could_be_paths_are_none() {
        for name in ["", "../../etc", "a/b", "C:\\x", "a\0b", " a", "a\nb", ".."] {
            for kind in Kind::ALL {
                assert!(Capability::new(kind, name).is_none(), "{kind:?} {name:?}");
            }
        }
        assert!(Capability::new(Kind::ApprovalMode, "sometimes").is_none());
        assert!(Capability::new(Kind::Tool, "a..b").is_none() && Capability::new(Kind::Tool, "a b").is_none());
    }
}
