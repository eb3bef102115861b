//! Paths in tool calls: the spellings that harnesses accept, the headers of patches, the words of a command; and which
//! of them lead to garnish's own state. What a command runs is for [`crate::guard_commands`].
//!
//! It asks the host where a path leads and touches nothing.

use alloc::{
    borrow::{Cow, ToOwned},
    format,
    string::String,
    vec::Vec,
};

use crate::{
    diagnostic::Error,
    displaced::DISPLACED_FILE,
    guard::Resolve,
    guard_commands::{ENDS, called, own_command, removes, runs, words},
    hold::HELD_FILE,
    host::Place,
    log::LOG_FILE,
    ordered::Set,
    profile::Profile,
    setup::SETUP_FILE,
    words::{behind_last, find, has, parts, split_last, trim, trim_end},
};

/// What a call would touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// A place of garnish's, relative to the agent dir.
    Path(String),
    /// A command that is the learner's: one of garnish's own that writes, or the harness's.
    Command(String),
    /// A project's configuration of the harness.
    Project(String),
    /// More than can be looked at.
    TooMuch,
}

/// Most paths that one call may make the host look up; and as many words that need not be paths.
const MAX_LOOKUPS: usize = 1_000;

/// Relative to the agent dir: garnish's own code, where `garnish init` puts it.
const EXTENSION: &str = "extensions/garnish";

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
        for part in parts(path, ";,") {
            for part in [part].into_iter().chain(parts(part, " \t\n")) {
                let part = plain(part, self.home);
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
        let opens = self.project_config(&join(self.cwd, path));
        if opens.is_some() {
            return Ok(opens);
        }
        self.lookups += 1;
        if self.lookups > MAX_LOOKUPS {
            return Ok(Some(Finding::TooMuch));
        }
        let found = (self.resolve)(path, self.cwd)?;
        Ok(match self.judged(found.place, spreads) {
            // The harness takes a path that is not there for a file of that name further down.
            None if rebinds && !found.exists => self.rebound(path)?,
            finding => finding,
        })
    }

    fn judged(&self, place: Place, spreads: bool) -> Option<Finding> {
        let inner = match place {
            Place::Component => "garnish's own code".into(),
            Place::Inside(inner) if self.is_own(&inner) || spreads && self.is_own_below(&inner) => inner,
            Place::Above if spreads => String::new(),
            _ => return None,
        };
        Some(Finding::Path(if inner.is_empty() { "the agent dir".into() } else { inner }))
    }

    /// What a project says to the harness may open a gate, or keep garnish from being loaded.
    fn project_config(&self, path: &str) -> Option<Finding> {
        let configs = &self.profile.guard.project_configs;
        let config = configs.iter().find(|config| self.anything_held && ends_in(path, config))?;
        Some(Finding::Project(config.clone()))
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
        own.extend([LOG_FILE, DISPLACED_FILE, HELD_FILE, SETUP_FILE, EXTENSION]);
        own
    }

    fn is_own(&self, inner: &str) -> bool {
        // A case-insensitive file system takes another spelling for the same file.
        let folded = inner.to_ascii_lowercase();
        let lies_in = |folder| folded.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        lies_in("garnish") || lies_in(EXTENSION) || self.own_files().iter().any(|own| own.eq_ignore_ascii_case(inner))
    }

    fn is_own_below(&self, folder: &str) -> bool {
        let folder = trim_end(folder, "/");
        folder.is_empty()
            || self.own_files().iter().any(|own| own.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// Whether a command or a piece of code names garnish's state, or runs a command that is the learner's. A word that
    /// cannot be looked up is judged by its text: who cannot follow it cannot write there either.
    pub fn named_in(&mut self, text: &str) -> Option<Finding> {
        if let Some(own) = OWN_NAMES.iter().find(|name| find(text, name).is_some()) {
            return Some(Finding::Path((*own).to_owned()));
        }
        if let Some(variable) = self.profile.guard.agent_dir_variables.iter().find(|name| find(text, name).is_some()) {
            return Some(Finding::Path(format!("the agent dir (${variable})")));
        }
        if let Some(command) = own_command(&words(text)) {
            return Some(Finding::Command(format!("`garnish {command}`")));
        }
        if self.anything_held && runs(text, &self.profile.harness) {
            return Some(Finding::Command(format!("`{}`", self.profile.harness)));
        }
        let within = (self.resolve)(".", self.cwd).is_ok_and(|found| matches!(found.place, Place::Inside(_)));
        let (mut looked_at, mut bare) = (Set::new(), 0);
        // Where the command runs, and where its last `cd` leads.
        let mut folders = alloc::vec![self.cwd.to_owned()];
        for command in parts(text, ENDS) {
            let words = words(command);
            let removes = words.iter().find_map(|word| removes(word));
            for (index, word) in words.iter().enumerate() {
                let word = shell_path(word, self.home);
                // What something is moved to stays.
                let spreads = removes.is_some_and(|all| all || index + 1 < words.len());
                for folder in &folders {
                    let path = join(folder, &word);
                    if !looked_at.insert(format!("{spreads}{path}")) {
                        continue;
                    }
                    // Any word may be a link; but a long text is no long list of paths.
                    let lookups = if word.bytes().any(|byte| matches!(byte, b'/' | b'\\' | b'~')) {
                        &mut self.lookups
                    } else {
                        &mut bare
                    };
                    *lookups += 1;
                    if self.lookups > MAX_LOOKUPS {
                        return Some(Finding::TooMuch);
                    }
                    if bare <= MAX_LOOKUPS
                        && let Some(found) = self.named(&path, spreads, within)
                    {
                        return Some(found);
                    }
                }
            }
            if let Some(at) = words.iter().position(|word| matches!(called(word), "cd" | "chdir" | "pushd")) {
                let to = words.get(at + 1..).unwrap_or_default().iter().find(|word| !word.starts_with('-'));
                let to = shell_path(to.unwrap_or(&"~"), self.home);
                let to = folders.last().map(|folder| join(folder, &to));
                folders.truncate(1);
                folders.extend(to);
            }
        }
        None
    }

    fn named(&mut self, path: &str, spreads: bool, within: bool) -> Option<Finding> {
        let opens = self.project_config(path);
        if opens.is_some() {
            return opens;
        }
        let glob = glob_folder(path, b"*?");
        let names_own = self.own_files().iter().any(|own| ends_in(path, own));
        // A glob over folders: which ends like one of garnish's, or begins like those that harnesses live in.
        let rest = glob.and_then(|folder| path.get(folder.len()..)).unwrap_or_default();
        let spreads = spreads || glob.is_some() && names_own || rest.starts_with('.') && has(rest, b'/');
        match (self.resolve)(glob.unwrap_or(path), self.cwd) {
            // Naming the agent dir itself is one `cd` away from everything in it.
            Ok(found) => {
                let is_agent_dir = matches!(&found.place, Place::Inside(inner) if inner.is_empty());
                self.judged(found.place, spreads || is_agent_dir && (!within || glob.is_some()))
            }
            Err(_) => names_own.then(|| Finding::Path(path.to_owned())),
        }
    }
}

/// Whether a path ends in another, step by step.
fn ends_in(path: &str, end: &str) -> bool {
    let Some(start) = path.len().checked_sub(end.len()) else { return false };
    let before = path.as_bytes().get(..start).unwrap_or_default();
    path.get(start..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
        && before.last().is_none_or(|byte| matches!(byte, b'/' | b'\\'))
}

/// The folder that a glob is in, given the marks that make one; none: it is no glob.
fn glob_folder<'p>(path: &'p str, marks: &[u8]) -> Option<&'p str> {
    let start = path.get(..path.bytes().position(|byte| marks.contains(&byte))?)?;
    Some(split_last(start, b'/').map_or(".", |(folder, _)| start.get(..=folder.len()).unwrap_or(start)))
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
    let mut spaced = String::new();
    for c in path.chars() {
        spaced.push(if blank(c) { ' ' } else { c });
    }
    let mut text = spaced.trim();
    if let Some(inner) = text.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        text = inner.trim();
    }
    if let Some((path, tag)) = split_last(text, b'#')
        && tag.len() == 4
        && tag.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        text = path.trim();
    }
    text = trim(text, "\"'");
    for mark in ['@', ':'] {
        if let Some(rest) = text.strip_prefix(mark)
            && (matches!(rest.as_bytes(), [b'/' | b'~' | b'.', ..]) || mark == '@')
        {
            text = rest;
        }
    }
    let is_url = text.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file://"));
    let text = if is_url {
        // Whatever machine it names: the harness looks on this one.
        let rest = text.get(7..).unwrap_or_default();
        percent_decoded(rest.bytes().position(|byte| byte == b'/').and_then(|at| rest.get(at..)).unwrap_or(rest))
    } else {
        text.to_owned()
    };
    match (text.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => format!("{home}{rest}"),
        (Some(rest), Some(home)) => format!("{home}/{rest}"),
        _ => text,
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    while let Some((byte, behind)) = rest.split_first() {
        rest = behind;
        match behind {
            [high, low, behind @ ..] if *byte == b'%' && digit(high).is_some() && digit(low).is_some() => {
                let code = digit(high).unwrap_or_default() << 4 | digit(low).unwrap_or_default();
                bytes.extend(u8::try_from(code));
                rest = behind;
            }
            _ => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// An absolute path as it is, a relative one below `folder`.
pub fn join(folder: &str, path: &str) -> String {
    let is_absolute = matches!(path.as_bytes(), [b'/' | b'\\', ..] | [_, b':', ..]);
    if is_absolute { path.to_owned() } else { format!("{}/{path}", trim_end(folder, "/")) }
}

/// The paths that a patch names in its headers, in every form that a harness applies.
pub fn patch_targets(text: &str) -> Vec<&str> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let mut targets = Vec::new();
    for line in parts(text, "\n") {
        let mut line = line;
        while let Some(rest) = line.strip_prefix('\u{feff}') {
            line = rest;
        }
        let bare = line.trim();
        if let Some(path) = HEADERS.iter().find_map(|header| bare.strip_prefix(header)) {
            targets.push(path);
        } else if let Some(section) = bare
            .strip_prefix('[')
            .and_then(|rest| parts(rest, "]").first().copied())
            .filter(|section| has(section, b'#'))
        {
            targets.push(section);
        } else if let Some(path) = bare.strip_prefix("MV ") {
            targets.push(path);
        } else if bare.get(..9).is_some_and(|head| head.eq_ignore_ascii_case("<sm:edit ")) {
            let attributes = bare.get(9..).unwrap_or_default();
            let values = parts(attributes, "\"'= >").into_iter();
            targets
                .extend(values.filter(|word| !matches!(word.to_ascii_lowercase().as_str(), "path" | "file" | "all")));
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found in a command when `/project/link` leads to the config file, and nothing else to anything.
    fn found(text: &str) -> Option<Finding> {
        let profile = Profile::builtin("omp-18").expect("a profile");
        let resolve: &mut Resolve<'_> = &mut |path: &str, _: &str| {
            let place = if path == "/project/link" { Place::Inside("config.yml".into()) } else { Place::Outside };
            Ok(crate::host::Resolution { place, exists: true })
        };
        Finder { profile: &profile, anything_held: true, cwd: "/project", home: None, resolve, lookups: 0 }
            .named_in(text)
    }

    #[test]
    fn a_bare_word_may_be_a_link() {
        assert_eq!(found("sed -i s/a/b/ link"), Some(Finding::Path("config.yml".into())));
        assert_eq!(found("cd sub; cat link2"), None);
    }

    #[test]
    fn a_long_text_is_no_long_list_of_paths() {
        let words = |mark: &str| (0..3_000).map(|number| format!("{mark}{number} ")).collect::<String>();
        assert_eq!(found(&words("w")), None);
        assert_eq!(found(&words("/w")), Some(Finding::TooMuch));
    }

    #[test]
    fn a_url_of_a_file_is_a_path_on_this_machine() {
        let plain = |path| plain(path, Some("/home/me"));
        assert_eq!(
            ["file:///a%20b", "FILE://localhost/a", "file://a", "~/a", "%41"].map(plain),
            ["/a b", "/a", "a", "/home/me/a", "%41"]
        );
    }
}
