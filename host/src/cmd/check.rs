//! `garnish check`: whether the gate keeps its promises here: stock parity at the end, nothing lost on the way, the files
//! as the log says, names that the harness really has, and no way around a gate. It writes nothing.

use serde_json::{Value, json};

use super::{Context, DISPLACED, existing};
use crate::agent_dir::AgentDir;
use crate::bindings::{Diagnostic, File, Folded, ProfileDescription, Severity};
use crate::effects::Effects;
use crate::gates::{self, FeatureGate};
use crate::instance::{Garnish, Told};
use crate::inventory::{self, Inventory};
use crate::log_lines::lines;
use crate::output::{Answer, BAD, Ended, Exit, FAINT, GOOD, ODD, styled};
use crate::setup::Setup;

/// How one check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Good,
    /// Not so.
    Bad,
    /// Worth knowing, and no fault.
    Odd,
    /// Cannot be told here.
    Unknown,
}

struct Check {
    id: &'static str,
    verdict: Verdict,
    /// One sentence.
    says: String,
    /// What it is about, one line each.
    found: Vec<String>,
}

impl Check {
    /// Good when nothing was found.
    fn of(id: &'static str, good: &str, bad: &str, found: Vec<String>) -> Self {
        let (verdict, says) = if found.is_empty() { (Verdict::Good, good) } else { (Verdict::Bad, bad) };
        Self { id, verdict, says: says.to_owned(), found }
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Good => "ok",
            Verdict::Bad => "not so",
            Verdict::Odd => "note",
            Verdict::Unknown => "unknown",
        }
    }
}

pub(crate) fn run(context: &Context) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let setup = Setup::read(&mut dir)?;
    let mut garnish = context.garnish()?;
    let catalog = garnish.validate_catalog(&setup.catalog, &setup.profile)?;
    let is_usable = catalog.iter().all(|fault| fault.severity != Severity::Error);
    let mut checks = vec![diagnosed(
        "catalog",
        "The catalog is valid under the profile.",
        "The catalog cannot be used.",
        &catalog,
        setup.catalog_path.as_deref(),
    )];
    let graph = dir.read(&setup.graph_path)?.map(|content| content.bytes);
    let faults = graph.as_deref().map(|graph| garnish.validate_graph(graph)).transpose()?;
    match &faults {
        None => checks.push(Check::of(
            "graph",
            "",
            "There is no graph, so nothing can be earned.",
            vec![format!("{} is missing; `garnish init` makes it", setup.graph_path)],
        )),
        Some(faults) => checks.push(diagnosed(
            "graph",
            "The graph is valid.",
            "The graph cannot be used.",
            faults,
            Some(&setup.graph_path),
        )),
    }
    let graph =
        graph.filter(|_| faults.is_some_and(|faults| faults.iter().all(|fault| fault.severity != Severity::Error)));
    if let (true, Some(graph)) = (is_usable, graph) {
        let log = super::read_log(&mut dir)?;
        let folded = super::fold(&mut garnish, &mut dir, &setup, &graph)?;
        let features = gates::features(&mut garnish, &setup.catalog, &setup.profile)?;
        let profile = garnish.describe_profile(&setup.profile)?;
        checks.push(parity(&mut garnish, &setup)?);
        checks.push(reachable_by_quests(&mut garnish, &graph, &features)?);
        checks.push(monotone(&mut garnish, &setup, &graph, &log)?);
        checks.push(drift(&mut garnish, &mut dir, &setup, &folded, &profile)?);
        let held = garnish.held_capabilities()?;
        let inventory = Inventory::read(&mut dir)?;
        checks.push(names(inventory.as_ref(), &features));
        checks.push(ways_around(&profile, inventory.as_ref(), &held, &features));
    }
    let mut text = String::new();
    for check in &checks {
        let style = match check.verdict {
            Verdict::Good => GOOD,
            Verdict::Bad => BAD,
            Verdict::Odd | Verdict::Unknown => ODD,
        };
        text.push_str(&format!("{:<8} {}\n", styled(style, format_args!("{:<8}", check.word())), check.says));
        text.extend(check.found.iter().map(|one| format!("         {}\n", styled(FAINT, one))));
    }
    let bad = checks.iter().filter(|check| check.verdict == Verdict::Bad).count();
    text.push_str(&match bad {
        0 => "Every check holds.\n".to_owned(),
        bad => format!("{bad} of {} checks do not hold.\n", checks.len()),
    });
    let one =
        |check: &Check| json!({ "check": check.id, "verdict": check.word(), "says": check.says, "found": check.found });
    let json = json!({ "checks": checks.iter().map(one).collect::<Vec<Value>>() });
    Ok(Answer { text, json, exit: if bad == 0 { Exit::Done } else { Exit::NotSo } })
}

