//! The files of a workspace, as the rules let them be seen and changed.

use std::io::{IoSliceMut, Read};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use rustix::fs::{AtFlags, Mode, fsync, mkdirat, unlinkat};
use rustix::io::{Errno, ReadWriteFlags, preadv2};

use super::errno;
use super::error::WorkspaceError;
use super::resolve::Located;
use super::root::{OpenError, Root};
use super::stat::{FileKind, Stat};
use super::state::State;
use super::swap::{Stop, retry};
use crate::base::{FileId, WorkspacePath};
use crate::protocol::Access;
use crate::rules::{Opener, Refusal, Rules};

/// The files of a workspace, for one [`Opener`]. Every call asks the rules again, about the path asked for and the one
/// it leads to: what they deny stays closed even to a caller that forgot to ask, and so does the content of a file that
/// they ask about, where the opener has no yes to it. All calls block.
#[derive(Clone, Debug)]
pub struct Files {
    pub(super) root: Arc<Root>,
    pub(super) rules: Arc<Rules>,
    pub(super) state: Arc<State>,
    opener: Opener,
}

/// A regular file that was opened for reading.
#[derive(Debug)]
pub struct Opened {
    /// At its start.
    pub file: std::fs::File,
    /// What it was when it was opened.
    pub stat: Stat,
}

impl Opened {
    /// All of its bytes, where they are at most `max` and the system has them in memory: this never waits for
    /// the disk. Nothing otherwise, and the file stands where it stood.
    pub fn at_hand(&self, max: u64) -> Option<Vec<u8>> {
        let size = usize::try_from(self.stat.size).ok().filter(|_| self.stat.size <= max)?;
        // One more than there should be shows a file that has grown.
        let mut bytes = vec![0; size + 1];
        let read = preadv2(&self.file, &mut [IoSliceMut::new(&mut bytes)], 0, ReadWriteFlags::NOWAIT).ok()?;
        bytes.truncate(read);
        (read == size).then_some(bytes)
    }
}

impl Files {
    /// The files of the workspace whose state is kept in `state`, under `rules`, for `opener`.
    pub fn new(state: Arc<State>, rules: Arc<Rules>, opener: Opener) -> Self {
        Self { root: Arc::clone(state.workspace()), rules, state, opener }
    }

    /// The same files for another opener.
    #[must_use]
    pub fn opened_by(&self, opener: Opener) -> Self {
        Self { opener, ..self.clone() }
    }

    /// The workspace's root.
    pub fn root(&self) -> &Arc<Root> {
        &self.root
    }

    /// What this machine keeps of the workspace.
    pub fn state(&self) -> &Arc<State> {
        &self.state
    }

    /// The rules that hold.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Whether a path may be opened in this way, by its spelling alone.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule that denies, or that asks and has no yes.
    pub fn permit(&self, access: Access, path: &WorkspacePath) -> Result<(), Refusal> {
        self.rules.open(access, path, &self.opener)
    }

    /// The rule that asks before this path is read, where the opener has no yes to it.
    pub fn asks(&self, path: &WorkspacePath) -> Option<String> {
        self.rules.asks(path, &self.opener)
    }

    /// Whether a path may be opened in this way, as it is asked for and where it leads.
    ///
    /// # Errors
    /// As [`Files::permit`].
    pub fn admit(&self, access: Access, path: &WorkspacePath) -> Result<(), WorkspaceError> {
        self.locate(access, path).map(drop)
    }

    /// Where a path leads, if the rules permit the access there and by the path asked.
    pub(super) fn locate(&self, access: Access, asked: &WorkspacePath) -> Result<Located, WorkspaceError> {
        self.permit(access, asked)?;
        let located = self.root.locate(asked)?;
        if located.path != *asked {
            self.permit(access, &located.path)?;
        }
        Ok(located)
    }

    /// Where a path leads that is only looked at: its content stays closed. What a rule asks about may be seen to be there.
    pub(super) fn look_at(&self, asked: &WorkspacePath) -> Result<Located, WorkspaceError> {
        self.rules.permit(Access::Read, asked)?;
        let located = self.root.locate(asked)?;
        if located.path != *asked {
            self.rules.permit(Access::Read, &located.path)?;
        }
        Ok(located)
    }

