//! `garnish/setup.json`: which catalog, profile and graph an agent dir uses; and those, read and checked.
//!
//! It never falls back from something named to something built in: a gate that is not there must not look open.

use alloc::{format, string::String, vec::Vec};

use crate::{
    catalog::Catalog,
    diagnostic::{Diagnostic, Error, sorted},
    document,
    fields::{Faults, Fields},
    graph::Graph,
    host::{Failure, Host, import},
    list::IntoList,
    profile::{Profile, is_inner_path},
    words::{has, quoted},
};

/// Relative to the agent dir.
pub const SETUP_FILE: &str = "garnish/setup.json";

struct Named {
    catalog: String,
    profile: String,
    graph: String,
}

impl Default for Named {
    fn default() -> Self {
        Self { catalog: "v1".into(), profile: "omp-16".into(), graph: "graph.json".into() }
    }
}

/// What an instance works with, read once.
#[derive(Debug, Clone)]
pub struct Setup {
    /// As setup names it.
    pub catalog_name: String,
    /// What is gated.
    pub catalog: Catalog,
    /// How the harness is written to.
    pub profile: Profile,
    /// The curriculum; empty when it cannot be used.
    pub graph: Graph,
    /// Why the graph cannot be used. What the log has unlocked stays unlocked all the same; nothing new is earned.
    pub graph_faults: Vec<Diagnostic>,
}

impl Setup {
    /// Reads and checks everything that the agent dir names.
    ///
    /// # Errors
    /// All faults of setup, catalog and profile; or a file that could not be read.
    pub fn read(host: &mut dyn Host) -> Result<Self, Error> {
        let named = named(host)?;
        let catalog = named_document(host, &named.catalog, Catalog::builtin, Catalog::parse)?;
        let profile = named_document(host, &named.profile, Profile::builtin, Profile::parse)?;
        let (catalog, profile) = together(catalog, profile).map_err(Error::Invalid)?;
        let (graph, graph_faults) = graph(host, &named.graph)?;
        Ok(Self { catalog_name: named.catalog, catalog, profile, graph, graph_faults })
    }
}

/// Catalog and profile, each valid and valid together; else all faults of both, sorted.
pub fn together(
    catalog: Result<Catalog, Vec<Diagnostic>>,
    profile: Result<Profile, Vec<Diagnostic>>,
) -> Result<(Catalog, Profile), Vec<Diagnostic>> {
    match (catalog, profile) {
        (Ok(catalog), Ok(profile)) => match catalog.faults_under(&profile) {
            none if none.is_empty() => Ok((catalog, profile)),
            faults => Err(faults),
        },
        (catalog, profile) => {
            let mut faults = catalog.err().unwrap_or_default();
            faults.extend(profile.err().unwrap_or_default());
            Err(sorted(faults))
        }
    }
}

fn named(host: &mut dyn Host) -> Result<Named, Error> {
    let content = host.read(SETUP_FILE).map_err(|failure| failure.during(import::FILES_READ, SETUP_FILE))?;
    let Some(content) = content else { return Ok(Named::default()) };
    let unusable = |mut fault: Diagnostic| {
        fault.message = format!("{} {SETUP_FILE} may name catalog, profile and graph, each a text.", fault.message);
        fault.in_file(SETUP_FILE)
    };
    let document = document::parse(&content.bytes)
        .map_err(|error| Error::Invalid(alloc::vec![unusable(error.diagnostic("setup"))]))?;
    let faults = Faults::new("garnish::setup::unreadable");
    let fields = Fields::new(document.value(), &faults);
    fields.only(&["version", "catalog", "profile", "graph"]);
    if fields.integer("version").is_some_and(|version| version != 1) {
        fields.fault("version", "this garnish reads version 1");
    }
    let Named { catalog, profile, graph } = Named::default();
    let or = |key: &str, default: String| fields.string(key).unwrap_or(default);
    let named = Named { catalog: or("catalog", catalog), profile: or("profile", profile), graph: or("graph", graph) };
    match faults.into_inner() {
        none if none.is_empty() => Ok(named),
        faults => Err(Error::Invalid(sorted(faults.into_iter().map(unusable).list()))),
    }
}

/// A document that setup names, or what is wrong with it.
fn named_document<T>(
    host: &mut dyn Host,
    name: &str,
    builtin: fn(&str) -> Result<T, Vec<Diagnostic>>,
    parse: fn(&[u8]) -> Result<T, Vec<Diagnostic>>,
) -> Result<Result<T, Vec<Diagnostic>>, Error> {
    let (read, file) = match place(host, name)? {
        Place::BuiltIn => (builtin(name), SETUP_FILE.into()),
        Place::File(path, bytes) => (parse(&bytes), path),
        Place::Nowhere(fault) => return Ok(Err(alloc::vec![fault])),
    };
    Ok(read.map_err(|faults| all_in_file(faults, &file)))
}

/// Where a document is that setup names.
enum Place {
    BuiltIn,
    /// With what it says.
    File(String, Vec<u8>),
    Nowhere(Diagnostic),
}

/// A name without a dot is built in; one with a dot is a file in `garnish/`.
fn place(host: &mut dyn Host, name: &str) -> Result<Place, Error> {
    if !has(name, b'.') {
        return Ok(Place::BuiltIn);
    }
    let path = match own_path(name) {
        Ok(path) => path,
        Err(fault) => return Ok(Place::Nowhere(fault)),
    };
    Ok(match host.read(&path).map_err(|failure| failure.during(import::FILES_READ, &path))? {
        Some(content) => Place::File(path, content.bytes),
        None => Place::Nowhere(missing(&path)),
    })
}

fn all_in_file(faults: Vec<Diagnostic>, file: &str) -> Vec<Diagnostic> {
    faults.into_iter().map(|fault| fault.in_file(file)).list()
}

fn own_path(name: &str) -> Result<String, Diagnostic> {
    let path = format!("garnish/{name}");
    if is_inner_path(&path) {
        return Ok(path);
    }
    Err(Diagnostic::error(
        "garnish::setup::path",
        format!("garnish/setup.json names {}, which is no file inside garnish/.", quoted(name)),
    )
    .in_file(SETUP_FILE))
}

fn missing(path: &str) -> Diagnostic {
    Diagnostic::error(
        "garnish::setup::missing",
        format!("garnish/setup.json names {path}, which is not there. Put it there, or name another."),
    )
    .in_file(path)
}

/// A graph that cannot be used gates as before and teaches nothing, so it is a fault and no failure.
fn graph(host: &mut dyn Host, name: &str) -> Result<(Graph, Vec<Diagnostic>), Error> {
    let path = match own_path(name) {
        Ok(path) => path,
        Err(fault) => return Ok((Graph::default(), alloc::vec![fault])),
    };
    let read: Result<_, Failure> = host.read(&path);
    Ok(match read {
        Ok(Some(content)) => match Graph::parse(&content.bytes) {
            Ok(graph) => (graph, Vec::new()),
            Err(faults) => (Graph::default(), all_in_file(faults, &path)),
        },
        Ok(None) => {
            let message = format!(
                "There is no {path}: no level can be earned. What is unlocked stays so. Put the graph of \
                    your curriculum there."
            );
            (Graph::default(), alloc::vec![Diagnostic::error("garnish::graph::missing", message).in_file(&path)])
        }
        Err(failure) => {
            let message =
                format!("{path} cannot be read: {} What is unlocked stays so; nothing new is earned.", failure.message);
            (Graph::default(), alloc::vec![Diagnostic::error("garnish::graph::unreadable", message).in_file(&path)])
        }
    })
}
