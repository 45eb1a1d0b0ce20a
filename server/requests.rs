//! The requests of ours: the table says what each takes and answers, and every door asks by it.
//!
//! A request is one row of the table and one file of the same name, which holds its handler and those of its types
//! that no lower layer speaks of. From the table come the schemas and the plugins' types, what the language server
//! registers, what the socket answers, and which requests the command line sends again.

pub mod agent_cancel;
pub mod agent_events;
pub mod agent_list;
pub mod agent_run;
pub mod agent_say;
pub mod attach;
pub mod attached;
pub mod call;
pub mod cancel;
pub mod collect;
pub mod compose;
pub mod decide;
pub mod expand_tool;
pub mod hint;
pub mod judge_command;
pub mod list;
pub mod list_tools;
pub mod log;
pub mod native;
pub mod proposals;
pub mod search;
pub mod search_nodes;
pub mod search_tools;
pub mod send_message;
pub mod status;
pub mod undo;
pub mod why;
pub mod working_set;

use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::hub::Hub;
use crate::ports::Caller;
use crate::protocol::{
    AgentCancelParams, AgentEventsAnswer, AgentEventsParams, AgentListAnswer, AgentListParams,
    AgentRunAnswer, AgentRunParams, AgentRunSummary, AgentSayParams, Code, CollectAnswer, DecideParams, Door,
    Envelope, ExpandToolAnswer, ExpandToolParams, Fault, HintOutcome, HintParams, LineWhys, ListToolsAnswer,
    ListToolsParams, Origin, ProposalsParams, RawCall, SearchNodesAnswer, SearchNodesParams,
    SearchToolsAnswer, SearchToolsParams, SendAnswer, SendParams, UndoAnswer, WorkingSetAnswer,
};

/// Makes a type of each row, with what the row says of it, and the list of all.
macro_rules! table {
    (@ looks) => { true };
    (@ acts) => { false };
    ($($name:ident($params:ty) -> $answer:ty = $method:literal, $reads:ident, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[derive(Clone, Copy, Debug)]
            pub enum $name {}

            impl Signature for $name {
                const METHOD: &'static str = $method;
                const READS: bool = table!(@ $reads);
                const DOC: &'static str = $doc;
                type Params = $params;
                type Answer = $answer;
            }
        )*

        /// Every request, in the order of the table.
        pub static ALL: &[Entry] = &[$(Entry::of::<$name>()),*];
    };
}

