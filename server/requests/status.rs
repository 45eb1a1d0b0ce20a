//! `wherefore/status`: how things stand in each folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Asker, Request, Status};
use crate::hub::Hub;
use crate::protocol::{Fault, WorkspaceStatus};

/// Answer of `wherefore/status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusAnswer {
    /// This program's version.
    pub version: String,
    /// The process that answered.
    pub pid: u32,
    /// True where an editor is attached.
    pub editor: bool,
    /// Each workspace folder.
    pub workspaces: Vec<WorkspaceStatus>,
}

impl Request for Status {
    async fn answer_request(hub: &Hub, (): (), _: Asker) -> Result<StatusAnswer, Fault> {
        Ok(StatusAnswer {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            editor: hub.has_editor(),
            workspaces: hub.folders().iter().map(|folder| folder.workspace_status()).collect(),
        })
    }

    /// It takes none: nothing, an empty object, or the empty list that an editor's scripting language writes for one.
    fn read_params(params: Value) -> Result<(), String> {
        match params {
            Value::Null => Ok(()),
            Value::Array(items) if items.is_empty() => Ok(()),
            Value::Object(members) => match members.keys().next() {
                None => Ok(()),
                Some(name) => Err(format!("`{name}` is no member: it takes none")),
            },
            _ => Err("it takes no params".to_owned()),
        }
    }
}
