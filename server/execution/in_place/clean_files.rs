//! Files of which git has the bytes: those that stand as git's index knows them, in a repository whose attributes name no
//! conversion. They need no copy.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::super::git::places;
use super::super::index_file::{IndexEntry, index_entries};
use super::entries::{EntryKind, EntryState, WorkspaceEntries};
use crate::base::{WorkspacePath, person};

/// Bytes of the largest index, and of the largest file of attributes, that is read.
const LARGEST_INDEX: u64 = 64 << 20;
const LARGEST_ATTRIBUTES: u64 = 1 << 20;
/// The flag of an entry that git takes to be unchanged, in the first byte of its flags.
const ASSUME_VALID: u8 = 0x80;
/// Bytes of an entry before its hash.
const STATUS: usize = 40;
/// Words in attributes by which a file holds other bytes than git has of it.
const CONVERSIONS: [&str; 3] = ["filter", "ident", "working-tree-encoding"];

/// The files of a workspace that are clean in git.
#[derive(Debug, Default)]
pub(super) struct CleanFiles {
    entries: HashMap<WorkspacePath, IndexedFile>,
    /// The time at which the index was written.
    written: (i64, i64),
}

/// A file as git's index knows it.
#[derive(Debug)]
struct IndexedFile {
    hash: String,
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    size: u32,
}

impl CleanFiles {
    /// Reads the index of the repository whose working tree is at `root`; none are clean where there is no such repository,
    /// or it converts files.
    pub(super) fn at_root(root: &Path, entries: &WorkspaceEntries) -> Self {
        Self::read(root, entries).unwrap_or_default()
    }

    fn read(root: &Path, entries: &WorkspaceEntries) -> Option<Self> {
        let places = places(root)?;
        let attributes = entries
            .found
            .keys()
            .filter(|path| path.name() == ".gitattributes")
            .map(|path| root.join(path.as_str()))
            .chain([places.shared.join("info/attributes"), PathBuf::from("/etc/gitattributes")])
            .chain(
                person::home_dir()
                    .into_iter()
                    .flat_map(|home| [home.join(".config/git/attributes"), home.join(".gitattributes")]),
            );
        if attributes.into_iter().any(|file| converts_files(&file)) {
            return None;
        }
        let index = places.own.join("index");
        let found = fs::symlink_metadata(&index).ok().filter(|found| found.is_file())?;
        let bytes = read_bounded(&index, LARGEST_INDEX)?;
        let (length, listed) =
            [20, 32].into_iter().find_map(|length| Some((length, index_entries(&bytes, length)?)))?;
        let read = listed.iter().filter_map(|entry| indexed_file(&bytes, length, entry));
        Some(Self { entries: read.collect(), written: (found.mtime(), found.mtime_nsec()) })
    }

    /// The hash under which git has the bytes of a file as it stands.
    pub(super) fn find_blob(&self, path: &WorkspacePath, now: &EntryState) -> Option<&str> {
        let known = self.entries.get(path).filter(|_| now.kind == EntryKind::File)?;
        // One that was written together with the index, or later, may have changed without another time.
        let is_settled = now.modified < self.written && known.modified.1 != 0;
        let low = |(seconds, nanoseconds): (i64, i64)| {
            Some((u32::try_from(seconds & 0xffff_ffff).ok()?, u32::try_from(nanoseconds).ok()?))
        };
        let is_known = low(now.modified)? == known.modified
            && low(now.changed)? == known.changed
            && now.inode & 0xffff_ffff == u64::from(known.inode)
            && now.size == u64::from(known.size);
        (is_settled && is_known).then_some(&*known.hash)
    }
}

fn indexed_file(
    index: &[u8],
    hash_length: usize,
    entry: &IndexEntry,
) -> Option<(WorkspacePath, IndexedFile)> {
    let is_file = entry.mode >> 12 == 0o10;
    let first = *index.get(entry.flags)?;
    if !is_file || entry.stage != 0 || first & ASSUME_VALID != 0 || entry.is_extended {
        return None;
    }
    let start = entry.flags.checked_sub(STATUS + hash_length)?;
    let number =
        |at: usize| Some(u32::from_be_bytes(index.get(start + at..start + at + 4)?.try_into().ok()?));
    let path = WorkspacePath::from_relative(std::str::from_utf8(&entry.name).ok()?)?;
    let hash = entry.hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let file = IndexedFile {
        hash,
        changed: (number(0)?, number(4)?),
        modified: (number(8)?, number(12)?),
        inode: number(20)?,
        size: number(36)?,
    };
    Some((path, file))
}

/// Returns whether a file of attributes may name a conversion; also where it cannot be read.
fn converts_files(file: &Path) -> bool {
    if fs::symlink_metadata(file).is_err() {
        return false;
    }
    read_bounded(file, LARGEST_ATTRIBUTES).is_none_or(|bytes| {
        let text = String::from_utf8_lossy(&bytes);
        CONVERSIONS.iter().any(|word| text.contains(word))
    })
}

fn read_bounded(file: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // A pipe in its place is not waited for.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let opened = File::options().read(true).custom_flags(flags).open(file).ok()?;
    opened.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}
