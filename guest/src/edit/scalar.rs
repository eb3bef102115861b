//! Single YAML values: how a text is spelled so that every reader takes it for that text, and what a plain
//! spelling means to the harness.
//!
//! Writing never relies on one YAML version: what 1.1 or 1.2 would type otherwise is quoted (cases B01, B02).
//! Reading follows `Bun.YAML` 1.4.5 as measured (case B03), not the specification.

use alloc::{borrow::Cow, format, string::String};

use crate::words::{split_first, write_quoted};

/// One value that is neither a list nor a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar<'t> {
    /// Nothing is written where a value could stand.
    Absent,
    /// `null`, `~`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text.
    Text(Cow<'t, str>),
}

/// Appends `text` to `out` as a YAML scalar, plain where no reader of YAML 1.1 or 1.2 could take it for
/// anything else, in block and flow context alike, as key or value; else in double quotes that JSON reads too.
pub fn write_scalar(out: &mut String, text: &str) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        write_quoted(out, text);
    }
}

/// Whether a plain spelling of `text` is that text to everyone. A list of what is safe, not of what is not.
fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let starts_like_a_word = matches!(bytes.first(), Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'/'));
    let ends_like_a_word = !matches!(bytes.last(), None | Some(b' ' | b':'));
    let safe = |(i, byte): (usize, &u8)| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' | b'.' | b'/' | b'@' | b'*' | b'+' | b'(' | b')' => true,
        // `: ` would end a key, two spaces do not survive a refold by other tools.
        b':' => bytes.get(i + 1) != Some(&b' '),
        b' ' => bytes.get(i + 1) != Some(&b' '),
        _ => false,
    };
    starts_like_a_word && ends_like_a_word && bytes.iter().enumerate().all(safe) && !is_typed_word(text)
}

/// Whether some reader of YAML 1.1 or 1.2 takes the word for null, a boolean or a number.
fn is_typed_word(text: &str) -> bool {
    const WORDS: [&str; 12] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    // An exponent without digits before it is a number to some.
    let exponent = text.strip_prefix(['e', 'E']).filter(|rest| rest.bytes().all(|b| matches!(b, b'+'..=b'9')));
    exponent.is_some_and(|digits| !digits.is_empty()) || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// What a plain scalar without a tag means to the harness.
pub(super) fn resolve(text: Cow<'_, str>) -> Scalar<'_> {
    match text.as_ref() {
        "null" | "Null" | "NULL" | "~" => Scalar::Null,
        "true" | "True" | "TRUE" => Scalar::Bool(true),
        "false" | "False" | "FALSE" => Scalar::Bool(false),
        other => match number(other) {
            Some(number) => Scalar::Number(number),
            None => Scalar::Text(text),
        },
    }
}

/// The number that a plain scalar means to the harness, if it means one: `0123` is 123, `0o17` 15, `1e3` 1000.
fn number(text: &str) -> Option<f64> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (-1.0, &text[1..]),
        b'+' => (1.0, &text[1..]),
        b'0'..=b'9' | b'.' => (1.0, text),
        _ => return None,
    };
    match digits {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        // A signed not-a-number is a text.
        ".nan" | ".NaN" | ".NAN" if digits.len() == text.len() => return Some(f64::NAN),
        _ => {}
    }
    if let Some(hex) = digits.strip_prefix("0x") {
        return Some(sign * radix(hex, 16)?);
    }
    if let Some(octal) = digits.strip_prefix("0o") {
        return Some(sign * radix(octal, 8)?);
    }
    let (mantissa, exponent) = match split_first(digits, "eE") {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let whole = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mantissa_fits = match split_first(mantissa, ".") {
        // `1.e3` is a text to the harness only without digits behind the `e`.
        Some((before, after)) => {
            (whole(before) && (after.is_empty() || whole(after))) || (before.is_empty() && whole(after))
        }
        None => whole(mantissa),
    };
    let exponent_fits = exponent.is_none_or(|e| whole(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if mantissa_fits && exponent_fits { Some(sign * crate::number::parse(digits)) } else { None }
}

/// Digits of a base that fit 64 bits; longer ones are a text to the harness.
fn radix(digits: &str, base: u32) -> Option<f64> {
    let fits = !digits.is_empty() && digits.bytes().all(|b| (b as char).is_digit(base));
    if fits { u64::from_str_radix(digits, base).ok().map(|n| n as f64) } else { None }
}

/// The property name that JavaScript makes of a key: `1.0:` becomes `1`, `true:` becomes `true` (case B12).
pub(super) fn key_text(scalar: Scalar<'_>) -> Cow<'_, str> {
    match scalar {
        Scalar::Absent | Scalar::Null => Cow::Borrowed("null"),
        Scalar::Bool(true) => Cow::Borrowed("true"),
        Scalar::Bool(false) => Cow::Borrowed("false"),
        Scalar::Number(number) => Cow::Owned(js_number(number)),
        Scalar::Text(text) => text,
    }
}

/// A number as JavaScript's `String(number)` spells it.
fn js_number(number: f64) -> String {
    if number == 0.0 {
        return "0".into();
    }
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let size = if number < 0.0 { -number } else { number };
    if (1e-6..1e21).contains(&size) {
        return crate::number::plain(number);
    }
    // Only the sign of the exponent differs from JavaScript's.
    let text = crate::number::scientific(number);
    match split_first(&text, "e") {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}
