//! Secrets in structured values: below keys that name them, behind flags in a list of arguments, in pairs of a name and a value.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::names::{NameClass, class_of, is_key};
use super::{redact, redaction_mark};

/// Redacts every string of a value in place, keys too. Below a key that names a secret (`password`, `token`, …) the whole
/// string goes, whatever its shape.
pub fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = redact(text) {
                *text = clean;
            }
        }
        Value::Array(items) => {
            for at in 0..items.len() {
                match redact_argument(items, at) {
                    Some(mark) => items[at] = mark,
                    None => redact_value(&mut items[at]),
                }
            }
        }
        Value::Object(map) => redact_map(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn redact_map(map: &mut Map<String, Value>) {
    let named = names_value(map);
    for (key, value) in map.iter_mut() {
        match redact_named(key, value, named) {
            Some(mark) => *value = mark,
            None => redact_value(value),
        }
    }
    if map.keys().any(|key| matches!(redact(key), Cow::Owned(_))) {
        let old = std::mem::take(map);
        map.extend(old.into_iter().map(|(key, value)| (redact(&key).into_owned(), value)));
    }
}

/// Returns whether a mapping is a pair whose name implies that its `value` is a secret: `{"name": "DB_PASSWORD",
/// "value": …}`.
pub fn names_value(map: &Map<String, Value>) -> bool {
    map.contains_key("value")
        && ["name", "key"].iter().filter_map(|name| map.get(*name)?.as_str()).any(is_key)
}

/// Returns the replacement of a value below a key that names a secret, or of the `value` of a pair whose name does
/// (`pair`); nothing below another key.
pub fn redact_named(key: &str, value: &Value, pair: bool) -> Option<Value> {
    match value {
        Value::String(_) | Value::Array(_) | Value::Number(_) if is_key(key) || (pair && key == "value") => {}
        _ => return None,
    }
    match value {
        Value::String(text) => is_value(text).then(|| redaction_mark("value", text).into()),
        Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
            let gone = |item: &Value| match item.as_str() {
                Some(text) if is_value(text) => redaction_mark("value", text).into(),
                _ => item.clone(),
            };
            Some(items.iter().map(gone).collect())
        }
        Value::Number(number) => {
            let text = number.to_string();
            let password = class_of(key.as_bytes()) == Some(NameClass::Password);
            (password && text.len() >= 4).then(|| redaction_mark("value", &text).into())
        }
        _ => None,
    }
}

/// Returns the replacement of the argument at a position, if the one before is a flag that takes a secret.
pub fn redact_argument(items: &[Value], at: usize) -> Option<Value> {
    let text = items.get(at)?.as_str()?;
    let flag = items.get(at.checked_sub(1)?)?.as_str()?;
    let name = flag.strip_prefix('-')?.trim_start_matches('-');
    (is_key(name) && is_value(text) && !text.starts_with('-')).then(|| redaction_mark("value", text).into())
}

/// Returns whether a string below such a key is a value and not a placeholder.
fn is_value(text: &str) -> bool {
    let open = ["$", "{", "<", "%", "[redacted:"];
    !text.is_empty() && !open.iter().any(|start| text.starts_with(start))
}
