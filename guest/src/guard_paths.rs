//! Paths in tool calls: the spellings that harnesses accept, the headers of patches, the words of a command; and which
//! of them lead to garnish's own state.
//!
//! It asks the host where a path leads and touches nothing.

use alloc::{
    borrow::{Cow, ToOwned},
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    diagnostic::Error,
    displaced::DISPLACED_FILE,
    guard::Resolve,
    hold::HELD_FILE,
    host::Place,
    list::IntoList,
    log::LOG_FILE,
    ordered::Set,
    profile::Profile,
    setup::SETUP_FILE,
    words::{behind_last, find, has, split_last},
};

/// What a call would touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A place of garnish's, relative to the agent dir.
    Path(String),
    /// A command of garnish's own that writes.
    Command(String),
    /// More than can be looked at.
    TooMuch,
}

/// Most paths that one call may make the host look up.
const MAX_LOOKUPS: usize = 1_000;

/// Subcommands of `garnish` that write.
const WRITING: [&str; 9] = ["unlock", "cheat", "complete", "hint", "init", "launch", "eject", "install", "uninstall"];

/// Names that no other program has, wherever they are named.
const OWN_NAMES: [&str; 3] = ["events.jsonl", "displaced.json", "garnish/setup.json"];

/// Looks for garnish's own state in what a call names.
pub struct Finder<'f, 'r> {
    /// The harness.
    pub profile: &'f Profile,
    /// Whether anything is held: then the harness's files are garnish's too.
    pub anything_held: bool,
    /// Absolute.
    pub cwd: &'f str,
    /// The learner's home folder.
    pub home: Option<&'f str>,
    /// Where paths lead.
    pub resolve: &'f mut Resolve<'r>,
    /// How many paths were looked up before.
    pub lookups: usize,
}

