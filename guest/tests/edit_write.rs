//! What garnish writes as YAML says the same to another reader of YAML 1.2, wherever it stands (cases B01, B02, B13).
//! `pi/test/yaml_write.test.ts` asks Bun, and a reader of YAML 1.1.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;

use garnish_guest::{
    edit::{Document, Edit, Format},
    render,
    value::{Mapping, Value},
};
use proptest::prelude::*;
use serde::Deserialize;

/// Texts made of what YAML gives a meaning, and of what cannot be seen.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec![
            "a", "no", "yes", "on", "null", "~", "true", "1", "0", "0x", "0o", "e5", ".", "-", "+", "_", ":", ": ", " #", "#", " ",
            "  ", "\t", "\n", "\r", "\r\n", "- ", "? ", "[", "]", "{", "}", ",", "&", "*", "!", "|", ">", "'", "\"", "%", "@", "`",
            "<<", "=", "\\", "---", "...", "é", "日本", "😀", "\0", "\u{7}", "\u{7f}", "\u{85}", "\u{a0}", "\u{2028}", "\u{2029}",
            "\u{feff}", "\u{fffe}", "12:30", "2026-01-01",
        ]).prop_map(String::from),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// A file as another implementation reads it, in the one shape that the test writes.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Places {
    value: String,
    items: Vec<String>,
    brackets: Vec<String>,
    keys: BTreeMap<String, Option<String>>,
    braces: BTreeMap<String, Option<String>>,
}

fn map(entries: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Map(entries.into_iter().collect::<Mapping>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_read_back_as_that_text_wherever_it_stands(text in text()) {
        let one = Value::String(text.clone());
        let list = Value::List(vec![one.clone(), one.clone()]);
        let keys = map([(text.clone(), one.clone())]);
        let expected = Places {
            value: text.clone(),
            items: vec![text.clone(); 2],
            brackets: vec![text.clone(); 2],
            keys: [(text.clone(), Some(text.clone()))].into(),
            braces: [(text.clone(), Some(text.clone())), ("k".into(), None)].into(),
        };
        prop_assume!(text != "k");

        let file = "value: 1\nitems:\n- x\nbrackets: [x]\nkeys:\n  x: 1\nbraces: {k: null}\n";
        let path = |keys: &[&str]| keys.iter().map(|key| String::from(*key)).collect::<Vec<_>>();
        let paths = [path(&["value"]), path(&["items"]), path(&["brackets"]), path(&["keys"]), path(&["braces", &text])];
        let values = [&one, &list, &list, &keys, &one];
        let edits: Vec<_> = paths.iter().zip(values).map(|(path, value)| Edit::Set { path, value }).collect();
        let edited = Document::parse(Format::Yaml, file.as_bytes()).unwrap().edit(&edits).unwrap();
        let read: Places = yaml_serde::from_slice(&edited).unwrap();
        prop_assert_eq!(&read, &expected, "{}", String::from_utf8_lossy(&edited));

        let braces = map([(text.clone(), one.clone()), ("k".into(), Value::Null)]);
        let names = ["value", "items", "brackets", "keys", "braces"].map(String::from);
        let whole = map(names.into_iter().zip([one, list.clone(), list, keys, braces]));
        let made = render::file(&whole, Format::Yaml);
        let read: Places = yaml_serde::from_slice(&made).unwrap();
        prop_assert_eq!(&read, &expected, "{}", String::from_utf8_lossy(&made));
    }
}
