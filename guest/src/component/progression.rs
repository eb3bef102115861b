//! The interface `progression`: what a log makes of a graph. It calls no import.

use alloc::{string::String, vec::Vec};

use super::{Selector, Source, texts};
use crate::{
    diagnostic::{Diagnostic, Error},
    event::{self, Badge, is_timestamp},
    fold,
    graph::Graph,
    id::LevelId,
    list::IntoList,
    progression::Completion,
    unlock,
};

/// `folded` with its `progress`
pub struct Folded {
    pub completed_quests: Vec<String>,
    pub xp_total: u64,
    pub completed_levels: Vec<String>,
    pub current_level: Option<String>,
    pub features: Vec<String>,
    pub levels: Vec<String>,
    pub badges: Vec<Badge>,
    pub hinted_quests: Vec<String>,
    pub hinted_levels: Vec<String>,
    pub level_completions: Vec<(LevelId, Completion)>,
    pub derived: Vec<u8>,
    pub diagnostics: Vec<Diagnostic>,
    pub unknown_events: u64,
}

/// `unlock-plan`
pub struct Plan {
    pub exit_code: u8,
    pub message: String,
    pub events: Vec<u8>,
}

pub fn fold_events(log: Vec<u8>, graph: Vec<u8>) -> Result<Folded, Error> {
    let graph = Graph::parse(&graph).map_err(Error::Invalid)?;
    let (progress, diagnostics, unknown_events) = fold::whole(&log, &graph);
    let current = progress.current_level().and_then(|index| graph.levels().get(index));
    Ok(Folded {
        completed_quests: texts(progress.quests()),
        xp_total: progress.xp(),
        completed_levels: texts(progress.completions(&graph).map(|(level, _)| level)),
        current_level: current.map(|level| level.id.clone().into()),
        features: texts(progress.features()),
        levels: progress.levels(&graph),
        badges: progress.badges(&graph),
        hinted_quests: texts(progress.hinted_quests()),
        hinted_levels: progress.hinted_levels(&graph),
        level_completions: progress
            .completions(&graph)
            .map(|(level, completion)| (level.clone(), completion.clone()))
            .list(),
        derived: event::lines(&progress.derived(&graph)).into_bytes(),
        diagnostics,
        unknown_events,
    })
}

pub fn plan_unlock(log: Vec<u8>, graph: Vec<u8>, catalog: Source, what: Selector, now: String) -> Result<Plan, Error> {
    let graph = Graph::parse(&graph).map_err(Error::Invalid)?;
    let catalog = catalog.catalog().map_err(Error::Invalid)?;
    if !is_timestamp(&now) {
        return Err(Error::Argument(Diagnostic::error("garnish::argument::now", "now is no ISO 8601 time with zone.")));
    }
    let (progress, ..) = fold::whole(&log, &graph);
    let plan = unlock::plan(&what, &progress, &graph, &catalog, &now);
    Ok(Plan { exit_code: plan.exit_code, message: plan.message, events: event::lines(&plan.events).into_bytes() })
}

pub fn validate_graph(graph: Vec<u8>) -> Vec<Diagnostic> {
    Graph::validate(&graph)
}
