//! The files that a segment tells of: their paths, the states in which they were read, and how many blocks each has.

use std::ops::Range;

use super::Damaged;
use super::postings::{pull_varint, push_varint};
use crate::lexical::entry::Stamp;

/// Paths and stamps, numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Files {
    paths: String,
    ends: Vec<u32>,
    stamps: Vec<Stamp>,
    /// For each file the number after that of its last block.
    blocks: Vec<u32>,
}

impl Files {
    /// Adds a file as the next number, with so many blocks; not where paths or blocks are more than four billions.
    pub fn push(&mut self, path: &str, stamp: Stamp, blocks: u32) -> bool {
        let Ok(end) = u32::try_from(self.paths.len() + path.len()) else { return false };
        let Some(last) = self.blocks().checked_add(blocks) else { return false };
        self.blocks.push(last);
        self.paths.push_str(path);
        self.ends.push(end);
        self.stamps.push(stamp);
        true
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.stamps.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.stamps.is_empty()
    }

    /// The path of a file, empty where there is no such number.
    pub fn path(&self, number: usize) -> &str {
        let begin =
            number.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        let end = self.ends.get(number).map_or(begin, |&end| end as usize);
        self.paths.get(begin..end).unwrap_or_default()
    }

    /// The state in which a file was read.
    pub fn stamp(&self, number: usize) -> Option<Stamp> {
        self.stamps.get(number).copied()
    }

    /// Blocks of all files.
    pub fn blocks(&self) -> u32 {
        self.blocks.last().copied().unwrap_or_default()
    }

    /// The numbers of a file's blocks.
    pub fn blocks_of(&self, number: usize) -> Range<u32> {
        let begin =
            number.checked_sub(1).and_then(|before| self.blocks.get(before)).copied().unwrap_or_default();
        begin..self.blocks.get(number).copied().unwrap_or(begin)
    }

    /// Every file, by number.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Stamp)> {
        self.stamps.iter().enumerate().map(|(number, &stamp)| (self.path(number), stamp))
    }

    /// As they are written, with the folder that they are in.
    pub fn bytes(&self, root: &str) -> Vec<u8> {
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
    pub fn root(mut bytes: &[u8]) -> Option<String> {
        String::from_utf8(text(&mut bytes)?.to_vec()).ok()
    }

    /// Reads them back.
    ///
    /// # Errors
    /// Where they are of another folder, or damaged.
    pub fn read(bytes: &[u8], root: &str) -> Result<Self, Damaged> {
        let mut rest = bytes;
        let of = text(&mut rest).ok_or(Damaged::Content("its folder"))?;
        if of != root.as_bytes() {
            return Err(Damaged::Foreign);
        }
        Self::read_files(rest).ok_or(Damaged::Content("its files"))
    }

    fn read_files(mut rest: &[u8]) -> Option<Self> {
        let count = pull_varint(&mut rest)?;
        let mut files = Self::default();
        let mut path = Vec::new();
        for _ in 0..count {
            let shared = usize::try_from(pull_varint(&mut rest)?).ok()?;
            path.get(..shared)?;
            path.truncate(shared);
            path.extend(text(&mut rest)?);
            let blocks = u32::try_from(pull_varint(&mut rest)?).ok()?;
            let mut number = || {
                let (bytes, after) = rest.split_first_chunk::<8>()?;
                rest = after;
                Some(*bytes)
            };
            let stamp = Stamp {
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

fn text<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(pull_varint(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(text)
}
