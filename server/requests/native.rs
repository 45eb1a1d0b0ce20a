//! `wherefore/native`: a call of an agent's own tool, before it acts or after.

use super::{Asker, Native, Request};
use crate::hooks::{NativeAnswer, NativeParams};
use crate::hub::{Hub, NativeCall};
use crate::protocol::Fault;

impl Request for Native {
    /// Waits for the person's decisions where the call is an edit. Dropping the future leaves them open for review.
    async fn answer_request(hub: &Hub, params: NativeParams, asker: Asker) -> Result<NativeAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        Ok(NativeCall::new(&folder, &params, asker.origin.door, asker.caller).answer_call().await)
    }
}
