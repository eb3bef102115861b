//! The learner's files + what the gate says → the same files with garnish's leaves set and every other byte kept.
//!
//! It writes nothing. What it cannot edit safely it refuses whole; a guess is never written.
//!
//! One rule, for values and for entries of deny-lists alike: while a gate needs a place, garnish's value stands there
//! and the learner's is remembered; when the last gate that needs it opens, theirs comes back once, and the place is
//! theirs.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use crate::{
    capability::approval_strength,
    catalog::Catalog,
    diagnostic::Diagnostic,
    displaced::{DISPLACED_FILE, Displaced, EntryRecord, FileRecord, ValueRecord},
    document,
    edit::{Document, Fault, FaultKind},
    gate_config::{self, Capabilities, Gate, Leaf, LeafForm},
    list::IntoList,
    ordered::Map,
    profile::{MARKER, Profile, ProfileFile, SCHEMA},
    render,
    targets::{Target, Targeted, edited, emptied, given_back, is_empty_list, with_entries},
    value::{Mapping, Value},
    whose::{Marker, Whose, texts},
    words::joined,
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

impl FileMerge<'_> {
    fn run(&self, bytes: Option<&[u8]>) -> Result<Outcome, Fault> {
        let document = bytes.map(|bytes| Document::parse(self.file.format, bytes)).transpose()?;
        let whose = Whose::new(self.profile, document.as_ref(), self.old);
        let mut plan =
            Plan { merge: self, whose, targets: Vec::new(), record: FileRecord::default(), displaced: Vec::new() };
        plan.record.created = self.old.created || bytes.is_none();
        plan.leaves()?;
        let Plan { whose, mut targets, mut record, displaced, .. } = plan;
        let held: Vec<String> =
            self.leaves.iter().filter(|leaf| leaf.holds(&self.gate.held)).map(|leaf| leaf.dotted()).list();
        let marker = gate_config::marker(&self.gate.held, &held);
        let path = alloc::vec![MARKER.to_owned()];
        if whose.present(&path) != Some(&marker) {
            targets.push((path, Target::Set(marker.clone())));
        }
        record.marker = Some(marker);
        let bytes = match &document {
            Some(document) => {
                record.empty = emptied(&whose, document, &targets);
                edited(document, &targets, &record.empty)?.filter(|edited| Some(edited.as_slice()) != bytes)
            }
            None => Some(self.created(&targets)),
        };
        let moved = (whose.marker == Marker::Missing && self.old.marker.is_some()).then(|| moved_aside(self.path));
        let diagnostics = displaced_notice(self.path, &displaced).into_iter().chain(moved).list();
        Ok(Outcome { bytes, record, diagnostics, marked_held: whose.marked_held })
    }

    /// A new file: the canonical text of what is to be there.
    fn created(&self, targets: &[Targeted]) -> Vec<u8> {
        let mut value = Value::Map(Mapping::new());
        for (path, target) in targets {
            let said = match target {
                Target::Set(said) => Some(said.clone()),
                Target::Restore(raw) => document::raw_value(self.file.format, raw),
                Target::Keep | Target::Remove => None,
            };
            if let Some(said) = said {
                gate_config::insert(&mut value, path, said);
            }
        }
        render::file(&value, self.file.format)
    }
}

/// A fault about a key of the learner's.
fn at_key(document: &Document<'_>, path: &[&str], kind: FaultKind, message: String) -> Fault {
    // What an alias gives stands at the key of the alias.
    let mut above = path;
    loop {
        match (document.place(above), above.split_last()) {
            (None, Some((_, rest))) => above = rest,
            (place, _) => return Fault::placed(kind, place, message),
        }
    }
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
        joined(displaced, ", ")
    );
    Some(Diagnostic::note("garnish::merge::displaced", message).in_file(path))
}

/// The decisions about one file, place by place.
struct Plan<'m> {
    merge: &'m FileMerge<'m>,
    whose: Whose<'m>,
    targets: Vec<Targeted>,
    record: FileRecord,
    /// Dotted keys where a value of the learner's stops being in force.
    displaced: Vec<String>,
}

