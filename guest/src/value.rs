//! A configuration value as a harness reads it: what a file means, apart from how it is spelled.
//!
//! It never knows where a value stood in a file; spans are the business of [`crate::edit`].

use alloc::{string::String, vec::Vec};

use crate::{list::IntoList, ordered::Map};

/// A mapping of a YAML or JSON file.
pub type Mapping = Map<String, Value>;

/// One value of a YAML or JSON file.
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`, `~`, or nothing behind a key.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Any number; harnesses read them as IEEE doubles.
    Number(f64),
    /// Text.
    String(String),
    /// A sequence, in the order of the file.
    List(Vec<Value>),
    /// A mapping. Order carries no meaning; a file with doubled keys is refused before it gets here.
    Map(Mapping),
}

impl PartialEq for Value {
    /// Two values are equal when a harness could not tell them apart: `.nan` equals itself here, `1` equals `1.0`.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Number(a), Value::Number(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Value::String(a), Value::String(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a == b,
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::String(value.into())
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Value::List(items.into_iter().map(Into::into).list())
    }
}

impl Value {
    /// A list of these texts.
    pub fn texts(texts: &[String]) -> Self {
        Value::List(texts.iter().map(|text| Value::from(text.as_str())).list())
    }

    /// The value at `path`, if every step of it is a mapping that has the key.
    pub fn at<'v, S: AsRef<str>>(&'v self, path: &[S]) -> Option<&'v Value> {
        path.iter().try_fold(self, |value, key| match value {
            Value::Map(map) => map.get(key.as_ref()),
            _ => None,
        })
    }

    /// The word for this kind of value in a message to a person.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "nothing",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// Whether this is `true`.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Bool(true))
    }

    /// The text, if this is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The mapping, if this is one.
    pub fn as_map(&self) -> Option<&Mapping> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }
}

/// A mapping of the fields that have a value.
pub fn map<const N: usize>(mut fields: [(&str, Option<Value>); N]) -> Value {
    record(&mut fields)
}

fn record(fields: &mut [(&str, Option<Value>)]) -> Value {
    let mut map = Mapping::new();
    for (key, value) in fields {
        if let Some(value) = value.take() {
            map.insert(String::from(*key), value);
        }
    }
    Value::Map(map)
}

/// A mapping of these entries.
pub fn mapping(entries: impl Iterator<Item = (String, Value)>) -> Value {
    Value::Map(entries.collect())
}
