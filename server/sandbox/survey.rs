//! The entries of the writable folders that a command must not plant: those that the plan's guard closes, sockets,
//! FIFOs and devices. A scan before the run and another after it, when no process of the sandbox is left, show what
//! the command planted.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::folder_scan::{FolderScan, FolderScanner, SeenEntry};
use crate::guard::PathGuard;
use crate::hard_links::LinkedFiles;
use crate::opened_folders::OpenedFolders;
use crate::survey_cache::{FolderScans, SurveyCache, stale_folders};

/// Something that a command left in a writable folder, and that programs outside of the sandbox might run or wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlantedEntry {
    /// The original path.
    #[serde(serialize_with = "readable")]
    pub path: PathBuf,
    /// The kind of the entry.
    pub kind: PlantedKind,
    /// The path that it was moved to. `None`: it is still there.
    pub quarantined: Option<PathBuf>,
}

/// Writes a path as text. A name that is none is shown with marks in place of its odd bytes.
fn readable<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// The kinds of planted entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlantedKind {
    /// A file or a folder that the plan's guard closes, such as `.git`.
    Protected,
    /// An entry that was there before, and whose folder was moved. It stays.
    Moved,
    /// A socket.
    Socket,
    /// A FIFO.
    Fifo,
    /// A device.
    Device,
    /// A folder whose path is too long to look into.
    Deep,
}

/// The results of one complete scan, by path.
#[derive(Debug, Default)]
pub(crate) struct FolderSurvey {
    found: HashMap<PathBuf, SeenEntry>,
    /// The folders that were looked into.
    folders: Vec<Arc<FolderScans>>,
    /// Further names of masked files.
    twins: Vec<PathBuf>,
    guard: PathGuard,
}

/// The longest path that the kernel takes, with the zero at its end.
const LONGEST: usize = 4096;
/// The longest name, with the slash before it.
const LONGEST_NAME: usize = 256;

impl FolderSurvey {
    /// Looks at everything below `folders`. What `recall` knows of a folder that did not change is not looked at again. A
    /// folder of somebody else's that cannot be read is passed over: the command cannot read it either.
    pub(crate) fn survey_folders(
        folders: &[PathBuf],
        linked: &LinkedFiles,
        recall: &SurveyCache,
        guard: &PathGuard,
    ) -> Self {
        let mut survey = Self { guard: guard.clone(), ..Self::default() };
        let mut looker = FolderScanner::new(linked, guard);
        for root in folders {
            // The kept results do not hold the names of files.
            let before = if linked.is_empty() { recall.cached_below(root, guard) } else { Arc::default() };
            let now = survey.take_below(root, before, &mut looker);
            if linked.is_empty() {
                recall.store_below(root, guard, &now);
            }
            survey.folders.push(now);
        }
        survey
    }

    /// Looks once more, into those folders that changed since, and into new ones. Folders that their owner could not enter
    /// stay open until the second part of the answer is dropped.
    pub(crate) fn survey_again(&self) -> (Self, OpenedFolders) {
        let stale = self.folders.iter().flat_map(|folders| stale_folders(folders));
        let mut waiting: Vec<PathBuf> = stale.map(PathBuf::from).collect();
        // The last one is taken first, and what holds a folder has to come before it.
        waiting.sort_by(|one, other| other.cmp(one));
        let mut survey = Self::default();
        let linked = LinkedFiles::default();
        let mut looker = FolderScanner::new(&linked, &self.guard);
        let is_new =
            |folder: &Path| !self.folders.iter().any(|folders| folders.contains_key(folder.as_os_str()));
        survey.look_below(waiting, &mut looker, |_| None, is_new);
        (survey, looker.opened)
    }

