//! The bytes of a segment's header and of its dictionary's records.

use super::Damaged;
use crate::lexical::trigrams::Trigram;

/// What a segment begins with; the last byte is the version of everything in it, the way texts are read among it.
const MAGIC: [u8; 8] = *b"wfindex\x01";

/// What segments of every version begin with.
pub(super) const OURS: &[u8] = b"wfindex";

/// Bytes of a header.
pub(super) const HEADER: usize = 48;

/// Bytes of a record.
pub(super) const RECORD: usize = 16;

/// Where the parts are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
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

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// Where it is none of this version, or damaged.
    pub(super) fn read(bytes: &[u8; HEADER]) -> Result<Self, Damaged> {
        let (magic, rest) = bytes.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(Damaged::Foreign);
        }
        let mut numbers = Numbers(rest);
        let header = Self {
            files_len: numbers.eight(),
            postings_len: numbers.eight(),
            dictionary_len: numbers.eight(),
            files_crc: numbers.four(),
            dictionary_crc: numbers.four(),
        };
        if header.bytes() == *bytes { Ok(header) } else { Err(Damaged::Content("its header")) }
    }

    /// The header as it is written.
    pub(super) fn bytes(&self) -> [u8; HEADER] {
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

    /// Where the files' part begins.
    pub(super) fn files_at(&self) -> u64 {
        HEADER as u64
    }

    /// Where the postings begin.
    pub(super) fn postings_at(&self) -> u64 {
        self.files_at().saturating_add(self.files_len)
    }

    /// Where the dictionary begins.
    pub(super) fn dictionary_at(&self) -> u64 {
        self.postings_at().saturating_add(self.postings_len)
    }

    /// Where it all ends, unless that is beyond any file.
    pub(super) fn end(&self) -> Option<u64> {
        self.files_at()
            .checked_add(self.files_len)?
            .checked_add(self.postings_len)?
            .checked_add(self.dictionary_len)
    }
}

/// A trigram's entry in the dictionary. Its postings reach up to those of the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Which one.
    pub trigram: Trigram,
    /// Where its postings begin among all; at most 2^40.
    pub offset: u64,
    /// Files that hold it.
    pub count: u32,
    /// The checksum of its postings.
    pub crc: u32,
}

impl Record {
    /// Reads a record.
    pub(super) fn read(bytes: &[u8; RECORD]) -> Self {
        let mut numbers = Numbers(bytes);
        let packed = numbers.eight();
        Self {
            trigram: u32::try_from(packed >> 40).unwrap_or_default(),
            offset: packed & 0xff_ffff_ffff,
            count: numbers.four(),
            crc: numbers.four(),
        }
    }

    /// The record as it is written.
    pub(super) fn bytes(&self) -> [u8; RECORD] {
        let packed = u64::from(self.trigram) << 40 | (self.offset & 0xff_ffff_ffff);
        let mut bytes = [0; RECORD];
        let all =
            packed.to_le_bytes().into_iter().chain(self.count.to_le_bytes()).chain(self.crc.to_le_bytes());
        bytes.iter_mut().zip(all).for_each(|(to, from)| *to = from);
        bytes
    }
}

/// Numbers of fixed width, one after the other; zeros after the end.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((bytes, rest)) = self.0.split_first_chunk::<N>() else { return [0; N] };
        self.0 = rest;
        *bytes
    }

    fn eight(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    fn four(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }
}
