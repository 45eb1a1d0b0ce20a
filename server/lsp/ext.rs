//! Our own messages: declared here once, and written out from here as schemas and as types for the plugins.

mod hidden;
mod lua;
mod typescript;
mod words;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;

use crate::protocol::{
    AskAnswer, AskParams, CallNotice, CancelAnswer, CancelParams, CollectAnswer, CollectParams,
    ComposeAnswer, ComposeParams, DecideAnswer, DecideParams, Envelope, Event, ExpandToolAnswer,
    ExpandToolParams, Fault, FinishNotice, FocusParams, HintOutcome, HintParams, ListToolsAnswer,
    ListToolsParams, Proposal, ProposalsAnswer, ProposalsParams, RawCall, SearchAnswer, SearchNodesAnswer,
    SearchNodesParams, SearchParams, SearchToolsAnswer, SearchToolsParams, Settings, StatusAnswer,
    ToolSummary, UndoAnswer, UndoParams, WorkingSetAnswer, WorkingSetParams,
};

/// Params of `wherefore/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ListParams {
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    pub root: Option<String>,
}

/// Answer of `wherefore/list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListAnswer {
    /// Every tool, by name.
    pub tools: Vec<ToolSummary>,
}

/// Params of `wherefore/log` and `wherefore.openLog`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LogParams {
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    pub root: Option<String>,
    /// The session meant; the open one when absent.
    pub session: Option<String>,
    /// Whether the text is wanted too.
    pub text: bool,
}

/// Answer of `wherefore/log`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogAnswer {
    /// The log as a document of the server's: `wherefore://log/<session>`.
    pub uri: String,
    /// The log as a file, absolute.
    pub path: String,
    /// Its text, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
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

macro_rules! notification {
    ($($name:ident($params:ty) = $method:literal, $doc:literal;)*) => { $(
        #[doc = $doc]
        #[derive(Debug)]
        pub enum $name {}

        impl Notification for $name {
            type Params = $params;
            const METHOD: &'static str = $method;
        }
    )* };
}

notification! {
    DidCall(CallNotice) = "wherefore/didCall", "A call began.";
    DidFinish(FinishNotice) = "wherefore/didFinish", "A call ended, or was refused.";
    Proposed(Proposal) = "wherefore/proposal", "A change waits for decisions.";
    ProposalChanged(Proposal) = "wherefore/proposalChanged", "Hunks moved or were decided.";
    WorkingSetChanged(()) = "wherefore/workingSetChanged", "Other files matter now: `wherefore/workingSet` says which.";
}

macro_rules! request {
    ($($name:ident($params:ty) -> $result:ty = $method:literal, $doc:literal;)*) => { $(
        #[doc = $doc]
        #[derive(Debug)]
        pub enum $name {}

        impl Request for $name {
            type Params = $params;
            type Result = $result;
            const METHOD: &'static str = $method;
        }
    )* };
}

request! {
    Save(SaveParams) -> Option<SaveAnswer> = "wherefore/save", "Asks for documents to be saved.";
    Ask(AskParams) -> Option<AskAnswer> = "wherefore/ask", "Puts a question to the person.";
    ContentRefresh(ContentParams) -> Value = "workspace/textDocumentContent/refresh",
        "Says that a document of the server's is not what it was.";
}

type TypeOf = fn(&mut SchemaGenerator) -> Schema;

/// One message of ours.
struct Message {
    method: &'static str,
    /// Who sends it.
    from: &'static str,
    params: TypeOf,
    /// Nothing for a notification.
    result: Option<TypeOf>,
}

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

const fn request<P: JsonSchema, R: JsonSchema>(method: &'static str) -> Message {
    Message { method, from: "client", params: of::<P>, result: Some(of::<R>) }
}

const fn reverse<P: JsonSchema, R: JsonSchema>(method: &'static str) -> Message {
    Message { method, from: "server", params: of::<P>, result: Some(of::<R>) }
}

fn notice<N: Notification>() -> Message
where
    N::Params: JsonSchema,
{
    Message { method: N::METHOD, from: "server", params: of::<N::Params>, result: None }
}

/// Every message of ours.
fn messages() -> Vec<Message> {
    vec![
        request::<RawCall, Envelope>("wherefore/call"),
        request::<ProposalsParams, ProposalsAnswer>("wherefore/proposals"),
        request::<DecideParams, DecideAnswer>("wherefore/decide"),
        request::<UndoParams, UndoAnswer>("wherefore/undo"),
        request::<CancelParams, CancelAnswer>("wherefore/cancel"),
        request::<SearchParams, SearchAnswer>("wherefore/search"),
        request::<WorkingSetParams, WorkingSetAnswer>("wherefore/workingSet"),
        request::<HintParams, HintOutcome>("wherefore/hint"),
        request::<CollectParams, CollectAnswer>("wherefore/collect"),
        Message { method: "wherefore/didFocus", from: "client", params: of::<FocusParams>, result: None },
        request::<(), StatusAnswer>("wherefore/status"),
        request::<ListParams, ListAnswer>("wherefore/list"),
        request::<ListToolsParams, ListToolsAnswer>("wherefore/listTools"),
        request::<SearchToolsParams, SearchToolsAnswer>("wherefore/searchToolByCategory"),
        request::<SearchNodesParams, SearchNodesAnswer>("wherefore/searchNodes"),
        request::<ExpandToolParams, ExpandToolAnswer>("wherefore/expandTool"),
        request::<ComposeParams, ComposeAnswer>("wherefore/compose"),
        request::<LogParams, LogAnswer>("wherefore/log"),
        notice::<DidCall>(),
        notice::<DidFinish>(),
        notice::<Proposed>(),
        notice::<ProposalChanged>(),
        notice::<WorkingSetChanged>(),
        reverse::<SaveParams, SaveAnswer>(Save::METHOD),
        reverse::<AskParams, AskAnswer>(Ask::METHOD),
    ]
}

/// Everything generated from the declarations above: paths from the package's root, with their content.
pub fn generate() -> Vec<(&'static str, String)> {
    let mut generator = SchemaGenerator::default();
    let listed: Vec<Value> = messages().iter().map(|message| describe(message, &mut generator)).collect();
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
