//! The requests of wherefore: the table lists the params and the answer of each, and every door uses it.
//!
//! A request is one row of the table and one file of the same name, which holds its handler and those of its types
//! that no lower layer speaks of. From the table come the schemas and the plugins' types, what the language server
//! registers, what the socket answers, and which requests the command line sends again.
//!
//! # Invariants
//!
//! - No request is declared in two places, and the server names none but by its row in the table of `requests.rs`.
//!   Test: `a_request_is_a_row_and_a_file`, `methods_of_requests_stand_in_their_table`
//! - No request is read as another one by a member that it does not know.
//!   Test: `every_request_refuses_a_member_that_it_does_not_know_wherever_it_stands`,
//!   `a_slip_in_a_decision_decides_nothing`

pub mod agent_cancel;
pub mod agent_events;
pub mod agent_list;
pub mod agent_run;
pub mod agent_say;
pub mod attach;
pub mod attached;
pub mod call;
pub mod call_all;
pub mod cancel;
pub mod collect;
pub mod compose;
pub mod decide;
pub mod environment;
pub mod expand_tool;
pub mod held_elsewhere;
pub mod hint;
pub mod issue_command_token;
pub mod judge_command;
pub mod kept_apart;
pub mod list;
pub mod list_tools;
pub mod log;
pub mod native;
pub mod proposals;
pub mod repository;
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
use serde_json::Value;

use crate::catalogue::exact_params::read_exactly;
use crate::hub::Hub;
use crate::ports::Caller;
use crate::protocol::{
    AgentCancelParams, AgentEventsAnswer, AgentEventsParams, AgentListAnswer, AgentListParams,
    AgentRunAnswer, AgentRunParams, AgentRunSummary, AgentSayParams, Code, CollectAnswer, DecideParams, Door,
    Envelope, EnvironmentAnswer, EnvironmentParams, ExpandToolAnswer, ExpandToolParams, Fault, HintOutcome,
    HintParams, LineWhys, ListNodeAnswer, ListNodeParams, Origin, ProposalsParams, RawCall,
    SearchNodesAnswer, SearchNodesParams, SearchToolsAnswer, SearchToolsParams, SendAnswer, SendParams,
    UndoAnswer, WorkingSetAnswer,
};

/// Makes a type of each row, with the row's members, and the list of all.
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

// `looks`: it changes nothing, so it may be made again where its outcome is not known.
table! {
    Call(RawCall) -> Envelope = "wherefore/call", acts,
        "Calls a tool; how it went stands in the envelope.";
    CallAll(call_all::CallAllParams) -> call_all::CallAllAnswer = "wherefore/callAll", acts,
        "Makes the calls of one message, an answer each.";
    Proposals(ProposalsParams) -> proposals::ProposalsAnswer = "wherefore/proposals", looks,
        "Lists the changes that wait for decisions.";
    HeldElsewhere(held_elsewhere::HeldElsewhereParams) -> held_elsewhere::HeldElsewhereAnswer = "wherefore/heldElsewhere", looks,
        "Lists the changes that wait at another server of the folder, as that of a second window.";
    Decide(DecideParams) -> decide::DecideAnswer = "wherefore/decide", acts,
        "Accepts or rejects hunks, at a person's word.";
    SendMessage(SendParams) -> SendAnswer = "wherefore/send", acts,
        "Keeps the person's words for an agent, whose next result brings them.";
    KeptApart(kept_apart::KeptApartParams) -> kept_apart::KeptApartAnswer = "wherefore/keptApart", acts,
        "Lists what commands changed of ignored paths and is kept apart, or takes it over or drops it.";
    Repository(repository::RepositoryParams) -> repository::RepositoryAnswer = "wherefore/repository", acts,
        "Lists what commands did to the repository and waits for a decision, or takes it over, drops it, or moves it back.";
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
    ListTools(list_tools::ListToolsParams) -> list_tools::ListToolsAnswer = "wherefore/listTools", looks,
        "Lists every tool in a line.";
    List(ListNodeParams) -> ListNodeAnswer = "wherefore/list", looks,
        "Shows what stands at a node of the catalogue.";
    SearchTools(SearchToolsParams) -> SearchToolsAnswer = "wherefore/searchToolByCategory", looks,
        "Finds the tools that answer a request in plain words.";
    SearchNodes(SearchNodesParams) -> SearchNodesAnswer = "wherefore/searchNodes", looks,
        "Finds the nodes that may hold what a request asks for.";
    ExpandTool(ExpandToolParams) -> ExpandToolAnswer = "wherefore/expandTool", looks,
        "Gives all that a call of one tool needs.";
    Compose(compose::ComposeParams) -> compose::ComposeAnswer = "wherefore/compose", looks,
        "Puts several tools into a form that a model fills or a model's API takes.";
    Environment(EnvironmentParams) -> EnvironmentAnswer = "wherefore/environment", acts,
        "Says which environment tools run in, or has them run in another.";
    JudgeCommand(judge_command::JudgeCommandParams) -> crate::shell::Judgement = "wherefore/judgeCommand", looks,
        "Says what the rules make of a command, and of each command in it, without running it.";
    Native(crate::hooks::NativeParams) -> crate::hooks::NativeAnswer = "wherefore/native", acts,
        "Answers the hook of an agent whose own tool is about to act.";
    IssueCommandToken(issue_command_token::IssueCommandTokenParams) -> issue_command_token::IssueCommandTokenAnswer = "wherefore/issueCommandToken", acts,
        "Lets a command of an agent into the sandbox: its token holds for one run.";
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

/// The table's description of a request.
pub trait Signature: 'static {
    /// Its method on the wire.
    const METHOD: &'static str;
    /// True where it changes nothing: the command line sends it again where the server ended under it.
    const READS: bool;
    /// The purpose, as a sentence.
    const DOC: &'static str;
    /// The params.
    type Params: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
    /// The answer.
    type Answer: Serialize + DeserializeOwned + JsonSchema + Send + 'static;
}

