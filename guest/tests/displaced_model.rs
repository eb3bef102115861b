//! What becomes of the learner's values while garnish holds their places: random lives of an agent dir (unlocks, the
//! learner's edits, the harness's saves of what it loaded long ago, eject) against the rule said plainly.
//!
//! The rule, place by place and entry by entry: while a gate needs it garnish's value stands; when none does, the
//! learner's, once, and then it is theirs. Theirs is what they had, or what they changed since. What the harness saves
//! from an older state of ours is no change of theirs, but where that state had already given the place back.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::collections::BTreeMap;

use common::{Rules, all_rules, cases, path, read_elsewhere, read_json_elsewhere};
use garnish_guest::{
    capability::{Capability, approval_strength},
    eject::{Ejected, eject},
    gate_config::{Gate, Leaf, LeafForm, insert, leaves, marked_held},
    merge::{File, merge},
    profile::MARKER,
    value::{Mapping, Value},
};
use proptest::prelude::*;

/// How many lives.
const CASES: u32 = 4_000;

/// What happens. Places and values are numbers: which there are depends on the catalog.
#[derive(Debug, Clone)]
enum Event {
    /// Features open, and garnish applies it.
    Unlock(u16),
    /// Garnish looks at the files again.
    Look,
    /// The learner sets a place, or takes it out.
    Edit(usize, usize),
    /// The learner takes an entry into a deny-list, or out of it.
    List(usize, usize, bool),
    /// The learner sets a key that is none of garnish's, beside those that are.
    Own(usize, usize),
    /// The harness loads `config.yml`.
    Load,
    /// The harness saves what it loaded, perhaps with a setting changed.
    Save(Option<(usize, usize)>),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        4 => any::<u16>().prop_flat_map(|bits| (0..16u32).prop_map(move |n| Event::Unlock(bits & (1 << n)))),
        2 => Just(Event::Look),
        4 => (0..64usize, 0..8usize).prop_map(|(place, value)| Event::Edit(place, value)),
        3 => (0..8usize, 0..12usize, any::<bool>()).prop_map(|(list, entry, there)| Event::List(list, entry, there)),
        1 => (0..64usize, 0..3usize).prop_map(|(place, value)| Event::Own(place, value)),
        2 => Just(Event::Load),
        3 => prop::option::of((0..64usize, 0..8usize)).prop_map(Event::Save),
    ]
}

/// Files of an agent dir as values; written and read with other implementations than garnish's.
#[derive(Debug, Clone, Default)]
struct Dir(BTreeMap<String, Vec<u8>>);

fn to_yaml(value: &Value) -> yaml_serde::Value {
    match value {
        Value::Null => yaml_serde::Value::Null,
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => (*number as i64).into(),
        Value::String(text) => text.as_str().into(),
        Value::List(items) => yaml_serde::Value::Sequence(items.iter().map(to_yaml).collect()),
        Value::Map(map) => {
            yaml_serde::Value::Mapping(map.iter().map(|(key, value)| (key.as_str().into(), to_yaml(value))).collect())
        }
    }
}

impl Dir {
    fn files(&self) -> Vec<File> {
        self.0.iter().map(|(path, bytes)| File { path: path.clone(), bytes: bytes.clone() }).collect()
    }

    fn read(&self, path: &str) -> Option<Value> {
        let bytes = self.0.get(path)?;
        Some(if path.ends_with(".json") { read_json_elsewhere(bytes) } else { read_elsewhere(bytes) })
    }

    fn write(&mut self, path: &str, value: &Value) {
        let yaml = to_yaml(value);
        let text = if path.ends_with(".json") {
            serde_json::to_string_pretty(&yaml).unwrap()
        } else if value.as_map().is_some_and(Mapping::is_empty) {
            String::new()
        } else {
            yaml_serde::to_string(&yaml).unwrap()
        };
        self.0.insert(path.into(), text.into_bytes());
    }

    fn change(&mut self, path: &str, at: &[String], new: Option<Value>) {
        let mut value = self.read(path).unwrap_or(Value::Map(Mapping::new()));
        match new {
            Some(new) => insert(&mut value, at, new),
            None => value = without(&value, at),
        }
        self.write(path, &value);
    }
}

