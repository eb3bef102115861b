//! Lines of the event log: ours and a reader made with `serde_json` judge every line alike.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::borrow::Cow;

use garnish_guest::{
    event::{Badge, BadgeKind, Event, EventKind, Reason, Target, is_timestamp},
    event_line::{self, LineFault},
    id::{FeatureId, LevelId, QuestId},
};
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, de::Error};

/// The fields that an event has, for `serde_json` to find doubled and unknown ones.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Line<'a> {
    #[serde(borrow, deserialize_with = "given")]
    at: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "type", deserialize_with = "given")]
    type_: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "given")]
    session_id: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "given")]
    quest_id: Option<Id<QuestId>>,
    #[serde(deserialize_with = "given")]
    level_id: Option<Id<LevelId>>,
    #[serde(deserialize_with = "given")]
    required: Option<bool>,
    #[serde(deserialize_with = "given")]
    xp: Option<u64>,
    #[serde(borrow, deserialize_with = "given")]
    target: Option<TargetLine<'a>>,
    #[serde(borrow, deserialize_with = "given")]
    reason: Option<Cow<'a, str>>,
    #[serde(deserialize_with = "given")]
    source_quest_id: Option<Id<QuestId>>,
    #[serde(deserialize_with = "given")]
    source_level_id: Option<Id<LevelId>>,
    #[serde(deserialize_with = "given")]
    amount: Option<u64>,
    #[serde(deserialize_with = "given")]
    total: Option<u64>,
    #[serde(borrow, deserialize_with = "given")]
    badge: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "given")]
    hint_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TargetLine<'a> {
    #[serde(borrow, rename = "type")]
    type_: Cow<'a, str>,
    #[serde(borrow)]
    id: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Typed<'a> {
    #[serde(borrow, rename = "type")]
    type_: Cow<'a, str>,
}

/// Where a field stands it has a value: `null` is a fault.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

struct Id<T>(T);

impl<'de> Deserialize<'de> for Id<QuestId> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        QuestId::new(&Cow::<str>::deserialize(deserializer)?).map(Id).ok_or_else(|| Error::custom("no id"))
    }
}

impl<'de> Deserialize<'de> for Id<LevelId> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LevelId::new(&Cow::<str>::deserialize(deserializer)?).map(Id).ok_or_else(|| Error::custom("no id"))
    }
}

const TYPES: [&str; 5] = ["quest_completed", "unlock", "xp_award", "badge_award", "hint_opened"];

/// An event; or else whether the line is of an unknown type.
fn expected(text: &str) -> Result<Event, bool> {
    let object = text.trim_start_matches([' ', '\t', '\n', '\r']).starts_with('{');
    let unknown = object && serde_json::from_str::<Typed>(text).is_ok_and(|typed| !TYPES.contains(&&*typed.type_));
    // `serde_json` takes a list for an object, too: that is no event.
    let line = serde_json::from_str::<Line>(text).ok().filter(|_| object && !unknown);
    line.and_then(event).ok_or(unknown)
}

