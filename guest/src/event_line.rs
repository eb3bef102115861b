//! One line of the event log → one event.
//!
//! It judges a line by itself: it knows no graph and no other line. A line with a field that is doubled, unknown, of
//! another type's, or `null` is no event; nor is one with a number such as `541.0`.

use alloc::{borrow::Cow, format, string::String};

use crate::{
    event::{Badge, BadgeKind, Event, EventKind, Reason, Target, is_timestamp},
    fields::MAX_INTEGER,
    id::{FeatureId, LevelId, QuestId, is_slug},
    json_scan::{Broken, Piece, Scanner},
    words::quoted,
};

/// Longest line that is read, in bytes without the line feed. Garnish's own lines are under 1 KiB.
pub const MAX_LINE: usize = 64 * 1024;

/// Why a line gives no event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// A newer garnish wrote it: a JSON object with a `type` that this version does not know.
    UnknownType,
    /// It cannot be read, for this reason.
    Bad(String),
}

impl From<Broken> for LineFault {
    fn from(broken: Broken) -> Self {
        LineFault::Bad(format!("{}, at byte {}", broken.what, broken.at + 1))
    }
}

fn bad<T>(reason: impl Into<String>) -> Result<T, LineFault> {
    Err(LineFault::Bad(reason.into()))
}

const TYPES: [&str; 5] = ["quest_completed", "unlock", "xp_award", "badge_award", "hint_opened"];

/// The types of [`TYPES`] as bits.
const QUEST: u8 = 1;
const UNLOCK: u8 = 1 << 1;
const XP: u8 = 1 << 2;
const BADGE: u8 = 1 << 3;
const HINT: u8 = 1 << 4;
const ANY: u8 = QUEST | UNLOCK | XP | BADGE | HINT;

/// The fields of events, in the order of [`FIELDS`].
#[derive(Clone, Copy)]
enum Field {
    At,
    Type,
    SessionId,
    QuestId,
    LevelId,
    Required,
    Xp,
    Target,
    Reason,
    SourceQuestId,
    SourceLevelId,
    Amount,
    Total,
    Badge,
    HintId,
}

/// Each field's name, and the types that have it.
const FIELDS: [(&str, u8); 15] = [
    ("at", ANY),
    ("type", ANY),
    ("session_id", ANY),
    ("quest_id", QUEST | XP | BADGE | HINT),
    ("level_id", QUEST | BADGE | HINT),
    ("required", QUEST),
    ("xp", QUEST),
    ("target", UNLOCK),
    ("reason", UNLOCK),
    ("source_quest_id", UNLOCK),
    ("source_level_id", UNLOCK),
    ("amount", XP),
    ("total", XP),
    ("badge", BADGE),
    ("hint_id", HINT),
];

/// Reads one line, without its line feed.
///
/// # Errors
/// [`LineFault::UnknownType`] for an event of a newer version; [`LineFault::Bad`] for everything that is not an event.
pub fn parse(line: &[u8]) -> Result<Event, LineFault> {
    if line.len() > MAX_LINE {
        return bad("it is longer than 64 KiB");
    }
    let Ok(text) = core::str::from_utf8(line) else { return bad("it is not UTF-8") };
    let mut line = Line { values: Default::default() };
    // Told only once the type is known: a newer version may have other fields.
    let fault = line.read(text)?;
    let type_ = line.text(Field::Type)?.ok_or_else(|| missing(Field::Type))?;
    let Some(index) = TYPES.iter().position(|known| *known == type_) else { return Err(LineFault::UnknownType) };
    if let Some((what, key)) = fault {
        return bad(format!("{what} {key}"));
    }
    for (value, (name, types)) in line.values.iter().zip(FIELDS) {
        if value.is_some() && types & (1 << index) == 0 {
            return bad(format!("a {type_} has no {name}"));
        }
    }
    line.event(1 << index)
}

/// What a field says.
enum Said<'t> {
    Text(Cow<'t, str>),
    /// No text, or one with half a character in it.
    Other(Piece<'t>),
}

impl<'t> From<Piece<'t>> for Said<'t> {
    fn from(piece: Piece<'t>) -> Self {
        let text = match piece {
            Piece::Text(text) => text.decode(),
            _ => None,
        };
        text.map_or(Said::Other(piece), Said::Text)
    }
}

