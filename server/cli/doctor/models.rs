//! Asks the configured embedding model and the team's vector store.

use std::time::{Duration, Instant};

use super::DoctorCheck;
use crate::embed::{self, PostgresStore};
use crate::protocol::{EmbeddingSettings, Fault, VectorStoreSettings};
use crate::words::carried_vectors;
use crate::workspace::config;

/// The time limit for each request; loading a model takes a while.
const PATIENCE: Duration = Duration::from_secs(10);
const NAME: &str = "embeddings";
const STORE: &str = "embeddings.store";
const MEND: &str = "Start the model's server, or correct [embeddings] in config.toml in the settings folder.";

/// The checks of the model and of the store.
pub(super) fn check_models() -> Vec<DoctorCheck> {
    let loaded = config::of_person();
    let settings = match (loaded.no_model, loaded.settings.embeddings) {
        (Some(wrong), _) => {
            return vec![DoctorCheck::lacking(
                NAME,
                wrong,
                "Correct [embeddings] in config.toml in the settings folder.",
            )];
        }
        (None, settings) if settings.as_ref().is_none_or(|settings| !settings.has_model()) => {
            let found = match EmbeddingSettings::has_carried_words(settings.as_ref()) {
                true => format!(
                    "no model is set: files are found by their words, and by words that mean the same, with the vectors of \
                     {} words that wherefore carries; tools by their words",
                    carried_vectors().stems().len(),
                ),
                false => {
                    "no model is set, and `words` is false: tools and files are found by their words alone"
                        .to_owned()
                }
            };
            return vec![DoctorCheck::well(NAME, found)];
        }
        (None, settings) => settings.unwrap_or_default(),
    };
    let model = report_found(NAME, ask_model(&settings), "tools and files are found by their words alone");
    let store = settings.store.as_ref().map(|store| {
        let without = "vectors are kept on this machine alone";
        report_found(STORE, inspect_store(store, &settings), without)
    });
    std::iter::once(model).chain(store).collect()
}

/// The check's result: the finding, or the fault with its consequence and remedy.
fn report_found(name: &'static str, found: Result<String, Fault>, without: &str) -> DoctorCheck {
    match found {
        Ok(found) => DoctorCheck::well(name, found),
        Err(fault) => {
            let mend = fault.suggestion.unwrap_or_else(|| MEND.to_owned());
            DoctorCheck::lacking(name, format!("{}; {without}", fault.message), mend)
        }
    }
}

/// Waits for `answer` up to the time limit.
fn wait_for_answer<T, E>(what: &str, answer: impl Future<Output = Result<T, E>>) -> Result<T, Fault>
where
    Fault: From<E>,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let late = || Fault::internal(format!("{what} did not answer within {PATIENCE:?}"));
    let answered = runtime.block_on(async { tokio::time::timeout(PATIENCE, answer).await });
    Ok(answered.map_err(|_| late())??)
}

fn ask_model(settings: &EmbeddingSettings) -> Result<String, Fault> {
    let (model, place) = embed::open_embedder(settings)?;
    let began = Instant::now();
    let what = format!("{} at {place}", model.model_name());
    let vectors = wait_for_answer(&what, model.embed_texts(vec!["read a file".to_owned()]))?;
    let length = vectors.first().map_or(0, Vec::len);
    let files = match embed::takes_files(settings) {
        true => "it gets texts of files too, for search.vector",
        false => "it gets no texts of files; with `files = true` it does, for search.vector",
    };
    let took = began.elapsed().as_millis();
    Ok(format!("{what}: vectors of {length} numbers, in {took} ms; {files}"))
}

/// Connects, and makes the tables where they are missing.
fn inspect_store(store: &VectorStoreSettings, settings: &EmbeddingSettings) -> Result<String, Fault> {
    let (model, _) = embed::open_embedder(settings)?;
    let store = PostgresStore::new(store, model.model_name())?;
    let began = Instant::now();
    let found = wait_for_answer("the team's store of vectors", store.inspect())?;
    Ok(format!("{found}, in {} ms", began.elapsed().as_millis()))
}
