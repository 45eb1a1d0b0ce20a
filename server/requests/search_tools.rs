//! `wherefore/searchToolByCategory`: the tools under a node that answer a request.

use super::{Asker, Request, SearchTools};
use crate::hub::{Hub, Look};
use crate::protocol::{Fault, SearchToolsAnswer, SearchToolsParams};

impl Request for SearchTools {
    /// UNKNOWN_PATH, NO_MATCH_IN_CATEGORY, STALE for an old cursor.
    async fn answer(hub: &Hub, params: SearchToolsParams, asker: Asker) -> Result<SearchToolsAnswer, Fault> {
        let folder = hub.folder(params.root.as_deref())?;
        let look = Look::begin(folder, Some(&params.query), asker.origin).await;
        let answer = look.directory.search(&params, look.similarity());
        look.end("search_tool_by_category", &params, answer, |answer| &answer.results)
    }
}
