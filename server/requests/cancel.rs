//! `wherefore/cancel`: cancels a running call, or ends the command that it left in the background.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Cancel, Request};
use crate::base::CallId;
use crate::hub::Hub;
use crate::protocol::{Code, Fault};

/// Params of `wherefore/cancel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelParams {
    /// The call to stop, as `c-0007`.
    pub call_id: CallId,
    /// The workspace folder, where a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/cancel`: the call was cancelled, and is answered CANCELLED as soon as it stops. A command that
/// the call started in the background is ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelAnswer {
    /// The call.
    pub call_id: CallId,
}

impl Request for Cancel {
    /// NOT_FOUND where no call of that id runs.
    async fn answer_request(hub: &Hub, params: CancelParams, _: Asker) -> Result<CancelAnswer, Fault> {
        let CancelParams { call_id, root } = params;
        let folders = hub.folders_for(root.as_deref())?;
        match folders.iter().any(|folder| folder.cancel_call(&call_id)) {
            true => Ok(CancelAnswer { call_id }),
            false => Err(Fault::new(Code::NotFound, format!("no call {call_id:?} runs: it has ended"))),
        }
    }
}
