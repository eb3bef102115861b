//! Decimal digits ↔ numbers, exactly as the standard library and JavaScript do both.
//!
//! The standard library's own way is faster, and brings 30 KB of code and tables into the component; garnish meets a
//! fraction once a file, if ever. Whole numbers below 2^53 and short fractions take no long way here either.

use alloc::{
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};

use crate::{
    list::IntoList,
    words::{split_first, trim_start},
};
use core::cmp::Ordering;

/// Every whole number up to here is a double.
pub const EXACT: f64 = 9_007_199_254_740_992.0;

/// The number that decimal text means: digits, maybe with a point and an exponent, maybe signed.
///
/// Its grammar is for the caller to check; what is no digit is passed over.
pub fn parse(text: &str) -> f64 {
    let (mantissa, exponent) = split_first(text, "eE").unwrap_or((text, "0"));
    let mut decimal = Decimal { digits: Vec::new(), exponent: int(exponent) };
    let mut point = false;
    let mut more = false;
    for byte in mantissa.bytes() {
        match byte {
            b'.' => point = true,
            b'0' if decimal.digits.is_empty() => decimal.exponent -= i64::from(point),
            // More digits do not change what is next, as long as it is known that there are some.
            b'0'..=b'9' if decimal.digits.len() == MAX_DIGITS => {
                decimal.exponent += i64::from(!point);
                more |= byte != b'0';
            }
            b'0'..=b'9' => {
                decimal.digits.push(byte - b'0');
                decimal.exponent -= i64::from(point);
            }
            _ => {}
        }
    }
    if more {
        decimal.digits.push(1);
        decimal.exponent -= 1;
    }
    let size = decimal.number();
    if text.starts_with('-') { -size } else { size }
}

/// As many digits decide between two neighbouring doubles.
const MAX_DIGITS: usize = 770;

/// A whole number with a sign; the largest where it is larger.
fn int(text: &str) -> i64 {
    let digits = trim_start(text, "+-").bytes();
    let size = digits.fold(0, |size: i64, digit| (size * 10 + i64::from(digit.wrapping_sub(b'0'))).min(1 << 32));
    if text.starts_with('-') { -size } else { size }
}

/// Digits without zeros in front, times a power of ten.
struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn number(&self) -> f64 {
        let magnitude = self.digits.len() as i64 + self.exponent;
        if self.digits.is_empty() || magnitude < -330 {
            return 0.0;
        }
        if magnitude > 310 {
            return f64::INFINITY;
        }
        if self.digits.len() <= 15 && self.exponent.abs() <= 22 {
            // Both are exact, so what the processor makes of them is rounded once.
            let whole = self.digits.iter().fold(0.0, |whole, digit| whole * 10.0 + f64::from(*digit));
            let power = (0..self.exponent.abs()).fold(1.0, |power, _| power * 10.0);
            return if self.exponent < 0 { whole / power } else { whole * power };
        }
        let (mut over, mut under) = (Big::from(0), Big::from(1));
        for digit in &self.digits {
            over.times(10, u32::from(*digit));
        }
        for _ in 0..self.exponent.abs() {
            if self.exponent < 0 { under.times(10, 0) } else { over.times(10, 0) }
        }
        quotient(over, under)
    }
}

/// `over / under`, rounded to the nearest double, to the even one of two.
fn quotient(mut over: Big, mut under: Big) -> f64 {
    // Brought between 1/2 and 2, then 62 bits of it.
    let scale = over.bits() - under.bits();
    if scale < 0 {
        over.shift(scale.unsigned_abs())
    } else {
        under.shift(scale.unsigned_abs())
    }
    let mut bits: u64 = 0;
    for _ in 0..62 {
        bits <<= 1;
        if over.cmp(&under) != Ordering::Less {
            over.minus(&under);
            bits |= 1;
        }
        over.shift(1);
    }
    bits |= u64::from(over.bits() > 0);
    // Those that a double has no room for are rounded off: 53 stay, fewer close to zero.
    let mut dropped = 11 - i64::from(bits.leading_zeros());
    let mut unit = scale - 61 + dropped;
    if unit < -1074 {
        dropped += -1074 - unit;
        unit = -1074;
    }
    if dropped > 63 {
        return 0.0;
    }
    let half = 1 << (dropped - 1);
    let rest = bits & (2 * half - 1);
    bits >>= dropped;
    if rest > half || (rest == half && bits & 1 == 1) {
        bits += 1;
    }
    // The topmost of the 53 bits adds one to the exponent, and so does rounding up to 54.
    let double = bits + (((unit + 1074) as u64) << 52);
    f64::from_bits(double.min(f64::INFINITY.to_bits()))
}

/// The fewest decimal digits that read back as `number`, which is finite and above 0, and the place of the point:
/// `([1, 5], 1)` is 1.5. Of several such the closest.
fn shortest(number: f64) -> (String, i32) {
    let bits = number.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = (bits >> 52) as i64;
    let (whole, exponent) = if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
    // All in one unit: the number is over/under, its neighbours are twice as far as `above` and `below`.
    let (mut over, mut under) = (Big::from(whole), Big::from(1));
    let (mut above, mut below) = (Big::from(1), Big::from(1));
    let up = exponent.max(0).unsigned_abs();
    over.shift(up + 1);
    above.shift(up);
    below.shift(up);
    under.shift((-exponent).max(0).unsigned_abs() + 1);
    if fraction == 0 && exponent > -1074 {
        // The neighbour below a power of two is half as far away as the one above.
        over.shift(1);
        under.shift(1);
        above.shift(1);
    }
    let even = whole % 2 == 0;
    let reaches = |over: &Big, above: &Big, under: &Big| match over.plus(above).cmp(under) {
        Ordering::Equal => even,
        order => order == Ordering::Greater,
    };
    let mut point = 0;
    while reaches(&over, &above, &under) {
        under.times(10, 0);
        point += 1;
    }
    let mut digits = String::new();
    loop {
        for part in [&mut over, &mut above, &mut below] {
            part.times(10, 0);
        }
        let mut digit = b'0';
        while over.cmp(&under) != Ordering::Less {
            over.minus(&under);
            digit += 1;
        }
        let low = match over.cmp(&below) {
            Ordering::Equal => even,
            order => order == Ordering::Less,
        };
        let high = reaches(&over, &above, &under);
        if low || high {
            let nearer = over.plus(&over).cmp(&under) != Ordering::Less;
            digit += u8::from(high && (!low || nearer));
        }
        if digit == b'0' && digits.is_empty() && !low && !high {
            point -= 1;
        } else {
            digits.push(char::from(digit));
        }
        if low || high {
            return (digits, point);
        }
    }
}

