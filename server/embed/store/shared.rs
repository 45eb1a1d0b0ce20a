//! A store that others share: asked no longer than it is worth, and only while it holds vectors of the very same model.
//!
//! It may be away, slow or wrong. It never fails then, but is as good as empty: that is reported once, it is left alone for
//! a while, and what was made meanwhile is put into it when it is back.
//!
//! # Invariants
//!
//! - No vector is missing because a team's store is away, hangs, refuses, or holds vectors of another model.
//!   Test: `a_store_that_hangs_is_waited_for_once`, `a_server_that_stops_is_done_without_and_gets_what_it_missed`,
//!   `what_is_to_be_done_about_a_server_is_said`, `another_model_under_the_same_name_is_not_mixed_in`

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{sleep, timeout};

use super::{Found, StoreError, VectorStore};
use crate::TextEmbedder;
use crate::failure_state::FailureState;
use crate::quantised_vector::QuantisedVector;
use crate::vectors::{Key, Record, text_key};

/// The longest time that it may take over one part, with the connection to it.
pub(super) const LIMIT: Duration = Duration::from_secs(5);
/// Vectors of one part: some megabytes at most.
const PART: usize = 256;
/// Vectors remembered that it has still to get; further ones stay on this machine.
const OWED: usize = 20_000;
/// The shortest pause before it is tried again with the vectors that it is owed.
const PAUSE: Duration = Duration::from_millis(100);
/// A text that everyone's model makes a vector of, to see that these models are one.
const PROBE: &str = "wherefore: is it the same model that makes this vector for all of us?";
/// The cosine of two vectors of one text by one model, on whatever machine, is above this.
const SAME: f32 = 0.98;

/// A store that others share.
#[derive(Debug)]
pub(super) struct SharedStore(Arc<SharedInner>);

#[derive(Debug)]
struct SharedInner {
    /// The store, or the error if there is none.
    store: Result<Arc<dyn VectorStore>, StoreError>,
    embedder: Arc<dyn TextEmbedder>,
    limit: Duration,
    state: Mutex<SharedStatus>,
}

#[derive(Debug, Default)]
struct SharedStatus {
    trouble: FailureState,
    /// The number of components of a vector, once it is known that those in the store are of this model.
    dimension: Option<usize>,
    owed: Vec<Record>,
    /// True if a task waits to put the owed vectors there.
    returning: bool,
}

impl SharedStore {
    /// Creates the shared store for the vectors of this model from a store or its error; `limit` is the longest time
    /// for one part.
    pub(super) fn new(
        store: Result<Arc<dyn VectorStore>, StoreError>,
        embedder: Arc<dyn TextEmbedder>,
        limit: Duration,
    ) -> Self {
        let wrong = store.as_ref().err().cloned();
        let inner = SharedInner { store, embedder, limit, state: Mutex::default() };
        if let Some(error) = wrong {
            inner.note_failure(&error);
        }
        Self(Arc::new(inner))
    }
}

impl VectorStore for SharedStore {
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, StoreError>> {
        Box::pin(async move {
            let mut found = Found::new();
            let Some((store, has)) = self.0.ready_store().await else { return Ok(found) };
            if dimension.is_some_and(|dimension| dimension != has) {
                return Ok(found);
            }
            self.0.deliver_owed().await;
            for part in keys.chunks(PART) {
                match self.0.ask_in_time(store.get(part.into(), Some(has))).await {
                    Some(more) => found.extend(more),
                    None => break,
                }
            }
            Ok(found)
        })
    }

    fn put(&self, records: Arc<[Record]>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            if self.0.store.is_ok() {
                let mut state = self.0.lock_state();
                let room = OWED.saturating_sub(state.owed.len());
                state.owed.extend(records.iter().take(room).cloned());
            }
            self.0.deliver_owed().await;
            self.0.deliver_later();
            Ok(())
        })
    }

    fn forget(&self, dimension: usize) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            {
                let mut state = self.0.lock_state();
                state.dimension = None;
                state.owed.retain(|(_, vector)| vector.numbers().len() != dimension);
            }
            if let Ok(store) = &self.0.store {
                store.forget(dimension).await;
            }
        })
    }

    fn trouble(&self) -> Option<String> {
        self.0.lock_state().trouble.last_failure()
    }
}

