//! A part of the index on the disk: some files, and for each trigram which blocks of them hold it.
//!
//! A block is some lines of a file. A line lies in one block, so whatever a match asks for is in that block together.
//! A segment is written once and never changed. Nothing in it is trusted: each part carries a checksum, and what does
//! not fit is [`SegmentError`], never a wrong answer. Its parts, one after the other: header, files, postings, dictionary.

pub mod builder;
mod files;
mod layout;
pub mod merge;
mod postings;
pub mod writer;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use files::SegmentFiles;
use layout::{DictionaryRecord, HEADER, OURS, RECORD, SegmentHeader};

use super::trigrams::Trigram;

/// Bytes of the files' part or of the dictionary that are taken into memory.
const LARGEST_PART: u64 = 1 << 30;

/// The most bytes of the path of a segment's folder.
const LONGEST_ROOT: u64 = 1 << 14;

/// The reason why a segment is not used.
#[derive(Debug, Error)]
pub enum SegmentError {
    /// It cannot be read.
    #[error("the index cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is of another version of this program, or of another folder.
    #[error("the index is of another version or folder")]
    Foreign,
    /// Its content was changed.
    #[error("the index is damaged: {0}")]
    Content(&'static str),
}

/// A segment that is open.
#[derive(Debug)]
pub struct IndexSegment {
    path: PathBuf,
    file: File,
    files: SegmentFiles,
    /// Records in the order of their trigrams.
    dictionary: Box<[u8]>,
    postings: (u64, u64),
}

/// A trigram's place in a segment's dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DictionaryTerm {
    index: usize,
    /// Blocks that hold the trigram.
    pub count: u32,
}