/// What the fields of a line say.
struct Line<'t> {
    values: [Option<Said<'t>>; FIELDS.len()],
}

fn name(field: Field) -> &'static str {
    FIELDS[field as usize].0
}

fn missing(field: Field) -> LineFault {
    LineFault::Bad(format!("it has no {}", name(field)))
}

fn is_none(field: Field, text: &str) -> LineFault {
    LineFault::Bad(format!("its {}, {}, is none", name(field), quoted(text)))
}

/// The next key of an object.
fn next_key<'t>(scanner: &mut Scanner<'t>, first: bool) -> Result<Option<Cow<'t, str>>, LineFault> {
    let Some(key) = scanner.next_key(first)? else { return Ok(None) };
    match key.text.decode() {
        Some(key) => Ok(Some(key)),
        None => bad("it has half a character (`\\ud…`)"),
    }
}

impl<'t> Line<'t> {
    /// Reads the fields of an object. What is wrong with one of them does not keep the others from being read.
    fn read(&mut self, text: &'t str) -> Result<Option<(&'static str, Cow<'t, str>)>, LineFault> {
        let mut scanner = Scanner::new(text);
        let mut fault = None;
        let mut first = true;
        while let Some(key) = next_key(&mut scanner, first)? {
            first = false;
            let value = scanner.value()?.into();
            match FIELDS.iter().position(|(name, _)| *name == key) {
                Some(at) if self.values[at].is_none() => self.values[at] = Some(value),
                Some(at) if at == Field::Type as usize => return bad("it has two types"),
                Some(_) => fault = Some(("it has two fields", key)),
                None => fault = Some(("no event has a field", key)),
            }
        }
        scanner.end()?;
        Ok(fault)
    }

    fn event(&self, type_: u8) -> Result<Event, LineFault> {
        self.text(Field::SessionId)?;
        self.text(Field::HintId)?;
        let kind = match type_ {
            QUEST => EventKind::QuestCompleted {
                quest: self.need_quest()?,
                level: self.need_level()?,
                required: match self.get(Field::Required) {
                    Some(Said::Other(Piece::Bool(required))) => *required,
                    None => return Err(missing(Field::Required)),
                    _ => return bad("its required is neither true nor false"),
                },
                xp: self.count(Field::Xp)?.ok_or_else(|| missing(Field::Xp))?,
            },
            UNLOCK => EventKind::Unlock {
                target: match self.get(Field::Target) {
                    Some(Said::Other(Piece::Nested(object))) => target(object)?,
                    None => return Err(missing(Field::Target)),
                    _ => return bad("its target is no object"),
                },
                reason: self.one_of(Field::Reason, Reason::ALL.into_iter().map(|reason| (reason.as_str(), reason)))?,
                source_quest: self.slug(Field::SourceQuestId)?.and_then(QuestId::new),
                source_level: self.slug(Field::SourceLevelId)?.and_then(LevelId::new),
            },
            XP => {
                self.count(Field::Total)?;
                match self.count(Field::Amount)? {
                    None => return Err(missing(Field::Amount)),
                    Some(0) => return bad("its amount is 0"),
                    Some(amount) => {
                        EventKind::XpAward { amount, quest: self.slug(Field::QuestId)?.and_then(QuestId::new) }
                    }
                }
            }
            BADGE => EventKind::BadgeAward(Badge {
                kind: self.one_of(Field::Badge, BadgeKind::ALL.into_iter().map(|kind| (kind.as_str(), kind)))?,
                level: self.slug(Field::LevelId)?.and_then(LevelId::new),
                quest: self.slug(Field::QuestId)?.and_then(QuestId::new),
            }),
            _ => EventKind::HintOpened { quest: self.need_quest()?, level: self.need_level()? },
        };
        let at = self.text(Field::At)?.ok_or_else(|| missing(Field::At))?;
        if !is_timestamp(at) {
            return bad(format!("its at, {}, is no ISO 8601 time with zone", quoted(at)));
        }
        Ok(Event { at: at.into(), kind })
    }

