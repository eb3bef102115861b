//! The learner's files + what the gate says → the same files with garnish's leaves set and every other byte kept.
//!
//! It writes nothing. What it cannot edit safely it refuses whole; a guess is never written.
//!
//! One rule, for values and for entries of deny-lists alike: while a gate needs a place, garnish's value stands there
//! and the learner's is remembered; when the last gate that needs it opens, theirs comes back once, and the place is
//! theirs.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use crate::{
    capability::{Capability, approval_strength},
    catalog::Catalog,
    diagnostic::Diagnostic,
    displaced::{DISPLACED_FILE, Displaced, EntryRecord, FileRecord, ValueRecord},
    document,
    edit::{Document, Edit, Fault, FaultKind, Format},
    gate_config::{self, Capabilities, Gate, Leaf, LeafForm},
    list::IntoList,
    ordered::{Map, Set},
    profile::{MARKER, Profile, ProfileFile, SCHEMA},
    render,
    value::{Mapping, Value},
};

/// A file by its path inside the agent dir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Relative, `/`-separated.
    pub path: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// What a merge changes.
#[derive(Debug, Clone, Default)]
pub struct Merged {
    /// Files to be written, whole.
    pub changed: Vec<File>,
    /// The new memory of displaced values, to be written first; none: it stays.
    pub displaced: Option<Vec<u8>>,
    /// What the learner should know.
    pub diagnostics: Vec<Diagnostic>,
    /// What the files' markers said was held before; none: there was no marker.
    pub marked_held: Option<Capabilities>,
    /// Whether garnish had written these files before, by its memory.
    pub known: bool,
}

/// A file of the learner's that cannot be edited, as a diagnostic.
pub fn refusal(path: &str, fault: &Fault) -> Diagnostic {
    let place = fault.line.map(|line| (line, fault.column.unwrap_or(1)));
    Diagnostic::error(fault.kind.code(), format!("{}.", fault.message.trim_end_matches('.'))).in_file(path).at(place)
}

/// Which of a profile's paths a file is at: the first that exists, else the first there is.
pub fn chosen<'f>(file: &ProfileFile, files: &'f [File]) -> Option<&'f File> {
    file.paths.iter().find_map(|path| files.iter().find(|found| found.path == *path))
}

/// By index of a profile's files, what each says; none for one that is not there.
///
/// # Errors
/// The first that cannot be read as the harness reads it.
pub fn values(files: &[File], profile: &Profile) -> Result<Vec<Option<Value>>, Diagnostic> {
    let mut values = Vec::new();
    for file in &profile.files {
        let value = match chosen(file, files) {
            Some(found) => {
                let document = Document::parse(file.format, &found.bytes);
                Some(document.map_err(|fault| refusal(&found.path, &fault))?.into_value())
            }
            None => None,
        };
        values.push(value);
    }
    Ok(values)
}

/// Sets the leaves of all files of a profile.
///
/// # Errors
/// The first file that cannot be edited; then nothing of it may be written.
pub fn merge(
    files: &[File],
    gate: &Gate,
    catalog: &Catalog,
    profile: &Profile,
    displaced: Option<&[u8]>,
) -> Result<Merged, Diagnostic> {
    let mut memory = Displaced::parse(displaced)?;
    let leaves = gate_config::leaves(catalog, profile);
    let (mut merged, none) = (Merged::default(), FileRecord::default());
    for (index, file) in profile.files.iter().enumerate() {
        let found = chosen(file, files);
        let path = found.map_or_else(|| file.paths.first().cloned().unwrap_or_default(), |found| found.path.clone());
        merged.diagnostics.extend(shadowed(file, files, &path));
        let record = memory.files.get(&path).unwrap_or(&none);
        merged.known |= record.marker.is_some();
        let leaves: Vec<&Leaf> = leaves.iter().filter(|leaf| leaf.file == index).list();
        let one = FileMerge { profile, file, path: &path, gate, leaves: &leaves, old: record };
        let outcome = one.run(found.map(|found| found.bytes.as_slice())).map_err(|fault| refusal(&path, &fault))?;
        if let Some(held) = outcome.marked_held {
            merged.marked_held.get_or_insert_default().extend(held);
        }
        if let Some(bytes) = outcome.bytes {
            merged.changed.push(File { path: path.clone(), bytes });
        }
        merged.diagnostics.extend(outcome.diagnostics);
        memory.files.insert(path, outcome.record);
    }
    let bytes = memory.to_bytes();
    if displaced != Some(bytes.as_slice()) {
        merged.displaced = Some(bytes);
    }
    Ok(merged)
}

