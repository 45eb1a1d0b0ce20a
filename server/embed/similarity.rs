//! The similarity of texts to a request, by a model that may be slow, away or wrong.

mod requests;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::timeout;

use self::requests::Requests;
use super::error::VectorModelError;
use super::quantised::{Quantised, Widened};
use super::store::{self, VectorStore};
use super::trouble::Trouble;
use super::vectors::{Key, Record, Vectors};
use super::{EmbedError, Embedder};
use crate::base::hidden::shown;
use crate::protocol::EmbeddingSettings;
use crate::redact::redact;

/// Texts that are embedded before their vectors are kept.
const PART: usize = 32;
/// How long a request may be embedded, whoever waits for it.
const LONGEST: Duration = Duration::from_secs(10);

/// A model with the vectors that it has made: it gives the cosine similarity of texts to a request.
#[derive(Debug)]
pub struct TextSimilarity {
    embedder: Arc<dyn Embedder>,
    vectors: Vectors,
    /// How long a request is waited for.
    wait: Duration,
    requests: Mutex<Requests>,
    /// A request that took longer than that: until it is answered no other is sent.
    late: Mutex<Option<AbortHandle>>,
    trouble: Mutex<Trouble>,
    forgotten: Notify,
}

impl TextSimilarity {
    /// The model of these settings, with the vectors that `folder` and their team's store have.
    ///
    /// # Errors
    /// As [`super::open`].
    pub fn open(settings: &EmbeddingSettings, folder: Option<&Path>) -> Result<Self, EmbedError> {
        let (embedder, _) = super::open(settings)?;
        let store = store::open(&embedder, folder, settings.store.as_ref());
        Ok(Self::new(embedder, store, Duration::from_millis(settings.wait_ms)))
    }

    /// A model whose vectors are kept in `store`, where one is given; a search waits that long.
    pub(crate) fn new(
        embedder: Arc<dyn Embedder>,
        store: Option<Arc<dyn VectorStore>>,
        wait: Duration,
    ) -> Self {
        Self {
            vectors: Vectors::new(store),
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
        self.embedder.model()
    }

    /// Whether its vectors are means of those of words: [`Embedder::is_static`].
    pub fn is_static(&self) -> bool {
        self.embedder.is_static()
    }

    /// How long a search waits for the model.
    pub fn wait(&self) -> Duration {
        self.wait
    }

    /// Holds the vectors of these texts that are kept, and no others; the places of those that have none.
    pub async fn hold(&self, keys: &[Key]) -> Vec<usize> {
        self.vectors.want(keys).await
    }

    /// How many vectors are held.
    pub fn held(&self) -> usize {
        self.vectors.count()
    }

    /// Has a vector made of each of these texts that lacks one; `texts` gives those at some places among the keys, on a
    /// thread that may wait, and nothing for one that is no more. Those that were made are kept even where a later one
    /// fails. `told` hears how many of how many are made.
    ///
    /// # Errors
    /// What the model says.
    pub async fn fill(
        self: &Arc<Self>,
        keys: &Arc<[Key]>,
        texts: impl Fn(&[usize]) -> Vec<Option<String>> + Send + Sync + 'static,
        mut told: impl FnMut(usize, usize) + Send,
    ) -> Result<(), EmbedError> {
        let texts = Arc::new(texts);
        let mut gone = HashSet::new();
        let mut missing = self.hold(keys).await;
        // A second round where the model turned out to be another one than before: the old vectors are forgotten then.
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
                let vectors = if texts.is_empty() { Vec::new() } else { self.embed(texts).await? };
                self.keep(kept.into_iter().zip(vectors).collect()).await;
            }
            told(missing.len(), missing.len());
            missing = self.hold(keys).await;
            missing.retain(|place| !gone.contains(place));
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(self.failed(self.odd(VectorModelError::Unsteady))),
        }
    }

    /// The cosine similarity of a request to each text, NaN where a text has no vector yet. Nothing where the request has no
    /// vector in time.
    pub async fn cosines(self: &Arc<Self>, request: &str, keys: &[Key]) -> Option<Vec<f32>> {
        let kept = self.vectors.dimension()?;
        let vector = self.of_request(request).await?;
        if vector.dimension() != kept {
            self.failed(self.odd(VectorModelError::OtherLength { now: vector.dimension(), before: kept }));
            self.vectors.forget(kept).await;
            self.forgotten.notify_one();
        }
        self.vectors.cosines(&vector, keys)
    }

    /// Waits until all vectors were forgotten, so that they have to be made anew.
    pub async fn forgotten(&self) {
        self.forgotten.notified().await;
    }

    /// How long the model is left alone after it failed.
    pub fn pause(&self) -> Duration {
        self.trouble.lock().pause()
    }

    /// Why it, or the store of its vectors, failed last, where that has not worked since.
    pub fn trouble(&self) -> Option<String> {
        let said = self.trouble.lock().said();
        said.or_else(|| self.vectors.trouble())
    }

    async fn keep(&self, records: Vec<Record>) {
        if let Err(error) = self.vectors.add(records).await {
            // They are in memory, and made again by the next process.
            tracing::warn!("{error}");
        }
    }

    async fn embed(&self, texts: Vec<String>) -> Result<Vec<Quantised>, EmbedError> {
        let count = texts.len();
        // Of files, of tools, of requests: whatever goes to a model goes by here.
        let texts = texts.into_iter().map(|text| redact(&text).into_owned()).collect();
        let vectors = self.embedder.embed(texts).await.map_err(|error| self.failed(error))?;
        let vectors: Vec<Quantised> = vectors.iter().filter_map(|vector| Quantised::of(vector)).collect();
        if vectors.len() != count {
            return Err(self.failed(self.odd(VectorModelError::NoDirection)));
        }
        let mended = self.trouble.lock().over();
        if mended {
            tracing::info!("the embeddings of {} work again", self.model());
        }
        Ok(vectors)
    }

    /// The vector of a request, where it is known or made in time.
    async fn of_request(self: &Arc<Self>, request: &str) -> Option<Arc<Widened>> {
        if let Some(known) = self.requests.lock().get(request) {
            return Some(known);
        }
        let is_late = |late: &Option<AbortHandle>| late.as_ref().is_some_and(|task| !task.is_finished());
        if is_late(&self.late.lock()) || !self.pause().is_zero() {
            return None;
        }
        let (similarity, text) = (self.clone(), request.to_owned());
        // On a task: one that comes too late for this search is there for the next.
        let mut task = tokio::spawn(async move {
            let made = timeout(LONGEST, similarity.embed(vec![text.clone()])).await;
            let made = made
                .unwrap_or_else(|_| Err(similarity.failed(similarity.odd(VectorModelError::Late(LONGEST)))));
            let vector = Arc::new(made.ok()?.pop()?.widened());
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

    fn odd(&self, source: VectorModelError) -> EmbedError {
        EmbedError::Model { model: shown(self.model()).into_owned(), source }
    }

    /// Remembers a failure, and tells of it once.
    fn failed(&self, error: EmbedError) -> EmbedError {
        let is_new = self.trouble.lock().begin(&error.to_string());
        if is_new {
            tracing::warn!("{error}; searches go by words alone");
        }
        error
    }
}

#[cfg(test)]
mod tests;
