//! A copy of git's index for a command that cannot read some of the tracked files: each of those is marked as
//! unchanged and as not in the working tree, so that git neither looks at the file in its place nor writes it.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use sha1::Sha1;
use sha2::{Digest, Sha256};

use super::index_file::{EXTENDED, IndexEntry, index_entries};
use super::tracked_files::IndexStamp;
use crate::sandbox::FileReplacement;

/// Bytes of the largest index that is copied: that of half a million files.
const LARGEST: u64 = 64 << 20;
/// The flag of an entry that git takes to be unchanged, in the first byte of its flags.
const ASSUME_VALID: u8 = 0x80;
/// The flag of an entry that git neither looks for nor writes in the working tree, in the first byte of its further flags.
const SKIP_WORKTREE: u8 = 0x40;
/// The first version of an index whose entries have further flags.
const EXTENDED_VERSION: u8 = 3;
/// Extensions that hold offsets of entries.
const OFFSETS: [&[u8]; 2] = [b"EOIE", b"IEOT"];

/// The copy that was made last.
#[derive(Debug, Default)]
pub(super) struct IndexCopy(Mutex<Option<CopiedIndex>>);

#[derive(Debug)]
struct CopiedIndex {
    index: IndexStamp,
    closed: Vec<PathBuf>,
    pair: IndexPair,
}

/// An index as it is on the disk, and as a command finds it.
#[derive(Clone, Debug, Default)]
pub(super) struct IndexPair {
    /// None where it cannot be read.
    pub(super) whole: Option<Arc<[u8]>>,
    /// None where no entry of it is closed.
    pub(super) marked: Option<Arc<[u8]>>,
}

impl IndexCopy {
    /// The index of the repository at `root`, where it has entries at or below `closed`. None where it has no such entry, or
    /// cannot be read.
    pub(super) fn find_copy(&self, root: &Path, closed: &[PathBuf]) -> Option<FileReplacement> {
        let repository = root.join(".git");
        let bytes = self.pair(&repository, root, closed).marked?;
        Some(FileReplacement { path: repository.join("index"), bytes })
    }

    /// The index of the repository whose folder for the working tree at `root` is `repository`.
    pub(super) fn pair(&self, repository: &Path, root: &Path, closed: &[PathBuf]) -> IndexPair {
        let mut known = self.0.lock();
        let Some(index) = IndexStamp::of_repository(repository) else { return IndexPair::default() };
        match known.as_ref().filter(|known| known.index == index && known.closed == closed) {
            Some(known) => known.pair.clone(),
            None => {
                let whole: Option<Arc<[u8]>> = read_index(repository).map(Into::into);
                let marked = whole.as_ref().and_then(|bytes| marked_index(bytes, root, closed));
                let pair = IndexPair { whole, marked: marked.map(Into::into) };
                *known = Some(CopiedIndex { index, closed: closed.to_vec(), pair: pair.clone() });
                pair
            }
        }
    }
}

/// An index of the working tree at `root` with its entries at or below `closed` marked; nothing where it has none.
pub(super) fn marked_index(index: &[u8], root: &Path, closed: &[PathBuf]) -> Option<Vec<u8>> {
    let below = |path: &PathBuf| Some(path.strip_prefix(root).ok()?.as_os_str().as_bytes().to_vec());
    let below: Vec<Vec<u8>> = closed.iter().filter_map(below).collect();
    mark_entries(index, &below.iter().map(Vec::as_slice).collect())
}

fn read_index(repository: &Path) -> Option<Vec<u8>> {
    let folder = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, repository, folder, Mode::empty()).ok()?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&folder, "index", flags, Mode::empty()).ok()?;
    let is_file = FileType::from_raw_mode(rustix::fs::fstat(&file).ok()?.st_mode) == FileType::RegularFile;
    let mut bytes = Vec::new();
    File::from(file).take(if is_file { LARGEST + 1 } else { 0 }).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LARGEST).then_some(bytes)
}

/// The index with the entries at or below `closed` marked. None where there is no such entry, or it cannot be read with
/// certainty.
fn mark_entries(index: &[u8], closed: &HashSet<&[u8]>) -> Option<Vec<u8>> {
    let (hash_length, entries) =
        [20, 32].into_iter().find_map(|length| Some((length, index_entries(index, length)?)))?;
    if !entries.iter().any(|entry| is_closed(&entry.name, closed)) {
        return None;
    }
    let version = index.get(7).copied()?.max(EXTENDED_VERSION);
    let mut marked = index.get(..12)?.to_vec();
    marked[7] = version;
    let mut start = 12;
    for entry in &entries {
        let bytes = index.get(start..entry.end)?;
        match is_closed(&entry.name, closed) {
            true => marked.extend(marked_entry(bytes, entry, entry.flags - start, version)?),
            false => marked.extend(bytes),
        }
        start = entry.end;
    }
    marked.extend(other_extensions(index.get(start..index.len().checked_sub(hash_length)?)?)?);
    let sum = match hash_length {
        20 => Sha1::digest(&marked).to_vec(),
        _ => Sha256::digest(&marked).to_vec(),
    };
    marked.extend(sum);
    Some(marked)
}

