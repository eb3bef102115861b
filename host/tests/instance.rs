//! An instance of the built component: limits, traps, and what it does not ask for.

#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use common::Scratch;
use garnish_host::{
    CallError, CatalogSource, Component, Garnish, NoSession, ProfileSource, Selector, TrapKind, Trigger, UnlockSet,
    engine,
};

fn garnish(scratch: &Scratch) -> Garnish {
    Garnish::new(Component::embedded().unwrap(), scratch.dir(), NoSession::new(|_, _| {})).unwrap()
}

#[test]
fn the_component_imports_nothing_but_garnish() {
    let code = wasmtime::component::Component::from_binary(engine::engine(), garnish_host::WASM).unwrap();
    let contract = code.component_type();
    for (import, _) in contract.imports(engine::engine()) {
        assert!(import.starts_with("garnish:gating/") && import.ends_with("@0.1.0"), "{import}");
    }
}

#[test]
fn a_call_that_takes_too_long_is_an_error_and_ends_the_instance() {
    let scratch = Scratch::new();
    let mut garnish = garnish(&scratch);
    garnish.set_fuel_per_call(1000);
    let kind = |answer: Result<_, CallError>| match answer {
        Err(CallError::Trapped(trapped)) => trapped.kind,
        other => panic!("{other:?}"),
    };
    assert_eq!(kind(garnish.builtin_catalogs().map(|_| ())), TrapKind::Time);
    garnish.set_fuel_per_call(engine::FUEL_PER_CALL);
    assert!(garnish.is_dead());
    assert_eq!(kind(garnish.apply_unlocks(Trigger::SessionStart).map(|_| ())), TrapKind::Dead);
    // A new one goes on.
    assert!(self::garnish(&scratch).builtin_catalogs().unwrap().contains(&"v1".to_owned()));
}

#[test]
fn more_memory_than_the_limit_is_an_error() {
    let mut garnish = garnish(&Scratch::new());
    let log = vec![b'\n'; engine::MEMORY_LIMIT];
    match garnish.fold_events(&log, b"{}") {
        Err(CallError::Trapped(trapped)) => assert_eq!(trapped.kind, TrapKind::Memory, "{trapped}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn fuel_is_for_each_call_anew() {
    let mut garnish = garnish(&Scratch::new());
    let catalog = CatalogSource::Builtin("v1".into());
    let profile = ProfileSource::Builtin("omp-16".into());
    let unlocked = UnlockSet { features: vec!["tool:bash".into()], levels: vec![] };
    garnish.render_gate_config(&unlocked, &catalog, &profile).unwrap();
    let used = garnish.fuel_used();
    garnish.set_fuel_per_call(used * 2);
    for _ in 0..10 {
        garnish.render_gate_config(&unlocked, &catalog, &profile).unwrap();
    }
}

#[test]
fn errors_of_the_component_do_not_end_it() {
    let mut garnish = garnish(&Scratch::new());
    let missing = CatalogSource::Builtin("no-such-catalog".into());
    assert!(matches!(garnish.catalog_feature_ids(&missing), Err(CallError::Answered(_))));
    assert!(matches!(garnish.unlock(&Selector::All), Err(CallError::Answered(_))), "there is no graph");
    assert!(!garnish.is_dead());
}

#[test]
fn the_largest_inputs_pass_within_the_fuel() {
    let mut garnish = garnish(&Scratch::new());
    let graph = garnish_host::curriculum::Pack::bundled().unwrap().graph_json();
    let line = |number: usize| {
        format!(
            "{{\"type\":\"xp_award\",\"at\":\"2026-07-02T12:00:00Z\",\"session_id\":\"s-{number}\",\"amount\":{number}}}\n"
        )
    };
    let log: String = (1..=1_000_000).map(line).collect();
    let folded = garnish.fold_events(log.as_bytes(), graph.as_bytes()).unwrap();
    assert_eq!(folded.progress.xp_total, 500_000_500_000);
    assert!(garnish.fuel_used() < engine::FUEL_PER_CALL / 2, "{} units", garnish.fuel_used());

    let catalog = CatalogSource::Builtin("v1".into());
    let profile = ProfileSource::Builtin("omp-16".into());
    let config: String = (0..40_000).map(|number| format!("key{number}: # mine\n  deep: [1, 'two']\n")).collect();
    let files = [garnish_host::File { path: "config.yml".into(), bytes: config.into_bytes() }];
    assert!(files[0].bytes.len() > 1 << 20);
    let nothing = UnlockSet { features: vec![], levels: vec![] };
    let merged = garnish.merge_gate_config(&files, &nothing, &catalog, &profile, None).unwrap();
    assert!(merged.changed.iter().any(|file| file.path == "config.yml"));
    assert!(garnish.fuel_used() < engine::FUEL_PER_CALL / 2, "{} units", garnish.fuel_used());
}
