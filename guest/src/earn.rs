//! How a feature is earned, in words: which level gives it, and how far the learner is from there.
//!
//! It reads the graph and changes nothing.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    capability::Capability,
    catalog::Catalog,
    graph::{Graph, Level},
    id::FeatureId,
    list::IntoList,
    progression::Progress,
    words::joined,
};

/// The level whose completion gives a feature first, in level order; by a quest of it that is not required, that quest.
#[derive(Debug, Clone, Copy)]
pub struct Way<'g> {
    /// The level to complete.
    pub level: &'g Level,
    /// Its place in level order.
    pub index: usize,
    /// The quest that must be among those done; none: the level alone gives it.
    pub quest: Option<&'g crate::graph::Quest>,
}

/// How a feature is earned; none: the graph does not give it.
pub fn way<'g>(feature: &FeatureId, graph: &'g Graph) -> Option<Way<'g>> {
    let by_level = graph.levels().iter().enumerate().find(|(_, level)| level.unlocks.contains(feature));
    let by_quest = graph.quests().iter().filter(|quest| quest.unlocks.contains(feature));
    let by_quest = by_quest
        .filter_map(|quest| Some((graph.level_index(quest.level.as_str())?, quest)))
        .min_by_key(|(index, quest)| (*index, !quest.required));
    let of = |index: usize, quest| Some(Way { level: graph.levels().get(index)?, index, quest });
    match (by_level, by_quest) {
        (Some((level, _)), Some((index, quest))) if index < level => of(index, Some(quest)),
        (Some((level, _)), _) => of(level, None),
        (None, Some((index, quest))) => of(index, Some(quest)),
        (None, None) => None,
    }
}

/// The feature through which a held capability is earned soonest.
pub fn feature_for<'c>(capability: &Capability, catalog: &'c Catalog, graph: &Graph) -> Option<&'c FeatureId> {
    let features = catalog.capabilities().get(capability)?;
    features.iter().min_by_key(|feature| way(feature, graph).map_or(usize::MAX, |way| way.index))
}

/// A feature's name for people.
pub fn title(feature: &FeatureId, catalog: &Catalog) -> String {
    catalog.features().get(feature).and_then(|feature| feature.title.clone()).unwrap_or_else(|| feature.to_string())
}

/// A level's name for people.
pub fn level_title(level: &Level) -> &str {
    level.title.as_deref().unwrap_or(level.id.as_str())
}

/// One sentence on how a feature is earned.
pub fn sentence(feature: &FeatureId, graph: &Graph, progress: &Progress) -> String {
    let Some(way) = way(feature, graph) else {
        return "No level gives it; `garnish unlock --all` opens it.".into();
    };
    let level = level_title(way.level);
    let missing: Vec<&str> = graph
        .quests()
        .iter()
        .filter(|quest| quest.level == way.level.id && quest.required && !progress.has_quest(quest.id.as_str()))
        .map(|quest| quest.id.as_str())
        .list();
    let quest =
        way.quest.filter(|quest| !progress.has_quest(quest.id.as_str()) && !missing.contains(&quest.id.as_str()));
    let also = quest.map(|quest| format!(" and the quest {}", quest.id)).unwrap_or_default();
    match missing.as_slice() {
        [] => format!("It comes with the level {level}{also}."),
        few if few.len() <= 3 && progress.has_level(way.level.id.as_str()) => {
            format!(
                "It comes with the level {level}{also}: {} to go ({}).",
                crate::unlock::counted(few.len(), "required quest"),
                joined(few, ", ")
            )
        }
        many => format!(
            "It comes with the level {level}{also}: {} to go.",
            crate::unlock::counted(many.len(), "required quest")
        ),
    }
}