// `looks`: it changes nothing, so it may be made again where it is not known what became of it.
table! {
    Call(RawCall) -> Envelope = "wherefore/call", acts,
        "Calls a tool; how it went stands in the envelope.";
    Proposals(ProposalsParams) -> proposals::ProposalsAnswer = "wherefore/proposals", looks,
        "Lists the changes that wait for decisions.";
    Decide(DecideParams) -> decide::DecideAnswer = "wherefore/decide", acts,
        "Accepts or rejects hunks, at a person's word.";
    SendMessage(SendParams) -> SendAnswer = "wherefore/send", acts,
        "Keeps the person's words for an agent, whose next result brings them.";
    Undo(undo::UndoParams) -> UndoAnswer = "wherefore/undo", acts,
        "Takes back what a call changed.";
    Cancel(cancel::CancelParams) -> cancel::CancelAnswer = "wherefore/cancel", acts,
        "Tells a call that runs to stop.";
    Search(search::SearchParams) -> search::SearchAnswer = "wherefore/search", looks,
        "Searches a folder's files for a person.";
    WorkingSet(working_set::WorkingSetParams) -> WorkingSetAnswer = "wherefore/workingSet", looks,
        "Lists the files that matter now, the hottest first.";
    Hint(HintParams) -> HintOutcome = "wherefore/hint", acts,
        "Carries out a person's word on a file of the working set.";
    Collect(collect::CollectParams) -> CollectAnswer = "wherefore/collect", acts,
        "Cleans the working set up.";
    Status(()) -> status::StatusAnswer = "wherefore/status", looks,
        "Says how things stand in each folder.";
    List(list::ListParams) -> list::ListAnswer = "wherefore/list", looks,
        "Lists every tool in a line.";
    ListTools(ListToolsParams) -> ListToolsAnswer = "wherefore/listTools", looks,
        "Shows what stands at a node of the catalogue.";
    SearchTools(SearchToolsParams) -> SearchToolsAnswer = "wherefore/searchToolByCategory", looks,
        "Finds the tools that answer a request in plain words.";
    SearchNodes(SearchNodesParams) -> SearchNodesAnswer = "wherefore/searchNodes", looks,
        "Finds the nodes that may hold what a request asks for.";
    ExpandTool(ExpandToolParams) -> ExpandToolAnswer = "wherefore/expandTool", looks,
        "Gives all that a call of one tool needs.";
    Compose(compose::ComposeParams) -> compose::ComposeAnswer = "wherefore/compose", looks,
        "Puts several tools into a form that a model fills or a model's API takes.";
    JudgeCommand(judge_command::JudgeCommandParams) -> crate::shell::Judgement = "wherefore/judgeCommand", looks,
        "Says what the rules make of a command, and of each command in it, without running it.";
    Native(crate::native::NativeParams) -> crate::native::NativeAnswer = "wherefore/native", acts,
        "Answers the hook of an agent whose own tool is about to act.";
    Attach(attach::AttachParams) -> Envelope = "wherefore/attach", acts,
        "Calls terminal.run for a command that its caller runs itself, confined.";
    Attached(attached::AttachedParams) -> attached::AttachedAnswer = "wherefore/attached", acts,
        "Waits until such a command may run, or hands over how it ended.";
    AgentRun(AgentRunParams) -> AgentRunAnswer = "wherefore/agentRun", acts,
        "Starts a run of the built-in agent, which goes on by itself.";
    AgentSay(AgentSayParams) -> AgentRunSummary = "wherefore/agentSay", acts,
        "Says something to a run of the agent, or answers its question.";
    AgentCancel(AgentCancelParams) -> AgentRunSummary = "wherefore/agentCancel", acts,
        "Cancels the turn of a run, or ends the run.";
    AgentEvents(AgentEventsParams) -> AgentEventsAnswer = "wherefore/agentEvents", looks,
        "Waits for what happens in a run of the agent.";
    AgentList(AgentListParams) -> AgentListAnswer = "wherefore/agentList", looks,
        "Lists the runs of the agent, those of earlier sessions among them.";
    Log(log::LogParams) -> log::LogAnswer = "wherefore/log", looks,
        "Says where a session log is, and gives its text where that is asked for.";
    Why(why::WhyParams) -> LineWhys = "wherefore/why", looks,
        "Says why lines of a file are as they are: who wrote each, for which call, and how it was decided.";
}

/// What the table says of a request.
pub trait Signature: 'static {
    /// Its method on the wire.
    const METHOD: &'static str;
    /// Whether it changes nothing: the command line sends it again where the server ended under it.
    const READS: bool;
    /// What it is for, as a sentence.
    const DOC: &'static str;
    /// What it takes.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// What it answers.
    type Answer: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// A request of ours. Which door it came by is the asker's.
pub trait Request: Signature {
    /// Answers it. Dropping the future ends what can be ended.
    ///
    /// # Errors
    /// What keeps it from being answered.
    fn answer(
        hub: &Hub,
        params: Self::Params,
        asker: Asker,
    ) -> impl Future<Output = Result<Self::Answer, Fault>> + Send;

    /// Reads its params; none at all are an empty object.
    ///
    /// # Errors
    /// What is wrong with them, as a sentence.
    fn read(params: Value) -> Result<Self::Params, String> {
        let params = if params.is_null() { Value::Object(Map::new()) } else { params };
        serde_json::from_value(params).map_err(|error| error.to_string())
    }