fn without(value: &Value, at: &[String]) -> Value {
    let (Some((key, rest)), Value::Map(map)) = (at.split_first(), value) else { return value.clone() };
    let kept = map.iter().filter(|(other, _)| !(rest.is_empty() && *other == key));
    Value::Map(kept.map(|(k, v)| (k.clone(), if k == key { without(v, rest) } else { v.clone() })).collect())
}

/// One thing that garnish may hold: a key, or an entry of a deny-list.
struct Place<'r> {
    file: &'static str,
    leaf: Leaf<'r>,
    entry: Option<(Capability, String)>,
}

/// What is known of it: what the learner wants there, and what garnish left there last.
#[derive(Debug, Clone, Default)]
struct Known {
    theirs: Option<Value>,
    left: Option<Value>,
    is_back: bool,
}

fn places(rules: &Rules) -> Vec<Place<'_>> {
    let mut places = Vec::new();
    for leaf in leaves(&rules.catalog, &rules.profile) {
        let file = ["config.yml", "mcp.json"][leaf.file];
        match leaf.form {
            LeafForm::Deny(rule) => places.extend(leaf.needs.iter().map(|need| Place {
                file,
                leaf: leaf.clone(),
                entry: Some((need.clone(), rule.entry(need))),
            })),
            _ => places.push(Place { file, leaf, entry: None }),
        }
    }
    places
}

impl Place<'_> {
    /// What the file says here. Of an entry: null if it is in the list.
    fn found(&self, file: Option<&Value>) -> Option<Value> {
        let value = file?.at(&self.leaf.path)?;
        match &self.entry {
            None => Some(value.clone()),
            Some((_, name)) => value.as_list()?.iter().any(|item| item.as_str() == Some(name)).then_some(Value::Null),
        }
    }

    fn is_held(&self, gate: &Gate) -> bool {
        match &self.entry {
            Some((need, _)) => gate.held.contains(need),
            None if matches!(self.leaf.form, LeafForm::Switch(_)) => {
                self.leaf.needs.iter().all(|need| gate.held.contains(need))
            }
            None => self.leaf.needs.iter().any(|need| gate.held.contains(need)),
        }
    }

    /// Whether a marker says that garnish's value stands here.
    fn is_marked(&self, file: &Value) -> bool {
        match &self.entry {
            Some((need, _)) => marked_held(file).is_some_and(|held| held.contains(need)),
            None => {
                let dotted = Value::from(self.leaf.path.join(".").as_str());
                file.at(&[MARKER, "leaves"]).and_then(Value::as_list).is_some_and(|leaves| leaves.contains(&dotted))
            }
        }
    }

    /// What stands here while it is held.
    fn held_value(&self, gate: &Gate, theirs: Option<&Value>) -> Value {
        if self.entry.is_some() {
            return Value::Null;
        }
        let said = self.leaf.rendered(&gate.open, &gate.held).unwrap();
        let strength = |value: &Value| value.as_str().and_then(approval_strength);
        match (self.leaf.form, theirs) {
            (LeafForm::Any, Some(Value::Bool(false))) => Value::Bool(false),
            (LeafForm::Level(_), Some(theirs)) if strength(theirs).is_some() && strength(theirs) < strength(&said) => {
                theirs.clone()
            }
            _ => said,
        }
    }

    /// What a learner may set here.
    fn value(&self, number: usize) -> Option<Value> {
        let texts = |texts: &[&str]| Some(texts.iter().copied().collect::<Value>());
        let choices: [Option<Value>; 6] = match self.leaf.form {
            LeafForm::Level(_) => [
                None,
                Some("yolo".into()),
                Some("write".into()),
                Some("always-ask".into()),
                Some("odd".into()),
                Some(Value::Null),
            ],
            LeafForm::Allow => {
                [None, texts(&["mine"]), texts(&["*"]), texts(&[]), texts(&["a", "b"]), Some(Value::Null)]
            }
            LeafForm::Switch(_) => [
                None,
                Some(Value::Number(3.0)),
                Some(Value::Number(0.0)),
                Some(true.into()),
                Some(false.into()),
                Some(Value::Null),
            ],
            _ => [None, Some(true.into()), Some(false.into()), Some("no".into()), Some(Value::Null), Some(true.into())],
        };
        choices[number % choices.len()].clone()
    }
}

