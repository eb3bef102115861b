//! The fold: events in log order → what the learner has reached, and the unlocks that follow from it.
//!
//! It never reads a log, never renders, and never forgets: every event only adds.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    event::{Badge, BadgeKind, Event, EventKind, Reason, Target},
    graph::Graph,
    id::{FeatureId, LevelId, QuestId},
    list::IntoList,
    order,
    ordered::Set,
};

/// The time of what was complete before anything happened.
const EPOCH: &str = "1970-01-01T00:00:00Z";

/// When a level became complete, and by what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The `at` of the completing event.
    pub at: String,
    /// Its quest; none for a level that needs none.
    pub source: Option<QuestId>,
    /// Whether no hint had been opened on any of the level's required quests.
    pub without_hint: bool,
}

/// The state of a fold over one graph. Ids are kept as text in one type of set: a hostile log can bring any number of
/// them.
#[derive(Debug, Clone)]
pub struct Progress {
    quests: Set<String>,
    xp: u64,
    features: Set<String>,
    levels: Set<String>,
    hinted_quests: Set<String>,
    hinted_levels: Set<String>,
    badges: Vec<Badge>,
    skipped_ahead: bool,
    /// By place in level order: how many required quests are still to be done.
    missing: Vec<usize>,
    /// By place in level order.
    completions: Vec<Option<Completion>>,
}

impl Progress {
    /// Before anything happened: the first level is open, and a level without required quests is complete.
    pub fn new(graph: &Graph) -> Self {
        let mut missing = alloc::vec![0; graph.levels().len()];
        for quest in graph.quests().iter().filter(|quest| quest.required) {
            if let Some(count) = graph.level_index(quest.level.as_str()).and_then(|index| missing.get_mut(index)) {
                *count += 1;
            }
        }
        let nothing_to_do = || Completion { at: EPOCH.to_string(), source: None, without_hint: true };
        let completions = missing.iter().map(|missing| (*missing == 0).then(nothing_to_do)).list();
        let mut levels = Set::new();
        levels.extend(graph.levels().first().map(|level| level.id.to_string()));
        Self {
            quests: Set::new(),
            xp: 0,
            features: Set::new(),
            levels,
            hinted_quests: Set::new(),
            hinted_levels: Set::new(),
            badges: Vec::new(),
            skipped_ahead: false,
            missing,
            completions,
        }
    }

    /// Takes the next event of the log.
    pub fn apply(&mut self, event: Event, graph: &Graph) {
        match event.kind {
            EventKind::QuestCompleted { quest, xp, .. } => self.complete(quest, xp, event.at, graph),
            EventKind::Unlock { target, reason, .. } => {
                self.skipped_ahead |= matches!(reason, Reason::Speedrun | Reason::Cheat);
                match target {
                    Target::Feature(id) => self.features.insert(id.into()),
                    Target::Level(id) => self.levels.insert(id.into()),
                };
            }
            EventKind::XpAward { amount, quest } => {
                if quest.is_none() {
                    self.xp = self.xp.saturating_add(amount);
                }
            }
            EventKind::BadgeAward(badge) => {
                if !self.badges.contains(&badge) {
                    self.badges.push(badge);
                }
            }
            EventKind::HintOpened { quest, level } => {
                self.hinted_quests.insert(quest.into());
                self.hinted_levels.insert(level.into());
            }
        }
    }

    fn complete(&mut self, id: QuestId, xp: u64, at: String, graph: &Graph) {
        if self.quests.contains(id.as_str()) {
            return;
        }
        let quest = graph.quest(id.as_str());
        self.xp = self.xp.saturating_add(quest.and_then(|quest| quest.xp).unwrap_or(xp));
        self.quests.insert(id.to_string());
        let Some(quest) = quest.filter(|quest| quest.required) else { return };
        let Some(index) = graph.level_index(quest.level.as_str()) else { return };
        let Some(missing) = self.missing.get_mut(index) else { return };
        *missing = missing.saturating_sub(1);
        if *missing == 0 {
            let mut needed = graph.quests().iter().filter(|other| other.required && other.level == quest.level);
            let without_hint = !needed.any(|other| self.has_hint(other.id.as_str()));
            if let Some(completion) = self.completions.get_mut(index) {
                *completion = Some(Completion { at, source: Some(id), without_hint });
            }
        }
    }

    /// Whether a feature is unlocked by the log.
    pub fn has_feature(&self, id: &str) -> bool {
        self.features.contains(id)
    }

    /// Whether a level is unlocked by the log, or is the first.
    pub fn has_level(&self, id: &str) -> bool {
        self.levels.contains(id)
    }

    /// Whether a quest is done.
    pub fn has_quest(&self, id: &str) -> bool {
        self.quests.contains(id)
    }

    /// Whether a quest's hint was opened.
    pub fn has_hint(&self, id: &str) -> bool {
        self.hinted_quests.contains(id)
    }

    /// Done quests, sorted.
    pub fn quests(&self) -> &Set<String> {
        &self.quests
    }

    /// All XP.
    pub fn xp(&self) -> u64 {
        self.xp
    }

