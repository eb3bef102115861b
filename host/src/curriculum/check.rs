//! What a pack must be: ids by their grammar, everything named exists, nothing twice, no quest that waits for itself.
//! It never reads a file.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_saphyr::Spanned;

use super::read::{Draft, LevelDraft, PACK, QuestDraft, Value, fault};
use super::{Fault, Level, Pack, Quest};

/// JSON numbers stay exact up to here.
const MOST_XP: u64 = 1 << 53;

/// The pack, as far as it could be made out; it is good only if there are no faults.
pub(super) fn pack(draft: Draft, features: Option<&[String]>, faults: &mut Vec<Fault>) -> Option<Pack> {
    let pack = draft.pack?;
    let mut check = Check { file: PACK.to_owned(), start: 1, features, faults };
    let id = check.id(&pack.id, "id");
    let title = check.line(&pack.title, "title");
    let summary = check.line(&pack.summary, "summary");
    let mut levels = check.levels(pack.levels);
    levels.sort_by_key(|level| level.order);

    let mut quests = Vec::new();
    let mut lines = BTreeMap::new();
    for (file, draft, body) in draft.quests {
        let mut check = Check { file: file.clone(), start: 2, features, faults };
        let requires = draft.requires.iter().map(|quest| quest.referenced.line()).collect::<Vec<_>>();
        let quest = check.quest(draft, body, &levels);
        match lines.entry(quest.id.clone()) {
            Entry::Vacant(free) => {
                free.insert((file, requires));
            }
            Entry::Occupied(taken) => {
                check.fault(None, format!("has the id `{}`, as {} has", quest.id, taken.get().0));
            }
        }
        quests.push(quest);
    }
    requires(&quests, &levels, &lines, faults);
    let place = |quest: &Quest| levels.iter().position(|level| level.id == quest.level);
    quests.sort_by_key(place);
    Some(Pack { id, title, summary, levels, quests })
}

struct Check<'a> {
    file: String,
    /// The line to name for what is not there.
    start: u64,
    /// What the catalog has, if that is known.
    features: Option<&'a [String]>,
    faults: &'a mut Vec<Fault>,
}

impl Check<'_> {
    fn fault(&mut self, line: Option<u64>, message: String) {
        self.faults.push(fault(&self.file, line, message));
    }

    fn need<T: Clone + Default>(&mut self, value: &Value<T>, key: &str) -> (T, u64) {
        match value {
            Some(Spanned { value, referenced, .. }) => (value.clone(), referenced.line()),
            None => {
                self.fault(Some(self.start), format!("`{key}` is missing"));
                (T::default(), self.start)
            }
        }
    }

    fn id(&mut self, value: &Value<String>, key: &str) -> String {
        let (id, line) = self.need(value, key);
        if value.is_some() && !is_id(&id) {
            self.fault(
                Some(line),
                format!("`{id}` is not an id: small letters and digits, with single hyphens between"),
            );
        }
        id
    }

    fn line(&mut self, value: &Value<String>, key: &str) -> String {
        let (text, line) = self.need(value, key);
        if value.is_some() && (text.trim().is_empty() || text.contains('\n')) {
            self.fault(Some(line), format!("`{key}` must be one line of text"));
        }
        text
    }

    fn features(&mut self, unlocks: Vec<Spanned<String>>) -> Vec<String> {
        let mut features = Vec::new();
        for Spanned { value, referenced, .. } in unlocks {
            if !is_feature(&value) {
                self.fault(Some(referenced.line()), format!("`{value}` is not a feature id, as `tool:file` is"));
            } else if let Some(known) = self.features.filter(|known| !known.contains(&value)) {
                let message = format!("the catalog has no feature `{value}`; it has {}", known.join(", "));
                self.fault(Some(referenced.line()), message);
            } else if features.contains(&value) {
                self.fault(Some(referenced.line()), format!("`{value}` is unlocked twice"));
            }
            features.push(value);
        }
        features
    }

    fn levels(&mut self, drafts: Value<Vec<Spanned<LevelDraft>>>) -> Vec<Level> {
        let Some(drafts) = drafts else {
            self.fault(Some(1), "`levels` is missing".into());
            return Vec::new();
        };
        if drafts.value.is_empty() {
            self.fault(Some(drafts.referenced.line()), "a pack has at least one level".into());
        }
        let (mut ids, mut orders) = (BTreeSet::new(), BTreeSet::new());
        let mut levels = Vec::new();
        for Spanned { value: draft, referenced, .. } in drafts.value {
            self.start = referenced.line();
            let id = self.id(&draft.id, "id");
            let (order, order_line) = self.need(&draft.order, "order");
            if !ids.insert(id.clone()) {
                self.fault(Some(self.start), format!("the level `{id}` is there twice"));
            }
            if draft.order.is_some() && !orders.insert(order) {
                self.fault(Some(order_line), format!("the order {order} is there twice"));
            }
            levels.push(Level {
                id,
                order,
                title: self.line(&draft.title, "title"),
                summary: self.line(&draft.summary, "summary"),
                unlocks: self.features(draft.unlocks),
            });
        }
        levels
    }

    fn quest(&mut self, draft: QuestDraft, body: String, levels: &[Level]) -> Quest {
        let id = self.id(&draft.id, "id");
        let (level, level_line) = self.need(&draft.level, "level");
        let (xp, xp_line) = self.need(&draft.xp, "xp");
        if xp > MOST_XP {
            self.fault(Some(xp_line), format!("{xp} XP is more than 2^53"));
        }
        if draft.level.is_some() {
            self.place(&id, &level, level_line, levels);
        }
        Quest {
            id,
            level,
            title: self.line(&draft.title, "title"),
            summary: self.line(&draft.summary, "summary"),
            required: self.need(&draft.required, "required").0,
            xp,
            requires: draft.requires.into_iter().map(|quest| quest.value).collect(),
            unlocks: self.features(draft.unlocks),
            body,
        }
    }

    /// A quest lies in the folder of its level, under its own name.
    fn place(&mut self, id: &str, level: &str, line: u64, levels: &[Level]) {
        let Some(found) = levels.iter().find(|other| other.id == level) else {
            let known: Vec<&str> = levels.iter().map(|level| level.id.as_str()).collect();
            return self.fault(Some(line), format!("there is no level `{level}`; there are {}", known.join(", ")));
        };
        let wanted = format!("quests/{:02}-{level}/{id}.md", found.order);
        if is_id(id) && self.file != wanted {
            self.fault(None, format!("this quest belongs into {wanted}"));
        }
    }
}