/// Faults that the component names.
fn diagnosed(id: &'static str, good: &str, bad: &str, faults: &[Diagnostic], file: Option<&str>) -> Check {
    let found = faults.iter().map(|fault| {
        let mut fault = fault.clone();
        fault.file = fault.file.or_else(|| file.map(ToOwned::to_owned));
        Told(&fault).to_string()
    });
    let found: Vec<String> = found.collect();
    let is_bad = faults.iter().any(|fault| fault.severity == Severity::Error);
    let verdict = if is_bad {
        Verdict::Bad
    } else if found.is_empty() {
        Verdict::Good
    } else {
        Verdict::Odd
    };
    Check { id, verdict, says: if is_bad { bad } else { good }.to_owned(), found }
}

/// With everything unlocked nothing is held.
fn parity(garnish: &mut Garnish, setup: &Setup) -> Result<Check, Ended> {
    let files = garnish.stock_parity_config(&setup.catalog, &setup.profile)?.files;
    let locked = garnish.compare_stock_parity(&files, &setup.catalog, &setup.profile)?;
    Ok(Check::of(
        "parity",
        "With everything unlocked the harness is the stock one.",
        "With everything unlocked these are still held:",
        locked,
    ))
}

/// Every feature is given by something that can be done.
fn reachable_by_quests(garnish: &mut Garnish, graph: &[u8], features: &[FeatureGate]) -> Result<Check, Ended> {
    // A log in which every quest is done: the unlocks that follow are all that can be earned.
    let quests: Value = serde_json::from_slice(graph).unwrap_or_default();
    let quests = quests.get("quests").and_then(Value::as_array).cloned().unwrap_or_default();
    let done = quests
        .iter()
        .filter_map(|quest| quest.get("id")?.as_str())
        .zip(quests.iter().filter_map(|quest| quest.get("level")?.as_str()));
    let mut log: Vec<u8> = done
        .map(|(quest, level)| json!({ "at": "2026-01-01T00:00:00Z", "type": "quest_completed", "quest_id": quest, "level_id": level, "required": true, "xp": 0 }).to_string() + "\n")
        .collect::<String>()
        .into_bytes();
    let derived = garnish.fold_events(&log, graph)?.derived;
    log.extend(derived);
    let earned = garnish.fold_events(&log, graph)?.progress.unlocked.features;
    let never: Vec<String> =
        features.iter().map(|feature| &feature.id).filter(|id| !earned.contains(id)).cloned().collect();
    let mut check = Check::of(
        "earned",
        "Every feature is earned by some level.",
        "No level and no quest gives these; only `garnish unlock --all` opens them:",
        never,
    );
    if check.verdict == Verdict::Bad {
        check.verdict = Verdict::Odd;
    }
    Ok(check)
}

/// No step of the log's whole history took anything away.
fn monotone(garnish: &mut Garnish, setup: &Setup, graph: &[u8], log: &[u8]) -> Result<Check, Ended> {
    let folded = garnish.fold_events(log, graph)?;
    let mut unlocked = super::nothing_unlocked();
    let mut sequence = vec![garnish.render_gate_config(&unlocked, &setup.catalog, &setup.profile)?.files];
    let mut steps = vec![0];
    for line in lines(log, 0, &folded.diagnostics) {
        let Some(("feature", id)) = line.unlocked() else { continue };
        if !unlocked.features.iter().any(|known| known == id) {
            unlocked.features.push(id.to_owned());
            sequence.push(garnish.render_gate_config(&unlocked, &setup.catalog, &setup.profile)?.files);
            steps.push(line.number);
        }
    }
    let lost = garnish.find_monotonicity_violations(&sequence, &setup.catalog, &setup.profile)?;
    let at = |index: u32| steps.get(index as usize).copied().unwrap_or_default();
    let lost = lost.iter().map(|lost| format!("{} is lost at line {} of the log", lost.capability, at(lost.to_index)));
    let says = match sequence.len() - 1 {
        0 => "The log has unlocked nothing yet, so nothing was lost.".to_owned(),
        1 => "In one step of the log nothing that was open was lost.".to_owned(),
        steps => format!("In {steps} steps of the log nothing that was open was lost."),
    };
    Ok(Check::of("monotone", &says, "The log's history takes something away again:", lost.collect()))
}