    /// Unlocked features, sorted.
    pub fn features(&self) -> &Set<String> {
        &self.features
    }

    /// Unlocked levels, in level order.
    pub fn levels(&self, graph: &Graph) -> Vec<String> {
        graph.in_level_order(&self.levels)
    }

    /// Quests with an opened hint, sorted.
    pub fn hinted_quests(&self) -> &Set<String> {
        &self.hinted_quests
    }

    /// Levels with an opened hint, in level order.
    pub fn hinted_levels(&self, graph: &Graph) -> Vec<String> {
        graph.in_level_order(&self.hinted_levels)
    }

    /// Complete levels in level order, each with how it became so.
    pub fn completions<'a>(&'a self, graph: &'a Graph) -> impl Iterator<Item = (&'a LevelId, &'a Completion)> {
        graph
            .levels()
            .iter()
            .zip(&self.completions)
            .filter_map(|(level, completion)| Some((&level.id, completion.as_ref()?)))
    }

    /// Whether a level, by its place in level order, is complete.
    pub fn is_complete(&self, index: usize) -> bool {
        self.completions.get(index).is_some_and(Option::is_some)
    }

    /// The first level that is not complete, by its place in level order.
    pub fn current_level(&self) -> Option<usize> {
        (0..self.missing.len()).find(|index| !self.is_complete(*index))
    }

    /// Badges: earned and recorded, by name, overall before levels, in level order, then by quest.
    pub fn badges(&self, graph: &Graph) -> Vec<Badge> {
        let mut badges = self.badges.clone();
        let mut earn = |kind, level: Option<&LevelId>| {
            let badge = Badge { kind, level: level.cloned(), quest: None };
            if !badges.contains(&badge) {
                badges.push(badge);
            }
        };
        for (level, completion) in self.completions(graph) {
            if completion.without_hint {
                earn(BadgeKind::NoHintClear, Some(level));
            }
        }
        let done = |quest: &QuestId| self.quests.contains(quest.as_str());
        // By level: none until a member is seen, then whether all seen so far are done.
        let mut members: Vec<Option<bool>> =
            graph.levels().iter().map(|level| level.quests.iter().map(done).reduce(|all, one| all && one)).list();
        for quest in graph.quests() {
            if let Some(all) = graph.level_index(quest.level.as_str()).and_then(|index| members.get_mut(index)) {
                *all = Some(all.unwrap_or(true) && done(&quest.id));
            }
        }
        for (level, _) in graph.levels().iter().zip(&members).filter(|(_, all)| **all == Some(true)) {
            earn(BadgeKind::Completionist, Some(&level.id));
        }
        if !graph.quests().is_empty() && graph.quests().iter().all(|quest| done(&quest.id)) {
            earn(BadgeKind::Completionist, None);
        }
        let mut required = graph.quests().iter().filter(|quest| quest.required).peekable();
        if self.skipped_ahead && required.peek().is_some() && required.all(|quest| done(&quest.id)) {
            earn(BadgeKind::Speedrunner, None);
        }
        let place = |badge: &Badge| badge.level.as_ref().map(|id| graph.level_index(id.as_str()).unwrap_or(usize::MAX));
        order::sort_by(&mut badges, |a, b| {
            let places = (a.kind, place(a)).cmp(&(b.kind, place(b)));
            places.then_with(|| (&a.level, &a.quest).cmp(&(&b.level, &b.quest)))
        });
        badges.dedup();
        badges
    }

    /// The unlocks that complete levels give and the log does not have: for each in level order its own features, those
    /// of its done quests and of their edges as one sorted list, then the next level.
    pub fn derived(&self, graph: &Graph) -> Vec<Event> {
        let mut given: Vec<Vec<&FeatureId>> = graph.levels().iter().map(|level| level.unlocks.iter().list()).list();
        for quest in graph.quests().iter().filter(|quest| self.has_quest(quest.id.as_str())) {
            if let Some(given) = graph.level_index(quest.level.as_str()).and_then(|index| given.get_mut(index)) {
                given.extend(&quest.unlocks);
            }
        }
        let mut events = Vec::new();
        let (mut features, mut levels) = (Set::new(), Set::new());
        for (index, completion) in self.completions.iter().enumerate() {
            let (Some(completion), Some(level), Some(given)) =
                (completion, graph.levels().get(index), given.get_mut(index))
            else {
                continue;
            };
            order::sort(given);
            given.retain(|id| !self.has_feature(id.as_str()) && features.insert(id.to_string()));
            let next = graph
                .levels()
                .get(index + 1)
                .filter(|next| !self.has_level(next.id.as_str()) && levels.insert(next.id.to_string()));
            let targets = given
                .iter()
                .map(|id| Target::Feature((*id).clone()))
                .chain(next.map(|next| Target::Level(next.id.clone())));
            events.extend(targets.map(|target| {
                let (source_quest, source_level) = (completion.source.clone(), Some(level.id.clone()));
                let kind = EventKind::Unlock { target, reason: Reason::QuestCompleted, source_quest, source_level };
                Event { at: completion.at.clone(), kind }
            }));
        }
        events
    }
}
