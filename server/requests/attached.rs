//! `wherefore/attached`: how far a command is that runs at its caller's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Attached, Request};
use crate::hub::{AttachedState, Hub};
use crate::ports::AttachedReport;
use crate::protocol::Fault;

/// Params of `wherefore/attached`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttachedParams {
    /// The command, by the key of its `wherefore/attach`.
    pub key: String,
    /// How it ended; nothing to wait until it may run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<AttachedReport>,
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/attached`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttachedAnswer {
    /// Whether the command may run. Where not, the answer to its call says why.
    pub granted: bool,
    /// Whether what it changes is to be kept apart until it is decided on.
    pub layered: bool,
}

impl Request for Attached {
    async fn answer(hub: &Hub, params: AttachedParams, _: Asker) -> Result<AttachedAnswer, Fault> {
        let AttachedParams { key, report, root } = params;
        let folder = hub.folder(root.as_deref())?;
        let state = match report {
            Some(report) => {
                folder.attached().report(&key, report);
                AttachedState::Over
            }
            None => folder.attached().granted(&key).await,
        };
        Ok(match state {
            AttachedState::Granted { layered } => AttachedAnswer { granted: true, layered },
            _ => AttachedAnswer { granted: false, layered: false },
        })
    }
}
