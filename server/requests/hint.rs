//! `wherefore/hint`: a person's word on a file of the working set.

use super::{Asker, Hint, Request};
use crate::hub::Hub;
use crate::protocol::{Fault, HintOutcome, HintParams};

impl Request for Hint {
    /// NOT_FOUND with the nearest names, PERMISSION_DENIED by a rule, INVALID_ARGS for what is no file.
    async fn answer_request(hub: &Hub, params: HintParams, _: Asker) -> Result<HintOutcome, Fault> {
        // It is written to the disk, which is not done where requests are read.
        tokio::task::yield_now().await;
        Ok(hub.folder_at(params.root.as_deref())?.session().working_files().apply_hint(&params)?)
    }
}
