//! The choice of the model: the requested one, or that of the settings, or one on this machine.

use std::sync::Arc;

use crate::hub::ServedFolder;
use crate::model::{self, LanguageModel};
use crate::protocol::Fault;

/// Opens the named model, else that of the settings, which are read anew, else one of a server on this machine. A server that
/// does not tell its properties is no error.
///
/// # Errors
/// The problem with the name or the settings, or that no server is there.
pub async fn open_chosen_model(
    folder: &ServedFolder,
    name: Option<&str>,
) -> Result<Arc<dyn LanguageModel>, Fault> {
    // The latest settings count.
    folder.session().reload_settings().await?;
    let governance = folder.session().workspace().governance();
    let model = model::open_model(governance.settings().model.as_ref(), name).await?;
    if let Err(error) = model.inspect().await {
        // Missing properties are guessed; the first request shows whether the server is there at all.
        tracing::debug!("the server of {} says nothing of it: {error}", model.facts().name);
    }
    Ok(model)
}
