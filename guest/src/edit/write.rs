//! A [`Value`] → text: YAML blocks, and the flow style that YAML and JSON share.
//!
//! It never decides where the text goes, and writes nothing for a reader to guess at: see [`super::scalar`].

use alloc::{format, string::String};

use super::{
    MAX_DEPTH,
    fault::{Fault, FaultKind},
    scalar::write_scalar,
};
use crate::{number::plain, value::Value, words::write_quoted};

/// How block text is laid out in a file.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// The line ending.
    pub eol: &'static str,
    /// Spaces by which a nested mapping is indented.
    pub step: usize,
    /// Spaces by which a list is indented under its key.
    pub list_step: usize,
}

/// How flow text is laid out at one place.
#[derive(Debug, Clone, Copy)]
pub struct Flow<'t> {
    /// JSON knows no plain scalars and no infinities.
    pub json: bool,
    /// What stands behind a `:`, and behind a `,` on one line.
    pub space: &'t str,
    /// One line per entry, with this line ending, this indentation of the line that the value is on, and this
    /// step; None for all on one line.
    pub lines: Option<(&'static str, &'t str, &'t str)>,
}

/// Whether the value has a line break in block style: it has something in it.
pub(super) fn is_tall(value: &Value) -> bool {
    match value {
        Value::List(items) => !items.is_empty(),
        Value::Map(map) => !map.is_empty(),
        _ => false,
    }
}

/// Fails for a value that is nested too deep to be read back.
pub(super) fn check_depth(value: &Value, left: usize) -> Result<(), Fault> {
    if left == 0 {
        let message = format!("the value to write is nested more than {MAX_DEPTH} levels deep");
        return Err(Fault::new(FaultKind::TooDeep, message));
    }
    match value {
        Value::List(items) => items.iter().try_for_each(|item| check_depth(item, left - 1)),
        Value::Map(map) => map.values().try_for_each(|item| check_depth(item, left - 1)),
        _ => Ok(()),
    }
}

/// Spaces at the start of a line.
pub(super) fn pad(out: &mut String, width: usize) {
    out.extend(core::iter::repeat_n(' ', width));
}

impl Block {
    /// A whole file that says `value`.
    pub fn document(&self, out: &mut String, value: &Value) {
        match value {
            Value::Map(map) if !map.is_empty() => {
                for (key, value) in map {
                    self.entry(out, key, value, 0);
                    out.push_str(self.eol);
                }
            }
            _ => {
                Flow::YAML.value(out, value);
                out.push_str(self.eol);
            }
        }
    }

    /// What stands behind the `:` of a key at `column`: ` value`, or lines below.
    pub fn behind_key(&self, out: &mut String, value: &Value, column: usize) {
        match value {
            Value::Map(map) if !map.is_empty() => {
                for (key, value) in map {
                    out.push_str(self.eol);
                    pad(out, column + self.step);
                    self.entry(out, key, value, column + self.step);
                }
            }
            Value::List(items) if !items.is_empty() => {
                for item in items {
                    out.push_str(self.eol);
                    self.item(out, item, column + self.list_step);
                }
            }
            _ => {
                out.push(' ');
                Flow::YAML.value(out, value);
            }
        }
    }

    fn entry(&self, out: &mut String, key: &str, value: &Value, column: usize) {
        write_scalar(out, key);
        out.push(':');
        self.behind_key(out, value, column);
    }

    /// A list item with its indentation and dash, without the last line break.
    pub fn item(&self, out: &mut String, value: &Value, column: usize) {
        pad(out, column);
        self.dash(out, value, column);
    }

    fn dash(&self, out: &mut String, value: &Value, column: usize) {
        out.push_str("- ");
        let column = column + 2;
        match value {
            Value::Map(map) if !map.is_empty() => {
                for (i, (key, value)) in map.iter().enumerate() {
                    if i > 0 {
                        out.push_str(self.eol);
                        pad(out, column);
                    }
                    self.entry(out, key, value, column);
                }
            }
            Value::List(items) if !items.is_empty() => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        out.push_str(self.eol);
                        pad(out, column);
                    }
                    self.dash(out, item, column);
                }
            }
            _ => Flow::YAML.value(out, value),
        }
    }
}

impl Flow<'static> {
    /// YAML flow style, on one line.
    pub const YAML: Flow<'static> = Flow { json: false, space: " ", lines: None };
}

impl Flow<'_> {
    /// A key with its `:` and the space behind it.
    pub fn key(&self, out: &mut String, key: &str) {
        if self.json {
            write_quoted(out, key)
        } else {
            write_scalar(out, key)
        }
        out.push(':');
    }

    /// A value.
    pub fn value(&self, out: &mut String, value: &Value) {
        self.nested(out, value, 0);
    }

    fn nested(&self, out: &mut String, value: &Value, level: usize) {
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Value::Number(number) => self.number(out, *number),
            Value::String(text) if self.json => write_quoted(out, text),
            Value::String(text) => write_scalar(out, text),
            Value::List(items) if items.is_empty() => out.push_str("[]"),
            Value::Map(map) if map.is_empty() => out.push_str("{}"),
            Value::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    self.between(out, i > 0, level + 1);
                    self.nested(out, item, level + 1);
                }
                self.before_close(out, level);
                out.push(']');
            }
            Value::Map(map) => {
                out.push('{');
                for (i, (key, value)) in map.iter().enumerate() {
                    self.between(out, i > 0, level + 1);
                    self.key(out, key);
                    out.push_str(self.space);
                    self.nested(out, value, level + 1);
                }
                self.before_close(out, level);
                out.push('}');
            }
        }
    }

    fn number(&self, out: &mut String, number: f64) {
        match number {
            _ if number.is_finite() => out.push_str(&plain(number)),
            // JSON has no word for these; `null` makes the check of the result fail instead of a panic here.
            _ if self.json => out.push_str("null"),
            _ if number.is_nan() => out.push_str(".nan"),
            _ if number > 0.0 => out.push_str(".inf"),
            _ => out.push_str("-.inf"),
        }
    }

    /// What stands before an entry: its comma unless it is the first, and its line or space.
    fn between(&self, out: &mut String, comma: bool, level: usize) {
        if comma {
            out.push(',');
        }
        match self.lines {
            Some(_) => self.line(out, level),
            None if comma => out.push_str(self.space),
            None => {}
        }
    }

    fn before_close(&self, out: &mut String, level: usize) {
        if self.lines.is_some() {
            self.line(out, level);
        }
    }

    fn line(&self, out: &mut String, level: usize) {
        if let Some((eol, base, unit)) = self.lines {
            out.push_str(eol);
            out.push_str(base);
            for _ in 0..level {
                out.push_str(unit);
            }
        }
    }
}

/// Whether JSON has a spelling for the value.
pub(super) fn fits_json(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_finite(),
        Value::List(items) => items.iter().all(fits_json),
        Value::Map(map) => map.values().all(fits_json),
        _ => true,
    }
}
