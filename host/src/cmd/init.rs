//! `garnish init`: makes a folder an agent dir under the gate: setup, graph, log, the gated config, and the harness's
//! extension. What is there already is kept; a second run changes nothing.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::Context;
use crate::AgentDir;
use crate::bindings::Trigger;
use crate::curriculum::Pack;
use crate::effects::Effects;
use crate::output::{self, Answer, Ended, Exit};

/// The harnesses that garnish has an extension for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Harness {
    /// Oh My Pi
    Omp,
    /// Upstream Pi
    Pi,
}

impl Harness {
    /// The built-in catalog and profile for the versions that garnish was tested with.
    fn setup(self) -> Value {
        match self {
            Self::Omp => json!({ "catalog": "omp-18", "profile": "omp-18", "graph": "graph.json" }),
            Self::Pi => json!({ "catalog": "pi-1", "profile": "pi-1", "graph": "graph.json" }),
        }
    }

    /// Where the harness keeps credentials and models; never copied, only linked to.
    fn credentials(self) -> &'static [&'static str] {
        match self {
            Self::Omp => &["agent.db", "models.yml", "models.yaml"],
            Self::Pi => &["auth.json", "models.json"],
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::Omp => "omp",
            Self::Pi => "pi",
        }
    }
}

/// What `init` is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub harness: Harness,
    /// A built extension, to be copied to `extensions/garnish`.
    pub extension: Option<PathBuf>,
    /// A folder with the demo extension and MCP server.
    pub demo: Option<PathBuf>,
    /// A quest pack; the bundled one if none.
    pub curriculum: Option<PathBuf>,
    /// An agent dir whose credentials this one is to use.
    pub credentials_of: Option<PathBuf>,
}

pub(crate) fn run(context: &Context, wanted: &Wanted) -> Result<Answer, Ended> {
    let pack = match &wanted.curriculum {
        Some(folder) => Pack::from_dir(folder),
        None => Pack::bundled(),
    };
    let pack = pack.map_err(|faults| Ended::new(Exit::NotSo, "garnish::cli::curriculum", faults.to_string()))?;
    make_folder(&context.agent_dir)?;
    let mut dir = context.dir()?;
    let mut done = Vec::new();

    let setup = format!("{:#}\n", wanted.harness.setup());
    new_file(&mut dir, crate::setup::PATH, setup.as_bytes(), &mut done)?;
    new_file(&mut dir, "garnish/graph.json", pack.graph_json().as_bytes(), &mut done)?;
    new_file(&mut dir, "garnish/events.jsonl", b"", &mut done)?;
    if let Some(from) = &wanted.credentials_of {
        link_credentials(from, dir.path(), wanted.harness, &mut done)?;
    }
    let mut hints = Vec::new();
    if let Some(demo) = &wanted.demo {
        copy_folder(&demo.join("extension"), &dir.path().join("extensions/garnish-demo"), &mut done)?;
        copy_folder(&demo.join("server"), &dir.path().join(DEMO_SERVER), &mut done)?;
        demo_server(&mut dir, wanted.harness, &mut done, &mut hints)?;
    }
    // The gate before the extension: a session that starts in between is held by the config.
    let report = context.garnish()?.apply_unlocks(Trigger::SessionStart)?;
    done.extend(report.files_written.iter().cloned());
    if let Some(extension) = &wanted.extension {
        copy_folder(extension, &dir.path().join("extensions/garnish"), &mut done)?;
    }
    Ok(said(&dir, wanted.harness, wanted.extension.is_some(), &done, &hints, &report))
}

/// Where the demo server is put, inside the agent dir.
const DEMO_SERVER: &str = "garnish/demo";

/// Whether a `mcp.json` says nothing but what `init` puts into a new one.
pub(super) fn is_demo_alone(bytes: &[u8]) -> bool {
    let Ok(Value::Object(file)) = serde_json::from_slice(bytes) else { return false };
    let servers = file.get("mcpServers").and_then(Value::as_object);
    file.len() == 1 && servers.is_some_and(|servers| servers.keys().eq(["garnish-demo"]))
}

