//! A part of the index on the disk: some files, and for each trigram which blocks of them hold it.
//!
//! A block is some lines of a file. A line lies in one block, so whatever a match asks for is in that block together.
//! A segment is written once and never changed. Nothing in it is trusted: each part carries a checksum, and what does
//! not fit is [`Damaged`], never a wrong answer. Its parts, one after the other: header, files, postings, dictionary.

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

pub use files::Files;
use layout::{HEADER, Header, OURS, RECORD, Record};

use super::trigrams::Trigram;

/// Bytes of the files' part or of the dictionary that are taken into memory.
const LARGEST_PART: u64 = 1 << 30;

/// Bytes in which the path of the folder stands that a segment is of.
const LONGEST_ROOT: u64 = 1 << 14;

/// Why a segment is not used.
#[derive(Debug, Error)]
pub enum Damaged {
    /// It cannot be read.
    #[error("the index cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is of another version of this program, or of another folder.
    #[error("the index is of another version or folder")]
    Foreign,
    /// Its content is not what was written.
    #[error("the index is damaged: {0}")]
    Content(&'static str),
}

/// A segment that is open.
#[derive(Debug)]
pub struct Segment {
    path: PathBuf,
    file: File,
    files: Files,
    /// Records in the order of their trigrams.
    dictionary: Box<[u8]>,
    postings: (u64, u64),
}

/// A trigram's place in a segment's dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    index: usize,
    /// Blocks that hold the trigram.
    pub count: u32,
}

