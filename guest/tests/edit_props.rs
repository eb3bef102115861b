//! Properties of edits: over any bytes, and over mappings in any spelling, read back with another implementation.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod common;

use common::{cases, path, read_elsewhere, without_empty};
use garnish_guest::{
    edit::{Document, Edit, Format},
    value::Value,
};
use proptest::prelude::*;

/// Pieces that YAML and JSON are made of, so that random text comes near to being a file.
fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-d]{1,2}: ",
        2 => "[a-d]:\n",
        3 => prop::sample::select(vec![
            "\n", "\r\n", "\r", "  ", "    ", " ", "- ", "-\n", "# c\n", " # c", "[", "]", "{", "}", ", ", "\"", "'",
            "\"x\"", "|\n", ">-\n", "|+\n", "&a ", "*a", "!t ", "? ", "<<: ", "~", "1", "0x1", "true", "---\n", "...\n",
            "\t", "\u{feff}", "é", "\u{2028}", "\"a\": ", ":", ",", "\\", "/* c */", "//", "\0",
        ]).prop_map(String::from),
        1 => "\\PC{0,3}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn names(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

fn texts(items: &[&str]) -> Value {
    items.iter().copied().collect()
}

/// Tries all there is on any file; only faults may come of it.
fn try_all(bytes: &[u8]) {
    let list = texts(&["x", "no"]);
    for format in [Format::Yaml, Format::Json] {
        let Ok(document) = Document::parse(format, bytes) else { continue };
        let unchanged = document.edit(&[]).unwrap();
        assert_eq!(unchanged, bytes, "no edit, no change");
        for at in ["a", "b", "a.b", "c.d.a", "d"] {
            let path = path(at);
            let raw = document.raw(&names(&path)).unwrap_or(" [1]");
            let _ = document.place(&names(&path));
            let edits = [
                Edit::Set { path: &path, value: &list },
                Edit::Set { path: &path, value: &Value::Bool(true) },
                Edit::Restore { path: &path, raw },
                Edit::Remove { path: &path },
            ];
            for edit in &edits {
                // Text for a key that is not there may have to be written anew, and only then put back.
                let anew = matches!(edit, Edit::Restore { .. }) && document.raw(&names(&path)).is_none();
                if let (Ok(after), false) = (document.edit(&[*edit]), anew) {
                    let again = Document::parse(format, &after).unwrap().edit(&[*edit]);
                    assert_eq!(again.unwrap(), after, "{edit:?} of {:?}", String::from_utf8_lossy(bytes));
                }
            }
            if document.raw(&names(&path)).is_some() {
                for value in [&list, &Value::Bool(true)] {
                    if let Ok(after) = document.edit(&[Edit::Set { path: &path, value }]) {
                        let back = Document::parse(format, &after).unwrap().edit(&[Edit::Restore { path: &path, raw }]);
                        let back = back.unwrap_or_else(|fault| panic!("{bytes:?} {after:?} {fault:?}"));
                        assert_eq!(
                            String::from_utf8_lossy(&back),
                            String::from_utf8_lossy(bytes),
                            "{at} put back by way of {:?}",
                            String::from_utf8_lossy(&after)
                        );
                    }
                }
            }
            let _ = document.edit(&edits);
        }
    }
}

/// Lines of a learner's own, under a key that no edit names. `@` is the key.
fn foreign() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "@: 1 # one\n",
        "@: 'it''s'\n",
        "@: \"\\u00e9 # no comment\"   # yes\n",
        "@:\n    four: 1\n    # deep\n    five: [x,  y]\n",
        "@:\n- a\n# flush\n- b\n",
        "@:\n  - a\n\n  # gap\n  - k: v\n    l: w\n",
        "@: |\n  text\n  # no comment\n\n\n",
        "@: >-\n   folded\n\n   text\n",
        "@: |+\n  keep\n\n",
        "@: {a: 1,  b: {c: [2]}}\n",
        "@: [\n  a, # one\n  b,\n]\n",
        "@: plain\n  goes on\n",
        "@: &x@ {p: 1}\n@2: *x@\n",
        "@:\n",
        "@: ~ # nothing\n\n",
        "# a comment\n\n@: ${VAR}\n",
        "'@': !!str 5\n",
    ])
}

