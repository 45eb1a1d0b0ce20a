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
        let folder = hub.folder_at(params.root.as_deref())?;
        let look = ToolLookup::begin_lookup(folder, Some(&params.query), asker.origin).await;
        let answer = look.directory.search_tools(&params, look.similarity());
        look.finish_lookup("search_tool_by_category", &params, answer, |answer| &answer.results)
    }
}
