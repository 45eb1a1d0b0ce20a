//! `wherefore/attach`: a command is to run at its caller's, confined there, as a call of `terminal.run`.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Asker, Attach, Request};
use crate::base::WorkspacePath;
use crate::hub::{ConfinedCommand, Hub};
use crate::protocol::{Envelope, Fault, RawCall};

/// The time limit of a command whose agent sets none: the most that `terminal.run` allows.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Params of `wherefore/attach`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttachParams {
    /// The key by which `wherefore/attached` names the command: chosen by the caller, and unique.
    pub key: String,
    /// The command's token, which an earlier answer gave for one run of it.
    pub token: String,
    /// The command line.
    pub command: ConfinedCommand,
    /// The agent whose command it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The folder that it runs in.
    pub cwd: WorkspacePath,
    /// The reason why it is run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

impl Request for Attach {
    /// Answered when the command has ended and what it changed is decided or waits. Dropping the future cancels the call.
    async fn answer_request(hub: &Hub, params: AttachParams, _: Asker) -> Result<Envelope, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        // A client that waits for the permission to run learns of a refusal when this is dropped.
        let caller = folder.attached_commands().begin_call(&params.key)?;
        let tokens = folder.command_tokens();
        let permit = tokens.redeem_token(&params.token, &params.command, params.agent.as_deref())?;
        let mut arguments = json!({
            "cmd": params.command.argv,
            "cwd": params.cwd,
            "timeout_ms": LONGEST.as_millis(),
        });
        if let (Some(arguments), Some(why)) = (arguments.as_object_mut(), params.why.or(permit.why)) {
            arguments.insert("why".to_owned(), Value::from(why));
        }
        let call = RawCall {
            tool: "terminal.run".to_owned(),
            arguments,
            origin: permit.origin,
            root: params.root,
            ..RawCall::default()
        };
        let caller = caller.with_allowed(permit.is_allowed);
        Ok(folder.pipeline().call_tool(call, Some(Arc::new(caller))).await)
    }
}