    fn get(&self, field: Field) -> Option<&Said<'t>> {
        self.values[field as usize].as_ref()
    }

    fn text(&self, field: Field) -> Result<Option<&str>, LineFault> {
        match self.get(field) {
            None => Ok(None),
            Some(Said::Text(text)) => Ok(Some(text)),
            Some(_) => bad(format!("its {} is no text", name(field))),
        }
    }

    /// The id of a quest or level.
    fn slug(&self, field: Field) -> Result<Option<&str>, LineFault> {
        match self.text(field)? {
            Some(text) if !is_slug(text) => Err(is_none(field, text)),
            text => Ok(text),
        }
    }

    fn need_quest(&self) -> Result<QuestId, LineFault> {
        self.slug(Field::QuestId)?.and_then(QuestId::new).ok_or_else(|| missing(Field::QuestId))
    }

    fn need_level(&self) -> Result<LevelId, LineFault> {
        self.slug(Field::LevelId)?.and_then(LevelId::new).ok_or_else(|| missing(Field::LevelId))
    }

    /// One of a few words.
    fn one_of<T>(&self, field: Field, mut words: impl Iterator<Item = (&'static str, T)>) -> Result<T, LineFault> {
        let text = self.text(field)?.ok_or_else(|| missing(field))?;
        words.find(|(word, _)| *word == text).map(|(_, meant)| meant).ok_or_else(|| is_none(field, text))
    }

    fn count(&self, field: Field) -> Result<Option<u64>, LineFault> {
        let number = match self.get(field) {
            None => return Ok(None),
            Some(Said::Other(Piece::Number(number))) => *number,
            Some(_) => "-",
        };
        let mut count: u64 = 0;
        for byte in number.bytes() {
            // Too much, for what is no digit too: it stays so.
            let digit = if byte.is_ascii_digit() { u64::from(byte - b'0') } else { u64::MAX };
            count = count.saturating_mul(10).saturating_add(digit);
        }
        if count > MAX_INTEGER {
            return bad(format!("its {} is no whole number up to 2^53", name(field)));
        }
        Ok(Some(count))
    }
}

/// What an unlock opens: `{"type":…,"id":…}`.
fn target(object: &str) -> Result<Target, LineFault> {
    let mut scanner = Scanner::new(object);
    let mut said = [None, None];
    let mut first = true;
    while let Some(key) = next_key(&mut scanner, first)? {
        first = false;
        let slot = match &*key {
            "type" => &mut said[0],
            "id" => &mut said[1],
            other => return bad(format!("no target has a field {other}")),
        };
        match scanner.value()?.into() {
            Said::Text(text) if slot.is_none() => *slot = Some(text),
            _ => return bad("its target needs one type and one id"),
        }
    }
    let [Some(type_), Some(id)] = said else { return bad("its target needs a type and an id") };
    let target = match &*type_ {
        "feature" => FeatureId::new(&id).map(Target::Feature),
        "level" => LevelId::new(&id).map(Target::Level),
        other => return bad(format!("its target's type, {}, is neither feature nor level", quoted(other))),
    };
    target.ok_or_else(|| LineFault::Bad(format!("its target's id, {}, is none", quoted(&id))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNLOCK: &str =
        r#"{"at":"2026-07-02T10:00:00Z","type":"unlock","target":{"type":"feature","id":"skills"},"reason":"cheat"}"#;

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
            "",
            "{",
            "[]",
            "null",
            "{}",
            r#"{"type":7}"#,
            &UNLOCK[..40],
            &UNLOCK.replace("skills", "../skills"),
            &UNLOCK.replace("cheat", "luck"),
            &UNLOCK.replace("\"feature\"", "\"tool\""),
            &UNLOCK.replace("Z\"", "\""),
            &UNLOCK.replace("2026-07", "2026-13"),
            &UNLOCK.replace("{\"at", "{\"extra\":1,\"at"),
            &UNLOCK.replace("{\"at", "{\"reason\":\"cheat\",\"at"),
            &UNLOCK.replace("{\"at", "{\"xp\":1,\"at"),
            &UNLOCK.replace("{\"at", "{\"source_quest_id\":null,\"at"),
            &alloc::format!("{UNLOCK} {UNLOCK}"),
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":0}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":541.0}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":-1}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"xp_award","amount":9007199254740993}"#,
            r#"{"at":"2026-07-02T10:00Z","type":"unlock","type":"unlock"}"#,
        ] {
            assert!(bad(line), "{line}");
        }
        assert!(matches!(parse(b"\xff"), Err(LineFault::Bad(_))));
        assert!(matches!(parse(&[b' '; MAX_LINE + 1]), Err(LineFault::Bad(_))));
    }
}
