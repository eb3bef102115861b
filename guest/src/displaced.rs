//! `garnish/displaced.json`: what stood where garnish wrote, so that it can come back.
//!
//! It remembers and never decides; [`crate::merge`] decides.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    diagnostic::Diagnostic,
    document,
    edit::Format,
    fields::{Faults, Fields},
    ordered::Map,
    render,
    value::{Mapping, Value, map, mapping},
    words::trim_end,
};

/// Relative to the agent dir.
pub const DISPLACED_FILE: &str = "garnish/displaced.json";

/// The whole memory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Displaced {
    /// By path of the harness's file.
    pub files: Map<String, FileRecord>,
}

/// What is remembered of one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileRecord {
    /// There was no such file before garnish wrote it.
    pub created: bool,
    /// The marker as garnish wrote it last.
    pub marker: Option<Value>,
    /// By dotted key.
    pub values: Map<String, ValueRecord>,
    /// By dotted key of a deny-list, then by entry.
    pub entries: Map<String, Map<String, EntryRecord>>,
    /// Mappings of the learner's that garnish put keys into and that had none, by dotted key, as they were spelled.
    pub empty: Mapping,
}

/// What is remembered of one value.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueRecord {
    /// The learner's value as source text, spelled as they had it; none: they had none.
    pub original: Option<String>,
    /// What garnish wrote last; none: it left the key out.
    pub wrote: Option<Value>,
    /// Given back: the value is the learner's again.
    pub released: bool,
}

/// What is remembered of one entry of a deny-list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryRecord {
    /// The learner had the entry.
    pub original: bool,
    /// Garnish left it in the list.
    pub wrote: bool,
    /// Given back.
    pub released: bool,
}

impl Displaced {
    /// Reads the memory; none is an empty one.
    ///
    /// # Errors
    /// It cannot be read. What it remembers is the learner's, so nothing may be written over it.
    pub fn parse(bytes: Option<&[u8]>) -> Result<Self, Diagnostic> {
        let Some(bytes) = bytes else { return Ok(Self::default()) };
        let unreadable = |why: String, place| {
            let message = format!(
                "{DISPLACED_FILE} remembers settings of yours. {}. Mend it, or move it away if what it remembers does \
                    not matter to you.",
                trim_end(&why, ".")
            );
            Diagnostic::error("garnish::displaced::unreadable", message).in_file(DISPLACED_FILE).at(place)
        };
        let document = document::parse(bytes).map_err(|error| {
            let fault = error.diagnostic("memory");
            unreadable(fault.message.clone(), fault.line.zip(fault.column))
        })?;
        let value = document.into_value();
        let faults = Faults::new("garnish::displaced::unreadable");
        let memory = read(&Fields::new(&value, &faults));
        match faults.into_inner().into_iter().next() {
            None => Ok(memory),
            Some(fault) => Err(unreadable(fault.message.clone(), None)),
        }
    }

    /// The memory as a file: canonical, for people too.
    pub fn to_bytes(&self) -> Vec<u8> {
        let files = mapping(self.files.iter().map(|(path, record)| (path.clone(), record.to_value())));
        render::file(&map([("version", Some(Value::Number(1.0))), ("files", Some(files))]), Format::Json)
    }
}

fn flag(flag: bool) -> Option<Value> {
    flag.then_some(Value::Bool(true))
}

impl FileRecord {
    fn to_value(&self) -> Value {
        let values = self.values.iter().map(|(key, record)| (key.clone(), record.to_value()));
        let entries = self.entries.iter().map(|(key, records)| {
            (key.clone(), mapping(records.iter().map(|(name, record)| (name.clone(), record.to_value()))))
        });
        map([
            ("created", flag(self.created)),
            ("marker", self.marker.clone()),
            ("values", (!self.values.is_empty()).then(|| mapping(values))),
            ("entries", (!self.entries.is_empty()).then(|| mapping(entries))),
            ("empty", (!self.empty.is_empty()).then(|| Value::Map(self.empty.clone()))),
        ])
    }
}

impl ValueRecord {
    fn to_value(&self) -> Value {
        let original = self.original.as_deref().map(Value::from);
        map([
            ("original", original),
            ("wrote", self.wrote.clone().filter(|wrote| *wrote != Value::Null)),
            ("released", flag(self.released)),
        ])
    }
}

impl EntryRecord {
    fn to_value(self) -> Value {
        map([("original", flag(self.original)), ("wrote", flag(self.wrote)), ("released", flag(self.released))])
    }
}

fn read(fields: &Fields<'_>) -> Displaced {
    fields.only(&["version", "files"]);
    if fields.integer("version") != Some(1) {
        fields.fault("version", "this garnish reads version 1");
    }
    let mut memory = Displaced::default();
    for (path, fields) in fields.entries("files") {
        memory.files.insert(path.to_string(), read_file(&fields));
    }
    memory
}

/// The fields of a record, of a value's or an entry's.
const RECORD: [&str; 3] = ["original", "wrote", "released"];

fn read_file(fields: &Fields<'_>) -> FileRecord {
    fields.only(&["created", "marker", "values", "entries", "empty"]);
    let mut file = FileRecord {
        created: is(fields, "created"),
        marker: fields.get("marker").cloned(),
        empty: fields.get("empty").and_then(Value::as_map).cloned().unwrap_or_default(),
        ..FileRecord::default()
    };
    for (key, fields) in fields.entries("values") {
        fields.only(&RECORD);
        let record = ValueRecord {
            original: fields.string("original"),
            wrote: fields.get("wrote").cloned(),
            released: is(&fields, "released"),
        };
        file.values.insert(key.to_string(), record);
    }
    let Some(lists) = fields.record("entries") else { return file };
    for (key, _) in fields.entries("entries") {
        let list = file.entries.or_default(key.to_string());
        for (name, fields) in lists.entries(key) {
            fields.only(&RECORD);
            let [original, wrote, released] = RECORD.map(|flag| is(&fields, flag));
            list.insert(name.to_string(), EntryRecord { original, wrote, released });
        }
    }
    file
}

fn is(fields: &Fields<'_>, key: &str) -> bool {
    fields.flag(key).unwrap_or(false)
}
