//! The similarity of texts to a request, by a model that may be slow, away or wrong.
//!
//! # Invariants
//!
//! - No search fails or hangs because of a model.
//!   Test: `a_model_that_is_away_hangs_or_rambles_costs_no_answer`,
//!   `a_model_that_hangs_or_rambles_or_is_away_leaves_the_words`

mod requests;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::timeout;

use self::requests::RequestCache;
use super::error::VectorModelError;
use super::failure_state::FailureState;
use super::quantised_vector::{QuantisedVector, WideVector};
use super::store::{self, VectorStore};
use super::vectors::{Key, Record, VectorCache};
use super::{EmbedError, TextEmbedder};
use crate::base::hidden::escape_hidden;
use crate::protocol::EmbeddingSettings;
use crate::redact::redact;

/// Texts that are embedded before their vectors are kept.
const PART: usize = 32;
/// The longest time for embedding a request, for all callers.
const LONGEST: Duration = Duration::from_secs(10);

/// A model with the vectors that it has made: it gives the cosine similarity of texts to a request.
#[derive(Debug)]
pub struct TextSimilarity {
    embedder: Arc<dyn TextEmbedder>,
    vectors: VectorCache,
    /// The longest wait for a request.
    wait: Duration,
    requests: Mutex<RequestCache>,
    /// A request that took longer than that: until it is answered no other is sent.
    late: Mutex<Option<AbortHandle>>,
    trouble: Mutex<FailureState>,
    forgotten: Notify,
}

impl TextSimilarity {
    /// The model of these settings, with the vectors that `folder` and their team's store have.
    ///
    /// # Errors
    /// As [`super::open_embedder`].
    pub fn open(settings: &EmbeddingSettings, folder: Option<&Path>) -> Result<Self, EmbedError> {
        let (embedder, _) = super::open_embedder(settings)?;
        let store = store::open_store(&embedder, folder, settings.store.as_ref());
        Ok(Self::new(embedder, store, Duration::from_millis(settings.wait_ms)))
    }

    /// A model whose vectors are kept in `store`, if one is given; a search waits that long.
    pub(crate) fn new(
        embedder: Arc<dyn TextEmbedder>,
        store: Option<Arc<dyn VectorStore>>,
        wait: Duration,
    ) -> Self {
        Self {
            vectors: VectorCache::new(store),
            embedder,
            wait,
            requests: Mutex::default(),
            late: Mutex::default(),
            trouble: Mutex::default(),
            forgotten: Notify::new(),
        }
    }

    /// The model's name.
    pub fn model(&self) -> &str {
        self.embedder.model_name()
    }

    /// Returns whether its vectors are means of those of words: [`TextEmbedder::is_static`].
    pub fn is_static(&self) -> bool {
        self.embedder.is_static()
    }

    /// Returns the longest time that a search waits for the model.
    pub fn wait(&self) -> Duration {
        self.wait
    }

    /// Holds the vectors of these texts that are kept, and no others; the places of those that have none.
    pub async fn hold_vectors(&self, keys: &[Key]) -> Vec<usize> {
        self.vectors.hold_vectors(keys).await
    }

    /// Returns the number of vectors that are held.
    pub fn held_count(&self) -> usize {
        self.vectors.held_count()
    }

    /// Makes a vector of each of these texts that lacks one; `texts` gives the texts at some places among the keys,
    /// on a thread that may wait, and nothing for a text that is gone. The vectors made so far are kept even if a
    /// later one fails. `told` is called with the numbers of made and of all vectors.
    ///
    /// # Errors
    /// The model's error.
    pub async fn make_missing(
        self: &Arc<Self>,
        keys: &Arc<[Key]>,
        texts: impl Fn(&[usize]) -> Vec<Option<String>> + Send + Sync + 'static,
        mut told: impl FnMut(usize, usize) + Send,
    ) -> Result<(), EmbedError> {
        let texts = Arc::new(texts);
        let mut gone = HashSet::new();
        let mut missing = self.hold_vectors(keys).await;
        // A second round if the model turned out to be another one than before: the old vectors are forgotten then.
        for _ in 0..2 {
            if missing.is_empty() {
                return Ok(());
            }
            for (at, part) in missing.chunks(PART).enumerate() {
                told(at * PART, missing.len());
                let (read, places) = (texts.clone(), part.to_vec());
                let read = spawn_blocking(move || read(&places)).await.unwrap_or_default();
                gone.extend(part.iter().skip(read.len()));
                let mut there = Vec::with_capacity(part.len());
                for (place, text) in part.iter().zip(read) {
                    match text {
                        Some(text) => there.push((keys[*place], text)),
                        None => drop(gone.insert(*place)),
                    }
                }
                let (kept, texts): (Vec<Key>, Vec<String>) = there.into_iter().unzip();
                let vectors = if texts.is_empty() { Vec::new() } else { self.embed_redacted(texts).await? };
                self.keep_records(kept.into_iter().zip(vectors).collect()).await;
            }
            told(missing.len(), missing.len());
            missing = self.hold_vectors(keys).await;
            missing.retain(|place| !gone.contains(place));
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(self.note_failure(self.model_error(VectorModelError::Unsteady))),
        }
    }

