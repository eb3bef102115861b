//! `garnish replay`: the log folded anew, step by step, and what it comes to compared with what is on disk. It writes
//! nothing.

use serde_json::json;

use super::{Context, existing};
use crate::bindings::{Progress, Severity};
use crate::effects::Effects;
use crate::log_lines::lines;
use crate::output::{self, Answer, BAD, Ended, Exit, FAINT, GOOD, styled};

/// Where an apply leaves what it held.
const HELD: &str = "garnish/held.json";

pub(crate) fn run(context: &Context) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, setup, graph) = context.garnish_with_graph()?;
    let log = super::read_log(&mut dir)?;
    let whole = garnish.fold_events(&log, &graph)?;
    let mut before = garnish.fold_events(b"", &graph)?.progress;
    let (mut text, mut steps, mut lost) = (String::new(), Vec::new(), Vec::new());
    for (end, number, line) in turning_points(&log, &whole.diagnostics) {
        let now = garnish.fold_events(&log[..end], &graph)?.progress;
        let came = difference(&before, &now);
        if !came.is_empty() {
            text.push_str(&format!("{}  {}\n", styled(FAINT, format_args!("{number:>5}")), came.join("; ")));
            steps.push(json!({ "line": number, "event": line, "came": came }));
        }
        lost.extend(gone(&before, &now).into_iter().map(|id| format!("{id} (line {number})")));
        before = now;
    }
    // By another instance, and from the disk: what a start would hold.
    let held = context.garnish()?.held_capabilities()?;
    let on_disk = dir.read(HELD)?.and_then(|content| serde_json::from_slice::<serde_json::Value>(&content.bytes).ok());
    let on_disk: Option<Vec<String>> =
        on_disk.and_then(|value| serde_json::from_value(value.get("capabilities")?.clone()).ok());
    let paths = garnish.describe_profile(&setup.profile).map_err(|error| setup.blame(error))?.files;
    let files: Vec<_> = existing(&mut dir, paths)?.into_iter().map(|(file, _)| file).collect();
    let unlocked = super::fold(&mut garnish, &mut dir, &setup, &graph)?.progress.unlocked;
    let displaced = dir.read(super::DISPLACED)?.map(|content| content.bytes);
    let merged = garnish.merge_gate_config(&files, &unlocked, &setup.catalog, &setup.profile, displaced.as_deref());
    let drift: Vec<String> =
        merged.map_err(|error| setup.blame(error))?.changed.into_iter().map(|file| file.path).collect();
    let is_held_as_said = on_disk.as_ref().is_none_or(|on_disk| *on_disk == held);

    let progress = &whole.progress;
    text.push_str(&format!(
        "Folded anew: {} levels complete, {} XP, {} features open, {} surfaces held.\n",
        progress.completed_levels.len(),
        progress.xp_total,
        progress.unlocked.features.len(),
        held.len(),
    ));
    let verdict = |good: bool, yes: &str, no: String| match good {
        true => format!("{} {yes}\n", styled(GOOD, "ok")),
        false => format!("{} {no}\n", styled(BAD, "not so")),
    };
    text.push_str(&verdict(
        lost.is_empty(),
        "Nothing that was unlocked is ever lost again.",
        format!("Lost again: {}. Please report this.", lost.join(", ")),
    ));
    text.push_str(&verdict(
        is_held_as_said,
        "garnish/held.json says what the log says.",
        "garnish/held.json is older than the log. The next start writes it, or `garnish doctor --fix`.".into(),
    ));
    text.push_str(&verdict(drift.is_empty(), "The files on disk say what the log says.", format!("{} differ from what the log says. `garnish diff` shows it; the next start, or `garnish doctor --fix`, writes it.", drift.join(", "))));
    text.extend(whole.diagnostics.iter().map(output::told));
    let good = lost.is_empty()
        && is_held_as_said
        && drift.is_empty()
        && whole.diagnostics.iter().all(|fault| fault.severity != Severity::Error);
    let json = json!({
        "steps": steps, "lost": lost, "held_file_current": is_held_as_said, "drift": drift,
        "xp": progress.xp_total, "completed_levels": progress.completed_levels, "features": progress.unlocked.features,
        "held": held, "diagnostics": output::diagnostics_json(&whole.diagnostics),
    });
    Ok(Answer { text, json, exit: if good { Exit::Done } else { Exit::NotSo } })
}

/// The lines that can change what is open: for each quest and each target of an unlock the first one. So a log of any
/// length is folded as often as the curriculum has parts. Each with the offset behind it.
fn turning_points(log: &[u8], faults: &[crate::bindings::Diagnostic]) -> Vec<(usize, u64, serde_json::Value)> {
    let mut seen = std::collections::BTreeSet::new();
    let mut points = Vec::new();
    let ends: Vec<usize> = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    for line in lines(log, 0, faults) {
        let Some(event) = &line.event else { continue };
        let key = match line.unlocked() {
            Some((kind, id)) => format!("{kind} {id}"),
            None => format!(
                "{} {}",
                line.kind(),
                event.get("quest_id").or(event.get("badge")).unwrap_or(&serde_json::Value::Null)
            ),
        };
        if line.kind() != "xp_award" && seen.insert(key) {
            let end = ends.get(line.number as usize - 1).copied().unwrap_or(log.len());
            points.push((end, line.number, event.clone()));
        }
    }
    points
}

/// What was unlocked and is no longer.
fn gone(before: &Progress, now: &Progress) -> Vec<String> {
    let lost = |was: &[String], is: &[String]| -> Vec<String> {
        was.iter().filter(|one| !is.contains(one)).cloned().collect()
    };
    [lost(&before.unlocked.features, &now.unlocked.features), lost(&before.unlocked.levels, &now.unlocked.levels)]
        .concat()
}

/// What came between two states, in words.
fn difference(before: &Progress, now: &Progress) -> Vec<String> {
    let new = |was: &[String], is: &[String]| -> Vec<String> {
        is.iter().filter(|one| !was.contains(one)).cloned().collect()
    };
    let mut came = Vec::new();
    let mut say = |what: &str, names: Vec<String>| {
        if !names.is_empty() {
            came.push(format!("{what} {}", names.join(", ")));
        }
    };
    say("quest done:", new(&before.completed_quests, &now.completed_quests));
    say("level complete:", new(&before.completed_levels, &now.completed_levels));
    say("level open:", new(&before.unlocked.levels, &now.unlocked.levels));
    say("feature open:", new(&before.unlocked.features, &now.unlocked.features));
    say("hint opened:", new(&before.hinted_quests, &now.hinted_quests));
    if now.badges.len() > before.badges.len() {
        came.push(format!("badges: {}", now.badges.len()));
    }
    if now.xp_total != before.xp_total {
        came.push(format!("{} XP", now.xp_total));
    }
    came
}
