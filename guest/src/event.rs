//! What can happen, and how the event log spells it.
//!
//! It knows no graph, and never what an event leads to. Reading a line is [`crate::event_line`]'s.

use alloc::{borrow::ToOwned, string::String};
use core::fmt::{self, Write};

use crate::{
    id::{FeatureId, LevelId, QuestId},
    words::trim_start,
};

/// Something that happened, as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// ISO 8601 with zone. Told to people, never compared: events count in log order.
    pub at: String,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// A quest was finished.
    QuestCompleted {
        /// Which.
        quest: QuestId,
        /// Its level, as the writer saw it; the graph decides.
        level: LevelId,
        /// As the writer saw it; the graph decides.
        required: bool,
        /// What the writer would award; the graph decides where it gives a number.
        xp: u64,
    },
    /// A feature or level was opened.
    Unlock {
        /// What.
        target: Target,
        /// Why.
        reason: Reason,
        /// The quest that led to it.
        source_quest: Option<QuestId>,
        /// The level that led to it.
        source_level: Option<LevelId>,
    },
    /// XP beside quests.
    XpAward {
        /// At least 1.
        amount: u64,
        /// With a quest named, the quest's own XP already counts.
        quest: Option<QuestId>,
    },
    /// A badge, recorded as it is.
    BadgeAward(Badge),
    /// A hint was looked at.
    HintOpened {
        /// Whose.
        quest: QuestId,
        /// Its level.
        level: LevelId,
    },
}

/// What an unlock opens.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A feature of the catalog.
    Feature(FeatureId),
    /// A level of the graph.
    Level(LevelId),
}

/// Why something was unlocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Earned.
    QuestCompleted,
    /// Skipped ahead by the curriculum's own short cut.
    Speedrun,
    /// The learner asked for it.
    Cheat,
    /// The program that set things up.
    System,
}

/// The kinds of badge, in the order of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BadgeKind {
    /// Every quest done.
    Completionist,
    /// A level finished without opening a hint.
    NoHintClear,
    /// Everything required done after skipping ahead.
    Speedrunner,
}

/// A badge: overall, for a level, or for a quest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Badge {
    /// Which kind.
    pub kind: BadgeKind,
    /// For this level.
    pub level: Option<LevelId>,
    /// For this quest.
    pub quest: Option<QuestId>,
}

/// Whether `text` is `YYYY-MM-DDThh:mm[:ss[.fraction]]` with `Z` or `±hh:mm` behind it.
pub fn is_timestamp(text: &str) -> bool {
    let Some(rest) = behind(text, &[(0, 99, ""), (0, 99, "-"), (1, 12, "-"), (1, 31, "T"), (0, 23, ":"), (0, 59, "")])
    else {
        return false;
    };
    let rest = match rest.strip_prefix(':').map(|rest| behind(rest, &[(0, 60, "")])) {
        None => rest,
        Some(None) => return false,
        Some(Some(rest)) => match rest.strip_prefix('.') {
            None => rest,
            Some(fraction) if fraction.as_bytes().first().is_some_and(u8::is_ascii_digit) => {
                trim_start(fraction, "0123456789")
            }
            Some(_) => return false,
        },
    };
    let zone = rest.strip_prefix(['+', '-']).and_then(|rest| behind(rest, &[(0, 23, ":"), (0, 59, "")]));
    rest == "Z" || zone == Some("")
}

/// What stands behind numbers of two digits, each between two bounds and with a text behind it.
fn behind<'t>(mut text: &'t str, parts: &[(u8, u8, &str)]) -> Option<&'t str> {
    for (least, most, then) in parts {
        let (number, rest) = text.split_at_checked(2)?;
        let [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] = number.as_bytes() else { return None };
        if !(*least..=*most).contains(&((tens - b'0') * 10 + ones - b'0')) {
            return None;
        }
        text = rest.strip_prefix(then)?;
    }
    Some(text)
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 4] = [Reason::QuestCompleted, Reason::Speedrun, Reason::Cheat, Reason::System];

    /// As the log spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reason::QuestCompleted => "quest_completed",
            Reason::Speedrun => "speedrun",
            Reason::Cheat => "cheat",
            Reason::System => "system",
        }
    }
}

impl BadgeKind {
    /// Every kind.
    pub const ALL: [BadgeKind; 3] = [BadgeKind::Completionist, BadgeKind::NoHintClear, BadgeKind::Speedrunner];

    /// As the log spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            BadgeKind::Completionist => "completionist",
            BadgeKind::NoHintClear => "no_hint_clear",
            BadgeKind::Speedrunner => "speedrunner",
        }
    }
}

/// A line in the making. Ids, times and words of ours need no escapes, so a value is written as it is.
struct Fields(String);

impl Fields {
    fn text(self, key: &str, value: &str) -> Self {
        self.raw(key, &format_args!("\"{value}\""))
    }

    fn text_if(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    fn raw(mut self, key: &str, value: &dyn fmt::Display) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{}\"{key}\":{value}", if self.0.is_empty() { "{" } else { "," });
        self
    }
}

/// Events as lines of the log.
pub fn lines(events: &[Event]) -> String {
    let mut lines = String::new();
    for event in events {
        lines.push_str(&event.to_line());
    }
    lines
}

impl Event {
    /// The event as one line of the log, with its line feed, in the order of keys that garnish writes.
    pub fn to_line(&self) -> String {
        let fields = |type_: &str| Fields(String::new()).text("at", &self.at).text("type", type_);
        let fields = match &self.kind {
            EventKind::QuestCompleted { quest, level, required, xp } => fields("quest_completed")
                .text("quest_id", quest.as_str())
                .text("level_id", level.as_str())
                .raw("required", required)
                .raw("xp", xp),
            EventKind::Unlock { target, reason, source_quest, source_level } => {
                let (kind, id) = match target {
                    Target::Feature(id) => ("feature", id.as_str()),
                    Target::Level(id) => ("level", id.as_str()),
                };
                fields("unlock")
                    .raw("target", &format_args!("{{\"type\":\"{kind}\",\"id\":\"{id}\"}}"))
                    .text("reason", reason.as_str())
                    .text_if("source_quest_id", source_quest.as_ref().map(QuestId::as_str))
                    .text_if("source_level_id", source_level.as_ref().map(LevelId::as_str))
            }
            EventKind::XpAward { amount, quest } => {
                fields("xp_award").raw("amount", amount).text_if("quest_id", quest.as_ref().map(QuestId::as_str))
            }
            EventKind::BadgeAward(badge) => fields("badge_award")
                .text("badge", badge.kind.as_str())
                .text_if("level_id", badge.level.as_ref().map(LevelId::as_str))
                .text_if("quest_id", badge.quest.as_ref().map(QuestId::as_str)),
            EventKind::HintOpened { quest, level } => {
                fields("hint_opened").text("quest_id", quest.as_str()).text("level_id", level.as_str())
            }
        };
        fields.0 + "}\n"
    }

    /// An unlock at a time.
    pub fn unlock(at: &str, target: Target, reason: Reason) -> Self {
        Self { at: at.to_owned(), kind: EventKind::Unlock { target, reason, source_quest: None, source_level: None } }
    }
}
