//! What the command must know of each harness to start it, to find it, and to say where it takes a setting from. How
//! surfaces are written for it is the component's business.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The harnesses that garnish has an extension for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Harness {
    /// Oh My Pi
    Omp,
    /// Upstream Pi
    Pi,
}

impl Harness {
    pub(crate) const ALL: [Self; 2] = [Self::Omp, Self::Pi];

    /// By its command, as a profile names it.
    pub(crate) fn named(command: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.command() == command)
    }

    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Omp => "omp",
            Self::Pi => "pi",
        }
    }

    /// The built-in catalog and profile for the versions that garnish was tested with.
    pub(crate) fn setup(self) -> Value {
        match self {
            Self::Omp => json!({ "catalog": "omp-18", "profile": "omp-18", "graph": "graph.json" }),
            Self::Pi => json!({ "catalog": "pi-1", "profile": "pi-1", "graph": "graph.json" }),
        }
    }

    /// The agent dir that it uses by itself, below the home folder.
    pub(crate) fn default_agent_dir(self) -> &'static str {
        match self {
            Self::Omp => ".omp/agent",
            Self::Pi => ".pi/agent",
        }
    }

    /// Where it keeps credentials and models; never copied, only linked to.
    pub(crate) fn credentials(self) -> &'static [&'static str] {
        match self {
            Self::Omp => &["agent.db", "models.yml", "models.yaml"],
            Self::Pi => &["auth.json", "models.json"],
        }
    }

    /// The variable that names files whose settings it takes before a project's.
    pub(crate) fn overlay_variable(self) -> Option<&'static str> {
        match self {
            Self::Omp => Some("PI_CONFIG_FILES"),
            Self::Pi => None,
        }
    }

    /// Its program, if it is on the PATH.
    pub(crate) fn program(self) -> Option<PathBuf> {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join(self.command())).find(|file| file.is_file())
    }

    /// What it says its version is; none when it does not start.
    pub(crate) fn version(program: &Path) -> Option<String> {
        let output = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_version = |word: &&str| {
            word.split('.').count() == 3 && word.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
        };
        let found =
            text.split(|c: char| c.is_whitespace() || c == '/' || c == 'v').find(is_version).map(ToOwned::to_owned);
        found.filter(|_| output.status.success())
    }
}
