//! Vectors of texts, by the texts' hashes: those that are wanted in memory, all of them in a store.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;

use super::quantised_vector::{QuantisedVector, WideVector};
use super::store::{StoreError, VectorStore};
use crate::base::person;

/// The hash of a text.
pub type Key = [u8; 32];

/// A vector with the text that it is of.
pub(super) type Record = (Key, QuantisedVector);

/// Returns the hash of a text.
pub fn text_key(text: &str) -> Key {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Returns the folder of the vectors: `$XDG_CACHE_HOME/wherefore/vectors`, else `~/.cache/wherefore/vectors`.
pub(super) fn vectors_folder() -> Option<PathBuf> {
    person::cache_dir().map(|folder| folder.join("vectors"))
}

/// The vectors of one model.
#[derive(Debug)]
pub(super) struct VectorCache {
    /// `None` if there is none for them: they last as long as this process.
    store: Option<Arc<dyn VectorStore>>,
    held: RwLock<HeldVectors>,
}

/// Vectors side by side, in the order that they were wanted in.
#[derive(Debug, Default)]
struct HeldVectors {
    places: HashMap<Key, usize, foldhash::fast::RandomState>,
    dimension: usize,
    numbers: Vec<i8>,
    scales: Vec<f32>,
}

impl HeldVectors {
    fn add_vector(&mut self, key: Key, numbers: &[i8], scale: f32) {
        if self.scales.is_empty() {
            self.dimension = numbers.len();
        }
        if numbers.len() == self.dimension && !self.places.contains_key(&key) {
            self.places.insert(key, self.scales.len());
            self.numbers.extend_from_slice(numbers);
            self.scales.push(scale);
        }
    }

    fn get(&self, key: &Key) -> Option<(&[i8], f32)> {
        let place = *self.places.get(key)?;
        let numbers = self.numbers.get(place * self.dimension..(place + 1) * self.dimension)?;
        Some((numbers, *self.scales.get(place)?))
    }
}

impl VectorCache {
    /// Creates an empty set over the vectors of a model in `store`.
    pub(super) fn new(store: Option<Arc<dyn VectorStore>>) -> Self {
        Self { store, held: RwLock::default() }
    }

    /// Holds the existing vectors of these texts in memory, and no others. Returns the places of the texts that lack
    /// one; of two texts with one key the first counts. Asks the store for vectors that are not in memory.
    pub(super) async fn hold_vectors(&self, keys: &[Key]) -> Vec<usize> {
        let read = match (&self.store, self.missing_keys(keys)) {
            (Some(store), lacking) if !lacking.is_empty() => {
                let read = store.get(lacking, None).await;
                // A vector that cannot be read is made again.
                read.inspect_err(|error| tracing::debug!("{error}")).unwrap_or_default()
            }
            _ => HashMap::new(),
        };
        let mut held = self.held.write();
        let mut wanted = HeldVectors::default();
        let mut missing = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            match (held.get(key), read.get(key)) {
                (Some((numbers, scale)), _) => wanted.add_vector(*key, numbers, scale),
                (None, Some(kept)) => wanted.add_vector(*key, kept.numbers(), kept.scale()),
                (None, None) => {}
            }
            if !wanted.places.contains_key(key) {
                missing.push(place);
            }
        }
        *held = wanted;
        let mut asked = HashSet::new();
        missing.retain(|place| asked.insert(keys[*place]));
        missing
    }

    /// Returns the keys that have no vector in memory.
    fn missing_keys(&self, keys: &[Key]) -> Arc<[Key]> {
        let held = self.held.read();
        keys.iter().filter(|key| !held.places.contains_key(*key)).copied().collect()
    }

    /// Holds more of them, and keeps them in the store. Where they have another length than those before, these are
    /// forgotten: the model behind the name is another one.
    ///
    /// # Errors
    /// Why they could not be kept. They are held all the same.
    pub(super) async fn add_records(&self, records: Vec<Record>) -> Result<(), StoreError> {
        let Some((_, first)) = records.first() else { return Ok(()) };
        self.hold_records(first.numbers().len(), &records);
        match &self.store {
            Some(store) => store.put(records.into()).await,
            None => Ok(()),
        }
    }

    fn hold_records(&self, dimension: usize, records: &[Record]) {
        let mut held = self.held.write();
        if held.dimension != dimension {
            *held = HeldVectors::default();
        }
        records.iter().for_each(|(key, vector)| held.add_vector(*key, vector.numbers(), vector.scale()));
    }

    /// Forgets all of them, in the store too if they have that length there: another process may have changed the
    /// model.
    pub(super) async fn forget_all(&self, dimension: usize) {
        *self.held.write() = HeldVectors::default();
        if let Some(store) = &self.store {
            store.forget(dimension).await;
        }
    }

    /// Returns the present problem of the store, as a sentence.
    pub(super) fn trouble(&self) -> Option<String> {
        self.store.as_ref()?.trouble()
    }

    /// Returns the number of vectors that are held.
    pub(super) fn held_count(&self) -> usize {
        self.held.read().scales.len()
    }

    /// Returns the number of components of each of them; `None` if none is held.
    pub(super) fn dimension(&self) -> Option<usize> {
        let held = self.held.read();
        (!held.scales.is_empty()).then_some(held.dimension)
    }

    /// The cosine of the angle of a vector to that of each text, NaN if a text has none. `None` if no text has
    /// one of that length.
    pub(super) fn cosines(&self, vector: &WideVector, keys: &[Key]) -> Option<Vec<f32>> {
        let held = self.held.read();
        if held.scales.is_empty() || held.dimension != vector.dimension() {
            return None;
        }
        let cosine = |key| held.get(key).map_or(f32::NAN, |(numbers, scale)| vector.cosine(numbers, scale));
        Some(keys.iter().map(cosine).collect())
    }
}

#[cfg(test)]
mod tests;
