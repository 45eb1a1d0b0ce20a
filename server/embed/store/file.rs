//! The file of a model's vectors: a header, then records of one length, each with a checksum.
//!
//! It is a cache. A header that is not ours, of another version or of another length of vectors has the file
//! written again from the start; a record that is damaged or torn is left out and embedded again. A writer holds the folder's
//! lock; a reader needs none, since records are only added and a file is only replaced whole.
//!
//! # Invariants
//!
//! - No vector is lost or damaged where servers share a file of them and one is killed, or the model breaks off.
//!   Test: `a_model_that_breaks_off_and_a_server_that_is_killed_while_it_keeps_vectors`

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use super::record_places::KnownRecords;
use super::{Found, StoreError, VectorStore};
use crate::base::{hash, person};
use crate::quantised_vector::QuantisedVector;
use crate::vectors::{Key, Record, text_key};

/// The first bytes of the file; the last digit is its version.
const MAGIC: &[u8; 8] = b"wfvecs.1";
/// Bytes of a checksum.
pub(super) const CHECK: usize = 8;
/// Bytes of the header: the magic, the identity's hash, the length of a vector, a checksum.
pub(super) const HEADER: usize = 8 + 32 + 4 + CHECK;
/// Bytes above which a new file is begun: the vectors that are still wanted are soon in it again.
const LARGEST: u64 = 256 << 20;

/// The file of one model.
#[derive(Clone, Debug)]
pub(crate) struct VectorFile {
    path: PathBuf,
    identity: Key,
    largest: u64,
    known: Arc<Mutex<Option<KnownRecords>>>,
}

pub(super) fn checksum(bytes: &[u8]) -> [u8; CHECK] {
    let mut check = [0; CHECK];
    check.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECK]);
    check
}

pub(super) fn record_length(dimension: usize) -> usize {
    size_of::<Key>() + 4 + dimension + CHECK
}

impl VectorFile {
    /// The file in `folder` of the model with that identity.
    pub(crate) fn new(folder: &Path, identity: &str) -> Self {
        let path = folder.join(format!("{}.vectors", hash::short_hash(identity.as_bytes())));
        Self { path, identity: text_key(identity), largest: LARGEST, known: Arc::default() }
    }

    /// The vectors of those texts that it holds, and how many records were gone through for that: only those that were
    /// added since the last time, unless the file is another one.
    fn read_vectors(&self, keys: &[Key]) -> (Found, u64) {
        let mut known = self.known.lock();
        let Some((file, dimension)) = self.open_file(false) else {
            *known = None;
            return (Found::new(), 0);
        };
        if !known.as_ref().is_some_and(|known| known.is_of(&file)) {
            *known = None;
        }
        known.get_or_insert_with(|| KnownRecords::new(file, dimension)).find_vectors(keys)
    }

    /// Adds vectors of that length; a file of another length is made again.
    fn append_records(&self, dimension: usize, records: &[Record]) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let _lock = person::lock_dir(folder).map_err(io::Error::other)?;
        let length = record_length(dimension) as u64;
        let bytes: Vec<u8> = records.iter().flat_map(|(key, vector)| record_bytes(key, vector)).collect();
        if let Some((file, has)) = self.open_file(true)
            && has == dimension
        {
            let size = file.metadata()?.len();
            // Behind the last whole record: one that was cut off is written over.
            let end = size - (size - HEADER as u64) % length;
            if end + bytes.len() as u64 <= self.largest {
                file.set_len(end)?;
                return file.write_all_at(&bytes, end);
            }
        }
        let mut made = BufWriter::new(tempfile::NamedTempFile::new_in(folder)?);
        made.write_all(&self.header_bytes(dimension))?;
        made.write_all(&bytes)?;
        let made = made.into_inner().map_err(io::IntoInnerError::into_error)?;
        made.persist(&self.path).map(drop).map_err(|error| error.error)
    }

    /// Takes it away if its vectors have that length.
    fn remove_file(&self, dimension: usize) {
        if self.open_file(false).is_some_and(|(_, has)| has == dimension) {
            // It may be gone already.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Returns the file if it is one of this program, and the number of components of its vectors.
    fn open_file(&self, writing: bool) -> Option<(File, usize)> {
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let flags = i32::try_from(flags.bits()).ok()?;
        let file = File::options().read(true).write(writing).custom_flags(flags).open(&self.path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0).ok()?;
        let dimension = u32::from_le_bytes(*header[8 + 32..].first_chunk()?);
        let dimension = usize::try_from(dimension).ok().filter(|dimension| *dimension > 0)?;
        (header == self.header_bytes(dimension)).then_some((file, dimension))
    }

    fn header_bytes(&self, dimension: usize) -> [u8; HEADER] {
        let dimension = u32::try_from(dimension).unwrap_or_default().to_le_bytes();
        let body = [MAGIC.as_slice(), &self.identity, &dimension].concat();
        let mut header = [0; HEADER];
        let (start, end) = header.split_at_mut(HEADER - CHECK);
        start.copy_from_slice(&body);
        end.copy_from_slice(&checksum(&body));
        header
    }
}

impl VectorStore for VectorFile {
    fn get(&self, keys: Arc<[Key]>, dimension: Option<usize>) -> BoxFuture<'_, Result<Found, StoreError>> {
        let file = self.clone();
        Box::pin(async move {
            // A file that cannot be read counts as empty.
            let mut found = spawn_blocking(move || file.read_vectors(&keys).0).await.unwrap_or_default();
            found.retain(|_, vector| dimension.is_none_or(|dimension| vector.numbers().len() == dimension));
            Ok(found)
        })
    }

    fn put(&self, records: Arc<[Record]>) -> BoxFuture<'_, Result<(), StoreError>> {
        let file = self.clone();
        Box::pin(async move {
            let Some((_, first)) = records.first() else { return Ok(()) };
            let dimension = first.numbers().len();
            let kept = spawn_blocking(move || file.append_records(dimension, &records)).await;
            let kept = kept.unwrap_or_else(|error| Err(io::Error::other(error)));
            kept.map_err(|error| StoreError::File { path: self.path.clone(), source: Arc::new(error) })
        })
    }

    fn forget(&self, dimension: usize) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.remove_file(dimension) })
    }
}

