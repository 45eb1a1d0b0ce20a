//! Every event that a test of this suite has logged, held against the schema that is published of it.

use std::path::Path;
use std::sync::OnceLock;

use jsonschema::Validator;
use serde_json::Value;

#[path = "../seeds/reader.rs"]
mod reader;

fn schema() -> &'static Validator {
    static SCHEMA: OnceLock<Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/wire/event.json");
        let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    })
}

/// Puts the beginning of each text that is stored beside the log in its place.
fn open_texts(value: &mut Value) {
    match value {
        Value::Object(map) if map.contains_key("sealed") && !map.contains_key("form") => {
            *value = map["head"].clone();
        }
        Value::Object(map) => map.values_mut().for_each(open_texts),
        Value::Array(items) => items.iter_mut().for_each(open_texts),
        _ => {}
    }
}

/// Reads the logs of a workspace and fails on the first event that does not keep to the schema.
pub(crate) fn check_logs(root: &Path) {
    let sessions = std::fs::read_dir(root.join(".wherefore/sessions")).into_iter().flatten().flatten();
    for session in sessions {
        let Ok(log) = std::fs::read_to_string(session.path().join("session-log.md")) else { continue };
        for event in reader::read_events(&log) {
            let first = event.first.clone();
            assert!(!event.kind().is_empty(), "{first}");
            let mut value = Value::Object(event.fields);
            open_texts(&mut value);
            let wrong: Vec<String> = schema().iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{first} breaks schemas/wire/event.json: {wrong:#?} in {value:#}");
        }
    }
}