impl Segment {
    /// Opens the segment in the file `path`, written for the folder `root`.
    ///
    /// # Errors
    /// Where it is not such a segment, whole and unchanged. Postings are only checked when they are read.
    pub fn open(path: &Path, root: &str) -> Result<Self, Damaged> {
        let file = File::open(path)?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0)?;
        let header = Header::read(&header)?;
        let length = file.metadata()?.len();
        if header.end() != Some(length) {
            return Err(Damaged::Content("its length"));
        }
        let files = Files::read(&part(&file, header.files_at(), header.files_len, header.files_crc)?, root)?;
        let dictionary = part(&file, header.dictionary_at(), header.dictionary_len, header.dictionary_crc)?;
        let segment = Self {
            path: path.to_owned(),
            file,
            files,
            dictionary,
            postings: (header.postings_at(), header.postings_len),
        };
        segment.check()?;
        Ok(segment)
    }

    /// Whether a file is a segment of any version and folder.
    pub fn is_one(path: &Path) -> bool {
        let mut begin = [0; OURS.len()];
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut begin, 0));
        read.is_ok() && begin == OURS
    }

    /// The folder that the segment in the file `path` was written for, as it says; not checked.
    ///
    /// # Errors
    /// Where it is none of this version, or says nothing.
    pub fn root_of(path: &Path) -> Result<String, Damaged> {
        let file = File::open(path)?;
        let mut header = [0; HEADER];
        file.read_exact_at(&mut header, 0)?;
        let header = Header::read(&header)?;
        let mut begin = vec![0; usize::try_from(header.files_len.min(LONGEST_ROOT)).unwrap_or_default()];
        file.read_exact_at(&mut begin, header.files_at())?;
        Files::root(&begin).ok_or(Damaged::Content("its folder"))
    }

    /// The file that it is in.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The files that it tells of.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Trigrams in its dictionary.
    pub fn terms(&self) -> usize {
        self.dictionary.len() / RECORD
    }

    /// Bytes on the disk.
    pub fn bytes(&self) -> u64 {
        self.postings.0 + self.postings.1 + self.dictionary.len() as u64
    }

    /// The trigram, where a block holds it.
    pub fn term(&self, trigram: Trigram) -> Option<Term> {
        let index = self.lower_bound(trigram);
        let record = self.record(index)?;
        (record.trigram == trigram).then_some(Term { index, count: record.count })
    }

    /// Every trigram that begins with two bytes.
    pub fn terms_of(&self, pair: u16) -> impl Iterator<Item = Term> + '_ {
        let first = self.lower_bound(u32::from(pair) << 8);
        (first..self.terms())
            .filter_map(|index| self.record(index).map(|record| (index, record)))
            .take_while(move |(_, record)| record.trigram >> 8 == u32::from(pair))
            .map(|(index, record)| Term { index, count: record.count })
    }

    /// Puts the numbers of the blocks that hold a trigram into `into`, ascending, in place of what it holds. `bytes` is
    /// room to work in.
    ///
    /// # Errors
    /// Where the postings are not what was written.
    pub fn postings(&self, term: Term, bytes: &mut Vec<u8>, into: &mut Vec<u32>) -> Result<(), Damaged> {
        let record = self.read(term, bytes)?;
        postings::decode(bytes, record.count, self.files.blocks(), into)
    }

    /// Takes from `found`, ascending, the numbers of blocks that do not hold a trigram. `bytes` and `room` are room to
    /// work in.
    ///
    /// # Errors
    /// As [`Segment::postings`].
    pub fn keep_common(
        &self,
        term: Term,
        bytes: &mut Vec<u8>,
        room: &mut Vec<u32>,
        found: &mut Vec<u32>,
    ) -> Result<(), Damaged> {
        let record = self.read(term, bytes)?;
        postings::keep_common(bytes, record.count, self.files.blocks(), found, room)
    }

    /// Reads the bytes of a trigram's postings.
    fn read(&self, term: Term, bytes: &mut Vec<u8>) -> Result<Record, Damaged> {
        let record = self.record(term.index).ok_or(Damaged::Content("its dictionary"))?;
        let end = self.record(term.index + 1).map_or(self.postings.1, |next| next.offset);
        let length = usize::try_from(end.saturating_sub(record.offset)).unwrap_or(usize::MAX);
        if length > postings::longest(self.files.blocks()) {
            return Err(Damaged::Content("the length of its postings"));
        }
        bytes.resize(length, 0);
        self.file.read_exact_at(bytes, self.postings.0 + record.offset)?;
        if crc32fast::hash(bytes) != record.crc {
            return Err(Damaged::Content("its postings"));
        }
        Ok(record)
    }

    fn trigram_at(&self, index: usize) -> Option<Trigram> {
        self.record(index).map(|record| record.trigram)
    }

    fn lower_bound(&self, trigram: Trigram) -> usize {
        let (mut low, mut high) = (0, self.terms());
        while low < high {
            let middle = low.midpoint(high);
            match self.trigram_at(middle) {
                Some(found) if found < trigram => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    fn record(&self, index: usize) -> Option<Record> {
        let at = index.checked_mul(RECORD)?;
        self.dictionary.get(at..at + RECORD)?.try_into().ok().map(|bytes| Record::read(&bytes))
    }

    fn check(&self) -> Result<(), Damaged> {
        let mut before: Option<Record> = None;
        for index in 0..self.terms() {
            let Some(record) = self.record(index) else { break };
            let ascends =
                before.is_none_or(|one| one.trigram < record.trigram && one.offset <= record.offset);
            if !ascends || record.offset > self.postings.1 || record.count > self.files.blocks() {
                return Err(Damaged::Content("its dictionary"));
            }
            before = Some(record);
        }
        Ok(())
    }
}

fn part(file: &File, at: u64, length: u64, crc: u32) -> Result<Box<[u8]>, Damaged> {
    let length = usize::try_from(length.min(LARGEST_PART)).unwrap_or_default();
    let mut bytes = vec![0; length].into_boxed_slice();
    file.read_exact_at(&mut bytes, at)?;
    if crc32fast::hash(&bytes) == crc { Ok(bytes) } else { Err(Damaged::Content("a checksum")) }
}

#[cfg(test)]
mod tests;
