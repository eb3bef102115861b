//! How surfaces are written for one harness: which files, which keys, and what an absent key means there. Data only.
//!
//! A new harness version is a new profile and no new code. It holds no opinion on what is open; that is the catalog's
//! and the log's business.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use crate::{
    capability::{Capability, Kind},
    diagnostic::{Diagnostic, sorted},
    document,
    edit::Format,
    fields::{Faults, Fields},
    guard_data::GuardData,
    list::IntoList,
    ordered::Set,
    value::Value,
    words::{filled, has, joined, parts, pieces, quoted},
};

/// The profiles that the component brings.
const BUILTIN: [(&str, &str); 3] = [
    ("omp-16", include_str!(concat!(env!("OUT_DIR"), "/profiles/omp-16.json"))),
    ("omp-18", include_str!(concat!(env!("OUT_DIR"), "/profiles/omp-18.json"))),
    ("pi-1", include_str!(concat!(env!("OUT_DIR"), "/profiles/pi-1.json"))),
];

/// The key of garnish's own marker in every file.
pub const MARKER: &str = "garnish";

/// The key that names a JSON file's schema.
pub const SCHEMA: &str = "$schema";

/// How one harness is written to.
#[derive(Debug, Clone)]
pub struct Profile {
    /// `omp-18`.
    pub profile: String,
    /// The harness's command.
    pub harness: String,
    /// Versions that it was tested with.
    pub tested_versions: Vec<String>,
    /// The harness's files.
    pub files: Vec<ProfileFile>,
    /// By kind of surface, in the order of kinds: the keys that gate it. A kind that is not named cannot be gated under
    /// this profile.
    pub surfaces: Vec<(Kind, Vec<Rule>)>,
    /// The file, by index, whose settings the harness also takes from a layer above every file; none: it has no such
    /// layer.
    pub settings_layer: Option<usize>,
    /// Further keys for single tools.
    pub switches: Vec<Switch>,
    /// Tools whose toggle this harness ignores; the toggle is written all the same, as garnish's own record.
    pub untoggled: Set<String>,
    /// Tools that are off while nothing is said.
    pub off_by_default: Set<String>,
    /// Toggles that the harness looks at during a call: a runtime layer holds with them instead of registering a tool.
    pub read_at_call: Set<String>,
    /// Kinds that a running session can hold although the harness loaded them open.
    pub session_holds: Vec<Kind>,
    /// Surfaces that no key is written for although their kind has some, since that key would close more than the
    /// surface: the session alone holds them.
    pub session_only: Vec<Capability>,
    /// What the guard must know of tool calls.
    pub guard: GuardData,
}

/// One file of the harness.
#[derive(Debug, Clone)]
pub struct ProfileFile {
    /// How rules name it.
    pub name: String,
    /// In order of preference; the first is made when there is none.
    pub paths: Vec<String>,
    /// How it is written.
    pub format: Format,
    /// Written as `$schema` where that is absent.
    pub schema: Option<String>,
}

/// One key that gates a kind of surface.
#[derive(Debug, Clone)]
pub struct Rule {
    /// A [`ProfileFile::name`].
    pub file: String,
    /// Dotted path; `{name}` stands for the surface's name.
    pub key: String,
    /// What is written there.
    pub form: Form,
    /// For a surface whose name has a dot: the key instead of `key`.
    pub dotted: Option<String>,
    /// For a deny-list: how an entry is spelled, `{name}` standing for the surface's name, `{module}` for an
    /// extension's without its kind.
    pub entry: Option<String>,
    /// For a level: what an absent or invalid value means.
    pub absent: Option<String>,
    /// For a deny-list: an empty list means something else to the harness, so the key goes with the last entry.
    pub drop_empty: bool,
    /// Written even if the catalog has no surface of the kind.
    pub always: bool,
}

/// What a key says about surfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `true` when its one surface is open.
    Toggle,
    /// `true` when any surface of the kind is open.
    Any,
    /// A list of the open ones. Empty means all, so an [`Form::Any`] stands beside it.
    Allow,
    /// A list of the held ones.
    Deny,
    /// The strongest open approval mode.
    Level,
}

/// A key that holds while *all* of some tools are held.
#[derive(Debug, Clone)]
pub struct Switch {
    /// The tools; the key holds only where the catalog gates them all.
    pub tools: Vec<String>,
    /// A [`ProfileFile::name`].
    pub file: String,
    /// Dotted path.
    pub key: String,
    /// The value while they are held.
    pub held: Value,
    /// The value when they open and the learner had none; none: the key goes.
    pub open: Option<Value>,
    /// What a runtime layer sets so that the tools are registered and can be unlocked live.
    pub registered: Value,
    /// The harness reads it again at each use, not only when it builds its tools.
    pub read_at_use: bool,
}

