//! `host-test files`: what garnish makes of files, for tests that ask another reader the same (`pi/test/yaml.test.ts`,
//! `json.test.ts`).
//!
//! A question is one line of JSON on stdin, its answer one on stdout. Bytes are a text of the characters U+0000 to
//! U+00FF, one a byte. In a value, a text that begins with `#` gets a second `#` in front, so that `#-0`, `#NaN`,
//! `#Infinity` and `#-Infinity` can be the numbers that JSON has no spelling for. It holds no rule, and writes no file.

use std::io::{BufRead, Write};

use garnish_guest::{
    edit::{Document, Edit, Fault, Format},
    render,
    value::{Mapping, Value},
};
use serde::Deserialize;

/// One question: what a file says, `{"format", "bytes"}`; the file after edits, the same with `edits`; or the file that
/// garnish makes of a value, `{"format", "render"}`.
#[derive(Deserialize)]
struct Question {
    format: String,
    bytes: Option<String>,
    #[serde(default)]
    edits: Vec<Change>,
    render: Option<serde_json::Value>,
}

/// One edit: `{"path", "set"}`, or without `set` the key goes.
#[derive(Deserialize)]
struct Change {
    path: Vec<String>,
    #[serde(default, deserialize_with = "some")]
    set: Option<serde_json::Value>,
}

/// A `null` that is there is a value.
fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(Some)
}

/// Answers every question.
///
/// # Errors
/// What is wrong with a question, or with the streams.
pub fn answer_all(questions: impl BufRead, mut answers: impl Write) -> Result<(), String> {
    for (at, line) in questions.lines().enumerate() {
        let answer = line.map_err(|error| error.to_string()).and_then(|line| answer(&line));
        let answer = answer.map_err(|error| format!("question {}: {error}", at + 1))?;
        writeln!(answers, "{answer}").map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<String, String> {
    let question: Question = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let format = match question.format.as_str() {
        "yaml" => Format::Yaml,
        "json" => Format::Json,
        other => return Err(format!("no format is called {other:?}")),
    };
    if let Some(value) = &question.render {
        return Ok(format!("{{\"bytes\":{}}}", latin(&render::file(&from_json(value), format))));
    }
    let bytes = question.bytes.as_deref().ok_or("`bytes` or `render` is missing")?;
    let bytes: Option<Vec<u8>> = bytes.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    let bytes = bytes.ok_or("a character in `bytes` is no byte")?;
    Ok(file(format, &bytes, &question.edits).unwrap_or_else(|fault| refusal(&fault)))
}

/// The value of a file, and its bytes after the edits if there are any.
fn file(format: Format, bytes: &[u8], changes: &[Change]) -> Result<String, Fault> {
    let document = Document::parse(format, bytes)?;
    if changes.is_empty() {
        return Ok(format!("{{\"value\":{}}}", marked(document.value())));
    }
    let values: Vec<_> = changes.iter().map(|change| change.set.as_ref().map(from_json)).collect();
    let edits = changes.iter().zip(&values).map(|(Change { path, .. }, value)| match value {
        Some(value) => Edit::Set { path, value },
        None => Edit::Remove { path },
    });
    let after = document.edit(&edits.collect::<Vec<_>>())?;
    Ok(format!("{{\"bytes\":{}}}", latin(&after)))
}

fn refusal(fault: &Fault) -> String {
    let code = fault.kind.code();
    serde_json::json!({
        "refused": { "code": code, "line": fault.line, "column": fault.column, "message": fault.message },
    })
    .to_string()
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn latin(bytes: &[u8]) -> String {
    quoted(&bytes.iter().map(|byte| char::from(*byte)).collect::<String>())
}

/// A value as JSON, in the order of the file.
fn marked(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) if *number == 0.0 && number.is_sign_negative() => "\"#-0\"".into(),
        Value::Number(number) if number.is_nan() => "\"#NaN\"".into(),
        Value::Number(number) if number.is_infinite() => {
            if *number > 0.0 { "\"#Infinity\"" } else { "\"#-Infinity\"" }.into()
        }
        Value::Number(number) => format!("{number:e}"),
        Value::String(text) if text.starts_with('#') => quoted(&format!("#{text}")),
        Value::String(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(marked).collect::<Vec<_>>().join(",")),
        Value::Map(map) => {
            let entries = map.as_added().map(|(key, value)| format!("{}:{}", quoted(key), marked(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
    }
}

/// The value that marked JSON means.
fn from_json(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => match text.strip_prefix('#') {
            None => Value::String(text.clone()),
            Some(rest) if rest.starts_with('#') => Value::String(rest.into()),
            Some(number) => Value::Number(number.parse().unwrap_or(f64::NAN)),
        },
        serde_json::Value::Array(items) => Value::List(items.iter().map(from_json).collect()),
        serde_json::Value::Object(map) => {
            let entries = map.iter().map(|(key, value)| (key.clone(), from_json(value)));
            Value::Map(entries.collect::<Mapping>())
        }
    }
}