impl IndexSegment {
    /// Opens the segment in the file `path`, written for the folder `root`.
    ///
    /// # Errors
    /// Fails if it is not such a segment, whole and unchanged. Postings are only checked when they are read.
    pub fn open(path: &Path, root: &str) -> Result<Self, SegmentError> {
        let file = File::open(path)?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0)?;
        let header = SegmentHeader::from_bytes(&header)?;
        let length = file.metadata()?.len();
        if header.end_offset() != Some(length) {
            return Err(SegmentError::Content("its length"));
        }
        let files = SegmentFiles::from_bytes(
            &read_part(&file, header.files_at(), header.files_len, header.files_crc)?,
            root,
        )?;
        let dictionary =
            read_part(&file, header.dictionary_at(), header.dictionary_len, header.dictionary_crc)?;
        let segment = Self {
            path: path.to_owned(),
            file,
            files,
            dictionary,
            postings: (header.postings_at(), header.postings_len),
        };
        segment.check_dictionary()?;
        Ok(segment)
    }

    /// Returns whether a file is a segment of any version and folder.
    pub fn is_one(path: &Path) -> bool {
        let mut begin = [0; OURS.len()];
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut begin, 0));
        read.is_ok() && begin == OURS
    }

    /// Returns the folder that the segment in the file `path` names as its own; not checked.
    ///
    /// # Errors
    /// Fails if it is not of this version, or names no folder.
    pub fn root_of(path: &Path) -> Result<String, SegmentError> {
        let file = File::open(path)?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0)?;
        let header = SegmentHeader::from_bytes(&header)?;
        let mut begin = vec![0; usize::try_from(header.files_len.min(LONGEST_ROOT)).unwrap_or_default()];
        file.read_exact_at(&mut begin, header.files_at())?;
        SegmentFiles::read_root(&begin).ok_or(SegmentError::Content("its folder"))
    }

    /// The file that it is in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the files of the segment.
    pub fn files(&self) -> &SegmentFiles {
        &self.files
    }

    /// Trigrams in its dictionary.
    pub fn term_count(&self) -> usize {
        self.dictionary.len() / RECORD
    }

    /// Bytes on the disk.
    pub fn bytes(&self) -> u64 {
        self.postings.0 + self.postings.1 + self.dictionary.len() as u64
    }

    /// The trigram, if a block holds it.
    pub fn find_term(&self, trigram: Trigram) -> Option<DictionaryTerm> {
        let index = self.lower_bound(trigram);
        let record = self.record_at(index)?;
        (record.trigram == trigram).then_some(DictionaryTerm { index, count: record.count })
    }

    /// Returns every trigram that begins with two bytes.
    pub fn terms_of(&self, pair: u16) -> impl Iterator<Item = DictionaryTerm> + '_ {
        let first = self.lower_bound(u32::from(pair) << 8);
        (first..self.term_count())
            .filter_map(|index| self.record_at(index).map(|record| (index, record)))
            .take_while(move |(_, record)| record.trigram >> 8 == u32::from(pair))
            .map(|(index, record)| DictionaryTerm { index, count: record.count })
    }

    /// Puts the numbers of the blocks that hold a trigram into `into`, ascending, in place of what it holds. `bytes` is
    /// room to work in.
    ///
    /// # Errors
    /// Fails if the postings are damaged.
    pub fn postings(
        &self,
        term: DictionaryTerm,
        bytes: &mut Vec<u8>,
        into: &mut Vec<u32>,
    ) -> Result<(), SegmentError> {
        let record = self.read_postings(term, bytes)?;
        postings::decode_numbers(bytes, record.count, self.files.block_count(), into)
    }

    /// Takes from `found`, ascending, the numbers of blocks that do not hold a trigram. `bytes` and `room` are room to
    /// work in.
    ///
    /// # Errors
    /// As [`IndexSegment::postings`].
    pub fn keep_common(
        &self,
        term: DictionaryTerm,
        bytes: &mut Vec<u8>,
        room: &mut Vec<u32>,
        found: &mut Vec<u32>,
    ) -> Result<(), SegmentError> {
        let record = self.read_postings(term, bytes)?;
        postings::keep_common(bytes, record.count, self.files.block_count(), found, room)
    }

    /// Reads the bytes of a trigram's postings.
    fn read_postings(
        &self,
        term: DictionaryTerm,
        bytes: &mut Vec<u8>,
    ) -> Result<DictionaryRecord, SegmentError> {
        let record = self.record_at(term.index).ok_or(SegmentError::Content("its dictionary"))?;
        let end = self.record_at(term.index + 1).map_or(self.postings.1, |next| next.offset);
        let length = usize::try_from(end.saturating_sub(record.offset)).unwrap_or(usize::MAX);
        if length > postings::max_length(self.files.block_count()) {
            return Err(SegmentError::Content("the length of its postings"));
        }
        bytes.resize(length, 0);
        self.file.read_exact_at(bytes, self.postings.0 + record.offset)?;
        if crc32fast::hash(bytes) != record.crc {
            return Err(SegmentError::Content("its postings"));
        }
        Ok(record)
    }

    fn trigram_at(&self, index: usize) -> Option<Trigram> {
        self.record_at(index).map(|record| record.trigram)
    }

    fn lower_bound(&self, trigram: Trigram) -> usize {
        let (mut low, mut high) = (0, self.term_count());
        while low < high {
            let middle = low.midpoint(high);
            match self.trigram_at(middle) {
                Some(found) if found < trigram => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    fn record_at(&self, index: usize) -> Option<DictionaryRecord> {
        let at = index.checked_mul(RECORD)?;
        self.dictionary
            .get(at..at + RECORD)?
            .try_into()
            .ok()
            .map(|bytes| DictionaryRecord::from_bytes(&bytes))
    }

    fn check_dictionary(&self) -> Result<(), SegmentError> {
        let mut before: Option<DictionaryRecord> = None;
        for index in 0..self.term_count() {
            let Some(record) = self.record_at(index) else { break };
            let ascends =
                before.is_none_or(|one| one.trigram < record.trigram && one.offset <= record.offset);
            if !ascends || record.offset > self.postings.1 || record.count > self.files.block_count() {
                return Err(SegmentError::Content("its dictionary"));
            }
            before = Some(record);
        }
        Ok(())
    }
}

fn read_part(file: &File, at: u64, length: u64, crc: u32) -> Result<Box<[u8]>, SegmentError> {
    let length = usize::try_from(length.min(LARGEST_PART)).unwrap_or_default();
    let mut bytes = vec![0; length].into_boxed_slice();
    file.read_exact_at(&mut bytes, at)?;
    if crc32fast::hash(&bytes) == crc { Ok(bytes) } else { Err(SegmentError::Content("a checksum")) }
}

#[cfg(test)]
mod tests;
