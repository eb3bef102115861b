//! Embeds the built component and the bundled curriculum. It never compiles the component: `make` does that before.

#[path = "src/digest.rs"]
mod digest;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    if let Err(sentence) = embed_component().and_then(|()| embed_curriculum()) {
        println!("cargo::error={sentence}");
    }
}

fn embed_component() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed=GARNISH_WASM");
    let wasm = match env::var_os("GARNISH_WASM") {
        Some(path) => PathBuf::from(path),
        None => workspace().join("target/garnish/garnish.wasm"),
    };
    let cwasm = wasm.with_extension("cwasm");
    println!("cargo::rerun-if-changed={}", wasm.display());
    println!("cargo::rerun-if-changed={}", cwasm.display());
    let not_built = |_| "garnish.wasm is not built yet: run `make`, which builds it first".to_owned();
    let component = fs::read(&wasm).map_err(not_built)?;
    let code = fs::read(&cwasm).map_err(not_built)?;
    // The first eight bytes say which garnish.wasm it was made from (host/precompile).
    match code.split_first_chunk() {
        Some((made_from, code)) if u64::from_le_bytes(*made_from) == digest::of(&component) => {
            write("garnish.wasm", &component)?;
            write("garnish.cwasm", code)
        }
        _ => Err(format!("{} belongs to another garnish.wasm: run `make`, which makes it anew", cwasm.display())),
    }
}

/// A list of (path, text), sorted by path.
fn embed_curriculum() -> Result<(), String> {
    let pack = workspace().join("fixtures/curriculum");
    println!("cargo::rerun-if-changed={}", pack.display());
    let mut files = Vec::new();
    collect(&pack, &mut files).map_err(|error| format!("{} cannot be read: {error}", pack.display()))?;
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(&pack).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        if name == "pack.yml" || name.starts_with("quests/") {
            let _ = writeln!(list, "    ({name:?}, include_str!({:?})),", file.to_string_lossy());
        }
    }
    list.push(']');
    write("curriculum.rs", list.as_bytes())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn write(name: &str, bytes: &[u8]) -> Result<(), String> {
    let path = Path::new(&env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?).join(name);
    fs::write(&path, bytes).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
