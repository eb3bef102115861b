//! End-to-end scenarios, recorded vectors and the demo: `garnish.wasm` in wasmtime on a real folder, with a session that
//! records what it is asked for. The same scenarios run on the native build of the rules, and must say the same.
//!
//! It holds no rule: what is expected stands in `fixtures/`.

pub mod demo;
pub mod driver;
pub mod files;
pub mod native;
pub mod recorder;
pub mod scenario;
pub mod tree;
pub mod vectors;

use std::path::PathBuf;

/// The repository's `fixtures` folder.
pub fn fixtures() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures"))
}

/// Every folder of `fixtures/scenarios` and `fixtures/cases`, sorted.
pub fn folders() -> Vec<PathBuf> {
    let folders = ["cases", "scenarios"].into_iter().flat_map(|kind| std::fs::read_dir(fixtures().join(kind)));
    let mut folders: Vec<PathBuf> =
        folders.flatten().flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
