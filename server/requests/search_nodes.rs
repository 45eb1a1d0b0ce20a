//! `wherefore/searchNodes`: the nodes that may hold what a request asks for.

use super::{Asker, Request, SearchNodes};
use crate::hub::{Hub, ToolLookup};
use crate::protocol::{Fault, SearchNodesAnswer, SearchNodesParams};

impl Request for SearchNodes {
    async fn answer_request(
        hub: &Hub,
        params: SearchNodesParams,
        asker: Asker,
    ) -> Result<SearchNodesAnswer, Fault> {
        ToolLookup::search_nodes(hub.folder_at(params.root.as_deref())?, &params, asker.origin).await
    }
}