/// A request of wherefore. Its door is the asker's.
pub trait Request: Signature {
    /// Answers it. Dropping the future ends the work that can be ended.
    ///
    /// # Errors
    /// The error that keeps it from being answered.
    fn answer_request(
        hub: &Hub,
        params: Self::Params,
        asker: Asker,
    ) -> impl Future<Output = Result<Self::Answer, Fault>> + Send;

    /// Reads its params; none at all are an empty object, and a member that it does not know is refused.
    ///
    /// # Errors
    /// The problem of the params, as a sentence.
    fn read_params(params: Value) -> Result<Self::Params, String> {
        read_exactly(params)
    }

    /// Returns whether it is about tools that may not be known yet: those of servers that were never listed.
    fn needs_servers(_hub: &Hub, _params: &Self::Params) -> bool {
        false
    }
}

/// The party that asks.
#[derive(Clone, Debug, Default)]
pub struct Asker {
    /// The way in, and which agent it is where it is one.
    pub origin: Origin,
    /// The caller that gets the progress of a call, and is asked about it.
    pub caller: Option<Arc<dyn Caller>>,
}

impl Asker {
    /// Returns an asker of whom no more is known than the door.
    pub fn from_door(door: Door) -> Self {
        Self::from(Origin::from_door(door))
    }
}

impl From<Origin> for Asker {
    fn from(origin: Origin) -> Self {
        Self { origin, caller: None }
    }
}

/// The reasons why a request was not answered.
#[derive(Clone, Debug)]
pub enum RequestRefusal {
    /// Its params are wrong: how, as a sentence.
    Params(String),
    /// The fault of the request itself.
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
    /// The description for the schemas.
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
    /// The problem of the params, or the error of the request.
    pub fn answer_json<'a>(
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
        let params = R::read_params(params).map_err(RequestRefusal::Params)?;
        let answer = R::answer_request(hub, params, asker).await?;
        serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()).into())
    }
    .boxed()
}

/// Answers the request of that method.
///
/// # Errors
/// UNSUPPORTED for a method that is not known, INVALID_ARGS for wrong params, and the error of the request.
pub async fn answer_method(hub: &Hub, method: &str, params: Value, asker: Asker) -> Result<Value, Fault> {
    let entry = ALL.iter().find(|entry| entry.message.method == method);
    let none = || Fault::new(Code::Unsupported, format!("there is no request {method:?}"));
    Ok(entry.ok_or_else(none)?.answer_json(hub, params, asker).await?)
}

/// Gives the schema of a type.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A message of wherefore, from which schemas and the plugins' types are written.
#[derive(Debug)]
pub struct Message {
    /// Its method on the wire.
    pub method: &'static str,
    /// The side that sends it: `client` or `server`.
    pub from: &'static str,
    /// The purpose, as a sentence.
    pub doc: &'static str,
    /// The type of its params.
    pub params: SchemaOf,
    /// The type of its answer; nothing for a notification.
    pub result: Option<SchemaOf>,
}

impl Message {
    /// Returns a message that is answered.
    pub const fn request<P: JsonSchema, A: JsonSchema>(
        from: &'static str,
        method: &'static str,
        doc: &'static str,
    ) -> Self {
        Self { method, from, doc, params: schema_of::<P>, result: Some(schema_of::<A>) }
    }

    /// Returns a message that is not answered.
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

#[cfg(test)]
mod tests;
