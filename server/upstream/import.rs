//! Translates a server's tool to a definition of wherefore: a name in our grammar, a required `why`, words with nothing
//! hidden.

use serde_json::{Map, Value, json};

use super::remote::{RemoteTool, cut_text};
use crate::base::hidden::escape_hidden;
use crate::catalogue::{
    OntologyTree, Risk, ToolDef, ToolRunner, ToolSandbox, WHY, compile_schema, show_schema,
};
use crate::protocol::{Import, McpServer};

/// Arguments that the Tool Protocol takes for itself.
const META: [&str; 5] = ["_tool", "_activity", "_output", "_reasoningForCall", "_comments"];
/// Bytes of a description that a model is sent.
const DESCRIPTION: usize = 8 << 10;
/// Characters of a title.
const TITLE: usize = 40;
/// Characters of a summary.
const SUMMARY: usize = 120;
/// The depth to which alternatives at a schema's root may nest.
const ALTERNATIVES: usize = 4;

/// A tool that cannot be taken in.
#[derive(Debug, thiserror::Error)]
#[error("{server}: the tool {tool:?} is left out: {why}")]
pub(super) struct LeftOutTool {
    server: String,
    /// The server's own name of it, as it is shown.
    tool: String,
    #[source]
    why: UnfitTool,
}

