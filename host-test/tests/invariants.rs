//! The invariants of ARCHITECTURE.md, each a test by its name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use garnish_host::{
    Activation, AgentDir, CatalogSource, Component, ErrorKind, File, Garnish, LayerMoment, NoSession, ProfileSource,
    Selector, Tool, ToolCall, Trigger, UnlockSet, Verdict,
};
use host_test::driver::{Driver, Refused};
use host_test::recorder::{Fault, Harness, RecordedEffects, RecordedSession, Shared, locked};
use host_test::tree::tree;
use host_test::{driver, fixtures, native};
use proptest::prelude::*;

const FEATURES: [&str; 8] =
    ["context", "extensions", "mcp", "skills", "subagents", "tool:bash", "tool:file", "tool:shell"];
const TOOLS: [&str; 8] = ["bash", "edit", "glob", "grep", "read", "task", "todo", "write"];

fn builtin(catalog: &str, profile: &str) -> (CatalogSource, ProfileSource) {
    (CatalogSource::Builtin(catalog.into()), ProfileSource::Builtin(profile.into()))
}

fn unlocked(features: &[&str]) -> UnlockSet {
    UnlockSet { features: features.iter().map(ToString::to_string).collect(), levels: Vec::new() }
}

fn unlock_line(feature: &str) -> String {
    format!(
        "{{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"unlock\",\"target\":{{\"type\":\"feature\",\"id\":\"{feature}\"}},\"reason\":\"cheat\"}}\n"
    )
}

/// An agent dir with the small graph.
fn agent_dir() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("garnish")).expect("a folder");
    fs::copy(fixtures().join("graphs/small.json"), folder.path().join("garnish/graph.json")).expect("a graph");
    folder
}

fn harness() -> Harness {
    Harness { tools: TOOLS.map(ToOwned::to_owned).to_vec(), active: vec!["todo".into()], ..Harness::default() }
}

fn start(folder: &Path, record: &Shared) -> Box<dyn Driver> {
    let dir = AgentDir::open(folder).expect("a folder");
    native::native(
        Box::new(RecordedEffects::new(dir, record.clone())),
        Box::new(RecordedSession::new(harness(), record.clone())),
    )
    .expect("an instance")
}

fn append(folder: &Path, lines: &str) {
    let path = folder.join("garnish/events.jsonl");
    let mut log = fs::read_to_string(&path).unwrap_or_default();
    log.push_str(lines);
    fs::write(path, log).expect("a log");
}

fn held(driver: &mut dyn Driver) -> BTreeSet<String> {
    driver.held().expect("held").into_iter().collect()
}