/// The bytes of an entry with both flags, where `flags` is their offset in it.
fn marked_entry(bytes: &[u8], entry: &IndexEntry, flags: usize, version: u8) -> Option<Vec<u8>> {
    let mut marked = bytes.get(..flags + 2)?.to_vec();
    let mut rest = bytes.get(flags + 2..)?;
    marked[flags] |= ASSUME_VALID | EXTENDED;
    let mut further = [0; 2];
    if entry.is_extended {
        further.copy_from_slice(rest.get(..2)?);
        rest = rest.get(2..)?;
    }
    further[0] |= SKIP_WORKTREE;
    marked.extend(further);
    if version == 4 {
        marked.extend(rest);
    } else {
        // Up to eight zeros, to a whole number of eight bytes.
        marked.extend(&entry.name);
        marked.resize((marked.len() + 8) / 8 * 8, 0);
    }
    Some(marked)
}

/// The extensions, without those that hold offsets of entries: git does without them.
fn other_extensions(extensions: &[u8]) -> Option<Vec<u8>> {
    let (mut kept, mut rest) = (Vec::new(), extensions);
    while !rest.is_empty() {
        let length = u32::from_be_bytes(rest.get(4..8)?.try_into().ok()?) as usize;
        let (own, others) = rest.split_at_checked(length.checked_add(8)?)?;
        if !OFFSETS.contains(&own.get(..4)?) {
            kept.extend(own);
        }
        rest = others;
    }
    Some(kept)
}

/// Returns whether a path is at or below one of `closed`.
fn is_closed(name: &[u8], closed: &HashSet<&[u8]>) -> bool {
    let ends = name.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    ends.chain([name.len()]).any(|end| name.get(..end).is_some_and(|part| closed.contains(part)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Command;

    use super::*;

    fn git(at: &Path, arguments: &[&str]) -> Option<String> {
        let own = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "core.hooksPath=/dev/null"];
        let output = Command::new("git").current_dir(at).args(own).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn closed_entries_are_marked_in_every_kind_of_index() {
        for (format, version) in
            [("sha1", "2"), ("sha1", "3"), ("sha1", "4"), ("sha256", "2"), ("sha256", "4")]
        {
            let folder = tempfile::tempdir().unwrap();
            let at = folder.path();
            if git(at, &["init", "-q", &format!("--object-format={format}")]).is_none() {
                let _ = writeln!(std::io::stderr(), "skipped: no git that knows {format}");
                continue;
            }
            for file in [
                ".env",
                "a/one.pem",
                "a/two.pem",
                "a/three",
                "secret/deep/x",
                "secrets",
                "long/er/name/than/that",
            ] {
                std::fs::create_dir_all(at.join(file).parent().unwrap()).unwrap();
                std::fs::write(at.join(file), file).unwrap();
            }
            git(at, &["add", "-A"]).unwrap();
            git(at, &["update-index", "--index-version", version]).unwrap();
            if version == "3" {
                std::fs::write(at.join("later"), "").unwrap();
                git(at, &["add", "-N", "later"]).unwrap();
            }
            let closed = [".env", "a/two.pem", "secret", "missing"].map(|path| at.join(path));
            let copy = IndexCopy::default().find_copy(at, &closed).unwrap();
            std::fs::write(copy.path, copy.bytes).unwrap();
            git(at, &["fsck"]).unwrap();
            let marked: Vec<String> = git(at, &["ls-files", "-v"])
                .unwrap()
                .lines()
                .filter_map(|line| line.strip_prefix("s ").map(str::to_owned))
                .collect();
            assert_eq!(marked, [".env", "a/two.pem", "secret/deep/x"], "{format} {version}");
            // What cannot be written stays as it is, and git goes on.
            for file in [".env", "a/two.pem", "secret/deep/x"] {
                std::fs::write(at.join(file), "").unwrap();
            }
            git(at, &["commit", "-qam", "One"]).unwrap();
            std::fs::write(at.join("secrets"), "changed").unwrap();
            git(at, &["stash", "-q"]).unwrap();
            git(at, &["reset", "-q", "--hard"]).unwrap();
            git(at, &["stash", "pop", "-q"]).unwrap();
            git(at, &["rm", "-q", "--cached", "a/three"]).unwrap();
            assert_eq!(std::fs::read(at.join(".env")).unwrap(), b"");
            assert_eq!(git(at, &["show", "HEAD:.env"]).unwrap(), ".env");
            assert!(IndexCopy::default().find_copy(at, &[at.join("missing")]).is_none());
            git(at, &["update-index", "--split-index"]).unwrap();
            assert!(IndexCopy::default().find_copy(at, &closed).is_none());
        }
    }

    #[test]
    fn what_is_no_index_is_not_copied() {
        let closed = HashSet::from([b"x".as_slice()]);
        let valid = [b"DIRC".as_slice(), &2_u32.to_be_bytes(), &0_u32.to_be_bytes(), &[0; 20]].concat();
        assert_eq!(index_entries(&valid, 20), Some(Vec::new()));
        for broken in [&valid[..11], b"", b"DIRC", &[valid.as_slice(), &[1; 9]].concat()] {
            assert!(mark_entries(broken, &closed).is_none());
        }
        let many =
            [b"DIRC".as_slice(), &4_u32.to_be_bytes(), &u32::MAX.to_be_bytes(), &[0xff; 4096]].concat();
        assert!(mark_entries(&many, &closed).is_none());
    }
}
