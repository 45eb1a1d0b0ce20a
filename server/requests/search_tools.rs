//! `wherefore/searchToolByCategory`: the tools under a node that answer a request.

use super::{Asker, Request, SearchTools};
use crate::hub::{Hub, ToolLookup};
use crate::protocol::{Fault, SearchToolsAnswer, SearchToolsParams};

impl Request for SearchTools {
    /// UNKNOWN_PATH, NO_MATCH_IN_CATEGORY, STALE for an old cursor.
    async fn answer_request(
        hub: &Hub,
        params: SearchToolsParams,
        asker: Asker,
    ) -> Result<SearchToolsAnswer, Fault> {
        ToolLookup::search_tools(hub.folder_at(params.root.as_deref())?, &params, asker.origin).await
    }
}
