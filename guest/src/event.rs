//! One line of the event log ↔ one event.
//!
//! It judges a line by itself: it knows no graph, no other line, and never what an event leads to.

use alloc::{
    borrow::{Cow, ToOwned},
    string::{String, ToString},
};
use core::fmt::{self, Write};
use serde::{Deserialize, Deserializer};

use crate::{
    fields::MAX_INTEGER,
    id::{FeatureId, LevelId, QuestId},
};

/// Longest line that is read, in bytes without the line feed. Garnish's own lines are under 1 KiB.
pub const MAX_LINE: usize = 64 * 1024;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// Why a line gives no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// A newer garnish wrote it: a JSON object with a `type` that this version does not know.
    UnknownType,
    /// It cannot be read, for this reason.
    Bad(String),
}

impl<E: serde::de::Error> From<E> for LineFault {
    fn from(error: E) -> Self {
        LineFault::Bad(error.to_string())
    }
}

/// All fields that any event has. One flat struct is read without buffering, and finds doubled and unknown fields;
/// [`Line::event`] then decides which of them the type allows.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line<'a> {
    #[serde(borrow, deserialize_with = "given")]
    at: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "type", deserialize_with = "given")]
    type_: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "given", borrow)]
    session_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "given")]
    quest_id: Option<QuestId>,
    #[serde(deserialize_with = "given")]
    level_id: Option<LevelId>,
    #[serde(deserialize_with = "given")]
    required: Option<bool>,
    #[serde(deserialize_with = "given")]
    xp: Option<u64>,
    #[serde(borrow, deserialize_with = "given")]
    target: Option<TargetLine<'a>>,
    #[serde(deserialize_with = "given")]
    reason: Option<Reason>,
    #[serde(deserialize_with = "given")]
    source_quest_id: Option<QuestId>,
    #[serde(deserialize_with = "given")]
    source_level_id: Option<LevelId>,
    #[serde(deserialize_with = "given")]
    amount: Option<u64>,
    #[serde(deserialize_with = "given")]
    total: Option<u64>,
    #[serde(deserialize_with = "given")]
    badge: Option<BadgeKind>,
    #[serde(borrow, deserialize_with = "given")]
    hint_id: Option<Cow<'a, str>>,
}

/// An optional field may be left out, but where it stands it has a value: `null` is a fault.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetLine<'a> {
    #[serde(borrow, rename = "type")]
    type_: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
}

/// Reads one line, without its line feed.
///
/// # Errors
/// [`LineFault::UnknownType`] for an event of a newer version; [`LineFault::Bad`] for everything that is not an event.
pub fn parse(line: &[u8]) -> Result<Event, LineFault> {
    if line.len() > MAX_LINE {
        return Err(LineFault::Bad("it is longer than 64 KiB".into()));
    }
    let text = core::str::from_utf8(line).map_err(|_| LineFault::Bad("it is not UTF-8".into()))?;
    match serde_json::from_str::<Line>(text) {
        Ok(line) => line.event(),
        Err(error) => Err(if is_unknown_type(text) { LineFault::UnknownType } else { error.into() }),
    }
}

const TYPES: [&str; 5] = ["quest_completed", "unlock", "xp_award", "badge_award", "hint_opened"];

/// Whether a line that does not have the known fields is an object of a type that this version does not know.
fn is_unknown_type(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(borrow, rename = "type")]
        type_: Cow<'a, str>,
    }
    serde_json::from_str::<Typed>(text).is_ok_and(|typed| !TYPES.contains(&&*typed.type_))
}

