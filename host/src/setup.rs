//! `garnish/setup.json`: which catalog, profile and graph a folder uses, for commands that call the pure exports. It
//! never checks what the files say; the component does.

use serde::Deserialize;

use crate::bindings::{CatalogSource, Diagnostic, Failure, ProfileSource};
use crate::effects::Effects;
use crate::instance::CallError;

/// Where the setup stands.
pub const PATH: &str = "garnish/setup.json";

/// What a folder uses.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Built in, or a file's bytes.
    pub catalog: CatalogSource,
    /// Built in, or a file's bytes.
    pub profile: ProfileSource,
    /// The graph's path inside the agent dir.
    pub graph_path: String,
    /// The catalog's path, if it is no built-in one.
    pub catalog_path: Option<String>,
    /// The profile's path, if it is no built-in one.
    pub profile_path: Option<String>,
}

/// Why a folder has no usable setup.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A file could not be read.
    #[error("{}", .0.message)]
    Read(Failure),
    /// `setup.json` is not what it should be.
    #[error("{PATH}:{line}:{column}: {message}. It may hold `catalog`, `profile` and `graph`, each a text")]
    Malformed {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// A file that `setup.json` names is not there.
    #[error("{path} is missing; {PATH} names it")]
    Missing {
        /// Inside the agent dir.
        path: String,
    },
}

impl From<Failure> for SetupError {
    fn from(failure: Failure) -> Self {
        Self::Read(failure)
    }
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Written {
    catalog: Option<String>,
    profile: Option<String>,
    graph: Option<String>,
}

impl Setup {
    /// The setup of an agent dir; what is not said is `v1`, `omp-16` and `graph.json`.
    ///
    /// # Errors
    ///
    /// Every case of [`SetupError`].
    pub fn read(effects: &mut impl Effects) -> Result<Self, SetupError> {
        let written = match effects.read(PATH)? {
            None => Written::default(),
            Some(content) => serde_json::from_slice(&content.bytes).map_err(|error| SetupError::Malformed {
                line: error.line(),
                column: error.column(),
                message: error.to_string().split(" at line").next().unwrap_or_default().to_owned(),
            })?,
        };
        let catalog = Source::read(effects, written.catalog.as_deref().unwrap_or("v1"))?;
        let profile = Source::read(effects, written.profile.as_deref().unwrap_or("omp-16"))?;
        Ok(Self {
            graph_path: inside(written.graph.as_deref().unwrap_or("graph.json")),
            catalog_path: catalog.path(),
            profile_path: profile.path(),
            catalog: match catalog {
                Source::Builtin(name) => CatalogSource::Builtin(name),
                Source::File { bytes, .. } => CatalogSource::Document(bytes),
            },
            profile: match profile {
                Source::Builtin(name) => ProfileSource::Builtin(name),
                Source::File { bytes, .. } => ProfileSource::Document(bytes),
            },
        })
    }

    /// The error of an export that was given catalog and profile, with the file it is about.
    #[must_use]
    pub fn blame(&self, error: CallError) -> CallError {
        let about_profile = |fault: &Diagnostic| fault.code.starts_with("garnish::profile::");
        let of_profile = match &error {
            CallError::Answered(error) => error.diagnostics.iter().any(about_profile),
            CallError::Trapped(_) => false,
        };
        let path = if of_profile { &self.profile_path } else { &self.catalog_path };
        match path.as_ref().or(self.profile_path.as_ref()) {
            Some(path) => error.in_file(path),
            None => error,
        }
    }
}

enum Source {
    Builtin(String),
    File { path: String, bytes: Vec<u8> },
}

impl Source {
    /// The names of what is built in have no dot; names of files have one.
    fn read(effects: &mut impl Effects, name: &str) -> Result<Self, SetupError> {
        if !name.contains('.') {
            return Ok(Self::Builtin(name.to_owned()));
        }
        let path = inside(name);
        match effects.read(&path)? {
            Some(content) => Ok(Self::File { path, bytes: content.bytes }),
            None => Err(SetupError::Missing { path }),
        }
    }

    fn path(&self) -> Option<String> {
        match self {
            Self::Builtin(_) => None,
            Self::File { path, .. } => Some(path.clone()),
        }
    }
}

fn inside(name: &str) -> String {
    format!("garnish/{name}")
}
