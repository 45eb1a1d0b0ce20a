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
        let folder = hub.folder_at(params.root.as_deref())?;
        let look = ToolLookup::begin_lookup(folder, Some(&params.query), asker.origin).await;
        let answer = look.directory.search_nodes(&params, look.similarity());
        look.finish_lookup("search_nodes", &params, answer, |_| &[])
    }
}
