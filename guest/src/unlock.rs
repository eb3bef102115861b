//! What a learner asks for → the events that give it: the escape hatch `unlock`, and finished quests.
//!
//! It plans and never appends: [`crate::apply`] does.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    catalog::Catalog,
    event::{Event, EventKind, Reason, Target},
    graph::{Graph, Level},
    id::LevelId,
    list::IntoList,
    ordered::Set,
    progression::Progress,
    words::{joined, quoted, trim_start},
};

/// Which unlocks are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// Everything.
    All,
    /// A level by its order (all digits) or its id.
    Level(String),
}

/// The events to append, or what is wrong with the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// 0, or 1 when what was named does not exist.
    pub exit_code: u8,
    /// For the learner.
    pub message: String,
    /// To be appended, in this order.
    pub events: Vec<Event>,
}

/// The unlocks of a selector that the log does not have yet.
pub fn plan(selector: &Selector, progress: &Progress, graph: &Graph, catalog: &Catalog, now: &str) -> Plan {
    let mut targets = Vec::new();
    match selector {
        Selector::All => {
            targets.extend(catalog.features().keys().cloned().map(Target::Feature));
            targets.extend(graph.levels().iter().map(|level| Target::Level(level.id.clone())));
        }
        Selector::Level(name) => match find_level(name, graph) {
            Some(level) => {
                targets.push(Target::Level(level.id.clone()));
                targets.extend(level.unlocks.iter().cloned().map(Target::Feature));
            }
            None => return unknown_level(name, graph),
        },
    }
    let mut events: Vec<Event> = Vec::new();
    let (mut features, mut levels) = (Set::new(), Set::new());
    for target in targets {
        let is_new = match &target {
            Target::Feature(id) => !progress.has_feature(id.as_str()) && features.insert(id.to_string()),
            Target::Level(id) => !progress.has_level(id.as_str()) && levels.insert(id.to_string()),
        };
        if is_new {
            events.push(Event::unlock(now, target, Reason::Cheat));
        }
    }
    let message = match (features.len(), levels.len()) {
        (0, 0) => "Nothing left to unlock there.".into(),
        (0, levels) => format!("Unlocked {}.", counted(levels, "level")),
        (features, 0) => format!("Unlocked {}.", counted(features, "feature")),
        (features, levels) => format!("Unlocked {} and {}.", counted(levels, "level"), counted(features, "feature")),
    };
    Plan { exit_code: 0, message, events }
}

/// `1 level`, `2 levels`.
pub fn counted(number: usize, word: &str) -> String {
    format!("{number} {word}{}", if number == 1 { "" } else { "s" })
}

/// A name of digits alone is an order; the first level of that order in level order is meant.
fn find_level<'g>(name: &str, graph: &'g Graph) -> Option<&'g Level> {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        let order = match trim_start(name, "0") {
            "" => "0",
            order => order,
        };
        return graph.levels().iter().find(|level| level.order.to_string() == order);
    }
    graph.level(name)
}

fn unknown_level(name: &str, graph: &Graph) -> Plan {
    let known: Vec<String> = graph.levels().iter().map(|level| format!("{} ({})", level.id, level.order)).list();
    let known = if known.is_empty() {
        "The graph has no levels.".into()
    } else {
        format!("There are: {}.", joined(&known, ", "))
    };
    Plan { exit_code: 1, message: format!("There is no level {}. {known}", quoted(name)), events: Vec::new() }
}

/// The completion of a quest.
pub fn plan_completion(name: &str, progress: &Progress, graph: &Graph, now: &str) -> Plan {
    let Some(quest) = graph.quest(name) else { return unknown_quest(name, progress, graph) };
    if progress.has_quest(name) {
        return Plan { exit_code: 0, message: format!("{} is done already.", quest.id), events: Vec::new() };
    }
    let kind = EventKind::QuestCompleted {
        quest: quest.id.clone(),
        level: quest.level.clone(),
        required: quest.required,
        xp: quest.xp.unwrap_or(0),
    };
    let xp = quest.xp.filter(|xp| *xp > 0).map(|xp| format!(", {xp} XP")).unwrap_or_default();
    let title = quest.title.as_deref().unwrap_or(quest.id.as_str());
    Plan {
        exit_code: 0,
        message: format!("Quest done: {title}{xp}."),
        events: alloc::vec![Event { at: now.into(), kind }],
    }
}

/// A look at a quest's hint.
pub fn plan_hint(name: &str, progress: &Progress, graph: &Graph, now: &str) -> Plan {
    let Some(quest) = graph.quest(name) else { return unknown_quest(name, progress, graph) };
    if progress.has_hint(name) {
        return Plan { exit_code: 0, message: format!("The hint of {name} was opened before."), events: Vec::new() };
    }
    let kind = EventKind::HintOpened { quest: quest.id.clone(), level: quest.level.clone() };
    Plan {
        exit_code: 0,
        message: format!("Hint of {name} opened."),
        events: alloc::vec![Event { at: now.into(), kind }],
    }
}

/// Lists what is to be done now; a whole curriculum would not help.
fn unknown_quest(name: &str, progress: &Progress, graph: &Graph) -> Plan {
    let open = |quest: &&crate::graph::Quest| {
        progress.has_level(quest.level.as_str()) && !progress.has_quest(quest.id.as_str())
    };
    let known: Vec<&str> = graph.quests().iter().filter(open).map(|quest| quest.id.as_str()).list();
    let known = if known.is_empty() {
        "No open quest is left.".into()
    } else {
        format!("Open quests: {}.", joined(&known, ", "))
    };
    Plan { exit_code: 1, message: format!("There is no quest {}. {known}", quoted(name)), events: Vec::new() }
}

/// Where a finished quest leaves its level.
pub fn standing(quest: &str, progress: &Progress, graph: &Graph) -> String {
    let Some((index, level)) = graph.quest(quest).and_then(|quest| {
        let index = graph.level_index(quest.level.as_str())?;
        Some((index, graph.levels().get(index)?))
    }) else {
        return String::new();
    };
    let (done, all) = required(&level.id, progress, graph);
    let title = crate::earn::level_title(level);
    if progress.is_complete(index) {
        format!("The level {title} is complete.")
    } else {
        format!("{done} of {all} required quests of {title} done.")
    }
}

/// How many of a level's required quests are done, and how many there are.
pub fn required(level: &LevelId, progress: &Progress, graph: &Graph) -> (usize, usize) {
    let quests = graph.quests().iter().filter(|quest| quest.required && quest.level == *level);
    quests.fold((0, 0), |(done, all), quest| (done + usize::from(progress.has_quest(quest.id.as_str())), all + 1))
}