fn shadowed(file: &ProfileFile, files: &[File], path: &str) -> Option<Diagnostic> {
    let other = file.paths.iter().find(|other| *other != path && files.iter().any(|found| found.path == **other))?;
    let message = format!(
        "{path} and {other} are both there. The harness reads {path}, so garnish edits that one; \
            remove {other} if you do not need it."
    );
    Some(Diagnostic::warning("garnish::merge::two-files", message).in_file(path))
}

/// Whose a file's present values are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// As garnish left it: what differs is the learner's edit.
    Current,
    /// An older state of ours that the harness saved again: what differs is to be mended.
    Old,
    /// None: not our file, or a new one.
    Missing,
}

/// One file's merge.
struct FileMerge<'m> {
    profile: &'m Profile,
    file: &'m ProfileFile,
    path: &'m str,
    gate: &'m Gate,
    leaves: &'m [&'m Leaf<'m>],
    old: &'m FileRecord,
}

struct Outcome {
    bytes: Option<Vec<u8>>,
    record: FileRecord,
    diagnostics: Vec<Diagnostic>,
    marked_held: Option<Capabilities>,
}

/// What is to happen at one place.
#[derive(Debug, PartialEq)]
enum Target {
    Keep,
    Set(Value),
    Restore(String),
    Remove,
}

