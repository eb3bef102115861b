//! `garnish status`: where the learner stands. For programs it is the component's own `status`; for people the same
//! facts from the fold and the render, with the titles of the graph.

use serde::Deserialize;
use serde_json::Value;

use super::Context;
use crate::bindings::{BadgeKind, Progress};
use crate::output::{self, Answer, Ended, Exit, FAINT, GOOD, ODD, STRONG, styled};

/// The part of a graph that people read; the component has validated the rest.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Graph {
    levels: Vec<Level>,
    quests: Vec<Quest>,
}

#[derive(Deserialize)]
struct Level {
    id: String,
    order: f64,
    title: Option<String>,
    #[serde(default)]
    unlocks: Vec<String>,
}

#[derive(Deserialize)]
struct Quest {
    id: String,
    level: String,
    title: Option<String>,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    xp: u64,
}

pub(crate) fn run(context: &Context) -> Result<Answer, Ended> {
    let mut dir = context.dir()?;
    let (mut garnish, setup, graph) = context.garnish_with_graph()?;
    let folded = super::fold(&mut garnish, &mut dir, &setup, &graph)?;
    let features = garnish.catalog_feature_ids(&setup.catalog).map_err(|error| setup.blame(error))?;
    let json: Value = serde_json::from_slice(&garnish.status()?).unwrap_or_default();

    let graph: Graph = serde_json::from_slice(&graph).unwrap_or_default();
    let mut text = headline(&graph, &folded.progress);
    let is_open = |feature: &&String| folded.progress.unlocked.features.contains(feature);
    let (open, held): (Vec<&String>, Vec<&String>) = features.iter().partition(is_open);
    text.push_str(&list(styled(GOOD, "Open"), &open));
    text.push_str(&list(styled(ODD, "Held"), &held));
    text.push_str(&next(&graph, &folded.progress));
    text.push_str(&badges(&folded.progress));
    text.extend(folded.diagnostics.iter().map(output::told));
    Ok(Answer { text, json, exit: Exit::Done })
}

fn list(name: String, ids: &[&String]) -> String {
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    format!("{name}: {}\n", if ids.is_empty() { "nothing".into() } else { ids.join(", ") })
}

fn headline(graph: &Graph, progress: &Progress) -> String {
    let done = progress.completed_levels.len();
    let all = graph.levels.len();
    let place = match progress.current_level.as_ref().and_then(|id| level(graph, id)) {
        Some(level) => format!("Now in {}", title(level)),
        None => "Every level is complete".into(),
    };
    let xp = progress.xp_total;
    format!("{}. {done} of {all} levels complete, {xp} XP.\n", styled(STRONG, place))
}

fn level<'a>(graph: &'a Graph, id: &str) -> Option<&'a Level> {
    graph.levels.iter().find(|level| level.id == id)
}

fn title(level: &Level) -> String {
    let title = level.title.as_deref().unwrap_or(&level.id);
    format!("level {} ({title})", level.order)
}

/// What is left in the current level, and what it opens.
fn next(graph: &Graph, progress: &Progress) -> String {
    let Some(level) = progress.current_level.as_ref().and_then(|id| level(graph, id)) else { return String::new() };
    let of_level: Vec<&Quest> = graph.quests.iter().filter(|quest| quest.level == level.id).collect();
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
        let title = quest.title.as_deref().unwrap_or_default();
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
