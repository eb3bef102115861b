//! The gate catalog: feature id → the surfaces that it holds. The one source of truth of what can be gated.
//!
//! It knows no log and opens nothing; how surfaces are written is the profile's business.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    capability::{APPROVAL_MODES, Capability, Kind},
    diagnostic::{Diagnostic, sorted},
    document,
    edit::Document,
    id::FeatureId,
    list::IntoList,
    mcp_names,
    ordered::{Map, Set},
    profile::Profile,
    value::Value,
    words::{find, joined, quoted},
};

/// The catalogs that the component brings.
const BUILTIN: [(&str, &str); 3] = [
    ("omp-18", include_str!(concat!(env!("OUT_DIR"), "/catalogs/omp-18.yml"))),
    ("pi-1", include_str!(concat!(env!("OUT_DIR"), "/catalogs/pi-1.yml"))),
    ("v1", include_str!(concat!(env!("OUT_DIR"), "/catalogs/v1.yml"))),
];

/// Most features in a catalog.
pub const MAX_FEATURES: usize = 10_000;

/// Most surfaces in a catalog, over all features.
pub const MAX_SURFACES: usize = 100_000;

/// What one feature id stands for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Feature {
    /// A short name for people.
    pub title: Option<String>,
    /// One sentence for people.
    pub summary: Option<String>,
    /// What it opens; equal surfaces count once.
    pub surfaces: Set<Capability>,
}

/// A valid catalog.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    features: Map<FeatureId, Feature>,
    capabilities: Map<Capability, Vec<FeatureId>>,
}

impl Catalog {
    /// The names of the catalogs that the component brings, sorted.
    pub fn builtin_names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|(name, _)| *name)
    }

    /// A catalog that the component brings.
    ///
    /// # Errors
    /// There is none of that name; the message lists those there are.
    pub fn builtin(name: &str) -> Result<Self, Vec<Diagnostic>> {
        match BUILTIN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(text.as_bytes()),
            None => {
                let known: Vec<_> = Self::builtin_names().list();
                let message =
                    format!("There is no built-in catalog {}. There are: {}.", quoted(name), joined(&known, ", "));
                Err(alloc::vec![Diagnostic::error("garnish::catalog::unknown", message)])
            }
        }
    }

    /// Reads a catalog from YAML or JSON: `features:`, then by feature id a list of surfaces, or a mapping with
    /// `surfaces` and words for people.
    ///
    /// # Errors
    /// All faults at once, sorted, each with its place.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        let document = document::parse(bytes).map_err(|error| alloc::vec![error.diagnostic("catalog")])?;
        let mut reader = Reader { document: &document, faults: Vec::new(), catalog: Catalog::default(), surfaces: 0 };
        reader.read();
        let Reader { faults, catalog, .. } = reader;
        if faults.is_empty() { Ok(catalog) } else { Err(sorted(faults)) }
    }

    /// The features, sorted by id.
    pub fn features(&self) -> &Map<FeatureId, Feature> {
        &self.features
    }

    /// Every capability that the catalog gates, each with the features that open it.
    pub fn capabilities(&self) -> &Map<Capability, Vec<FeatureId>> {
        &self.capabilities
    }

    /// The capabilities of one kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Capability> {
        self.capabilities.keys().filter(move |capability| capability.kind == kind)
    }

    /// What is wrong with this catalog under a profile: surfaces that the profile cannot write, and keys that would
    /// overwrite each other.
    pub fn faults_under(&self, profile: &Profile) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        let fault = |code, capability: &Capability, message: String| {
            let feature = self.capabilities.get(capability).and_then(|features| features.first());
            Diagnostic::error(code, message).on(feature.map_or_else(String::new, ToString::to_string))
        };
        let reserved = profile.reserved_keys();
        // One key of one file may be written by one surface only, nor may a key lie inside another.
        let mut owners: Map<(&str, Vec<String>), &Capability> = Map::new();
        for capability in self.capabilities.keys() {
            let Some(rules) = profile.known_rules(capability.kind) else {
                let message = format!(
                    "{} cannot hold {capability}: the profile has no key for a {}.",
                    profile.profile,
                    capability.kind.word()
                );
                faults.push(fault("garnish::catalog::unsupported", capability, message));
                continue;
            };
            let named = rules
                .iter()
                .filter(|rule| find(&rule.key, "{name}").is_some())
                .map(|rule| (rule.file.as_str(), rule.path(capability)));
            let switches = profile
                .switches
                .iter()
                .filter(|switch| switch.tools == [capability.name.as_str()] && capability.kind == Kind::Tool);
            for (file, path) in
                named.chain(switches.map(|switch| (switch.file.as_str(), crate::profile::split(&switch.key))))
            {
                if path.first().is_some_and(|key| reserved.contains(key)) {
                    let message = format!(
                        "{capability} would be written to {}, a key that garnish needs for something else.",
                        joined(&path, ".")
                    );
                    faults.push(fault("garnish::catalog::reserved-key", capability, message));
                } else if let Some(other) = owners.insert((file, path.clone()), capability) {
                    let message = format!("{other} and {capability} would both be written to {}.", joined(&path, "."));
                    faults.push(fault("garnish::catalog::key-conflict", capability, message));
                }
            }
        }
        for ((file, path), capability) in owners.iter() {
            let outer = (1..path.len()).find_map(|length| owners.get(&(*file, path.get(..length)?.to_vec())));
            if let Some(other) = outer.filter(|other| *other != capability) {
                let message =
                    format!("{capability} would be written to {}, inside the key of {other}.", joined(path, "."));
                faults.push(fault("garnish::catalog::key-conflict", capability, message));
            }
        }
        sorted(faults)
    }
}

