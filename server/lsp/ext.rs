//! Our own messages beside the requests: declared here once. With the requests they are written out from here as schemas
//! and as types for the plugins.

mod hidden;
mod lua;
mod typescript;
mod words;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;

use crate::protocol::{AskAnswer, AskParams, CallNotice, Event, Fault, FinishNotice, Proposal, Settings};
use crate::requests::{self, Message};

/// Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and says so by the
/// capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FocusParams {
    /// Its URI.
    pub uri: String,
}

/// Params of `wherefore/save`: documents to write to the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SaveParams {
    /// Their URIs.
    pub uris: Vec<String>,
}

/// Answer of `wherefore/save`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SaveAnswer {
    /// The URIs of those that were written.
    pub saved: Vec<String>,
}

/// Params of `workspace/textDocumentContent` and its refresh, which are newer than the types we stand on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentParams {
    /// The document.
    pub uri: String,
}

/// `wherefore/didFocus`, which needs no answer.
pub const DID_FOCUS: Message = Message::notification::<FocusParams>(
    "client",
    "wherefore/didFocus",
    "The person looks at another document.",
);

/// Says that a document of the server's is not what it was.
#[derive(Debug)]
pub enum ContentRefresh {}

impl Request for ContentRefresh {
    type Params = ContentParams;
    type Result = Value;
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
}

macro_rules! notifications {
    ($($name:ident($params:ty) = $method:literal, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[derive(Debug)]
            pub enum $name {}

            impl Notification for $name {
                type Params = $params;
                const METHOD: &'static str = $method;
            }
        )*

        const NOTIFICATIONS: &[Message] = &[$(Message::notification::<$params>("server", $method, $doc)),*];
    };
}

notifications! {
    DidCall(CallNotice) = "wherefore/didCall", "A call began.";
    DidFinish(FinishNotice) = "wherefore/didFinish", "A call ended, or was refused.";
    Proposed(Proposal) = "wherefore/proposal", "A change waits for decisions.";
    ProposalChanged(Proposal) = "wherefore/proposalChanged", "Hunks moved or were decided.";
    WorkingSetChanged(()) = "wherefore/workingSetChanged", "Other files matter now: `wherefore/workingSet` says which.";
}

macro_rules! reverse_requests {
    ($($name:ident($params:ty) -> $answer:ty = $method:literal, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[derive(Debug)]
            pub enum $name {}

            impl Request for $name {
                type Params = $params;
                type Result = Option<$answer>;
                const METHOD: &'static str = $method;
            }
        )*

        const REVERSE: &[Message] = &[$(Message::request::<$params, $answer>("server", $method, $doc)),*];
    };
}

reverse_requests! {
    Save(SaveParams) -> SaveAnswer = "wherefore/save", "Asks for documents to be saved.";
    Ask(AskParams) -> AskAnswer = "wherefore/ask", "Puts a question to the person.";
}

/// Every message of ours: the requests of the table, then what goes the other way or needs no answer.
fn messages() -> impl Iterator<Item = &'static Message> {
    let requests = requests::ALL.iter().map(|request| &request.message);
    requests.chain([&DID_FOCUS]).chain(NOTIFICATIONS).chain(REVERSE)
}

/// Everything generated from the messages: paths from the package's root, with their content.
pub fn generate() -> Vec<(&'static str, String)> {
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// What is committed is what is declared. `WHEREFORE_BLESS=1` writes it.
    #[test]
    fn generated_files_are_fresh() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let bless = std::env::var_os("WHEREFORE_BLESS").is_some();
        let mut stale = Vec::new();
        for (path, content) in super::generate() {
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
}
