//! `wherefore/listTools`: what stands at a node of the catalogue.

use super::{Asker, ListTools, Request};
use crate::hub::{Hub, Look};
use crate::protocol::{Fault, ListToolsAnswer, ListToolsParams};

impl Request for ListTools {
    /// UNKNOWN_PATH, STALE for an old cursor.
    async fn answer(hub: &Hub, params: ListToolsParams, asker: Asker) -> Result<ListToolsAnswer, Fault> {
        let folder = hub.folder(params.root.as_deref())?;
        let look = Look::begin(folder, params.query.as_deref(), asker.origin).await;
        let answer = look.directory.list(&params, look.similarity());
        look.end("list", &params, answer, |answer| &answer.tools)
    }
}
