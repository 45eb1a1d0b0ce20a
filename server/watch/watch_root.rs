//! The folder at the root's path, open, with the rules that come from outside of it.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, Stat, fstat, open};
use rustix::io::Errno;

use super::list::{FolderIdentity, identity_of, open_folder};
use super::outer::OuterRules;
use super::rules::FolderRules;

/// The root that is at its path.
pub(super) struct WatchRoot {
    pub(super) descriptor: OwnedFd,
    /// Its device and inode, which are no other folder's while the descriptor is open.
    id: FolderIdentity,
    /// Its path without symlinks.
    pub(super) real: PathBuf,
    pub(super) outer: OuterRules,
    /// The folder in which something was looked at last, open; only while what is known is brought up to date.
    opened: Option<(Arc<str>, FolderIdentity, Arc<OwnedFd>)>,
}

impl WatchRoot {
    /// Opens the folder at a path. With `outer_rules` the rules from outside of it count.
    ///
    /// # Errors
    /// The kernel's error.
    pub(super) fn open(root: &Path, outer_rules: bool) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = open(root, flags, Mode::empty())?;
        let stat = fstat(&descriptor)?;
        let real = std::fs::canonicalize(root).map_err(|_| Errno::NOENT)?;
        let outer = OuterRules::read_outer(&real, outer_rules);
        Ok(Self { descriptor, id: identity_of(&stat), real, outer, opened: None })
    }

    /// Returns whether that is this folder.
    pub(super) fn is_same(&self, stat: &Stat) -> bool {
        self.id == identity_of(stat)
    }

    /// Opens the folder at a path in it, if it is the one that is known by this identity; keeps it open for the next
    /// call.
    pub(super) fn open_known(&mut self, path: &str, identity: FolderIdentity) -> Option<Arc<OwnedFd>> {
        if let Some((open, same, descriptor)) = &self.opened
            && (open.as_ref(), *same) == (path, identity)
        {
            return Some(descriptor.clone());
        }
        let descriptor = Arc::new(self.open_if(path, identity)?);
        self.opened = Some((Arc::from(path), identity, descriptor.clone()));
        Some(descriptor)
    }

    /// Opens the folder at a path, if it is that one.
    pub(super) fn open_if(&self, path: &str, known: FolderIdentity) -> Option<OwnedFd> {
        let opened = open_folder(&self.descriptor, path).ok()?;
        fstat(&opened).is_ok_and(|stat| identity_of(&stat) == known).then_some(opened)
    }

    /// Closes the folder that [`Self::open_known`] keeps open.
    pub(super) fn close_opened(&mut self) {
        self.opened = None;
    }

    /// Returns whether a file or folder is listed by the rules of the folder it is in; `shown` are hidden names that are.
    pub(super) fn is_listed(
        &self,
        rules: &FolderRules,
        (path, name): (&str, &str),
        is_folder: bool,
        shown: &[String],
    ) -> bool {
        rules.is_listed(&self.real.join(path), name, is_folder, shown)
    }
}
