//! The curriculum's skeleton: levels, quests, and what they unlock.
//!
//! It never knows what a learner has done; that is [`crate::progression`].

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    diagnostic::{Diagnostic, sorted},
    document,
    fields::{Faults, Fields},
    id::{FeatureId, LevelId, QuestId},
    list::IntoList,
    order,
    ordered::{Map, Set},
};

/// A level: a group of quests that opens features when its required quests are done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Unique.
    pub id: LevelId,
    /// Levels are taken in the order of (order, id).
    pub order: i64,
    /// Members beside the quests that name this level; they count for the completionist badge alone.
    pub quests: Vec<QuestId>,
    /// Given when the level completes.
    pub unlocks: Vec<FeatureId>,
    /// For people.
    pub title: Option<String>,
    /// For people.
    pub summary: Option<String>,
}

/// A quest, which belongs to the level that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quest {
    /// Unique.
    pub id: QuestId,
    /// The level that it belongs to.
    pub level: LevelId,
    /// Whether the level needs it.
    pub required: bool,
    /// Overrides what a completion event says.
    pub xp: Option<u64>,
    /// Given when the quest is done *and* its level complete.
    pub unlocks: Vec<FeatureId>,
    /// For people.
    pub title: Option<String>,
    /// For people.
    pub summary: Option<String>,
}

struct Edge {
    quest: QuestId,
    feature: FeatureId,
}

struct Document {
    levels: Vec<Level>,
    quests: Vec<Quest>,
    unlock_edges: Vec<Edge>,
}

/// A valid graph: levels in level order, quests in the order of the file, ids unique.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    levels: Vec<Level>,
    quests: Vec<Quest>,
    level_index: Map<String, usize>,
    quest_index: Map<String, usize>,
}

impl Graph {
    /// Reads `garnish/graph.json`. Unknown keys are somebody else's and stay unread.
    ///
    /// # Errors
    /// All faults at once, sorted.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Diagnostic>> {
        let (document, faults) = read(bytes).map_err(|fault| alloc::vec![fault])?;
        if faults.is_empty() { Ok(Self::build(document)) } else { Err(faults) }
    }

    /// Everything that is wrong with a graph: faults, or if there are none, where it contradicts itself.
    pub fn validate(bytes: &[u8]) -> Vec<Diagnostic> {
        match read(bytes) {
            Err(fault) => alloc::vec![fault],
            Ok((document, faults)) if faults.is_empty() => sorted(contradictions(&document)),
            Ok((_, faults)) => faults,
        }
    }

    fn build(document: Document) -> Self {
        let Document { mut levels, mut quests, unlock_edges } = document;
        order::sort_by(&mut levels, |a, b| (a.order, &a.id).cmp(&(b.order, &b.id)));
        let (mut level_index, mut quest_index) = (Map::new(), Map::new());
        level_index.extend(levels.iter().enumerate().map(|(index, level)| (level.id.to_string(), index)));
        quest_index.extend(quests.iter().enumerate().map(|(index, quest)| (quest.id.to_string(), index)));
        for Edge { quest, feature } in unlock_edges {
            if let Some(quest) = quest_index.get(quest.as_str()).and_then(|index| quests.get_mut(*index)) {
                quest.unlocks.push(feature);
            }
        }
        Self { levels, quests, level_index, quest_index }
    }

    /// In level order.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// In the order of the file.
    pub fn quests(&self) -> &[Quest] {
        &self.quests
    }

    /// The place of a level in level order.
    pub fn level_index(&self, id: &str) -> Option<usize> {
        self.level_index.get(id).copied()
    }

    /// A level by its id.
    pub fn level(&self, id: &str) -> Option<&Level> {
        self.levels.get(self.level_index(id)?)
    }

    /// The place of a quest in the order of the file.
    pub fn quest_index(&self, id: &str) -> Option<usize> {
        self.quest_index.get(id).copied()
    }

    /// A quest by its id.
    pub fn quest(&self, id: &str) -> Option<&Quest> {
        self.quests.get(self.quest_index(id)?)
    }

    /// Sorts levels into level order; those that the graph lacks come last, by bytes.
    pub fn in_level_order(&self, ids: &Set<String>) -> Vec<String> {
        // Sorted by bytes already, and what is equal stays as it stands.
        let mut ids = ids.iter().cloned().list();
        order::sort_by(&mut ids, |a, b| {
            let place = |id: &str| self.level_index(id).unwrap_or(usize::MAX);
            place(a).cmp(&place(b))
        });
        ids
    }
}

