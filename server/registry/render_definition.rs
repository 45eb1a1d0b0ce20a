//! A definition as each kind of client wants it.

use serde_json::{Map, Value, json};

use super::ask_for_output;
use super::compose::rebase_references;
use crate::catalogue::{Risk, ToolDef};

/// The forms of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionFormat {
    /// Our own, as `expand_tool` answers.
    Definition,
    /// An OpenAI or Ollama function.
    Function,
    /// A tool of Anthropic's messages.
    Anthropic,
    /// A tool of the Model Context Protocol.
    Mcp,
    /// A schema of the Tool Protocol, its meta fields first.
    ToolProtocol,
}

/// `def` in that form. `activity` is the one that runs it, empty where it is latent: then the arguments hold its output too.
pub fn render_definition(def: &ToolDef, format: DefinitionFormat, activity: &str) -> Value {
    match format {
        DefinitionFormat::Definition => {
            let mut value = serde_json::to_value(def).unwrap_or_default();
            value["_activity"] = json!(activity);
            json!({ "tool": value })
        }
        DefinitionFormat::Function => json!({
            "type": "function",
            "function": {
                "name": def.flat_name(),
                "description": def.description,
                "parameters": arguments_schema(def, activity),
            },
        }),
        DefinitionFormat::Anthropic => json!({
            "name": def.flat_name(),
            "description": def.description,
            "input_schema": arguments_schema(def, activity),
        }),
        DefinitionFormat::Mcp => mcp_definition(def, activity),
        DefinitionFormat::ToolProtocol => tool_protocol(def, activity),
    }
}

/// The schema of the arguments, with `_output` where no code runs the tool.
fn arguments_schema(def: &ToolDef, activity: &str) -> Value {
    let mut schema = def.input_schema.clone();
    if activity.is_empty() {
        ask_for_output(&mut schema, def.output_schema.as_ref());
    }
    schema
}

fn mcp_definition(def: &ToolDef, activity: &str) -> Value {
    let mut tool = json!({
        "name": def.flat_name(),
        "title": def.display_title(),
        "description": def.description,
        "inputSchema": arguments_schema(def, activity),
        "annotations": {
            "title": def.display_title(),
            "readOnlyHint": def.risk == Risk::Read,
            "destructiveHint": def.risk != Risk::Read,
            "idempotentHint": def.risk == Risk::Read,
            "openWorldHint": def.risk == Risk::Network || def.sandbox.network,
        },
    });
    // The protocol takes only objects as structured output.
    let object = |schema: &&Value| schema.get("type").and_then(Value::as_str) == Some("object");
    if let Some(schema) = def.output_schema.as_ref().filter(object) {
        tool["outputSchema"] = schema.clone();
    }
    tool
}

fn tool_protocol(def: &ToolDef, activity: &str) -> Value {
    let own = def.input_schema.get("properties").and_then(Value::as_object);
    let why = own.and_then(|own| own.get("why")?.get("description")).cloned();
    let mut properties = Map::new();
    properties.insert("_tool".into(), json!({ "type": "string", "const": def.name }));
    properties.insert("_activity".into(), json!({ "type": "string", "const": activity }));
    let why = why.unwrap_or_else(|| json!("Why the call is made"));
    properties.insert("_reasoningForCall".into(), json!({ "type": "string", "description": why }));
    let mut output = def.output_schema.clone().unwrap_or_else(|| json!({}));
    rebase_references(&mut output, "/properties/_output");
    if let (false, Some(members)) = (activity.is_empty(), output.as_object_mut()) {
        // JSON Schema's word for what the sender does not give: the code that runs the tool does.
        members.insert("readOnly".to_owned(), json!(true));
    }
    properties.insert("_output".into(), output);
    let arguments = own.into_iter().flatten().filter(|(name, _)| *name != "why");
    properties.extend(arguments.map(|(name, schema)| (name.clone(), schema.clone())));

    let mut required = vec![json!("_tool"), json!("_activity"), json!("_reasoningForCall")];
    if activity.is_empty() {
        required.push(json!("_output"));
    }
    let own = def.input_schema.get("required").and_then(Value::as_array);
    required.extend(own.into_iter().flatten().filter(|name| *name != "why").cloned());
    // The rest of the schema stays: `$defs` that arguments refer to, and what is said of all of them.
    let mut schema = def.input_schema.clone();
    schema["description"] = json!(def.description);
    schema["properties"] = Value::Object(properties);
    schema["required"] = Value::Array(required);
    schema
}
