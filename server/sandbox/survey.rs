//! What stands in the writable folders that a command must not plant: protected names, sockets, FIFOs and devices. A look
//! before the run and one after it, when no process of the sandbox is left, show what the command planted.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::linked::Linked;
use crate::look::{Look, Looker, Seen};
use crate::opened::Opened;
use crate::recall::{Folders, Recall, stale};

/// Something that a command left in a writable folder, and that programs outside of the sandbox might run or wait for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Planted {
    /// Where it was.
    #[serde(serialize_with = "readable")]
    pub path: PathBuf,
    /// What it is.
    pub kind: PlantedKind,
    /// Where it was moved to. `None`: it is still there.
    pub quarantined: Option<PathBuf>,
}

/// Writes a path as text. A name that is none is shown with marks in place of its odd bytes.
fn readable<S: serde::Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&path.display())
}

/// What a command planted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlantedKind {
    /// A file or a folder with a protected name, such as `.git`.
    Protected,
    /// One that was there before, and whose folder was moved. It stays.
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

/// What was found in one look at everything, by path.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    found: HashMap<PathBuf, Seen>,
    /// The folders that were looked into.
    folders: Vec<Arc<Folders>>,
    /// Further names of masked files.
    twins: Vec<PathBuf>,
}

/// The longest path that the kernel takes, with the zero at its end.
const LONGEST: usize = 4096;
/// The longest name, with the slash before it.
const LONGEST_NAME: usize = 256;

impl Survey {
    /// Looks at everything below `folders`. What `recall` knows of a folder that did not change is not looked at again. A
    /// folder of somebody else's that cannot be read is passed over: the command cannot read it either.
    pub(crate) fn take(folders: &[PathBuf], linked: &Linked, recall: &Recall) -> Self {
        let mut survey = Self::default();
        let mut looker = Looker::new(linked);
        for root in folders {
            // What is kept does not tell the names of files.
            let before = if linked.is_empty() { recall.below(root) } else { Arc::default() };
            let now = survey.take_below(root, before, &mut looker);
            if linked.is_empty() {
                recall.keep(root, &now);
            }
            survey.folders.push(now);
        }
        survey
    }

    /// Looks once more, into those folders that changed since, and into new ones. Folders that their owner could not enter
    /// stay open until the second part of the answer is dropped.
    pub(crate) fn again(&self) -> (Self, Opened) {
        let stale = self.folders.iter().flat_map(|folders| stale(folders));
        let mut waiting: Vec<PathBuf> = stale.map(PathBuf::from).collect();
        // The last one is taken first, and what holds a folder has to come before it.
        waiting.sort_by(|one, other| other.cmp(one));
        let mut survey = Self::default();
        let linked = Linked::default();
        let mut looker = Looker::new(&linked);
        let is_new =
            |folder: &Path| !self.folders.iter().any(|folders| folders.contains_key(folder.as_os_str()));
        survey.look_below(waiting, &mut looker, |_| None, is_new);
        (survey, looker.opened)
    }

    /// The protected paths that are there, so that the sandbox makes them read-only. In a repository without a protected
    /// name these are its settings and hooks.
    pub(crate) fn protected(&self) -> impl Iterator<Item = PathBuf> {
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

    /// What is there now, and was not there in `before`.
    pub(crate) fn planted_since(&self, before: &Self) -> Vec<Planted> {
        let known = |inode| before.found.values().any(|seen| seen.inode == inode);
        let mut planted: Vec<Planted> = self
            .found
            .iter()
            .filter(|(path, seen)| before.found.get(*path) != Some(*seen))
            .map(|(path, seen)| {
                let moved = seen.kind == PlantedKind::Protected && known(seen.inode);
                let kind = if moved { PlantedKind::Moved } else { seen.kind };
                Planted { path: path.clone(), kind, quarantined: None }
            })
            .collect();
        planted.sort_by(|one, other| one.path.cmp(&other.path));
        planted
    }

    fn of_kind(&self, kind: PlantedKind) -> impl Iterator<Item = &Path> {
        self.found.iter().filter(move |(_, seen)| seen.kind == kind).map(|(path, _)| path.as_path())
    }

    /// What stands at and below `root`, of which `before` is known.
    fn take_below(&mut self, root: &Path, before: Arc<Folders>, looker: &mut Looker<'_>) -> Arc<Folders> {
        let stale: HashSet<&OsStr> = stale(&before).into_iter().collect();
        if stale.is_empty() && !before.is_empty() {
            before.iter().for_each(|(folder, look)| self.add(Path::new(folder), look));
            return before;
        }
        let recalled = |folder: &Path| {
            let folder = folder.as_os_str();
            before.get(folder).filter(|_| !stale.contains(folder)).cloned()
        };
        Arc::new(self.look_below(vec![root.to_owned()], looker, recalled, |_| true))
    }

    /// Takes what is `recalled` of `waiting`, or looks into them, and into what lies below as far as it `is_new`.
    fn look_below(
        &mut self,
        mut waiting: Vec<PathBuf>,
        looker: &mut Looker<'_>,
        recalled: impl Fn(&Path) -> Option<Arc<Look>>,
        is_new: impl Fn(&Path) -> bool,
    ) -> Folders {
        let mut folders = Folders::new();
        while let Some(folder) = waiting.pop() {
            let look = recalled(&folder).unwrap_or_else(|| Arc::new(looker.look_into(&folder)));
            self.add(&folder, &look);
            let below = look.folders.iter().map(|(name, _)| folder.join(name));
            waiting.extend(below.filter(|below| !is_too_deep(below) && is_new(below)));
            // One that cannot be read is kept too, so that the next look knows that it was so before.
            folders.insert(folder.into_os_string(), look);
        }
        folders
    }

    /// Takes what was seen in one folder.
    fn add(&mut self, folder: &Path, look: &Look) {
        self.found.extend(look.found.iter().map(|(name, seen)| (folder.join(name), *seen)));
        self.twins.extend(look.twins.iter().map(|name| folder.join(name)));
        if folder.as_os_str().len() + LONGEST_NAME < LONGEST {
            return;
        }
        let deep = |(name, inode): &(OsString, u64)| {
            (folder.join(name), Seen { kind: PlantedKind::Deep, inode: *inode })
        };
        self.found.extend(look.folders.iter().map(deep).filter(|(below, _)| is_too_deep(below)));
    }
}

/// Whether a path is too long to look into.
fn is_too_deep(path: &Path) -> bool {
    path.as_os_str().len() >= LONGEST
}
