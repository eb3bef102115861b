//! The harness's files as they are on disk, brought to what the gate says: read, merged, written in the one safe order.
//!
//! It knows no session and tells nobody; it reports what it wrote and what it could not.

use alloc::{format, string::String, vec::Vec};

use crate::{
    capability::Capability,
    catalog::Catalog,
    diagnostic::{Diagnostic, FailureReason},
    displaced::{DISPLACED_FILE, Displaced},
    gate_config::{self, Capabilities, Gate},
    hold::{self, HELD_FILE, Moment, held_file},
    host::{Failure, Host},
    list::IntoList,
    merge::{self, File},
    notice,
    ordered::Set,
    profile::Profile,
    value::{Mapping, Value},
};

/// How often a merge is done again when somebody else wrote in between.
const ATTEMPTS: usize = 3;

/// The files of a profile, and what garnish remembers of them.
#[derive(Debug, Default)]
pub struct Disk {
    /// Those that exist.
    pub files: Vec<File>,
    /// `garnish/displaced.json`.
    pub displaced: Option<Vec<u8>>,
    versions: Vec<(String, u64)>,
}

/// What came of writing.
#[derive(Debug, Default)]
pub struct Written {
    /// Paths, in the order of writing.
    pub paths: Vec<String>,
    /// Refusals, failures, and what the learner should know.
    pub diagnostics: Vec<Diagnostic>,
    /// By index of the profile's files: why a file does not say what it should.
    pub failed: Vec<(usize, String)>,
}

impl Disk {
    /// Reads every file of the profile.
    ///
    /// # Errors
    /// The first that could not be read, as a diagnostic.
    pub fn read(host: &mut dyn Host, profile: &Profile) -> Result<Self, Diagnostic> {
        let mut disk = Self::default();
        for path in profile.paths() {
            if let Some(content) = host.read(path).map_err(|failure| unreadable(path, &failure))? {
                disk.versions.push((path.into(), content.version));
                disk.files.push(File { path: path.into(), bytes: content.bytes });
            }
        }
        if let Some(content) = host.read(DISPLACED_FILE).map_err(|failure| unreadable(DISPLACED_FILE, &failure))? {
            disk.versions.push((DISPLACED_FILE.into(), content.version));
            disk.displaced = Some(content.bytes);
        }
        Ok(disk)
    }

    fn version(&self, path: &str) -> Option<u64> {
        self.versions.iter().find(|(known, _)| *known == path).map(|(_, version)| *version)
    }

    /// By index of the profile's files, what each says; none for one that is not there.
    ///
    /// # Errors
    /// The first that cannot be read as the harness reads it.
    pub fn values(&self, profile: &Profile) -> Result<Vec<Option<Value>>, Diagnostic> {
        merge::values(&self.files, profile)
    }

    /// What a runtime layer says over these files: [`hold::overrides`]. Files that cannot be read add nothing to what is
    /// held.
    pub fn overrides(&self, gate: &Gate, catalog: &Catalog, profile: &Profile, moment: Moment) -> Mapping {
        let files = self.values(profile).unwrap_or_default();
        let displaced = Displaced::parse(self.displaced.as_deref()).unwrap_or_default();
        hold::overrides(moment, gate, catalog, profile, &displaced, &files)
    }
}

fn unreadable(path: &str, failure: &Failure) -> Diagnostic {
    let message = format!("{path} cannot be read: {} It stays as it is.", failure.message);
    Diagnostic::error("garnish::host::files.read", message).in_file(path)
}

/// The held capabilities that the files' markers name; if no file can be read, those that the last apply left in
/// `garnish/held.json`. None: nobody says.
pub fn marked_held(host: &mut dyn Host, values: &Result<Vec<Option<Value>>, Diagnostic>) -> Option<Capabilities> {
    match values {
        Ok(values) => {
            let marked: Vec<Capabilities> = values.iter().flatten().filter_map(gate_config::marked_held).list();
            (!marked.is_empty()).then(|| Set::from_iter(marked.into_iter().flatten()))
        }
        Err(_) => {
            let content = host.read(HELD_FILE).ok()??;
            let value = crate::document::json_text_value(core::str::from_utf8(&content.bytes).ok()?)?;
            let names = value.at(&["capabilities"])?.as_list()?;
            Some(Set::from_iter(names.iter().filter_map(|name| Capability::parse(name.as_str()?))))
        }
    }
}

/// Writes what differs: first what is remembered, then the harness's files, then the list for a host without a
/// component. Nothing of it when any file cannot be edited.
pub fn write(host: &mut dyn Host, gate: &Gate, catalog: &Catalog, profile: &Profile) -> Written {
    let mut written = Written::default();
    let mut memory = Memory::default();
    for attempt in 1..=ATTEMPTS {
        let last = attempt == ATTEMPTS;
        if let Ok(()) = write_once(host, gate, catalog, profile, &mut written, &mut memory, last) {
            break;
        }
    }
    let settings = memory.after.overrides(gate, catalog, profile, Moment::Running);
    write_held(host, &held_file(&gate.held, settings), &mut written);
    written
}

