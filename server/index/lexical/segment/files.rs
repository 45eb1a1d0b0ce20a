//! The files of a segment: their paths, the states in which they were read, and how many blocks each has.

use std::ops::Range;

use super::SegmentError;
use super::postings::{pull_varint, push_varint};
use crate::lexical::entry::StatStamp;

/// Paths and stamps, numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentFiles {
    paths: String,
    ends: Vec<u32>,
    stamps: Vec<StatStamp>,
    /// For each file the number after that of its last block.
    blocks: Vec<u32>,
}

impl SegmentFiles {
    /// Adds a file as the next number, with so many blocks; not if paths or blocks are more than four billions.
    pub fn push(&mut self, path: &str, stamp: StatStamp, blocks: u32) -> bool {
        let Ok(end) = u32::try_from(self.paths.len() + path.len()) else { return false };
        let Some(last) = self.block_count().checked_add(blocks) else { return false };
        self.blocks.push(last);
        self.paths.push_str(path);
        self.ends.push(end);
        self.stamps.push(stamp);
        true
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.stamps.len()
    }

    /// Returns whether there are no files.
    pub fn is_empty(&self) -> bool {
        self.stamps.is_empty()
    }

    /// The path of a file, empty if there is no such number.
    pub fn path(&self, number: usize) -> &str {
        let begin =
            number.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        let end = self.ends.get(number).map_or(begin, |&end| end as usize);
        self.paths.get(begin..end).unwrap_or_default()
    }

    /// The state in which a file was read.
    pub fn stamp(&self, number: usize) -> Option<StatStamp> {
        self.stamps.get(number).copied()
    }

    /// Blocks of all files.
    pub fn block_count(&self) -> u32 {
        self.blocks.last().copied().unwrap_or_default()
    }

    /// The numbers of a file's blocks.
    pub fn blocks_of(&self, number: usize) -> Range<u32> {
        let begin =
            number.checked_sub(1).and_then(|before| self.blocks.get(before)).copied().unwrap_or_default();
        begin..self.blocks.get(number).copied().unwrap_or(begin)
    }

    /// Returns every file, by number.
    pub fn iter(&self) -> impl Iterator<Item = (&str, StatStamp)> {
        self.stamps.iter().enumerate().map(|(number, &stamp)| (self.path(number), stamp))
    }

    /// Returns the files in their written form, with the folder that they are in.
    pub fn to_bytes(&self, root: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.len() * 48);
        push_varint(root.len() as u64, &mut bytes);
        bytes.extend(root.as_bytes());
        push_varint(self.len() as u64, &mut bytes);
        let mut before = "";
        for (number, (path, stamp)) in self.iter().enumerate() {
            let shared = before.bytes().zip(path.bytes()).take_while(|(one, other)| one == other).count();
            push_varint(shared as u64, &mut bytes);
            push_varint((path.len() - shared) as u64, &mut bytes);
            bytes.extend(path.bytes().skip(shared));
            push_varint(self.blocks_of(number).len() as u64, &mut bytes);
            bytes.extend(stamp.size.to_le_bytes());
            bytes.extend(stamp.mtime_ns.to_le_bytes());
            bytes.extend(stamp.ctime_ns.to_le_bytes());
            bytes.extend(stamp.inode.to_le_bytes());
            before = path;
        }
        bytes
    }

    /// The folder that they are in, by the beginning of what was written.
    pub fn read_root(mut bytes: &[u8]) -> Option<String> {
        String::from_utf8(pull_text(&mut bytes)?.to_vec()).ok()
    }

    /// Reads them back.
    ///
    /// # Errors
    /// Fails if they are of another folder, or damaged.
    pub fn from_bytes(bytes: &[u8], root: &str) -> Result<Self, SegmentError> {
        let mut rest = bytes;
        let of = pull_text(&mut rest).ok_or(SegmentError::Content("its folder"))?;
        if of != root.as_bytes() {
            return Err(SegmentError::Foreign);
        }
        Self::read_files(rest).ok_or(SegmentError::Content("its files"))
    }

    fn read_files(mut rest: &[u8]) -> Option<Self> {
        let count = pull_varint(&mut rest)?;
        let mut files = Self::default();
        let mut path = Vec::new();
        for _ in 0..count {
            let shared = usize::try_from(pull_varint(&mut rest)?).ok()?;
            path.get(..shared)?;
            path.truncate(shared);
            path.extend(pull_text(&mut rest)?);
            let blocks = u32::try_from(pull_varint(&mut rest)?).ok()?;
            let mut number = || {
                let (bytes, after) = rest.split_first_chunk::<8>()?;
                rest = after;
                Some(*bytes)
            };
            let stamp = StatStamp {
                size: u64::from_le_bytes(number()?),
                mtime_ns: i64::from_le_bytes(number()?),
                ctime_ns: i64::from_le_bytes(number()?),
                inode: u64::from_le_bytes(number()?),
            };
            if !files.push(std::str::from_utf8(&path).ok()?, stamp, blocks) {
                return None;
            }
        }
        rest.is_empty().then_some(files)
    }
}

fn pull_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(pull_varint(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(text)
}
