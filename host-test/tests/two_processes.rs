//! Two processes on one agent dir, the second at work in the middle of the first: at each of its calls in turn the other
//! does everything that it has to do. Whatever the order, the log has both, the files say what it says, and what the
//! learner had, and has edited since, comes back to the byte.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use common::{LOG, converged, given_back, started, text};
use garnish_host::{AgentDir, Selector, Trigger};
use host_test::driver::Driver;
use host_test::recorder::{Harness, Meanwhile, RecordedEffects, RecordedSession, Shared, locked};
use host_test::tree::tree;
use host_test::{fixtures, native};

const CONFIG: &str =
    "# mine\nbash: {enabled: true, timeout: 30} # asks\nskills:\n  enabled: true\ndisabledProviders: [cursor]\n";
const MCP: &str = "{\"mcpServers\": {\"x\": {\"command\": \"x\"}}, \"disabledServers\": [\"mine\"]}\n";

/// What one process does.
#[derive(Debug, Clone, Copy)]
enum Work {
    /// A session begins.
    Start,
    /// A quest that opens nothing.
    Quest,
    /// The quests of a level, which opens features.
    Level,
    /// `garnish unlock --level`.
    Unlock,
    /// `garnish unlock --all`.
    All,
}

const WORK: [Work; 5] = [Work::Start, Work::Quest, Work::Level, Work::Unlock, Work::All];

fn work(driver: &mut dyn Driver, work: Work) {
    match work {
        Work::Start => drop(driver.apply(Trigger::SessionStart).expect("applied")),
        Work::Quest => drop(driver.complete("extra").expect("completed")),
        Work::Level => {
            driver.complete("hello").expect("completed");
            driver.complete("look").expect("completed");
        }
        Work::Unlock => drop(driver.unlock(Selector::Level("core".into())).expect("unlocked")),
        Work::All => drop(driver.unlock(Selector::All).expect("unlocked")),
    }
}

/// An agent dir that garnish has never seen; or that it has held once, and since then the learner has edited a value that
/// garnish holds.
fn agent_dir(is_edited: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("garnish")).expect("a folder");
    fs::copy(fixtures().join("graphs/small.json"), folder.path().join("garnish/graph.json")).expect("a graph");
    fs::write(folder.path().join("config.yml"), CONFIG).expect("a file");
    fs::write(folder.path().join("mcp.json"), MCP).expect("a file");
    if is_edited {
        start(folder.path()).apply(Trigger::SessionStart).expect("applied");
        let held = text(folder.path(), "config.yml");
        let edited = held.replace("{enabled: false, timeout", "{enabled: sometimes, timeout");
        assert_ne!(edited, held);
        fs::write(folder.path().join("config.yml"), edited).expect("a file");
    }
    folder
}

fn copy(files: &BTreeMap<String, Vec<u8>>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("garnish")).expect("a folder");
    files.iter().for_each(|(name, bytes)| fs::write(folder.path().join(name), bytes).expect("a file"));
    folder
}

fn start(folder: &Path) -> Box<dyn Driver> {
    started(native::native, &Harness::default(), folder)
}

/// Does the one, and the other at that call of it; answers how many calls the one made.
fn meanwhile(folder: &Path, first: Work, second: Work, call: usize) -> usize {
    let record = Shared::default();
    let other = folder.to_owned();
    let act = Box::new(move || work(start(&other).as_mut(), second));
    locked(&record).meanwhile = Some(Meanwhile { call, act });
    let effects = RecordedEffects::new(AgentDir::open(folder).expect("a folder"), record.clone());
    let session = RecordedSession::new(Harness::default(), record.clone());
    work(native::native(Box::new(effects), Box::new(session)).expect("an instance").as_mut(), first);
    let record = locked(&record);
    assert!(record.meanwhile.is_none() || call == usize::MAX, "call {call} was never made");
    record.calls
}

/// What the log says has happened. Two processes may both write the same down, or what the one has earned is a cheat of
/// the other's; it counts once.
fn events(folder: &Path) -> BTreeSet<String> {
    let what = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).expect("a line");
        format!("{} {} {}", event["type"], event["quest_id"], event["target"])
    };
    text(folder, LOG).lines().map(what).collect()
}

#[test]
fn whenever_a_second_process_cuts_in_nothing_is_lost() {
    let mut runs = 0;
    for (first, second) in WORK.iter().flat_map(|first| WORK.map(|second| (*first, second))) {
        for is_edited in [false, true] {
            let before = tree(agent_dir(is_edited).path()).expect("files");
            let mut seen = BTreeMap::new();
            let serial = copy(&before);
            let calls = meanwhile(serial.path(), first, Work::Start, usize::MAX);
            work(start(serial.path()).as_mut(), second);
            let (log, mine) = (events(serial.path()), given_back(serial.path()));
            let serial = converged(native::native, &Harness::default(), serial.path(), "one after the other");
            for call in 1..=calls {
                let told = format!("{second:?} at call {call} of {first:?}, edited: {is_edited}");
                let folder = copy(&before);
                meanwhile(folder.path(), first, second, call);
                assert_eq!(events(folder.path()), log, "{told}");
                assert_eq!(given_back(folder.path()), mine, "{told}");
                let back = seen
                    .entry(tree(folder.path()).expect("files"))
                    .or_insert_with(|| converged(native::native, &Harness::default(), folder.path(), &told));
                assert_eq!(*back, serial, "{told}");
                runs += 1;
            }
        }
    }
    assert!(runs > 500, "only {runs} runs");
}