/// A whole life: the folder, garnish's memory, and what we know without looking into it.
struct Life<'r> {
    rules: &'r Rules,
    places: Vec<Place<'r>>,
    known: Vec<Known>,
    dir: Dir,
    memory: Option<Vec<u8>>,
    open: u16,
    markers: BTreeMap<&'static str, Value>,
    loaded: Option<Value>,
    story: String,
}

impl Life<'_> {
    /// What the learner wants, as the files show it to somebody who knows what garnish left there.
    fn look(&mut self) {
        for file in ["config.yml", "mcp.json"] {
            let value = self.dir.read(file);
            let marker = value.as_ref().and_then(|value| value.at(&[MARKER]));
            let is_current = marker.is_some() && marker == self.markers.get(file);
            // Without a marker, but with everything that garnish holds: only the marker was taken out.
            let mut held = self.places.iter().zip(&self.known).filter(|(place, known)| {
                place.file == file && place.entry.is_none() && known.left.is_some() && !known.is_back
            });
            let mut all = held.clone();
            let is_old = marker.is_some()
                || held.next().is_some() && all.all(|(place, known)| place.found(value.as_ref()) == known.left);
            for (place, known) in self.places.iter().zip(&mut self.known).filter(|(place, _)| place.file == file) {
                let found = place.found(value.as_ref());
                let is_marked = value.as_ref().is_some_and(|value| place.is_marked(value));
                let list = value.as_ref().and_then(|value| value.at(&place.leaf.path)).and_then(Value::as_list);
                let is_there = if place.entry.is_some() { list.is_some() } else { found.is_some() };
                let is_theirs = match (is_current, is_old) {
                    (true, _) => found != known.left,
                    (_, true) => known.is_back && !is_marked && found != known.left,
                    _ => is_there,
                };
                if is_theirs {
                    known.theirs = found.clone();
                }
            }
        }
    }

    /// Garnish applies the gate; then the files must say what the rule says, and a second time nothing happens.
    fn apply(&mut self) -> Result<(), TestCaseError> {
        self.look();
        let gate = self.rules.gate(self.open);
        let before = self.dir.clone();
        let (catalog, profile) = (&self.rules.catalog, &self.rules.profile);
        let merged = merge(&self.dir.files(), &gate, catalog, profile, self.memory.as_deref());
        let merged = merged.map_err(|refusal| self.fail(&format!("refused: {refusal:?}")))?;
        for file in merged.changed {
            self.dir.0.insert(file.path, file.bytes);
        }
        self.memory = merged.displaced.or(self.memory.take());
        let again = merge(&self.dir.files(), &gate, catalog, profile, self.memory.as_deref()).unwrap();
        if !again.changed.is_empty() || again.displaced.is_some() {
            return Err(self.fail(&format!("not a fixed point: {again:?}")));
        }
        for at in 0..self.places.len() {
            let place = &self.places[at];
            let found = place.found(self.dir.read(place.file).as_ref());
            let known = &self.known[at];
            let held = place.is_held(&gate);
            let right = match held {
                true => found == Some(place.held_value(&gate, known.theirs.as_ref())),
                // Where they have nothing, what is there opens.
                false => found == known.theirs || known.theirs.is_none() && self.is_open(place, found.as_ref()),
            };
            if !right {
                let what = format!(
                    "{:?} {:?} is {found:?}, held: {held}, theirs: {:?}",
                    place.leaf.path, place.entry, known.theirs
                );
                return Err(self.fail(&what));
            }
            let known = &mut self.known[at];
            known.left = found;
            known.is_back = !held;
        }
        for file in ["config.yml", "mcp.json"] {
            self.markers.insert(file, self.dir.read(file).unwrap().at(&[MARKER]).unwrap().clone());
        }
        prop_assert_eq!(self.own(&before), self.own(&self.dir), "{}", self.story);
        Ok(())
    }

    fn is_open(&self, place: &Place<'_>, found: Option<&Value>) -> bool {
        match (place.leaf.form, found) {
            (LeafForm::Toggle | LeafForm::Any, Some(value)) => value.is_true(),
            (LeafForm::Allow, Some(value)) => *value == ["*"].into_iter().collect(),
            (LeafForm::Level(_), Some(value)) => value.as_str() == Some("yolo"),
            (LeafForm::Switch(switch), value) => value == switch.open.as_ref(),
            _ => false,
        }
    }

    fn fail(&self, what: &str) -> TestCaseError {
        let files: Vec<String> =
            self.dir.0.iter().map(|(path, bytes)| format!("== {path}\n{}", String::from_utf8_lossy(bytes))).collect();
        let memory = String::from_utf8_lossy(self.memory.as_deref().unwrap_or_default()).into_owned();
        TestCaseError::fail(format!("{what}\n{}{}\n== memory\n{memory}", self.story, files.join("\n")))
    }

    /// What is none of garnish's: the files without its places and its marker.
    fn own(&self, dir: &Dir) -> Vec<Value> {
        let mut files = Vec::new();
        for file in ["config.yml", "mcp.json"] {
            let mut value = dir.read(file).unwrap_or(Value::Map(Mapping::new()));
            for place in self.places.iter().filter(|place| place.file == file) {
                value = match (&place.entry, value.at(&place.leaf.path)) {
                    (Some((_, name)), Some(Value::List(items))) => {
                        let kept: Vec<Value> =
                            items.iter().filter(|item| item.as_str() != Some(name)).cloned().collect();
                        let mut value = value.clone();
                        insert(&mut value, &place.leaf.path, Value::List(kept));
                        value
                    }
                    (Some(_), _) => value,
                    (None, _) => without(&value, &place.leaf.path),
                };
            }
            value = without(&value, &path(MARKER));
            files.push(hollowed(&without(&value, &path("$schema"))));
        }
        files
    }

    fn live(&mut self, event: &Event) -> Result<(), TestCaseError> {
        self.story += &format!("{event:?}\n");
        match event {
            Event::Unlock(bits) => {
                self.open |= bits;
                self.apply()?;
            }
            Event::Look => self.apply()?,
            Event::Edit(place, value) => {
                let keys: Vec<usize> = (0..self.places.len()).filter(|at| self.places[*at].entry.is_none()).collect();
                let place = &self.places[keys[place % keys.len()]];
                self.story += &format!("   {:?} = {:?}\n", place.leaf.path, place.value(*value));
                self.dir.change(place.file, &place.leaf.path, place.value(*value));
            }
            Event::List(list, entry, there) => {
                let mut lists: Vec<_> = self.places.iter().filter(|place| place.entry.is_some()).collect();
                lists.dedup_by(|a, b| a.leaf.path == b.leaf.path);
                let list = lists[list % lists.len()];
                let names: Vec<&String> = self
                    .places
                    .iter()
                    .filter(|place| place.leaf.path == list.leaf.path)
                    .map(|place| &place.entry.as_ref().unwrap().1)
                    .collect();
                let own = "mine".to_string();
                let name = names.get(entry % (names.len() + 1)).copied().unwrap_or(&own).as_str();
                let file = self.dir.read(list.file);
                let now = file.as_ref().and_then(|file| file.at(&list.leaf.path)).and_then(Value::as_list);
                let mut items: Vec<Value> = now.unwrap_or_default().to_vec();
                items.retain(|item| item.as_str() != Some(name));
                if *there {
                    items.insert(entry % (items.len() + 1), name.into());
                }
                self.story += &format!("   {:?} = {items:?}\n", list.leaf.path);
                let (file, path) = (list.file, list.leaf.path.clone());
                self.dir.change(file, &path, Some(Value::List(items)));
            }
            Event::Own(place, value) => {
                let place = &self.places[place % self.places.len()];
                let mut at = place.leaf.path.clone();
                *at.last_mut().unwrap() = "own".into();
                let value = [None, Some(Value::from("x")), Some(Value::Number(1.0))][*value].clone();
                self.dir.change(place.file, &at, value);
            }
            Event::Load => self.loaded = self.dir.read("config.yml"),
            Event::Save(change) => {
                let Some(mut saved) = self.loaded.clone() else { return Ok(()) };
                if let Some((place, value)) = change {
                    let keys: Vec<&Place<'_>> = self
                        .places
                        .iter()
                        .filter(|place| place.entry.is_none() && place.file == "config.yml")
                        .collect();
                    let place = keys[place % keys.len()];
                    self.story += &format!("   with {:?} = {:?}\n", place.leaf.path, place.value(*value));
                    match place.value(*value) {
                        Some(value) => insert(&mut saved, &place.leaf.path, value),
                        None => saved = without(&saved, &place.leaf.path),
                    }
                    self.loaded = Some(saved.clone());
                }
                self.dir.write("config.yml", &saved);
            }
        }
        Ok(())
    }

    /// Everything is given back: each place is as the learner wants it, nothing of garnish is left.
    fn end(mut self) -> Result<(), TestCaseError> {
        self.story += "eject\n";
        self.look();
        let before = self.dir.clone();
        let memory = self.memory.clone().unwrap_or_default();
        let ejected = eject(&self.dir.files(), &self.rules.profile, &memory);
        let Ejected { changed, removed } = ejected.map_err(|refusal| self.fail(&format!("refused: {refusal:?}")))?;
        for file in changed {
            self.dir.0.insert(file.path, file.bytes);
        }
        for path in removed {
            self.dir.0.remove(&path);
        }
        for (place, known) in self.places.iter().zip(&self.known) {
            let found = place.found(self.dir.read(place.file).as_ref());
            if found != known.theirs {
                let what = format!("{:?} {:?} is {found:?}, theirs: {:?}", place.leaf.path, place.entry, known.theirs);
                return Err(self.fail(&what));
            }
        }
        for (file, bytes) in &self.dir.0 {
            let text = String::from_utf8_lossy(bytes);
            prop_assert!(
                !text.contains("Generated by") && self.dir.read(file).unwrap().at(&[MARKER]).is_none(),
                "{}",
                text
            );
        }
        prop_assert_eq!(self.own(&before), self.own(&self.dir), "{}", self.story);
        Ok(())
    }
}