/// `1.5e0`, `-2e-7`: the shortest digits, one of them before the point. Only for a finite number.
pub fn scientific(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    if number == 0.0 {
        return format!("{sign}0e0");
    }
    let (digits, point) = shortest(number.abs());
    let (first, rest) = digits.split_at(1);
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{dot}{rest}e{}", point - 1)
}

/// `150`, `-0.0000002`: the shortest digits, written out. Only for a finite number.
pub fn plain(number: f64) -> String {
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let size = number.abs();
    if size < EXACT && size as u64 as f64 == size {
        return format!("{sign}{}", size as u64);
    }
    let (digits, point) = shortest(size);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or_default());
    let length = digits.len() as i32;
    let text = match usize::try_from(point) {
        Ok(at) if 0 < at && at < digits.len() => {
            let (whole, fraction) = digits.split_at(at);
            format!("{whole}.{fraction}")
        }
        Ok(at) if at > 0 => digits + &zeros(point - length),
        _ => format!("0.{}{digits}", zeros(-point)),
    };
    sign.to_string() + &text
}

/// A whole number of any size, lowest part first, without zeros at the end.
#[derive(Clone)]
struct Big(Vec<u32>);

impl From<u64> for Big {
    fn from(number: u64) -> Self {
        let mut big = Big(vec![number as u32, (number >> 32) as u32]);
        big.trim();
        big
    }
}

impl Big {
    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// How many bits it has.
    fn bits(&self) -> i64 {
        self.0.last().map_or(0, |top| self.0.len() as i64 * 32 - i64::from(top.leading_zeros()))
    }

    fn times(&mut self, factor: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(factor);
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift(&mut self, bits: u64) {
        self.times(1 << (bits % 32), 0);
        if !self.0.is_empty() {
            let mut parts = vec![0; (bits / 32) as usize];
            parts.append(&mut self.0);
            self.0 = parts;
        }
    }

    fn plus(&self, other: &Big) -> Big {
        let mut carry = 0;
        let length = self.0.len().max(other.0.len()) + 1;
        let part = |big: &Big, at: usize| u64::from(big.0.get(at).copied().unwrap_or_default());
        let sum = (0..length).map(|at| {
            carry = (carry >> 32) + part(self, at) + part(other, at);
            carry as u32
        });
        let mut sum = Big(sum.list());
        sum.trim();
        sum
    }

    /// Takes away a number that is not larger.
    fn minus(&mut self, other: &Big) {
        let mut borrow = 0;
        for (at, part) in self.0.iter_mut().enumerate() {
            let less = borrow + i64::from(other.0.get(at).copied().unwrap_or_default());
            let rest = i64::from(*part) - less;
            *part = rest as u32;
            borrow = i64::from(rest < 0);
        }
        self.trim();
    }

    fn cmp(&self, other: &Big) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(number: f64) {
        let scientific = scientific(number);
        assert_eq!(scientific, format!("{number:e}"));
        assert_eq!(plain(number), format!("{number}"));
        assert_eq!(parse(&scientific).to_bits(), number.to_bits(), "{scientific}");
        assert_eq!(parse(&plain(number)).to_bits(), number.to_bits(), "{number}");
    }

    #[test]
    fn edges_are_those_of_the_standard_library() {
        for exponent in 0..2047_u64 {
            for fraction in [0, 1, 2, (1 << 52) - 1] {
                same(f64::from_bits(exponent << 52 | fraction));
            }
        }
        for number in
            [0.0, -0.0, 5e-324, f64::MAX, 0.1, 1.5, -2.5, 1e21, 1e22, 1e23, 123_456.789, 9_007_199_254_740_993.0]
        {
            same(number);
        }
    }

    #[test]
    fn halves_are_rounded_to_even() {
        let long = "9007199254740993".to_string() + ".000" + &"0".repeat(900);
        for text in [
            "9007199254740993",
            "9007199254740992.5",
            "2.2250738585072011e-308",
            "1.7976931348623159e308",
            "1e400",
            "1e-400",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0e99999999999",
            "000.0001e4",
            "4.9406564584124654e-324",
            "1.",
            ".5",
            "1.e3",
            &long,
            &(long.clone() + "1"),
        ] {
            assert_eq!(parse(text).to_bits(), text.parse::<f64>().expect(text).to_bits(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_number_is_written_and_read_as_the_standard_library_does(bits: u64) {
            let number = f64::from_bits(bits);
            if number.is_finite() {
                same(number);
            }
        }

        #[test]
        fn any_text_is_read_as_the_standard_library_does(text in "-?[0-9]{1,40}(\\.[0-9]{0,40})?(e[+-]?[0-9]{1,3})?") {
            let expected: f64 = text.parse().expect("a number");
            prop_assert_eq!(parse(&text).to_bits(), expected.to_bits(), "{}", text);
        }
    }
}
