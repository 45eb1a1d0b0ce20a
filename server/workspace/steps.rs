//! Steps with no lines: whether what they change stands as before them or as after, carrying one out, and its reverse.
//!
//! Accepting a hunk, taking it back, undoing a call, and finding out what a killed process had done are these three.

use super::checkpoints::Step;
use super::entry::PathEntry;
use super::error::{StepError, WorkspaceError};
use super::files::Files;
use super::permissions::{Permissions, is_executable};
use super::stat::FileKind;
use super::write::Expect;
use crate::base::hash;
use crate::protocol::ChangeKind;

/// How what a step changes stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// As before it.
    Before,
    /// As after it.
    After,
    /// In no way that it knows: somebody else changed it.
    Neither,
}

impl Step {
    /// The step that takes this one back.
    pub(crate) fn reversed(&self) -> Self {
        let kind = match self.kind {
            // Undos of earlier versions call the removal of a folder so.
            ChangeKind::Delete if self.encoding.is_none() && self.before.is_none() => ChangeKind::Mkdir,
            ChangeKind::Mkdir => ChangeKind::Rmdir,
            ChangeKind::Rmdir => ChangeKind::Mkdir,
            kind => kind,
        };
        let (path, from) = match (&self.from, kind) {
            (Some(from), ChangeKind::Rename) => (from.clone(), Some(self.path.clone())),
            // A copy is taken back, and made again, by its bytes.
            _ => (self.path.clone(), None),
        };
        Self {
            path,
            from,
            kind,
            before: self.after.clone(),
            after: self.before.clone(),
            bits: None,
            gives: self.bits.map(Permissions::Exactly),
            ..self.clone()
        }
    }

    /// Whether it removes a folder.
    fn removes_folder(&self) -> bool {
        self.kind == ChangeKind::Rmdir
            || (self.kind == ChangeKind::Delete && self.encoding.is_none() && self.before.is_none())
    }
}

impl Files {
    /// The step with the permission bits that its file has now, so that it can be taken back.
    pub(crate) fn with_bits(&self, step: Step) -> Step {
        let entry = self.entry_at(&step.path).ok().flatten();
        Step { bits: entry.filter(|entry| entry.kind == FileKind::File).map(|entry| entry.bits), ..step }
    }

    /// How what a step changes stands. Files of more than `max` bytes are not looked into.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule; QUOTA_EXCEEDED for a larger file.
    pub(crate) fn standing(&self, step: &Step, max: u64) -> Result<Standing, WorkspaceError> {
        let path = &step.path;
        let entry = self.entry_at(path)?;
        let folder = matches!(&entry, Some(PathEntry { kind: FileKind::Folder, .. }));
        Ok(match step.kind {
            ChangeKind::Mkdir => either(folder, entry.is_none()),
            _ if step.removes_folder() => either(entry.is_none(), folder),
            ChangeKind::Rename => {
                let source = step.from.as_ref().map(|from| self.entry_at(from)).transpose()?.flatten();
                either(entry.is_some() && source.is_none(), entry.is_none() && source.is_some())
            }
            ChangeKind::Mode => {
                let wanted = step.gives.is_some_and(Permissions::executable);
                match entry.filter(|entry| entry.kind == FileKind::File) {
                    Some(entry) => either(is_executable(entry.bits) == wanted, true),
                    None => Standing::Neither,
                }
            }
            ChangeKind::Symlink => {
                let is_other = entry.as_ref().is_some_and(|entry| entry.target.is_none());
                let target = entry.and_then(|entry| entry.target).map(|text| hash::short(text.as_bytes()));
                either(!is_other && target == step.after, !is_other && target == step.before)
            }
            _ => {
                let found = match entry {
                    None => None,
                    Some(entry) if entry.kind == FileKind::File => {
                        Some(hash::short(&self.read(path, max)?.0))
                    }
                    Some(_) => return Ok(Standing::Neither),
                };
                either(found == step.after, found == step.before)
            }
        })
    }

    /// Carries a step out, where what it changes stands as before it.
    ///
    /// # Errors
    /// STALE where it does not; NOT_FOUND where the bytes to put there are not kept any more; whatever writing says.
    pub(crate) fn perform(&self, step: &Step) -> Result<(), StepError> {
        let path = &step.path;
        match step.kind {
            ChangeKind::Mkdir => drop(self.mkdir(path)?),
            _ if step.removes_folder() => self.rmdir(path)?,
            ChangeKind::Rename => match &step.from {
                Some(from) => self.rename(from, path)?,
                None => return Err(StepError::NoSource),
            },
            ChangeKind::Mode => self.set_permissions(path, step.gives.unwrap_or(Permissions::PLAIN))?,
            ChangeKind::Symlink => {
                let text =
                    |blob: &String| self.kept(blob).map(|bytes| String::from_utf8_lossy(&bytes).into());
                let before: Option<String> = step.before.as_ref().map(text).transpose()?;
                let after: Option<String> = step.after.as_ref().map(text).transpose()?;
                match (before, after) {
                    (before, Some(after)) => self.put_link(path, before.as_deref(), &after)?,
                    (Some(before), None) => self.remove_link(path, &before)?,
                    (None, None) => {}
                }
            }
            _ => {
                let expect = step.before.clone().map_or(Expect::Absent, Expect::Hash);
                let gives = step.gives.unwrap_or(Permissions::PLAIN);
                match (&step.from, &step.after) {
                    (Some(from), Some(_)) => drop(self.copy_file(from, path, &expect)?),
                    (None, Some(blob)) => drop(self.write_as(path, &self.kept(blob)?, &expect, gives)?),
                    (_, None) => self.remove(path, &expect)?,
                }
            }
        }
        Ok(())
    }

    fn kept(&self, blob: &str) -> Result<Vec<u8>, StepError> {
        self.state().get(blob)?.ok_or_else(|| StepError::BytesGone { blob: blob.to_owned() })
    }
}

fn either(after: bool, before: bool) -> Standing {
    match (after, before) {
        (true, _) => Standing::After,
        (false, true) => Standing::Before,
        (false, false) => Standing::Neither,
    }
}
