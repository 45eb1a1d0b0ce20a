//! Arguments as their schema wants them, where only one value can be meant.

use serde_json::{Map, Number, Value};

use super::{Repair, Repairs, lenient};

/// Names of an object around the arguments.
const WRAPPERS: [&str; 7] = ["arguments", "parameters", "input", "args", "params", "tool_input", "kwargs"];
/// What else may stand in such an object.
const BESIDE: [&str; 6] = ["name", "tool", "tool_name", "type", "id", "function"];
/// How deep values are looked into.
const DEPTH: usize = 32;

/// Whether all that the schema requires is there.
pub(super) fn has_required(value: &Value, schema: &Value) -> bool {
    let required = schema["required"].as_array();
    required.into_iter().flatten().filter_map(Value::as_str).all(|name| value.get(name).is_some())
}

/// The arguments, each as its schema has it.
pub(super) fn fitted(map: Map<String, Value>, schema: &Value, repairs: &mut Repairs) -> Map<String, Value> {
    let map = unwrapped(map, schema, repairs);
    members(map, schema, repairs, DEPTH)
}

/// The arguments without an object around them.
fn unwrapped(mut map: Map<String, Value>, schema: &Value, repairs: &mut Repairs) -> Map<String, Value> {
    let Some(known) = schema["properties"].as_object() else { return map };
    let mut found = WRAPPERS.iter().filter(|name| map.contains_key(**name) && !known.contains_key(**name));
    let (Some(wrapper), None) = (found.next(), found.next()) else { return map };
    let inner = match &map[*wrapper] {
        Value::Object(inner) => Some(inner.clone()),
        Value::String(text) => match lenient::parse(text) {
            Ok(read) if !read.was_open => read.value.as_object().cloned(),
            _ => None,
        },
        _ => None,
    };
    let Some(mut inner) = inner else { return map };
    let beside = |name: &String| known.contains_key(name) && !inner.contains_key(name);
    let is_call = |name: &String| BESIDE.contains(&&**name) && !known.contains_key(name);
    let others: Vec<String> = map.keys().filter(|name| name != wrapper).cloned().collect();
    let fits = inner.keys().all(|name| known.contains_key(name) || spelt(name, &inner, known).is_some());
    if !fits || !others.iter().all(|name| beside(name) || is_call(name)) {
        return map;
    }
    for name in others.iter().filter(|name| known.contains_key(*name)) {
        inner.extend(map.shift_remove(name).map(|value| (name.clone(), value)));
    }
    repairs.insert(Repair::Wrapped);
    inner
}

fn members(
    map: Map<String, Value>,
    schema: &Value,
    repairs: &mut Repairs,
    depth: usize,
) -> Map<String, Value> {
    let Some(known) = schema["properties"].as_object() else { return map };
    let is_closed = schema["additionalProperties"] == false;
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let names: Vec<Option<String>> = map
        .keys()
        .map(|name| (is_closed && !known.contains_key(name)).then(|| spelt(name, &map, known)).flatten())
        .collect();
    let mut out = Map::with_capacity(map.len());
    for ((name, value), spelt) in map.into_iter().zip(names) {
        let name = match spelt {
            Some(spelt) => {
                repairs.insert(Repair::Spelling);
                spelt
            }
            None => name,
        };
        let Some(schema) = known.get(&name) else {
            out.insert(name, value);
            continue;
        };
        if value.is_null() && !required.contains(&&*name) && refuses_null(schema) {
            repairs.insert(Repair::NullForAbsent);
            continue;
        }
        out.insert(name, fit(value, schema, repairs, depth));
    }
    out
}

/// The one name of the schema that differs from this one in case and separators alone, where it is not given too.
fn spelt(name: &str, given: &Map<String, Value>, known: &Map<String, Value>) -> Option<String> {
    let plain = |name: &str| {
        name.chars()
            .filter(|c| !matches!(c, '_' | '-' | ' '))
            .flat_map(char::to_lowercase)
            .collect::<String>()
    };
    let wanted = plain(name);
    let mut found = known.keys().filter(|known| plain(known) == wanted);
    let (Some(one), None) = (found.next(), found.next()) else { return None };
    let twins = given.keys().filter(|given| plain(given) == wanted).count();
    (twins == 1).then(|| one.clone())
}

/// The types that a schema allows; none where it does not say so plainly.
fn types(schema: &Value) -> Option<Vec<&str>> {
    match &schema["type"] {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => several.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Whether a schema says that a value is not null.
fn refuses_null(schema: &Value) -> bool {
    let listed = schema["enum"].as_array().is_some_and(|values| values.iter().any(Value::is_null));
    types(schema).is_some_and(|types| !types.contains(&"null")) && !listed
}

fn fit(value: Value, schema: &Value, repairs: &mut Repairs, depth: usize) -> Value {
    let (Some(types), Some(deeper)) = (types(schema), depth.checked_sub(1)) else { return value };
    let allows = |name: &str| types.contains(&name);
    match value {
        Value::Object(map) if allows("object") => Value::Object(members(map, schema, repairs, deeper)),
        Value::Array(items) if allows("array") => {
            let each = |item| fit(item, &schema["items"], repairs, deeper);
            Value::Array(items.into_iter().map(each).collect())
        }
        Value::String(text) if !allows("string") => match from_text(&text, &types) {
            Some(value) => {
                repairs.insert(Repair::ValueInText);
                fit(value, schema, repairs, deeper)
            }
            None => Value::String(text),
        },
        Value::Number(number) => of_number(number, &types, repairs),
        other => other,
    }
}

/// The value that a text stands for, where the schema wants no text.
fn from_text(text: &str, types: &[&str]) -> Option<Value> {
    let text = text.trim();
    let read = match text {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        text if text.starts_with(['{', '[']) => {
            let read = lenient::parse(text).ok().filter(|read| !read.was_open)?;
            read.value
        }
        text => serde_json::from_str::<Number>(text).ok().map(Value::Number)?,
    };
    let is_whole = |number: &Number| number.is_i64() || number.is_u64();
    let allows = |name: &str| types.contains(&name);
    let fits = match &read {
        Value::Bool(_) => allows("boolean"),
        Value::Object(_) => allows("object"),
        Value::Array(_) => allows("array"),
        Value::Number(number) => allows("number") || (allows("integer") && is_whole(number)),
        _ => false,
    };
    fits.then_some(read)
}

/// A whole number in another notation, or where a text is wanted.
fn of_number(number: Number, types: &[&str], repairs: &mut Repairs) -> Value {
    let allows = |name: &str| types.contains(&name);
    if allows("number") || (allows("integer") && !number.is_f64()) {
        return Value::Number(number);
    }
    // Up to 2^53 every whole number is one of its own.
    let whole = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15);
    match whole {
        #[allow(clippy::cast_possible_truncation, reason = "it is whole and small")]
        Some(float) if allows("integer") => {
            repairs.insert(Repair::ValueInText);
            Value::from(float as i64)
        }
        _ if allows("string") && !number.is_f64() => {
            repairs.insert(Repair::ValueInText);
            Value::String(number.to_string())
        }
        _ => Value::Number(number),
    }
}