    /// What stands at `path`, symlinks followed; nothing where it does not exist.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule or where it leads outside.
    pub fn stat(&self, path: &WorkspacePath) -> Result<Option<Stat>, WorkspaceError> {
        let located = self.look_at(path)?;
        Ok(located.stat.map(|stat| Stat::new(located.path, &stat)))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGS for a folder, FIFO, socket or device.
    pub fn open(&self, path: &WorkspacePath) -> Result<Opened, WorkspaceError> {
        self.permit(Access::Read, path)?;
        // Most paths hold no symlink: then this opens the file, and no link was followed to it.
        if let Ok((file, stat)) = self.root.open_file(path) {
            return Ok(Opened { file: file.into(), stat: Stat::new(path.clone(), &stat) });
        }
        retry(path, || {
            let located = self.locate(Access::Read, path)?;
            if located.stat.is_none() {
                return Err(self.missing(path).into());
            }
            let (file, stat) = self.open_file(&located.path)?;
            Ok(Opened { file: file.into(), stat: Stat::new(located.path, &stat) })
        })
    }

    /// Opens the regular file that was seen at a path with no symlink in it, in one step. Nothing where that
    /// does not do: it may stand elsewhere by now.
    pub fn open_seen(&self, path: &WorkspacePath, seen: FileId) -> Option<Opened> {
        self.permit(Access::Read, path).ok()?;
        let (file, stat) = self.root.open_seen(path, seen).ok()?;
        Some(Opened { file: file.into(), stat: Stat::new(path.clone(), &stat) })
    }

    /// The regular file at a path that was located.
    pub(super) fn open_file(&self, path: &WorkspacePath) -> Result<(OwnedFd, rustix::fs::Stat), Stop> {
        self.root.open_file(path).map_err(|error| match error {
            OpenError::FileKind(kind) => irregular(path, kind).into(),
            OpenError::Errno(error) => Stop::of("open", path, error),
        })
    }

    /// All bytes of a file of at most `max` bytes.
    ///
    /// # Errors
    /// As [`Files::open`]; QUOTA_EXCEEDED where it is larger.
    pub fn read(&self, path: &WorkspacePath, max: u64) -> Result<(Vec<u8>, Stat), WorkspaceError> {
        let Opened { file, stat } = self.open(path)?;
        let mut bytes = Vec::with_capacity(usize::try_from(stat.size.min(max)).unwrap_or(0));
        let read = file.take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| errno::failed("read", path, errno::of(&error)))?;
        let size = (bytes.len() as u64).max(stat.size);
        if size > max {
            return Err(WorkspaceError::TooLarge { path: path.clone(), size, max });
        }
        Ok((bytes, stat))
    }

    /// Makes a folder and those above it, and gives the ones that were not there, outermost first.
    ///
    /// # Errors
    /// INVALID_ARGS where a file stands in the way, PERMISSION_DENIED, QUOTA_EXCEEDED.
    pub fn mkdir(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, WorkspaceError> {
        let mut made = Vec::new();
        let done = retry(path, || self.mkdir_once(path, &mut made));
        done.map(|()| made)
    }

    fn mkdir_once(&self, path: &WorkspacePath, made: &mut Vec<WorkspacePath>) -> Result<(), Stop> {
        let located = self.locate(Access::Write, path)?;
        match &located.stat {
            Some(stat) if FileKind::of(stat) == FileKind::Folder => return Ok(()),
            Some(stat) => return Err(in_the_way(path, FileKind::of(stat)).into()),
            None => {}
        }
        let mut missing = vec![located.path.clone()];
        let mut folder = loop {
            let Some(above) = missing.last().and_then(WorkspacePath::parent) else {
                return Err(self.missing(path).into());
            };
            match self.root.folder(&above) {
                Ok(folder) => break folder,
                Err(Errno::NOENT) => missing.push(above),
                Err(error) => return Err(Stop::of("make", path, error)),
            }
        };
        let mut durable = Ok(());
        while let Some(next) = missing.pop() {
            match mkdirat(&folder, next.name(), Mode::RWXU | Mode::RWXG | Mode::RWXO) {
                Ok(()) => {
                    made.push(next.clone());
                    durable = durable.and(fsync(&folder).map_err(|error| not_durable(&next, error)));
                }
                Err(Errno::EXIST) => {}
                Err(error) => return Err(Stop::of("make", &next, error)),
            }
            folder = self.root.folder(&next).map_err(|error| match error {
                Errno::NOTDIR => in_the_way(&next, FileKind::File).into(),
                error => Stop::of("make", &next, error),
            })?;
        }
        durable.map_err(Stop::from)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// NOT_FOUND; INVALID_ARGS where it is not empty or no folder; PERMISSION_DENIED.
    pub fn rmdir(&self, path: &WorkspacePath) -> Result<(), WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Write, path)?;
            let Some(above) = located.path.parent() else {
                return Err(errno::failed("remove", path, Errno::PERM).into());
            };
            let folder = self.root.folder(&above).map_err(|error| Stop::of("remove", path, error))?;
            unlinkat(&folder, located.path.name(), AtFlags::REMOVEDIR)
                .map_err(|error| Stop::of("remove", path, error))?;
            fsync(&folder).map_err(|error| not_durable(path, error).into())
        })
    }
}

/// The error for what is neither file nor folder where a file is wanted.
pub(super) fn irregular(path: &WorkspacePath, kind: FileKind) -> WorkspaceError {
    WorkspaceError::Irregular { path: path.clone(), kind }
}

fn in_the_way(path: &WorkspacePath, kind: FileKind) -> WorkspaceError {
    WorkspaceError::InTheWay { path: path.clone(), kind }
}

/// The error for a change that took effect but may not outlive a power cut.
pub(super) fn not_durable(path: &WorkspacePath, error: Errno) -> WorkspaceError {
    WorkspaceError::NotDurable { path: path.clone(), source: error }
}