impl FileMerge<'_> {
    fn format(&self) -> Format {
        self.file.format
    }

    fn run(&self, bytes: Option<&[u8]>) -> Result<Outcome, Fault> {
        let document = bytes.map(|bytes| Document::parse(self.format(), bytes)).transpose()?;
        let found = document.as_ref().and_then(|document| document.value().at(&[MARKER]));
        let marker = match found {
            None if document.as_ref().is_some_and(|document| self.is_still_ours(document)) => Marker::Old,
            None => Marker::Missing,
            Some(found) if self.old.marker.as_ref() == Some(found) => Marker::Current,
            Some(_) => Marker::Old,
        };
        let marker_was = marker;
        let marked_held = document.as_ref().and_then(|document| gate_config::marked_held(document.value()));
        let mut plan = Plan {
            merge: self,
            document: document.as_ref(),
            marker,
            targets: Vec::new(),
            record: FileRecord::default(),
            displaced: Vec::new(),
        };
        plan.record.created = self.old.created || bytes.is_none();
        plan.leaves(marked_held.as_ref())?;
        let Plan { targets, mut record, displaced, .. } = plan;
        let held: Vec<String> =
            self.leaves.iter().filter(|leaf| leaf.holds(&self.gate.held)).map(|leaf| leaf.dotted()).list();
        let marker = gate_config::marker(&self.gate.held, &held);
        record.marker = Some(marker.clone());
        let bytes = match &document {
            Some(document) => {
                self.edited(document, &targets, &marker)?.filter(|edited| Some(edited.as_slice()) != bytes)
            }
            None => Some(self.created(&targets, &marker)),
        };
        let moved = (marker_was == Marker::Missing && self.old.marker.is_some()).then(|| moved_aside(self.path));
        let diagnostics = displaced_notice(self.path, &displaced).into_iter().chain(moved).list();
        Ok(Outcome { bytes, record, diagnostics, marked_held })
    }

    /// Whether a file without a marker has every value that garnish left there: then only the marker was taken out.
    fn is_still_ours(&self, document: &Document<'_>) -> bool {
        let mut ours = self.old.values.iter().filter(|(_, record)| !record.released).peekable();
        let is = |(dotted, record): (&String, &ValueRecord)| {
            record.wrote.as_ref() == document.value().at(&crate::profile::split(dotted))
        };
        ours.peek().is_some() && ours.all(is)
    }

    /// A new file: the canonical text of what is to be there.
    fn created(&self, targets: &[(Vec<String>, Target)], marker: &Value) -> Vec<u8> {
        let mut value = Value::Map(Mapping::new());
        for (path, target) in targets {
            let said = match target {
                Target::Set(said) => Some(said.clone()),
                Target::Restore(raw) => document::raw_value(self.format(), raw),
                Target::Keep | Target::Remove => None,
            };
            if let Some(said) = said {
                gate_config::insert(&mut value, path, said);
            }
        }
        gate_config::insert(&mut value, &[MARKER.to_owned()], marker.clone());
        render::file(&value, self.file.format)
    }

    /// The learner's file with only these places changed; none: nothing changes.
    fn edited(
        &self,
        document: &Document<'_>,
        targets: &[(Vec<String>, Target)],
        marker: &Value,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let mut edits: Vec<Edit> = Vec::new();
        for (path, target) in targets {
            match target {
                Target::Keep => {}
                Target::Set(value) => edits.push(Edit::Set { path, value }),
                Target::Restore(raw) => edits.push(Edit::Restore { path, raw }),
                Target::Remove => edits.push(Edit::Remove { path }),
            }
        }
        // List by list, so that only the lines of what changed differ.
        let parts: Vec<(Vec<String>, &Value)> = marker
            .as_map()
            .into_iter()
            .flatten()
            .map(|(key, value)| (alloc::vec![MARKER.to_owned(), key.clone()], value))
            .list();
        let stale: Vec<Vec<String>> = match document.value().at(&[MARKER]).and_then(Value::as_map) {
            Some(found) => found
                .keys()
                .filter(|key| marker.at(&[key]).is_none())
                .map(|key| alloc::vec![MARKER.to_owned(), key.clone()])
                .list(),
            None => Vec::new(),
        };
        edits.extend(stale.iter().map(|path| Edit::Remove { path }));
        edits.extend(
            parts
                .iter()
                .filter(|(path, value)| document.value().at(path) != Some(*value))
                .map(|(path, value)| Edit::Set { path, value }),
        );
        if edits.is_empty() { Ok(None) } else { document.edit(&edits).map(Some) }
    }
}

/// A fault about a key of the learner's.
fn at_key(document: &Document<'_>, path: &[&str], kind: FaultKind, message: String) -> Fault {
    Fault::placed(kind, document.place(path), message)
}

/// Garnish wrote the file before, and now there is one without its mark, or none.
fn moved_aside(path: &str) -> Diagnostic {
    let message = format!(
        "{path} was moved aside or replaced since garnish wrote it. It is set up again; if the \
            harness kept yours as {path}.broken-…, take from there what is yours."
    );
    Diagnostic::warning("garnish::merge::moved-aside", message).in_file(path)
}

fn displaced_notice(path: &str, displaced: &[String]) -> Option<Diagnostic> {
    if displaced.is_empty() {
        return None;
    }
    let message = format!(
        "In {path}, garnish holds these settings of yours for now: {}. They are kept in \
            {DISPLACED_FILE} and come back as their gates open.",
        displaced.join(", ")
    );
    Some(Diagnostic::note("garnish::merge::displaced", message).in_file(path))
}

