//! `wherefore/issueCommandToken`: a door lets a command of its agent into the sandbox.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, IssueCommandToken, Request};
use crate::hub::{CommandPermit, ConfinedCommand, Hub};
use crate::protocol::{Fault, Origin};

/// Params of `wherefore/issueCommandToken`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IssueCommandTokenParams {
    /// The command line.
    pub command: ConfinedCommand,
    /// The agent, its session, its id of the call and its tool. The door is the server's to say.
    pub origin: Origin,
    /// True where a person was asked about the command at the door, and said yes: they are not asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allowed: bool,
    /// The workspace, where several are open: its path or its `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/issueCommandToken`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IssueCommandTokenAnswer {
    /// The token that `wherefore sandbox` shows: for one run of this very command.
    pub token: String,
}

impl Request for IssueCommandToken {
    async fn answer_request(
        hub: &Hub,
        params: IssueCommandTokenParams,
        asker: Asker,
    ) -> Result<IssueCommandTokenAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        let origin = Origin { door: asker.origin.door, ..params.origin };
        let permit = CommandPermit { origin, is_allowed: params.allowed, why: None };
        Ok(IssueCommandTokenAnswer { token: folder.command_tokens().issue_token(&params.command, permit)? })
    }
}
