//! `garnish init`: makes a folder an agent dir under the gate: setup, graph, log, the gated config, and the harness's
//! extension. What is there already is kept; a second run changes nothing. On a terminal it shows what it would make and
//! asks; elsewhere it asks nothing.

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::Context;
use super::hint::PACK;
use super::init_files::{Place, file_fault, make_folder};
use crate::bindings::{CatalogSource, Severity, Trigger};
use crate::curriculum::{self, Pack, Texts};
use crate::dry_run::Would;
use crate::harness::Harness;
use crate::instance::Told;
use crate::output::{self, Answer, Ended, Exit};
use crate::setup::Setup;

/// What `init` is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Found on the PATH, or asked for, if none.
    pub harness: Option<Harness>,
    /// A built extension, to be copied to `extensions/garnish`.
    pub extension: Option<PathBuf>,
    /// A folder with the demo extension and MCP server.
    pub demo: Option<PathBuf>,
    /// A quest pack, or a `graph.json`; the bundled pack if none.
    pub curriculum: Option<PathBuf>,
    /// An agent dir whose credentials this one is to use.
    pub credentials_of: Option<PathBuf>,
    /// Asks nothing.
    pub yes: bool,
}

pub(crate) fn run(context: &Context, wanted: &Wanted) -> Result<Answer, Ended> {
    let asks = !wanted.yes && context.would.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal();
    let harness = match wanted.harness {
        Some(harness) => harness,
        None => chosen(asks)?,
    };
    if asks {
        let dry = Context { would: Some(Arc::<std::sync::Mutex<Would>>::default()), ..context.clone() };
        let Answer { text, .. } = set_up(&dry, wanted, harness)?;
        let _ = write!(anstream::stdout(), "{}", text.replacen("Set up", "This would set up", 1));
        if !agreed("Go on?")? {
            let text = "Nothing was changed.\n".to_owned();
            return Ok(Answer { text, json: json!({ "written": [] }), exit: Exit::Done });
        }
    }
    set_up(context, wanted, harness)
}

/// The harness that is installed; of two the one that the learner names, and without a terminal omp.
fn chosen(asks: bool) -> Result<Harness, Ended> {
    let there: Vec<Harness> = Harness::ALL.into_iter().filter(|harness| harness.program().is_some()).collect();
    match there.as_slice() {
        [one] => Ok(*one),
        _ if asks => {
            let answer = asked("Which harness is this for, omp or pi? [omp] ")?;
            Ok(if answer.eq_ignore_ascii_case("pi") { Harness::Pi } else { Harness::Omp })
        }
        _ => Ok(Harness::Omp),
    }
}

fn asked(question: &str) -> Result<String, Ended> {
    let unheard = |error: io::Error| {
        Ended::new(Exit::Environment, "garnish::cli::terminal", format!("Nobody answers: {error}. Use --yes."))
    };
    let mut out = io::stdout();
    out.write_all(question.as_bytes()).and_then(|()| out.flush()).map_err(unheard)?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).map_err(unheard)?;
    Ok(answer.trim().to_owned())
}

fn agreed(question: &str) -> Result<bool, Ended> {
    let answer = asked(&format!("{question} [Y/n] "))?;
    Ok(answer.is_empty() || answer.eq_ignore_ascii_case("y") || answer.eq_ignore_ascii_case("yes"))
}

