//! Two stores, one behind the other: texts that the nearer one lacks are looked for in the farther one, and new
//! vectors are put into both.

use std::sync::Arc;

use futures::future::BoxFuture;

use super::{Found, StoreError, VectorStore};
use crate::vectors::{Key, Record};

/// A store on this machine, and one behind it that is asked for what the first one lacks.
#[derive(Debug)]
pub(super) struct StoreChain {
    local: Arc<dyn VectorStore>,
    team: Arc<dyn VectorStore>,
}

impl StoreChain {
    /// Asks `local` first, then `team`.
    pub(super) fn new(local: Arc<dyn VectorStore>, team: Arc<dyn VectorStore>) -> Self {
        Self { local, team }
    }
}

impl VectorStore for StoreChain {
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, StoreError>> {
        Box::pin(async move {
            let mut found = self.local.get(keys.clone(), dimension).await.unwrap_or_default();
            let lacking: Arc<[Key]> = keys.iter().filter(|key| !found.contains_key(*key)).copied().collect();
            if lacking.is_empty() {
                return Ok(found);
            }
            let more = self.team.get(lacking, dimension).await?;
            let length = |found: &Found| found.values().next().map(|vector| vector.numbers().len());
            match (length(&found), length(&more)) {
                (_, None) => return Ok(found),
                // The local vectors are from before the model changed: they cannot be compared with the team's, which
                // the present model made.
                (Some(here), Some(there)) if here != there => found.clear(),
                _ => {}
            }
            let records: Arc<[Record]> = more.iter().map(|(key, vector)| (*key, vector.clone())).collect();
            if let Err(error) = self.local.put(records).await {
                // They are fetched again by the next process.
                tracing::warn!("{error}");
            }
            found.extend(more);
            Ok(found)
        })
    }

    fn put(&self, records: Arc<[Record]>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let kept = self.local.put(records.clone()).await;
            self.team.put(records).await.and(kept)
        })
    }

    fn forget(&self, dimension: usize) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.local.forget(dimension).await;
            self.team.forget(dimension).await;
        })
    }

    fn trouble(&self) -> Option<String> {
        self.team.trouble()
    }
}
