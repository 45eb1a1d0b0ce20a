//! The wire's types as LuaCATS annotations.

use std::fmt::Write;

use serde_json::{Map, Value};

const HEAD: &str = "-- Types of the messages between wherefore and its plugins. Generated from server/lsp/ext.rs: do not edit;\n\
    -- `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.\n";

/// A Lua module that holds the methods' names, and the types of what they carry.
pub(super) fn types(messages: &[Value], types: &Map<String, Value>) -> String {
    let mut out = HEAD.to_owned();
    for (name, schema) in types {
        out.push('\n');
        declare(&mut out, name, schema);
    }
    out.push_str("\nlocal M = {}\n\nM.methods = {\n");
    for message in messages {
        let method = message["method"].as_str().unwrap_or_default();
        let result =
            message.get("result").map(|result| format!(" -> {}", type_of(result))).unwrap_or_default();
        let name = method.rsplit('/').next().unwrap_or(method);
        let from = message["from"].as_str().unwrap_or_default();
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "  -- from the {from}: {}{result}\n  {name} = \"{method}\",",
            type_of(&message["params"])
        );
    }
    out.push_str("}\n\nreturn M\n");
    out
}

fn declare(out: &mut String, name: &str, schema: &Value) {
    for line in doc(schema) {
        let _ = writeln!(out, "---{line}");
    }
    let Some(properties) = schema["properties"].as_object() else {
        let _ = writeln!(out, "---@alias wherefore.{name} {}", type_of(schema));
        return;
    };
    let _ = writeln!(out, "---@class wherefore.{name}");
    let required: Vec<_> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (field, schema) in properties {
        let optional = if required.contains(&field.as_str()) { "" } else { "?" };
        let doc = doc(schema).collect::<Vec<_>>().join(" ");
        let line = format!("---@field {field}{optional} {} {doc}", type_of(schema).trim_end_matches("|nil"));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn doc(schema: &Value) -> impl Iterator<Item = &str> {
    schema["description"].as_str().unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty())
}

fn type_of(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return format!("wherefore.{}", reference.rsplit('/').next().unwrap_or(reference));
    }
    if let Some(value) = schema["const"].as_str() {
        return format!("\"{value}\"");
    }
    for key in ["enum", "oneOf", "anyOf"] {
        if let Some(choices) = schema[key].as_array() {
            let one = |choice: &Value| {
                choice.as_str().map_or_else(|| type_of(choice), |value| format!("\"{value}\""))
            };
            return choices.iter().map(one).collect::<Vec<_>>().join("|");
        }
    }
    match &schema["type"] {
        Value::Array(types) => {
            let one = |name: &Value| named(name.as_str().unwrap_or_default(), schema);
            types.iter().map(one).collect::<Vec<_>>().join("|")
        }
        name => named(name.as_str().unwrap_or_default(), schema),
    }
}

fn named(name: &str, schema: &Value) -> String {
    match name {
        "string" | "boolean" | "number" | "integer" => name.to_owned(),
        "null" => "nil".to_owned(),
        "array" => match type_of(&schema["items"]) {
            union if union.contains('|') => format!("({union})[]"),
            item => format!("{item}[]"),
        },
        "object" if schema["additionalProperties"].is_object() => {
            format!("table<string, {}>", type_of(&schema["additionalProperties"]))
        }
        "object" => "table".to_owned(),
        _ => "any".to_owned(),
    }
}
