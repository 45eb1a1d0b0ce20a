//! `wherefore/expandTool`: all that a call of one tool needs.

use super::{Asker, ExpandTool, Request};
use crate::hub::Hub;
use crate::protocol::{ExpandToolAnswer, ExpandToolParams, Fault};

impl Request for ExpandTool {
    /// TOOL_NOT_FOUND, with the nearest names.
    async fn answer_request(
        hub: &Hub,
        params: ExpandToolParams,
        asker: Asker,
    ) -> Result<ExpandToolAnswer, Fault> {
        hub.folder_at(params.root.as_deref())?.expand_tool(&params, &asker.origin)
    }
}
