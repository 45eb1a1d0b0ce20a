//! Copying files and folders inside the workspace.

use std::io::Seek;

use rustix::fs::{AtFlags, readlinkat, statat};
use rustix::io::Errno;

use super::errno;
use super::error::WorkspaceError;
use super::files::{Files, Opened};
use super::list;
use super::permissions::Permissions;
use super::stat::FileKind;
use super::swap::{Stop, retry};
use super::write::{Expect, Written};
use crate::base::WorkspacePath;
use crate::protocol::Access;

/// One thing that copying a folder makes, in the order to make them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyStep {
    /// A folder; [`Files::mkdir`].
    Folder(WorkspacePath),
    /// A file; [`Files::copy_file`].
    File {
        /// What is copied.
        from: WorkspacePath,
        /// Where to.
        to: WorkspacePath,
        /// Its size in bytes.
        size: u64,
    },
    /// A symlink that leads to inside the workspace from its new place too; [`Files::symlink`].
    Link {
        /// Where it is made.
        to: WorkspacePath,
        /// Its text, unchanged.
        target: String,
    },
}

/// Something in a folder that is not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// What it is.
    pub path: WorkspacePath,
    /// Why it is left out.
    pub reason: String,
}

/// What copying a folder does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CopyPlan {
    /// What is made.
    pub steps: Vec<CopyStep>,
    /// What is left out.
    pub skipped: Vec<Skipped>,
}

impl Files {
    /// Copies a file. A new one gets the permission bits of the old; one that stands there already keeps its
    /// own identity and only changes its bytes.
    ///
    /// # Errors
    /// As [`Files::open`] for the source and [`Files::write`] for the target; INVALID_ARGS where both are one.
    pub fn copy_file(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        expect: &Expect,
    ) -> Result<Written, WorkspaceError> {
        let Opened { mut file, stat } = self.open(from)?;
        if self.root.resolve(to)? == stat.path {
            return Err(onto_itself(from, to));
        }
        let permissions = Permissions::Masked(stat.mode & 0o777);
        self.replace(to, permissions, expect, &mut |out| {
            file.rewind()?;
            std::io::copy(&mut std::io::BufReader::with_capacity(1 << 17, &file), out).map(|_| ())
        })
    }

    /// What copying the folder `from` to `to` would do, with at most `max` steps. Each path is judged by the
    /// rules; what they close, what is neither file, folder nor symlink, and links that would lead outside are
    /// skipped and told.
    ///
    /// # Errors
    /// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGS where one is inside the other; QUOTA_EXCEEDED for too many.
    pub fn copy_plan(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        max: usize,
    ) -> Result<CopyPlan, WorkspaceError> {
        let source = self.look_at(from)?;
        let target = self.locate(Access::Write, to)?;
        match source.stat.as_ref().map(FileKind::of) {
            Some(FileKind::Folder) => {}
            Some(_) => return Err(errno::failed("copy as a folder", from, Errno::NOTDIR)),
            None => return Err(self.missing(from)),
        }
        if target.path.is_in(&source.path) {
            return Err(onto_itself(from, to));
        }
        let mut plan = CopyPlan { steps: vec![CopyStep::Folder(target.path.clone())], skipped: Vec::new() };
        let mut todo = vec![(source.path, target.path)];
        while let Some((from, to)) = todo.pop() {
            let below = retry(&from, || self.plan_folder(&from, &to, &mut plan))?;
            if plan.steps.len() > max {
                return Err(WorkspaceError::CopyTooLarge { from, max });
            }
            todo.extend(below.into_iter().rev());
        }
        Ok(plan)
    }

    fn plan_folder(
        &self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        plan: &mut CopyPlan,
    ) -> Result<Vec<(WorkspacePath, WorkspacePath)>, Stop> {
        let failed = |error| Stop::of("copy", from, error);
        let folder = self.root.folder(from).map_err(failed)?;
        let mut names = list::names(&folder).map_err(failed)?;
        names.sort_unstable();
        let mut below = Vec::new();
        for raw in names {
            let name = raw.to_string_lossy();
            let (Some(source), Some(target)) = (from.join(&name), to.join(&name)) else { continue };
            let mut skip = |reason: String| plan.skipped.push(Skipped { path: source.clone(), reason });
            if raw.to_str().is_err() {
                skip("its name is not UTF-8".to_owned());
                continue;
            }
            let permitted = self.rules.permit(Access::Read, &source);
            if let Err(refusal) = permitted.and_then(|()| self.rules.permit(Access::Write, &target)) {
                skip(refusal.to_string());
                continue;
            }
            let stat = match statat(&folder, &raw, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                stat => stat.map_err(failed)?,
            };
            match FileKind::of(&stat) {
                FileKind::Folder => {
                    plan.steps.push(CopyStep::Folder(target.clone()));
                    below.push((source, target));
                }
                FileKind::File => {
                    let size = u64::try_from(stat.st_size).unwrap_or(0);
                    plan.steps.push(CopyStep::File { from: source, to: target, size });
                }
                FileKind::Symlink => {
                    let text = readlinkat(&folder, &raw, Vec::new()).map_err(failed)?;
                    let text = text.to_string_lossy();
                    // Where it leads now, and where it would lead from its new place.
                    let leads = self.leads(&source, &text).and_then(|_| self.leads(&target, &text));
                    match leads {
                        Ok(_) => plan.steps.push(CopyStep::Link { to: target, target: text.into_owned() }),
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