impl SharedInner {
    fn lock_state(&self) -> MutexGuard<'_, SharedStatus> {
        self.state.lock()
    }

    /// The store and the length of its vectors, if it can be asked: it is not left alone, and its vectors are those
    /// of our model.
    async fn ready_store(&self) -> Option<(Arc<dyn VectorStore>, usize)> {
        let store = self.store.as_ref().ok()?.clone();
        let (dimension, pause) = {
            let state = self.lock_state();
            (state.dimension, state.trouble.remaining_pause())
        };
        if !pause.is_zero() {
            return None;
        }
        if let Some(dimension) = dimension {
            return Some((store, dimension));
        }
        let dimension = self.agree_on_model(&*store).await?;
        self.lock_state().dimension = Some(dimension);
        Some((store, dimension))
    }

    /// Returns the number of components if the vectors there are those of this model: the first user puts the vector
    /// of one text there, the others compare theirs with it.
    async fn agree_on_model(&self, store: &dyn VectorStore) -> Option<usize> {
        let made = self.embedder.embed_texts(vec![PROBE.to_owned()]).await;
        if let Err(error) = &made {
            // The error is reported by the next caller that needs the model.
            self.lock_state().trouble.note_failure(&error.to_string());
        }
        let made = made.ok()?;
        let vector = QuantisedVector::from_floats(made.first()?)?;
        let (key, dimension) = (text_key(PROBE), vector.numbers().len());
        let first: Arc<[Record]> = Arc::new([(key, vector.clone())]);
        let compared = async {
            store.put(first).await?;
            store.get(Arc::new([key]), Some(dimension)).await
        };
        let kept = self.ask_in_time(compared).await?;
        let cosine = kept.get(&key).map(|kept| vector.to_wide().cosine(kept.numbers(), kept.scale()));
        if let Some(cosine) = cosine.filter(|cosine| *cosine < SAME) {
            self.note_failure(&StoreError::OtherModel {
                model: self.embedder.model_name().to_owned(),
                cosine,
            });
            return None;
        }
        Some(dimension)
    }

    /// Returns the answer of the store if it comes in time; `None` if it fails.
    async fn ask_in_time<T>(&self, answer: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
        let limit = self.limit;
        let answered = timeout(limit, answer).await.unwrap_or(Err(StoreError::Late(limit)));
        match answered {
            Ok(answer) => {
                if self.lock_state().trouble.note_success() {
                    tracing::info!("the team's store of vectors works again");
                }
                Some(answer)
            }
            Err(error) => {
                self.note_failure(&error);
                None
            }
        }
    }

    /// Records a failure, and reports it once.
    fn note_failure(&self, error: &StoreError) {
        let advice = error.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
        if self.lock_state().trouble.note_failure(&error.to_string()) {
            tracing::warn!("{error}; vectors are kept on this machine alone{advice}");
        }
    }

    /// Puts there what it is owed. Whether it is owed nothing more.
    async fn deliver_owed(&self) -> bool {
        loop {
            if self.lock_state().owed.is_empty() {
                return true;
            }
            let Some((store, dimension)) = self.ready_store().await else { return false };
            let part: Arc<[Record]> = {
                let mut state = self.lock_state();
                // Of another length are those of a model that was there before.
                state.owed.retain(|(_, vector)| vector.numbers().len() == dimension);
                let end = state.owed.len().min(PART);
                state.owed.drain(..end).collect()
            };
            if !part.is_empty() && self.ask_in_time(store.put(part.clone())).await.is_none() {
                self.lock_state().owed.extend(part.iter().cloned());
                return false;
            }
        }
    }

    /// Puts the owed vectors there once it works again.
    fn deliver_later(self: &Arc<Self>) {
        {
            let mut state = self.lock_state();
            if state.owed.is_empty() || std::mem::replace(&mut state.returning, true) {
                return;
            }
        }
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let pause =
                |weak: &Weak<Self>| weak.upgrade().map(|inner| inner.lock_state().trouble.remaining_pause());
            while let Some(pause) = pause(&weak) {
                // A model that makes no vector of the probe is no trouble of the store, and must not be asked in a loop.
                sleep(pause.max(PAUSE)).await;
                let Some(inner) = weak.upgrade() else { return };
                if inner.deliver_owed().await {
                    inner.lock_state().returning = false;
                    return;
                }
            }
        });
    }
}