fn event(line: Line<'_>) -> Option<Event> {
    let integer = |number: u64| (number <= 1 << 53).then_some(number);
    let type_ = line.type_.as_deref()?;
    let present = [
        line.quest_id.is_some(),
        line.level_id.is_some(),
        line.required.is_some(),
        line.xp.is_some(),
        line.target.is_some(),
        line.reason.is_some(),
        line.source_quest_id.is_some(),
        line.source_level_id.is_some(),
        line.amount.is_some(),
        line.total.is_some(),
        line.badge.is_some(),
        line.hint_id.is_some(),
    ];
    let allowed: [u8; 12] = match type_ {
        "quest_completed" => [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        "unlock" => [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0],
        "xp_award" => [1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0],
        "badge_award" => [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0],
        _ => [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    };
    if present.iter().zip(allowed).any(|(present, allowed)| *present && allowed == 0) {
        return None;
    }
    let kind = match type_ {
        "quest_completed" => EventKind::QuestCompleted {
            quest: line.quest_id?.0,
            level: line.level_id?.0,
            required: line.required?,
            xp: integer(line.xp?)?,
        },
        "unlock" => EventKind::Unlock {
            target: match line.target? {
                TargetLine { type_, id } if type_ == "feature" => Target::Feature(FeatureId::new(&id)?),
                TargetLine { type_, id } if type_ == "level" => Target::Level(LevelId::new(&id)?),
                _ => return None,
            },
            reason: match &*line.reason? {
                "quest_completed" => Reason::QuestCompleted,
                "speedrun" => Reason::Speedrun,
                "cheat" => Reason::Cheat,
                "system" => Reason::System,
                _ => return None,
            },
            source_quest: line.source_quest_id.map(|id| id.0),
            source_level: line.source_level_id.map(|id| id.0),
        },
        "xp_award" => {
            line.total.map_or(Some(0), integer)?;
            EventKind::XpAward {
                amount: integer(line.amount?).filter(|amount| *amount > 0)?,
                quest: line.quest_id.map(|id| id.0),
            }
        }
        "badge_award" => EventKind::BadgeAward(Badge {
            kind: match &*line.badge? {
                "completionist" => BadgeKind::Completionist,
                "no_hint_clear" => BadgeKind::NoHintClear,
                "speedrunner" => BadgeKind::Speedrunner,
                _ => return None,
            },
            level: line.level_id.map(|id| id.0),
            quest: line.quest_id.map(|id| id.0),
        }),
        _ => EventKind::HintOpened { quest: line.quest_id?.0, level: line.level_id?.0 },
    };
    let at = line.at.filter(|at| is_timestamp(at))?;
    Some(Event { at: at.into_owned(), kind })
}

/// Entries of objects that come near to being events, now and then spoiled.
fn entries() -> impl Strategy<Value = String> {
    let entry = prop_oneof![
        6 => prop::sample::select(vec![
            r#""at":"2026-07-02T10:00:00Z""#, r#""type":"quest_completed""#, r#""type":"unlock""#, r#""type":"xp_award""#,
            r#""type":"badge_award""#, r#""type":"hint_opened""#, r#""quest_id":"a""#, r#""level_id":"b""#, r#""required":true"#, r#""xp":541"#,
            r#""target":{"type":"feature","id":"skills"}"#, r#""target":{"id":"b","type":"level"}"#, r#""reason":"cheat""#,
            r#""source_quest_id":"a""#, r#""source_level_id":"b""#, r#""amount":3"#, r#""total":9"#, r#""badge":"speedrunner""#,
            r#""hint_id":"h""#, r#""session_id":"\ud83d\ude00""#,
        ]),
        1 => prop::sample::select(vec![
            r#""at":"2026-13-02T10:00:00Z""#, r#""type":"lesson_learned""#, r#""type":7"#, r#""\u0074ype":"unlock""#, r#""quest_id":null"#,
            r#""quest_id":"../a""#, r#""xp":541.0"#, r#""xp":1e3"#, r#""xp":-0"#, r#""xp":9007199254740992"#, r#""xp":9007199254740993"#,
            r#""xp":18446744073709551616"#, r#""xp":"1""#, r#""required":"true""#, r#""target":{"type":"tool","id":"x"}"#,
            r#""target":{"type":"level"}"#, r#""target":{"type":"level","id":"a","id":"a"}"#, r#""target":[]"#, r#""target":"x""#,
            r#""reason":"luck""#, r#""amount":0"#, r#""total":-1"#, r#""badge":1"#, r#""session_id":"\ud83d""#, r#""session_id":[{}]"#,
            r#""what":[1,{"a":"\ud83d"}]"#, r#""wha\ud83dt":1"#, r#""what":01"#, r#""what":tru"#, "", ",", r#""at":"#, "\"\u{1}\":1",
        ]),
    ];
    prop::collection::vec(entry, 0..9).prop_map(|entries| entries.join(","))
}

fn judge(text: &str) -> Result<Event, bool> {
    event_line::parse(text.as_bytes()).map_err(|fault| fault == LineFault::UnknownType)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50_000))]

    #[test]
    fn near_events_are_judged_as_serde_json_judges_them(entries in entries(), before in "[ \t]{0,1}", behind in "[ \\]}x]{0,1}") {
        let text = format!("{before}{{{entries}}}{behind}");
        prop_assert_eq!(judge(&text), expected(&text), "{}", text);
    }

    #[test]
    fn events_with_one_byte_changed_are_judged_as_serde_json_judges_them(kind in 0..5_usize, at in any::<prop::sample::Index>(), byte in "[ -~]") {
        let tail = [
            r#""quest_completed","quest_id":"a","level_id":"b","required":true,"xp":541}"#,
            r#""unlock","target":{"type":"feature","id":"skills"},"reason":"cheat","source_quest_id":"q"}"#,
            r#""xp_award","amount":3,"total":4,"quest_id":"a"}"#,
            r#""badge_award","badge":"no_hint_clear","level_id":"b"}"#,
            r#""hint_opened","quest_id":"a","level_id":"b","hint_id":"h","session_id":"s\n"}"#,
        ][kind];
        let mut text = String::from(r#"{"at":"2026-07-02T10:00:00.5+02:00","type":"#) + tail;
        let at = at.index(text.len());
        text.replace_range(at..=at, &byte);
        prop_assert_eq!(judge(&text), expected(&text), "{}", text);
    }
}
