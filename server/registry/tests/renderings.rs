//! Definitions in the forms of other protocols.

use serde_json::json;

use super::super::*;
use super::registry;
use crate::catalogue::ToolDef;

#[test]
fn renderings() {
    let registry = registry();
    let tool = registry.find_tool("sentiment").unwrap();
    let def: &ToolDef = tool.def();
    let why = json!({ "type": "string", "description": "Why" });
    let text = json!({ "type": "string", "description": "The text" });
    let output = def.output_schema.clone().unwrap();
    assert_eq!(
        render_definition(def, DefinitionFormat::ToolProtocol, ""),
        json!({
            "type": "object",
            "properties": {
                "_tool": { "type": "string", "const": "sentiment" },
                "_activity": { "type": "string", "const": "" },
                "_reasoningForCall": why,
                "_output": output,
                "text": text,
            },
            "required": ["_tool", "_activity", "_reasoningForCall", "_output", "text"],
            "additionalProperties": false,
            "description": "Says how a text sounds.",
        })
    );
    let names: Vec<_> = render_definition(def, DefinitionFormat::ToolProtocol, "")["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(names, ["_tool", "_activity", "_reasoningForCall", "_output", "text"]);
    let read = registry.find_tool("fs.read").unwrap();
    let read = read.def();
    let function = render_definition(read, DefinitionFormat::Function, "fs.read");
    assert_eq!(function["function"]["name"], "fs_read");
    assert_eq!(function["function"]["parameters"], read.input_schema);
    let mcp = render_definition(read, DefinitionFormat::Mcp, "fs.read");
    assert_eq!(
        mcp["annotations"],
        json!({ "title": "Read file", "readOnlyHint": true, "destructiveHint": false,
                "idempotentHint": true, "openWorldHint": false })
    );
    assert_eq!(mcp["outputSchema"], *read.output_schema.as_ref().unwrap());
    let ls = registry.find_tool("fs.ls").unwrap();
    let ls = ls.def();
    assert_eq!(render_definition(ls, DefinitionFormat::Mcp, "fs.ls").get("outputSchema"), None);
    assert_eq!(render_definition(ls, DefinitionFormat::Definition, "fs.ls")["tool"]["_activity"], "fs.ls");
}
