//! Git's index, read from its bytes: the files of the working tree with the hashes of their contents.

use std::collections::BTreeMap;

/// Bytes of an entry before its hash.
const STATUS: usize = 40;
/// The offset of the mode in those bytes.
const MODE: usize = 24;
/// The flag of an entry that has further flags, in the first byte of its flags.
pub(super) const EXTENDED: u8 = 0x40;

/// An entry of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    /// The offset of the flags.
    pub(super) flags: usize,
    /// True where further flags follow those.
    pub(super) is_extended: bool,
    /// The offset of the next entry.
    pub(super) end: usize,
    pub(super) mode: u32,
    pub(super) hash: Vec<u8>,
    /// Which side of a conflict it is; 0 where there is none.
    pub(super) stage: u8,
    /// The path.
    pub(super) name: Vec<u8>,
}

/// The contents of an index: by path and stage, the mode and the hash.
pub(super) type IndexContents = BTreeMap<(Vec<u8>, u8), (u32, Vec<u8>)>;

/// The contents of an index. None where it is none, or its entries stand in another file.
pub(super) fn index_contents(index: &[u8]) -> Option<IndexContents> {
    let entries = [20, 32].into_iter().find_map(|length| index_entries(index, length))?;
    Some(entries.into_iter().map(|entry| ((entry.name, entry.stage), (entry.mode, entry.hash))).collect())
}

/// The entries of an index with hashes of `hash_length` bytes. None where it is no such index, or its entries stand in another
/// file.
pub(super) fn index_entries(index: &[u8], hash_length: usize) -> Option<Vec<IndexEntry>> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let (version, count) = (number(4)?, number(8)?);
    if index.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut name, mut found) = (12, Vec::new(), Vec::new());
    for _ in 0..count {
        let flags = at + STATUS + hash_length;
        let hash = index.get(at + STATUS..flags)?.to_vec();
        let first = *index.get(flags)?;
        let is_extended = version >= 3 && first & EXTENDED != 0;
        let mut start = flags + if is_extended { 4 } else { 2 };
        if version == 4 {
            let (cut, length) = offset(index.get(start..)?)?;
            start += length;
            name.truncate(name.len().checked_sub(cut)?);
        } else {
            name.clear();
        }
        let length = index.get(start..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(&index[start..start + length]);
        let (mode, stage) = (number(at + MODE)?, first >> 4 & 3);
        at = match version {
            4 => start + length + 1,
            // Up to eight zeros, to a whole number of eight bytes.
            _ => at + (start + length - at + 8) / 8 * 8,
        };
        found.push(IndexEntry { flags, is_extended, end: at, mode, hash, stage, name: name.clone() });
    }
    let end = index.len().checked_sub(hash_length)?;
    while at < end {
        let (kind, length) = (index.get(at..at + 4)?, number(at + 4)? as usize);
        if kind == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(length)?;
    }
    (at == end).then_some(found)
}

/// The number that an entry of the fourth version begins its name with, and its length.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut length = 1;
    while bytes.get(length - 1)? & 0x80 != 0 {
        value =
            value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(bytes.get(length)? & 0x7f))?;
        length += 1;
    }
    Some((value, length))
}