impl Line<'_> {
    fn event(self) -> Result<Event, LineFault> {
        let Some(type_) = self.type_.as_deref() else { return Err(LineFault::Bad("it has no type".into())) };
        if !TYPES.contains(&type_) {
            return Err(LineFault::UnknownType);
        }
        self.only(type_)?;
        let kind = match type_ {
            "quest_completed" => EventKind::QuestCompleted {
                quest: need(self.quest_id, "quest_id")?,
                level: need(self.level_id, "level_id")?,
                required: need(self.required, "required")?,
                xp: integer(need(self.xp, "xp")?, "xp")?,
            },
            "unlock" => EventKind::Unlock {
                target: need(self.target, "target")?.target()?,
                reason: need(self.reason, "reason")?,
                source_quest: self.source_quest_id,
                source_level: self.source_level_id,
            },
            "xp_award" => {
                self.total.map_or(Ok(0), |total| integer(total, "total"))?;
                match integer(need(self.amount, "amount")?, "amount")? {
                    0 => return Err(LineFault::Bad("its amount is 0".into())),
                    amount => EventKind::XpAward { amount, quest: self.quest_id },
                }
            }
            "badge_award" => EventKind::BadgeAward(Badge {
                kind: need(self.badge, "badge")?,
                level: self.level_id,
                quest: self.quest_id,
            }),
            _ => EventKind::HintOpened { quest: need(self.quest_id, "quest_id")?, level: need(self.level_id, "level_id")? },
        };
        let at = need(self.at, "at")?;
        if !is_timestamp(&at) {
            return Err(LineFault::Bad(alloc::format!("its at, {at:?}, is no ISO 8601 time with zone")));
        }
        Ok(Event { at: at.into_owned(), kind })
    }

    /// A field that belongs to another type makes the line bad, like any unknown one.
    fn only(&self, type_: &str) -> Result<(), LineFault> {
        let fields: [(&str, bool, &[&str]); 12] = [
            ("quest_id", self.quest_id.is_some(), &["quest_completed", "xp_award", "badge_award", "hint_opened"]),
            ("level_id", self.level_id.is_some(), &["quest_completed", "badge_award", "hint_opened"]),
            ("required", self.required.is_some(), &["quest_completed"]),
            ("xp", self.xp.is_some(), &["quest_completed"]),
            ("target", self.target.is_some(), &["unlock"]),
            ("reason", self.reason.is_some(), &["unlock"]),
            ("source_quest_id", self.source_quest_id.is_some(), &["unlock"]),
            ("source_level_id", self.source_level_id.is_some(), &["unlock"]),
            ("amount", self.amount.is_some(), &["xp_award"]),
            ("total", self.total.is_some(), &["xp_award"]),
            ("badge", self.badge.is_some(), &["badge_award"]),
            ("hint_id", self.hint_id.is_some(), &["hint_opened"]),
        ];
        match fields.iter().find(|(_, present, types)| *present && !types.contains(&type_)) {
            Some((field, ..)) => Err(LineFault::Bad(alloc::format!("a {type_} has no {field}"))),
            None => Ok(()),
        }
    }
}

impl TargetLine<'_> {
    fn target(&self) -> Result<Target, LineFault> {
        match &*self.type_ {
            "feature" => FeatureId::new(&self.id).map(Target::Feature),
            "level" => LevelId::new(&self.id).map(Target::Level),
            other => return Err(LineFault::Bad(alloc::format!("its target's type, {other:?}, is neither feature nor level"))),
        }
        .ok_or_else(|| LineFault::Bad(alloc::format!("its target's id, {:?}, is none", self.id)))
    }
}

fn need<T>(field: Option<T>, name: &str) -> Result<T, LineFault> {
    field.ok_or_else(|| LineFault::Bad(alloc::format!("it has no {name}")))
}

fn integer(number: u64, name: &str) -> Result<u64, LineFault> {
    if number <= MAX_INTEGER { Ok(number) } else { Err(LineFault::Bad(alloc::format!("its {name} is over 2^53"))) }
}