/// Somebody else wrote a file since it was read.
struct Again;

/// The memory of displaced values over several attempts: the learner's edit that made a conflict is judged by what was
/// remembered before this call, not by what the failed attempt has written meanwhile.
#[derive(Default)]
struct Memory {
    before: Option<Vec<u8>>,
    wrote: Option<Vec<u8>>,
    /// What the last attempt would leave on disk: of two files of one path the first.
    after: Disk,
}

fn write_once(
    host: &mut dyn Host,
    gate: &Gate,
    catalog: &Catalog,
    profile: &Profile,
    written: &mut Written,
    memory: &mut Memory,
    last: bool,
) -> Result<(), Again> {
    written.failed.clear();
    written.diagnostics.clear();
    let merged = Disk::read(host, profile).and_then(|disk| {
        if memory.wrote.is_none() || disk.displaced != memory.wrote {
            memory.before = disk.displaced.clone();
        }
        let merged = merge::merge(&disk.files, gate, catalog, profile, memory.before.as_deref())?;
        Ok((disk, merged))
    });
    let (disk, merged) = match merged {
        Ok(done) => done,
        Err(mut diagnostic) => {
            let reason = notice::sentence(&diagnostic);
            written.failed.extend((0..profile.files.len()).map(|index| (index, reason.clone())));
            diagnostic
                .message
                .push_str(" The file stays as it is; until it is mended, garnish holds in the session alone.");
            written.diagnostics.push(diagnostic);
            return Ok(());
        }
    };
    memory.after.files = merged.changed.clone();
    memory.after.files.extend(disk.files.iter().cloned());
    memory.after.displaced = merged.displaced.clone().or(disk.displaced.clone());
    let displaced = merged.displaced.filter(|bytes| Some(bytes) != disk.displaced.as_ref());
    let displaced = displaced.map(|bytes| File { path: DISPLACED_FILE.into(), bytes });
    let has_memory = displaced.is_some();
    for (index, file) in displaced.iter().chain(&merged.changed).enumerate() {
        match host.write(&file.path, disk.version(&file.path), &file.bytes) {
            Ok(_) => {
                if has_memory && index == 0 {
                    memory.wrote = Some(file.bytes.clone());
                }
                if !written.paths.contains(&file.path) {
                    written.paths.push(file.path.clone());
                }
            }
            Err(failure) if failure.reason == FailureReason::Conflict && !last => return Err(Again),
            Err(failure) => {
                let message = format!("{} could not be written: {}", file.path, failure.message);
                let remembered = has_memory && index == 0;
                let failed = profile
                    .files
                    .iter()
                    .enumerate()
                    .filter(|(_, known)| remembered || known.paths.contains(&file.path));
                written.failed.extend(failed.map(|(index, _)| (index, message.clone())));
                written.diagnostics.push(Diagnostic::error("garnish::host::files.write", message).in_file(&file.path));
                if remembered {
                    return Ok(());
                }
            }
        }
    }
    written.diagnostics.extend(merged.diagnostics);
    Ok(())
}

fn write_held(host: &mut dyn Host, bytes: &[u8], written: &mut Written) {
    let outcome = host.read(HELD_FILE).and_then(|found| match found {
        Some(found) if found.bytes == bytes => Ok(false),
        found => host.write(HELD_FILE, found.map(|found| found.version), bytes).map(|_| true),
    });
    match outcome {
        Ok(false) => {}
        Ok(true) => written.paths.push(HELD_FILE.into()),
        // Another process writes the same list from the same log.
        Err(failure) if failure.reason == FailureReason::Conflict => {}
        Err(failure) => {
            let message = format!("{HELD_FILE} could not be written: {}", failure.message);
            written.diagnostics.push(Diagnostic::error("garnish::host::files.write", message).in_file(HELD_FILE));
        }
    }
}

/// Why a capability's files do not say what they should; none: they do.
pub fn failure_of(capability: &Capability, profile: &Profile, failed: &[(usize, String)]) -> Option<String> {
    let rules = profile.rules(capability).iter().map(|rule| &rule.file);
    let switches =
        profile.switches.iter().filter(|switch| switch.tools.contains(&capability.name)).map(|switch| &switch.file);
    let mut files = rules.chain(switches);
    files.find_map(|file| {
        let index = profile.file_index(file)?;
        failed.iter().find(|(failed, _)| *failed == index).map(|(_, why)| why.clone())
    })
}