/// `requires` names quests that exist, in the same or an earlier level, and leads in no circle.
fn requires(quests: &[Quest], levels: &[Level], lines: &BTreeMap<String, (String, Vec<u64>)>, faults: &mut Vec<Fault>) {
    let by_id: BTreeMap<&str, &Quest> = quests.iter().map(|quest| (quest.id.as_str(), quest)).collect();
    let order = |quest: &Quest| levels.iter().find(|level| level.id == quest.level).map(|level| level.order);
    for quest in quests {
        let Some((file, lines)) = lines.get(&quest.id) else { continue };
        for (needed, line) in quest.requires.iter().zip(lines) {
            let message = match by_id.get(needed.as_str()) {
                None => format!("there is no quest `{needed}`"),
                Some(other) if order(other) > order(quest) => format!("`{needed}` belongs to a later level"),
                Some(other) if quest.required && !other.required => {
                    format!("a required quest cannot wait for `{needed}`, which is optional")
                }
                Some(_) if waits_for(needed, &quest.id, &by_id) => {
                    format!("`{needed}` waits for `{}` itself", quest.id)
                }
                Some(_) => continue,
            };
            faults.push(fault(file, Some(*line), message));
        }
    }
}

fn waits_for(from: &str, wanted: &str, quests: &BTreeMap<&str, &Quest>) -> bool {
    let mut seen = BTreeSet::new();
    let mut ahead = vec![from];
    while let Some(id) = ahead.pop() {
        if id == wanted {
            return true;
        }
        if seen.insert(id) {
            ahead.extend(quests.get(id).into_iter().flat_map(|quest| &quest.requires).map(String::as_str));
        }
    }
    false
}

/// `^[a-z0-9]+(?:-[a-z0-9]+)*$`, at most 128 bytes.
fn is_id(text: &str) -> bool {
    is_words(text, &['-'])
}

/// `^[a-z][a-z0-9]*(?:[-:.][a-z0-9]+)*$`, at most 128 bytes.
fn is_feature(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase()) && is_words(text, &['-', ':', '.'])
}

fn is_words(text: &str, between: &[char]) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.len() <= 128 && text.split(between).all(is_word)
}