/// The document, and what is wrong with its shape.
fn read(bytes: &[u8]) -> Result<(Document, Vec<Diagnostic>), Diagnostic> {
    let value = document::parse(bytes).map_err(|error| error.diagnostic("graph"))?.into_value();
    let faults = Faults::new("garnish::graph::unreadable");
    let fields = Fields::new(&value, &faults);
    let level = |fields: Fields<'_>| {
        let order = fields.integer("order");
        fields.must_have("order");
        Some(Level {
            id: fields.need("id", LEVEL_ID, LevelId::new)?,
            order: order.unwrap_or_default(),
            quests: fields.each("quests", QUEST_ID, QuestId::new),
            unlocks: fields.each("unlocks", FEATURE_ID, FeatureId::new),
            title: fields.string("title"),
            summary: fields.string("summary"),
        })
    };
    let quest = |fields: Fields<'_>| {
        let required = fields.flag("required");
        fields.must_have("required");
        let xp = fields.integer("xp").map(u64::try_from);
        if xp.is_some_and(|xp| xp.is_err()) {
            fields.fault("xp", "it must not be negative");
        }
        let (id, level) = (fields.need("id", QUEST_ID, QuestId::new), fields.need("level", LEVEL_ID, LevelId::new));
        Some(Quest {
            id: id?,
            level: level?,
            required: required.unwrap_or_default(),
            xp: xp.and_then(Result::ok),
            unlocks: fields.each("unlocks", FEATURE_ID, FeatureId::new),
            title: fields.string("title"),
            summary: fields.string("summary"),
        })
    };
    let edge = |fields: Fields<'_>| {
        let (quest, feature) =
            (fields.need("quest", QUEST_ID, QuestId::new), fields.need("feature", FEATURE_ID, FeatureId::new));
        Some(Edge { quest: quest?, feature: feature? })
    };
    let document = Document {
        levels: fields.records("levels").into_iter().filter_map(level).list(),
        quests: fields.records("quests").into_iter().filter_map(quest).list(),
        unlock_edges: fields.records("unlockEdges").into_iter().filter_map(edge).list(),
    };
    unique(&document, &faults);
    Ok((document, sorted(faults.into_inner())))
}

const LEVEL_ID: &str = "level id (lower-case words with single dashes between them)";
const QUEST_ID: &str = "quest id (lower-case words with single dashes between them)";
const FEATURE_ID: &str = "feature id (lower-case words with single -, : or . between them)";

fn doubled(what: &str, id: &str) -> String {
    format!("Two {what} are called {id}. Give each its own id.")
}

fn unique(document: &Document, faults: &Faults) {
    let mut seen = Set::new();
    for (index, level) in document.levels.iter().enumerate() {
        if !seen.insert(level.id.to_string()) {
            faults.push(
                Diagnostic::error("garnish::graph::duplicate-level", doubled("levels", level.id.as_str()))
                    .on(format!("levels[{index}].id")),
            );
        }
    }
    let mut seen = Set::new();
    for (index, quest) in document.quests.iter().enumerate() {
        if !seen.insert(quest.id.to_string()) {
            faults.push(
                Diagnostic::error("garnish::graph::duplicate-quest", doubled("quests", quest.id.as_str()))
                    .on(format!("quests[{index}].id")),
            );
        }
    }
}

/// What the fold accepts, and a curriculum's author did not mean.
fn contradictions(document: &Document) -> Vec<Diagnostic> {
    let mut faults = Vec::new();
    let (mut levels, mut homes) = (Set::new(), Map::new());
    levels.extend(document.levels.iter().map(|level| level.id.to_string()));
    homes.extend(document.quests.iter().enumerate().map(|(index, quest)| (quest.id.to_string(), index)));
    let home = |quest: &QuestId| {
        homes.get(quest.as_str()).and_then(|index| document.quests.get(*index)).map(|quest| &quest.level)
    };
    for (index, quest) in document.quests.iter().enumerate() {
        if !levels.contains(quest.level.as_str()) {
            faults.push(
                Diagnostic::warning(
                    "garnish::graph::unknown-level",
                    format!(
                        "The quest {} names the level {}, which is not there: it can never be reached.",
                        quest.id, quest.level
                    ),
                )
                .on(format!("quests[{index}].level")),
            );
        }
    }
    for (index, level) in document.levels.iter().enumerate() {
        for (place, quest) in level.quests.iter().enumerate() {
            let message = match home(quest) {
                Some(home) if *home == level.id => continue,
                Some(home) => format!(
                    "The level {} lists the quest {quest}, which names the level {home}; the quest decides.",
                    level.id
                ),
                None => format!("The level {} lists the quest {quest}, which is not there.", level.id),
            };
            faults.push(
                Diagnostic::warning("garnish::graph::level-list", message)
                    .on(format!("levels[{index}].quests[{place}]")),
            );
        }
    }
    for (index, edge) in document.unlock_edges.iter().enumerate() {
        if !homes.contains_key(edge.quest.as_str()) {
            faults.push(
                Diagnostic::warning(
                    "garnish::graph::unknown-quest",
                    format!(
                        "An unlock edge names the quest {}, which is not there: {} is never given by it.",
                        edge.quest, edge.feature
                    ),
                )
                .on(format!("unlockEdges[{index}].quest")),
            );
        }
    }
    faults
}
