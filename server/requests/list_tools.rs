//! `wherefore/listTools`: lists a node of the catalogue.

use super::{Asker, ListTools, Request};
use crate::hub::{Hub, ToolLookup};
use crate::protocol::{Fault, ListToolsAnswer, ListToolsParams};

impl Request for ListTools {
    /// UNKNOWN_PATH, STALE for an old cursor.
    async fn answer_request(
        hub: &Hub,
        params: ListToolsParams,
        asker: Asker,
    ) -> Result<ListToolsAnswer, Fault> {
        let folder = hub.folder_at(params.root.as_deref())?;
        let look = ToolLookup::begin_lookup(folder, params.query.as_deref(), asker.origin).await;
        let answer = look.directory.list_node(&params, look.similarity());
        look.finish_lookup("list", &params, answer, |answer| &answer.tools)
    }
}
