//! Scalars of YAML: what a plain one means, and which texts can be plain.

use serde_json::{Number, Value};

use crate::node::Scalar;

/// Resolves a plain scalar by the core schema.
pub(super) fn resolve_plain(text: &str) -> Scalar {
    let json = match text {
        "" | "~" | "null" | "Null" | "NULL" => Some(Value::Null),
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        _ => read_number(text).map(Value::Number),
    };
    match json {
        Some(value) => Scalar::Json(value),
        None if is_special_float(text) => Scalar::Other(text.to_owned()),
        None => Scalar::Json(text.into()),
    }
}

fn is_special_float(text: &str) -> bool {
    let word = text.trim_start_matches(['+', '-']);
    matches!(word, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

fn read_number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !digits.contains(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let whole = text.strip_prefix('+').unwrap_or(text);
        return whole
            .parse::<i64>()
            .map(Number::from)
            .or_else(|_| whole.parse::<u64>().map(Number::from))
            .ok()
            .or_else(|| whole.parse().ok().and_then(Number::from_f64));
    }
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let plain = mantissa.bytes().filter(|byte| *byte == b'.').count() <= 1
        && mantissa.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        && !exponent.is_empty()
        && exponent.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok().and_then(Number::from_f64)).flatten()
}

/// Words that readers of YAML 1.1 take for booleans.
const BOOLEANS: [&str; 8] = ["yes", "no", "on", "off", "true", "false", "null", "="];

/// Returns whether a text can stand without quotes and means itself, to readers of YAML 1.1 too.
pub(super) fn is_plain(text: &str, flow: bool, key: bool) -> bool {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return false };
    let second = chars.next();
    let opens = match first {
        '-' | '?' | ':' => second.is_some_and(|c| !c.is_whitespace()),
        ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
            false
        }
        c => !c.is_whitespace(),
    };
    let flows = flow && (text.contains([',', '[', ']', '{', '}']) || (key && text.contains(':')));
    let odd = text.chars().any(|c| c.is_control() || needs_escape(c));
    let splits = text.contains(": ") || text.contains(" #") || text.ends_with([':', ' ']);
    // As keys they are usual, and few readers take them so there.
    let answers = !key && matches!(text, "y" | "Y" | "n" | "N");
    opens && !(flows || odd || splits || answers || is_taken_otherwise(text))
}

/// Returns whether a plain text would be read as something else than a text.
fn is_taken_otherwise(text: &str) -> bool {
    let lower = text.to_lowercase();
    let number_like = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && (read_number(text).is_some()
            || is_special_float(text)
            || text.chars().all(|c| c.is_ascii_digit() || "+-._:eExXoTZ".contains(c))
            || text.starts_with("0x")
            || text.starts_with("0o"));
    BOOLEANS.contains(&lower.as_str())
        || text == "~"
        || text == "<<"
        || text.starts_with("---")
        || text.starts_with("...")
        || number_like
        || is_date(text)
}

/// Returns whether a text begins as a date, which readers of YAML 1.1 make a time of.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 8
        && bytes[..4].iter().all(u8::is_ascii_digit)
        && bytes[4] == b'-'
        && bytes[5].is_ascii_digit()
}

/// Returns whether a character stands in a YAML text only as an escape.
pub(super) fn needs_escape(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The text between double quotes.
pub(super) fn quote_double(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut quoted = String::with_capacity(json.len());
    for c in json.chars() {
        match needs_escape(c) {
            true => quoted.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => quoted.push(c),
        }
    }
    quoted
}

/// The text between single quotes; none where it holds what needs an escape.
pub(super) fn quote_single(text: &str) -> Option<String> {
    let odd = text.chars().any(|c| c.is_control() || needs_escape(c));
    (!odd).then(|| format!("'{}'", text.replace('\'', "''")))
}

/// A number as readers of YAML 1.1 take it too.
pub(super) fn write_number(number: &Number) -> String {
    let text = number.to_string();
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let point = if mantissa.contains('.') { "" } else { ".0" };
            let sign = if exponent.starts_with(['+', '-']) { "" } else { "+" };
            format!("{mantissa}{point}e{sign}{exponent}")
        }
        None => text,
    }
}
