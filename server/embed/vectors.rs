//! Vectors of texts, by the texts' hashes: those that are wanted in memory, all of them in a store.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;

use super::quantised::{Quantised, Widened};
use super::store::{StoreError, VectorStore};
use crate::base::person;

/// What a text is known by.
pub type Key = [u8; 32];

/// A vector with the text that it is of.
pub(super) type Record = (Key, Quantised);

/// What a text is known by.
pub fn key(text: &str) -> Key {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Where vectors are kept: `$XDG_CACHE_HOME/wherefore/vectors`, else `~/.cache/wherefore/vectors`.
pub(super) fn folder() -> Option<PathBuf> {
    person::cache().map(|folder| folder.join("vectors"))
}

/// The vectors of one model.
#[derive(Debug)]
pub(super) struct Vectors {
    /// None where there is none for them: they last as long as this process.
    store: Option<Arc<dyn VectorStore>>,
    held: RwLock<Held>,
}

/// Vectors side by side, in the order that they were wanted in.
#[derive(Debug, Default)]
struct Held {
    places: HashMap<Key, usize, foldhash::fast::RandomState>,
    dimension: usize,
    numbers: Vec<i8>,
    scales: Vec<f32>,
}

impl Held {
    fn add(&mut self, key: Key, numbers: &[i8], scale: f32) {
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

impl Vectors {
    /// Those that `store` has of its model.
    pub(super) fn new(store: Option<Arc<dyn VectorStore>>) -> Self {
        Self { store, held: RwLock::default() }
    }

    /// Holds the vectors of these texts in memory, as far as there are any, and no others. Gives the places of those
    /// that lack one; of two texts with one key the first counts. Asks the store for those that are not in memory.
    pub(super) async fn want(&self, keys: &[Key]) -> Vec<usize> {
        let read = match (&self.store, self.lacking(keys)) {
            (Some(store), lacking) if !lacking.is_empty() => {
                let read = store.get(lacking, None).await;
                // What cannot be had is made again.
                read.inspect_err(|error| tracing::debug!("{error}")).unwrap_or_default()
            }
            _ => HashMap::new(),
        };
        let mut held = self.held.write();
        let mut wanted = Held::default();
        let mut missing = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            match (held.get(key), read.get(key)) {
                (Some((numbers, scale)), _) => wanted.add(*key, numbers, scale),
                (None, Some(kept)) => wanted.add(*key, kept.numbers(), kept.scale()),
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

    /// Those of these keys that have no vector in memory.
    fn lacking(&self, keys: &[Key]) -> Arc<[Key]> {
        let held = self.held.read();
        keys.iter().filter(|key| !held.places.contains_key(*key)).copied().collect()
    }

    /// Holds more of them, and keeps them in the store. Where they have another length than those before, these are
    /// forgotten: the model behind the name is another one.
    ///
    /// # Errors
    /// Why they could not be kept. They are held all the same.
    pub(super) async fn add(&self, records: Vec<Record>) -> Result<(), StoreError> {
        let Some((_, first)) = records.first() else { return Ok(()) };
        self.hold(first.numbers().len(), &records);
        match &self.store {
            Some(store) => store.put(records.into()).await,
            None => Ok(()),
        }
    }

    fn hold(&self, dimension: usize, records: &[Record]) {
        let mut held = self.held.write();
        if held.dimension != dimension {
            *held = Held::default();
        }
        records.iter().for_each(|(key, vector)| held.add(*key, vector.numbers(), vector.scale()));
    }

    /// Forgets all of them, in the store too where they have that length there: another process may have begun anew.
    pub(super) async fn forget(&self, dimension: usize) {
        *self.held.write() = Held::default();
        if let Some(store) = &self.store {
            store.forget(dimension).await;
        }
    }

    /// What is wrong with the store at the moment, as a sentence.
    pub(super) fn trouble(&self) -> Option<String> {
        self.store.as_ref()?.trouble()
    }

    /// How many are held.
    pub(super) fn count(&self) -> usize {
        self.held.read().scales.len()
    }

    /// How many numbers each of them has; nothing where none is held.
    pub(super) fn dimension(&self) -> Option<usize> {
        let held = self.held.read();
        (!held.scales.is_empty()).then_some(held.dimension)
    }

    /// The cosine of the angle of a vector to that of each text, NaN where a text has none. Nothing where no text has
    /// one of that length.
    pub(super) fn cosines(&self, vector: &Widened, keys: &[Key]) -> Option<Vec<f32>> {
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