/// Owned keys in some spelling: `own` with leaves, `deny` as a list, `deep`.
fn owned() -> impl Strategy<Value = (&'static str, &'static str, &'static str)> {
    let own = prop::sample::select(vec![
        "",
        "own:\n",
        "own: # mine\n",
        "own: {}\n",
        "own: {a: 1, b: [x]}\n",
        "own:\n  a: 1\n",
        "own:\n  # c\n  a: 1 # d\n\n  b: |\n    text\n",
        "own:\n    b: 'q'\n    # a: 2\n",
        "own: {\n  a: 1, # c\n  z: 2\n}\n",
    ]);
    let deny = prop::sample::select(vec![
        "",
        "deny: []\n",
        "deny: [x, 'no'] # c\n",
        "deny:\n",
        "deny: # c\n  # d\n  - x # e\n\n  # f\n  - \"q\"\n",
        "deny:\n- x\n- z\n",
        "deny: [\n  x, # c\n  q\n]\n",
        "deny: true  \n",
    ]);
    let deep = prop::sample::select(vec![
        "",
        "deep:\n  er:\n    est: 1\n",
        "deep: {er: {est: [1]}}\n",
        "deep:\n  er: # c\n    other: 1\n",
    ]);
    (own, deny, deep)
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::Bool),
        (-1000i32..1000).prop_map(|n| Value::Number(f64::from(n) / 8.0)),
        prop::sample::select(vec!["no", "x", "0123", "a: b", "", "é\n", "- x", "plain text", "\u{85}"])
            .prop_map(Value::from),
        prop::collection::vec(prop::sample::select(vec!["x", "q", "no", "z", "w: v", "mcp:x"]), 0..5)
            .prop_map(|v| texts(&v)),
        Just(Value::Null),
        Just(Value::Map([("k".to_string(), texts(&["x"])), ("l".to_string(), Value::Map(Default::default()))].into())),
    ]
}

/// What one edit does.
#[derive(Debug, Clone)]
enum Do {
    Set(Value),
    Remove,
}

fn edits() -> impl Strategy<Value = Vec<(Vec<String>, Do)>> {
    let paths = prop::sample::subsequence(
        vec!["own.a", "own.b", "own.c", "deny", "deep.er.est", "deep.new.x", "fresh.p.q", "fresh.p.r"],
        1..8,
    );
    let what = prop_oneof![3 => leaf().prop_map(Do::Set), 2 => Just(Do::Remove)];
    (paths, prop::collection::vec(what, 8)).prop_map(|(paths, what)| paths.into_iter().map(path).zip(what).collect())
}

fn put(at: &mut Value, path: &[String], new: &Do) {
    let Some((key, rest)) = path.split_first() else { return };
    if at.as_map().is_none() {
        if matches!(new, Do::Remove) {
            return;
        }
        *at = Value::Map(Default::default());
    }
    let Value::Map(map) = at else { unreachable!() };
    match new {
        Do::Remove if rest.is_empty() => drop(map.remove(key)),
        Do::Remove => {
            if let Some(inner) = map.get_mut(key) {
                put(inner, rest, new);
            }
        }
        Do::Set(value) if rest.is_empty() => drop(map.insert(key.clone(), value.clone())),
        Do::Set(_) => put(map.entry(key.clone()).or_insert(Value::Null), rest, new),
    }
}

fn borrowed(edits: &[(Vec<String>, Do)]) -> Vec<Edit<'_>> {
    let mut all = Vec::new();
    for one in edits {
        all.push(match one {
            (path, Do::Set(value)) => Edit::Set { path, value },
            (path, Do::Remove) => Edit::Remove { path },
        });
    }
    all
}