fn said(
    dir: &AgentDir,
    harness: Harness,
    has_extension: bool,
    done: &[String],
    hints: &[String],
    report: &crate::Report,
) -> Answer {
    let path = dir.path().display().to_string();
    // What was made and then gated is one file.
    let done: Vec<&String> =
        done.iter().enumerate().filter(|(index, file)| !done[..*index].contains(file)).map(|(_, file)| file).collect();
    let mut text = String::new();
    if done.is_empty() {
        text.push_str(&format!("{path} is set up already; nothing was changed.\n"));
    } else {
        text.push_str(&format!("Set up {path}:\n"));
        text.extend(done.iter().map(|file| format!("  {file}\n")));
    }
    text.push_str(&output::report(report));
    text.extend(hints.iter().map(|hint| format!("{hint}\n")));
    let program = std::env::current_exe().map_or_else(|_| "garnish".into(), |path| path.display().to_string());
    text.push_str(&match has_extension {
        true => format!("Start {} with: {program:?} launch --agent-dir {path:?}\n", harness.command()),
        false => format!("Start it with: PI_CODING_AGENT_DIR={path:?} {}\n", harness.command()),
    });
    let exit = output::exit_of_report(report);
    let json = json!({ "agent_dir": path, "written": done, "hints": hints, "report": output::report_json(report) });
    Answer { text, json, exit }
}

fn file_fault(path: &Path, error: &io::Error) -> Ended {
    Ended::new(Exit::Environment, "garnish::cli::file", format!("{}: {error}.", path.display()))
}

fn make_folder(path: &Path) -> Result<(), Ended> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|error| file_fault(path, &error))
}

/// Writes a file that is not there yet.
fn new_file(dir: &mut AgentDir, path: &str, bytes: &[u8], done: &mut Vec<String>) -> Result<(), Ended> {
    if dir.read(path)?.is_none() {
        dir.write(path, None, bytes)?;
        done.push(path.to_owned());
    }
    Ok(())
}

fn link_credentials(from: &Path, agent: &Path, harness: Harness, done: &mut Vec<String>) -> Result<(), Ended> {
    let Ok(from) = from.canonicalize() else { return Ok(()) };
    if from == agent {
        return Ok(());
    }
    for name in harness.credentials() {
        let (target, link) = (from.join(name), agent.join(name));
        if target.exists() && link.symlink_metadata().is_err() {
            symlink(&target, &link).map_err(|error| file_fault(&link, &error))?;
            done.push(format!("{name} -> {}", target.display()));
        }
    }
    Ok(())
}

/// The entry of the demo server in `mcp.json`, where there is no such file; a learner's is theirs to edit.
fn demo_server(
    dir: &mut AgentDir,
    harness: Harness,
    done: &mut Vec<String>,
    hints: &mut Vec<String>,
) -> Result<(), Ended> {
    let server = dir.path().join(DEMO_SERVER).join("server.mjs");
    let mut entry = json!({ "garnish-demo": { "command": runtime(), "args": [server] } });
    if harness == Harness::Pi {
        // Otherwise Pi offers the tools of a server to scripts alone, and nobody sees that it is there.
        entry["garnish-demo"]["exposure"] = json!("direct");
    }
    match dir.read("mcp.json")? {
        None => {
            let text = format!("{:#}\n", json!({ "mcpServers": entry }));
            dir.write("mcp.json", None, text.as_bytes())?;
            done.push("mcp.json".into());
        }
        Some(content) if String::from_utf8_lossy(&content.bytes).contains("\"garnish-demo\": {") => {}
        Some(_) => hints.push(format!(
            "To have the demo MCP server, put this into mcpServers of {}: {entry}",
            dir.path().join("mcp.json").display()
        )),
    }
    Ok(())
}

/// A program that runs JavaScript here.
fn runtime() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    ["node", "bun"].into_iter().find(|name| is_there(name)).unwrap_or("node").to_owned()
}

/// A folder made the same as another: files that differ are replaced, files that the other lacks are removed.
fn copy_folder(from: &Path, to: &Path, done: &mut Vec<String>) -> Result<(), Ended> {
    let is_same = folder(from).map_err(|error| file_fault(from, &error))? == folder(to).unwrap_or_default();
    if is_same {
        return Ok(());
    }
    let fresh = to.with_extension("new");
    let copied = copy(from, &fresh).and_then(|()| {
        if to.exists() {
            fs::remove_dir_all(to)?;
        }
        fs::rename(&fresh, to)
    });
    copied.map_err(|error| {
        let _ = fs::remove_dir_all(&fresh);
        file_fault(to, &error)
    })?;
    done.push(to.display().to_string());
    Ok(())
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
