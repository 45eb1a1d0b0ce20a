//! Copying files and folders inside the workspace.

use std::io::Seek;

use rustix::fs::{AtFlags, readlinkat, statat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::files::{OpenedFile, WorkspaceFiles};
use super::folder_listing;
use super::permissions::Permissions;
use super::permitted_paths::PermittedPaths;
use super::stat::FileKind;
use super::swap::{RetryStop, retry_swapped};
use super::write::{ExpectedFile, WrittenFile};
use crate::base::WorkspacePath;
use crate::protocol::PathAccess;

/// A step of copying a folder, in the order in which they are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CopyStep {
    /// A folder; [`WorkspaceFiles::make_folders`].
    Folder(WorkspacePath),
    /// A file; [`WorkspaceFiles::copy_file`].
    File {
        /// The source.
        from: WorkspacePath,
        /// The target.
        to: WorkspacePath,
        /// Its size in bytes.
        size: u64,
    },
    /// A symlink that leads to inside the workspace from its new place too; [`EntryChanges::make_symlink`](super::path_entry::EntryChanges::make_symlink).
    Link {
        /// The path of the new symlink.
        to: WorkspacePath,
        /// Its text, unchanged.
        target: String,
    },
}

/// An entry of a folder that is not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SkippedCopy {
    /// The path of the entry.
    pub path: WorkspacePath,
    /// The reason why it is left out.
    pub reason: String,
}

/// The plan of copying a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CopyPlan {
    /// The steps.
    pub steps: Vec<CopyStep>,
    /// The entries that are left out.
    pub skipped: Vec<SkippedCopy>,
}

impl WorkspaceFiles {
    /// Copies a file. A new one gets the permission bits of the old; an existing one keeps its own identity and only
    /// changes its bytes.
    ///
    /// # Errors
    /// As [`Self::open`] for the source and [`Self::write_bytes`] for the target; INVALID_ARGS where both are one.
    pub fn copy_file(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        expect: &ExpectedFile,
    ) -> Result<WrittenFile, WorkspaceError> {
        let OpenedFile { mut file, stat } = self.open(from)?;
        if self.paths.root.resolve_path(to)? == stat.path {
            return Err(onto_itself(from, to));
        }
        let permissions = Permissions::Masked(stat.mode & 0o777);
        self.replace_file(to, permissions, expect, &mut |out| {
            file.rewind()?;
            std::io::copy(&mut std::io::BufReader::with_capacity(1 << 17, &file), out).map(|_| ())
        })
    }
}

impl CopyPlan {
    /// Plans the copy of the folder `from` to `to`, with at most `max` steps. Each path is judged by the rules; closed
    /// paths, entries that are neither file, folder nor symlink, and links that would lead outside are skipped and
    /// reported.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGS where one is inside the other; QUOTA_EXCEEDED for too many.
    pub(crate) fn plan_copy(
        paths: &PermittedPaths,
        from: &WorkspacePath,
        to: &WorkspacePath,
        max: usize,
    ) -> Result<Self, WorkspaceError> {
        let source = paths.look_at(from)?;
        let target = paths.locate_permitted(PathAccess::Write, to)?;
        match source.stat.as_ref().map(FileKind::from_stat) {
            Some(FileKind::Folder) => {}
            Some(_) => return Err(errno::system_error("copy as a folder", from, Errno::NOTDIR)),
            None => return Err(paths.missing_error(from)),
        }
        if target.path.is_in(&source.path) {
            return Err(onto_itself(from, to));
        }
        let mut plan = Self { steps: vec![CopyStep::Folder(target.path.clone())], skipped: Vec::new() };
        let mut todo = vec![(source.path, target.path)];
        while let Some((from, to)) = todo.pop() {
            let below = retry_swapped(&from, || plan.add_folder(paths, &from, &to))?;
            if plan.steps.len() > max {
                return Err(WorkspaceError::CopyTooLarge { from, max });
            }
            todo.extend(below.into_iter().rev());
        }
        Ok(plan)
    }

    /// Adds the entries of one folder; returns the folders in it, with their targets.
    fn add_folder(
        &mut self,
        paths: &PermittedPaths,
        from: &WorkspacePath,
        to: &WorkspacePath,
    ) -> Result<Vec<(WorkspacePath, WorkspacePath)>, RetryStop> {
        let failed = |error| RetryStop::from_errno("copy", from, error);
        let folder = paths.root.open_folder(from).map_err(failed)?;
        let mut names = folder_listing::entry_names(&folder).map_err(failed)?;
        names.sort_unstable();
        let mut below = Vec::new();
        for raw in names {
            let name = raw.to_string_lossy();
            let (Some(source), Some(target)) = (from.join(&name), to.join(&name)) else { continue };
            let mut skip = |reason: String| self.skipped.push(SkippedCopy { path: source.clone(), reason });
            if raw.to_str().is_err() {
                skip("its name is not UTF-8".to_owned());
                continue;
            }
            let permitted = paths.rules.paths().permit_access(PathAccess::Read, &source);
            if let Err(refusal) =
                permitted.and_then(|()| paths.rules.paths().permit_access(PathAccess::Write, &target))
            {
                skip(refusal.to_string());
                continue;
            }
            let stat = match statat(&folder, &raw, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                stat => stat.map_err(failed)?,
            };
            match FileKind::from_stat(&stat) {
                FileKind::Folder => {
                    self.steps.push(CopyStep::Folder(target.clone()));
                    below.push((source, target));
                }
                FileKind::File => {
                    let size = u64::try_from(stat.st_size).unwrap_or(0);
                    self.steps.push(CopyStep::File { from: source, to: target, size });
                }
                FileKind::Symlink => {
                    let text = readlinkat(&folder, &raw, Vec::new()).map_err(failed)?;
                    let text = text.to_string_lossy();
                    // The link's current target, and its target from the new place.
                    let leads = paths
                        .symlink_target(&source, &text)
                        .and_then(|_| paths.symlink_target(&target, &text));
                    match leads {
                        Ok(_) => self.steps.push(CopyStep::Link { to: target, target: text.into_owned() }),
                        Err(error) => skip(error.to_string()),
                    }
                }
                other => skip(format!("it is {}", other.noun())),
            }
        }
        Ok(below)
    }
}

fn onto_itself(from: &WorkspacePath, to: &WorkspacePath) -> WorkspaceError {
    WorkspaceError::OntoItself { from: from.clone(), to: to.clone() }
}