/// The files say what the log says.
fn drift(
    garnish: &mut Garnish,
    dir: &mut AgentDir,
    setup: &Setup,
    folded: &Folded,
    profile: &ProfileDescription,
) -> Result<Check, Ended> {
    let files: Vec<File> = existing(dir, profile.files.clone())?.into_iter().map(|(file, _)| file).collect();
    let displaced = dir.read(DISPLACED)?.map(|content| content.bytes);
    let unlocked = &folded.progress.unlocked;
    let merged = garnish.merge_gate_config(&files, unlocked, &setup.catalog, &setup.profile, displaced.as_deref());
    let found = match merged {
        Ok(merged) => merged
            .changed
            .into_iter()
            .map(|file| format!("{}: `garnish diff` shows what is to change", file.path))
            .collect(),
        Err(error) => vec![error.to_string()],
    };
    Ok(Check::of(
        "drift",
        "The files on disk say what the log says.",
        "The files on disk do not say what the log says; the next start writes them, or `garnish doctor --fix`:",
        found,
    ))
}

/// The catalog's tools are the harness's.
fn names(inventory: Option<&Inventory>, features: &[FeatureGate]) -> Check {
    let Some(inventory) = inventory else {
        let says = format!(
            "Whether the harness has the catalog's tools is not known yet: start a session once, and it is written to {}.",
            inventory::PATH
        );
        return Check { id: "names", verdict: Verdict::Unknown, says, found: Vec::new() };
    };
    let mut found = Vec::new();
    for feature in features {
        for capability in &feature.capabilities {
            let Some(tool) = capability.strip_prefix("tool:") else { continue };
            if inventory.tools.iter().any(|known| known == tool) {
                continue;
            }
            let near = super::nearest(tool, inventory.tools.iter().map(String::as_str));
            let near = near.map_or_else(String::new, |near| format!("; the nearest that it has is {near}"));
            found.push(format!("{capability} ({}): {} has no such tool{near}", feature.id, inventory.harness));
        }
    }
    found.sort();
    found.dedup();
    let good = format!("{} has every tool that the catalog names.", inventory.harness);
    let bad = "The catalog names tools that this harness did not have in its last session (they may be off by its own settings):";
    let mut check = Check::of("names", &good, bad, found);
    if check.verdict == Verdict::Bad && check.found.iter().all(|one| !one.contains("the nearest")) {
        check.verdict = Verdict::Odd;
    }
    check
}

/// What is held cannot be done through something that is open.
fn ways_around(
    profile: &ProfileDescription,
    inventory: Option<&Inventory>,
    held: &[String],
    features: &[FeatureGate],
) -> Check {
    let is_held = |tool: &str| held.iter().any(|capability| capability.strip_prefix("tool:") == Some(tool));
    let is_there = |tool: &&String| inventory.is_none_or(|inventory| inventory.tools.contains(tool));
    let open: Vec<&String> = profile.command_tools.iter().filter(|tool| !is_held(tool)).filter(is_there).collect();
    let gated = |tool: &str| {
        features
            .iter()
            .any(|feature| feature.capabilities.iter().any(|opened| opened.strip_prefix("tool:") == Some(tool)))
    };
    let mut found = Vec::new();
    for tool in profile.command_tools.iter().chain(&profile.writing_tools).filter(|tool| is_held(tool)) {
        for way in &open {
            let why = if gated(way) { "unlocked" } else { "gated by nothing" };
            found.push(format!("{tool} is held, but {way} ({why}) runs commands, which can do the same"));
        }
    }
    found.sort();
    found.dedup();
    let mut check = Check::of(
        "ways-around",
        "Nothing that is held can be done through something open.",
        "What is held can be done another way:",
        found,
    );
    if check.verdict == Verdict::Bad {
        check.verdict = Verdict::Odd;
    }
    check
}
