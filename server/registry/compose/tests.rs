//! The calls that composed schemas accept and refuse: checked by a validator, with the calls that a model would fill.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::super::tests::registry;
use super::{compose_tools, rebase_references};
use crate::catalogue::{ToolDef, compile_schema, load_catalogue};
use crate::protocol::ComposeForm;

fn composed(tools: &[(&ToolDef, String)]) -> Validator {
    compile_schema(&compose_tools(tools, ComposeForm::Calls)).unwrap()
}

fn definition(yaml: &str) -> ToolDef {
    let catalogue = load_catalogue(&[], &[("t.yaml".to_owned(), yaml.to_owned())], &|_| true);
    assert_eq!(catalogue.problems, []);
    catalogue.tools.into_iter().find(|tool| tool.name == "t").unwrap()
}

#[test]
fn a_filled_call_of_every_tool_is_valid_and_another_is_not() {
    let registry = registry();
    let all = registry.tools();
    let tools: Vec<_> = all.iter().map(|tool| (tool.def(), tool.name().to_owned())).collect();
    let schema = composed(&tools);
    for (def, activity) in &tools {
        for example in &def.examples {
            let mut call =
                json!({ "_tool": def.name, "_activity": activity, "_reasoningForCall": example.why });
            for (name, value) in example.input.as_object().unwrap().iter().filter(|(name, _)| *name != "why")
            {
                call[name] = value.clone();
            }
            assert!(schema.is_valid(&json!({ "calls": [call.clone(), call.clone()] })), "{call}");
            call["_tool"] = json!("no.such.tool");
            assert!(!schema.is_valid(&json!({ "calls": [call] })), "{}", def.name);
        }
    }
    assert!(!schema.is_valid(&json!([])), "the root is an object");
}

#[test]
fn meta_fields_come_first_and_say_how_it_is_run() {
    let registry = registry();
    let both = ["fs.read", "sentiment"].map(|name| registry.find_tool(name).unwrap());
    let tools: Vec<_> = both.iter().map(|tool| (tool.def(), registry.activity_of(tool, None))).collect();
    let schema = compose_tools(&tools, ComposeForm::Calls);
    let items = schema["properties"]["calls"]["items"]["anyOf"].as_array().unwrap();
    for (item, activity) in items.iter().zip(["fs.read", ""]) {
        let names: Vec<&str> = item["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names[..4], ["_tool", "_activity", "_reasoningForCall", "_output"]);
        assert_eq!(item["properties"]["_activity"]["const"], activity);
        assert_eq!(item["type"], "object");
        let fills = item["required"].as_array().unwrap().contains(&json!("_output"));
        assert_eq!(fills, activity.is_empty(), "only what is latent must have its output filled");
    }
}

#[test]
fn references_mean_what_they_meant() {
    let def = definition(
        "tool:\n  name: t\n  description: A tree.\n  input_schema:\n    type: object\n    $defs:\n      node:\n        \
         type: object\n        properties:\n          name: { type: string, description: n }\n          below: { type: array, \
         description: b, items: { $ref: '#/$defs/node' } }\n        required: [name]\n    properties:\n      tree: { $ref: \
         '#/$defs/node', type: object, description: The tree }\n      why: { type: string, description: Why }\n    \
         required: [tree, why]\n  output_schema: { type: object, $defs: { node: { type: integer } }, properties: { size: { $ref: \
         '#/$defs/node' } } }\n",
    );
    let schema = composed(&[(&def, String::new()), (&def, String::new())]);
    let call = |tree: Value, size: Value| {
        let reason = "Count the tree's nodes";
        json!({ "calls": [{ "_tool": "t", "_activity": "", "_reasoningForCall": reason, "_output": { "size": size }, "tree": tree }] })
    };
    let tree = json!({ "name": "a", "below": [{ "name": "b", "below": [] }] });
    assert!(schema.is_valid(&call(tree.clone(), json!(2))));
    assert!(!schema.is_valid(&call(json!({ "name": "a", "below": [{}] }), json!(2))), "a node has a name");
    assert!(!schema.is_valid(&call(tree, json!({ "name": "a" }))), "the output's node is another one");
}

#[test]
fn only_references_are_changed() {
    let mut schema = json!({
        "const": { "$ref": "#/a" },
        "properties": { "x": { "$ref": "#" }, "y": { "$ref": "#named" }, "z": { "$ref": "other#/a" } },
        "allOf": [{ "$id": "own", "$ref": "#/a" }],
    });
    rebase_references(&mut schema, "/p");
    let expected = json!({
        "const": { "$ref": "#/a" },
        "properties": { "x": { "$ref": "#/p" }, "y": { "$ref": "#named" }, "z": { "$ref": "other#/a" } },
        "allOf": [{ "$id": "own", "$ref": "#/a" }],
    });
    assert_eq!(schema, expected);
}

#[test]
fn lists_are_in_the_form_of_each_api() {
    let registry = registry();
    let tool = registry.find_tool("fs.read").unwrap();
    let tools = [(tool.def(), registry.activity_of(&tool, None))];
    let one = |form, pointer: &str| compose_tools(&tools, form).pointer(pointer).cloned().unwrap_or_default();
    assert_eq!(one(ComposeForm::Openai, "/0/function/name"), "fs_read");
    assert_eq!(one(ComposeForm::Ollama, "/0/function/parameters/type"), "object");
    assert_eq!(one(ComposeForm::Anthropic, "/0/input_schema/type"), "object");
    assert_eq!(one(ComposeForm::Anthropic, "/0/name"), "fs_read");
    assert_eq!(one(ComposeForm::Mcp, "/tools/0/inputSchema/type"), "object");
}
