//! What is looked at when processes died, or got in each other's way: what the next sessions make of the folder, and what
//! the learner gets back from it.

#![allow(dead_code, missing_docs)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use garnish_guest::{eject, merge, profile::Profile};
use garnish_host::{AgentDir, Selector, Trigger};
use host_test::driver::{Driver, Start};
use host_test::recorder::{Harness, RecordedEffects, RecordedSession, Shared};
use host_test::tree::tree;

/// The learner's files by path, as texts that can be told apart when a test fails.
pub type Texts = BTreeMap<String, String>;

pub const LOG: &str = "garnish/events.jsonl";
const DISPLACED: &str = "garnish/displaced.json";

/// A new process on the folder, in a harness that does what it is asked.
pub fn started(start: Start, harness: &Harness, folder: &Path) -> Box<dyn Driver> {
    let record = Shared::default();
    let dir = AgentDir::open(folder).expect("a folder");
    let harness = Harness { reload: "live".into(), role: "main".into(), session: true, ..harness.clone() };
    let session = RecordedSession::new(harness, record.clone());
    start(Box::new(RecordedEffects::new(dir, record)), Box::new(session)).expect("an instance")
}

pub fn text(folder: &Path, name: &str) -> String {
    String::from_utf8_lossy(&fs::read(folder.join(name)).unwrap_or_default()).into_owned()
}

fn profile(folder: &Path) -> Profile {
    let setup: serde_json::Value = serde_json::from_str(&text(folder, "garnish/setup.json")).unwrap_or_default();
    Profile::builtin(setup["profile"].as_str().unwrap_or("omp-16")).expect("a built-in profile")
}

/// What the harness's files say, read by another reader than garnish's.
pub fn said(folder: &Path) -> BTreeMap<String, serde_json::Value> {
    let read = |path: &str| Some((path.to_owned(), fs::read(folder.join(path)).ok()?));
    let files: Vec<(String, Vec<u8>)> = profile(folder).paths().filter_map(read).collect();
    let value = |(path, bytes): (String, Vec<u8>)| {
        let value = yaml_serde::from_slice(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes));
        (path.clone(), value.unwrap_or_else(|error| panic!("{path}: {error}")))
    };
    files.into_iter().map(value).collect()
}

/// Everything given back, as `garnish eject` does it.
pub fn given_back(folder: &Path) -> Texts {
    let profile = profile(folder);
    let read = |path: &str| Some(merge::File { path: path.into(), bytes: fs::read(folder.join(path)).ok()? });
    let files: Vec<merge::File> = profile.paths().filter_map(read).collect();
    let memory = fs::read(folder.join(DISPLACED)).unwrap_or_default();
    let ejected = eject::eject(&files, &profile, &memory).expect("ejected");
    let named = |file: merge::File| (file.path, String::from_utf8_lossy(&file.bytes).into_owned());
    let mut left: Texts = files.into_iter().map(named).collect();
    left.extend(ejected.changed.into_iter().map(named));
    left.retain(|path, _| !ejected.removed.contains(path));
    left
}

/// The learner's files after a run: what the next session makes of them; given back then; and given back once
/// everything is open.
#[derive(Debug, PartialEq)]
pub struct Back {
    pub said: BTreeMap<String, serde_json::Value>,
    pub held: Texts,
    pub opened: Texts,
}

/// The next starts on what a run has left, up to the learner's own files.
pub fn converged(start: Start, harness: &Harness, folder: &Path, told: &str) -> Back {
    started(start, harness, folder).apply(Trigger::SessionStart).expect(told);
    let before = tree(folder).expect("files");
    let report = started(start, harness, folder).apply(Trigger::SessionStart).expect(told);
    assert_eq!((report.fresh.len(), report.files_written.len()), (0, 0), "{told}: no fixed point: {report:?}");
    assert_eq!(tree(folder).expect("files"), before, "{told}: no fixed point");
    let (said, held) = (said(folder), given_back(folder));
    started(start, harness, folder).unlock(Selector::All).expect(told);
    Back { said, held, opened: given_back(folder) }
}
