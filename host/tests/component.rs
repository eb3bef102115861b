//! What is refused before any of a component's code runs.

#![allow(missing_docs, clippy::unwrap_used)]

use garnish_host::{Component, ComponentError};

fn refusal(wat: &str) -> ComponentError {
    let bytes = wat::parse_str(wat).unwrap();
    Component::from_bytes("x.wasm", &bytes).err().expect("this must be refused")
}

const EXPORTS: &str = r#"
    (instance $none)
    (export "garnish:gating/gating@0.1.0" (instance $none))
    (export "garnish:gating/progression@0.1.0" (instance $none))
    (export "garnish:gating/unlocks@0.1.0" (instance $none))"#;

#[test]
fn a_component_that_asks_for_wasi_is_refused_by_the_name_of_the_import() {
    let wat = format!(r#"(component (import "wasi:cli/environment@0.2.6" (instance)) {EXPORTS})"#);
    let error = refusal(&wat);
    assert!(matches!(&error, ComponentError::ForeignImport { import, .. } if import == "wasi:cli/environment@0.2.6"));
    assert!(error.to_string().contains("wasi:cli/environment@0.2.6"), "{error}");
}

#[test]
fn a_plain_function_import_is_refused() {
    assert!(matches!(
        refusal(&format!(r#"(component (import "log" (func (param "text" string))) {EXPORTS})"#)),
        ComponentError::ForeignImport { import, .. } if import == "log"
    ));
}

#[test]
fn an_interface_that_garnish_does_not_have_is_refused() {
    let wat = format!(r#"(component (import "garnish:gating/network@0.1.0" (instance)) {EXPORTS})"#);
    assert!(matches!(refusal(&wat), ComponentError::ForeignImport { .. }));
}

#[test]
fn another_version_is_refused_with_both_versions() {
    for wat in [
        format!(r#"(component (import "garnish:gating/files@0.2.0" (instance)) {EXPORTS})"#),
        format!("(component {})", EXPORTS.replace("gating/unlocks@0.1.0", "gating/unlocks@0.2.0")),
    ] {
        let error = refusal(&wat);
        assert!(matches!(error, ComponentError::Version { .. }));
        let text = error.to_string();
        assert!(text.contains("@0.2.0") && text.contains("garnish:gating@0.1.0"), "{text}");
    }
}

#[test]
fn another_component_is_refused_by_what_it_lacks() {
    let error = refusal("(component)");
    assert!(matches!(error, ComponentError::MissingExport { interface: "gating", .. }));
}

#[test]
fn right_names_with_wrong_types_are_refused() {
    assert!(matches!(refusal(&format!("(component {EXPORTS})")), ComponentError::Mismatch { .. }));
}

#[test]
fn what_is_no_component_is_refused() {
    assert!(matches!(refusal("(module)"), ComponentError::NotAComponent { .. }));
    for bytes in [&b""[..], b"not wasm", b"\0asm", b"\x7fELF\x02\x01\x01"] {
        assert!(matches!(Component::from_bytes("x", bytes), Err(ComponentError::NotAComponent { .. })));
    }
    let missing = Component::from_file("/no/such/garnish.wasm".as_ref());
    assert!(matches!(missing, Err(ComponentError::Read { .. })));
}

#[test]
fn machine_code_is_not_taken_from_a_file() {
    let component = wat::parse_str("(component)").unwrap();
    let code = garnish_host::engine::engine().precompile_component(&component).unwrap();
    assert!(matches!(Component::from_bytes("x.cwasm", &code), Err(ComponentError::NotAComponent { .. })));
}
