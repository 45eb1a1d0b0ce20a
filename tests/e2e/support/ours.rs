//! Checks our own messages against the schemas that are committed for them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::{Value, json};

type Schemas = HashMap<(String, &'static str), Validator>;

fn schemas() -> &'static Schemas {
    static SCHEMAS: OnceLock<Schemas> = OnceLock::new();
    SCHEMAS.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/wire/messages.json");
        let wire: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let mut schemas = HashMap::new();
        for message in wire["messages"].as_array().unwrap() {
            let method = message["method"].as_str().unwrap();
            for part in ["params", "result"] {
                if let Some(schema) = message.get(part) {
                    let whole = json!({ "allOf": [schema], "$defs": wire["$defs"] });
                    schemas.insert((method.to_owned(), part), jsonschema::validator_for(&whole).unwrap());
                }
            }
        }
        schemas
    })
}

/// The problems of the `params` or the `result` of a `wherefore/*` message.
pub(super) fn check(method: &str, part: &'static str, value: &Value) -> Vec<String> {
    match schemas().get(&(method.to_owned(), part)) {
        Some(schema) => schema.iter_errors(value).map(|error| format!("{part}: {error}")).collect(),
        None => vec![format!("{method} is not declared with {part}")],
    }
}
