//! The wire's types as TypeScript.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::words::{TypeWords, doc_lines, message_names, required_members};

const TYPESCRIPT: TypeWords = TypeWords {
    prefix: "",
    integer: "number",
    null: "null",
    any: "unknown",
    object: "Record<string, unknown>",
    map: ["Record<string, ", ">"],
};

const HEAD: &str = "// Types of the messages between wherefore and its plugins. Generated from server/requests.rs and\n\
    // server/lsp/ext.rs: do not edit; `WHEREFORE_BLESS=1 cargo test --lib generated` writes it anew.\n";

/// A module with the methods' names, and the types of their params and results.
pub(super) fn typescript_types(messages: &[Value], types: &Map<String, Value>) -> String {
    let mut out = HEAD.to_owned();
    for (name, schema) in types {
        out.push('\n');
        declare_type(&mut out, name, schema);
    }
    out.push_str("\n/** The methods, by name. */\nexport const methods = {\n");
    for message in messages {
        let (method, name, from) = message_names(message);
        let doc = doc_lines(message).collect::<Vec<_>>().join(" ");
        // Writing to a string never fails.
        let _ = writeln!(out, "  /** {doc} From the {from}. */\n  {name}: '{method}',");
    }
    out.push_str(
        "} as const;\n\n/** What each request from here takes and gives. */\nexport interface Requests {\n",
    );
    let mine = || messages.iter().filter(|message| message["from"] == "client");
    for message in mine().filter(|message| !message["result"].is_null()) {
        let (_, name, _) = message_names(message);
        let [params, result] = ["params", "result"].map(|part| TYPESCRIPT.type_of(&message[part]));
        let _ = writeln!(out, "  {name}: {{ params: {params}; result: {result} }};");
    }
    out.push_str("}\n\n/** What each notification from here takes. */\nexport interface Notifications {\n");
    for message in mine().filter(|message| message["result"].is_null()) {
        let (_, name, _) = message_names(message);
        let _ = writeln!(out, "  {name}: {};", TYPESCRIPT.type_of(&message["params"]));
    }
    out.push_str("}\n");
    out
}

fn declare_type(out: &mut String, name: &str, schema: &Value) {
    write_comment(out, "", schema);
    let Some(properties) = schema["properties"].as_object() else {
        let _ = writeln!(out, "export type {name} = {};", TYPESCRIPT.type_of(schema));
        return;
    };
    let _ = writeln!(out, "export interface {name} {{");
    let required = required_members(schema);
    for (field, schema) in properties {
        write_comment(out, "  ", schema);
        let optional = if required.contains(&field.as_str()) { "" } else { "?" };
        let _ = writeln!(out, "  {field}{optional}: {};", TYPESCRIPT.type_of(schema));
    }
    out.push_str("}\n");
}

fn write_comment(out: &mut String, indent: &str, schema: &Value) {
    let lines: Vec<&str> = doc_lines(schema).collect();
    if !lines.is_empty() {
        let _ = writeln!(out, "{indent}/** {} */", lines.join(" ").replace("*/", "* /"));
    }
}
