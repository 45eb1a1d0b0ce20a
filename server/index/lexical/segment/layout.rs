//! The bytes of a segment's header and of its dictionary's records.

use super::SegmentError;
use crate::lexical::trigrams::Trigram;

/// The first bytes of a segment; the last byte is the version of everything in it, including the way of reading
/// texts.
const MAGIC: [u8; 8] = *b"wfindex\x01";

/// The first bytes of segments of every version.
pub(super) const OURS: &[u8] = b"wfindex";

/// Bytes of a header.
pub(super) const HEADER: usize = 48;

/// Bytes of a record.
pub(super) const RECORD: usize = 16;

/// The positions of the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SegmentHeader {
    /// Bytes of the files' part.
    pub files_len: u64,
    /// Its checksum.
    pub files_crc: u32,
    /// Bytes of the postings.
    pub postings_len: u64,
    /// Bytes of the dictionary.
    pub dictionary_len: u64,
    /// Its checksum.
    pub dictionary_crc: u32,
}

impl SegmentHeader {
    /// Reads a header.
    ///
    /// # Errors
    /// Fails if it is not of this version, or damaged.
    pub(super) fn from_bytes(bytes: &[u8; HEADER]) -> Result<Self, SegmentError> {
        let (magic, rest) = bytes.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(SegmentError::Foreign);
        }
        let mut numbers = NumberReader(rest);
        let header = Self {
            files_len: numbers.next_u64(),
            postings_len: numbers.next_u64(),
            dictionary_len: numbers.next_u64(),
            files_crc: numbers.next_u32(),
            dictionary_crc: numbers.next_u32(),
        };
        if header.to_bytes() == *bytes { Ok(header) } else { Err(SegmentError::Content("its header")) }
    }

    /// The header as it is written.
    pub(super) fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend(MAGIC);
        bytes.extend(self.files_len.to_le_bytes());
        bytes.extend(self.postings_len.to_le_bytes());
        bytes.extend(self.dictionary_len.to_le_bytes());
        bytes.extend(self.files_crc.to_le_bytes());
        bytes.extend(self.dictionary_crc.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let mut header = [0; HEADER];
        header.iter_mut().zip(bytes).for_each(|(to, from)| *to = from);
        header
    }

    /// Returns the start of the files' part.
    pub(super) fn files_at(&self) -> u64 {
        HEADER as u64
    }

    /// Returns the start of the postings.
    pub(super) fn postings_at(&self) -> u64 {
        self.files_at().saturating_add(self.files_len)
    }

    /// Returns the start of the dictionary.
    pub(super) fn dictionary_at(&self) -> u64 {
        self.postings_at().saturating_add(self.postings_len)
    }

    /// Returns the end of the segment, unless that is beyond any file.
    pub(super) fn end_offset(&self) -> Option<u64> {
        self.files_at()
            .checked_add(self.files_len)?
            .checked_add(self.postings_len)?
            .checked_add(self.dictionary_len)
    }
}

/// A trigram's entry in the dictionary. Its postings reach up to those of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DictionaryRecord {
    /// The trigram.
    pub trigram: Trigram,
    /// The start of its postings among all; at most 2^40.
    pub offset: u64,
    /// Files that hold it.
    pub count: u32,
    /// The checksum of its postings.
    pub crc: u32,
}

impl DictionaryRecord {
    /// Reads a record.
    pub(super) fn from_bytes(bytes: &[u8; RECORD]) -> Self {
        let mut numbers = NumberReader(bytes);
        let packed = numbers.next_u64();
        Self {
            trigram: u32::try_from(packed >> 40).unwrap_or_default(),
            offset: packed & 0xff_ffff_ffff,
            count: numbers.next_u32(),
            crc: numbers.next_u32(),
        }
    }

    /// The record as it is written.
    pub(super) fn to_bytes(self) -> [u8; RECORD] {
        let packed = u64::from(self.trigram) << 40 | (self.offset & 0xff_ffff_ffff);
        let mut bytes = [0; RECORD];
        let all =
            packed.to_le_bytes().into_iter().chain(self.count.to_le_bytes()).chain(self.crc.to_le_bytes());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }
}

/// Numbers of fixed width, one after the other; zeros after the end.
struct NumberReader<'a>(&'a [u8]);

impl NumberReader<'_> {
    fn take_bytes<const N: usize>(&mut self) -> [u8; N] {
        let Some((bytes, rest)) = self.0.split_first_chunk::<N>() else { return [0; N] };
        self.0 = rest;
        *bytes
    }

    fn next_u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take_bytes())
    }

    fn next_u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take_bytes())
    }
}
