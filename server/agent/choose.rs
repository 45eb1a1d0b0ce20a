//! Which model answers: the one that is asked for, else the one of the settings, else one of this machine.

use std::sync::Arc;

use crate::hub::Folder;
use crate::model::{self, Model};
use crate::protocol::Fault;

/// The model of that name, or of the settings, or of a server on this machine; its server was asked for what is known of it.
///
/// # Errors
/// What is wrong with the name or the settings, or that no server is there.
pub async fn model_of(folder: &Folder, name: Option<&str>) -> Result<Arc<dyn Model>, Fault> {
    // A model that was set a moment ago is the one that is meant.
    folder.session().hear().await?;
    let governance = folder.session().workspace().governance();
    let model = model::open(governance.settings().model.as_ref(), name).await?;
    if let Err(error) = model.inspect().await {
        // What is not known is guessed; whether the server is there at all the first request says.
        tracing::debug!("the server of {} says nothing of it: {error}", model.facts().name);
    }
    Ok(model)
}