/// Without mappings and lists that hold nothing.
fn hollowed(value: &Value) -> Value {
    match value {
        Value::Map(map) => {
            let kept = map.iter().map(|(key, value)| (key.clone(), hollowed(value)));
            let hollow = |value: &Value| match value {
                Value::Null => true,
                Value::Map(map) => map.is_empty(),
                Value::List(items) => items.is_empty(),
                _ => false,
            };
            Value::Map(kept.filter(|(_, value)| !hollow(value)).collect())
        }
        other => other.clone(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(CASES), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_value_is_garnishs_while_held_and_then_the_learners(
        rules in 0..all_rules().len(),
        there in any::<[bool; 2]>(),
        first in prop::collection::vec(prop_oneof![
            3 => (0..64usize, 0..8usize).prop_map(|(place, value)| Event::Edit(place, value)),
            2 => (0..8usize, 0..12usize, Just(true)).prop_map(|(list, entry, there)| Event::List(list, entry, there)),
            1 => (0..64usize, 0..3usize).prop_map(|(place, value)| Event::Own(place, value)),
        ], 0..6),
        open in any::<u16>(),
        events in prop::collection::vec(event(), 0..16),
    ) {
        let rules = &all_rules()[rules];
        let places = places(rules);
        let known = vec![Known::default(); places.len()];
        let mut life = Life {
            rules,
            places,
            known,
            dir: Dir::default(),
            memory: None,
            open: 0,
            markers: BTreeMap::new(),
            loaded: None,
            story: String::new(),
        };
        for (there, path) in there.into_iter().zip(["config.yml", "mcp.json"]) {
            if there {
                life.dir.write(path, &Value::Map(Mapping::new()));
            }
        }
        for event in &first {
            life.live(event)?;
        }
        life.live(&Event::Unlock(open))?;
        for event in &events {
            life.live(event)?;
        }
        life.end()?;
    }
}