#[test]
fn io_only_in_the_host() {
    // What the file asks for stands in tests/component.rs; here: the pure exports ask for nothing at all.
    let folder = agent_dir();
    let record = Shared::default();
    let effects = RecordedEffects::new(AgentDir::open(folder.path()).expect("a folder"), record.clone());
    let mut garnish = Garnish::new(Component::embedded().expect("a component"), effects, NoSession::new(|_, _| {}))
        .expect("an instance");
    let (catalog, profile) = builtin("v1", "omp-18");
    let graph = fs::read(folder.path().join("garnish/graph.json")).expect("a graph");
    let rendered = garnish.render_gate_config(&unlocked(&["skills"]), &catalog, &profile).expect("a config");
    garnish.enabled_capabilities(&rendered.files, &catalog, &profile).expect("enabled");
    garnish.loaded_capabilities(&rendered.files, &catalog, &profile).expect("loaded");
    let merged = garnish.merge_gate_config(&[], &unlocked(&[]), &catalog, &profile, None).expect("merged");
    garnish.eject(&merged.changed, &profile, &merged.displaced.expect("a memory")).expect("ejected");
    garnish.fold_events(unlock_line("skills").as_bytes(), &graph).expect("folded");
    garnish.plan_unlock(b"", &graph, &catalog, &Selector::All, "2026-07-02T12:00:00Z").expect("a plan");
    assert_eq!(locked(&record).calls, 0);
    garnish.apply_unlocks(Trigger::SessionStart).expect("applied");
    assert!(locked(&record).calls > 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn an_unlock_is_for_ever(steps in proptest::collection::vec((0usize..8, 0u8..4), 1..12)) {
        let folder = agent_dir();
        let record = Shared::default();
        let mut session = start(folder.path(), &record);
        session.apply(Trigger::SessionStart).expect("applied");
        let mut last = held(session.as_mut());
        let mut configs = Vec::new();
        for (feature, event) in steps {
            match event {
                // A replay of the whole log, and something new.
                0 => {
                    let log = fs::read_to_string(folder.path().join("garnish/events.jsonl")).unwrap_or_default();
                    append(folder.path(), &log);
                }
                1 => append(folder.path(), &unlock_line(FEATURES[feature])),
                // A crash: an import fails somewhere, and the process is gone.
                2 => {
                    let number = locked(&record).calls + 3 + feature;
                    locked(&record).faults.push(Fault::Nth(number));
                    let _ = session.apply(Trigger::TurnEnd);
                    locked(&record).faults.clear();
                    session = start(folder.path(), &record);
                }
                // A second process.
                _ => {
                    let other = Shared::default();
                    start(folder.path(), &other).unlock(Selector::Level("tutorial".into())).expect("unlocked");
                }
            }
            session.apply(Trigger::TurnEnd).expect("applied");
            let now = held(session.as_mut());
            prop_assert!(now.is_subset(&last), "held again: {:?}", now.difference(&last));
            last = now;
            configs.push(fs::read(folder.path().join("config.yml")).expect("a config"));
        }
        let files = |config: &Vec<u8>| {
            vec![File { path: "config.yml".into(), bytes: config.clone() }, File { path: "mcp.json".into(), bytes: fs::read(folder.path().join("mcp.json")).expect("a file") }]
        };
        let sequence: Vec<Vec<File>> = configs.iter().map(files).collect();
        let (catalog, profile) = builtin("v1", "omp-16");
        let mut garnish = Garnish::new(Component::embedded().expect("a component"), AgentDir::open(folder.path()).expect("a folder"), NoSession::new(|_, _| {})).expect("an instance");
        prop_assert!(garnish.find_monotonicity_violations(&sequence, &catalog, &profile).expect("violations").is_empty());
    }

    #[test]
    fn a_capability_is_applied_once_per_session(steps in proptest::collection::vec((0usize..8, 0u8..3, 1usize..12), 1..14)) {
        let folder = agent_dir();
        let record = Shared::default();
        let mut session = start(folder.path(), &record);
        session.apply(Trigger::SessionStart).expect("applied");
        let mut fresh = Vec::new();
        let mut reloaded = Vec::new();
        for (feature, event, fault) in steps {
            if event == 0 {
                let number = locked(&record).calls + fault;
                locked(&record).faults = vec![Fault::Nth(number)];
            }
            append(folder.path(), &unlock_line(FEATURES[feature]));
            locked(&record).lines.clear();
            if let Ok(report) = session.apply(Trigger::TurnEnd) {
                fresh.extend(report.fresh.into_iter().map(|applied| applied.capability));
            }
            let lines = locked(&record).lines.clone();
            reloaded.extend(lines.iter().filter_map(|line| line.strip_prefix("reload ")).flat_map(|line| line.split(' ').map(ToOwned::to_owned)));
        }
        for once in [fresh, reloaded] {
            prop_assert_eq!(once.iter().collect::<BTreeSet<_>>().len(), once.len(), "{:?}", once);
        }
        let notices = locked(&record).notices.clone();
        prop_assert_eq!(notices.iter().collect::<BTreeSet<_>>().len(), notices.len(), "{:?}", notices);
    }

    #[test]
    fn what_we_could_not_parse_we_do_not_overwrite(config in ".{0,60}|([a-z]{1,6}: ?[\\[{\"'&*!|>%@`a-z0-9]{0,8}\n){0,6}", mcp in "\\PC{0,40}|\\{\"[a-z]{0,6}\": ?[0-9a-z\\[\\]{}\"]{0,6}\\}?", memory in proptest::option::of("\\PC{0,30}|\\{\"version\": [0-9]\\}")) {
        let folder = agent_dir();
        fs::write(folder.path().join("config.yml"), &config).expect("a file");
        fs::write(folder.path().join("mcp.json"), &mcp).expect("a file");
        if let Some(memory) = &memory {
            fs::write(folder.path().join("garnish/displaced.json"), memory).expect("a file");
        }
        let before = tree(folder.path()).expect("files");
        let record = Shared::default();
        let mut session = start(folder.path(), &record);
        let report = session.apply(Trigger::SessionStart).expect("applied");
        let refused = report.diagnostics.iter().any(|found| found.code.starts_with("garnish::file::") || found.code.starts_with("garnish::displaced::"));
        let after = tree(folder.path()).expect("files");
        for name in ["config.yml", "mcp.json", "garnish/displaced.json"] {
            let (before, after) = (before.get(name), after.get(name));
            prop_assert!(!refused || before == after, "{} changed", name);
        }
        // What was not refused, another reader reads, and finds held what is held.
        if !refused {
            let config: serde_json::Value = yaml_serde::from_slice(&after["config.yml"]).expect("readable");
            prop_assert_eq!(&config["bash"]["enabled"], &serde_json::Value::Bool(false));
            let mcp: serde_json::Value = serde_json::from_slice(&after["mcp.json"]).expect("readable");
            prop_assert!(mcp["disabledServers"].as_array().is_some_and(|list| list.contains(&"garnish-demo".into())));
        }
        let shown = session.hold_tools(vec![Tool { name: "bash".into(), server: None }]).expect("held");
        prop_assert!(shown.is_empty());
    }

    #[test]
    fn rendering_is_pure_total_and_a_fixed_point(mask in 0u16..256, profile in prop_oneof![Just("omp-16"), Just("omp-18"), Just("pi-1")], omp18 in any::<bool>()) {
        let features: Vec<&str> = FEATURES.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1).map(|(_, feature)| *feature).collect();
        let (catalog, profile) = builtin(if omp18 && profile != "omp-16" { "omp-18" } else { "v1" }, profile);
        let folder = agent_dir();
        let instance = || Garnish::new(Component::embedded().expect("a component"), AgentDir::open(folder.path()).expect("a folder"), NoSession::new(|_, _| {})).expect("an instance");
        let unlocked = unlocked(&features);
        let (first, second) = (instance().render_gate_config(&unlocked, &catalog, &profile).expect("total"), instance().render_gate_config(&unlocked, &catalog, &profile).expect("total"));
        prop_assert_eq!(&first, &second);
        let all: BTreeSet<_> = first.enabled.iter().chain(&first.held).collect();
        prop_assert_eq!(all.len(), first.enabled.len() + first.held.len());
        prop_assert_eq!(&instance().enabled_capabilities(&first.files, &catalog, &profile).expect("enabled"), &first.enabled);
        // A file that garnish makes is what it renders, and merging it again changes nothing.
        let merged = instance().merge_gate_config(&[], &unlocked, &catalog, &profile, None).expect("merged");
        prop_assert_eq!(&merged.changed, &first.files);
        let again = instance().merge_gate_config(&merged.changed, &unlocked, &catalog, &profile, merged.displaced.as_deref()).expect("merged");
        prop_assert!(again.changed.is_empty() && again.displaced.is_none());
    }

    #[test]
    fn the_gate_fails_closed(broken in 0usize..6, junk in "[a-z{}\\[\\]:\"\n ]{1,40}") {
        let folder = agent_dir();
        let record = Shared::default();
        start(folder.path(), &record).apply(Trigger::SessionStart).expect("applied");
        let names = ["garnish/setup.json", "garnish/graph.json", "config.yml", "mcp.json", "garnish/displaced.json", "garnish/events.jsonl"];
        fs::write(folder.path().join(names[broken]), &junk).expect("a file");
        if broken == 0 {
            fs::write(folder.path().join("garnish/setup.json"), format!("{{\"catalog\": \"team.yml\", \"x\": {junk:?}}}")).expect("a file");
        }
        let mut session = start(folder.path(), &record);
        let _ = session.apply(Trigger::SessionStart);
        for tool in ["bash", "read", "write", "task"] {
            let shown = session.hold_tools(vec![Tool { name: tool.into(), server: None }]);
            prop_assert!(shown.as_ref().is_ok_and(Vec::is_empty) || matches!(shown, Err(Refused::Answered(_))), "{:?}", shown);
            let call = ToolCall { tool: Tool { name: tool.into(), server: None }, input: b"{}".to_vec(), cwd: "/".into(), project: None, home: None };
            prop_assert!(!matches!(session.check(call), Ok(Verdict::Allow)), "{} is allowed", tool);
        }
        // A host without an answer holds these.
        let fallback: serde_json::Value = serde_json::from_slice(&fs::read(folder.path().join("garnish/held.json")).expect("a list")).expect("JSON");
        prop_assert!(fallback["tools"].as_array().is_some_and(|tools| tools.contains(&"bash".into())));
    }

    #[test]
    fn the_log_is_the_truth_about_unlocks(mask in 0u16..256, gone in 1u8..8) {
        let folder = agent_dir();
        let record = Shared::default();
        for (index, feature) in FEATURES.iter().enumerate() {
            if mask >> index & 1 == 1 {
                append(folder.path(), &unlock_line(feature));
            }
        }
        let mut session = start(folder.path(), &record);
        session.apply(Trigger::SessionStart).expect("applied");
        // What a host without the component would set.
        let list: serde_json::Value = serde_json::from_slice(&fs::read(folder.path().join("garnish/held.json")).expect("a list")).expect("JSON");
        let running = session.overrides(LayerMoment::Running).expect("settings");
        let settings: serde_json::Map<_, _> = running.into_iter().map(|one| (one.key, serde_json::from_str(&one.json).expect("JSON"))).collect();
        prop_assert_eq!(&list["settings"], &serde_json::Value::Object(settings));
        let (held_before, files_before) = (held(session.as_mut()), tree(folder.path()).expect("files"));
        for (index, name) in ["config.yml", "mcp.json", "garnish/held.json"].iter().enumerate() {
            if gone >> index & 1 == 1 {
                fs::remove_file(folder.path().join(name)).expect("removed");
            }
        }
        let mut session = start(folder.path(), &record);
        session.apply(Trigger::SessionStart).expect("applied");
        prop_assert_eq!(held(session.as_mut()), held_before);
        prop_assert_eq!(tree(folder.path()).expect("files"), files_before);
    }
}

