//! The `wherefore/*` messages other than the requests: each is declared here once.

#[cfg(test)]
mod generate;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;

use crate::protocol::{
    AgentEvent, AskAnswer, AskParams, CallNotice, CommandNotice, DiagnosticsAnswer, DiagnosticsParams,
    FinishNotice, Proposal,
};
use crate::requests::Message;

/// Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and announces so by the
/// capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FocusParams {
    /// Its URI.
    pub uri: String,
}

/// Params of `wherefore/save`: documents to write to the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaveParams {
    /// Their URIs.
    pub uris: Vec<String>,
}

/// Answer of `wherefore/save`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SaveAnswer {
    /// The URIs of those that were written.
    pub saved: Vec<String>,
}

/// Params of `workspace/textDocumentContent` and its refresh, which are newer than the types we stand on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContentParams {
    /// The document.
    pub uri: String,
}

/// `wherefore/didFocus`, which needs no answer.
pub(crate) const DID_FOCUS: Message = Message::notification::<FocusParams>(
    "client",
    "wherefore/didFocus",
    "The person looks at another document.",
);

/// A request to read a document of the server's again, because its content changed.
#[derive(Debug)]
pub(crate) enum ContentRefresh {}

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
            pub(crate) enum $name {}

            impl Notification for $name {
                type Params = $params;
                const METHOD: &'static str = $method;
            }
        )*

        #[cfg(test)]
        const NOTIFICATIONS: &[Message] = &[$(Message::notification::<$params>("server", $method, $doc)),*];
    };
}

notifications! {
    DidCall(CallNotice) = "wherefore/didCall", "A call began.";
    DidFinish(FinishNotice) = "wherefore/didFinish", "A call ended, or was refused.";
    CommandTold(CommandNotice) = "wherefore/command", "A command started, wrote something or ended.";
    Proposed(Proposal) = "wherefore/proposal", "A change waits for decisions.";
    ProposalChanged(Proposal) = "wherefore/proposalChanged", "Hunks moved or were decided.";
    AgentTold(AgentEvent) = "wherefore/agentEvent", "Something happened in a run of the built-in agent.";
    HeldElsewhereChanged(()) = "wherefore/heldElsewhereChanged", "Another server of a folder holds other hunks than before: `wherefore/heldElsewhere` lists them.";
    WorkingSetChanged(()) = "wherefore/workingSetChanged", "Other files matter now: `wherefore/workingSet` says which.";
}

macro_rules! reverse_requests {
    ($($name:ident($params:ty) -> $answer:ty = $method:literal, $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[derive(Debug)]
            pub(crate) enum $name {}

            impl Request for $name {
                type Params = $params;
                type Result = Option<$answer>;
                const METHOD: &'static str = $method;
            }
        )*

        #[cfg(test)]
        const REVERSE: &[Message] = &[$(Message::request::<$params, $answer>("server", $method, $doc)),*];
    };
}

reverse_requests! {
    Save(SaveParams) -> SaveAnswer = "wherefore/save", "Asks for documents to be saved.";
    Diagnostics(DiagnosticsParams) -> DiagnosticsAnswer = "wherefore/diagnostics", "Asks for what the editor's language servers say of files.";
    Ask(AskParams) -> AskAnswer = "wherefore/ask", "Puts a question to the person.";
}