/// Walks a catalog document and collects every fault on the way.
struct Reader<'d> {
    document: &'d Document<'d>,
    faults: Vec<Diagnostic>,
    catalog: Catalog,
    surfaces: usize,
}

impl Reader<'_> {
    fn read(&mut self) {
        let document = self.document;
        let Some(root) = document.value().as_map() else { return };
        for key in root.keys().filter(|key| !matches!(key.as_str(), "features" | "version" | "title" | "summary")) {
            self.fault(
                "garnish::catalog::unknown-field",
                &[key],
                "",
                format!("A catalog has no {}; it has features, and may have version, title and summary.", quoted(key)),
            );
        }
        if root.get("version").is_some_and(|version| *version != Value::Number(1.0)) {
            self.fault(
                "garnish::catalog::version",
                &["version"],
                "",
                "This version of garnish reads catalogs of version 1.".into(),
            );
        }
        let Some(features) = root.get("features").and_then(Value::as_map) else {
            return self.fault(
                "garnish::catalog::no-features",
                &["features"],
                "",
                "A catalog needs `features`, a mapping from feature ids to surfaces.".into(),
            );
        };
        if features.len() > MAX_FEATURES {
            return self.fault(
                "garnish::catalog::too-many",
                &["features"],
                "",
                format!("The catalog has {} features; {MAX_FEATURES} is the most.", features.len()),
            );
        }
        for (id, entry) in features {
            self.feature(id, entry);
        }
        self.clashes();
    }

    fn feature(&mut self, id: &str, entry: &Value) {
        let at = ["features", id];
        let id = FeatureId::new(id);
        if id.is_none() {
            self.fault(
                "garnish::catalog::bad-id",
                &at,
                "",
                "A feature id is made of lower-case words with single `-`, `:` or `.` between them, like tool:file."
                    .into(),
            );
        }
        let mut feature = Feature::default();
        let surfaces = match entry {
            Value::List(surfaces) => Some(surfaces.as_slice()),
            Value::Map(map) => {
                for (key, value) in map {
                    match (key.as_str(), value) {
                        ("title", Value::String(text)) => feature.title = Some(text.clone()),
                        ("summary", Value::String(text)) => feature.summary = Some(text.clone()),
                        ("surfaces", Value::List(_)) => {}
                        (key, value) => self.fault(
                            "garnish::catalog::unknown-field",
                            &at,
                            &format!(".{key}"),
                            format!(
                                "A feature has title and summary (texts) and surfaces (a list), not {} with {}.",
                                quoted(key),
                                value.kind()
                            ),
                        ),
                    }
                }
                map.get("surfaces").and_then(Value::as_list)
            }
            _ => None,
        };
        let Some(surfaces) = surfaces.filter(|surfaces| !surfaces.is_empty()) else {
            return self.fault(
                "garnish::catalog::empty-feature",
                &at,
                "",
                "A feature needs at least one surface.".into(),
            );
        };
        for (index, surface) in surfaces.iter().enumerate() {
            if let Some(capability) = self.surface(&at, index, surface) {
                feature.surfaces.insert(capability);
            }
        }
        if let Some(id) = id {
            for capability in feature.surfaces.iter() {
                self.catalog.capabilities.entry(capability.clone()).or_default().push(id.clone());
            }
            self.catalog.features.insert(id, feature);
        }
    }

    fn surface(&mut self, at: &[&str], index: usize, surface: &Value) -> Option<Capability> {
        self.surfaces += 1;
        if self.surfaces > MAX_SURFACES {
            if self.surfaces == MAX_SURFACES + 1 {
                self.fault(
                    "garnish::catalog::too-many",
                    at,
                    "",
                    format!("The catalog has more than {MAX_SURFACES} surfaces."),
                );
            }
            return None;
        }
        let Some(map) = surface.as_map() else {
            self.fault(
                "garnish::catalog::bad-surface",
                at,
                &format!("[{index}]"),
                format!("A surface is a mapping like {{kind: tool, name: bash}}, not {}.", surface.kind()),
            );
            return None;
        };
        let word = map.get("kind").and_then(Value::as_str).unwrap_or_default();
        let Some(kind) = Kind::from_word(word) else {
            let known: Vec<_> = Kind::ALL.iter().map(|kind| kind.word()).list();
            self.fault(
                "garnish::catalog::unknown-surface",
                at,
                &format!("[{index}].kind"),
                format!("There is no kind of surface {}. There are: {}.", quoted(word), joined(&known, ", ")),
            );
            return None;
        };
        for key in map.keys().filter(|key| *key != "kind" && *key != kind.name_key()) {
            self.fault(
                "garnish::catalog::unknown-field",
                at,
                &format!("[{index}].{key}"),
                format!("A {word} surface has kind and {}, not {}.", kind.name_key(), quoted(key)),
            );
        }
        let name = map.get(kind.name_key()).and_then(Value::as_str).unwrap_or_default();
        if kind == Kind::Provider && name == "native" {
            self.fault(
                "garnish::catalog::native-gated",
                at,
                &format!("[{index}].id"),
                "The provider native must never be gated: without it the harness no longer loads \
                extensions, so garnish would lock itself out. Take it out of the catalog."
                    .into(),
            );
            return None;
        }
        let capability = Capability::new(kind, name);
        if capability.is_none() {
            let hint = if kind == Kind::ApprovalMode {
                format!("one of {}", joined(&APPROVAL_MODES, ", "))
            } else {
                "a short name without slashes".into()
            };
            self.fault(
                "garnish::catalog::bad-name",
                at,
                &format!("[{index}].{}", kind.name_key()),
                format!("{} is no {} for a {word}: it needs {hint}.", quoted(name), kind.name_key()),
            );
        }
        capability
    }

    /// Names that a harness folds together: opening one would open the other.
    fn clashes(&mut self) {
        let mut folded: Map<String, usize> = Map::new();
        let capabilities: Vec<Capability> = self.catalog.capabilities.keys().cloned().list();
        for (index, capability) in capabilities
            .iter()
            .enumerate()
            .filter(|(_, capability)| matches!(capability.kind, Kind::Tool | Kind::McpServer))
        {
            let fold = |letter| if letter == ':' { letter } else { mcp_names::folded(letter) };
            let name: String = capability.to_string().chars().map(fold).collect();
            if let Some(other) = folded.insert(name, index).and_then(|other| capabilities.get(other)) {
                let feature = self
                    .catalog
                    .capabilities
                    .get(capability)
                    .and_then(|features| features.first())
                    .map(ToString::to_string)
                    .unwrap_or_default();
                self.fault(
                    "garnish::catalog::name-clash",
                    &["features", &feature],
                    "",
                    format!(
                        "{other} and {capability} are the same name to the harness: opening one would open the \
                    other. Gate one of them."
                    ),
                );
            }
        }
    }

    fn fault(&mut self, code: &'static str, at: &[&str], rest: &str, message: String) {
        let path = at.strip_prefix(&["features"]).filter(|rest| !rest.is_empty()).unwrap_or(at);
        self.faults.push(
            Diagnostic::error(code, message).at(self.document.place(at)).on(format!("{}{rest}", joined(path, "."))),
        );
    }
}
