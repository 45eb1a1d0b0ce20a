//! The stores of vectors, by the hash of each text: a file of the person's, and behind it the store that their team
//! shares, so that a text is embedded once for all of them.
//!
//! A text that was changed has another hash: what is changed on one machine is embedded there, whatever others have.
//! No store is asked for the nearest neighbours of a request, though Postgres could name them: ranking needs the similarity
//! of *every* text of this checkout, to know how far the nearest ones stand above the mean, and it needs that when the
//! store is away.

mod chain;
mod error;
mod file;
mod postgres;
mod record_places;
mod shared;

use std::collections::HashMap;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::quantised_vector::QuantisedVector;
use super::vectors::{Key, Record};
use super::{SettingsError, TextEmbedder};
use crate::protocol::VectorStoreSettings;

use chain::StoreChain;
pub use error::StoreError;
pub(super) use file::VectorFile;
pub use postgres::PostgresStore;
use shared::SharedStore;

/// Vectors with the texts that they are of.
pub(super) type Found = HashMap<Key, QuantisedVector>;

/// A store of the vectors of one model.
pub(crate) trait VectorStore: Send + Sync + Debug {
    /// Returns the vectors of these texts that it has, all of one length: that many numbers, if `dimension` is given.
    ///
    /// # Errors
    /// Why it cannot say.
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, StoreError>>;

    /// Keeps these, all of one length. What it has already stays as it is.
    ///
    /// # Errors
    /// Why it cannot.
    fn put(&self, records: Arc<[Record]>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The model's vectors have another length from now on: those of that many numbers are of no use here.
    fn forget(&self, dimension: usize) -> BoxFuture<'_, ()>;

    /// Returns the present problem, as a sentence.
    fn trouble(&self) -> Option<String> {
        None
    }
}

/// Checks the settings of a team's store.
///
/// # Errors
/// The error in them.
pub(super) fn check_store(settings: &VectorStoreSettings) -> Result<(), SettingsError> {
    let name = &settings.postgres_env;
    if name.is_empty() || name.contains(['=', '\0', ':']) {
        return Err(SettingsError::StoreVariable);
    }
    match &settings.model {
        Some(model) if model.trim().is_empty() => Err(SettingsError::StoreModel),
        _ => Ok(()),
    }
}

/// The store of a model's vectors: a file in `folder`, and the team's store of these settings behind it.
pub(super) fn open_store(
    embedder: &Arc<dyn TextEmbedder>,
    folder: Option<&Path>,
    settings: Option<&VectorStoreSettings>,
) -> Option<Arc<dyn VectorStore>> {
    let local = folder.map(|folder| VectorFile::new(folder, embedder.identity()));
    let local = local.map(|file| Arc::new(file) as Arc<dyn VectorStore>);
    let team = settings.map(|settings| {
        let made = PostgresStore::new(settings, embedder.model_name());
        Arc::new(SharedStore::new(made.map(|store| Arc::new(store) as _), embedder.clone(), shared::LIMIT))
            as Arc<dyn VectorStore>
    });
    match (local, team) {
        (Some(local), Some(team)) => Some(Arc::new(StoreChain::new(local, team))),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests;
