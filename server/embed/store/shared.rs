//! A store that others share: asked no longer than it is worth, and only while it holds vectors of the very same model.
//!
//! It may be away, slow or wrong. It never fails then, but is as good as empty: that is told once, it is left alone for
//! a while, and what was made meanwhile is put into it when it is back.

use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::{sleep, timeout};

use super::{Found, StoreError, VectorStore};
use crate::Embedder;
use crate::quantised::Quantised;
use crate::trouble::Trouble;
use crate::vectors::{Key, Record, key};

/// How long it may take over one part, with the connection to it.
pub(super) const LIMIT: Duration = Duration::from_secs(5);
/// Vectors of one part: some megabytes at most.
const PART: usize = 256;
/// Vectors remembered that it has still to get; further ones stay on this machine.
const OWED: usize = 20_000;
/// How long it is left alone at least before it is tried again with what it is owed.
const PAUSE: Duration = Duration::from_millis(100);
/// A text that everyone's model makes a vector of, to see that these models are one.
const PROBE: &str = "wherefore: is it the same model that makes this vector for all of us?";
/// The cosine of two vectors of one text by one model, on whatever machine, is above this.
const SAME: f32 = 0.98;

/// A store that others share.
#[derive(Debug)]
pub(super) struct Shared(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Or why there is none.
    store: Result<Arc<dyn VectorStore>, StoreError>,
    embedder: Arc<dyn Embedder>,
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    trouble: Trouble,
    /// How many numbers a vector has, once it is known that those in the store are of the same model.
    dimension: Option<usize>,
    owed: Vec<Record>,
    /// Whether a task waits to put there what it is owed.
    returning: bool,
}

impl Shared {
    /// That store, or why it cannot be used, for the vectors of this model; it may take that long over one part.
    pub(super) fn new(
        store: Result<Arc<dyn VectorStore>, StoreError>,
        embedder: Arc<dyn Embedder>,
        limit: Duration,
    ) -> Self {
        let wrong = store.as_ref().err().cloned();
        let inner = Inner { store, embedder, limit, state: Mutex::default() };
        if let Some(error) = wrong {
            inner.failed(&error);
        }
        Self(Arc::new(inner))
    }
}

impl VectorStore for Shared {
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, StoreError>> {
        Box::pin(async move {
            let mut found = Found::new();
            let Some((store, has)) = self.0.ready().await else { return Ok(found) };
            if dimension.is_some_and(|dimension| dimension != has) {
                return Ok(found);
            }
            self.0.deliver().await;
            for part in keys.chunks(PART) {
                match self.0.ask(store.get(part.into(), Some(has))).await {
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
                let mut state = self.0.state();
                let room = OWED.saturating_sub(state.owed.len());
                state.owed.extend(records.iter().take(room).cloned());
            }
            self.0.deliver().await;
            self.0.later();
            Ok(())
        })
    }

    fn forget(&self, dimension: usize) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            {
                let mut state = self.0.state();
                state.dimension = None;
                state.owed.retain(|(_, vector)| vector.numbers().len() != dimension);
            }
            if let Ok(store) = &self.0.store {
                store.forget(dimension).await;
            }
        })
    }

    fn trouble(&self) -> Option<String> {
        self.0.state().trouble.said()
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The store and the length of its vectors, where it can be asked: it is not left alone, and its vectors are those
    /// of our model.
    async fn ready(&self) -> Option<(Arc<dyn VectorStore>, usize)> {
        let store = self.store.as_ref().ok()?.clone();
        let (dimension, pause) = {
            let state = self.state();
            (state.dimension, state.trouble.pause())
        };
        if !pause.is_zero() {
            return None;
        }
        if let Some(dimension) = dimension {
            return Some((store, dimension));
        }
        let dimension = self.agree(&*store).await?;
        self.state().dimension = Some(dimension);
        Some((store, dimension))
    }

    /// Whether the vectors there are those of our model, and how many numbers each has: whoever comes first puts the
    /// vector of one text there, the others compare theirs with it.
    async fn agree(&self, store: &dyn VectorStore) -> Option<usize> {
        let made = self.embedder.embed(vec![PROBE.to_owned()]).await;
        if let Err(error) = &made {
            // Whoever needs the model for more tells of it.
            self.state().trouble.begin(&error.to_string());
        }
        let made = made.ok()?;
        let vector = Quantised::of(made.first()?)?;
        let (key, dimension) = (key(PROBE), vector.numbers().len());
        let first: Arc<[Record]> = Arc::new([(key, vector.clone())]);
        let compared = async {
            store.put(first).await?;
            store.get(Arc::new([key]), Some(dimension)).await
        };
        let kept = self.ask(compared).await?;
        let cosine = kept.get(&key).map(|kept| vector.widened().cosine(kept.numbers(), kept.scale()));
        if let Some(cosine) = cosine.filter(|cosine| *cosine < SAME) {
            self.failed(&StoreError::OtherModel { model: self.embedder.model().to_owned(), cosine });
            return None;
        }
        Some(dimension)
    }

    /// What the store answers in time; nothing where it fails.
    async fn ask<T>(&self, answer: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
        let limit = self.limit;
        let answered = timeout(limit, answer).await.unwrap_or(Err(StoreError::Late(limit)));
        match answered {
            Ok(answer) => {
                if self.state().trouble.over() {
                    tracing::info!("the team's store of vectors works again");
                }
                Some(answer)
            }
            Err(error) => {
                self.failed(&error);
                None
            }
        }
    }

    /// Remembers a failure, and tells of it once.
    fn failed(&self, error: &StoreError) {
        let advice = error.advice().map(|advice| format!("; {advice}")).unwrap_or_default();
        if self.state().trouble.begin(&error.to_string()) {
            tracing::warn!("{error}; vectors are kept on this machine alone{advice}");
        }
    }

    /// Puts there what it is owed. Whether it is owed nothing more.
    async fn deliver(&self) -> bool {
        loop {
            if self.state().owed.is_empty() {
                return true;
            }
            let Some((store, dimension)) = self.ready().await else { return false };
            let part: Arc<[Record]> = {
                let mut state = self.state();
                // Of another length are those of a model that was there before.
                state.owed.retain(|(_, vector)| vector.numbers().len() == dimension);
                let end = state.owed.len().min(PART);
                state.owed.drain(..end).collect()
            };
            if !part.is_empty() && self.ask(store.put(part.clone())).await.is_none() {
                self.state().owed.extend(part.iter().cloned());
                return false;
            }
        }
    }

    /// Has what it is owed put there once it works again.
    fn later(self: &Arc<Self>) {
        {
            let mut state = self.state();
            if state.owed.is_empty() || std::mem::replace(&mut state.returning, true) {
                return;
            }
        }
        let weak = Arc::downgrade(self);
        tokio::spawn(async move {
            let pause = |weak: &Weak<Self>| weak.upgrade().map(|inner| inner.state().trouble.pause());
            while let Some(pause) = pause(&weak) {
                // A model that makes no vector of the probe is no trouble of the store, and must not be asked in a loop.
                sleep(pause.max(PAUSE)).await;
                let Some(inner) = weak.upgrade() else { return };
                if inner.deliver().await {
                    inner.state().returning = false;
                    return;
                }
            }
        });
    }
}
