//! `wherefore/send`: sends a message of the person to an agent.

use super::{Asker, Request, SendMessage};
use crate::hub::Hub;
use crate::protocol::{Fault, SendAnswer, SendParams};

impl Request for SendMessage {
    /// INVALID_ARGS for an empty or too long message, NOT_FOUND for a proposal or a hunk that is not there.
    async fn answer_request(hub: &Hub, params: SendParams, _: Asker) -> Result<SendAnswer, Fault> {
        // It is written to the disk, which is not done where requests are read.
        tokio::task::yield_now().await;
        let is_absolute = |path: &&str| path.starts_with('/') || path.starts_with("file:");
        let path = params.path.as_deref().filter(is_absolute);
        let root = params.root.as_deref().or(path);
        let has_proposal = hub.folders_for(root)?.into_iter().find(|folder| folder.is_addressed(&params));
        let folder = match has_proposal {
            Some(folder) => folder,
            None => hub.folder_at(root)?,
        };
        folder.session().reload_settings().await?;
        folder.send_message(&params)
    }
}