impl Plan<'_> {
    fn leaves(&mut self) -> Result<(), Fault> {
        let merge = self.merge;
        for leaf in merge.leaves {
            match leaf.form {
                LeafForm::Deny(_) => self.entries(leaf)?,
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
        for dotted in self.merge.old.values.keys() {
            if !self.record.values.contains_key(dotted) {
                self.targets.extend(given_back(&self.whose, self.merge.file.format, dotted));
            }
        }
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
        let dotted = joined(path, ".");
        let present = self.whose.present(path).cloned();
        let raw = self.raw(path, present.is_some(), hold)?;
        let old = self.merge.old.values.get(&dotted);
        let (original, is_theirs) = self.whose.value(&dotted, raw.as_deref());
        let theirs = original.as_deref().and_then(|raw| document::raw_value(self.merge.file.format, raw));
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
        if is_theirs {
            if old.is_some() {
                self.record.values.insert(dotted, ValueRecord { original, wrote: present, released: true });
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
    /// `kept`: it must mean something by itself, since it is put back one day.
    fn raw(&self, path: &[String], present: bool, kept: bool) -> Result<Option<String>, Fault> {
        let Some(document) = self.whose.document else { return Ok(None) };
        let steps: Vec<&str> = path.iter().map(String::as_str).list();
        match document.raw(&steps) {
            Some(raw) if !kept || document::raw_value(self.merge.file.format, raw).is_some() => {
                Ok(Some(raw.to_owned()))
            }
            None if !present => Ok(None),
            _ => Err(at_key(
                document,
                &steps,
                FaultKind::Alias,
                format!(
                    "`{}` is given through an alias or a merge key, so garnish cannot change it without \
                        changing what else uses it; write it out in place",
                    joined(&steps, ".")
                ),
            )),
        }
    }

    /// A deny-list: garnish's are the entries that the catalog names, one by one.
    fn entries(&mut self, leaf: &Leaf<'_>) -> Result<(), Fault> {
        let LeafForm::Deny(rule) = leaf.form else { return Ok(()) };
        let dotted = leaf.dotted();
        let present = self.whose.present(&leaf.path).cloned();
        let raw = self.raw(&leaf.path, present.is_some(), false)?;
        let list = present.as_ref().and_then(Value::as_list);
        let items: &[Value] = match &present {
            Some(Value::List(items)) => items,
            None | Some(Value::Null) => &[],
            Some(other) => {
                let message = format!("`{dotted}` holds {} where a list belongs; make it a list", other.kind());
                let steps: Vec<&str> = leaf.path.iter().map(String::as_str).list();
                return Err(match self.whose.document {
                    Some(document) => at_key(document, &steps, FaultKind::NotAListHere, message),
                    None => Fault::new(FaultKind::NotAListHere, message),
                });
            }
        };
        let names = texts(items);
        let was_held = self.whose.marked_entries(&dotted);
        let old = self.merge.old.entries.get(&dotted);
        let (mut records, mut wanted) = (Map::new(), Map::new());
        for need in &leaf.needs {
            let name = rule.entry(need);
            let hold = self.merge.gate.held.contains(need);
            let present = names.contains(&name);
            let (original, is_theirs) = self.whose.entry(&dotted, &name, present, was_held.contains(&name));
            let wrote = hold || if is_theirs { present } else { original };
            let record = EntryRecord { original, wrote, released: !hold };
            if hold || wrote != present || old.is_some_and(|old| old.contains_key(&name)) {
                records.insert(name.clone(), record);
            }
            wanted.insert(name, record);
        }
        // Entries that an earlier catalog named and this one does not: no gate needs them, so they go back.
        for (name, old) in old.into_iter().flatten().filter(|(_, old)| !old.released && !old.original) {
            wanted.entry(name.clone()).or_insert(EntryRecord { wrote: false, ..*old });
        }
        let result = with_entries(items, &names, &wanted);
        // The list itself is remembered too, as it was spelled: `eject` leaves no empty one where there was none.
        let original = match self.merge.old.values.get(&dotted) {
            Some(old) if list.is_some() || self.whose.marker != Marker::Current => old.original.clone(),
            // The marker says the list is ours, and the memory of theirs is lost.
            None if self.whose.marked.contains(&dotted) => None,
            _ => raw,
        };
        let target = match (&present, &original) {
            (Some(Value::List(items)), _) if *items == result => Target::Keep,
            (None | Some(Value::Null), _) if result.is_empty() && rule.drop_empty => Target::Keep,
            (Some(_), None) if result.is_empty() && rule.drop_empty => Target::Remove,
            (_, Some(raw)) if result.is_empty() && is_empty_list(self.merge.file.format, raw, false) => {
                Target::Restore(raw.clone())
            }
            _ => Target::Set(Value::List(result)),
        };
        self.record.values.insert(dotted.clone(), ValueRecord { original, wrote: None, released: true });
        self.record.entries.insert(dotted, records);
        self.targets.push((leaf.path.clone(), target));
        Ok(())
    }
}