/// The reasons why a tool cannot be taken in.
#[derive(Debug, thiserror::Error)]
enum UnfitTool {
    #[error("its {which} is not a JSON Schema, at {pointer:?}: {why}")]
    Schema { which: &'static str, pointer: String, why: String },
    #[error("its {which} holds hidden characters, at {at}")]
    Hidden { which: &'static str, at: String },
    #[error("the root type of its inputSchema is {0}, not \"object\"")]
    RootType(Value),
    #[error("its argument `{0}` has the name of a meta field")]
    MetaField(&'static str),
    #[error("its argument `why` is not a string, and wherefore has an argument of that name")]
    Why,
}

impl LeftOutTool {
    fn new(server: &str, tool: &RemoteTool, why: UnfitTool) -> Self {
        Self { server: server.to_owned(), tool: escape_hidden(&tool.name).into_owned(), why }
    }
}

/// Checks that a tool can be taken in: its schemas are compiled, which is done once for each listing.
///
/// # Errors
/// The reason why it cannot be.
pub(super) fn check_tool(server: &str, settings: &McpServer, tool: &RemoteTool) -> Result<(), LeftOutTool> {
    let definition = import_definition(server, settings, &tool.name, tool)?;
    let schemas = [
        ("inputSchema", Some(&definition.input_schema)),
        ("outputSchema", definition.output_schema.as_ref()),
    ];
    for (which, schema) in schemas {
        if let Some(Err((pointer, error))) = schema.map(compile_schema) {
            let (pointer, why) = (pointer.to_string(), escape_hidden(&error.to_string()).into_owned());
            return Err(LeftOutTool::new(server, tool, UnfitTool::Schema { which, pointer, why }));
        }
    }
    Ok(())
}

/// Returns the definition for a tool of a server that was checked.
///
/// # Errors
/// The reason why it cannot be one.
pub(super) fn import_definition(
    server: &str,
    settings: &McpServer,
    name: &str,
    tool: &RemoteTool,
) -> Result<ToolDef, LeftOutTool> {
    let wrong = |why: UnfitTool| LeftOutTool::new(server, tool, why);
    let input_schema = input_with_why(tool).map_err(wrong)?;
    let mut output_schema = tool.output_schema.clone().map(Value::Object);
    if let Some(schema) = &mut output_schema {
        prepare_schema(schema, "outputSchema").map_err(wrong)?;
    }
    let description =
        tool.description.as_deref().map(|text| cut_text(text.trim(), DESCRIPTION)).unwrap_or_default();
    let description = escape_hidden(&description).into_owned();
    let title = tool.title.as_deref().filter(|title| !title.trim().is_empty());
    let first = title.unwrap_or_else(|| description.split(['\n', '.']).next().unwrap_or_default());
    let first = if first.trim().is_empty() { &tool.name } else { first };
    let summary: String =
        escape_hidden(first.trim()).replace(['\n', '\t'], " ").chars().take(SUMMARY).collect();
    let description = if description.is_empty() { summary.clone() } else { description };
    let risk = tool_risk(settings, Some(tool));
    let title = title
        .map(|title| escape_hidden(title.trim()).replace(['\n', '\t'], " ").chars().take(TITLE).collect());
    let words = DefinitionWords { title, summary, description, risk, input_schema, output_schema };
    Ok(build_definition(server, settings, name, &tool.name, words))
}

/// Returns the definition for a tool without consent: none of its words are in it.
pub(super) fn unconsented_definition(
    server: &str,
    settings: &McpServer,
    name: &str,
    tool: &RemoteTool,
) -> ToolDef {
    let words = DefinitionWords {
        title: None,
        summary: format!("A tool of {server} that waits for the person's consent"),
        description: format!(
            "A tool of {server} that is new, or whose words have changed, since the person consented to it. Calls are \
             refused until they do so again."
        ),
        risk: Risk::Network,
        input_schema: json!({
            "type": "object",
            "properties": { "why": { "type": "string", "description": WHY } },
            "required": ["why"],
        }),
        output_schema: None,
    };
    build_definition(server, settings, name, &tool.name, words)
}

/// The words of a definition.
struct DefinitionWords {
    title: Option<String>,
    summary: String,
    description: String,
    risk: Risk,
    input_schema: Value,
    output_schema: Option<Value>,
}

fn build_definition(
    server: &str,
    settings: &McpServer,
    name: &str,
    remote: &str,
    words: DefinitionWords,
) -> ToolDef {
    let node = tool_node(server, settings);
    ToolDef {
        name: name.to_owned(),
        // No other node lists it: the tool is under its own one alone.
        category: node.join("/").to_lowercase(),
        nodes: vec![node],
        title: words.title,
        summary: words.summary,
        description: words.description,
        tags: vec![server.to_lowercase()],
        risk: words.risk,
        input_schema: words.input_schema,
        output_schema: words.output_schema,
        sandbox: ToolSandbox {
            network: settings.url.is_some(),
            filesystem: None,
            timeout_ms: settings.timeout_ms,
            hosts: Vec::new(),
            effects: None,
        },
        examples: Vec::new(),
        version: 1,
        aliases: Vec::new(),
        activity: None,
        runs: Some(ToolRunner::Remote {
            mcp_server: server.to_owned(),
            remote_tool: Some(remote.to_owned()),
        }),
        source: None,
    }
}

/// Returns the node of a server's tools: the one named, under Custom where the tree lacks it.
fn tool_node(server: &str, settings: &McpServer) -> Vec<String> {
    let named: Vec<String> = match &settings.import {
        Import::Under(path) => path.split('/').map(|part| escape_hidden(part.trim()).into_owned()).collect(),
        Import::Whole(_) => vec![server.to_owned()],
    };
    match named
        .first()
        .is_some_and(|first| OntologyTree::built_in().nodes.iter().any(|node| node.name == *first))
    {
        true => named,
        false => std::iter::once("Custom".to_owned()).chain(named).collect(),
    }
}

/// Returns the worst effect of a call. A server's own hint counts only where it gives one: a tool without hints may run
/// anything, and over a network reach it.
pub(super) fn tool_risk(settings: &McpServer, tool: Option<&RemoteTool>) -> Risk {
    if let Some(risk) = settings.risk {
        return risk;
    }
    let hint = |name| tool.and_then(|tool| tool.annotation_hint(name));
    match (hint("openWorldHint"), hint("readOnlyHint")) {
        (Some(true), _) => Risk::Network,
        (_, Some(true)) => Risk::Read,
        _ if settings.url.is_some() => Risk::Network,
        _ => Risk::Execute,
    }
}

/// The arguments with `why` among them, required.
fn input_with_why(tool: &RemoteTool) -> Result<Value, UnfitTool> {
    let mut root = tool.input_schema.clone();
    match root.get("type") {
        Some(kind) if kind == "object" => {}
        None => {
            root.insert("type".to_owned(), json!("object"));
        }
        Some(other) => return Err(UnfitTool::RootType(other.clone())),
    }
    let properties = root.get("properties").and_then(Value::as_object);
    if let Some(meta) = META.iter().find(|meta| properties.is_some_and(|all| all.contains_key(**meta))) {
        return Err(UnfitTool::MetaField(meta));
    }
    let own = properties.and_then(|all| all.get("why"));
    if own.is_some_and(|why| why.get("type").is_some_and(|kind| kind != "string")) {
        return Err(UnfitTool::Why);
    }
    let has_own = own.is_some();
    let mut schema = Value::Object(root);
    if !has_own {
        let why = json!({ "type": "string", "description": WHY });
        allow_why(&mut schema, &why, ALTERNATIVES);
        if !schema["properties"].is_object() {
            schema["properties"] = json!({});
        }
        schema["properties"]["why"] = why;
        for bound in ["minProperties", "maxProperties"] {
            if let Some(count) = schema.get(bound).and_then(Value::as_u64) {
                schema[bound] = json!(count + 1);
            }
        }
    }
    let mut required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if !required.iter().any(|name| name == "why") {
        required.push(json!("why"));
    }
    schema["required"] = Value::Array(required);
    prepare_schema(&mut schema, "inputSchema")?;
    Ok(schema)
}

/// Lets alternatives that refuse what they do not name take `why` too.
fn allow_why(schema: &mut Value, why: &Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for key in ["anyOf", "oneOf", "allOf"] {
        for part in schema.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten() {
            if part.get("additionalProperties").is_some() || part.get("unevaluatedProperties").is_some() {
                let properties =
                    part.as_object_mut().map(|part| part.entry("properties").or_insert(json!({})));
                if let Some(Value::Object(properties)) = properties {
                    properties.insert("why".to_owned(), why.clone());
                }
            }
            allow_why(part, why, depth);
        }
    }
}

/// Shows what is hidden in a schema.
fn prepare_schema(schema: &mut Value, which: &'static str) -> Result<(), UnfitTool> {
    if let Some(at) = show_schema(schema).first() {
        return Err(UnfitTool::Hidden { which, at: at.to_string() });
    }
    // Which draft it was written for; ours is used for all.
    schema.as_object_mut().map(|root: &mut Map<String, Value>| root.shift_remove("$schema"));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(tool: Value) -> Result<ToolDef, String> {
        let tool = RemoteTool::from_listing(&tool).unwrap();
        check_tool("srv", &McpServer::default(), &tool).map_err(|error| error.to_string())?;
        import_definition("srv", &McpServer::default(), "srv.t", &tool).map_err(|error| error.to_string())
    }

    fn takes(schema: &Value, args: Value) -> bool {
        compile_schema(schema).unwrap().is_valid(&args)
    }

    #[test]
    fn why_is_required_whatever_the_schema() {
        let closed = json!({ "properties": { "a": {} }, "additionalProperties": false });
        for schema in [
            json!({}),
            json!({ "type": "object", "properties": { "a": { "type": "string" } } }),
            json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false, "maxProperties": 1 }),
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "type": "object" }),
            json!({ "type": "object", "anyOf": [closed, { "allOf": [closed] }] }),
            json!({ "type": "object", "properties": { "a": {} }, "unevaluatedProperties": false }),
            json!({ "properties": { "a": {}, "why": { "type": "string" } }, "required": ["a"] }),
        ] {
            let def = made(json!({ "name": "t", "inputSchema": schema })).unwrap();
            assert!(takes(&def.input_schema, json!({ "a": "x", "why": "y" })), "{schema}");
            assert!(!takes(&def.input_schema, json!({ "a": "x" })), "{schema}");
        }
    }

    #[test]
    fn what_cannot_be_taken_says_why() {
        for (schema, expected) in [
            (json!({ "type": "array" }), "root type"),
            (json!({ "properties": { "_output": {} } }), "_output"),
            (json!({ "properties": { "why": { "type": "object" } } }), "not a string"),
            (json!({ "properties": { "a": { "type": "strong" } } }), "JSON Schema"),
            (json!({ "properties": { "a": { "$ref": "http://elsewhere.invalid/x" } } }), "JSON Schema"),
            (json!({ "properties": { "a\u{200b}": {} } }), "hidden characters"),
            (json!({ "properties": { "a": { "enum": ["x\u{e0041}"] } } }), "hidden characters"),
        ] {
            let said = made(json!({ "name": "t", "inputSchema": schema })).unwrap_err();
            assert!(said.contains(expected) && said.contains("srv"), "{said}");
        }
    }

    #[test]
    fn words_show_what_is_hidden() {
        let def = made(json!({
            "name": "t",
            "title": "A\u{202e}b",
            "description": "One\u{200b}.\nTwo",
            "inputSchema": { "properties": { "a": { "description": "x\u{e0041}" } } },
        }));
        let def = def.unwrap();
        assert_eq!(def.summary, "A\\u{202e}b");
        assert_eq!(def.description, "One\\u{200b}.\nTwo");
        assert_eq!(def.input_schema["properties"]["a"]["description"], "x\\u{e0041}");
    }

    #[test]
    fn risks_and_nodes() {
        let risk = |settings: &McpServer, hints: Value| {
            let tool = RemoteTool::from_listing(&json!({ "name": "t", "annotations": hints })).unwrap();
            import_definition("srv", settings, "srv.t", &tool).unwrap().risk
        };
        let stdio = McpServer::default();
        let http = McpServer { url: Some("http://x".to_owned()), ..McpServer::default() };
        assert_eq!(risk(&stdio, json!({})), Risk::Execute);
        assert_eq!(risk(&http, json!({})), Risk::Network);
        assert_eq!(risk(&http, json!({ "readOnlyHint": true })), Risk::Read);
        assert_eq!(risk(&stdio, json!({ "readOnlyHint": true, "openWorldHint": true })), Risk::Network);
        assert_eq!(risk(&stdio, json!({ "readOnlyHint": "yes" })), Risk::Execute);
        let set = McpServer { risk: Some(Risk::Write), ..McpServer::default() };
        assert_eq!(risk(&set, json!({ "openWorldHint": true })), Risk::Write);
        let under =
            |import: Import| tool_node("srv", &McpServer { import, ..McpServer::default() }).join(" > ");
        assert_eq!(under(Import::Whole(true)), "Custom > srv");
        assert_eq!(under(Import::Under("Video / Cut".to_owned())), "Custom > Video > Cut");
        assert_eq!(under(Import::Under("Custom/Video".to_owned())), "Custom > Video");
        assert_eq!(under(Import::Under("Files".to_owned())), "Files");
    }
}
