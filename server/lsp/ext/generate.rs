//! The schemas of our messages and the plugins' types, written from the declarations: `WHEREFORE_BLESS=1 cargo test --lib
//! generated`.

mod agents;
mod hidden;
mod lua;
mod typescript;
mod words;

use std::path::Path;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{DID_FOCUS, NOTIFICATIONS, REVERSE};
use crate::protocol::{Event, Fault, Proposal, Settings};
use crate::report::ChangeReport;
use crate::requests::{self, Message};

/// Every `wherefore/*` message: the requests of the table, then those from the server and those without an answer.
fn all_messages() -> impl Iterator<Item = &'static Message> {
    let requests = requests::ALL.iter().map(|request| &request.message);
    requests.chain([&DID_FOCUS]).chain(NOTIFICATIONS).chain(REVERSE)
}

/// Everything generated from the messages: paths from the package's root, with their content.
fn generate_files() -> Vec<(&'static str, String)> {
    let mut generator = SchemaGenerator::default();
    let listed: Vec<Value> =
        all_messages().map(|message| describe_message(message, &mut generator)).collect();
    let types = generator.take_definitions(true);
    let wire = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages of wherefore beside those of the Language Server Protocol",
        "messages": listed,
        "$defs": types,
    });
    vec![
        ("schemas/wire/messages.json", pretty_json(&wire)),
        ("schemas/wire/fault.json", root_schema::<Fault>()),
        ("schemas/wire/proposal.json", root_schema::<Proposal>()),
        ("schemas/wire/event.json", pretty_json(&events())),
        ("schemas/wire/settings.json", root_schema::<Settings>()),
        ("schemas/report.json", root_schema::<ChangeReport>()),
        ("editors/nvim/lua/wherefore/server/wire.lua", lua::lua_types(&listed, &types)),
        ("editors/vscode/src/server/wire.ts", typescript::typescript_types(&listed, &types)),
        ("editors/nvim/lua/wherefore/hidden_characters.lua", hidden::lua_table()),
        ("editors/vscode/src/hidden_characters.ts", hidden::typescript_table()),
        ("editors/vscode/src/agent/known_agents.ts", agents::typescript_table()),
    ]
}

fn describe_message(message: &Message, generator: &mut SchemaGenerator) -> Value {
    let mut entry = Map::new();
    entry.insert("method".to_owned(), message.method.into());
    entry.insert("from".to_owned(), message.from.into());
    entry.insert("description".to_owned(), message.doc.into());
    entry.insert("params".to_owned(), (message.params)(generator).to_value());
    if let Some(result) = message.result {
        entry.insert("result".to_owned(), result(generator).to_value());
    }
    Value::Object(entry)
}

fn root_schema<T: JsonSchema>() -> String {
    pretty_json(&SchemaGenerator::default().into_root_schema_for::<T>().to_value())
}

/// The schema of an event as `wherefore log --format json` prints it and as the log holds it: what is left out where it is
/// empty is not required, the chain's members surround the fields, and there are no other members.
fn events() -> Value {
    let generator = SchemaSettings::default().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<Event>().to_value();
    let kinds = schema.get_mut("oneOf").and_then(Value::as_array_mut).into_iter().flatten();
    for kind in kinds {
        let Some(properties) = kind.get_mut("properties").and_then(Value::as_object_mut) else { continue };
        for (name, type_of, description) in AROUND {
            properties.insert((*name).to_owned(), json!({ "type": type_of, "description": description }));
        }
        kind["additionalProperties"] = false.into();
    }
    schema
}

/// The members that surround an event's fields.
const AROUND: &[(&str, &str, &str)] = &[
    ("seq", "integer", "Its number in the session, from 1."),
    ("time", "string", "When, RFC 3339 in UTC."),
    ("comments", "object", "The model's comments on its arguments, by path."),
    ("last", "object", "The last number given out of each kind of id; only in the log."),
    ("prev", "string", "The hash of the event before; only in the log."),
    ("hash", "string", "The hash of the event's text; only in the log."),
];

fn pretty_json(value: &Value) -> String {
    // A `Value` always serialises.
    format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default())
}

/// Checks that the committed files match the declarations. `WHEREFORE_BLESS=1` writes them.
#[test]
fn generated_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("WHEREFORE_BLESS").is_some();
    let mut stale = Vec::new();
    for (path, content) in generate_files() {
        let file = root.join(path);
        if bless {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, &content).unwrap();
        } else if std::fs::read_to_string(&file).ok().as_deref() != Some(&content) {
            stale.push(path);
        }
    }
    assert!(
        stale.is_empty(),
        "stale: {stale:?}; write them with WHEREFORE_BLESS=1 cargo test --lib generated"
    );
}
