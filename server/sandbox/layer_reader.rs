//! A reading of an upper layer: folder by folder, the upper ones first, each together with the lower one that it covers. The
//! command decided on its content, so the reading has bounds: nothing recurses, and two folders are open at a time.
//!
//! # Invariants
//!
//! - No layer ends the program that reads it, and nothing in it goes unnamed.
//!   Test: `a_layer_of_any_form_comes_to_what_the_command_saw`,
//!   `folders_of_any_depth_are_read_as_far_as_a_path_reaches`,
//!   `what_is_past_the_limits_is_told_and_the_rest_is_read`,
//!   `a_tree_of_any_depth_and_width_is_removed_and_nothing_beside_it`

use std::collections::{HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat, XattrFlags};
use rustix::io::Errno;

use crate::layer_compare::LayerComparison;
use crate::overlay::{OverlayChange, OverlayChangeKind, OverlayLayers, UnreadReason, open_below, open_root};

/// The attribute of a folder that hides all that the lower one holds.
const OPAQUE: &str = "user.overlay.opaque";
/// The longest path that the system takes, without the zero at its end.
const LONGEST: usize = 4095;
/// The longest name.
const LONGEST_NAME: usize = 255;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Limits on the reading of a layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadLimits {
    /// Entries of all folders.
    pub(crate) entries: usize,
    /// Bytes of all their paths.
    pub(crate) path_bytes: usize,
    /// The longest time that the reading takes.
    pub(crate) time: Duration,
    /// Bytes that are compared with those of files in the lower folder.
    pub(crate) compared: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { entries: 1 << 20, path_bytes: 256 << 20, time: Duration::from_secs(30), compared: 2 << 30 }
    }
}

/// A folder that is still to be read.
struct PendingFolder {
    path: PathBuf,
    /// True if entries of the lower folder show through.
    is_merged: bool,
    /// True if there was a folder at this path before.
    was_folder: bool,
}

/// A reading under way.
pub(crate) struct LayerReader {
    upper: OwnedFd,
    lower: OwnedFd,
    /// The longest path below the lower folder that the system takes.
    longest: usize,
    waiting: VecDeque<PendingFolder>,
    found: Vec<OverlayChange>,
    entries_left: usize,
    bytes_left: usize,
    until: Instant,
    comparison: LayerComparison,
}

impl LayerReader {
    /// Reads what changed on `overlay`.
    pub(crate) fn read_overlay(
        overlay: &OverlayLayers,
        limits: ReadLimits,
    ) -> io::Result<Vec<OverlayChange>> {
        let until = Instant::now() + limits.time;
        let root = PendingFolder { path: PathBuf::new(), is_merged: true, was_folder: true };
        let mut reader = Self {
            upper: open_root(&overlay.upper)?,
            lower: open_root(&overlay.lower)?,
            longest: LONGEST.saturating_sub(overlay.lower.as_os_str().len() + 1),
            waiting: VecDeque::from([root]),
            found: Vec::new(),
            entries_left: limits.entries,
            bytes_left: limits.path_bytes,
            until,
            comparison: LayerComparison::new(limits.compared, until),
        };
        while let Some(folder) = reader.waiting.pop_front() {
            if !reader.read_folder(&folder) {
                reader.stop_at(folder);
            }
        }
        reader.comparison.find_renames((&reader.upper, &reader.lower), &mut reader.found);
        reader.found.sort_by(|one, other| path_parts(&one.path).cmp(path_parts(&other.path)));
        Ok(reader.found)
    }

    /// Reports `folder`, and all waiting folders, as not read.
    fn stop_at(&mut self, folder: PendingFolder) {
        let rest = std::iter::once(folder).chain(self.waiting.drain(..)).map(|waiting| waiting.path);
        let unread: HashSet<PathBuf> = rest.collect();
        self.found.retain(|change| !unread.contains(&change.path));
        let told = |path| OverlayChange { path, kind: OverlayChangeKind::Unread(UnreadReason::TooMuch) };
        self.found.extend(unread.into_iter().map(told));
    }

    /// Reads one folder of the upper layer. `false`: there is more in it than is read.
    fn read_folder(&mut self, folder: &PendingFolder) -> bool {
        let Ok(upper) = open_below(&self.upper, &folder.path, FOLDER) else {
            self.add_change(folder.path.clone(), OverlayChangeKind::Unread(UnreadReason::Refused));
            return true;
        };
        let lower = open_below(&self.lower, &folder.path, FOLDER).ok();
        let is_opaque = !folder.is_merged || hides_lower(&upper);
        let is_merged = !(is_opaque && folder.was_folder);
        let Ok(names) = list_names(&upper, self.entries_left) else {
            self.add_change(folder.path.clone(), OverlayChangeKind::Unread(UnreadReason::Refused));
            return true;
        };
        if let Some(lower) = lower.as_ref().filter(|_| !is_merged)
            && !self.add_hidden(folder, &names, lower)
        {
            return false;
        }
        for name in names {
            if !self.spend_entry(&folder.path, &name) {
                return false;
            }
            self.read_entry(folder, &name, (&upper, lower.as_ref()), is_merged);
        }
        true
    }

