//! `wherefore/callAll`: the calls of one message, as `compose` has a model fill it.
//!
//! # Invariants
//!
//! - No call of a message chooses its own review policy, environment, folder or origin.
//!   Test: `no_call_of_a_message_chooses_its_own_review`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Asker, CallAll, Request};
use crate::hub::{CallBatch, CallLabel, Hub, read_call, read_message_calls};
use crate::protocol::{Code, Envelope, Fault, Origin, Policy, RawCall};

/// Params of `wherefore/callAll`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CallAllParams {
    /// The message: an object with `calls`, each in a form that `wherefore/call` takes or filled by the Tool Protocol; a list of
    /// calls; or a model's answer with calls, as its API gives it.
    pub message: Value,
    /// Who called.
    pub origin: Origin,
    /// The environment whose activities run the tools; the folder's when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The review policy asked for; settings can only make it stricter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// The workspace folder, if a server has several: an absolute path inside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// A call of a message, and the marks by which its answer is matched.
pub(crate) struct LabelledCall {
    pub(crate) label: CallLabel,
    pub(crate) call: Result<RawCall, Fault>,
}

/// Answer of `wherefore/callAll`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallAllAnswer {
    /// The answer of each call, in the order of the message.
    pub answers: Vec<Envelope>,
}

impl CallAllParams {
    /// The calls of the message, in order, each with its label and what holds for all; what is no call has its fault.
    ///
    /// # Errors
    /// The problem of the message as a whole.
    pub(crate) fn calls(&self) -> Result<Vec<LabelledCall>, Fault> {
        let calls = match read_message_calls(&self.message)? {
            Some(calls) => calls,
            None if CallLabel::of_call(&self.message).tool.is_some() => vec![self.message.clone()],
            None => {
                return Err(Fault::new(Code::InvalidArgs, "the message holds no `calls`")
                    .with_suggestion("send {\"calls\": [ … ]}, or call the tool itself"));
            }
        };
        let labelled =
            |(at, call)| LabelledCall { label: CallLabel::of_call(&call), call: self.call(at, call) };
        Ok(calls.into_iter().enumerate().map(labelled).collect())
    }

    fn call(&self, at: usize, call: Value) -> Result<RawCall, Fault> {
        let raw = read_call(call).map_err(|wrong| {
            Fault::new(Code::InvalidArgs, format!("number {} of the calls is none: {wrong}", at + 1))
                .with_suggestion(
                    "write it as {\"tool\": \"fs.read\", \"arguments\": {\"path\": \"…\", \"why\": \"…\"}}",
                )
        })?;
        if let Some(name) = own_choice(&raw) {
            return Err(Fault::new(
                Code::InvalidArgs,
                format!(
                    "number {} of the calls names `{name}`, which only who sends the message sets",
                    at + 1
                ),
            )
            .with_suggestion(format!("leave `{name}` out")));
        }
        Ok(RawCall {
            origin: Origin { call: raw.origin.call, ..self.origin.clone() },
            environment: self.environment.clone(),
            policy: self.policy,
            root: self.root.clone(),
            ..raw
        })
    }
}

/// The member of a call by which a message would choose for its sender. A model fills the message: it chooses neither the
/// review of what it changes nor who it is.
fn own_choice(call: &RawCall) -> Option<&'static str> {
    let origin = Origin { call: None, ..call.origin.clone() };
    let members = [
        ("policy", call.policy.is_some()),
        ("environment", call.environment.is_some()),
        ("root", call.root.is_some()),
        ("origin", origin != Origin::default()),
    ];
    members.into_iter().find_map(|(name, is_set)| is_set.then_some(name))
}

impl Request for CallAll {
    /// Makes the calls in order, those that only look side by side. Dropping the future cancels what runs.
    async fn answer_request(
        hub: &Hub,
        mut params: CallAllParams,
        asker: Asker,
    ) -> Result<CallAllAnswer, Fault> {
        params.origin.door = asker.origin.door;
        let calls = params.calls()?.into_iter().map(|labelled| labelled.call).collect();
        let folder = hub.folder_at(params.root.as_deref())?;
        Ok(CallAllAnswer { answers: CallBatch::new(&folder, asker.caller, false).run_calls(calls).await })
    }

    fn needs_servers(_: &Hub, _: &CallAllParams) -> bool {
        true
    }
}
