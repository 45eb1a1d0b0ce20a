//! Vectors of texts, by the texts' hashes: those that are wanted in memory, all of them in one file for each model.

mod file;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use file::VectorFile;

use super::quantised::{Quantised, Widened};
use crate::base::person;

/// What a text is known by.
pub type Key = [u8; 32];

/// A vector with the text that it is of.
pub type Record = (Key, Quantised);

/// What a text is known by.
pub fn key(text: &str) -> Key {
    *blake3::hash(text.as_bytes()).as_bytes()
}

/// Where vectors are kept: `$XDG_CACHE_HOME/wherefore/vectors`, else `~/.cache/wherefore/vectors`.
pub fn folder() -> Option<PathBuf> {
    person::folder("XDG_CACHE_HOME", ".cache").map(|folder| folder.join("vectors"))
}

/// The vectors of one model.
#[derive(Debug)]
pub struct Vectors {
    /// None where there is no folder for it: they last as long as this process.
    file: Option<VectorFile>,
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
    /// Those of the model with that identity, kept in a file of `folder`.
    pub fn new(identity: &str, folder: Option<&Path>) -> Self {
        Self { file: folder.map(|folder| VectorFile::new(folder, identity)), held: RwLock::default() }
    }

    /// Holds the vectors of these texts in memory, as far as there are any, and no others. Gives the places of those
    /// that lack one; of two texts with one key the first counts. Reads the file where one is not in memory.
    pub fn want(&self, keys: &[Key]) -> Vec<usize> {
        let lacks = |held: &Held| keys.iter().any(|key| !held.places.contains_key(key));
        let read = match &self.file {
            Some(file) if lacks(&self.held.read().unwrap_or_else(PoisonError::into_inner)) => file.read(keys),
            _ => HashMap::new(),
        };
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
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
        let mut asked = std::collections::HashSet::new();
        missing.retain(|place| asked.insert(keys[*place]));
        missing
    }

    /// Holds more of them, and keeps them in the file. Where they have another length than those before, these are
    /// forgotten: the model behind the name is another one.
    ///
    /// # Errors
    /// Why they could not be kept in the file. They are held all the same.
    pub fn add(&self, records: &[Record]) -> Result<(), String> {
        let Some((_, first)) = records.first() else { return Ok(()) };
        let dimension = first.numbers().len();
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if held.dimension != dimension {
            *held = Held::default();
        }
        records.iter().for_each(|(key, vector)| held.add(*key, vector.numbers(), vector.scale()));
        drop(held);
        match &self.file {
            Some(file) => {
                file.append(dimension, records).map_err(|error| format!("{}: {error}", file.name()))
            }
            None => Ok(()),
        }
    }

    /// Forgets all of them, in the file too where they have that length there: another process may have begun anew.
    pub fn forget(&self, dimension: usize) {
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = Held::default();
        if let Some(file) = &self.file {
            file.remove(dimension);
        }
    }

    /// How many numbers each of them has; nothing where none is held.
    pub fn dimension(&self) -> Option<usize> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        (!held.scales.is_empty()).then_some(held.dimension)
    }

    /// The cosine of the angle of a vector to that of each text, NaN where a text has none. Nothing where no text has
    /// one of that length.
    pub fn cosines(&self, vector: &Widened, keys: &[Key]) -> Option<Vec<f32>> {
        let held = self.held.read().unwrap_or_else(PoisonError::into_inner);
        if held.scales.is_empty() || held.dimension != vector.dimension() {
            return None;
        }
        let cosine = |key| held.get(key).map_or(f32::NAN, |(numbers, scale)| vector.cosine(numbers, scale));
        Some(keys.iter().map(cosine).collect())
    }
}

#[cfg(test)]
mod tests;