/// How many inputs each property is tried on.
const CASES: u32 = 1000;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(CASES), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
    }

    #[test]
    fn any_text_is_edited_or_refused(text in soup()) {
        try_all(text.as_bytes());
    }

    #[test]
    fn foreign_lines_stay_and_the_result_means_what_was_intended(
        foreign in prop::collection::vec(foreign(), 4),
        (own, deny, deep) in owned(),
        edits in edits(),
        crlf in any::<bool>(),
        cut in any::<bool>(),
    ) {
        let foreign: Vec<String> = foreign.iter().enumerate().map(|(i, text)| text.replace('@', &format!("f{i}"))).collect();
        let mut text = [&foreign[0], own, &foreign[1], deny, &foreign[2], deep, &foreign[3]].concat();
        let mut foreign = foreign;
        if crlf {
            text = text.replace('\n', "\r\n");
            foreign.iter_mut().for_each(|part| *part = part.replace('\n', "\r\n"));
        }
        if cut {
            text = text.trim_end().to_string();
            if let Some(last) = foreign.last_mut() {
                *last = last.trim_end().to_string();
            }
        }
        let document = Document::parse(Format::Yaml, text.as_bytes()).unwrap();
        prop_assert_eq!(document.value(), &read_elsewhere(text.as_bytes()));
        // Edits that would make a mapping of a value are refused, and leave nothing to check.
        let Ok(after) = document.edit(&borrowed(&edits)) else { return Ok(()) };
        let mut intended = document.value().clone();
        for (path, what) in &edits {
            put(&mut intended, path, what);
        }
        let shown = String::from_utf8(after.clone()).unwrap();
        prop_assert_eq!(without_empty(&read_elsewhere(&after)), without_empty(&intended), "{}", shown);
        let mut at = 0;
        for part in &foreign {
            // A new key goes before blank lines.
            let part = part.trim_end();
            let found = shown[at..].find(part);
            prop_assert!(found.is_some(), "{:?} is gone from {:?}, which was {:?}", part, shown, text);
            at += found.unwrap() + part.len();
        }
        let again = Document::parse(Format::Yaml, &after).unwrap().edit(&borrowed(&edits)).unwrap();
        prop_assert_eq!(String::from_utf8(again).unwrap(), shown, "a second time");
    }

    #[test]
    fn set_and_put_back_gives_the_same_bytes(
        before in foreign(),
        (own, deny, deep) in owned(),
        behind in foreign(),
        values in prop::collection::vec(leaf(), 1..4),
        at in prop::sample::select(vec!["own.a", "own.b", "own", "deny", "deep.er.est", "deep", "fresh.x"]),
        crlf in any::<bool>(),
    ) {
        let mut text = [&before.replace('@', "f1"), own, deny, deep, &behind.replace('@', "f2")].concat();
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let path = path(at);
        let document = Document::parse(Format::Yaml, text.as_bytes()).unwrap();
        let raw = document.raw(&names(&path));
        let hollow = document.value().at(&path[..1]).is_none_or(|value| value.as_map().is_none_or(|map| !map.is_empty()));
        let mut after = text.clone().into_bytes();
        for value in &values {
            match Document::parse(Format::Yaml, &after).unwrap().edit(&[Edit::Set { path: &path, value }]) {
                Ok(next) => after = next,
                Err(_) => return Ok(()),
            }
        }
        let back = match raw {
            Some(raw) => Edit::Restore { path: &path, raw },
            // A mapping that was there and empty goes with the key that was put into it.
            None if hollow && document.raw(&names(&path[..1])) != Some("") => Edit::Remove { path: &path },
            None => return Ok(()),
        };
        let way = String::from_utf8_lossy(&after).into_owned();
        let back = Document::parse(Format::Yaml, &after).unwrap().edit(&[back]).unwrap();
        prop_assert_eq!(String::from_utf8(back).unwrap(), text, "by way of {:?}", way);
    }
}