    /// Returns whether another entry is within the limits.
    fn spend_entry(&mut self, folder: &Path, name: &OsStr) -> bool {
        let bytes = folder.as_os_str().len() + name.len() + 1;
        if self.entries_left == 0 || self.bytes_left < bytes || Instant::now() > self.until {
            return false;
        }
        self.entries_left -= 1;
        self.bytes_left -= bytes;
        true
    }

    fn add_change(&mut self, path: PathBuf, kind: OverlayChangeKind) {
        self.found.push(OverlayChange { path, kind });
    }

    fn read_entry(
        &mut self,
        folder: &PendingFolder,
        name: &OsStr,
        (upper, lower): (&OwnedFd, Option<&OwnedFd>),
        is_merged: bool,
    ) {
        let path = folder.path.join(name);
        let Ok(now) = stat_entry(upper, name) else {
            return self.add_change(path, OverlayChangeKind::Unread(UnreadReason::Refused));
        };
        if path.as_os_str().len() > self.longest {
            return self.add_change(path, OverlayChangeKind::Unread(UnreadReason::Deep));
        }
        let before = lower.and_then(|lower| stat_entry(lower, name).ok());
        let change = match file_type(&now) {
            FileType::Directory => {
                open_to_owner(upper, name, &now, Mode::RWXU);
                return self.changed_folder(path, (&now, before.as_ref()), is_merged);
            }
            FileType::RegularFile => {
                open_to_owner(upper, name, &now, Mode::RUSR);
                let before = before.filter(|before| file_type(before) == FileType::RegularFile);
                self.changed_file(&path, (&now, before.as_ref()))
            }
            FileType::CharacterDevice if now.st_rdev == 0 => before.map(|_| OverlayChangeKind::Removed),
            FileType::Symlink => {
                let leads = |folder: &OwnedFd| rustix::fs::readlinkat(folder, name, Vec::new()).ok();
                let target = leads(upper).unwrap_or_default();
                let is_same = lower.and_then(leads).is_some_and(|before| before == target);
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                (!is_same).then_some(OverlayChangeKind::Symlink { target })
            }
            _ => Some(OverlayChangeKind::Special),
        };
        if let Some(kind) = change {
            self.add_change(path, kind);
        }
    }

    fn changed_folder(&mut self, path: PathBuf, (now, before): (&Stat, Option<&Stat>), is_merged: bool) {
        let before = before.filter(|before| file_type(before) == FileType::Directory);
        let was_folder = before.is_some();
        match before {
            Some(before) if mode_bits(before) == mode_bits(now) => {}
            Some(_) => self.add_change(path.clone(), OverlayChangeKind::FolderMode { mode: mode_bits(now) }),
            None => self.add_change(path.clone(), OverlayChangeKind::Folder { mode: mode_bits(now) }),
        }
        // With another name the path would be too long: it is reported, but its contents are not read.
        if path.as_os_str().len() + 1 + LONGEST_NAME <= LONGEST {
            self.waiting.push_back(PendingFolder { path, is_merged, was_folder });
        } else {
            self.found.pop_if(|change| change.path == path);
            self.add_change(path, OverlayChangeKind::Unread(UnreadReason::Deep));
        }
    }

    fn changed_file(
        &mut self,
        path: &Path,
        (now, before): (&Stat, Option<&Stat>),
    ) -> Option<OverlayChangeKind> {
        if let Some(before) = before
            && mode_bits(before) == mode_bits(now)
            && before.st_size == now.st_size
            && self.comparison.is_same((&self.upper, path), (&self.lower, path))
        {
            return is_dated(now, before).then_some(OverlayChangeKind::Dated);
        }
        let number = |number: i64| u64::try_from(number).unwrap_or_default();
        Some(OverlayChangeKind::File {
            mode: mode_bits(now),
            size: number(now.st_size),
            on_disk: number(now.st_blocks).saturating_mul(512),
            linked: (now.st_nlink > 1).then_some(now.st_ino),
            existed: before.is_some(),
            renamed_from: None,
        })
    }

    /// Reports the entries of the lower folder that an opaque folder hides as removed. If the lower folder cannot be
    /// listed, nothing is reported.
    fn add_hidden(&mut self, folder: &PendingFolder, shown: &[OsString], lower: &OwnedFd) -> bool {
        let shown: HashSet<&OsString> = shown.iter().collect();
        for name in list_names(lower, self.entries_left).unwrap_or_default() {
            if shown.contains(&name) {
                continue;
            }
            if !self.spend_entry(&folder.path, &name) {
                return false;
            }
            self.add_change(folder.path.join(name), OverlayChangeKind::Removed);
        }
        true
    }
}

