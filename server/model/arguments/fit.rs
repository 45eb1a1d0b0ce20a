//! Fits arguments to their schema, if it allows only one value.

use serde_json::{Map, Number, Value};

use super::{ArgumentRepair, Repairs, lenient};

/// Names of an object around the arguments.
const WRAPPERS: [&str; 7] = ["arguments", "parameters", "input", "args", "params", "tool_input", "kwargs"];
/// Other members of such an object.
const BESIDE: [&str; 6] = ["name", "tool", "tool_name", "type", "id", "function"];
/// The deepest level of values that are examined.
const DEPTH: usize = 32;

/// Returns whether all values that the schema requires are there.
pub(super) fn has_required(value: &Value, schema: &Value) -> bool {
    let required = schema["required"].as_array();
    required.into_iter().flatten().filter_map(Value::as_str).all(|name| value.get(name).is_some())
}

/// The arguments, each as its schema has it.
pub(super) fn fit_to_schema(
    map: Map<String, Value>,
    schema: &Value,
    repairs: &mut Repairs,
) -> Map<String, Value> {
    let map = unwrap_arguments(map, schema, repairs);
    fit_members(map, schema, repairs, DEPTH)
}

/// The arguments without an object around them.
fn unwrap_arguments(
    mut map: Map<String, Value>,
    schema: &Value,
    repairs: &mut Repairs,
) -> Map<String, Value> {
    let Some(known) = schema["properties"].as_object() else { return map };
    let mut found = WRAPPERS.iter().filter(|name| map.contains_key(**name) && !known.contains_key(**name));
    let (Some(wrapper), None) = (found.next(), found.next()) else { return map };
    let inner = match &map[*wrapper] {
        Value::Object(inner) => Some(inner.clone()),
        Value::String(text) => match lenient::parse_lenient(text) {
            Ok(read) if !read.was_open => read.value.as_object().cloned(),
            _ => None,
        },
        _ => None,
    };
    let Some(mut inner) = inner else { return map };
    let beside = |name: &String| known.contains_key(name) && !inner.contains_key(name);
    let is_call = |name: &String| BESIDE.contains(&&**name) && !known.contains_key(name);
    let others: Vec<String> = map.keys().filter(|name| name != wrapper).cloned().collect();
    let fits =
        inner.keys().all(|name| known.contains_key(name) || known_spelling(name, &inner, known).is_some());
    if !fits || !others.iter().all(|name| beside(name) || is_call(name)) {
        return map;
    }
    for name in others.iter().filter(|name| known.contains_key(*name)) {
        inner.extend(map.shift_remove(name).map(|value| (name.clone(), value)));
    }
    repairs.insert(ArgumentRepair::Wrapped);
    inner
}

fn fit_members(
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
        .map(|name| {
            (is_closed && !known.contains_key(name)).then(|| known_spelling(name, &map, known)).flatten()
        })
        .collect();
    let mut out = Map::with_capacity(map.len());
    for ((name, value), spelt) in map.into_iter().zip(names) {
        let name = match spelt {
            Some(spelt) => {
                repairs.insert(ArgumentRepair::Spelling);
                spelt
            }
            None => name,
        };
        let Some(schema) = known.get(&name) else {
            out.insert(name, value);
            continue;
        };
        if value.is_null() && !required.contains(&&*name) && refuses_null(schema) {
            repairs.insert(ArgumentRepair::NullForAbsent);
            continue;
        }
        out.insert(name, fit_value(value, schema, repairs, depth));
    }
    out
}

/// The one name of the schema that differs from this one in case and separators alone, if it is not given too.
fn known_spelling(name: &str, given: &Map<String, Value>, known: &Map<String, Value>) -> Option<String> {
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

/// The types that a schema allows; `None` if it does not say so plainly.
fn allowed_types(schema: &Value) -> Option<Vec<&str>> {
    match &schema["type"] {
        Value::String(one) => Some(vec![one]),
        Value::Array(several) => several.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Returns whether a schema requires that a value is not null.
fn refuses_null(schema: &Value) -> bool {
    let listed = schema["enum"].as_array().is_some_and(|values| values.iter().any(Value::is_null));
    allowed_types(schema).is_some_and(|types| !types.contains(&"null")) && !listed
}

fn fit_value(value: Value, schema: &Value, repairs: &mut Repairs, depth: usize) -> Value {
    let (Some(types), Some(deeper)) = (allowed_types(schema), depth.checked_sub(1)) else { return value };
    let allows = |name: &str| types.contains(&name);
    match value {
        Value::Object(map) if allows("object") => Value::Object(fit_members(map, schema, repairs, deeper)),
        Value::Array(items) if allows("array") => {
            let each = |item| fit_value(item, &schema["items"], repairs, deeper);
            Value::Array(items.into_iter().map(each).collect())
        }
        Value::String(text) if !allows("string") => match from_text(&text, &types) {
            Some(value) => {
                repairs.insert(ArgumentRepair::ValueInText);
                fit_value(value, schema, repairs, deeper)
            }
            None => Value::String(text),
        },
        Value::Number(number) => of_number(number, &types, repairs),
        other => other,
    }
}

/// Returns the value that a text represents, if the schema wants no text.
fn from_text(text: &str, types: &[&str]) -> Option<Value> {
    let text = text.trim();
    let read = match text {
        "True" | "true" => Value::Bool(true),
        "False" | "false" => Value::Bool(false),
        text if text.starts_with(['{', '[']) => {
            let read = lenient::parse_lenient(text).ok().filter(|read| !read.was_open)?;
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
            repairs.insert(ArgumentRepair::ValueInText);
            Value::from(float as i64)
        }
        _ if allows("string") && !number.is_f64() => {
            repairs.insert(ArgumentRepair::ValueInText);
            Value::String(number.to_string())
        }
        _ => Value::Number(number),
    }
}