    /// Whether it is about tools that may not be known yet: those of servers that were never listed.
    fn needs_servers(_hub: &Hub, _params: &Self::Params) -> bool {
        false
    }
}

/// Who asks.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The way in, and which agent it is where it is one.
    pub origin: Origin,
    /// Who is told how far a call is, and is asked about it.
    pub caller: Option<Arc<dyn Caller>>,
}

impl Asker {
    /// Somebody of whom no more is known than the door.
    pub fn door(door: Door) -> Self {
        Self::from(Origin::door(door))
    }
}

impl From<Origin> for Asker {
    fn from(origin: Origin) -> Self {
        Self { origin, caller: None }
    }
}

/// Why a request was not answered.
#[derive(Clone, Debug)]
pub enum RequestRefusal {
    /// Its params are wrong: how, as a sentence.
    Params(String),
    /// What it says itself.
    Fault(Fault),
}

impl From<Fault> for RequestRefusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<RequestRefusal> for Fault {
    fn from(refusal: RequestRefusal) -> Self {
        match refusal {
            RequestRefusal::Params(wrong) => {
                Self::new(Code::InvalidArgs, format!("the params do not fit the request: {wrong}"))
            }
            RequestRefusal::Fault(fault) => fault,
        }
    }
}

/// A request of the table, with params and answer as JSON.
#[derive(Debug)]
pub struct Entry {
    /// What the schemas say of it.
    pub message: Message,
    answer: fn(&Hub, Value, Asker) -> BoxFuture<'_, Result<Value, RequestRefusal>>,
}

impl Entry {
    const fn of<R: Request>() -> Self {
        let message = Message::request::<R::Params, R::Answer>("client", R::METHOD, R::DOC);
        Self { message, answer: as_json::<R> }
    }

    /// Answers it.
    ///
    /// # Errors
    /// What is wrong with the params, or what the request says.
    pub fn answer<'a>(
        &self,
        hub: &'a Hub,
        params: Value,
        asker: Asker,
    ) -> BoxFuture<'a, Result<Value, RequestRefusal>> {
        (self.answer)(hub, params, asker)
    }
}

fn as_json<R: Request>(
    hub: &Hub,
    params: Value,
    asker: Asker,
) -> BoxFuture<'_, Result<Value, RequestRefusal>> {
    async move {
        let params = R::read(params).map_err(RequestRefusal::Params)?;
        let answer = R::answer(hub, params, asker).await?;
        serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()).into())
    }
    .boxed()
}

/// Answers the request of that method.
///
/// # Errors
/// UNSUPPORTED for a method that is not known, INVALID_ARGS for wrong params, and what the request says.
pub async fn answer(hub: &Hub, method: &str, params: Value, asker: Asker) -> Result<Value, Fault> {
    let entry = ALL.iter().find(|entry| entry.message.method == method);
    let none = || Fault::new(Code::Unsupported, format!("there is no request {method:?}"));
    Ok(entry.ok_or_else(none)?.answer(hub, params, asker).await?)
}

/// Gives the schema of a type.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A message of ours, as schemas and the plugins' types are written from it.
#[derive(Debug)]
pub struct Message {
    /// Its method on the wire.
    pub method: &'static str,
    /// Who sends it: `client` or `server`.
    pub from: &'static str,
    /// What it is for, as a sentence.
    pub doc: &'static str,
    /// What it carries.
    pub params: SchemaOf,
    /// What it is answered; nothing for a notification.
    pub result: Option<SchemaOf>,
}

impl Message {
    /// One that is answered.
    pub const fn request<P: JsonSchema, A: JsonSchema>(
        from: &'static str,
        method: &'static str,
        doc: &'static str,
    ) -> Self {
        Self { method, from, doc, params: schema_of::<P>, result: Some(schema_of::<A>) }
    }

    /// One that is not.
    pub const fn notification<P: JsonSchema>(
        from: &'static str,
        method: &'static str,
        doc: &'static str,
    ) -> Self {
        Self { method, from, doc, params: schema_of::<P>, result: None }
    }
}

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}
