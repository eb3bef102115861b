//! Edits of configuration files: what they change, what they leave, and what they refuse.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use garnish_guest::{
    edit::{Document, Edit, Fault, FaultKind, Format},
    value::Value,
};

/// An edit with everything it borrows.
#[derive(Debug, Clone)]
enum Do {
    Set(Vec<String>, Value),
    Restore(Vec<String>, String),
    Remove(Vec<String>),
}

impl Do {
    fn edit(&self) -> Edit<'_> {
        match self {
            Do::Set(path, value) => Edit::Set { path, value },
            Do::Restore(path, raw) => Edit::Restore { path, raw },
            Do::Remove(path) => Edit::Remove { path },
        }
    }
}

fn keys(path: &str) -> Vec<String> {
    path.split('.').map(String::from).collect()
}

/// Reads a value from JSON.
fn value(json: &str) -> Value {
    fn from(json: serde_json::Value) -> Value {
        match json {
            serde_json::Value::Null => Value::Null,
            serde_json::Value::Bool(flag) => Value::Bool(flag),
            serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap()),
            serde_json::Value::String(text) => Value::String(text),
            serde_json::Value::Array(items) => Value::List(items.into_iter().map(from).collect()),
            serde_json::Value::Object(map) => Value::Map(map.into_iter().map(|(k, v)| (k, from(v))).collect()),
        }
    }
    from(serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}")))
}

fn set(path: &str, json: &str) -> Do {
    Do::Set(keys(path), value(json))
}

fn restore(path: &str, raw: &str) -> Do {
    Do::Restore(keys(path), raw.into())
}

fn remove(path: &str) -> Do {
    Do::Remove(keys(path))
}

fn run(format: Format, before: &[u8], edits: &[Do]) -> Result<Vec<u8>, Fault> {
    let edits: Vec<_> = edits.iter().map(Do::edit).collect();
    Document::parse(format, before)?.edit(&edits)
}

#[track_caller]
fn check(format: Format, before: &str, edits: &[Do], after: &str) {
    let result = run(format, before.as_bytes(), edits).unwrap_or_else(|fault| panic!("{before:?}: {fault:?}"));
    let result = String::from_utf8(result).unwrap();
    assert_eq!(result, after, "\n--- before\n{before}\n--- after\n{result}\n--- expected\n{after}");
    // A second time there is nothing left to do, where the edits name each value once.
    let again = run(format, result.as_bytes(), edits).unwrap();
    assert_eq!(String::from_utf8(again).unwrap(), after, "done again");
}

#[track_caller]
fn yaml(before: &str, edits: &[Do], after: &str) {
    check(Format::Yaml, before, edits, after);
}

#[track_caller]
fn json(before: &str, edits: &[Do], after: &str) {
    check(Format::Json, before, edits, after);
}

