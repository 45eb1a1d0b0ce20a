//! The model that the person chose.

use std::sync::Arc;

use crate::protocol::ModelSettings;
use crate::{Model, ModelError, ModelErrorKind};

/// The model that `wanted` names, else that of the settings, else one of a server on this machine.
///
/// `wanted` is `ollama/NAME`, `openai/NAME`, `anthropic/NAME`, or the URL of a server and a name: `http://127.0.0.1:8080/v1#NAME`.
///
/// # Errors
/// What is wrong with the name or the settings, or that no server is there.
pub async fn open(
    settings: Option<&ModelSettings>,
    wanted: Option<&str>,
) -> Result<Arc<dyn Model>, ModelError> {
    let name = wanted.or(settings.map(|settings| settings.name.as_str())).unwrap_or_default();
    let message = format!("no client is there yet for the model `{name}`");
    Err(ModelError::new(ModelErrorKind::Unsupported, message, "use an agent of your own meanwhile"))
}
