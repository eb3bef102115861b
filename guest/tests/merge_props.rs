//! Properties of a merge over files as learners write them: what survives, what the result means to others, that a
//! second merge finds nothing to do, and that eject gives the same bytes back.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use std::{cell::Cell, rc::Rc};

use common::{
    Rules, all_rules, cases,
    learner::{Learner, learner},
    learner_json::{LearnerJson, learner_json},
    read_elsewhere, read_json_elsewhere, without_empty,
};
use garnish_guest::{
    capability::approval_strength,
    eject::{Ejected, eject},
    gate_config::{Gate, Leaf, LeafForm, insert, leaves, spelled},
    merge::{File, Merged, merge},
    profile::MARKER,
    value::Value,
};
use proptest::{prelude::*, test_runner::TestRunner};

/// How many files each property is tried on.
const CASES: u32 = 20_000;

/// Of so many files at most one may be refused: a generator whose files are refused tests nothing.
const ONE_REFUSED_OF: u32 = 12;

/// What stands at a leaf that no gate needs, where the learner has nothing.
fn open(leaf: &Leaf<'_>, gate: &Gate, rules: &Rules) -> Option<Value> {
    let opens = |strength| {
        gate.open.iter().any(|open| open.kind.word() == "approvalMode" && approval_strength(&open.name) >= strength)
    };
    match leaf.form {
        LeafForm::Toggle => {
            let name = &leaf.needs[0].name;
            let off = rules.profile.off_by_default.contains(name) && !rules.profile.untoggled.contains(name);
            (!off).then_some(Value::Bool(true))
        }
        LeafForm::Any => Some(Value::Bool(true)),
        LeafForm::Allow => leaf.needs.iter().any(|need| need.name == "*").then(|| {
            gate.open.iter().filter(|open| open.kind == leaf.needs[0].kind).map(|open| open.name.as_str()).collect()
        }),
        // What an absent key means is open already.
        LeafForm::Level(_) => opens(approval_strength("yolo")).then(|| Value::from("yolo")),
        LeafForm::Switch(switch) => switch.open.clone(),
        LeafForm::Deny(_) => None,
    }
}

/// What the file must say: the learner's, with garnish's leaves as the gate has them.
fn intended(rules: &Rules, gate: &Gate, index: usize, before: &Value) -> Value {
    let mut after = before.clone();
    let mut held = Vec::new();
    for leaf in leaves(&rules.catalog, &rules.profile).iter().filter(|leaf| leaf.file == index) {
        let theirs = before.at(&leaf.path);
        let holds = leaf.needs.iter().filter(|need| gate.held.contains(*need)).count();
        let said = |value: Value, after: &mut Value| insert(after, &leaf.path, value);
        match leaf.form {
            LeafForm::Deny(rule) => {
                let mut items: Vec<Value> = theirs.and_then(Value::as_list).unwrap_or_default().to_vec();
                for need in leaf.needs.iter().filter(|need| gate.held.contains(*need)) {
                    let entry = Value::from(rule.entry(need).as_str());
                    if !items.contains(&entry) {
                        items.push(entry);
                    }
                }
                match theirs {
                    None | Some(Value::Null) if items.is_empty() && rule.drop_empty => {}
                    _ => said(Value::List(items), &mut after),
                }
            }
            LeafForm::Switch(switch) if holds == leaf.needs.len() => said(switch.held.clone(), &mut after),
            LeafForm::Toggle | LeafForm::Any | LeafForm::Allow | LeafForm::Level(_) if holds > 0 => {
                let rendered = leaf.rendered(&gate.open, &gate.held).unwrap();
                let stricter = match (leaf.form, theirs) {
                    (LeafForm::Any, Some(Value::Bool(false))) => true,
                    (LeafForm::Level(_), Some(Value::String(mode))) => {
                        approval_strength(mode).is_some()
                            && approval_strength(mode) < approval_strength(rendered.as_str().unwrap())
                    }
                    _ => false,
                };
                if !stricter {
                    said(rendered, &mut after);
                }
            }
            _ if theirs.is_none() => {
                if let Some(value) = open(leaf, gate, rules) {
                    said(value, &mut after);
                }
            }
            _ => {}
        }
        let ours = if matches!(leaf.form, LeafForm::Switch(_)) { holds == leaf.needs.len() } else { holds > 0 };
        if ours {
            held.push(leaf.path.join("."));
        }
    }
    if let (Some(schema), None) = (&rules.profile.files[index].schema, before.at(&["$schema"])) {
        insert(&mut after, &["$schema".into()], Value::from(schema.as_str()));
    }
    let spelled = spelled(&gate.held);
    insert(&mut after, &[MARKER.into(), "held".into()], spelled.iter().map(String::as_str).collect());
    insert(&mut after, &[MARKER.into(), "leaves".into()], held.iter().map(String::as_str).collect());
    after
}