#[test]
fn new_keys_go_behind_the_last_entry_of_their_mapping() {
    yaml("", &[set("a", "1")], "a: 1\n");
    yaml("# my notes\n", &[set("a.b", "false")], "# my notes\na:\n  b: false\n");
    yaml("# my notes", &[set("a", "1")], "# my notes\na: 1");
    yaml("\n\n", &[set("a", "1")], "\n\na: 1\n");
    yaml("---\n# c\n", &[set("a", "1")], "---\n# c\na: 1\n");
    yaml("---\n...\n", &[set("a", "1")], "---\na: 1\n...\n");
    yaml("a: 1\n...\n", &[set("b", "2")], "a: 1\nb: 2\n...\n");
    yaml("--- # c\na: 1\n", &[set("b", "2")], "--- # c\na: 1\nb: 2\n");
    yaml("a: 1 # one\n\n# tail\n", &[set("b", "2")], "a: 1 # one\nb: 2\n\n# tail\n");
    yaml("a: 1", &[set("b", "2")], "a: 1\nb: 2");
    yaml("a:\n    b: 1\nc: 2\n", &[set("a.d", "3"), set("e.f", "4")], "a:\n    b: 1\n    d: 3\nc: 2\ne:\n    f: 4\n");
    yaml("a:\n  b: 1\n  # b2: 2\n", &[set("c", "1")], "a:\n  b: 1\n  # b2: 2\nc: 1\n");
    yaml(
        "a:\n  b: 1\n\n  # about what follows\nc: 2\n",
        &[set("d", "1")],
        "a:\n  b: 1\n\n  # about what follows\nc: 2\nd: 1\n",
    );
    yaml("a: |\n  x\n\n\n# c\n", &[set("b", "1")], "a: |\n  x\nb: 1\n\n\n# c\n");
    yaml("a: |+\n  x\n\n", &[set("b", "1")], "a: |+\n  x\n\nb: 1\n");
    yaml("a: >-\n  x\n  u", &[set("b", "1")], "a: >-\n  x\n  u\nb: 1");
    yaml("a: \"x\n  u\" # c\nz: 1\n", &[set("b", "1")], "a: \"x\n  u\" # c\nz: 1\nb: 1\n");
    yaml("  a: 1\n  b: 2\n", &[set("c", "3")], "  a: 1\n  b: 2\n  c: 3\n");
    yaml("a: 1\n", &[set("b", r#"{"x": {"u": []}, "z": {}}"#)], "a: 1\nb:\n  x:\n    u: []\n  z: {}\n");
    yaml(
        "a: 1\n",
        &[set("b", r#"["p", {"q": 1, "r": [2]}, [3, [4]], []]"#)],
        "a: 1\nb:\n  - p\n  - q: 1\n    r:\n      - 2\n  - - 3\n    - - 4\n  - []\n",
    );
    yaml("x:\n- 1\n", &[set("b", r#"["p"]"#)], "x:\n- 1\nb:\n- p\n");
    yaml("? k\n: v\n", &[set("b", "1")], "? k\n: v\nb: 1\n");
}

#[test]
fn a_key_without_a_value_gets_its_children_below_it() {
    yaml("skills:\n", &[set("skills.enabled", "false")], "skills:\n  enabled: false\n");
    yaml("skills: # mine\nb: 1\n", &[set("skills.enabled", "false")], "skills: # mine\n  enabled: false\nb: 1\n");
    yaml(
        "skills:\n  # includeSkills: []\n",
        &[set("skills.enabled", "false")],
        "skills:\n  enabled: false\n  # includeSkills: []\n",
    );
    yaml("a:\n   b: 1\nskills:\n", &[set("skills.x.u", "1")], "a:\n   b: 1\nskills:\n   x:\n      u: 1\n");
    yaml("skills:", &[set("skills.a", "1"), set("skills.b", "2")], "skills:\n  a: 1\n  b: 2");
    yaml("skills: ~\n", &[set("skills.a", "1")], "skills:\n  a: 1\n");
    yaml("skills: null # c\n", &[set("skills.a", "1")], "skills: {a: 1} # c\n");
    yaml("a: {s: }\n", &[set("a.s.t", "1")], "a: {s: {t: 1} }\n");
    json("{\"s\": null}", &[set("s.t", "1")], "{\"s\": {\"t\": 1}}");
}

#[test]
fn a_value_is_replaced_where_it_stands() {
    yaml("a:   1   # one\nb: 2\n", &[set("a", "true")], "a:   true   # one\nb: 2\n");
    yaml("'a': \"x\" # c\n", &[set("a", "\"u\"")], "'a': u # c\n");
    yaml("a: |\n  text\n  more\n# c\nb: 1\n", &[set("a", "\"x\"")], "a: x\n# c\nb: 1\n");
    yaml("a: one\n  two # c\nb: 1\n", &[set("a", "1")], "a: 1 # c\nb: 1\n");
    yaml("a:\n  1 # c\n", &[set("a", "2")], "a:\n  2 # c\n");
    yaml("a: # c\n", &[set("a", "2")], "a: 2 # c\n");
    yaml("a: 1\n", &[set("a", r#"["x"]"#)], "a:\n  - x\n");
    yaml("a: 1 # c\n", &[set("a", r#"["x", {"u": 1}]"#)], "a: [x, {u: 1}] # c\n");
    yaml("a:\n  - x # c\n  - u\nb: 1\n", &[set("a", "[]")], "a: []\nb: 1\n");
    yaml("a:\n  b: 1\n", &[set("a", "false")], "a: false\n");
    yaml("a: {b: 1} # c\n", &[set("a.b", "\"no\"")], "a: {b: \"no\"} # c\n");
    yaml("a: 1.0\n", &[set("a", "1")], "a: 1.0\n");
    yaml("a: 1.0 # c\nb: 1\n", &[set("a", "1.5"), set("b", "-0.25")], "a: 1.5 # c\nb: -0.25\n");
    json("{\"a\":1,\"b\":[1, 2]}", &[set("b", "{\"c\":1}")], "{\"a\":1,\"b\":{\"c\":1}}");
    json(
        "{\n\t\"a\": 1,\n\t\"b\": 2\n}\n",
        &[set("a", "[1,{\"x\":2}]")],
        "{\n\t\"a\": [\n\t\t1,\n\t\t{\n\t\t\t\"x\": 2\n\t\t}\n\t],\n\t\"b\": 2\n}\n",
    );
}

#[test]
fn foreign_bytes_stay() {
    // B10, B11, B13, A04, A05.
    yaml("\u{feff}a: 1\n", &[set("b", "2")], "\u{feff}a: 1\nb: 2\n");
    yaml("\u{feff}", &[set("b", "2")], "\u{feff}b: 2\n");
    yaml(
        "a: 1\r\nb:\r\n  c: 1\r\n",
        &[set("b.d", "[1]"), set("e", "2")],
        "a: 1\r\nb:\r\n  c: 1\r\n  d:\r\n    - 1\r\ne: 2\r\n",
    );
    yaml("a: 1\r\nb: 2\nc: 3\r\n", &[remove("b"), set("d", "4")], "a: 1\r\nc: 3\r\nd: 4\r\n");
    yaml("a: 1\rb: 2\r", &[set("c", "3")], "a: 1\rb: 2\rc: 3\r");
    let odd = "# 😀 \u{85}\u{2028}\nx: 0123 # octal?\ny: '0o17'\nz: {a: 1e3,  b: \"\\u00e9\" }\nl: >-\n    folded\n\n    text\n\n";
    yaml(&format!("{odd}a: 1\n"), &[set("a", "2"), set("m.k", "1")], &format!("{odd}a: 2\nm:\n  k: 1\n"));
    yaml(
        "a: &x {p: 1}\nb: *x\nc: !foo {q: !!str 1}\n",
        &[set("d", "1")],
        "a: &x {p: 1}\nb: *x\nc: !foo {q: !!str 1}\nd: 1\n",
    );
    yaml("x: &x {a: 1}\ny:\n  <<: *x\n", &[set("z", "1")], "x: &x {a: 1}\ny:\n  <<: *x\nz: 1\n");
    yaml("1: a\ntrue: b\nnull: c\n", &[set("d", "1")], "1: a\ntrue: b\nnull: c\nd: 1\n");
    let mcp = "{\n  \"future_unknown_key\": 30.0,\n  \"mcpServers\": {\"a\": {\"n\": 1e3, \"k\": \"${TOKEN}\"} },\n\n  \"disabledServers\": []\n}\n";
    json(mcp, &[set("disabledServers", r#"["demo"]"#)], &mcp.replace("[]", "[\n    \"demo\"\n  ]"));
}

#[test]
fn removal_takes_the_line_and_what_becomes_empty() {
    yaml("a: 1\nb: 2 # c\nc: 3\n", &[remove("b")], "a: 1\nc: 3\n");
    yaml("a: 1\nb: 2", &[remove("b")], "a: 1");
    yaml("b: 2", &[remove("b")], "");
    yaml("# c\nb: 2\n", &[remove("b")], "# c\n");
    yaml("a: 1\n\nb: 2\n\nc: 3\n", &[remove("b")], "a: 1\n\n\nc: 3\n");
    yaml("a:\n  b:\n    c: 1\nd: 2\n", &[remove("a.b.c")], "d: 2\n");
    yaml("a:\n  b:\n    c: 1\n  e: 1\nd: 2\n", &[remove("a.b.c")], "a:\n  e: 1\nd: 2\n");
    yaml("a:\n  # mine\n  b: 1\nd: 2\n", &[remove("a.b")], "a:\n  # mine\nd: 2\n");
    yaml("a: # mine\n  b: 1\nd: 2\n", &[remove("a.b")], "a: # mine\nd: 2\n");
    yaml("a:\n  b: 1\n  # c: 2\nd: 2\n", &[remove("a.b")], "a:\n  # c: 2\nd: 2\n");
    yaml("a:\n- x\n# c\n- u\nb: 1\n", &[remove("a")], "b: 1\n");
    yaml("a: |\n  x\n\nb: 1\n", &[remove("a")], "\nb: 1\n");
    yaml("a: {b: 1, c: 2}\n", &[remove("a.b")], "a: {c: 2}\n");
    yaml("a: {b: 1, c: 2}\n", &[remove("a.c")], "a: {b: 1}\n");
    yaml("a: {b: 1, c: 2, d: 3}\n", &[remove("a.c")], "a: {b: 1, d: 3}\n");
    yaml("a: {b: 1}\nd: 1\n", &[remove("a.b")], "d: 1\n");
    yaml("{a: 1}\n", &[remove("a")], "{}\n");
    yaml("a: 1\n", &[remove("x.u"), remove("a.b")], "a: 1\n");
    yaml("a: 1\nb: 2\n", &[remove("b"), set("c", "3")], "a: 1\nc: 3\n");
    yaml("a:\n  b: 1\n", &[remove("a.b"), set("a.c", "3")], "a:\n  c: 3\n");
    json("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &[remove("a")], "{\n  \"b\": 2\n}\n");
    json("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &[remove("b")], "{\n  \"a\": 1\n}\n");
    json("{\n  \"a\": {\"x\": 1},\n  \"b\": 2\n}\n", &[remove("a.x")], "{\n  \"b\": 2\n}\n");
    json("{\n  \"a\": 1\n}\n", &[remove("a")], "{}\n");
}

#[test]
fn lists_change_item_by_item() {
    // A14.
    let list = "a:\n  # first\n  - x # ex\n\n  # second\n  - \"u\"\n  - z\nb: 1\n";
    yaml(
        list,
        &[set("a", r#"["x","u","z","w"]"#)],
        "a:\n  # first\n  - x # ex\n\n  # second\n  - \"u\"\n  - z\n  - w\nb: 1\n",
    );
    yaml(
        list,
        &[set("a", r#"["v","x","u","z"]"#)],
        "a:\n  # first\n  - v\n  - x # ex\n\n  # second\n  - \"u\"\n  - z\nb: 1\n",
    );
    yaml(list, &[set("a", r#"["x","z"]"#)], "a:\n  # first\n  - x # ex\n\n  # second\n  - z\nb: 1\n");
    yaml(list, &[set("a", r#"["x"]"#)], "a:\n  # first\n  - x # ex\nb: 1\n");
    yaml(list, &[set("a", r#"["u","x","q"]"#)], "a:\n  # first\n  - u\n  - x # ex\n\n  # second\n  - q\nb: 1\n");
    yaml("a:\n- x\nb: 1\n", &[set("a", r#"["x","u"]"#)], "a:\n- x\n- u\nb: 1\n");
    yaml("a:\n-\n  p: 1\n- q\n", &[set("a", r#"["q"]"#)], "a:\n- q\n");
    yaml("a: [x, u] # c\n", &[set("a", r#"["x","u","z"]"#)], "a: [x, u, z] # c\n");
    yaml("a: [x, u]\n", &[set("a", r#"["z","u"]"#)], "a: [z, u]\n");
    yaml("a: [x,u]\n", &[set("a", r#"["x","w","u"]"#)], "a: [x,w,u]\n");
    yaml("a: [x, u,]\n", &[set("a", r#"["x"]"#)], "a: [x,]\n");
    yaml("a: []\nb: 1\n", &[set("a", r#"["x","no"]"#)], "a:\n  - x\n  - \"no\"\nb: 1\n");
    yaml("a: [] # c\n", &[set("a", r#"["x"]"#)], "a: [x] # c\n");
    yaml("a: [\n  x,\n  u\n]\n", &[set("a", r#"["x","u","z"]"#)], "a: [\n  x,\n  u,\n  z\n]\n");
    yaml("a: [\n  x, # ex\n  u\n]\n", &[set("a", r#"["x","u","z"]"#)], "a: [\n  x, # ex\n  u,\n  z\n]\n");
    yaml("a: [\n  x, # ex\n  u\n]\n", &[set("a", r#"["x"]"#)], "a: [\n  x # ex\n]\n");
    yaml("a: [\n  # c\n  x,\n  u,\n]\n", &[set("a", r#"["w","u"]"#)], "a: [\n  # c\n  w,\n  u,\n]\n");
    yaml("a: [x, x, u]\n", &[set("a", r#"["x","u","x"]"#)], "a: [x, u, x]\n");
    yaml("d:\n  l:\n    - a\n", &[set("d.l", r#"["b"]"#)], "d:\n  l:\n    - b\n");
    json(
        "{\n  \"l\": [\n    \"a\",\n    \"b\"\n  ]\n}\n",
        &[set("l", r#"["a","b","c"]"#)],
        "{\n  \"l\": [\n    \"a\",\n    \"b\",\n    \"c\"\n  ]\n}\n",
    );
    json("{\"l\":[\"a\",\"b\"]}", &[set("l", r#"["b","c"]"#)], "{\"l\":[\"b\",\"c\"]}");
}

#[test]
fn a_mapping_over_a_mapping_keeps_what_both_have() {
    yaml(
        "g:\n  # mine\n  a: 1 # one\n  b: [x]\n",
        &[set("g", r#"{"a": 1, "b": ["x", "u"], "c": true}"#)],
        "g:\n  # mine\n  a: 1 # one\n  b: [x, u]\n  c: true\n",
    );
    yaml("g:\n  a: 1\n  b: 2\nh: 1\n", &[set("g", r#"{"c": 3}"#)], "g:\n  c: 3\nh: 1\n");
    yaml("g:\n  a: 1\n", &[set("g", "{}")], "g: {}\n");
    json("{\"g\": {\"a\": 1, \"b\": 2}}", &[set("g", r#"{"b": 3, "c": null}"#)], "{\"g\": {\"b\": 3, \"c\": null}}");
}

#[test]
fn json_keeps_its_layout() {
    json("{}", &[set("a.b", "1")], "{\"a\": {\"b\": 1}}");
    json("{\n}\n", &[set("a", "1")], "{\n  \"a\": 1\n}\n");
    json("{\"a\":1}", &[set("b", "[1,2]")], "{\"a\":1,\"b\":[1,2]}");
    json("\u{feff}{ \"a\": 1 }\r\n", &[set("b", "2")], "\u{feff}{ \"a\": 1, \"b\": 2 }\r\n");
    json(
        "{\r\n    \"a\": {}\r\n}",
        &[set("a.b", "true"), set("c", "1")],
        "{\r\n    \"a\": {\r\n        \"b\": true\r\n    },\r\n    \"c\": 1\r\n}",
    );
    json("{\n  \"m\": {\"a\": 1}\n}", &[set("m.b", "{\"c\": 2}")], "{\n  \"m\": {\"a\": 1, \"b\": {\"c\": 2}}\n}");
    json("{\"$schema\": \"x\"}", &[set("a\"b", "\"\\u0001\\n\"")], "{\"$schema\": \"x\", \"a\\\"b\": \"\\u0001\\n\"}");
}

#[test]
fn strings_are_quoted_wherever_a_reader_could_take_them_for_something_else() {
    // B01, B02.
    for text in [
        "no",
        "on",
        "Yes",
        "NULL",
        "~",
        "12:30",
        "0123",
        "1e3",
        "e5",
        "E+3",
        "0e6836",
        "+1",
        "011",
        "2026-01-01",
        "<<",
        "=",
        ".5",
        "0x1f",
        "foo:",
        "a: b",
        "a #b",
        "- a",
        "-",
        "?",
        "*a",
        "&a",
        "!a",
        "@a",
        "`a",
        "%a",
        "|",
        ">",
        "[a",
        "{a",
        "",
        " a",
        "a ",
        "a\nb",
        "\u{85}",
        "\u{7}",
        "\u{feff}a",
        "\u{2028}",
        "'",
        "\"",
        "\\",
        "#a",
        ",",
        "a, b",
        "---",
        "...",
        "y",
        "N",
        "off",
        ".inf",
        "nan",
        "true",
        "😀 é",
        "{env:X}",
        "${X:-d}",
        "!op read op://v/i",
    ] {
        let json = serde_json::to_string(text).unwrap();
        let after = run(Format::Yaml, b"", &[set("k", &json)]).unwrap();
        let after = String::from_utf8(after).unwrap();
        assert!(after.starts_with("k: \""), "{text:?} is plain in {after:?}");
        let read: BTreeMap<String, yaml_serde::Value> = yaml_serde::from_str(&after).unwrap();
        assert_eq!(read["k"].as_str(), Some(text));
    }
    for text in
        ["a", "extension-module:demo", "skill:*", "mcp:x", "read only", "context-file:user:CLAUDE.md", "always-ask"]
    {
        let after = run(Format::Yaml, b"", &[set("k", &format!("{text:?}"))]).unwrap();
        assert_eq!(String::from_utf8(after).unwrap(), format!("k: {text}\n"));
    }
    let path = vec!["no".to_string(), "a: b".to_string()];
    let after = run(Format::Yaml, b"", &[Do::Set(path, Value::Bool(true))]).unwrap();
    assert_eq!(String::from_utf8(after).unwrap(), "\"no\":\n  \"a: b\": true\n");
}

/// Sets `path`, then puts the old text back: the file is as it was.
#[track_caller]
fn there_and_back(format: Format, before: &str, path: &str, json: &str) {
    let path = keys(path);
    let raw = {
        let document = Document::parse(format, before.as_bytes()).unwrap();
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        document.raw(&names).map(String::from)
    };
    let changed = run(format, before.as_bytes(), &[Do::Set(path.clone(), value(json))]).unwrap();
    let back = match raw {
        Some(raw) => Do::Restore(path, raw),
        None => Do::Remove(path),
    };
    let after = String::from_utf8(run(format, &changed, &[back]).unwrap()).unwrap();
    assert_eq!(after, before, "by way of\n{}", String::from_utf8_lossy(&changed));
}

#[test]
fn what_was_set_can_be_put_back_byte_for_byte() {
    let list = "a: # c0\n  # c1\n  - x # c2\n\n  # c3\n  - \"u\" # c4\n# c5\nb: 1\n";
    for json in
        ["[]", "[\"x\"]", "[\"u\"]", "[\"q\"]", "[\"u\",\"x\"]", "[\"x\",\"u\",\"z\"]", "true", "{\"p\": 1}", "null"]
    {
        there_and_back(Format::Yaml, list, "a", json);
        there_and_back(Format::Yaml, &list.replace("  -", "-"), "a", json);
        there_and_back(Format::Yaml, "a: [x, \"u\"]  # c\nb: 1\n", "a", json);
        there_and_back(Format::Yaml, "a: [\n  x, # c\n  \"u\"\n] # d\nb: 1\n", "a", json);
        there_and_back(Format::Yaml, "a:\nb: 1\n", "a", json);
        there_and_back(Format::Yaml, "a: # c\nb: 1\n", "a", json);
        there_and_back(Format::Yaml, "a: 1  \nb: 1\n", "a", json);
        there_and_back(Format::Yaml, "a:   'x' # c\n", "a", json);
        there_and_back(Format::Yaml, "a: |\n  x\n  # no comment\n# c\nb: 1", "a", json);
        there_and_back(Format::Yaml, "a:\n  x: 1\n  # c\n  u: # d\n    z: 2 # e\n# f\n", "a", json);
        there_and_back(Format::Yaml, "p:\n  a: {x: 1, u: [2]} # c", "p.a", json);
        there_and_back(Format::Yaml, "b: 1", "a", json);
        there_and_back(Format::Yaml, "# c", "q.a", json);
        there_and_back(Format::Yaml, "q: # c\nr: 1\n", "q.a", json);
        there_and_back(Format::Yaml, "{b: 1}", "a", json);
        there_and_back(Format::Json, "{\"a\" :  [ \"x\",\n \"u\" ] , \"b\":1}\n", "a", json);
        there_and_back(Format::Json, "{\n  \"b\": 1\n}", "a.c", json);
        there_and_back(Format::Json, "{}", "a", json);
    }
    there_and_back(Format::Yaml, "g:\n  a: 1\n  # c\n  b: 2 # d\n  # e\nh: 1\n", "g", r#"{"a": 1}"#);
    there_and_back(Format::Yaml, "g:\n  a: 1\n  b: 2\n    # deep\nh: 1\n", "g", r#"{"a": 1, "b": 2, "c": 3}"#);
}

#[test]
fn text_from_another_layout_is_put_back_by_meaning() {
    yaml("a:\n    b: []\n", &[restore("a.b", "\n- x # c\n- u\n")], "a:\n    b:\n        - x\n        - u\n");
    yaml("a: {b: 1}\n", &[restore("a.b", "\n  - x\n  - u")], "a: {b: [x, u]}\n");
    yaml("a: 1\n", &[restore("b", " 0123")], "a: 1\nb: 0123\n");
    yaml("a: true # new\n", &[restore("a", "\n  - x\n  - |\n    text")], "a:\n  - x\n  - |\n    text\n# new\n");
    json(
        "{\"a\": 1}",
        &[restore("a", " 1.0"), restore("b", " [ ]")],
        "{\"a\": 1.0,\"b\": [ ]}".replace(",\"", ", \"").as_str(),
    );
}

#[test]
fn several_edits_of_one_value_are_made_in_order() {
    let edits = [set("a", "{\"b\": 1}"), set("a.c", "2"), remove("a.b"), set("d", "1"), set("d", "2")];
    let after = run(Format::Yaml, b"x: 1\n", &edits).unwrap();
    assert_eq!(String::from_utf8(after).unwrap(), "x: 1\na:\n  c: 2\nd: 2\n");
}

#[test]
fn places_are_named_from_one_in_characters() {
    let document = Document::parse(Format::Yaml, "\u{feff}é: {ü: 1, b: 2}\r\nc:\r\n  d: 1\r\n".as_bytes()).unwrap();
    assert_eq!(document.place(&["é"]), Some((1, 1)));
    assert_eq!(document.place(&["é", "b"]), Some((1, 11)));
    assert_eq!(document.place(&["c", "d"]), Some((3, 3)));
    assert_eq!(document.place(&["c", "x"]), None);
}

#[track_caller]
fn refused(format: Format, before: &[u8], edits: &[Do], kind: FaultKind, place: Option<(u32, u32)>) {
    match run(format, before, edits) {
        Ok(after) => panic!("{:?} became {:?}", String::from_utf8_lossy(before), String::from_utf8_lossy(&after)),
        Err(fault) => {
            let found = fault.line.zip(fault.column);
            assert_eq!((fault.kind, found), (kind, place), "{}: {fault}", String::from_utf8_lossy(before));
            assert!(fault.kind.code().starts_with("garnish::file::"));
        }
    }
}

#[test]
fn files_that_cannot_be_read_surely_are_refused_with_their_place() {
    use FaultKind::*;
    let yaml = |text: &str, kind, line, column| refused(Format::Yaml, text.as_bytes(), &[], kind, Some((line, column)));
    // A09, A11, B04, B08, B09.
    yaml("a:\n\tb: 1\n", Syntax, 2, 2);
    yaml("a: \"x\n", Syntax, 1, 4);
    yaml("a: [1, 2\n", Syntax, 1, 4);
    yaml("a: 1\nb: 2\na: 3\n", DuplicateKey, 3, 1);
    yaml("x:\n  a: 1\n  \"a\": 2\n", DuplicateKey, 3, 3);
    yaml("x: [{1: a, '1': b}]\n", DuplicateKey, 1, 12);
    yaml("a: 1\n---\nb: 2\n", SeveralDocuments, 2, 1);
    yaml("...\na: 1\n", SeveralDocuments, 2, 1);
    yaml("- a\n", NotAMapping, 1, 1);
    yaml("hello\n", NotAMapping, 1, 1);
    yaml("~\n", NotAMapping, 1, 1);
    yaml("a: *x\n", Syntax, 1, 4);
    yaml("a: &x [*x]\n", Alias, 1, 8);
    yaml("[a]: 1\n", Spelling, 1, 1);
    yaml("a: [x,\ny]\n", Syntax, 2, 1);
    yaml("a: 1\0\n", Syntax, 1, 5);
    yaml("a: \u{feff}1\n", Syntax, 1, 4);
    yaml("%TAG ! x\n---\na: 1\n", Spelling, 1, 1);
    refused(Format::Yaml, b"a: 1\nb: \xff\n", &[], NotUtf8, Some((2, 4)));
    refused(Format::Yaml, &vec![b'#'; 2 * 1024 * 1024 + 1], &[], TooLarge, Some((1, 1)));
    let deep = format!("a: {}{}\n", "[".repeat(200), "]".repeat(200));
    assert_eq!(Document::parse(Format::Yaml, deep.as_bytes()).unwrap_err().kind, TooDeep);
    let bomb: String = (1..60).map(|i| format!("a{i}: &a{i} [*a{0}, *a{0}]\n", i - 1)).collect();
    let fault = Document::parse(Format::Yaml, format!("a0: &a0 x\n{bomb}").as_bytes()).unwrap_err();
    assert_eq!(fault.kind, TooLarge);
    let chain: String = (1..200).map(|i| format!("a{i}: &a{i} [*a{}]\n", i - 1)).collect();
    let fault = Document::parse(Format::Yaml, format!("a0: &a0 x\n{chain}").as_bytes()).unwrap_err();
    assert_eq!(fault.kind, TooDeep);

    let json = |text: &str, kind, line, column| refused(Format::Json, text.as_bytes(), &[], kind, Some((line, column)));
    json("", Syntax, 1, 1);
    json(" \n", Syntax, 1, 1);
    json("{\n  // c\n  \"a\": 1\n}", Comment, 2, 3);
    json("{\"a\": 1 /* c */}", Comment, 1, 9);
    json("{\"a\": 1\n \"b\": 2}", Syntax, 2, 2);
    json("{\"a\": 1,}", Syntax, 1, 9);
    json("{\"a\": {\"b\": 1, \"\\u0062\": 2}}", DuplicateKey, 1, 16);
    json("[1]", NotAMapping, 1, 1);
    json("{\"a\": \"\\ud800\"}", Syntax, 1, 7);
    json("{a: 1}", Syntax, 1, 2);
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(Document::parse(Format::Json, deep.as_bytes()).unwrap_err().kind, TooDeep);
}

#[test]
fn edits_that_would_reach_elsewhere_are_refused_with_their_place() {
    use FaultKind::*;
    let yaml = |text: &str, edit: Do, kind, line, column| {
        refused(Format::Yaml, text.as_bytes(), &[edit], kind, Some((line, column)));
    };
    // A12.
    yaml("x: 1\ntools: fullscreen\n", set("tools.approvalMode", "1"), NotAMappingHere, 2, 1);
    yaml("tools: []\n", set("tools.approvalMode", "1"), NotAMappingHere, 1, 1);
    yaml("x: &x {a: 1}\ny: *x\n", set("y.a", "2"), Alias, 2, 1);
    yaml("x: &x {a: 1}\ny: *x\n", set("x.a", "2"), Anchor, 1, 1);
    yaml("x: &x 1\ny: *x\n", set("y", "2"), Alias, 2, 1);
    yaml("x: &x 1\n", set("x", "2"), Anchor, 1, 1);
    yaml("x: !t 1\n", set("x", "2"), Anchor, 1, 1);
    yaml("&k x: 1\n", set("x", "2"), Anchor, 1, 1);
    yaml("x: &x {a: 1}\ny:\n  <<: *x\n  b: 1\n", set("y.b", "2"), Alias, 3, 3);
    yaml("x: [&i p, q]\ny: *i\n", set("x", "[\"q\"]"), Anchor, 1, 1);
    yaml("x:\n  a: &i 1\ny: *i\n", remove("x"), Anchor, 1, 1);
    yaml("? x\n: 1\n", set("x", "2"), Spelling, 1, 3);
    yaml("x: {u}\n", set("x.u", "2"), Spelling, 1, 5);
    yaml("x: [a, # c\n  b]\n", set("x", "[\"b\"]"), Spelling, 1, 5);
    refused(Format::Yaml, b"a: 1\n", &[Do::Remove(vec![])], NotAMappingHere, None);
    refused(Format::Yaml, b"a: 1\n", &[restore("a", " \"")], Syntax, None);
    refused(Format::Yaml, b"a: 1\n", &[restore("a", " 1\nb: 2")], Syntax, None);
    refused(Format::Json, b"{}", &[Do::Set(keys("a"), Value::Number(f64::NAN))], Unwritable, None);
    let deep = (0..140).fold(Value::Null, |value, _| Value::List(vec![value]));
    refused(Format::Yaml, b"", &[Do::Set(keys("a"), deep)], TooDeep, None);
}

#[test]
fn a_megabyte_and_many_edits_are_one_walk() {
    let mut text = String::new();
    for i in 0..20_000 {
        text += &format!("key{i}:\n  enabled: true # {i}\n  list: [a, b]\n");
    }
    text += "list:\n";
    for i in 0..20_000 {
        text += &format!("  - item{i}\n");
    }
    assert!(text.len() > 1_000_000);
    let reversed = (0..20_000).rev().map(|i| format!("item{i}")).collect::<Vec<_>>();
    let mut edits = vec![Do::Set(keys("list"), reversed.iter().map(String::as_str).collect())];
    edits.extend((0..5_000).map(|i| set(&format!("key{i}.enabled"), "false")));
    edits.extend((0..5_000).map(|i| set(&format!("new{i}.enabled"), "false")));
    let after = run(Format::Yaml, text.as_bytes(), &edits).unwrap();
    let after = String::from_utf8(after).unwrap();
    assert_eq!(after.matches("enabled: false").count(), 10_000);
    let line = format!("{{\"l\":[{}]}}", vec!["1"; 500_000].join(","));
    let edits = [set("m", "1"), set("l", "[1,2]")];
    assert_eq!(run(Format::Json, line.as_bytes(), &edits).unwrap(), b"{\"l\":[1,2],\"m\":1}");
}
