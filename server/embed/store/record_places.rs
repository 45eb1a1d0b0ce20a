//! The positions of the records in a file of vectors: the known part of it is not read again while it only grows.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, MetadataExt};

use super::Found;
use super::file::{CHECK, HEADER, checksum, record_length};
use crate::quantised_vector::QuantisedVector;
use crate::vectors::Key;

/// The known records of a file.
#[derive(Debug)]
pub(super) struct KnownRecords {
    /// Held open, so that no file in its place is taken for it.
    file: File,
    dimension: usize,
    /// The number of its records that were read.
    read: u64,
    /// The last record of each key, by the key's first bytes.
    places: HashMap<u64, u64, foldhash::fast::RandomState>,
}

fn key_prefix(key: &Key) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&key[..8]);
    u64::from_le_bytes(first)
}

impl KnownRecords {
    /// Creates the empty knowledge of a file with vectors of that many numbers.
    pub(super) fn new(file: File, dimension: usize) -> Self {
        Self { file, dimension, read: 0, places: HashMap::default() }
    }

    /// Returns whether a file is that one, and still holds the part that was read.
    pub(super) fn is_of(&self, file: &File) -> bool {
        let (Ok(known), Ok(now)) = (self.file.metadata(), file.metadata()) else { return false };
        (known.dev(), known.ino()) == (now.dev(), now.ino()) && now.len() >= self.read_end()
    }

    fn record_size(&self) -> u64 {
        record_length(self.dimension) as u64
    }

    /// Returns the end of the part that was read.
    fn read_end(&self) -> u64 {
        HEADER as u64 + self.read * self.record_size()
    }

    /// The vectors of those texts that the file holds, and how many records had to be gone through.
    pub(super) fn find_vectors(&mut self, keys: &[Key]) -> (Found, u64) {
        let mut found = Found::new();
        let mut record = vec![0; record_length(self.dimension)];
        for key in keys {
            let Some(place) = self.places.get(&key_prefix(key)) else { continue };
            let at = HEADER as u64 + place * self.record_size();
            if self.file.read_exact_at(&mut record, at).is_ok()
                && let Some((of, vector)) = read_record(&record)
                && of == *key
            {
                found.insert(of, vector);
            }
        }
        let gone_through = self.read_added(&keys.iter().collect(), &mut found);
        (found, gone_through)
    }

    /// Reads what was added, and takes those records out that are wanted; how many it were.
    fn read_added(&mut self, wanted: &HashSet<&Key>, found: &mut Found) -> u64 {
        let mut record = vec![0; record_length(self.dimension)];
        let (before, end) = (self.read, self.read_end());
        let mut reader = BufReader::with_capacity(1 << 20, &self.file);
        if reader.seek(SeekFrom::Start(end)).is_err() {
            return 0;
        }
        while reader.read_exact(&mut record).is_ok() {
            let Some((key, _)) = record.split_first_chunk::<{ size_of::<Key>() }>() else { break };
            self.places.insert(key_prefix(key), self.read);
            self.read += 1;
            if wanted.contains(key)
                && let Some((key, vector)) = self::read_record(&record)
            {
                found.insert(key, vector);
            }
        }
        self.read - before
    }
}

/// A record, if it is whole.
fn read_record(record: &[u8]) -> Option<(Key, QuantisedVector)> {
    let (body, sum) = record.split_at_checked(record.len().checked_sub(CHECK)?)?;
    let (key, rest) = body.split_first_chunk::<{ size_of::<Key>() }>()?;
    let (scale, numbers) = rest.split_first_chunk()?;
    (checksum(body) == sum).then(|| {
        let numbers = numbers.iter().map(|byte| byte.cast_signed()).collect();
        (*key, QuantisedVector::from_parts(numbers, f32::from_le_bytes(*scale)))
    })
}