impl Finder<'_, '_> {
    /// Whether writing to `path` would touch garnish's state.
    ///
    /// # Errors
    /// The host could not say where it leads.
    pub fn written(&mut self, path: &str, spreads: bool, rebinds: bool) -> Result<Option<Finding>, Error> {
        if !spreads {
            return self.leads_to_own(&plain(path, self.home), false, rebinds);
        }
        for part in path.split([';', ',']) {
            for part in [part].into_iter().chain(part.split_whitespace()) {
                let part = plain(part.trim_matches('"'), self.home);
                let folder = glob_folder(&part, b"*?[{");
                if let Some(found) = self.leads_to_own(folder.unwrap_or(&part), true, rebinds)? {
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    fn leads_to_own(&mut self, path: &str, spreads: bool, rebinds: bool) -> Result<Option<Finding>, Error> {
        if path.is_empty() {
            return Ok(None);
        }
        self.lookups += 1;
        if self.lookups > MAX_LOOKUPS {
            return Ok(Some(Finding::TooMuch));
        }
        let found = (self.resolve)(path, self.cwd)?;
        Ok(match found.place {
            Place::Component => Some(Finding::Path("garnish's own code".into())),
            Place::Inside(inner) if self.is_own(&inner) || spreads && self.is_own_below(&inner) => {
                Some(Finding::Path(if inner.is_empty() { "the agent dir".into() } else { inner }))
            }
            Place::Above if spreads => Some(Finding::Path("the agent dir".into())),
            // The harness takes a path that is not there for a file of that name further down.
            _ if rebinds && !found.exists => self.rebound(path)?,
            _ => None,
        })
    }

    fn rebound(&mut self, path: &str) -> Result<Option<Finding>, Error> {
        let name = behind_last(path, b'/');
        let own_files = self.own_files();
        let Some(own) = own_files.iter().find(|own| behind_last(own, b'/') == name) else { return Ok(None) };
        let own = (*own).to_owned();
        Ok(match (self.resolve)(".", self.cwd)?.place {
            Place::Above | Place::Inside(_) => Some(Finding::Path(own)),
            _ => None,
        })
    }

    /// The files that no agent writes now.
    fn own_files(&self) -> Vec<&str> {
        let mut own = Vec::new();
        if self.anything_held {
            own.extend(self.profile.paths());
        }
        own.extend([LOG_FILE, DISPLACED_FILE, HELD_FILE, SETUP_FILE]);
        own
    }

    fn is_own(&self, inner: &str) -> bool {
        let folder = inner == "garnish" || inner.starts_with("garnish/");
        // A case-insensitive file system takes another spelling for the same file.
        folder
            || self.own_files().iter().any(|own| own.eq_ignore_ascii_case(inner))
            || inner.to_ascii_lowercase().starts_with("garnish/")
    }

    fn is_own_below(&self, folder: &str) -> bool {
        let folder = folder.trim_end_matches('/');
        folder.is_empty()
            || self.own_files().iter().any(|own| own.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Whether a command or a piece of code names garnish's state, or runs a command of garnish's that writes.
    ///
    /// # Errors
    /// The host could not say where a path leads.
    pub fn named_in(&mut self, text: &str) -> Result<Option<Finding>, Error> {
        if let Some(own) = OWN_NAMES.iter().find(|name| find(text, name).is_some()) {
            return Ok(Some(Finding::Path((*own).to_owned())));
        }
        if let Some(variable) = self.profile.guard.agent_dir_variables.iter().find(|name| find(text, name).is_some()) {
            return Ok(Some(Finding::Path(format!("the agent dir (${variable})"))));
        }
        let words = words(text);
        if let Some(command) = own_command(&words) {
            return Ok(Some(Finding::Command(command)));
        }
        let within = matches!((self.resolve)(".", self.cwd)?.place, Place::Inside(_));
        let mut looked_at = Set::new();
        for word in words {
            let path = shell_path(word, self.home);
            if !(within || path.contains(['/', '\\', '~'])) || !looked_at.insert(path.to_string()) {
                continue;
            }
            let glob = glob_folder(&path, b"*?");
            let found = self.leads_to_own(glob.unwrap_or(&path), false, false)?;
            // Naming the agent dir itself is one `cd` away from everything in it.
            let found = match found {
                None if !within || glob.is_some() => self.is_agent_dir(glob.unwrap_or(&path))?,
                found => found,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn is_agent_dir(&mut self, path: &str) -> Result<Option<Finding>, Error> {
        let is = matches!((self.resolve)(path, self.cwd)?.place, Place::Inside(inner) if inner.is_empty());
        Ok(is.then(|| Finding::Path("the agent dir".into())))
    }
}

/// The folder that a glob is in, given the marks that make one; none: it is no glob.
fn glob_folder<'p>(path: &'p str, marks: &[u8]) -> Option<&'p str> {
    let start = path.get(..path.bytes().position(|byte| marks.contains(&byte))?)?;
    Some(split_last(start, b'/').map_or(".", |(folder, _)| start.get(..=folder.len()).unwrap_or(start)))
}

/// The words of a command or of code, without quotes and punctuation.
fn words(text: &str) -> Vec<&str> {
    let breaks = |character: char| {
        character.is_whitespace()
            || matches!(character, '\'' | '"' | '`' | ';' | '|' | '&' | '<' | '>' | '(' | ')' | '=' | ',' | '[' | ']')
    };
    text.split(breaks).filter(|word| !word.is_empty()).list()
}

/// A command of garnish's that writes, wherever it stands.
fn own_command(words: &[&str]) -> Option<String> {
    let mends = words.contains(&"--fix");
    words.iter().enumerate().find_map(|(index, word)| {
        let name = behind_last(behind_last(word, b'/'), b'\\');
        if !matches!(name, "garnish" | "garnish.exe") {
            return None;
        }
        let rest = words.get(index + 1..)?;
        // Options may come first, each with or without a value.
        let command = rest.iter().take(6).find(|word| WRITING.contains(word) || **word == "doctor" && mends)?;
        let between = rest.iter().take_while(|word| *word != command);
        let read_only = between.clone().any(|word| {
            matches!(*word, "status" | "render" | "diff" | "explain" | "check" | "log" | "replay" | "catalog" | "graph")
        });
        (!read_only).then(|| (*command).to_owned())
    })
}

/// A word of a shell with the learner's home put in.
fn shell_path<'w>(word: &'w str, home: Option<&str>) -> Cow<'w, str> {
    let rest = ["$HOME", "${HOME}"].iter().find_map(|variable| word.strip_prefix(variable));
    match (rest, home) {
        (Some(rest), Some(home)) => Cow::Owned(format!("{home}{rest}")),
        _ => Cow::Owned(plain(word, home)),
    }
}

/// A path as a harness understands what an agent wrote: wrappers, `@`, `file://`, odd blanks and `~` undone.
pub fn plain(path: &str, home: Option<&str>) -> String {
    let blank = |c: char| matches!(c, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    let text: String = path.trim().chars().map(|c| if blank(c) { ' ' } else { c }).collect();
    let mut text = text.trim();
    if let Some(inner) = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        text = inner.trim();
    }
    if let Some((path, tag)) = split_last(text, b'#')
        && tag.len() == 4
        && tag.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        text = path.trim();
    }
    text = text.trim_matches(['"', '\'']);
    for mark in ['@', ':'] {
        if let Some(rest) = text.strip_prefix(mark)
            && (rest.starts_with(['/', '~', '.']) || mark == '@')
        {
            text = rest;
        }
    }
    let is_url = text.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"));
    let text = if is_url { percent_decoded(text.get(7..).unwrap_or_default()) } else { text.to_owned() };
    match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        _ => text,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let code = (byte == b'%').then(|| behind.get(..2)).flatten().and_then(|hex| core::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = behind.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                rest = behind;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An absolute path as it is, a relative one below `folder`.
pub fn join(folder: &str, path: &str) -> String {
    let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    if is_absolute { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

/// The paths that a patch names in its headers, in every form that a harness applies.
pub fn patch_targets(text: &str) -> Vec<&str> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let mut targets = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches('\u{feff}');
        let bare = line.trim();
        if let Some(path) = HEADERS.iter().find_map(|header| bare.strip_prefix(header)) {
            targets.push(path);
        } else if let Some(section) =
            bare.strip_prefix('[').and_then(|rest| rest.split(']').next()).filter(|section| has(section, b'#'))
        {
            targets.push(section);
        } else if let Some(path) = bare.strip_prefix("MV ") {
            targets.push(path);
        } else if bare.get(..9).is_some_and(|head| head.eq_ignore_ascii_case("<sm:edit ")) {
            let attributes = bare.get(9..).unwrap_or_default();
            let value = attributes.split(['"', '\'', '=', ' ', '>']).filter(|word| !word.is_empty());
            targets.extend(value.filter(|word| !matches!(word.to_ascii_lowercase().as_str(), "path" | "file" | "all")));
        }
    }
    targets
}
