//! The model that tools are found with too, where the person set one: asked for a vector.

use std::time::{Duration, Instant};

use super::Check;
use crate::embed::Endpoint;
use crate::ports::Embedder;
use crate::protocol::{EmbeddingSettings, Fault};
use crate::workspace::config;

/// How long it may take; a model that is loaded for it needs a while.
const PATIENCE: Duration = Duration::from_secs(10);
const NAME: &str = "embeddings";

/// The check of the model.
pub fn checks() -> Vec<Check> {
    let loaded = config::of_person();
    let wrong = loaded.problems.into_iter().find(|problem| problem.starts_with("embeddings"));
    let check = match (wrong, loaded.settings.embeddings) {
        (Some(wrong), _) => {
            Check::lacking(NAME, wrong, "Mend [embeddings] in config.toml of the settings folder.")
        }
        (None, None) => Check::well(NAME, "not set: tools are found by their words alone"),
        (None, Some(settings)) => match ask(&settings) {
            Ok(found) => Check::well(NAME, found),
            Err(fault) => Check::lacking(
                NAME,
                format!("{}; tools are found by their words alone", fault.message),
                fault.suggestion.unwrap_or_else(|| {
                    "Start that server, or mend [embeddings] in config.toml of the settings folder."
                        .to_owned()
                }),
            ),
        },
    };
    vec![check]
}

fn ask(settings: &EmbeddingSettings) -> Result<String, Fault> {
    let endpoint = Endpoint::new(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let began = Instant::now();
    let asked =
        async { tokio::time::timeout(PATIENCE, endpoint.embed(vec!["read a file".to_owned()])).await };
    let (model, place) = (&settings.model, endpoint.place());
    let vectors = runtime.block_on(asked).unwrap_or_else(|_| {
        Err(Fault::internal(format!("{model} at {place} did not answer within {PATIENCE:?}")))
    })?;
    let length = vectors.first().map_or(0, Vec::len);
    Ok(format!("{model} at {place}: vectors of {length} numbers, in {} ms", began.elapsed().as_millis()))
}
