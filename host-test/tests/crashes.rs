//! The process dies in every call of every scenario, once before the call has its effect and once after. Whatever it left
//! on disk: the log is whole, the next start brings the files to what the log says, the one after it changes nothing, and
//! what the learner had comes back to the byte.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{LOG, converged, said, started, text};
use garnish_host::Trigger;
use host_test::driver::{self, Start};
use host_test::recorder::{Fault, locked};
use host_test::{fixtures, native};
use host_test::{scenario::Scenario, tree::tree};

/// Scenarios whose setup or files cannot be used never reach a fixed point; they answer with an error each time.
fn is_usable(folder: &Path) -> bool {
    let snapshot = fs::read_to_string(folder.join("expected.snap")).unwrap_or_default();
    !snapshot.contains("error: invalid") && !snapshot.contains("garnish::file::")
}

/// How many calls an undisturbed run makes up to the last time that somebody but garnish edits a file. Who dies before
/// that has not written what is edited there, so the edit means something else.
fn calls_before_edits(start: Start, scenario: &Scenario, folder: &Path) -> usize {
    let text = fs::read_to_string(folder.join("scenario.yml")).expect("a scenario");
    let steps: serde_json::Value = yaml_serde::from_str(&text).expect("a scenario");
    let edits = |step: &serde_json::Value| ["write", "replace"].iter().any(|edit| step.get(edit).is_some());
    let Some(last) = steps["steps"].as_array().expect("steps").iter().rposition(edits) else { return 0 };
    let first = Scenario { steps: scenario.steps[..last].to_vec(), ..scenario.clone() };
    locked(&first.run(folder, start, Vec::new()).expect("a run").record).calls
}

/// What the next session makes of the scenario's own agent dir with this log, where nothing ever happened.
fn rendered(start: Start, scenario: &Scenario, folder: &Path, log: &str) -> BTreeMap<String, serde_json::Value> {
    let nothing = Scenario { steps: Vec::new(), ..scenario.clone() };
    let ran = nothing.run(folder, start, Vec::new()).expect("a run");
    fs::create_dir_all(ran.folder.path().join("garnish")).expect("a folder");
    fs::write(ran.folder.path().join(LOG), log).expect("a log");
    started(start, &scenario.harness, ran.folder.path()).apply(Trigger::SessionStart).expect("applied");
    said(ran.folder.path())
}

fn each_death(start: Start, names: impl Fn(&str) -> bool) -> usize {
    let mut runs = 0;
    for entry in fs::read_dir(fixtures().join("scenarios")).expect("scenarios") {
        let folder = entry.expect("entry").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !names(&name) {
            continue;
        }
        let scenario = Scenario::read(&folder).expect("a scenario");
        let clean = scenario.run(&folder, start, Vec::new()).expect(&name);
        let calls = locked(&clean.record).calls;
        let whole = text(clean.folder.path(), LOG);
        let undisturbed = is_usable(&folder).then(|| converged(start, &scenario.harness, clean.folder.path(), &name));
        let (mut renders, mut seen) = (BTreeMap::new(), BTreeMap::new());
        let settled = calls_before_edits(start, &scenario, &folder);
        for (number, fault) in
            (1..=calls).flat_map(|number| [(number, Fault::DiesBefore(number)), (number, Fault::DiesAfter(number))])
        {
            let told = format!("{name}, {fault:?}");
            let ran = match scenario.run(&folder, start, vec![fault]) {
                Ok(ran) => ran,
                // There is nothing to edit.
                Err(why) if number <= settled && why.contains("No such file") => continue,
                Err(why) => panic!("{told}: {why}"),
            };
            assert!(!ran.transcript.contains("BROKEN"), "{told}: {}", ran.transcript);
            let agent = ran.folder.path();
            let log = text(agent, LOG);
            for line in log.lines().filter(|line| !line.trim().is_empty()) {
                let is_known = whole.contains(line) || serde_json::from_str::<serde_json::Value>(line).is_ok();
                assert!(is_known, "{told}: {line}");
            }
            runs += 1;
            let Some(undisturbed) = &undisturbed else { continue };
            // What comes next is a function of what is on disk, and most calls only read.
            let back = seen
                .entry(tree(agent).expect("files"))
                .or_insert_with(|| converged(start, &scenario.harness, agent, &told));
            if number > settled {
                assert_eq!((&back.held, &back.opened), (&undisturbed.held, &undisturbed.opened), "{told}");
            }
            if settled == 0 {
                let from_log = renders.entry(log).or_insert_with_key(|log| rendered(start, &scenario, &folder, log));
                assert_eq!(&back.said, from_log, "{told}");
            }
        }
    }
    runs
}

#[test]
fn wherever_the_process_dies_the_next_start_converges_and_nothing_of_the_learners_is_lost() {
    let runs = each_death(native::native, |_| true);
    assert!(runs > 2_000, "only {runs} runs");
}

#[test]
fn the_component_dies_no_other_death_than_the_native_rules() {
    let runs = each_death(driver::wasm, |name| name.starts_with("a-learners-"));
    assert!(runs > 50, "only {runs} runs");
}
