//! `wherefore/attached`: how far a command is that runs at its caller's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Attached, Request};
use crate::hub::{AttachedState, Hub};
use crate::ports::{AttachedGrant, AttachedReport, SharedNetwork};
use crate::protocol::Fault;

/// Params of `wherefore/attached`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttachedParams {
    /// The command, by the key of its `wherefore/attach`.
    pub key: String,
    /// The end of the command; nothing to wait until it may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<AttachedReport>,
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/attached`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttachedAnswer {
    /// True where the command may run. Otherwise the answer to its call gives the reason.
    pub granted: bool,
    /// True where what it changes is to be kept apart until it is decided on.
    pub layered: bool,
    /// The network that it shares with other commands of its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<SharedNetwork>,
}

impl Request for Attached {
    async fn answer_request(hub: &Hub, params: AttachedParams, _: Asker) -> Result<AttachedAnswer, Fault> {
        let AttachedParams { key, report, root } = params;
        let folder = hub.folder_at(root.as_deref())?;
        let state = match report {
            Some(report) => {
                folder.attached_commands().deliver_report(&key, report);
                AttachedState::Over
            }
            None => folder.attached_commands().await_grant(&key).await,
        };
        Ok(match state {
            AttachedState::Granted(AttachedGrant { layered, network }) => {
                AttachedAnswer { granted: true, layered, network }
            }
            _ => AttachedAnswer { granted: false, layered: false, network: None },
        })
    }
}