    /// The cosine similarity of a request to each text, NaN if a text has no vector yet. `None` if the request has no
    /// vector in time.
    pub async fn cosines(self: &Arc<Self>, request: &str, keys: &[Key]) -> Option<Vec<f32>> {
        let kept = self.vectors.dimension()?;
        let vector = self.request_vector(request).await?;
        if vector.dimension() != kept {
            self.note_failure(
                self.model_error(VectorModelError::OtherLength { now: vector.dimension(), before: kept }),
            );
            self.vectors.forget_all(kept).await;
            self.forgotten.notify_one();
        }
        self.vectors.cosines(&vector, keys)
    }

    /// Waits until all vectors were forgotten, so that they have to be made again.
    pub async fn wait_forgotten(&self) {
        self.forgotten.notified().await;
    }

    /// Returns the time for which the model is left alone after it failed.
    pub fn remaining_pause(&self) -> Duration {
        self.trouble.lock().remaining_pause()
    }

    /// Returns the last error of the model, or of the store of its vectors, if that has not worked since.
    pub fn trouble(&self) -> Option<String> {
        let said = self.trouble.lock().last_failure();
        said.or_else(|| self.vectors.trouble())
    }

    async fn keep_records(&self, records: Vec<Record>) {
        if let Err(error) = self.vectors.add_records(records).await {
            // They are in memory, and made again by the next process.
            tracing::warn!("{error}");
        }
    }

    async fn embed_redacted(&self, texts: Vec<String>) -> Result<Vec<QuantisedVector>, EmbedError> {
        let count = texts.len();
        // Of files, of tools, of requests: whatever goes to a model goes by here.
        let texts = texts.into_iter().map(|text| redact(&text).into_owned()).collect();
        let vectors = self.embedder.embed_texts(texts).await.map_err(|error| self.note_failure(error))?;
        let vectors: Vec<QuantisedVector> =
            vectors.iter().filter_map(|vector| QuantisedVector::from_floats(vector)).collect();
        if vectors.len() != count {
            return Err(self.note_failure(self.model_error(VectorModelError::NoDirection)));
        }
        let mended = self.trouble.lock().note_success();
        if mended {
            tracing::info!("the embeddings of {} work again", self.model());
        }
        Ok(vectors)
    }

    /// The vector of a request, if it is known or made in time.
    async fn request_vector(self: &Arc<Self>, request: &str) -> Option<Arc<WideVector>> {
        if let Some(known) = self.requests.lock().get(request) {
            return Some(known);
        }
        let is_late = |late: &Option<AbortHandle>| late.as_ref().is_some_and(|task| !task.is_finished());
        if is_late(&self.late.lock()) || !self.remaining_pause().is_zero() {
            return None;
        }
        let (similarity, text) = (self.clone(), request.to_owned());
        // On a task: one that comes too late for this search is there for the next.
        let mut task = tokio::spawn(async move {
            let made = timeout(LONGEST, similarity.embed_redacted(vec![text.clone()])).await;
            let made = made.unwrap_or_else(|_| {
                Err(similarity.note_failure(similarity.model_error(VectorModelError::Late(LONGEST))))
            });
            let vector = Arc::new(made.ok()?.pop()?.to_wide());
            similarity.requests.lock().put(&text, vector.clone());
            Some(vector)
        });
        match timeout(self.wait, &mut task).await {
            Ok(made) => made.ok().flatten(),
            Err(_) => {
                *self.late.lock() = Some(task.abort_handle());
                None
            }
        }
    }

    fn model_error(&self, source: VectorModelError) -> EmbedError {
        EmbedError::Model { model: escape_hidden(self.model()).into_owned(), source }
    }

    /// Records a failure, and reports it once.
    fn note_failure(&self, error: EmbedError) -> EmbedError {
        let is_new = self.trouble.lock().note_failure(&error.to_string());
        if is_new {
            tracing::warn!("{error}; searches go by words alone");
        }
        error
    }
}

#[cfg(test)]
mod tests;
