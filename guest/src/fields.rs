//! Reading documents of ours (profiles, graphs, setup, memory) field by field: every fault is collected, with its path,
//! and reading goes on.
//!
//! It knows no document's meaning; each module names its own fields.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::cell::RefCell;

use crate::{
    diagnostic::Diagnostic,
    list::IntoList,
    ordered::Set,
    value::{Mapping, Value},
    words::quoted,
};

/// The largest integer that every harness's JSON keeps exact: 2^53.
pub const MAX_INTEGER: u64 = 1 << 53;

/// What was found wrong with a document.
#[derive(Debug)]
pub struct Faults {
    code: &'static str,
    found: RefCell<Vec<Diagnostic>>,
}

impl Faults {
    /// Nothing yet; faults of shape will carry `code`.
    pub fn new(code: &'static str) -> Self {
        Self { code, found: RefCell::new(Vec::new()) }
    }

    /// A fault with a code of its own.
    pub fn push(&self, fault: Diagnostic) {
        self.found.borrow_mut().push(fault);
    }

    /// All of them.
    pub fn into_inner(self) -> Vec<Diagnostic> {
        self.found.into_inner()
    }
}

/// A value of a document, and where it is.
#[derive(Clone)]
pub struct Fields<'v> {
    value: &'v Value,
    path: String,
    faults: &'v Faults,
}

impl<'v> Fields<'v> {
    /// The whole document.
    pub fn new(value: &'v Value, faults: &'v Faults) -> Self {
        let fields = Self { value, path: String::new(), faults };
        if value.as_map().is_none() {
            fields.fault_here("it must be a mapping");
        }
        fields
    }

    /// Where this is: `levels[3]`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where a field of this is.
    pub fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    /// A fault of shape about this value.
    pub fn fault_here(&self, message: &str) {
        let place = if self.path.is_empty() { "The document" } else { self.path.as_str() };
        self.faults.push(
            Diagnostic::error(self.faults.code, format!("{place} cannot be read: {message}.")).on(self.path.clone()),
        );
    }

    /// A fault of shape about a field.
    pub fn fault(&self, key: &str, message: &str) {
        let path = self.path_of(key);
        self.faults.push(Diagnostic::error(self.faults.code, format!("{path} cannot be read: {message}.")).on(path));
    }

    fn wants(&self, key: &str, what: &str, found: &Value) {
        self.fault(key, &format!("it must be {what}, not {}", found.kind()));
    }

    /// Fields beside these are faults.
    pub fn only(&self, known: &[&str]) {
        for key in self.keys().filter(|key| !known.contains(&key.as_str())) {
            self.fault(key, "there is no such field");
        }
    }

    /// Every key.
    pub fn keys(&self) -> impl Iterator<Item = &'v String> {
        self.value.as_map().into_iter().flat_map(Mapping::keys)
    }

    /// A field as it is; a `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&'v Value> {
        self.value.as_map()?.get(key).filter(|value| **value != Value::Null)
    }

    /// A text, if it is there.
    pub fn text(&self, key: &str) -> Option<&'v str> {
        let value = self.get(key)?;
        let text = value.as_str();
        if text.is_none() {
            self.wants(key, "a text", value);
        }
        text
    }

    /// The same, to be kept.
    pub fn string(&self, key: &str) -> Option<String> {
        self.text(key).map(ToString::to_string)
    }

    /// Tells if a field is not there.
    pub fn must_have(&self, key: &str) {
        if self.get(key).is_none() {
            self.fault(key, "it is missing");
        }
    }

    /// A text that must be there.
    pub fn need_string(&self, key: &str) -> String {
        self.must_have(key);
        self.string(key).unwrap_or_default()
    }

    /// A text of a grammar that must be there.
    pub fn need<T>(&self, key: &str, what: &str, read: fn(&str) -> Option<T>) -> Option<T> {
        self.must_have(key);
        let text = self.text(key)?;
        let read = read(text);
        if read.is_none() {
            self.fault(key, &format!("{} is no {what}", quoted(text)));
        }
        read
    }

    /// `true` or `false`, if it is there.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(flag) => Some(*flag),
            other => {
                self.wants(key, "true or false", other);
                None
            }
        }
    }

    /// A whole number, if it is there.
    pub fn integer(&self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        match value {
            Value::Number(number) if *number as i64 as f64 == *number && number.abs() <= MAX_INTEGER as f64 => {
                Some(*number as i64)
            }
            other => {
                self.wants(key, "a whole number up to 2^53", other);
                None
            }
        }
    }

    /// Every item of a list, if it is there.
    pub fn items(&self, key: &str) -> Vec<Fields<'v>> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Some(items) = value.as_list() else {
            self.wants(key, "a list", value);
            return Vec::new();
        };
        let path = self.path_of(key);
        items
            .iter()
            .enumerate()
            .map(|(index, value)| Self { value, path: format!("{path}[{index}]"), faults: self.faults })
            .list()
    }

    /// Every item of a list, each a mapping.
    pub fn records(&self, key: &str) -> Vec<Fields<'v>> {
        let mut items = self.items(key);
        items.retain(|item| {
            if item.value.as_map().is_none() {
                item.fault_here(&format!("it must be a mapping, not {}", item.value.kind()));
            }
            item.value.as_map().is_some()
        });
        items
    }

    /// A mapping, if it is there.
    pub fn record(&self, key: &str) -> Option<Fields<'v>> {
        let value = self.get(key)?;
        if value.as_map().is_none() {
            self.wants(key, "a mapping", value);
            return None;
        }
        Some(Self { value, path: self.path_of(key), faults: self.faults })
    }

    /// Every item of a list, each a text of a grammar.
    pub fn each<T>(&self, key: &str, what: &str, read: fn(&str) -> Option<T>) -> Vec<T> {
        let mut all = Vec::new();
        for item in self.items(key) {
            match item.value.as_str().and_then(read) {
                Some(read) => all.push(read),
                None => item.fault_here(&format!("it must be {what}")),
            }
        }
        all
    }

    /// A list of texts.
    pub fn texts(&self, key: &str) -> Vec<String> {
        self.each(key, "a text", |text| Some(text.to_string()))
    }

    /// A list of texts whose order means nothing.
    pub fn text_set(&self, key: &str) -> Set<String> {
        Set::from_iter(self.texts(key))
    }

    /// The entries of a mapping, if it is there.
    pub fn entries(&self, key: &str) -> Vec<(&'v str, Fields<'v>)> {
        let Some(value) = self.get(key) else { return Vec::new() };
        let Some(map) = value.as_map() else {
            self.wants(key, "a mapping", value);
            return Vec::new();
        };
        let path = self.path_of(key);
        map.iter()
            .map(|(name, value)| (name.as_str(), Self { value, path: format!("{path}.{name}"), faults: self.faults }))
            .list()
    }
}
