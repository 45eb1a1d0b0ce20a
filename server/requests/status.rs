//! `wherefore/status`: how things stand in each folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Asker, Request, Status};
use crate::hub::Hub;
use crate::protocol::{Fault, SlotStatus, WorkspaceStatus};

/// Answer of `wherefore/status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusAnswer {
    /// This program's version.
    pub version: String,
    /// The process that answered.
    pub pid: u32,
    /// Whether an editor is attached.
    pub editor: bool,
    /// The slot of an agent that looks for its editor, where the settings want one and an editor is attached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<SlotStatus>,
    /// Each workspace folder.
    pub workspaces: Vec<WorkspaceStatus>,
}

impl Request for Status {
    async fn answer(hub: &Hub, (): (), _: Asker) -> Result<StatusAnswer, Fault> {
        Ok(StatusAnswer {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            editor: hub.attached(),
            slot: hub.slot(),
            workspaces: hub.folders().iter().map(|folder| folder.status()).collect(),
        })
    }

    /// It takes none, and leaves those that are sent alone.
    fn read(_: Value) -> Result<(), String> {
        Ok(())
    }
}
