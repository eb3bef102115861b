//! Files as `Bun.YAML` 1.4.5, the reader of the harness, reads them (case B03): garnish reads each the same, or
//! refuses it. The answers in `fixtures/yaml` were written by Bun; `pi/test/yaml.test.ts` asks it again.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use garnish_guest::{
    edit::{Document, Format},
    value::Value,
};

/// A line of the record. Without `bun`, Bun does not read the text; with `garnish`, garnish alone refuses it.
#[derive(serde::Deserialize)]
struct Row {
    text: String,
    #[serde(default, deserialize_with = "there")]
    bun: Option<serde_json::Value>,
    garnish: Option<String>,
}

/// A `null` that is there is what Bun reads.
fn there<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<serde_json::Value>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}

fn rows() -> Vec<Row> {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/yaml/bun.jsonl");
    std::fs::read_to_string(record).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The value that the record means: `#` marks a number that JSON lacks or may round, or a text that begins with `#`.
fn from_json(json: serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(flag),
        serde_json::Value::Number(number) => Value::Number(number.to_string().parse().unwrap()),
        serde_json::Value::String(text) => match text.strip_prefix('#') {
            None => Value::String(text),
            Some(rest) if rest.starts_with('#') => Value::String(rest.into()),
            Some(number) => Value::Number(number.parse().unwrap()),
        },
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(from_json).collect()),
        serde_json::Value::Object(map) => {
            Value::Map(map.into_iter().map(|(key, value)| (key, from_json(value))).collect())
        }
    }
}

#[test]
fn files_are_read_as_bun_reads_them() {
    let mut read = 0;
    for Row { text, bun, garnish } in rows() {
        let (Some(bun), None) = (bun, garnish) else { continue };
        let document = Document::parse(Format::Yaml, text.as_bytes()).unwrap_or_else(|f| panic!("{text:?}: {f:?}"));
        let bun = match from_json(bun) {
            // The harness starts from nothing, garnish from an empty mapping.
            Value::Null => Value::Map(Default::default()),
            value => value,
        };
        assert_eq!(document.value(), &bun, "{text:?}");
        read += 1;
    }
    assert!(read > 700, "{read} texts");
}

#[test]
fn files_that_bun_does_not_read_or_reads_as_no_one_else_are_refused() {
    let mut refused = 0;
    for Row { text, bun, garnish } in rows() {
        if bun.is_some() && garnish.is_none() {
            continue;
        }
        assert!(garnish.is_none_or(|word| word == "refuses"));
        let read = Document::parse(Format::Yaml, text.as_bytes()).map(|document| document.into_value());
        assert!(read.is_err(), "{text:?} was read as {read:?}");
        refused += 1;
    }
    assert!(refused > 200, "{refused} texts");
}
