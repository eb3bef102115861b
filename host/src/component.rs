//! Loading `garnish.wasm`: the one inside this program, or a file. Every component is looked at before any of it runs;
//! it never gets an import that `wit/` does not name.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use wasmtime::component::Component as Code;

use crate::bindings::GatePre;
use crate::engine::engine;
use crate::state::{self, State};

/// `garnish.wasm` itself, as it was built with this program.
pub static WASM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/garnish.wasm"));
static CWASM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/garnish.cwasm"));

/// The contract this host was built for.
pub const PACKAGE: &str = "garnish:gating";
/// The version of the contract.
pub const VERSION: &str = "0.1.0";
/// What the host answers.
const IMPORTS: [&str; 5] = ["types", "session", "files", "event-log", "clock"];
/// What the host calls.
const EXPORTS: [&str; 3] = ["gating", "progression", "unlocks"];

/// Why a component is not run.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// The file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system answered.
        source: std::io::Error,
    },
    /// No component at all, a damaged one, or one with features that are off here.
    #[error("{name} is not a WebAssembly component that can run here: {reason}")]
    NotAComponent {
        /// The file, or `the built-in component`.
        name: String,
        /// What wasmtime says.
        reason: String,
    },
    /// It speaks another version of the contract.
    #[error(
        "{name} speaks {found}, this program speaks {PACKAGE}@{VERSION}. Use a garnish.wasm and a garnish of the same release."
    )]
    Version {
        /// The file, or `the built-in component`.
        name: String,
        /// The import or export that says so, with its version.
        found: String,
    },
    /// It asks for something that garnish does not give.
    #[error(
        "{name} asks for {import}, which no garnish component needs: the only imports are those of {PACKAGE}@{VERSION}. It was not started."
    )]
    ForeignImport {
        /// The file, or `the built-in component`.
        name: String,
        /// The import as the component names it.
        import: String,
    },
    /// An interface that this host calls is not there.
    #[error("{name} does not export {PACKAGE}/{interface}@{VERSION}: it is not a garnish component.")]
    MissingExport {
        /// The file, or `the built-in component`.
        name: String,
        /// The interface.
        interface: &'static str,
    },
    /// Names fit, but types do not.
    #[error("{name} does not fit {PACKAGE}@{VERSION}: {reason}")]
    Mismatch {
        /// The file, or `the built-in component`.
        name: String,
        /// What wasmtime says.
        reason: String,
    },
}

/// A component that was looked at and may be instantiated, as often as there are sessions.
#[derive(Clone)]
pub struct Component {
    pub(crate) pre: GatePre<State>,
}

impl Component {
    /// The component that was built into this program, already machine code. Loaded once in a process.
    ///
    /// # Errors
    ///
    /// Only when the build went wrong.
    pub fn embedded() -> Result<&'static Self, &'static ComponentError> {
        static EMBEDDED: OnceLock<Result<Component, ComponentError>> = OnceLock::new();
        EMBEDDED
            .get_or_init(|| {
                let name = "the built-in component";
                // SAFETY: `deserialize` trusts its bytes. These were made from our own garnish.wasm by
                // garnish-precompile, with the same engine settings, when this program was built (build.rs checks that
                // the two belong together), and are part of the program as its own code is.
                #[allow(unsafe_code)]
                let code = unsafe { Code::deserialize(engine(), CWASM) };
                let code = code.map_err(|error| not_a_component(name, &error))?;
                Self::check(name, code)
            })
            .as_ref()
    }

    /// A component from a file, compiled now (about a second).
    ///
    /// # Errors
    ///
    /// Every case of [`ComponentError`]; none of the component's code has run then.
    pub fn from_file(path: &Path) -> Result<Self, ComponentError> {
        let bytes = std::fs::read(path).map_err(|source| ComponentError::Read { path: path.to_owned(), source })?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }

    /// A component from its bytes; `name` is for messages.
    ///
    /// # Errors
    ///
    /// As for [`Self::from_file`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ComponentError> {
        // `from_binary` never takes machine code: a file that somebody hands us is not trusted like our own.
        let code = Code::from_binary(engine(), bytes).map_err(|error| not_a_component(name, &error))?;
        Self::check(name, code)
    }

    fn check(name: &str, code: Code) -> Result<Self, ComponentError> {
        let contract = code.component_type();
        for (import, _) in contract.imports(engine()) {
            check_import(name, import)?;
        }
        let exports: Vec<&str> = contract.exports(engine()).map(|(export, _)| export).collect();
        for interface in EXPORTS {
            check_export(name, &exports, interface)?;
        }
        let mismatch =
            |error: wasmtime::Error| ComponentError::Mismatch { name: name.into(), reason: format!("{error:#}") };
        let linker = state::linker().map_err(mismatch)?;
        let pre = linker.instantiate_pre(&code).and_then(GatePre::new).map_err(mismatch)?;
        Ok(Self { pre })
    }
}

fn not_a_component(name: &str, error: &wasmtime::Error) -> ComponentError {
    ComponentError::NotAComponent { name: name.into(), reason: format!("{error:#}") }
}

/// `garnish:gating/files@0.1.0` → (`files`, `0.1.0`).
fn interface(name: &str) -> Option<(&str, &str)> {
    let (interface, version) = name.strip_prefix(PACKAGE)?.strip_prefix('/')?.split_once('@')?;
    Some((interface, version))
}

fn check_import(name: &str, import: &str) -> Result<(), ComponentError> {
    match interface(import) {
        Some((_, version)) if version != VERSION => {
            Err(ComponentError::Version { name: name.into(), found: import.into() })
        }
        Some((interface, _)) if IMPORTS.contains(&interface) => Ok(()),
        _ => Err(ComponentError::ForeignImport { name: name.into(), import: import.into() }),
    }
}

fn check_export(name: &str, exports: &[&str], wanted: &'static str) -> Result<(), ComponentError> {
    let mut others = None;
    for &export in exports {
        match interface(export) {
            Some((interface, VERSION)) if interface == wanted => return Ok(()),
            Some((interface, _)) if interface == wanted => others = Some(export),
            _ => {}
        }
    }
    Err(match others {
        Some(export) => ComponentError::Version { name: name.into(), found: export.into() },
        None => ComponentError::MissingExport { name: name.into(), interface: wanted },
    })
}
