//! What the built file is from outside: what it asks for, and how large it is.

use garnish_host::{Component, WASM};
use wasmtime::component::Component as Code;

/// In bytes.
const BUDGET: usize = 320 * 1024;

#[test]
fn the_component_imports_nothing_but_garnish() {
    let engine = garnish_host::engine::engine();
    let code = Code::from_binary(engine, WASM).expect("a component");
    let contract = code.component_type();
    let imports: Vec<String> = contract.imports(engine).map(|(name, _)| name.to_owned()).collect();
    assert!(!imports.is_empty());
    for import in imports {
        assert!(import.starts_with("garnish:gating/") && import.ends_with("@0.1.0"), "{import}");
    }
    let exports: Vec<String> = contract.exports(engine).map(|(name, _)| name.to_owned()).collect();
    assert_eq!(
        exports,
        ["garnish:gating/gating@0.1.0", "garnish:gating/progression@0.1.0", "garnish:gating/unlocks@0.1.0"]
    );
    assert!(Component::embedded().is_ok());
}

#[test]
fn the_component_is_within_its_budget() {
    assert!(WASM.len() <= BUDGET, "garnish.wasm has {} bytes, {BUDGET} is the budget", WASM.len());
}
