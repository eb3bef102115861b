//! The event log for people: each line in words. Which lines count the component says; a line that it skips is shown as
//! it stands.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bindings::Diagnostic;

/// One line of the log.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// Counted from 1.
    pub number: u64,
    /// The event; none for a line that the component skips.
    pub event: Option<Value>,
    /// What is wrong with it.
    pub fault: Option<String>,
    /// Without its end.
    pub text: String,
}

/// The lines of a log, or of a part that begins behind `before` lines; blank ones are left out.
pub(crate) fn lines(log: &[u8], before: u64, diagnostics: &[Diagnostic]) -> Vec<Line> {
    let faults: BTreeMap<u64, &str> =
        diagnostics.iter().filter_map(|fault| Some((u64::from(fault.line?), fault.message.as_str()))).collect();
    let mut lines = Vec::new();
    for (index, bytes) in log.split(|byte| *byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(bytes).trim_end_matches('\r').to_owned();
        if text.trim().is_empty() {
            continue;
        }
        let number = before + index as u64 + 1;
        let fault = faults.get(&number).map(|message| (*message).to_owned());
        let event = fault.is_none().then(|| serde_json::from_str(&text).ok()).flatten();
        lines.push(Line { number, event, fault, text });
    }
    lines
}

impl Line {
    fn field(&self, key: &str) -> &str {
        self.event.as_ref().and_then(|event| event.get(key)).and_then(Value::as_str).unwrap_or_default()
    }

    /// When, as the event says.
    pub(crate) fn at(&self) -> &str {
        self.field("at")
    }

    /// The `type`.
    pub(crate) fn kind(&self) -> &str {
        self.field("type")
    }

    /// `feature` or `level`, and the id, of an unlock.
    pub(crate) fn unlocked(&self) -> Option<(&str, &str)> {
        let target = self.event.as_ref().filter(|_| self.kind() == "unlock")?.get("target")?;
        Some((target.get("type")?.as_str()?, target.get("id")?.as_str()?))
    }

    /// Why and where from: `quest say-hello`, `cheat`.
    pub(crate) fn reason(&self) -> String {
        match (self.field("source_quest_id"), self.field("source_level_id"), self.field("reason")) {
            ("", "", reason) => reason.to_owned(),
            ("", level, _) => format!("level {level} complete"),
            (quest, ..) => format!("quest {quest} done"),
        }
    }

    /// What happened, in a few words.
    pub(crate) fn words(&self) -> String {
        if let Some(fault) = &self.fault {
            return format!("skipped: {fault}");
        }
        let number =
            |key: &str| self.event.as_ref().and_then(|event| event.get(key)).and_then(Value::as_u64).unwrap_or(0);
        let of = |key: &str| match self.field(key) {
            "" => String::new(),
            id => format!(" ({id})"),
        };
        match self.kind() {
            "quest_completed" => {
                let optional =
                    self.event.as_ref().is_some_and(|event| event.get("required") == Some(&Value::Bool(false)));
                let optional = if optional { ", optional" } else { "" };
                format!("quest done: {}{}{optional}, {} XP", self.field("quest_id"), of("level_id"), number("xp"))
            }
            "unlock" => match self.unlocked() {
                Some((kind, id)) => format!("unlocked {kind} {id}: {}", self.reason()),
                None => self.text.clone(),
            },
            "xp_award" => format!("{} XP{}", number("amount"), of("quest_id")),
            "badge_award" => format!("badge {}{}", self.field("badge"), of("level_id")),
            "hint_opened" => format!("hint opened: {}", self.field("quest_id")),
            "" => self.text.clone(),
            other => format!("{other} (a newer garnish wrote this)"),
        }
    }
}
