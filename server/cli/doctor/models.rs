//! The model that tools and files are found with too, and the store of a team's vectors, where the person set them: asked.

use std::time::{Duration, Instant};

use super::Check;
use crate::embed::{self, Postgres};
use crate::protocol::{EmbeddingSettings, Fault, VectorStoreSettings};
use crate::workspace::config;

/// How long each may take; a model that is loaded for it needs a while.
const PATIENCE: Duration = Duration::from_secs(10);
const NAME: &str = "embeddings";
const STORE: &str = "embeddings.store";
const MEND: &str = "Start the model's server, or correct [embeddings] in config.toml in the settings folder.";

/// The checks of the model and of the store.
pub(super) fn checks() -> Vec<Check> {
    let loaded = config::of_person();
    let settings = match (loaded.no_model, loaded.settings.embeddings) {
        (Some(wrong), _) => {
            return vec![Check::lacking(
                NAME,
                wrong,
                "Correct [embeddings] in config.toml in the settings folder.",
            )];
        }
        (None, None) => {
            return vec![Check::well(
                NAME,
                "no model is set: tools and files are found by their words alone",
            )];
        }
        (None, Some(settings)) => settings,
    };
    let model = check(NAME, ask(&settings), "tools and files are found by their words alone");
    let store = settings.store.as_ref().map(|store| {
        let without = "vectors are kept on this machine alone";
        check(STORE, inspect(store, &settings), without)
    });
    std::iter::once(model).chain(store).collect()
}

/// What was found; else what we do without, and how to mend that.
fn check(name: &'static str, found: Result<String, Fault>, without: &str) -> Check {
    match found {
        Ok(found) => Check::well(name, found),
        Err(fault) => {
            let mend = fault.suggestion.unwrap_or_else(|| MEND.to_owned());
            Check::lacking(name, format!("{}; {without}", fault.message), mend)
        }
    }
}

/// What `answer` becomes in time.
fn wait<T, E>(what: &str, answer: impl Future<Output = Result<T, E>>) -> Result<T, Fault>
where
    Fault: From<E>,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let late = || Fault::internal(format!("{what} did not answer within {PATIENCE:?}"));
    let answered = runtime.block_on(async { tokio::time::timeout(PATIENCE, answer).await });
    Ok(answered.map_err(|_| late())??)
}

fn ask(settings: &EmbeddingSettings) -> Result<String, Fault> {
    let (model, place) = embed::open(settings)?;
    let began = Instant::now();
    let what = format!("{} at {place}", model.model());
    let vectors = wait(&what, model.embed(vec!["read a file".to_owned()]))?;
    let length = vectors.first().map_or(0, Vec::len);
    let files = match embed::takes_files(settings) {
        true => "it gets texts of files too, for search.vector",
        false => "it gets no texts of files; with `files = true` it does, for search.vector",
    };
    let took = began.elapsed().as_millis();
    Ok(format!("{what}: vectors of {length} numbers, in {took} ms; {files}"))
}

/// Connects, and makes the tables where they are missing.
fn inspect(store: &VectorStoreSettings, settings: &EmbeddingSettings) -> Result<String, Fault> {
    let (model, _) = embed::open(settings)?;
    let store = Postgres::new(store, model.model())?;
    let began = Instant::now();
    let found = wait("the team's store of vectors", store.inspect())?;
    Ok(format!("{found}, in {} ms", began.elapsed().as_millis()))
}