/// Whether `text` is `YYYY-MM-DDThh:mm[:ss[.fraction]]` with `Z` or `±hh:mm` behind it.
pub fn is_timestamp(text: &str) -> bool {
    fn digits(text: &str, count: usize, least: u32, most: u32) -> Option<&str> {
        let (number, rest) = text.split_at_checked(count)?;
        let fits = number.bytes().all(|byte| byte.is_ascii_digit()) && (least..=most).contains(&number.parse().ok()?);
        fits.then_some(rest)
    }
    fn read(text: &str) -> Option<bool> {
        let rest = digits(text, 4, 0, 9999)?.strip_prefix('-')?;
        let rest = digits(rest, 2, 1, 12)?.strip_prefix('-')?;
        let rest = digits(rest, 2, 1, 31)?.strip_prefix('T')?;
        let rest = digits(rest, 2, 0, 23)?.strip_prefix(':')?;
        let mut rest = digits(rest, 2, 0, 59)?;
        if let Some(seconds) = rest.strip_prefix(':') {
            rest = digits(seconds, 2, 0, 60)?;
            if let Some(fraction) = rest.strip_prefix('.') {
                let end = fraction.bytes().take_while(u8::is_ascii_digit).count();
                rest = fraction.get(end..).filter(|_| end > 0)?;
            }
        }
        if rest == "Z" {
            return Some(true);
        }
        let rest = digits(rest.strip_prefix(['+', '-'])?, 2, 0, 23)?.strip_prefix(':')?;
        Some(digits(rest, 2, 0, 59)?.is_empty())
    }
    read(text) == Some(true)
}

impl Reason {
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
        self.raw(key, format_args!("\"{value}\""))
    }

    fn text_if(self, key: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.text(key, value),
            None => self,
        }
    }

    fn raw(mut self, key: &str, value: impl fmt::Display) -> Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{}\"{key}\":{value}", if self.0.is_empty() { "{" } else { "," });
        self
    }
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
                    .raw("target", format_args!("{{\"type\":\"{kind}\",\"id\":\"{id}\"}}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    const UNLOCK: &str = r#"{"at":"2026-07-02T10:00:00Z","type":"unlock","target":{"type":"feature","id":"skills"},"reason":"cheat"}"#;

    #[test]
    fn what_is_written_is_read_back() {
        let event = parse(UNLOCK.as_bytes()).expect("an event");
        assert_eq!(event.to_line().trim_end(), UNLOCK);
        for line in [
            r#"{"at":"2026-07-02T10:00:00.5+02:00","type":"quest_completed","quest_id":"a","level_id":"b","required":true,"xp":0}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":3,"quest_id":"a"}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"badge_award","badge":"no_hint_clear","level_id":"a"}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"hint_opened","quest_id":"a","level_id":"b"}"#,
        ] {
            assert_eq!(parse(line.as_bytes()).expect(line).to_line().trim_end(), line);
        }
    }

    #[test]
    fn an_unknown_type_is_no_fault() {
        assert_eq!(parse(br#"{"at":"x","type":"lesson_learned","what":[1]}"#), Err(LineFault::UnknownType));
        assert_eq!(parse(br#"{"at":"2026-07-02T10:00:00Z","type":"lesson_learned"}"#), Err(LineFault::UnknownType));
    }

    #[test]
    fn a_bad_line_is_bad_for_one_reason() {
        let bad = |line: &str| matches!(parse(line.as_bytes()), Err(LineFault::Bad(_)));
        for line in [
            "", "{", "[]", "null", "{}", r#"{"type":7}"#, &UNLOCK[..40],
            &UNLOCK.replace("skills", "../skills"), &UNLOCK.replace("cheat", "luck"), &UNLOCK.replace("\"feature\"", "\"tool\""),
            &UNLOCK.replace("Z\"", "\""), &UNLOCK.replace("2026-07", "2026-13"), &UNLOCK.replace("{\"at", "{\"extra\":1,\"at"),
            &UNLOCK.replace("{\"at", "{\"reason\":\"cheat\",\"at"), &UNLOCK.replace("{\"at", "{\"xp\":1,\"at"),
            &UNLOCK.replace("{\"at", "{\"source_quest_id\":null,\"at"), &alloc::format!("{UNLOCK} {UNLOCK}"),
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":0}"#, r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":541.0}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":-1}"#, r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":9007199254740993}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"unlock","type":"unlock"}"#,
        ] {
            assert!(bad(line), "{line}");
        }
        assert!(matches!(parse(b"\xff"), Err(LineFault::Bad(_))));
        assert!(matches!(parse(&[b' '; MAX_LINE + 1]), Err(LineFault::Bad(_))));
    }
}
