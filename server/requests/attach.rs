//! `wherefore/attach`: a command is to run at its caller's, confined there, as a call of `terminal.run`.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Asker, Attach, Request};
use crate::hub::Hub;
use crate::protocol::{Envelope, Fault, RawCall};

/// Params of `wherefore/attach`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AttachParams {
    /// What `wherefore/attached` names the command by: chosen by the caller, unlike any other.
    pub key: String,
    /// The call, of `terminal.run`.
    pub call: RawCall,
    /// Whether a person was asked about the command at the caller's, and said yes: they are not asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allowed: bool,
}

impl Request for Attach {
    /// Answered when the command has ended and what it changed is decided or waits. Dropping the future cancels the call.
    async fn answer(hub: &Hub, params: AttachParams, asker: Asker) -> Result<Envelope, Fault> {
        let AttachParams { key, mut call, allowed } = params;
        let folder = hub.folder(call.root.as_deref())?;
        call.origin.door = asker.origin.door;
        let caller = folder.attached().begin(&key)?.allowed(allowed);
        Ok(folder.pipeline().call(call, Some(Arc::new(caller))).await)
    }
}
