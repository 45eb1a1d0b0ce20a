//! Our own messages beside the requests: each is declared here once.

#[cfg(test)]
mod generate;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tower_lsp::ls_types::notification::Notification;
use tower_lsp::ls_types::request::Request;

use crate::protocol::{
    AgentEvent, AskAnswer, AskParams, CallNotice, CommandNotice, FinishNotice, LookAnswer, LookParams,
    Proposal, SlotNotice,
};
use crate::requests::Message;

/// Params of `wherefore/didFocus`: the person looks at another document. Of a client that sends it, and says so by the
/// capability `experimental.wherefore.focus`, nothing else counts as a look; of others that they open a document does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct FocusParams {
    /// Its URI.
    pub uri: String,
}

/// Params of `wherefore/didSelect`: what the person has selected is another. Of a client whose server has an IDE slot open,
/// as `wherefore/slot` says: the agent in the slot is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct SelectParams {
    /// The URI of the document.
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

/// `wherefore/didSelect`, which needs no answer.
pub(crate) const DID_SELECT: Message = Message::notification::<SelectParams>(
    "client",
    "wherefore/didSelect",
    "What the person has selected is another.",
);

/// Says that a document of the server's is not what it was.
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
    SlotChanged(SlotNotice) = "wherefore/slot", "Terminals are to have other variables: an agent finds its editor by them.";
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
    Look(LookParams) -> LookAnswer = "wherefore/look", "Asks what the person has selected, and for diagnostics.";
    Ask(AskParams) -> AskAnswer = "wherefore/ask", "Puts a question to the person.";
}