/// The decisions about one file, place by place.
struct Plan<'m> {
    merge: &'m FileMerge<'m>,
    document: Option<&'m Document<'m>>,
    marker: Marker,
    targets: Vec<(Vec<String>, Target)>,
    record: FileRecord,
    /// Dotted keys where a value of the learner's stops being in force.
    displaced: Vec<String>,
}

impl Plan<'_> {
    fn leaves(&mut self, marked_held: Option<&Capabilities>) -> Result<(), Fault> {
        let merge = self.merge;
        for leaf in merge.leaves {
            match leaf.form {
                LeafForm::Deny(_) => self.entries(leaf, marked_held)?,
                _ => self.leaf(leaf)?,
            }
        }
        if let Some(schema) = &merge.file.schema {
            self.value(&[SCHEMA.to_owned()], false, &|_| Value::Null, Some(Value::from(schema.as_str())))?;
        }
        self.forgotten();
        Ok(())
    }

    /// Places that an earlier catalog or profile held and this one does not know: no gate needs them, so they go back.
    fn forgotten(&mut self) {
        let known = |record: &FileRecord, dotted: &String| {
            record.values.contains_key(dotted) || record.entries.contains_key(dotted)
        };
        for (dotted, old) in self.merge.old.values.iter() {
            if !known(&self.record, dotted) && !old.released {
                let path = crate::profile::split(dotted);
                if old.wrote.as_ref() == self.present(&path) || self.marker != Marker::Current {
                    let target = old.original.clone().map_or(Target::Remove, Target::Restore);
                    self.targets.push((path, target));
                }
            }
        }
        for (dotted, old) in self.merge.old.entries.iter() {
            if !known(&self.record, dotted) {
                let path = crate::profile::split(dotted);
                let gone: Vec<&str> = old
                    .iter()
                    .filter(|(_, entry)| !entry.released && !entry.original)
                    .map(|(name, _)| name.as_str())
                    .list();
                if let (Some(Value::List(items)), false) = (self.present(&path), gone.is_empty()) {
                    let kept: Vec<Value> = items
                        .iter()
                        .filter(|item| item.as_str().is_none_or(|name| !gone.contains(&name)))
                        .cloned()
                        .list();
                    let had_none = self.merge.old.values.get(dotted).is_some_and(|old| old.original.is_none());
                    let target =
                        if kept.is_empty() && had_none { Target::Remove } else { Target::Set(Value::List(kept)) };
                    self.targets.push((path, target));
                }
            }
        }
    }

    fn present(&self, path: &[String]) -> Option<&Value> {
        self.document.and_then(|document| document.value().at(path))
    }

    fn leaf(&mut self, leaf: &Leaf<'_>) -> Result<(), Fault> {
        let gate = self.merge.gate;
        let hold = leaf.holds(&gate.held);
        let said = leaf.rendered(&gate.open, &gate.held);
        let ours = |theirs: Option<&Value>| leaf.held_value(gate, theirs);
        let open = match leaf.form {
            // What the harness has off by default stays off when garnish lets go.
            LeafForm::Toggle if self.is_off_by_default(leaf) => None,
            // No list means all: a list of what the gates name would hide what none of them names.
            LeafForm::Allow if leaf.needs.iter().all(|need| need.name != "*") => None,
            LeafForm::Level(rule) => {
                let weaker = said.as_ref().and_then(Value::as_str).and_then(approval_strength)
                    < rule.absent.as_deref().and_then(approval_strength);
                if weaker { None } else { said.clone() }
            }
            _ => said.clone(),
        };
        self.value(&leaf.path, hold, &ours, open)
    }

    fn is_off_by_default(&self, leaf: &Leaf<'_>) -> bool {
        let profile = self.merge.profile;
        leaf.needs
            .iter()
            .any(|need| profile.off_by_default.contains(&need.name) && !profile.untoggled.contains(&need.name))
    }

    /// One value. `ours` is garnish's, given the learner's; `open` what stands there when it lets go and they had none.
    fn value(
        &mut self,
        path: &[String],
        hold: bool,
        ours: &dyn Fn(Option<&Value>) -> Value,
        open: Option<Value>,
    ) -> Result<(), Fault> {
        let dotted = path.join(".");
        let format = self.merge.format();
        let present = self.present(path).cloned();
        let raw = self.raw(path, present.is_some())?;
        let old = self.merge.old.values.get(&dotted);
        let original = match old {
            // The marker says the value is ours, and the memory of theirs is lost: nothing to give back.
            None if self.is_marked_ours(&dotted) => None,
            None => raw.clone(),
            Some(old) => match self.marker {
                Marker::Current if old.released || old.wrote != present => raw.clone(),
                Marker::Old if old.released && !self.is_marked_ours(&dotted) => raw.clone(),
                Marker::Missing if present.is_some() => raw.clone(),
                _ => old.original.clone(),
            },
        };
        let theirs = original.as_deref().and_then(|raw| document::raw_value(format, raw));
        if hold {
            let ours = ours(theirs.as_ref());
            if old.is_none_or(|old| old.original != original) && theirs.as_ref().is_some_and(|theirs| *theirs != ours) {
                self.displaced.push(dotted.clone());
            }
            let record = ValueRecord { original, wrote: Some(ours.clone()), released: false };
            self.record.values.insert(dotted, record);
            let target = if present.as_ref() == Some(&ours) { Target::Keep } else { Target::Set(ours) };
            self.targets.push((path.to_vec(), target));
            return Ok(());
        }
        let is_theirs = match old {
            None => present.is_some() && !self.is_marked_ours(&dotted),
            // An older marker that does not list the key: it had been given back by then, too.
            Some(old) => {
                old.released
                    && (self.marker == Marker::Current || self.marker == Marker::Old && !self.is_marked_ours(&dotted))
            }
        };
        if is_theirs {
            if let Some(old) = old {
                self.record.values.insert(dotted, old.clone());
            }
            return Ok(());
        }
        let wanted = theirs.clone().or(open);
        let target = match (&present, &wanted, &original) {
            (present, wanted, _) if present == wanted => Target::Keep,
            (_, Some(_), Some(raw)) => Target::Restore(raw.clone()),
            (_, Some(value), None) => Target::Set(value.clone()),
            (_, None, _) => Target::Remove,
        };
        if old.is_some() || target != Target::Keep {
            self.record.values.insert(dotted, ValueRecord { original, wrote: wanted.clone(), released: true });
        }
        self.targets.push((path.to_vec(), target));
        Ok(())
    }

    /// The source text of a value, or why it cannot be taken hold of.
    fn raw(&self, path: &[String], present: bool) -> Result<Option<String>, Fault> {
        let Some(document) = self.document else { return Ok(None) };
        let steps: Vec<&str> = path.iter().map(String::as_str).list();
        match document.raw(&steps) {
            Some(raw) => Ok(Some(raw.to_owned())),
            None if present => Err(at_key(
                document,
                &steps,
                FaultKind::Alias,
                format!(
                    "`{}` is given through an alias or a merge key, so garnish cannot change it without \
                        changing what else uses it; write it out in place",
                    steps.join(".")
                ),
            )),
            None => Ok(None),
        }
    }

    /// Whether the file's own marker lists a key as garnish's.
    fn is_marked_ours(&self, dotted: &str) -> bool {
        let leaves =
            self.document.and_then(|document| document.value().at(&[MARKER, "leaves"])).and_then(Value::as_list);
        leaves.is_some_and(|leaves| leaves.iter().any(|leaf| leaf.as_str() == Some(dotted)))
    }

    /// A deny-list: garnish's are the entries that the catalog names, one by one.
    fn entries(&mut self, leaf: &Leaf<'_>, marked_held: Option<&Capabilities>) -> Result<(), Fault> {
        let LeafForm::Deny(rule) = leaf.form else { return Ok(()) };
        let dotted = leaf.dotted();
        let present = self.present(&leaf.path).cloned();
        self.raw(&leaf.path, present.is_some())?;
        let list = present.as_ref().and_then(Value::as_list);
        let items: &[Value] = match &present {
            Some(Value::List(items)) => items,
            None | Some(Value::Null) => &[],
            Some(other) => {
                let message = format!("`{dotted}` holds {} where a list belongs; make it a list", other.kind());
                let steps: Vec<&str> = leaf.path.iter().map(String::as_str).list();
                return Err(match self.document {
                    Some(document) => at_key(document, &steps, FaultKind::NotAListHere, message),
                    None => Fault::new(FaultKind::NotAListHere, message),
                });
            }
        };
        let mut names = Set::new();
        names.extend(items.iter().filter_map(Value::as_str).map(ToOwned::to_owned));
        let has = |name: &str| names.contains(name);
        let was_held = |need: &Capability| marked_held.is_some_and(|held| held.contains(need));
        let old = self.merge.old.entries.get(&dotted);
        let mut records = Map::new();
        let mut wanted: Map<String, bool> = Map::new();
        for need in &leaf.needs {
            let name = rule.entry(need);
            let old = old.and_then(|old| old.get(&name));
            let hold = self.merge.gate.held.contains(need);
            let present = has(&name);
            let ours = old.is_none() && was_held(need);
            let original = match old {
                None => present && !ours,
                Some(old) => match self.marker {
                    Marker::Current if old.released || old.wrote != present => present,
                    Marker::Old if old.released && !was_held(need) => present,
                    Marker::Missing if list.is_some() => present,
                    _ => old.original,
                },
            };
            let is_theirs = old.map_or(!ours, |old| {
                old.released && (self.marker == Marker::Current || self.marker == Marker::Old && !was_held(need))
            });
            let wants = match hold {
                true => true,
                false if is_theirs => present,
                false => original,
            };
            if hold || old.is_some() || wants != present {
                records.insert(name.clone(), EntryRecord { original, wrote: wants, released: !hold });
            }
            wanted.insert(name, wants);
        }
        // Entries that an earlier catalog named and this one does not: no gate needs them, so they go back.
        for (name, old) in old.iter().flat_map(|old| old.iter()).filter(|(_, old)| !old.released) {
            if !wanted.contains_key(name) && !old.original {
                wanted.insert(name.clone(), false);
            }
        }
        let kept = items.iter().filter(|item| item.as_str().is_none_or(|name| wanted.get(name) != Some(&false)));
        let mut result: Vec<Value> = kept.cloned().list();
        result.extend(
            wanted.iter().filter(|(name, wants)| **wants && !has(name)).map(|(name, _)| Value::from(name.as_str())),
        );
        let is_new = self.is_marked_ours(&dotted) || !matches!(present, Some(Value::List(_)));
        let had_none = self.merge.old.values.get(&dotted).map_or(is_new, |old| old.original.is_none());
        let target = match (&present, result.is_empty()) {
            (Some(Value::List(items)), _) if *items == result => Target::Keep,
            (None | Some(Value::Null), true) if rule.drop_empty => Target::Keep,
            (Some(_), true) if rule.drop_empty && had_none => Target::Remove,
            _ => Target::Set(Value::List(result)),
        };
        // The list itself is remembered too: `eject` takes away an empty one that was not there.
        if had_none {
            let original = match (self.merge.old.values.get(&dotted), &present) {
                (Some(old), _) => old.original.clone(),
                (None, Some(Value::Null)) => Some(String::new()),
                _ => None,
            };
            self.record.values.insert(dotted.clone(), ValueRecord { original, wrote: None, released: true });
        }
        if !records.is_empty() {
            self.record.entries.insert(dotted.clone(), records);
        }
        self.targets.push((leaf.path.clone(), target));
        Ok(())
    }
}