fn record_bytes(key: &Key, vector: &QuantisedVector) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(record_length(vector.numbers().len()));
    bytes.extend_from_slice(key);
    bytes.extend_from_slice(&vector.scale().to_le_bytes());
    bytes.extend(vector.numbers().iter().map(|number| number.cast_unsigned()));
    let sum = checksum(&bytes);
    bytes.extend_from_slice(&sum);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(range: std::ops::Range<u32>) -> Vec<Key> {
        range.map(|n| text_key(&n.to_string())).collect()
    }

    fn records(range: std::ops::Range<u32>) -> Vec<Record> {
        let vector = |n: u32| QuantisedVector::from_floats(&[1.0, n as f32, -2.0]).unwrap();
        range.map(|n| (text_key(&n.to_string()), vector(n))).collect()
    }

    /// Returns the numbers of vectors found, and of records read for them.
    fn look(file: &VectorFile, range: std::ops::Range<u32>) -> (usize, u64) {
        let (found, gone_through) = file.read_vectors(&keys(range.clone()));
        let is_own =
            |(key, vector): (Key, QuantisedVector)| found.get(&key).is_none_or(|found| *found == vector);
        assert!(records(range).into_iter().all(is_own));
        (found.len(), gone_through)
    }

    #[test]
    fn what_was_read_once_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (reader, writer) = (VectorFile::new(folder.path(), "m"), VectorFile::new(folder.path(), "m"));
        assert_eq!(look(&reader, 0..3), (0, 0));
        writer.append_records(3, &records(0..10)).unwrap();
        assert_eq!(look(&reader, 0..3), (3, 10));
        writer.append_records(3, &records(10..12)).unwrap();
        assert_eq!(look(&reader, 2..12), (10, 2));
        // Vectors that were not wanted before are found without that.
        assert_eq!(look(&reader, 3..20), (9, 0));
        // A record that was cut off is written over, and read once it is whole.
        let length = std::fs::metadata(&reader.path).unwrap().len();
        File::options().write(true).open(&reader.path).unwrap().set_len(length + 20).unwrap();
        assert_eq!(look(&reader, 0..20), (12, 0));
        writer.append_records(3, &records(12..13)).unwrap();
        assert_eq!(look(&reader, 0..20), (13, 1));
        // A record that was damaged after it was read is not taken.
        File::options().write(true).open(&reader.path).unwrap().write_all_at(&[0xff], length - 60).unwrap();
        assert_eq!(look(&reader, 0..20), (12, 0));
        // Another file in its place, and one that was cut, are read from the beginning.
        std::fs::remove_file(&reader.path).unwrap();
        writer.append_records(3, &records(0..20)).unwrap();
        assert_eq!(look(&reader, 0..20), (20, 20));
        File::options().write(true).open(&reader.path).unwrap().set_len(length).unwrap();
        assert_eq!(look(&reader, 0..20), (12, 12));
        std::fs::remove_file(&reader.path).unwrap();
        assert_eq!(look(&reader, 0..20), (0, 0));
    }
}
