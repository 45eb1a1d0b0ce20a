//! `wherefore/undo`: what a call changed is taken back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Request, Undo};
use crate::hub::Hub;
use crate::protocol::{Fault, UndoAnswer};

/// Params of `wherefore/undo`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UndoParams {
    /// The call to undo, as `c-0007` or `SESSION/c-0007`; the last one that changed a file when absent.
    pub call: Option<String>,
    /// The workspace folder.
    pub root: Option<String>,
}

impl Request for Undo {
    /// NOT_FOUND where nothing of that call is kept, STALE where later edits overlap.
    async fn answer_request(hub: &Hub, params: UndoParams, _: Asker) -> Result<UndoAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        folder.session().reload_settings().await?;
        folder.queue().undos().undo_call(params.call.as_deref()).await
    }
}
