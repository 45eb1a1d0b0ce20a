//! `wherefore/searchNodes`: the nodes that may hold what a request asks for.

use super::{Asker, Request, SearchNodes};
use crate::hub::{Hub, Look};
use crate::protocol::{Fault, SearchNodesAnswer, SearchNodesParams};

impl Request for SearchNodes {
    async fn answer(hub: &Hub, params: SearchNodesParams, asker: Asker) -> Result<SearchNodesAnswer, Fault> {
        let folder = hub.folder(params.root.as_deref())?;
        let look = Look::begin(folder, Some(&params.query), asker.origin).await;
        let answer = Ok::<_, Fault>(look.directory.search_nodes(&params, look.similarity()));
        look.end("search_nodes", &params, answer, |_| &[])
    }
}