impl Rule {
    /// The path of the key for a surface.
    pub fn path(&self, capability: &Capability) -> Vec<String> {
        let template = match &self.dotted {
            Some(dotted) if has(&capability.name, b'.') => dotted,
            _ => &self.key,
        };
        split(&filled(template, "{name}", &capability.name))
    }

    /// The deny-list entry for a surface.
    pub fn entry(&self, capability: &Capability) -> String {
        let module = capability.name.strip_prefix("extension-module:").unwrap_or(&capability.name);
        filled(&filled(self.entry.as_deref().unwrap_or("{name}"), "{module}", module), "{name}", &capability.name)
    }
}

/// A dotted path as its steps.
pub fn split(dotted: &str) -> Vec<String> {
    parts(dotted, ".").into_iter().map(ToOwned::to_owned).list()
}

impl Profile {
    /// The names of the profiles that the component brings, sorted.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// A profile that the component brings.
    ///
    /// # Errors
    /// There is none of that name; the message lists those there are.
    pub fn builtin(name: &str) -> Result<Self, Vec<Diagnostic>> {
        match BUILTIN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(text.as_bytes()),
            None => {
                let known: Vec<_> = Self::builtin_names().list();
                let message =
                    format!("There is no built-in profile {}. There are: {}.", quoted(name), joined(&known, ", "));
                Err(alloc::vec![Diagnostic::error("garnish::profile::unknown", message)])
            }
        }
    }

    /// Reads a profile from YAML or JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        let value = document::parse(bytes).map_err(|error| alloc::vec![error.diagnostic("profile")])?.into_value();
        let faults = Faults::new("garnish::profile::unreadable");
        let profile = read(&Fields::new(&value, &faults));
        profile.check(&faults);
        match sorted(faults.into_inner()) {
            none if none.is_empty() => Ok(profile),
            faults => Err(faults),
        }
    }

    /// Everything that code elsewhere relies on without looking again.
    fn check(&self, faults: &Faults) {
        let fault = |message: String| faults.push(Diagnostic::error("garnish::profile::inconsistent", message));
        let rules = self.all_rules().map(|rule| (&rule.file, &rule.key));
        for (file, key) in rules.chain(self.switches.iter().map(|switch| (&switch.file, &switch.key))) {
            if self.file_index(file).is_none() {
                fault(format!(
                    "The profile's key {key} is in a file {}, which the profile does not have.",
                    quoted(file)
                ));
            }
        }
        for file in &self.files {
            if file.paths.is_empty() {
                fault(format!("The profile's file {} has no path.", quoted(&file.name)));
            }
            if let Some(path) = file.paths.iter().find(|path| !is_inner_path(path) || path.starts_with("garnish/")) {
                fault(format!(
                    "The profile's path {} leaves the agent dir, or lies in garnish's own folder.",
                    quoted(path)
                ));
            }
        }
    }

    /// The place of a file in [`Profile::files`].
    pub fn file_index(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// The rules of a surface; empty for one that only the session can hold.
    pub fn rules(&self, capability: &Capability) -> &[Rule] {
        if self.session_only.contains(capability) {
            return &[];
        }
        self.known_rules(capability.kind).unwrap_or_default()
    }

    /// The rules of a kind; none for one that the profile does not know.
    pub fn known_rules(&self, kind: Kind) -> Option<&[Rule]> {
        self.surfaces.iter().find(|(known, _)| *known == kind).map(|(_, rules)| rules.as_slice())
    }

    /// Whether a key is a deny-list.
    pub fn is_deny(&self, dotted: &str) -> bool {
        self.all_rules().any(|rule| rule.form == Form::Deny && rule.key == dotted)
    }

    fn all_rules(&self) -> impl Iterator<Item = &Rule> {
        self.surfaces.iter().flat_map(|(_, rules)| rules)
    }

    /// Every path that the profile reads, in order of preference.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let mut paths = Vec::new();
        for file in &self.files {
            paths.extend(file.paths.iter().map(String::as_str));
        }
        paths.into_iter()
    }

    /// Top-level keys that no tool may be called: those of every rule that does not carry a surface's name.
    pub fn reserved_keys(&self) -> Set<String> {
        let mut keys = Set::from_iter([MARKER, SCHEMA].map(ToOwned::to_owned));
        for rule in self.all_rules() {
            if !rule.key.starts_with("{name}") {
                keys.extend(split(&rule.key).into_iter().next());
            }
        }
        keys
    }
}

