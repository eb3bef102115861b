//! The harness's files as they are on disk, brought to what the gate says: read, merged, written in the one safe order.
//!
//! It knows no session and tells nobody; it reports what it wrote and what it could not.

use alloc::{format, string::String, vec::Vec};

use crate::{
    capability::Capability,
    catalog::Catalog,
    diagnostic::{Diagnostic, FailureReason},
    displaced::{DISPLACED_FILE, Displaced},
    document,
    edit::Format,
    gate_config::{self, Capabilities, Gate},
    hold::{self, HELD_FILE, Moment, held_file},
    host::{Content, Failure, Host},
    list::IntoList,
    merge::{self, File, Merged},
    notice,
    ordered::Set,
    profile::Profile,
    render,
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
        self.versions.iter().rfind(|(known, _)| *known == path).map(|(_, version)| *version)
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

fn unwritten(path: &str, failure: &Failure) -> Diagnostic {
    let message = format!("{path} could not be written: {}", failure.message);
    Diagnostic::error("garnish::host::files.write", message).in_file(path)
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
            let value = document::json_text_value(core::str::from_utf8(&content.bytes).ok()?)?;
            let names = value.at(&["capabilities"])?.as_list()?;
            Some(Set::from_iter(names.iter().filter_map(|name| Capability::parse(name.as_str()?))))
        }
    }
}

/// Writes what differs: first what is remembered, then the harness's files, then the list for a host without a
/// component. Nothing of it when any file cannot be edited.
///
/// `renew` brings the gate to the log as it is now, each time that files were read. Another process appends before it
/// writes: so what it has opened in the files that were read, the gate has open too, and what it writes from then on is a
/// conflict.
pub fn write(
    host: &mut dyn Host,
    gate: &mut Gate,
    renew: &mut dyn FnMut(&mut dyn Host, &mut Gate),
    catalog: &Catalog,
    profile: &Profile,
) -> Written {
    let mut written = Written::default();
    let mut memory = Memory::default();
    for attempt in 1..=ATTEMPTS {
        let is_last = attempt == ATTEMPTS;
        let files = read(host, gate, renew, catalog, profile, &mut memory);
        if let Ok(()) = write_once(host, files, profile, &mut written, &mut memory, is_last) {
            break;
        }
    }
    let found = host.read(HELD_FILE);
    renew(host, gate);
    let settings = memory.after.overrides(gate, catalog, profile, Moment::Running);
    write_held(host, found, &held_file(&gate.held, settings), &mut written);
    written
}

/// Somebody else wrote a file since it was read.
struct Again;

/// The memory of displaced values over several attempts.
#[derive(Default)]
struct Memory {
    /// By which the files are judged.
    before: Option<Vec<u8>>,
    /// Written by this call.
    wrote: Option<Vec<u8>>,
    /// What the last attempt would leave on disk: of two files of one path the first.
    after: Disk,
}

/// The files as they are, and what the newest gate makes of them.
fn read(
    host: &mut dyn Host,
    gate: &mut Gate,
    renew: &mut dyn FnMut(&mut dyn Host, &mut Gate),
    catalog: &Catalog,
    profile: &Profile,
    memory: &mut Memory,
) -> Result<(Disk, Merged), Diagnostic> {
    let disk = Disk::read(host, profile)?;
    renew(host, gate);
    if memory.wrote.is_none() || disk.displaced != memory.wrote {
        memory.before = disk.displaced.clone();
    } else {
        memory.before = Some(judged_by(memory, &disk));
    }
    let merged = merge::merge(&disk.files, gate, catalog, profile, memory.before.as_deref())?;
    Ok((disk, merged))
}

