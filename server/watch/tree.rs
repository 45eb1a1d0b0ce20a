//! The state of a watch: the root, all that is known beneath it, and what is to be read again.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{AtFlags, CWD, FileType, statat};

use super::event_source::EventSource;
use super::file_table::FileTable;
use super::folder_table::FolderTable;
use super::inotify::Inotify;
use super::known_tree::KnownTree;
use super::list::{FolderReader, PolledDevices};
use super::notify_source::NotifySource;
use super::options::{WatchOptions, in_use};
use super::outer::OuterRules;
use super::watch_root::WatchRoot;
use crate::protocol::{Rescan, RescanReason, WatchBackend};

/// Readings of all: the one that is due, and the last one.
#[derive(Debug, Default)]
pub(super) struct RescanState {
    /// Set if all has to be read again.
    pub(super) due: Option<RescanReason>,
    pub(super) last: Option<Rescan>,
}

impl RescanState {
    /// Notes that files were read again, from `begun` until now.
    pub(super) fn record_rescan(&mut self, reason: RescanReason, begun: Instant) {
        let took = begun.elapsed();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.last = Some(Rescan { reason, at: now.saturating_sub(took).as_secs(), took_ms });
    }
}

/// The state of the root. The thread that holds it brings it up to date.
pub(super) struct WatchedTree {
    pub(super) root: PathBuf,
    pub(super) options: WatchOptions,
    pub(super) stop: Arc<AtomicBool>,
    /// `None` while there is no folder at the root's path.
    pub(super) top: Option<WatchRoot>,
    pub(super) devices: PolledDevices,
    pub(super) known: KnownTree,
    pub(super) rescans: RescanState,
    /// When polled folders were last read: when that began, and how long it took.
    pub(super) polled_at: Option<(Instant, Duration)>,
}

impl WatchedTree {
    /// Creates a tree of which nothing is known yet; all has to be read.
    pub(super) fn new(root: PathBuf, options: WatchOptions, stop: Arc<AtomicBool>) -> Self {
        let max = options.max_watches;
        let source = match in_use(options.backend) {
            WatchBackend::Poll => None,
            WatchBackend::Notify => Some(NotifySource::open(max).map(Box::new).map(EventSource::Notify)),
            _ => Some(open_inotify(max).map(EventSource::Inotify)),
        };
        let files = FileTable::new(options.max_files);
        Self {
            root,
            options,
            stop,
            top: None,
            devices: PolledDevices::default(),
            known: KnownTree::new(FolderTable::new(source), files),
            rescans: RescanState::default(),
            polled_at: None,
        }
    }

    /// Knows nothing any more; the kernel watches nothing.
    pub(super) fn forget_all(&mut self) {
        *self = Self::new(
            self.root.clone(),
            WatchOptions { backend: WatchBackend::Poll, ..self.options.clone() },
            self.stop.clone(),
        );
    }

    /// Returns the context for reading folders, or `None` while there is no root.
    pub(super) fn folder_reader(&self) -> Option<FolderReader<'_>> {
        let top = self.top.as_ref()?;
        Some(FolderReader {
            top: &top.descriptor,
            real: &top.real,
            shown: &self.options.hidden,
            source: self.known.folders.source.as_deref(),
            devices: &self.devices,
            stop: &self.stop,
        })
    }

    /// Checks whether the watched folder is still at the root's path. If another one is there, everything is to be
    /// read; if none is, there are no files.
    pub(super) fn check_root(&mut self) {
        let found = statat(CWD, &self.root, AtFlags::empty())
            .ok()
            .filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory);
        match (&self.top, found) {
            (Some(top), Some(stat)) if top.is_same(&stat) => {}
            (before, Some(_)) => {
                let reason = match (before.is_none(), self.rescans.last) {
                    (true, None) => RescanReason::Started,
                    _ => RescanReason::RootReplaced,
                };
                if let Ok(top) = WatchRoot::open(&self.root, self.options.outer_rules) {
                    self.devices = PolledDevices::default();
                    self.top = Some(top);
                    self.rescans.due = Some(reason);
                }
            }
            (Some(_), None) => {
                self.known.drop_folder("");
                self.top = None;
                self.known.files.window.note_rescan(RescanReason::RootMissing);
            }
            (None, None) => {}
        }
    }

    /// Reads the rules from outside of the root again if they changed, and marks a rescan of all as due.
    pub(super) fn check_outer(&mut self) {
        let counts = self.options.outer_rules;
        if let Some(top) = &mut self.top
            && top.outer.is_stale()
        {
            top.outer = OuterRules::read_outer(&top.real, counts);
            self.rescans.due = Some(RescanReason::RulesChanged);
        }
    }
}

/// Opens an inotify instance that watches at most so many folders.
///
/// # Errors
/// Why the system gives none, with a way out.
pub(super) fn open_inotify(max: usize) -> Result<Inotify, String> {
    Inotify::open(max).map_err(|error| {
        format!("{error}; `sysctl fs.inotify.max_user_instances` shows how many programs may have some")
    })
}