    /// The protected paths that are there, so that the sandbox makes them read-only. In a repository without a protected
    /// name these are its settings and hooks.
    pub(crate) fn protected_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.of_kind(PlantedKind::Protected).flat_map(|path| {
            if path.ends_with("HEAD") {
                ["HEAD", "config", "hooks"].map(|name| path.with_file_name(name)).to_vec()
            } else {
                vec![path.to_owned()]
            }
        })
    }

    /// The sockets of the host, so that the sandbox covers them.
    pub(crate) fn sockets(&self) -> impl Iterator<Item = &Path> {
        self.of_kind(PlantedKind::Socket)
    }

    /// Further names of masked files, so that the sandbox covers them too.
    pub(crate) fn twins(&self) -> impl Iterator<Item = &Path> {
        self.twins.iter().map(PathBuf::as_path)
    }

    /// Returns the entries that are there now, and were not there in `before`.
    pub(crate) fn planted_since(&self, before: &Self) -> Vec<PlantedEntry> {
        let known = |inode| before.found.values().any(|seen| seen.inode == inode);
        let mut planted: Vec<PlantedEntry> = self
            .found
            .iter()
            .filter(|(path, seen)| before.found.get(*path) != Some(*seen))
            .map(|(path, seen)| {
                let moved = seen.kind == PlantedKind::Protected && known(seen.inode);
                let kind = if moved { PlantedKind::Moved } else { seen.kind };
                PlantedEntry { path: path.clone(), kind, quarantined: None }
            })
            .collect();
        planted.sort_by(|one, other| one.path.cmp(&other.path));
        // The contents of an entry that is moved away go with it.
        let mut moved_away: Option<PathBuf> = None;
        planted.retain(|one| {
            let is_inside = moved_away.as_ref().is_some_and(|above| one.path.starts_with(above));
            if !is_inside && one.kind == PlantedKind::Protected {
                moved_away = Some(one.path.clone());
            }
            !is_inside
        });
        planted
    }

    fn of_kind(&self, kind: PlantedKind) -> impl Iterator<Item = &Path> {
        self.found.iter().filter(move |(_, seen)| seen.kind == kind).map(|(path, _)| path.as_path())
    }

    /// Scans `root` and everything below it, of which `before` is known.
    fn take_below(
        &mut self,
        root: &Path,
        before: Arc<FolderScans>,
        looker: &mut FolderScanner<'_>,
    ) -> Arc<FolderScans> {
        let stale: HashSet<&OsStr> = stale_folders(&before).into_iter().collect();
        if stale.is_empty() && !before.is_empty() {
            before.iter().for_each(|(folder, look)| self.add_scan(Path::new(folder), look));
            return before;
        }
        let recalled = |folder: &Path| {
            let folder = folder.as_os_str();
            before.get(folder).filter(|_| !stale.contains(folder)).cloned()
        };
        Arc::new(self.look_below(vec![root.to_owned()], looker, recalled, |_| true))
    }

    /// Takes the `recalled` results of the `waiting` folders, or scans them, and the folders below while `is_new`
    /// holds.
    fn look_below(
        &mut self,
        mut waiting: Vec<PathBuf>,
        looker: &mut FolderScanner<'_>,
        recalled: impl Fn(&Path) -> Option<Arc<FolderScan>>,
        is_new: impl Fn(&Path) -> bool,
    ) -> FolderScans {
        let mut folders = FolderScans::new();
        while let Some(folder) = waiting.pop() {
            let look = recalled(&folder).unwrap_or_else(|| Arc::new(looker.scan_folder(&folder)));
            self.add_scan(&folder, &look);
            let below = look.folders.iter().map(|(name, _)| folder.join(name));
            waiting.extend(below.filter(|below| !is_too_deep(below) && is_new(below)));
            // A folder that cannot be read is kept too, so that the next scan knows that it was unreadable before.
            folders.insert(folder.into_os_string(), look);
        }
        folders
    }

    /// Takes what was seen in one folder.
    fn add_scan(&mut self, folder: &Path, look: &FolderScan) {
        self.found.extend(look.found.iter().map(|(name, seen)| (folder.join(name), *seen)));
        self.twins.extend(look.twins.iter().map(|name| folder.join(name)));
        if folder.as_os_str().len() + LONGEST_NAME < LONGEST {
            return;
        }
        let deep = |(name, inode): &(OsString, u64)| {
            (folder.join(name), SeenEntry { kind: PlantedKind::Deep, inode: *inode })
        };
        self.found.extend(look.folders.iter().map(deep).filter(|(below, _)| is_too_deep(below)));
    }
}

/// Returns whether a path is too long to be scanned.
fn is_too_deep(path: &Path) -> bool {
    path.as_os_str().len() >= LONGEST
}
