//! `wherefore/list`: lists a node of the catalogue.

use super::{Asker, List, Request};
use crate::hub::{Hub, ToolLookup};
use crate::protocol::{Fault, ListNodeAnswer, ListNodeParams};

impl Request for List {
    /// UNKNOWN_PATH, STALE for an old cursor.
    async fn answer_request(
        hub: &Hub,
        params: ListNodeParams,
        asker: Asker,
    ) -> Result<ListNodeAnswer, Fault> {
        ToolLookup::list_node(hub.folder_at(params.root.as_deref())?, &params, asker.origin).await
    }
}
