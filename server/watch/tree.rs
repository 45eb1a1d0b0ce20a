//! What is known of the root: its folders, their watches, its files, and what changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, open, statat};
use rustix::io::Errno;

use super::batch::Window;
use super::inotify::Inotify;
use super::list::{Devices, Folder, Reading};
use super::options::Options;
use super::outer::Outer;
use super::snapshot::Snapshot;
use super::stamp::Stamp;
use crate::protocol::{Rescan, RescanReason};

/// The root as it stands at its path.
pub(super) struct Top {
    pub(super) descriptor: OwnedFd,
    /// Its device and inode. They are no other folder's while the descriptor is open.
    id: (u64, u64),
    /// Its path without symlinks.
    pub(super) real: PathBuf,
    pub(super) outer: Outer,
}

/// What a watch is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A folder that is listed.
    Folder(Arc<str>),
    /// What holds the excludes of the repository in this folder.
    Excludes(Arc<str>),
}

/// What was met on the way, to be told in the status.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    /// Why the kernel watches nothing for us at all.
    pub(super) no_instance: Option<Errno>,
    /// Whether the limit of watches was met.
    pub(super) limited: bool,
    /// Names that are not UTF-8, when all was read last.
    pub(super) unnamed: usize,
    /// Folders that could not be read, when all was read last.
    pub(super) unreadable: usize,
    /// Whether there are more files than are listed.
    pub(super) cut: bool,
}

/// What is known of the root. Whoever holds it brings it up to date.
pub(super) struct Tree {
    pub(super) root: PathBuf,
    pub(super) options: Options,
    pub(super) stop: Arc<AtomicBool>,
    /// None while nothing stands at the root's path.
    pub(super) top: Option<Top>,
    pub(super) source: Option<Arc<Inotify>>,
    pub(super) devices: Devices,
    pub(super) folders: BTreeMap<Arc<str>, Folder>,
    pub(super) places: HashMap<i32, Place>,
    /// Folders that the kernel does not watch for us.
    pub(super) polled: BTreeSet<Arc<str>>,
    /// Folders whose repository's excludes the kernel does not watch for us.
    pub(super) excludes_unwatched: BTreeSet<Arc<str>>,
    /// Files with other names too, through which they may change unseen.
    pub(super) linked: BTreeSet<Arc<str>>,
    /// Inodes of files whose other names are not known yet.
    pub(super) other_names: HashSet<u64>,
    pub(super) files: Arc<Snapshot>,
    pub(super) window: Window,
    /// Set where all has to be read again.
    pub(super) rescan: Option<RescanReason>,
    pub(super) last_rescan: Option<Rescan>,
    /// When polled folders were last read: when that began, and how long it took.
    pub(super) polled_at: Option<(Instant, Duration)>,
    pub(super) troubles: Troubles,
}

impl Tree {
    /// Nothing is known yet; all has to be read.
    pub(super) fn new(root: PathBuf, options: Options, stop: Arc<AtomicBool>) -> Self {
        let mut troubles = Troubles::default();
        let source = match options.polling.then_some(Err(Errno::OPNOTSUPP)) {
            Some(none) => none,
            None => {
                Inotify::open(options.max_watches).inspect_err(|error| troubles.no_instance = Some(*error))
            }
        };
        Self {
            root,
            options,
            stop,
            top: None,
            source: source.ok().map(Arc::new),
            devices: Devices::default(),
            folders: BTreeMap::new(),
            places: HashMap::new(),
            polled: BTreeSet::new(),
            excludes_unwatched: BTreeSet::new(),
            linked: BTreeSet::new(),
            other_names: HashSet::new(),
            files: Arc::default(),
            window: Window::default(),
            rescan: None,
            last_rescan: None,
            polled_at: None,
            troubles,
        }
    }

    /// Knows nothing any more; the kernel watches nothing.
    pub(super) fn forget(&mut self) {
        *self = Self::new(
            self.root.clone(),
            Options { polling: true, ..self.options.clone() },
            self.stop.clone(),
        );
    }

