//! No export traps, whatever it is given: arbitrary bytes, and bytes that are nearly right.

use garnish_host::{
    AgentDir, CallError, CatalogSource, Component, File, Garnish, LayerMoment, NoSession, ProfileSource, Selector,
    Tool, ToolCall, Trigger, UnlockSet,
};
use proptest::prelude::*;

fn instance() -> Garnish {
    let folder = std::env::temp_dir();
    Garnish::new(
        Component::embedded().expect("a component"),
        AgentDir::open(&folder).expect("a folder"),
        NoSession::new(|_, _| {}),
    )
    .expect("an instance")
}

/// An answer or an error of its own; never a trap.
fn lives<T>(answer: Result<T, CallError>) -> Result<(), TestCaseError> {
    match answer {
        Err(CallError::Trapped(trapped)) => Err(TestCaseError::fail(trapped.to_string())),
        _ => Ok(()),
    }
}

/// A document with pieces cut out, doubled and replaced.
fn mangled(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(
        (any::<proptest::sample::Index>(), 0u8..4, proptest::collection::vec(any::<u8>(), 0..4)),
        0..6,
    )
    .prop_map(move |changes| {
        let mut bytes = text.as_bytes().to_vec();
        for (at, kind, new) in changes {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            match kind {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(at..(at + 1).min(bytes.len()), new)),
                2 => bytes.extend_from_within(at..),
                _ => drop(bytes.splice(at..at, new)),
            }
        }
        bytes
    })
}

fn bytes_or(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        mangled(text),
        proptest::collection::vec(any::<u8>(), 0..200),
        "\\PC{0,120}".prop_map(String::into_bytes)
    ]
}

const CONFIG: &str = "# mine\nbash: &a\n  enabled: true # x\n  timeout: 30\nskills: {includeSkills: [a, 'b'], enabled: yes}\ndisabledProviders:\n  - claude\n  # c\n  - mine\nother: *a\ntext: |\n  long\n  text\n";
const MCP: &str =
    "{\n  \"mcpServers\": {\"a\": {\"command\": \"x\", \"n\": 1e3}},\n  \"disabledServers\": [\"old\"]\n}\n";
