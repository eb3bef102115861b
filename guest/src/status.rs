//! Where the learner stands, as JSON for people's tools. Version 1; fields are only ever added.
//!
//! It reads state and changes nothing.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    apply::{Ready, Session},
    catalog::Catalog,
    diagnostic::Error,
    earn,
    gate_config::{Gate, spelled},
    graph::{Graph, Quest},
    host::{Activation, Host},
    id::{FeatureId, LevelId, QuestId},
    list::IntoList,
    progression::Progress,
    render::json_line,
    value::{Value, map},
};

impl Session {
    /// Where the learner stands, as JSON.
    ///
    /// # Errors
    /// Setup or log cannot be read.
    pub fn status(&mut self, host: &mut dyn Host) -> Result<Vec<u8>, Error> {
        let mut applied = Vec::new();
        self.ready(host)?;
        applied.extend(
            self.applied().iter().map(|(capability, activation)| applied_status(&capability.to_string(), activation)),
        );
        Ok(json_line(&status(self.ready(host)?, applied)).into_bytes())
    }
}

fn text(text: &str) -> Option<Value> {
    Some(Value::from(text))
}

fn flag(flag: bool) -> Option<Value> {
    Some(Value::Bool(flag))
}

/// JSON numbers are exact up to 2^53; no count of a curriculum comes near.
fn count(number: u64) -> Option<Value> {
    Some(Value::Number(number as f64))
}

fn list(items: impl Iterator<Item = Value>) -> Option<Value> {
    Some(Value::List(items.list()))
}

fn status(ready: &Ready, applied: Vec<Value>) -> Value {
    let (setup, progress, gate) = (&ready.setup, ready.fold.progress(), ready.gate());
    let (graph, catalog) = (&setup.graph, &setup.catalog);
    let levels = || (0..graph.levels().len()).filter_map(|index| level(index, graph, progress));
    map([
        ("version", count(1)),
        ("catalog", text(&setup.catalog_name)),
        ("profile", text(&setup.profile.profile)),
        ("harness", text(&setup.profile.harness)),
        ("tested_versions", Some(Value::texts(&setup.profile.tested_versions))),
        ("xp", count(progress.xp())),
        (
            "level",
            Some(progress.current_level().and_then(|index| level(index, graph, progress)).unwrap_or(Value::Null)),
        ),
        ("levels", list(levels())),
        ("quests", Some(quests(graph, progress))),
        ("badges", list(badges(graph, progress))),
        ("features", list(features(ready, catalog, graph))),
        ("held", list(held(&gate, catalog, graph))),
        ("open", Some(Value::texts(&spelled(&gate.enabled)))),
        ("applied", Some(Value::List(applied))),
        ("unknown_events", count(ready.fold.unknown_events())),
        ("stock_parity", flag(gate.held.is_empty())),
    ])
}

fn level(index: usize, graph: &Graph, progress: &Progress) -> Option<Value> {
    let level = graph.levels().get(index)?;
    let (done, required) = crate::unlock::required(&level.id, progress, graph);
    Some(map([
        ("id", text(level.id.as_str())),
        ("order", Some(Value::Number(level.order as f64))),
        ("title", text(earn::level_title(level))),
        ("summary", level.summary.as_deref().and_then(text)),
        ("unlocked", flag(progress.has_level(level.id.as_str()))),
        ("complete", flag(progress.is_complete(index))),
        ("required_done", count(done as u64)),
        ("required", count(required as u64)),
        ("unlocks", list(level.unlocks.iter().map(|id| Value::from(id.as_str())))),
    ]))
}

/// In level order, within a level in the order of the file.
fn quests(graph: &Graph, progress: &Progress) -> Value {
    let mut quests = Vec::new();
    // What names no level of the graph comes last.
    for place in 0..=graph.levels().len() {
        for quest in graph.quests() {
            if graph.level_index(quest.level.as_str()).unwrap_or(graph.levels().len()) == place {
                quests.push(self::quest(quest, progress));
            }
        }
    }
    Value::List(quests)
}

fn quest(quest: &Quest, progress: &Progress) -> Value {
    map([
        ("id", text(quest.id.as_str())),
        ("level", text(quest.level.as_str())),
        ("title", text(quest.title.as_deref().unwrap_or(quest.id.as_str()))),
        ("summary", quest.summary.as_deref().and_then(text)),
        ("required", flag(quest.required)),
        ("xp", quest.xp.and_then(count)),
        ("done", flag(progress.has_quest(quest.id.as_str()))),
        ("hint_opened", flag(progress.has_hint(quest.id.as_str()))),
    ])
}

fn badges(graph: &Graph, progress: &Progress) -> impl Iterator<Item = Value> {
    progress.badges(graph).into_iter().map(|badge| {
        map([
            ("badge", text(badge.kind.as_str())),
            ("level", badge.level.as_ref().map(LevelId::as_str).and_then(text)),
            ("quest", badge.quest.as_ref().map(QuestId::as_str).and_then(text)),
        ])
    })
}

fn features<'r>(ready: &'r Ready, catalog: &'r Catalog, graph: &'r Graph) -> impl Iterator<Item = Value> {
    catalog.features().iter().map(move |(id, feature)| {
        let unlocked = ready.fold.is_unlocked(id.as_str());
        let how = earn::sentence(id, graph, ready.fold.progress());
        map([
            ("id", text(id.as_str())),
            ("title", text(&earn::title(id, catalog))),
            ("summary", feature.summary.as_deref().and_then(text)),
            ("unlocked", flag(unlocked)),
            ("how", (!unlocked).then_some(Value::String(how))),
        ])
    })
}

fn held(gate: &Gate, catalog: &Catalog, graph: &Graph) -> impl Iterator<Item = Value> {
    gate.held.iter().map(|capability| {
        let feature = earn::feature_for(capability, catalog, graph).map(FeatureId::as_str);
        map([("capability", text(&capability.to_string())), ("feature", feature.and_then(text))])
    })
}

fn applied_status(capability: &str, activation: &Activation) -> Value {
    let (state, reason) = match activation {
        Activation::Live => ("live", None),
        Activation::NextTurn => ("next-turn", None),
        Activation::Queued => ("queued", None),
        Activation::Restart => ("restart", None),
        Activation::Pending(reason) => ("pending", Some(reason)),
        Activation::Failed(reason) => ("failed", Some(reason)),
    };
    map([
        ("capability", text(capability)),
        ("state", text(state)),
        ("reason", reason.map(String::as_str).and_then(text)),
    ])
}