    /// What reading folders takes; none while there is no root.
    pub(super) fn reading(&self) -> Option<Reading<'_>> {
        let top = self.top.as_ref()?;
        Some(Reading {
            top: &top.descriptor,
            real: &top.real,
            shown: &self.options.hidden,
            source: self.source.as_deref(),
            devices: &self.devices,
            stop: &self.stop,
        })
    }

    /// Looks whether the folder that is watched stands at the root's path still. Where another one does, all is to be
    /// read; where none does, there are no files.
    pub(super) fn check_root(&mut self) {
        let found = statat(CWD, &self.root, AtFlags::empty())
            .ok()
            .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        match (&self.top, found) {
            (Some(top), Some(stat)) if top.id == (stat.st_dev, stat.st_ino) => {}
            (before, Some(_)) => {
                let reason = match (before.is_none(), self.last_rescan) {
                    (true, None) => RescanReason::Started,
                    _ => RescanReason::RootReplaced,
                };
                if self.open_top().is_ok() {
                    self.rescan = Some(reason);
                }
            }
            (Some(_), None) => {
                self.drop_folder("");
                self.top = None;
                self.window.note_rescan(RescanReason::RootMissing);
            }
            (None, None) => {}
        }
    }

    fn open_top(&mut self) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = open(&self.root, flags, Mode::empty())?;
        let stat = fstat(&descriptor)?;
        let real = std::fs::canonicalize(&self.root).map_err(|_| Errno::NOENT)?;
        let outer = Outer::read(&real, self.options.outer_rules);
        self.devices = Devices::default();
        self.top = Some(Top { descriptor, id: (stat.st_dev, stat.st_ino), real, outer });
        Ok(())
    }

    /// Reads the rules from outside of the root again where they changed; then all is to be read.
    pub(super) fn check_outer(&mut self) {
        let counts = self.options.outer_rules;
        if let Some(top) = &mut self.top
            && top.outer.stale()
        {
            top.outer = Outer::read(&top.real, counts);
            self.rescan = Some(RescanReason::RulesChanged);
        }
    }

    /// A file is this now. With `touched` it changed even where its stamp is the same.
    pub(super) fn put(&mut self, path: &Arc<str>, stamp: Stamp, touched: bool) {
        let path = match self.files.get(path) {
            Some(entry) if entry.stamp == stamp && !touched => return,
            Some(entry) => entry.path.clone(),
            None if self.files.len() >= self.options.max_files => {
                self.troubles.cut = true;
                return;
            }
            None => path.clone(),
        };
        let files = Arc::make_mut(&mut self.files);
        let was = files.put(&path, stamp);
        self.window.note(&path, was);
    }

    /// A file is gone, or no longer listed.
    pub(super) fn take(&mut self, path: &str) {
        let Some(path) = self.files.get(path).map(|entry| entry.path.clone()) else { return };
        let files = Arc::make_mut(&mut self.files);
        let was = files.take(&path);
        self.window.note(&path, was);
        self.linked.remove(&path);
    }

    /// Puts a folder in that was listed, in place of what was known of it.
    pub(super) fn put_folder(&mut self, path: &Arc<str>, folder: Folder) {
        let (watch, excludes) = (folder.watch, folder.excludes);
        match folder.excludes_unwatched {
            true => self.excludes_unwatched.insert(path.clone()),
            false => self.excludes_unwatched.remove(path),
        };
        let old = self.folders.insert(path.clone(), folder);
        if let Some(watch) = watch {
            // A folder that was moved keeps its watch, which then is on its new place.
            self.places.insert(watch, Place::Folder(path.clone()));
        }
        if let Some(excludes) = excludes {
            self.places.insert(excludes, Place::Excludes(path.clone()));
        }
        match watch {
            Some(_) => self.polled.remove(path),
            None => self.polled.insert(path.clone()),
        };
        if let Some(old) = old {
            let still = [watch, excludes];
            for gone in
                [old.watch, old.excludes].into_iter().flatten().filter(|old| !still.contains(&Some(*old)))
            {
                self.unwatch(gone, path);
            }
        }
    }

    /// Forgets a folder and all beneath it.
    pub(super) fn drop_folder(&mut self, path: &str) {
        for folder in self.folders_under(path) {
            self.drop_one(&folder);
        }
        let files: Vec<_> = self.files.under(path).map(|entry| entry.path.clone()).collect();
        for file in files {
            self.take(&file);
        }
    }

    /// Forgets a folder alone.
    pub(super) fn drop_one(&mut self, path: &Arc<str>) {
        self.polled.remove(path);
        self.excludes_unwatched.remove(path);
        if let Some(old) = self.folders.remove(path) {
            for watch in [old.watch, old.excludes].into_iter().flatten() {
                self.unwatch(watch, path);
            }
        }
    }

    /// Ends a watch, unless its folder stands elsewhere by now.
    fn unwatch(&mut self, watch: i32, path: &Arc<str>) {
        let ours = match self.places.get(&watch) {
            Some(Place::Folder(place) | Place::Excludes(place)) => place == path,
            None => false,
        };
        if ours {
            self.places.remove(&watch);
            if let Some(source) = &self.source {
                source.remove(watch);
            }
        }
    }

    /// The known folders at and beneath a path.
    pub(super) fn folders_under(&self, path: &str) -> Vec<Arc<str>> {
        if path.is_empty() {
            return self.folders.keys().cloned().collect();
        }
        // What comes after `/` in the order of bytes is `0`.
        let (first, end) = (format!("{path}/"), format!("{path}0"));
        let range = (Bound::Included(first.as_str()), Bound::Excluded(end.as_str()));
        let inside = self.folders.range::<str, _>(range).map(|(path, _)| path.clone());
        self.folders.get_key_value(path).map(|(path, _)| path.clone()).into_iter().chain(inside).collect()
    }
}