fn write_once(
    host: &mut dyn Host,
    files: Result<(Disk, Merged), Diagnostic>,
    profile: &Profile,
    written: &mut Written,
    memory: &mut Memory,
    is_last: bool,
) -> Result<(), Again> {
    written.failed.clear();
    written.diagnostics.clear();
    let (mut disk, merged) = match files {
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
    // The memory stands before the harness's files, so that nothing is lost, and once more behind them without what it
    // has to forget, so that nothing is lost in between either.
    let mut files = Vec::new();
    let mut remember = |files: &mut Vec<File>, bytes: &[u8]| {
        if disk.displaced.as_deref() != Some(bytes) {
            files.push(File { path: DISPLACED_FILE.into(), bytes: bytes.to_vec() });
            disk.displaced = Some(bytes.to_vec());
        }
    };
    let after = merged.displaced.as_ref().or(memory.before.as_ref());
    if let Some(after) = after {
        remember(&mut files, &with_forgotten(memory.before.as_deref(), after));
    }
    let first = files.len();
    files.extend(merged.changed);
    let last = files.len();
    if let Some(after) = after {
        remember(&mut files, after);
    }
    memory.after.files = files.clone();
    memory.after.files.append(&mut disk.files);
    memory.after.displaced = disk.displaced.take();
    for (index, file) in files.iter().enumerate() {
        let is_first = index < first;
        if index == last && !written.failed.is_empty() {
            break;
        }
        match host.write(&file.path, disk.version(&file.path), &file.bytes) {
            Ok(version) => {
                disk.versions.push((file.path.clone(), version));
                if is_first {
                    memory.wrote = Some(file.bytes.clone());
                }
                if !written.paths.contains(&file.path) {
                    written.paths.push(file.path.clone());
                }
            }
            Err(failure) if failure.reason == FailureReason::Conflict && !is_last => return Err(Again),
            Err(failure) => {
                let unwritten = unwritten(&file.path, &failure);
                for (index, known) in profile.files.iter().enumerate() {
                    if is_first || known.paths.contains(&file.path) {
                        written.failed.push((index, unwritten.message.clone()));
                    }
                }
                written.diagnostics.push(unwritten);
                if is_first {
                    return Ok(());
                }
            }
        }
    }
    written.diagnostics.extend(merged.diagnostics);
    Ok(())
}

/// The memory by which another attempt judges the files, file by file: the one that this call wrote for a file as it was
/// then, or as it was to be, since that memory was made for both; the one from before this call elsewhere, since there the
/// learner has edited what stood there before this call.
fn judged_by(memory: &Memory, disk: &Disk) -> Vec<u8> {
    let (mut judged, wrote) = (memory_value(memory.before.as_deref()), memory_value(memory.wrote.as_deref()));
    for file in disk.files.iter().filter(|file| memory.after.files.contains(file)) {
        if let Some(record) = wrote.at(&["files", &file.path]) {
            gate_config::insert(&mut judged, &["files".into(), file.path.clone()], record.clone());
        }
    }
    render::file(&judged, Format::Json)
}

/// The memory `after` a merge, with what it gives back and forgets: until the files are written, it stands nowhere else.
fn with_forgotten(before: Option<&[u8]>, after: &[u8]) -> Vec<u8> {
    let mut memory = memory_value(Some(after));
    keep(&memory_value(before), &mut memory, 3);
    render::file(&memory, Format::Json)
}

/// Puts back what `new` lacks of `old`, down to single records, which lie so deep and, in lists, one step deeper.
fn keep(old: &Value, new: &mut Value, depth: usize) {
    let (Some(old), Value::Map(new)) = (old.as_map(), new) else { return };
    for (key, old) in old {
        match new.get_mut(key) {
            None => drop(new.insert(key.clone(), old.clone())),
            Some(new) if depth > 0 => keep(old, new, depth - usize::from(key != "entries")),
            Some(_) => {}
        }
    }
}

/// A memory that has been read before.
fn memory_value(bytes: Option<&[u8]>) -> Value {
    let text = bytes.and_then(|bytes| core::str::from_utf8(bytes).ok());
    text.and_then(document::json_text_value).unwrap_or(Value::Map(Mapping::new()))
}

fn write_held(host: &mut dyn Host, found: Result<Option<Content>, Failure>, bytes: &[u8], written: &mut Written) {
    let outcome = found.and_then(|found| match found {
        Some(found) if found.bytes == bytes => Ok(false),
        found => host.write(HELD_FILE, found.map(|found| found.version), bytes).map(|_| true),
    });
    match outcome {
        Ok(false) => {}
        Ok(true) => written.paths.push(HELD_FILE.into()),
        // Another process writes the same list from the same log, or from a longer one.
        Err(failure) if failure.reason == FailureReason::Conflict => {}
        Err(failure) => written.diagnostics.push(unwritten(HELD_FILE, &failure)),
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