fn file(path: &str, bytes: impl Into<Vec<u8>>) -> File {
    File { path: path.into(), bytes: bytes.into() }
}

/// The file as a merge leaves it, and the memory.
fn left(merged: &Merged, path: &str, before: &[u8]) -> (Vec<File>, Vec<u8>) {
    let mut files = merged.changed.clone();
    if !files.iter().any(|file| file.path == path) {
        files.push(file(path, before));
    }
    (files, merged.displaced.clone().unwrap())
}

fn shown(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Tries a property on many files, and counts those that were refused.
fn on_many<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, test: impl Fn(&T) -> Result<bool, TestCaseError>) {
    let config = ProptestConfig { cases: cases(CASES), failure_persistence: None, ..ProptestConfig::default() };
    let (tried, refused) = (Rc::new(Cell::new(0u32)), Rc::new(Cell::new(0u32)));
    let result = TestRunner::new(config).run(&strategy, |input| {
        tried.set(tried.get() + 1);
        if !test(&input)? {
            refused.set(refused.get() + 1);
        }
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    let (tried, refused) = (tried.get(), refused.get());
    println!("{refused} of {tried} files were refused");
    assert!(refused * ONE_REFUSED_OF < tried, "{refused} of {tried} files were refused");
}

fn yaml_survives(learner: &Learner, rules: &Rules, unlocked: u16) -> Result<bool, TestCaseError> {
    let written = learner.write(rules);
    let before = written.text.as_bytes();
    let gate = rules.gate(unlocked);
    let original = read_elsewhere(before);
    let merged = match merge(&[file("config.yml", before)], &gate, &rules.catalog, &rules.profile, None) {
        Ok(merged) => merged,
        Err(refusal) => {
            prop_assert!(refusal.line.is_some() && refusal.column.is_some(), "{:?}", refusal);
            prop_assert!(!refusal.code.contains("verify"), "{:?} in\n{}", refusal, written.text);
            prop_assert!(!refusal.code.contains("syntax"), "{:?} in\n{}", refusal, written.text);
            return Ok(false);
        }
    };
    let (files, _) = left(&merged, "config.yml", before);
    let after = &files.iter().find(|file| file.path == "config.yml").unwrap().bytes;
    let lost = written.lost(&shown(after));
    prop_assert!(lost.is_none(), "{:?}\n== before\n{}\n== after\n{}", lost, written.text, shown(after));
    let wanted = intended(rules, &gate, 0, &original);
    prop_assert_eq!(
        without_empty(&read_elsewhere(after)),
        without_empty(&wanted),
        "\n== before\n{}\n== after\n{}",
        written.text,
        shown(after)
    );
    Ok(true)
}

#[test]
fn a_merge_keeps_every_byte_of_the_learners_and_others_read_what_the_gate_says() {
    on_many((learner(), 0..all_rules().len(), any::<u16>()), |(learner, rules, unlocked)| {
        yaml_survives(learner, &all_rules()[*rules], *unlocked)
    });
}

fn json_survives(learner: &LearnerJson, rules: &Rules, unlocked: u16) -> Result<bool, TestCaseError> {
    let written = learner.write();
    let before = written.text.as_bytes();
    let gate = rules.gate(unlocked);
    let original = read_json_elsewhere(before);
    let merged = match merge(&[file("mcp.json", before)], &gate, &rules.catalog, &rules.profile, None) {
        Ok(merged) => merged,
        Err(refusal) => {
            prop_assert!(refusal.line.is_some() && refusal.column.is_some(), "{:?}", refusal);
            prop_assert!(refusal.code.contains("not-a-list-here"), "{:?} in\n{}", refusal, written.text);
            return Ok(false);
        }
    };
    let (files, _) = left(&merged, "mcp.json", before);
    let after = &files.iter().find(|file| file.path == "mcp.json").unwrap().bytes;
    let lost = written.lost(&shown(after));
    prop_assert!(lost.is_none(), "{:?}\n== before\n{}\n== after\n{}", lost, written.text, shown(after));
    let wanted = intended(rules, &gate, 1, &original);
    prop_assert_eq!(read_json_elsewhere(after), wanted, "\n== before\n{}\n== after\n{}", written.text, shown(after));
    Ok(true)
}

#[test]
fn a_merge_keeps_every_byte_of_mcp_json_and_others_read_what_the_gate_says() {
    on_many((learner_json(), 0..all_rules().len(), any::<u16>()), |(learner, rules, unlocked)| {
        json_survives(learner, &all_rules()[*rules], *unlocked)
    });
}

/// The files as the harness saves them: the same values in a spelling of its own, without comments.
fn saved_again(files: &[File]) -> Vec<File> {
    let saved = |found: &File| {
        let bytes = match found.path.ends_with(".json") {
            true => {
                let text = found.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&found.bytes);
                let value: serde_json::Value = serde_json::from_slice(text).unwrap();
                serde_json::to_vec_pretty(&value).unwrap()
            }
            false => {
                let text = found.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&found.bytes);
                let mut value: yaml_serde::Value = yaml_serde::from_slice(&[text, b"\n"].concat()).unwrap();
                value.apply_merge().unwrap();
                yaml_serde::to_string(&value).unwrap().into_bytes()
            }
        };
        file(&found.path, bytes)
    };
    files.iter().map(saved).collect()
}