fn set_up(context: &Context, wanted: &Wanted, harness: Harness) -> Result<Answer, Ended> {
    let is_dry = context.would.is_some();
    if !is_dry {
        make_folder(&context.agent_dir)?;
    }
    let root = context.agent_dir.canonicalize().unwrap_or_else(|_| context.agent_dir.clone());
    let mut place = Place { root, effects: context.effects()?, is_dry, done: Vec::new(), hints: Vec::new() };
    // The catalog that is there, or that comes, must know every feature of the pack.
    let catalog = match place.effects.read(crate::setup::PATH)? {
        Some(_) => Setup::read(&mut place.effects)?.catalog,
        None => CatalogSource::Builtin(harness.setup()["catalog"].as_str().unwrap_or_default().to_owned()),
    };
    let (graph, texts) = levels(context, wanted.curriculum.as_deref(), &catalog)?;

    place.new_file(crate::setup::PATH, format!("{:#}\n", harness.setup()).as_bytes())?;
    place.new_file("garnish/graph.json", &graph)?;
    place.new_file("garnish/events.jsonl", b"")?;
    for (path, text) in texts {
        place.new_file(&format!("{PACK}/{path}"), text.as_bytes())?;
    }
    if let Some(from) = &wanted.credentials_of {
        place.link_credentials(from, harness)?;
    }
    if let Some(demo) = &wanted.demo {
        place.demo(demo, harness)?;
    }
    // The gate before the extension: a session that starts in between is held by the config.
    let report = context.garnish()?.apply_unlocks(Trigger::SessionStart)?;
    place.done.extend(report.files_written.iter().cloned());
    if let Some(extension) = &wanted.extension {
        place.copy_folder(extension, "extensions/garnish")?;
    }
    Ok(said(&place, harness, wanted.extension.is_some(), &report))
}

/// The graph, and the texts of a pack that is not the bundled one.
fn levels(context: &Context, curriculum: Option<&Path>, catalog: &CatalogSource) -> Result<(Vec<u8>, Texts), Ended> {
    let not_so = |message: String| Ended::new(Exit::NotSo, "garnish::cli::curriculum", message);
    let Some(path) = curriculum else {
        let pack = Pack::bundled().map_err(|faults| not_so(faults.to_string()))?;
        return Ok((pack.graph_json().into_bytes(), Vec::new()));
    };
    let mut garnish = context.bare()?;
    if path.is_dir() {
        let known = garnish.catalog_feature_ids(catalog)?;
        let pack = Pack::from_dir(path, Some(&known)).map_err(|faults| not_so(faults.to_string()))?;
        return Ok((
            pack.graph_json().into_bytes(),
            curriculum::texts(path).map_err(|faults| not_so(faults.to_string()))?,
        ));
    }
    let graph = fs::read(path).map_err(|error| file_fault(path, &error))?;
    let mut faults = garnish.validate_graph(&graph)?;
    faults.retain(|fault| fault.severity == Severity::Error);
    if faults.is_empty() {
        return Ok((graph, Vec::new()));
    }
    let told = faults.into_iter().map(|mut fault| {
        fault.file = Some(path.display().to_string());
        Told(&fault).to_string()
    });
    Err(not_so(told.collect::<Vec<_>>().join("\n")))
}

fn said(place: &Place, harness: Harness, has_extension: bool, report: &crate::Report) -> Answer {
    let path = place.root.display().to_string();
    // What was made and then gated is one file.
    let mut done: Vec<&String> = Vec::new();
    for file in &place.done {
        if !done.contains(&file) {
            done.push(file);
        }
    }
    let mut text = String::new();
    if done.is_empty() {
        text.push_str(&format!("{path} is set up already; nothing was changed.\n"));
    } else {
        text.push_str(&format!("Set up {path}:\n"));
        text.extend(done.iter().map(|file| format!("  {file}\n")));
    }
    // A dry run wrote nothing; what it would hold of the learner's is worth knowing all the same.
    match place.is_dry {
        true => text.extend(report.diagnostics.iter().map(output::told)),
        false => text.push_str(&output::report(report)),
    }
    text.extend(place.hints.iter().map(|hint| format!("{hint}\n")));
    if !place.is_dry {
        let program = std::env::current_exe().map_or_else(|_| "garnish".into(), |path| path.display().to_string());
        text.push_str(&match has_extension {
            true => format!("Start {} with: {program:?} launch --agent-dir {path:?}\n", harness.command()),
            false => format!("Start it with: PI_CODING_AGENT_DIR={path:?} {}\n", harness.command()),
        });
    }
    let exit = output::exit_of_report(report);
    let json = json!({ "agent_dir": path, "harness": harness.command(), "written": done, "hints": place.hints, "report": output::report_json(report) });
    Answer { text, json, exit }
}
