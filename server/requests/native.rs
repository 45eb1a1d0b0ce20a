//! `wherefore/native`: a call of an agent's own tool, before it acts or after.

use super::{Asker, Native, Request};
use crate::hub::Hub;
use crate::native::{NativeAnswer, NativeParams};
use crate::protocol::Fault;

impl Request for Native {
    /// Waits for the person's decisions where the call is an edit. Dropping the future leaves them open for review.
    async fn answer(hub: &Hub, params: NativeParams, asker: Asker) -> Result<NativeAnswer, Fault> {
        let folder = hub.folder(params.root.as_deref())?;
        Ok(folder.native(&params, asker.origin.door, asker.caller).await)
    }
}