/// Whether a path stays inside the agent dir: relative, `/`-separated, without `.` and `..`, drive letter or NUL.
pub fn is_inner_path(path: &str) -> bool {
    !path.is_empty()
        && path.len() <= 512
        && !path.bytes().any(|byte| matches!(byte, b'\\' | b'\0' | b':'))
        && !pieces(path, "/").iter().any(|step| matches!(*step, "" | "." | ".."))
}

fn read(fields: &Fields<'_>) -> Profile {
    fields.only(&[
        "profile",
        "harness",
        "testedVersions",
        "files",
        "surfaces",
        "settingsLayer",
        "switches",
        "untoggled",
        "offByDefault",
        "readAtCall",
        "sessionHolds",
        "sessionOnly",
        "guard",
    ]);
    let words = fields.entries("surfaces");
    for (word, _) in &words {
        if Kind::from_word(word).is_none() {
            fields.fault(&format!("surfaces.{word}"), "there is no such kind of surface");
        }
    }
    let mut surfaces = Vec::new();
    if let Some(all) = fields.record("surfaces") {
        for kind in Kind::ALL {
            if words.iter().any(|(word, _)| *word == kind.word()) {
                surfaces.push((kind, all.records(kind.word()).iter().map(read_rule).list()));
            }
        }
    }
    let files = fields.records("files").iter().map(read_file).list();
    let layer = fields.text("settingsLayer");
    let settings_layer = layer.and_then(|layer| files.iter().position(|file| file.name == layer));
    if layer.is_some() && settings_layer.is_none() {
        fields.fault("settingsLayer", "the profile has no file of that name");
    }
    Profile {
        profile: fields.need_string("profile"),
        harness: fields.need_string("harness"),
        tested_versions: fields.texts("testedVersions"),
        files,
        surfaces,
        settings_layer,
        switches: fields.records("switches").iter().map(read_switch).list(),
        untoggled: fields.text_set("untoggled"),
        off_by_default: fields.text_set("offByDefault"),
        read_at_call: fields.text_set("readAtCall"),
        session_holds: fields.each("sessionHolds", "a kind of surface", Kind::from_word),
        session_only: fields.each("sessionOnly", "a surface", Capability::parse),
        guard: fields.record("guard").map(|guard| GuardData::read(&guard)).unwrap_or_default(),
    }
}

fn read_file(fields: &Fields<'_>) -> ProfileFile {
    fields.only(&["name", "paths", "format", "schema"]);
    let format = |word: &str| match word {
        "yaml" => Some(Format::Yaml),
        "json" => Some(Format::Json),
        _ => None,
    };
    ProfileFile {
        name: fields.need_string("name"),
        paths: fields.texts("paths"),
        format: fields.need("format", "format (yaml or json)", format).unwrap_or(Format::Yaml),
        schema: fields.string("schema"),
    }
}

fn read_rule(fields: &Fields<'_>) -> Rule {
    fields.only(&["file", "key", "form", "dotted", "entry", "absent", "dropEmpty", "always"]);
    let form = |word: &str| match word {
        "toggle" => Some(Form::Toggle),
        "any" => Some(Form::Any),
        "allow" => Some(Form::Allow),
        "deny" => Some(Form::Deny),
        "level" => Some(Form::Level),
        _ => None,
    };
    Rule {
        file: fields.need_string("file"),
        key: fields.need_string("key"),
        form: fields.need("form", "form (toggle, any, allow, deny or level)", form).unwrap_or(Form::Toggle),
        dotted: fields.string("dotted"),
        entry: fields.string("entry"),
        absent: fields.string("absent"),
        drop_empty: fields.flag("dropEmpty").unwrap_or(false),
        always: fields.flag("always").unwrap_or(false),
    }
}

fn read_switch(fields: &Fields<'_>) -> Switch {
    fields.only(&["tools", "file", "key", "held", "open", "registered", "readAtUse"]);
    let need = |key: &str| {
        fields.must_have(key);
        fields.get(key).cloned().unwrap_or(Value::Null)
    };
    Switch {
        tools: fields.texts("tools"),
        file: fields.need_string("file"),
        key: fields.need_string("key"),
        held: need("held"),
        open: fields.get("open").cloned(),
        registered: need("registered"),
        read_at_use: fields.flag("readAtUse").unwrap_or(false),
    }
}
