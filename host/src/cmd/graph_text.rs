//! The part of a graph that people read. The component has validated the graph, and decides by it; here it only gives
//! names.

use serde::Deserialize;

/// Levels and quests with their titles.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Graph {
    pub levels: Vec<Level>,
    pub quests: Vec<Quest>,
}

#[derive(Deserialize)]
pub(super) struct Level {
    pub id: String,
    pub order: f64,
    title: Option<String>,
    #[serde(default)]
    pub unlocks: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Quest {
    pub id: String,
    pub level: String,
    title: Option<String>,
    #[serde(default)]
    pub required: bool,
    #[serde(default)]
    pub xp: u64,
    #[serde(default)]
    pub unlocks: Vec<String>,
}

impl Graph {
    /// Of a graph that the component has accepted.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut graph: Self = serde_json::from_slice(bytes).unwrap_or_default();
        graph.levels.sort_by(|a, b| a.order.total_cmp(&b.order).then_with(|| a.id.cmp(&b.id)));
        graph
    }

    pub(super) fn level(&self, id: &str) -> Option<&Level> {
        self.levels.iter().find(|level| level.id == id)
    }

    pub(super) fn quests_of(&self, level: &str) -> Vec<&Quest> {
        self.quests.iter().filter(|quest| quest.level == level).collect()
    }
}

impl Level {
    /// `level 2 (Context)`
    pub(super) fn title(&self) -> String {
        format!("level {} ({})", self.order, self.title.as_deref().unwrap_or(&self.id))
    }
}

impl Quest {
    pub(super) fn title(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.id)
    }
}
