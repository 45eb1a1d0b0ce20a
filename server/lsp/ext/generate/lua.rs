//! The wire's types as LuaCATS annotations.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::words::{TypeWords, doc_lines, message_names, required_members};

const LUA: TypeWords = TypeWords {
    prefix: "wherefore.",
    integer: "integer",
    null: "nil",
    any: "any",
    object: "table",
    map: ["table<string, ", ">"],
};

const HEAD: &str = "-- Types of the messages between wherefore and its plugins. Generated from server/requests.rs and\n\
    -- server/lsp/ext.rs: do not edit; `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.\n";

/// A Lua module with the methods' names, and the types of their params and results.
pub(super) fn lua_types(messages: &[Value], types: &Map<String, Value>) -> String {
    let mut out = HEAD.to_owned();
    for (name, schema) in types {
        out.push('\n');
        declare_type(&mut out, name, schema);
    }
    out.push_str("\nlocal M = {}\n\nM.methods = {\n");
    for message in messages {
        let (method, name, from) = message_names(message);
        let result =
            message.get("result").map(|result| format!(" -> {}", LUA.type_of(result))).unwrap_or_default();
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "  -- {}\n  -- from the {from}: {}{result}\n  {name} = \"{method}\",",
            doc_lines(message).collect::<Vec<_>>().join(" "),
            LUA.type_of(&message["params"])
        );
    }
    out.push_str("}\n\nreturn M\n");
    out
}

fn declare_type(out: &mut String, name: &str, schema: &Value) {
    for line in doc_lines(schema) {
        let _ = writeln!(out, "---{line}");
    }
    let Some(properties) = schema["properties"].as_object() else {
        let _ = writeln!(out, "---@alias wherefore.{name} {}", LUA.type_of(schema));
        return;
    };
    let _ = writeln!(out, "---@class wherefore.{name}");
    let required = required_members(schema);
    for (field, schema) in properties {
        let optional = if required.contains(&field.as_str()) { "" } else { "?" };
        let doc = doc_lines(schema).collect::<Vec<_>>().join(" ");
        let line =
            format!("---@field {field}{optional} {} {doc}", LUA.type_of(schema).trim_end_matches("|nil"));
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
