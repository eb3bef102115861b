//! Every import of every scenario fails once, in turn. Whatever comes of it: nothing breaks down, the log loses no line,
//! the learner is told, and the next starts converge to a fixed point.

use std::fs;

use garnish_host::{AgentDir, Trigger};
use host_test::recorder::{Fault, Harness, RecordedEffects, RecordedSession, locked};
use host_test::{driver, fixtures, native, scenario::Scenario};

/// Scenarios whose setup cannot be used never reach a fixed point; they answer with an error each time.
fn is_usable(folder: &std::path::Path) -> bool {
    let snapshot = fs::read_to_string(folder.join("expected.snap")).unwrap_or_default();
    !snapshot.contains("error: invalid") && !snapshot.contains("garnish::file::")
}

#[test]
fn each_failing_import_is_told_and_the_next_start_converges() {
    let mut runs = 0;
    for entry in fs::read_dir(fixtures().join("scenarios")).expect("scenarios") {
        let folder = entry.expect("entry").path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let scenario = Scenario::read(&folder).expect("a scenario");
        let clean = scenario.run(&folder, native::native, Vec::new()).expect(&name);
        let calls = locked(&clean.record).calls;
        let log_of =
            |folder: &std::path::Path| fs::read_to_string(folder.join("garnish/events.jsonl")).unwrap_or_default();
        for number in 1..=calls {
            let ran = scenario.run(&folder, native::native, vec![Fault::Nth(number)]).expect(&name);
            runs += 1;
            let told = format!("{name}, call {number}: {:?}", locked(&ran.record).failed);
            // The log only ever gains whole lines.
            for line in log_of(ran.folder.path()).lines().filter(|line| !line.trim().is_empty()) {
                let known = log_of(clean.folder.path()).contains(line)
                    || serde_json::from_str::<serde_json::Value>(line).is_ok();
                assert!(known, "{told}: {line}");
            }
            if scenario.harness.role == "main" {
                let transcript = &ran.transcript;
                let said = ["notify error", "error: ", "failed", "conflict", "error garnish"]
                    .iter()
                    .any(|word| transcript.contains(word));
                // A look at the disk for the runtime layer, or for a list that is right already, may fail unseen; so may
                // one for a word of a command, which is then judged by its text.
                let silent = transcript.contains("overrides")
                    || !transcript.contains("== apply")
                    || locked(&ran.record)
                        .failed
                        .iter()
                        .any(|failed| failed.contains("held.json") || failed.starts_with("files.resolve"));
                assert!(said || silent, "{told}: not told\n{transcript}");
            }
            if !is_usable(&folder) {
                continue;
            }
            let start = || {
                let dir = AgentDir::open(ran.folder.path()).expect("a folder");
                let harness =
                    Harness { reload: "live".into(), role: "main".into(), session: true, ..scenario.harness.clone() };
                let session = RecordedSession::new(harness, ran.record.clone());
                native::native(Box::new(RecordedEffects::new(dir, ran.record.clone())), Box::new(session))
                    .expect("an instance")
            };
            locked(&ran.record).faults.clear();
            start().apply(Trigger::SessionStart).expect(&told);
            let report = start().apply(Trigger::SessionStart).expect(&told);
            assert_eq!((report.fresh.len(), report.files_written.len()), (0, 0), "{told}: no fixed point: {report:?}");
        }
    }
    assert!(runs > 1_000, "only {runs} runs");
}

#[test]
fn a_failing_import_breaks_the_component_down_no_more_than_the_native_rules() {
    let folder = fixtures().join("scenarios/unlock-all-is-stock-parity-and-awards-no-xp");
    let scenario = Scenario::read(&folder).expect("a scenario");
    let calls = locked(&scenario.run(&folder, driver::wasm, Vec::new()).expect("a run").record).calls;
    for number in 1..=calls {
        let wasm = scenario.run(&folder, driver::wasm, vec![Fault::Nth(number)]).expect("a run").transcript;
        let native = scenario.run(&folder, native::native, vec![Fault::Nth(number)]).expect("a run").transcript;
        assert!(!wasm.contains("BROKEN"), "{wasm}");
        assert_eq!(wasm, native);
    }
}