const CATALOG: &str = "version: 1\nfeatures:\n  a:\n    title: A\n    surfaces:\n      - {kind: tool, name: bash}\n      - {kind: skill, glob: '*'}\n  b: [{kind: approvalMode, mode: write}, {kind: provider, id: claude}]\n";
const GRAPH: &str = include_str!("../../fixtures/graphs/small.json");
const PROFILE: &str = include_str!("../../guest/data/profiles/omp-18.json");
const LOG: &str = "{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"quest_completed\",\"quest_id\":\"hello\",\"level_id\":\"tutorial\",\"required\":true,\"xp\":10}\n{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"unlock\",\"target\":{\"type\":\"level\",\"id\":\"core\"},\"reason\":\"speedrun\"}\n{\"at\":\"2026-07-01T10:00:00Z\",\"type\":\"badge_award\",\"badge\":\"completionist\"}\n";
const MEMORY: &str = "{\"version\":1,\"files\":{\"config.yml\":{\"marker\":{\"held\":[],\"leaves\":[]},\"values\":{\"bash.enabled\":{\"original\":\" true\",\"wrote\":false}},\"entries\":{\"disabledProviders\":{\"claude\":{\"wrote\":true}}}}}}";
const INPUT: &str = "{\"path\":\"[xd://lsp]\",\"paths\":[\"a;b\",\"**/*.rs\"],\"input\":\"[a#12AB]\\nMV b\\n*** Update File: c\\n\",\"command\":\"cd ~ && garnish --x unlock $HOME/é > 'y'\",\"edits\":[{\"rename\":\"%2e%zz\"}]}";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn files_and_memory(config in bytes_or(CONFIG), mcp in bytes_or(MCP), memory in proptest::option::of(bytes_or(MEMORY)), mask in 0u8..8) {
        let mut garnish = instance();
        let (catalog, profile) = (CatalogSource::Builtin("v1".into()), ProfileSource::Builtin("omp-18".into()));
        let files = [File { path: "config.yml".into(), bytes: config }, File { path: "mcp.json".into(), bytes: mcp }];
        let features = ["skills", "tool:bash", "context"].iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1).map(|(_, id)| (*id).to_owned()).collect();
        let unlocked = UnlockSet { features, levels: Vec::new() };
        lives(garnish.merge_gate_config(&files, &unlocked, &catalog, &profile, memory.as_deref()))?;
        lives(garnish.enabled_capabilities(&files, &catalog, &profile))?;
        lives(garnish.loaded_capabilities(&files, &catalog, &profile))?;
        lives(garnish.compare_stock_parity(&files, &catalog, &profile))?;
        lives(garnish.find_monotonicity_violations(&[files.to_vec(), files.to_vec()], &catalog, &profile))?;
        lives(garnish.eject(&files, &profile, memory.as_deref().unwrap_or_default()))?;
    }

    #[test]
    fn catalogs_and_profiles(catalog in bytes_or(CATALOG), profile in bytes_or(PROFILE)) {
        let mut garnish = instance();
        let (catalog, profile) = (CatalogSource::Document(catalog), ProfileSource::Document(profile));
        lives(garnish.validate_catalog(&catalog, &ProfileSource::Builtin("omp-18".into())))?;
        lives(garnish.catalog_feature_ids(&catalog))?;
        lives(garnish.describe_profile(&profile))?;
        lives(garnish.stock_parity_config(&catalog, &ProfileSource::Builtin("omp-16".into())))?;
        lives(garnish.render_gate_config(&UnlockSet { features: vec!["a".into()], levels: vec![] }, &CatalogSource::Builtin("v1".into()), &profile))?;
        lives(garnish.merge_gate_config(&[], &UnlockSet { features: vec!["a".into()], levels: vec![] }, &catalog, &profile, None))?;
    }

    #[test]
    fn logs_and_graphs(log in bytes_or(LOG), graph in bytes_or(GRAPH), level in "\\PC{0,6}", now in "\\PC{0,8}|2026-07-02T12:00:00Z") {
        let mut garnish = instance();
        lives(garnish.fold_events(&log, &graph))?;
        lives(garnish.fold_events(&log, GRAPH.as_bytes()))?;
        lives(garnish.validate_graph(&graph))?;
        lives(garnish.plan_unlock(&log, &graph, &CatalogSource::Builtin("v1".into()), &Selector::Level(level), &now))?;
    }

    #[test]
    fn sessions_and_calls(log in bytes_or(LOG), setup in proptest::option::of(bytes_or("{\"catalog\": \"omp-18\", \"profile\": \"omp-18\"}")), input in bytes_or(INPUT), tool in prop_oneof![Just("write"), Just("edit"), Just("bash"), Just("ast_edit"), Just("read"), Just("hub")], quest in "\\PC{0,6}|hello") {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(folder.path().join("garnish")).expect("a folder");
        std::fs::write(folder.path().join("garnish/graph.json"), GRAPH).expect("a file");
        std::fs::write(folder.path().join("garnish/events.jsonl"), log).expect("a file");
        match setup {
            Some(setup) => std::fs::write(folder.path().join("garnish/setup.json"), setup).expect("a file"),
            None => std::fs::write(folder.path().join("garnish/setup.json"), "{\"catalog\": \"omp-18\", \"profile\": \"omp-18\"}").expect("a file"),
        }
        let dir = AgentDir::open(folder.path()).expect("a folder");
        let mut garnish = Garnish::new(Component::embedded().expect("a component"), dir, NoSession::new(|_, _| {})).expect("an instance");
        let tool = Tool { name: tool.into(), server: None };
        lives(garnish.hold_tools(std::slice::from_ref(&tool)))?;
        lives(garnish.apply_unlocks(Trigger::BeforeRequest))?;
        lives(garnish.complete(&quest))?;
        lives(garnish.open_hint(&quest))?;
        lives(garnish.unlock(&Selector::All))?;
        lives(garnish.overrides(LayerMoment::Building))?;
        lives(garnish.overrides(LayerMoment::Running))?;
        lives(garnish.status())?;
        let call = ToolCall { tool, input, cwd: "/".into(), project: None, home: Some("/home/me".into()) };
        lives(garnish.check_tool_call(&call))?;
        prop_assert!(!garnish.is_dead());
    }
}
