//! Moves what a command wrote in folders that git ignores from its layer into the workspace, entry by entry. A file is the old
//! one or the new one, further names of the old one keep what they had, and no symlink is followed on the way. What is not to
//! be moved stays in the layer, to be read from there.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, chmodat, fstat, mkdirat, openat, readlinkat, renameat,
    statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::apart_layer::count_file;
use super::direct::DirectOutcome;
use super::inner::{holds_git, is_bare};
use crate::base::WorkspacePath;
use crate::protocol::DirectWrites;
use crate::sandbox::{OverlayLayers, hide_lower, hides_lower, same_bytes};

/// The deepest folder that is moved, below the one that is ignored.
const DEEPEST: usize = 200;
/// Entries that stayed and that are named.
const NAMED_ENTRIES: usize = 10;
/// The bits of a mode that are kept.
const BITS: u32 = 0o777;

/// Decides about each entry.
pub(super) trait PassJudge {
    /// Returns whether what the layer has at a path is written to the workspace, where something `existed` there or
    /// not.
    fn may_write(&self, path: &WorkspacePath, existed: bool, is_folder: bool) -> bool;
    /// Returns whether an entry at a path is removed.
    fn may_remove(&self, path: &WorkspacePath, is_folder: bool) -> bool;
    /// Returns whether moved entries go to a layer over the workspace, in which whiteouts and marked folders hide the
    /// entries below.
    fn keeps_apart(&self) -> bool {
        false
    }
    /// Returns whether everything that the workspace has at a path may be hidden.
    fn may_hide(&self, path: &WorkspacePath) -> bool {
        self.may_remove(path, false)
    }
}

/// Moves the entry at `path` in the layer, if `judge` lets it be written, and reports the result. A file that was
/// changed on the disk after the command `began` stays as it is there.
pub(super) fn pass_ignored(
    overlay: &OverlayLayers,
    path: &WorkspacePath,
    judge: &impl PassJudge,
    began: SystemTime,
    outcome: &mut DirectOutcome,
) {
    let since = began.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (path_text, apart) = (path.as_str().to_owned(), judge.keeps_apart());
    let writes = DirectWrites { path: path_text, apart, ..DirectWrites::default() };
    let began = (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), u64::from(since.subsec_nanos()));
    let unnamed = &mut outcome.unnamed;
    let mut passage = LayerPassage {
        judge,
        began,
        writes,
        unnamed,
        newer: 0,
        stayed: Vec::new(),
        reports_stayed: false,
        fault: None,
    };
    if let Err(error) = passage.pass_outermost(overlay, path) {
        passage.fault.get_or_insert(error);
    }
    let LayerPassage { mut writes, newer, stayed, fault, .. } = passage;
    let sentence =
        |path: &WorkspacePath| format!("{path}: it stays, since it is closed to commands or git tracks it");
    outcome.left_out.extend(stayed.iter().map(sentence));
    writes.run_by.sort_unstable();
    if writes.files + writes.removed > 0 {
        outcome.written.push(writes);
    }
    if newer > 0 {
        outcome.left_out.push(format!(
            "{path}: {newer} of the files that the command wrote were changed on the disk while it ran, and stay as they are there"
        ));
    }
    outcome
        .left_out
        .extend(fault.map(|error| format!("{path}: not all of it was written: {}", io::Error::from(error))));
}

struct LayerPassage<'p, P> {
    judge: &'p P,
    /// Seconds and nanoseconds.
    began: (i64, u64),
    writes: DirectWrites,
    /// Files that lost a name.
    unnamed: &'p mut HashSet<(u64, u64)>,
    /// The number of files that were left as they are on the disk.
    newer: usize,
    /// The entries that the command removed with their folder and that stay all the same.
    stayed: Vec<WorkspacePath>,
    /// True where the staying entries are reported here.
    reports_stayed: bool,
    /// The first error of the system.
    fault: Option<Errno>,
}

