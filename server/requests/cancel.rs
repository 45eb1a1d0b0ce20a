//! `wherefore/cancel`: a call that runs is told to stop, or the command that it left in the background is ended.

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
    /// The workspace folder meant, where a server has several: an absolute path inside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
}

/// Answer of `wherefore/cancel`: the call was told to stop, and is answered CANCELLED as soon as it does. A command that the
/// call started in the background is ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CancelAnswer {
    /// The call.
    pub call_id: CallId,
}

impl Request for Cancel {
    /// NOT_FOUND where no call of that id runs.
    async fn answer(hub: &Hub, params: CancelParams, _: Asker) -> Result<CancelAnswer, Fault> {
        let CancelParams { call_id, root } = params;
        let folders = hub.meant(root.as_deref())?;
        match folders.iter().any(|folder| folder.cancel(&call_id)) {
            true => Ok(CancelAnswer { call_id }),
            false => Err(Fault::new(Code::NotFound, format!("no call {call_id:?} runs: it has ended"))),
        }
    }
}
