//! The schemas of our messages and the plugins' types, written from the declarations: `WHEREFORE_BLESS=1 cargo test --lib
//! generated`.

mod hidden;
mod lua;
mod typescript;
mod words;

use std::path::Path;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::{DID_FOCUS, DID_SELECT, NOTIFICATIONS, REVERSE};
use crate::protocol::{Event, Fault, Proposal, Settings};
use crate::report::ChangeReport;
use crate::requests::{self, Message};

/// Every message of ours: the requests of the table, then what goes the other way or needs no answer.
fn messages() -> impl Iterator<Item = &'static Message> {
    let requests = requests::ALL.iter().map(|request| &request.message);
    requests.chain([&DID_FOCUS, &DID_SELECT]).chain(NOTIFICATIONS).chain(REVERSE)
}

/// Everything generated from the messages: paths from the package's root, with their content.
fn generate() -> Vec<(&'static str, String)> {
    let mut generator = SchemaGenerator::default();
    let listed: Vec<Value> = messages().map(|message| describe(message, &mut generator)).collect();
    let types = generator.take_definitions(true);
    let wire = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Messages of wherefore beside those of the Language Server Protocol",
        "messages": listed,
        "$defs": types,
    });
    vec![
        ("schemas/wire/messages.json", pretty(&wire)),
        ("schemas/wire/fault.json", schema::<Fault>()),
        ("schemas/wire/proposal.json", schema::<Proposal>()),
        ("schemas/wire/event.json", schema::<Event>()),
        ("schemas/wire/settings.json", schema::<Settings>()),
        ("schemas/report.json", schema::<ChangeReport>()),
        ("editors/nvim/lua/wherefore/wire.lua", lua::types(&listed, &types)),
        ("editors/vscode/src/wire.ts", typescript::types(&listed, &types)),
        ("editors/nvim/lua/wherefore/hidden.lua", hidden::lua()),
        ("editors/vscode/src/hidden.ts", hidden::typescript()),
    ]
}

fn describe(message: &Message, generator: &mut SchemaGenerator) -> Value {
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

fn schema<T: JsonSchema>() -> String {
    pretty(&SchemaGenerator::default().into_root_schema_for::<T>().to_value())
}

fn pretty(value: &Value) -> String {
    // A `Value` always serialises.
    format!("{}\n", serde_json::to_string_pretty(value).unwrap_or_default())
}

/// What is committed is what is declared. `WHEREFORE_BLESS=1` writes it.
#[test]
fn generated_files_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let bless = std::env::var_os("WHEREFORE_BLESS").is_some();
    let mut stale = Vec::new();
    for (path, content) in generate() {
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