#[test]
fn nothing_is_called_applied_before_it_is() {
    // Here against what the host answered; issue LIVE holds it against what the model was offered.
    for (answer, expected) in [
        ("live", Activation::Live),
        ("next-turn", Activation::NextTurn),
        ("queued", Activation::Queued),
        ("restart", Activation::Restart),
        ("failed: why", Activation::Failed("why".into())),
    ] {
        let folder = agent_dir();
        let record = Shared::default();
        let harness = Harness { reload: answer.into(), set_tools: answer.into(), ..harness() };
        let dir = AgentDir::open(folder.path()).expect("a folder");
        let session = RecordedSession::new(harness, record.clone());
        let mut session =
            driver::wasm(Box::new(RecordedEffects::new(dir, record.clone())), Box::new(session)).expect("an instance");
        session.apply(Trigger::SessionStart).expect("applied");
        append(folder.path(), &(unlock_line("skills") + &unlock_line("tool:bash")));
        let report = session.apply(Trigger::TurnEnd).expect("applied");
        assert_eq!(report.fresh.len(), 2);
        assert!(report.fresh.iter().all(|applied| applied.activation == expected), "{report:?}");
        let notices = locked(&record).notices.join("\n");
        let words = [
            ("ready now", "live"),
            ("next message", "next-turn"),
            ("next start of the harness", "restart"),
            ("not in force", "failed"),
        ];
        for (word, kind) in words {
            assert_eq!(notices.contains(word), answer.starts_with(kind), "{answer}: {notices}");
        }
    }
}

#[test]
fn an_unknown_catalog_or_profile_lists_the_known_ones() {
    let folder = agent_dir();
    let mut garnish = Garnish::new(
        Component::embedded().expect("a component"),
        AgentDir::open(folder.path()).expect("a folder"),
        NoSession::new(|_, _| {}),
    )
    .expect("an instance");
    let (catalog, profile) = builtin("v2", "omp-99");
    let error = garnish.render_gate_config(&unlocked(&[]), &catalog, &profile).expect_err("unknown");
    let garnish_host::CallError::Answered(error) = error else { panic!("{error}") };
    assert_eq!(error.kind, ErrorKind::Invalid);
    let told: Vec<_> = error.diagnostics.iter().map(|found| found.message.as_str()).collect();
    assert!(told.iter().any(|text| text.contains("v1")) && told.iter().any(|text| text.contains("omp-18")), "{told:?}");
}
