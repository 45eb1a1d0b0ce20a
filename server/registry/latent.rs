//! Latent calls: no code runs, the model fills `_output` by the schema it is given.

use serde_json::{Value, json};

use super::CheckedCall;
use super::compose::rebase_references;

/// Adds the tool's output to its schema, for a model that fills it in the same call.
pub fn ask_for_output(schema: &mut Value, output: Option<&Value>) {
    let Some(members) = schema.as_object_mut() else { return };
    let mut output = output.cloned().unwrap_or_else(|| json!({}));
    rebase_references(&mut output, "/properties/_output");
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("_output".to_owned(), output);
    }
    let required = members.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.push(json!("_output"));
    }
}

impl CheckedCall {
    /// Returns the answer of a latent call without an output: the schema to fill, and how to send it.
    pub fn latent_answer(&self) -> Value {
        let tool = self.tool.name();
        let schema = self.tool.def().output_schema.clone().unwrap_or_else(|| json!({}));
        json!({
            "_tool": tool,
            "_activity": "",
            "_output": schema,
            "instruction": format!(
                "No code runs {tool}: work out its result yourself, then call {tool} again with the same \
                 arguments and the result in `_output`, valid by the schema given here."
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_latent_tools_schema_asks_for_its_output_and_references_in_it_hold() {
        let mut schema = json!({ "type": "object", "properties": { "why": {} }, "required": ["why"] });
        let output = json!({ "$ref": "#/$defs/mood", "$defs": { "mood": { "enum": ["good", "bad"] } } });
        ask_for_output(&mut schema, Some(&output));
        assert_eq!(schema["required"], json!(["why", "_output"]));
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&json!({ "why": "x", "_output": "good" })));
        assert!(!validator.is_valid(&json!({ "why": "x", "_output": "other" })));
        assert!(!validator.is_valid(&json!({ "why": "x" })));
    }
}