#[test]
fn a_second_merge_writes_nothing_also_after_the_harness_saved_the_file() {
    let files = (learner(), learner_json(), 0..all_rules().len(), any::<u16>());
    on_many(files, |(yaml, json, rules, unlocked)| {
        let rules = &all_rules()[*rules];
        let (yaml, json) = (yaml.write(rules).text, json.write().text);
        let gate = rules.gate(*unlocked);
        let before = [file("config.yml", yaml.as_bytes()), file("mcp.json", json.as_bytes())];
        let Ok(merged) = merge(&before, &gate, &rules.catalog, &rules.profile, None) else { return Ok(false) };
        let mut files = merged.changed.clone();
        let unchanged = before.iter().filter(|old| merged.changed.iter().all(|new| new.path != old.path));
        files.extend(unchanged.cloned());
        let memory = merged.displaced.unwrap();
        for (what, files) in [("as it is", files.clone()), ("saved again", saved_again(&files))] {
            let again = merge(&files, &gate, &rules.catalog, &rules.profile, Some(&memory)).unwrap();
            prop_assert!(
                again.changed.is_empty() && again.displaced.is_none(),
                "{}: {:?}\n== before\n{}\n== after\n{}\n== memory\n{}\n== again\n{}",
                what,
                again.changed.iter().map(|file| shown(&file.bytes)).collect::<Vec<_>>(),
                yaml,
                files.iter().map(|file| shown(&file.bytes)).collect::<Vec<_>>().join("\n----\n"),
                shown(&memory),
                shown(&again.displaced.unwrap_or_default()),
            );
        }
        Ok(true)
    });
}

#[test]
fn what_no_learner_touched_is_ejected_to_the_same_bytes() {
    let unlocked = prop::collection::vec(any::<u16>(), 1..4);
    let files = (learner(), learner_json(), any::<[bool; 2]>(), 0..all_rules().len(), unlocked);
    on_many(files, |(yaml, json, there, rules, unlocked)| {
        let rules = &all_rules()[*rules];
        let (yaml, json) = (yaml.write(rules).text, json.write().text);
        let before = [file("config.yml", yaml.as_bytes()), file("mcp.json", json.as_bytes())];
        let before: Vec<File> =
            before.into_iter().zip(there).filter_map(|(file, there)| there.then_some(file)).collect();
        let (mut files, mut memory) = (before.clone(), None);
        let mut way = String::new();
        // An unlock is for ever.
        let mut open = 0;
        for more in unlocked {
            open |= more;
            let merged = merge(&files, &rules.gate(open), &rules.catalog, &rules.profile, memory.as_deref());
            let Ok(merged) = merged else { return Ok(false) };
            for new in merged.changed {
                way += &format!("== then {}\n{}\n", new.path, shown(&new.bytes));
                files.retain(|old| old.path != new.path);
                files.push(new);
            }
            memory = merged.displaced.or(memory);
        }
        let Ejected { changed, removed } = eject(&files, &rules.profile, &memory.unwrap()).unwrap();
        files.retain(|old| !removed.contains(&old.path) && changed.iter().all(|new| new.path != old.path));
        files.extend(changed);
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let texts = |files: &[File]| {
            files
                .iter()
                .map(|file| format!("{}\n{}", file.path, shown(&file.bytes)))
                .collect::<Vec<_>>()
                .join("\n----\n")
        };
        prop_assert_eq!(texts(&files), texts(&before), "{}", way);
        Ok(true)
    });
}
