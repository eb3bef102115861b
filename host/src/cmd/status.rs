//! `garnish status`: where the learner stands. For programs it is the component's own `status`; for people the same
//! facts from the fold and the render, with the titles of the graph.

use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use super::Context;
use super::graph_text::{Graph, Quest};
use crate::bindings::{BadgeKind, Progress};
use crate::effects::Effects;
use crate::output::{self, Answer, Ended, Exit, FAINT, GOOD, ODD, STRONG, styled};

/// How often a watched log is looked at: one `stat`.
const EVERY: Duration = Duration::from_millis(250);

/// Says it anew whenever the log has changed, until it is interrupted.
pub(crate) fn watch(context: &Context, as_json: bool) -> Result<Answer, Ended> {
    let mut last = None;
    loop {
        let stat = context.dir()?.log_stat()?;
        if last.as_ref() != Some(&(stat.length, stat.identity)) {
            let Answer { text, json, .. } = run(context)?;
            // The screen is cleared where there is one.
            let clear = if last.is_some() { "\x1b[2J\x1b[H" } else { "" };
            let text = if output::is_terminal() { format!("{clear}{text}") } else { format!("{text}\n") };
            super::say_now(&text, &json, as_json)?;
            last = Some((stat.length, stat.identity));
        }
        sleep(EVERY);
    }
}

pub(crate) fn run(context: &Context) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, setup, graph) = context.garnish_with_graph()?;
    let folded = super::fold(&mut garnish, &mut dir, &setup, &graph)?;
    let features = garnish.catalog_feature_ids(&setup.catalog).map_err(|error| setup.blame(error))?;
    let json: Value = serde_json::from_slice(&garnish.status()?).unwrap_or_default();

    let graph = Graph::read(&graph);
    let mut text = headline(&graph, &folded.progress);
    let is_open = |feature: &&String| folded.progress.unlocked.features.contains(feature);
    let (open, held): (Vec<&String>, Vec<&String>) = features.iter().partition(is_open);
    text.push_str(&list(styled(GOOD, "Open"), &open));
    if held.is_empty() {
        text.push_str(&list(styled(ODD, "Held"), &held));
    }
    text.push_str(&next(&graph, &folded.progress));
    text.push_str(&earned(&held, &json));
    text.push_str(&badges(&folded.progress));
    text.extend(folded.diagnostics.iter().map(output::told));
    Ok(Answer { text, json, exit: Exit::Done })
}

fn list(name: String, ids: &[&String]) -> String {
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    format!("{name}: {}\n", if ids.is_empty() { "nothing".into() } else { ids.join(", ") })
}

/// What is held, and how each is earned, as the component says it.
fn earned(held: &[&String], status: &Value) -> String {
    if held.is_empty() {
        return String::new();
    }
    let features = status.get("features").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let how = |id: &str| {
        let feature = features.iter().find(|feature| feature.get("id").and_then(Value::as_str) == Some(id));
        feature.and_then(|feature| feature.get("how")?.as_str()).unwrap_or_default().to_owned()
    };
    let rows: Vec<Vec<String>> = held.iter().map(|id| vec![styled(ODD, id), how(id)]).collect();
    let width = held.iter().map(|id| id.len()).max().unwrap_or(0);
    let mut text = String::from("\nHeld:\n");
    for (id, row) in held.iter().zip(rows) {
        text.push_str(&format!("  {}{}  {}\n", row[0], " ".repeat(width - id.len()), row[1]));
    }
    text
}

fn headline(graph: &Graph, progress: &Progress) -> String {
    let done = progress.completed_levels.len();
    let all = graph.levels.len();
    let place = match progress.current_level.as_ref().and_then(|id| graph.level(id)) {
        Some(level) => format!("Now in {}", level.title()),
        None => "Every level is complete".into(),
    };
    let xp = progress.xp_total;
    format!("{}. {done} of {all} levels complete, {xp} XP.\n", styled(STRONG, place))
}

/// What is left in the current level, and what it opens.
fn next(graph: &Graph, progress: &Progress) -> String {
    let Some(level) = progress.current_level.as_ref().and_then(|id| graph.level(id)) else { return String::new() };
    let of_level = graph.quests_of(&level.id);
    let is_done = |quest: &&&Quest| progress.completed_quests.contains(&quest.id);
    let required = of_level.iter().filter(|quest| quest.required);
    let (done, all) = (required.clone().filter(is_done).count(), required.count());
    let opens = match level.unlocks.as_slice() {
        [] => String::new(),
        unlocks => format!("; then {} opens", unlocks.join(", ")),
    };
    let mut text = format!("\n{done} of {all} required quests of this level are done{opens}:\n");
    let width = of_level.iter().map(|quest| quest.id.len()).max().unwrap_or(0);
    for quest in of_level {
        let mark = if is_done(&&quest) { "x" } else { " " };
        let optional = if quest.required { "" } else { ", optional" };
        let title = quest.title();
        let worth = styled(FAINT, format_args!("{} XP{optional}", quest.xp));
        text.push_str(&format!("  [{mark}] {:width$}  {title}  {worth}\n", quest.id));
    }
    text
}

fn badges(progress: &Progress) -> String {
    if progress.badges.is_empty() {
        return String::new();
    }
    let one = |badge: &crate::bindings::Badge| {
        let kind = match badge.kind {
            BadgeKind::Completionist => "completionist",
            BadgeKind::NoHintClear => "no-hint clear",
            BadgeKind::Speedrunner => "speedrunner",
        };
        match badge.quest.as_ref().or(badge.level.as_ref()) {
            Some(place) => format!("{kind} ({place})"),
            None => kind.into(),
        }
    };
    let badges: Vec<String> = progress.badges.iter().map(one).collect();
    format!("\nBadges: {}\n", badges.join(", "))
}