/// The location of an entry in the layer, and its target.
struct EntryPlace<'e> {
    from: BorrowedFd<'e>,
    to: BorrowedFd<'e>,
    name: &'e str,
    path: &'e WorkspacePath,
    /// True where the layer hides what the workspace has there.
    is_hidden: bool,
    depth: usize,
}

impl<P: PassJudge> LayerPassage<'_, P> {
    fn pass_outermost(&mut self, overlay: &OverlayLayers, path: &WorkspacePath) -> rustix::io::Result<()> {
        let Some(parent) = path.parent() else { return Ok(()) };
        let (mut from, mut to) = (open_folder(CWD, &overlay.upper)?, open_folder(CWD, &overlay.lower)?);
        let mut is_hidden = false;
        for name in parent.parts() {
            match mkdirat(&to, name, Mode::from_raw_mode(BITS)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error),
            }
            (from, to) = (open_folder(&from, name)?, open_folder(&to, name)?);
            is_hidden |= hides_lower(&from);
        }
        let name = path.name();
        self.pass_entry(&EntryPlace { from: from.as_fd(), to: to.as_fd(), name, path, is_hidden, depth: 0 })
    }

    /// Moves one entry. An error of the system leaves it in the layer.
    fn pass_entry(&mut self, place: &EntryPlace<'_>) -> rustix::io::Result<()> {
        let now = statat(place.from, place.name, AtFlags::SYMLINK_NOFOLLOW)?;
        let was = match statat(place.to, place.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => None,
            other => Some(other?),
        };
        match file_type(&now) {
            FileType::Directory => self.pass_folder(place, &now, was.as_ref()),
            FileType::RegularFile | FileType::Symlink => self.pass_file(place, &now, was.as_ref()),
            // A whiteout marks a removed entry.
            FileType::CharacterDevice if now.st_rdev == 0 && self.judge.keeps_apart() => {
                self.pass_whiteout(place, was.as_ref())
            }
            FileType::CharacterDevice if now.st_rdev == 0 => {
                match was.is_none() || self.remove_entry(place.to, place.name, place.path)? {
                    true => unlinkat(place.from, place.name, AtFlags::empty()),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Keeps a removal: the whiteout hides what lies below.
    fn pass_whiteout(&mut self, place: &EntryPlace<'_>, was: Option<&Stat>) -> rustix::io::Result<()> {
        let may_hide = self.judge.may_hide(place.path);
        if !may_hide || was.is_some() && !self.remove_entry(place.to, place.name, place.path)? {
            return Ok(());
        }
        renameat(place.from, place.name, place.to, place.name)?;
        if was.is_none() {
            self.writes.removed += 1;
        }
        Ok(())
    }

    /// Folders are merged: a layer holds only what is new in them.
    fn pass_folder(
        &mut self,
        place: &EntryPlace<'_>,
        now: &Stat,
        was: Option<&Stat>,
    ) -> rustix::io::Result<()> {
        if now.st_mode & 0o700 != 0o700 {
            // A command closes folders, also to their owner.
            chmodat(
                place.from,
                place.name,
                Mode::from_raw_mode(now.st_mode & BITS | 0o700),
                AtFlags::empty(),
            )?;
        }
        let below = open_folder(place.from, place.name)?;
        let stood = was.filter(|was| file_type(was) == FileType::Directory);
        let keeps_apart = self.judge.keeps_apart();
        let is_closed =
            !self.judge.may_write(place.path, was.is_some(), true) && (was.is_none() || keeps_apart);
        let is_opaque = hides_lower(&below);
        let hides = keeps_apart && is_opaque;
        if is_closed || place.depth >= DEEPEST || is_bare(&below) || hides && !self.judge.may_hide(place.path)
        {
            return Ok(());
        }
        if stood.is_none() {
            if was.is_some() && !self.remove_entry(place.to, place.name, place.path)? {
                return Ok(());
            }
            mkdirat(place.to, place.name, Mode::from_raw_mode(now.st_mode & BITS | 0o700))?;
        }
        let into = open_folder(place.to, place.name)?;
        // The content of a repository in an ignored folder is someone's work.
        if holds_git(&into) {
            return Ok(());
        }
        if hides {
            hide_lower(&into)?;
        }
        let is_hidden = place.is_hidden || is_opaque;
        let entries = entry_names(&below)?;
        if is_hidden && stood.is_some() {
            let made: HashSet<&str> = entries.iter().map(String::as_str).collect();
            for name in entry_names(&into)?.iter().filter(|name| !made.contains(name.as_str())) {
                if let Some(path) = place.path.join(name) {
                    // The reader of the layer cannot see any more that it was removed there.
                    self.reports_stayed = true;
                    self.note_error(|passage| passage.remove_entry(into.as_fd(), name, &path).map(drop));
                    self.reports_stayed = false;
                }
            }
        }
        for name in &entries {
            let Some(path) = place.path.join(name) else { continue };
            let (from, to, depth) = (below.as_fd(), into.as_fd(), place.depth + 1);
            self.note_error(|passage| {
                passage.pass_entry(&EntryPlace { from, to, name, path: &path, is_hidden, depth })
            });
        }
        // The remaining entries are for the reader of the layer.
        match unlinkat(place.from, place.name, AtFlags::REMOVEDIR) {
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            done => done,
        }
    }

    fn pass_file(
        &mut self,
        place: &EntryPlace<'_>,
        now: &Stat,
        was: Option<&Stat>,
    ) -> rustix::io::Result<()> {
        if !self.judge.may_write(place.path, was.is_some(), false) {
            return Ok(());
        }
        let is_same = was.is_some_and(|was| is_same(place, now, was));
        let was_folder = was.is_some_and(|was| file_type(was) == FileType::Directory);
        if was_folder && !self.remove_entry(place.to, place.name, place.path)? {
            return Ok(());
        }
        match was {
            // It was opened to be written, and was not.
            Some(_) if is_same && now.st_nlink == 1 => {
                return unlinkat(place.from, place.name, AtFlags::empty());
            }
            Some(was) if !was_folder && self.is_newer(was) => {
                self.newer += 1;
                return unlinkat(place.from, place.name, AtFlags::empty());
            }
            _ => {}
        }
        if file_type(now) == FileType::RegularFile && now.st_mode & 0o7777 & !BITS != 0 {
            chmodat(place.from, place.name, Mode::from_raw_mode(now.st_mode & BITS), AtFlags::empty())?;
        }
        match renameat(place.from, place.name, place.to, place.name) {
            Err(Errno::XDEV) => {
                copy_entry(place, file_type(now))?;
                unlinkat(place.from, place.name, AtFlags::empty())?;
            }
            done => done?,
        }
        if let Some(was) = was {
            self.note_unnamed(was);
            // The overlay's note of where it was copied from.
            let file = format!("/proc/self/fd/{}/{}", place.to.as_raw_fd(), place.name);
            let _ = rustix::fs::lremovexattr(file, "user.overlay.origin");
        }
        if !is_same {
            count_file(&mut self.writes, place.path);
        }
        Ok(())
    }

    /// Removes an entry of the workspace with everything below it that may be removed. Returns whether nothing is left
    /// of it.
    fn remove_entry(
        &mut self,
        at: BorrowedFd<'_>,
        name: &str,
        path: &WorkspacePath,
    ) -> rustix::io::Result<bool> {
        let was = match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(true),
            other => other?,
        };
        let is_folder = file_type(&was) == FileType::Directory;
        if !self.judge.may_remove(path, is_folder) {
            if self.reports_stayed && self.stayed.len() < NAMED_ENTRIES {
                self.stayed.push(path.clone());
            }
            return Ok(false);
        }
        if !is_folder {
            if self.is_newer(&was) {
                self.newer += 1;
                return Ok(false);
            }
            unlinkat(at, name, AtFlags::empty())?;
            self.note_unnamed(&was);
            // A whiteout was counted when it came.
            self.writes.removed += u64::from(file_type(&was) != FileType::CharacterDevice);
            return Ok(true);
        }
        let below = open_folder(at, name)?;
        if holds_git(&below) || path.parts().count() > 2 * DEEPEST {
            return Ok(false);
        }
        let mut is_gone = true;
        for name in entry_names(&below)? {
            is_gone &= match path.join(&name) {
                Some(path) => self.remove_entry(below.as_fd(), &name, &path)?,
                None => false,
            };
        }
        match unlinkat(at, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(is_gone),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns whether another program changed it after the command began.
    fn is_newer(&self, was: &Stat) -> bool {
        let changed = match self.unnamed.contains(&(was.st_dev, was.st_ino)) {
            true => (was.st_mtime, was.st_mtime_nsec),
            false => (was.st_ctime, was.st_ctime_nsec),
        };
        changed > self.began
    }

    /// Notes that a file lost a name, where it has further ones: that counts as a change of it.
    fn note_unnamed(&mut self, was: &Stat) {
        if was.st_nlink > 1 && file_type(was) != FileType::Directory {
            self.unnamed.insert((was.st_dev, was.st_ino));
        }
    }

    /// Goes on after an error of the system, and keeps the first.
    fn note_error(&mut self, act: impl FnOnce(&mut Self) -> rustix::io::Result<()>) {
        if let Err(error) = act(self) {
            self.fault.get_or_insert(error);
        }
    }
}

fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// Returns whether a file of the layer is a copy of one of the workspace that was not changed. Time stamps alone do not
/// tell: package managers give all files the same.
fn is_same(place: &EntryPlace<'_>, now: &Stat, was: &Stat) -> bool {
    let of = |stat: &Stat| (stat.st_mode, stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let open = |at: BorrowedFd<'_>| openat(at, place.name, flags, Mode::empty()).map(File::from);
    let is_equal = || same_bytes(open(place.from)?, open(place.to)?, |_| true);
    file_type(now) == FileType::RegularFile && of(now) == of(was) && is_equal().unwrap_or(false)
}

fn open_folder(at: impl AsFd, name: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    openat(at, name, OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

/// Copies one file or link to another file system: first to a temporary name in the same folder.
fn copy_entry(place: &EntryPlace<'_>, kind: FileType) -> rustix::io::Result<()> {
    let beside = format!(
        ".{}.wherefore-{}",
        &place.name[..place.name.floor_char_boundary(64)],
        crate::base::ids::unique_word()
    );
    let copied = match kind {
        FileType::Symlink => {
            let target = readlinkat(place.from, place.name, Vec::new())?;
            symlinkat(target.as_c_str(), place.to, &beside)
        }
        _ => copy_file(place, &beside),
    };
    let done = copied.and_then(|()| renameat(place.to, &beside, place.to, place.name));
    if done.is_err() {
        let _ = unlinkat(place.to, &beside, AtFlags::empty());
    }
    done
}

fn copy_file(place: &EntryPlace<'_>, beside: &str) -> rustix::io::Result<()> {
    let source =
        openat(place.from, place.name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let stat = fstat(&source)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let target = openat(place.to, beside, flags, Mode::from_raw_mode(0o600))?;
    let (mut source, mut target) = (File::from(source), File::from(target));
    let copied = io::copy(&mut source, &mut target).and_then(|_| {
        let modified = source.metadata()?.modified()?;
        // Builds compare modification times.
        target.set_modified(modified)
    });
    copied.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    rustix::fs::fchmod(&target, Mode::from_raw_mode(stat.st_mode & BITS))
}

/// The entries of a folder whose names are text.
fn entry_names(folder: &OwnedFd) -> rustix::io::Result<Vec<String>> {
    let entries = Dir::read_from(folder)?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_str().ok()?.to_owned()));
    Ok(names.filter(|name| name != "." && name != "..").collect())
}

#[cfg(test)]
mod tests;