/// Returns whether the time of a file was set: it is neither the earlier time nor that of the change itself.
fn is_dated(now: &Stat, before: &Stat) -> bool {
    (now.st_mtime, now.st_mtime_nsec) != (before.st_mtime, before.st_mtime_nsec)
        && (now.st_mtime - now.st_ctime).abs() > 2
}

fn path_parts(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.as_os_str().as_bytes().split(|byte| *byte == b'/')
}

/// The names in a folder, one more than `most` if there are so many.
pub(crate) fn list_names(folder: &OwnedFd, most: usize) -> rustix::io::Result<Vec<OsString>> {
    let mut buffer = vec![MaybeUninit::uninit(); 1 << 15];
    let (mut entries, mut names) = (RawDir::new(folder, &mut buffer), Vec::new());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if !matches!(name, b"." | b"..") {
            names.push(OsStr::from_bytes(name).to_owned());
        }
        if names.len() > most {
            break;
        }
    }
    Ok(names)
}

/// Lets the owner of an entry of a layer have the rights that are `wanted`.
fn open_to_owner(folder: &OwnedFd, name: &OsStr, now: &Stat, wanted: Mode) {
    let mode = Mode::from_raw_mode(now.st_mode);
    if mode.contains(wanted) {
        return;
    }
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // If the system refuses this, opening the entry fails too.
    if let Ok(entry) = rustix::fs::openat(folder, name, flags, Mode::empty()) {
        let _ = rustix::fs::chmod(format!("/proc/self/fd/{}", entry.as_raw_fd()), mode | wanted);
    }
}

pub(crate) fn stat_entry(folder: &OwnedFd, name: &OsStr) -> rustix::io::Result<Stat> {
    match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::INTR) => rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW),
        other => other,
    }
}

pub(crate) fn file_type(found: &Stat) -> FileType {
    FileType::from_raw_mode(found.st_mode)
}

fn mode_bits(found: &Stat) -> u32 {
    found.st_mode & 0o7777
}

/// Returns whether a folder of a layer hides the contents of the lower one.
pub fn hides_lower(folder: impl AsFd) -> bool {
    let mut value = [0_u8; 1];
    rustix::fs::fgetxattr(folder, OPAQUE, &mut value).is_ok_and(|len| len == 1) && value == *b"y"
}

/// Marks a folder of a layer as one that hides what lies below it.
///
/// # Errors
/// Fails if the file system keeps no such marks, or refuses this one.
pub fn hide_lower(folder: impl AsFd) -> rustix::io::Result<()> {
    rustix::fs::fsetxattr(folder, OPAQUE, b"y", XattrFlags::empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_past_the_limits_is_told_and_the_rest_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let overlay =
            OverlayLayers { lower: folder.path().join("lower"), upper: folder.path().join("upper") };
        fs::create_dir_all(&overlay.lower).unwrap();
        for number in 0..100 {
            fs::create_dir_all(overlay.upper.join("many/deep")).unwrap();
            fs::write(overlay.upper.join(format!("many/deep/{number}")), "").unwrap();
        }
        fs::write(overlay.upper.join("zero"), "").unwrap();
        let read = |limits| LayerReader::read_overlay(&overlay, limits).unwrap();
        let limits = ReadLimits::default();
        assert_eq!(read(limits).len(), 103);
        let told = |limits| {
            let changes = read(limits);
            assert!(changes.iter().any(|change| change.path == Path::new("zero")), "{changes:?}");
            let unread = changes
                .iter()
                .filter(|change| change.kind == OverlayChangeKind::Unread(UnreadReason::TooMuch));
            unread.map(|change| change.path.clone()).collect::<Vec<_>>()
        };
        assert_eq!(told(ReadLimits { entries: 50, ..limits }), [PathBuf::from("many/deep")]);
        assert_eq!(told(ReadLimits { path_bytes: 40, ..limits }), [PathBuf::from("many/deep")]);
        let changes = read(ReadLimits { time: Duration::ZERO, ..limits });
        let root =
            OverlayChange { path: PathBuf::new(), kind: OverlayChangeKind::Unread(UnreadReason::TooMuch) };
        assert_eq!(changes, [root]);

        fs::write(overlay.lower.join("zero"), "").unwrap();
        assert_eq!(read(limits).len(), 102);
        assert_eq!(read(ReadLimits { compared: 0, ..limits }).len(), 102, "nothing has to be compared");
        for file in [overlay.upper.join("zero"), overlay.lower.join("zero")] {
            fs::write(file, "same").unwrap();
        }
        assert_eq!(read(limits).len(), 102);
        assert_eq!(read(ReadLimits { compared: 0, ..limits }).len(), 103);
    }
}
