//! What `init` puts into an agent dir besides the gate itself: the extension, the demo, links to credentials. What is there
//! is kept; in a dry run everything is named and nothing made.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::effects::Effects;
use crate::harness::Harness;
use crate::output::{Ended, Exit};

/// Where the demo server is put, inside the agent dir.
pub(super) const DEMO_SERVER: &str = "garnish/demo";

/// Whether a `mcp.json` says nothing but what `init` puts into a new one.
pub(super) fn is_demo_alone(bytes: &[u8]) -> bool {
    let Ok(Value::Object(file)) = serde_json::from_slice(bytes) else { return false };
    let servers = file.get("mcpServers").and_then(Value::as_object);
    file.len() == 1 && servers.is_some_and(|servers| servers.keys().eq(["garnish-demo"]))
}

/// An agent dir that is being set up.
pub(super) struct Place {
    pub root: PathBuf,
    pub effects: Box<dyn Effects>,
    pub is_dry: bool,
    /// What was made, in order.
    pub done: Vec<String>,
    /// What the learner has to do by hand.
    pub hints: Vec<String>,
}

impl Place {
    /// Writes a file that is not there yet.
    pub(super) fn new_file(&mut self, path: &str, bytes: &[u8]) -> Result<(), Ended> {
        if self.effects.read(path)?.is_none() {
            self.effects.write(path, None, bytes)?;
            self.done.push(path.to_owned());
        }
        Ok(())
    }

    /// Links what the harness keeps of credentials in another agent dir.
    pub(super) fn link_credentials(&mut self, from: &Path, harness: Harness) -> Result<(), Ended> {
        let Ok(from) = from.canonicalize() else { return Ok(()) };
        if from == self.root {
            return Ok(());
        }
        for name in harness.credentials() {
            let (target, link) = (from.join(name), self.root.join(name));
            if target.exists() && link.symlink_metadata().is_err() {
                if !self.is_dry {
                    symlink(&target, &link).map_err(|error| file_fault(&link, &error))?;
                }
                self.done.push(format!("{name} -> {}", target.display()));
            }
        }
        Ok(())
    }

    /// The demo extension and the demo server, with the server's entry in `mcp.json` where there is no such file; a
    /// learner's is theirs to edit.
    pub(super) fn demo(&mut self, from: &Path, harness: Harness) -> Result<(), Ended> {
        self.copy_folder(&from.join("extension"), "extensions/garnish-demo")?;
        self.copy_folder(&from.join("server"), DEMO_SERVER)?;
        let server = self.root.join(DEMO_SERVER).join("server.mjs");
        let mut entry = json!({ "garnish-demo": { "command": runtime(), "args": [server] } });
        if harness == Harness::Pi {
            // Otherwise Pi offers the tools of a server to scripts alone, and nobody sees that it is there.
            entry["garnish-demo"]["exposure"] = json!("direct");
        }
        match self.effects.read("mcp.json")? {
            None => {
                let text = format!("{:#}\n", json!({ "mcpServers": entry }));
                self.new_file("mcp.json", text.as_bytes())?;
            }
            Some(content) if String::from_utf8_lossy(&content.bytes).contains("\"garnish-demo\": {") => {}
            Some(_) => self.hints.push(format!(
                "To have the demo MCP server, put this into mcpServers of {}: {entry}",
                self.root.join("mcp.json").display()
            )),
        }
        Ok(())
    }

    /// A folder made the same as another: files that differ are replaced, files that the other lacks are removed.
    pub(super) fn copy_folder(&mut self, from: &Path, to: &str) -> Result<(), Ended> {
        let to = self.root.join(to);
        let is_same = folder(from).map_err(|error| file_fault(from, &error))? == folder(&to).unwrap_or_default();
        if is_same {
            return Ok(());
        }
        self.done.push(to.display().to_string());
        if self.is_dry {
            return Ok(());
        }
        let fresh = to.with_extension("new");
        let copied = copy(from, &fresh).and_then(|()| {
            if to.exists() {
                fs::remove_dir_all(&to)?;
            }
            fs::rename(&fresh, &to)
        });
        copied.map_err(|error| {
            let _ = fs::remove_dir_all(&fresh);
            file_fault(&to, &error)
        })
    }
}

pub(super) fn file_fault(path: &Path, error: &io::Error) -> Ended {
    Ended::new(Exit::Environment, "garnish::cli::file", format!("{}: {error}.", path.display()))
}

/// Makes the agent dir itself, for its owner alone.
pub(super) fn make_folder(path: &Path) -> Result<(), Ended> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| file_fault(path, &error))
}

/// A program that runs JavaScript here.
fn runtime() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    ["node", "bun"].into_iter().find(|name| is_there(name)).unwrap_or("node").to_owned()
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

fn folder(path: &Path) -> io::Result<Vec<(std::ffi::OsString, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        files.push((entry.file_name(), fs::read(entry.path())?));
    }
    files.sort();
    Ok(files)
}
