//! Steps with no lines: comparing the path with the states before and after a step, carrying one out, and its reverse.
//!
//! Accepting a hunk, taking it back, undoing a call, and recovering from a killed process use these three.

use super::checkpoints::CheckpointStep;
use super::error::{StepError, WorkspaceError};
use super::files::WorkspaceFiles;
use super::path_entry::PathEntry;
use super::permissions::{Permissions, is_executable};
use super::stat::FileKind;
use super::write::ExpectedFile;
use crate::base::hash;
use crate::protocol::ChangeKind;

/// The state on the disk of the path that a step changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepStanding {
    /// As before it.
    Before,
    /// As after it.
    After,
    /// In no way that it knows: somebody else changed it.
    Neither,
}

impl CheckpointStep {
    /// The step that takes this one back.
    pub(crate) fn reverse_step(&self) -> Self {
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

    /// Returns whether it removes a folder.
    fn removes_folder(&self) -> bool {
        self.kind == ChangeKind::Rmdir
            || (self.kind == ChangeKind::Delete && self.encoding.is_none() && self.before.is_none())
    }

    /// The step with the permission bits that its file has now, so that it can be taken back.
    pub(crate) fn with_bits(self, files: &WorkspaceFiles) -> Self {
        let entry = files.entry_at(&self.path).ok().flatten();
        Self { bits: entry.filter(|entry| entry.kind == FileKind::File).map(|entry| entry.bits), ..self }
    }

    /// Returns the state on the disk of the path that it changes. Files of more than `max` bytes are not read.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule; QUOTA_EXCEEDED for a larger file.
    pub(crate) fn find_standing(
        &self,
        files: &WorkspaceFiles,
        max: u64,
    ) -> Result<StepStanding, WorkspaceError> {
        let path = &self.path;
        let entry = files.entry_at(path)?;
        let folder = matches!(&entry, Some(PathEntry { kind: FileKind::Folder, .. }));
        Ok(match self.kind {
            ChangeKind::Mkdir => standing_of(folder, entry.is_none()),
            _ if self.removes_folder() => standing_of(entry.is_none(), folder),
            ChangeKind::Rename => {
                let source = self.from.as_ref().map(|from| files.entry_at(from)).transpose()?.flatten();
                standing_of(entry.is_some() && source.is_none(), entry.is_none() && source.is_some())
            }
            ChangeKind::Mode => {
                let wanted = self.gives.is_some_and(Permissions::is_executable);
                match entry.filter(|entry| entry.kind == FileKind::File) {
                    Some(entry) => standing_of(is_executable(entry.bits) == wanted, true),
                    None => StepStanding::Neither,
                }
            }
            ChangeKind::Symlink => {
                let is_other = entry.as_ref().is_some_and(|entry| entry.target.is_none());
                let target =
                    entry.and_then(|entry| entry.target).map(|text| hash::short_hash(text.as_bytes()));
                standing_of(!is_other && target == self.after, !is_other && target == self.before)
            }
            _ => {
                let found = match entry {
                    None => None,
                    Some(entry) if entry.kind == FileKind::File => {
                        Some(hash::short_hash(&files.read_bytes(path, max)?.0))
                    }
                    Some(_) => return Ok(StepStanding::Neither),
                };
                standing_of(found == self.after, found == self.before)
            }
        })
    }

    /// Carries it out, where its path is in the state before it.
    ///
    /// # Errors
    /// STALE where it is not; NOT_FOUND where the bytes to put there are not kept any more; and the error of writing.
    pub(crate) fn perform_step(&self, files: &WorkspaceFiles) -> Result<(), StepError> {
        let path = &self.path;
        match self.kind {
            ChangeKind::Mkdir => drop(files.make_folders(path)?),
            _ if self.removes_folder() => files.remove_folder(path)?,
            ChangeKind::Rename => match &self.from {
                Some(from) => files.entry_changes().rename_entry(from, path)?,
                None => return Err(StepError::NoSource),
            },
            ChangeKind::Mode => {
                files.entry_changes().set_permissions(path, self.gives.unwrap_or(Permissions::PLAIN))?
            }
            ChangeKind::Symlink => {
                let text = |blob: &String| {
                    kept_bytes(files, blob).map(|bytes| String::from_utf8_lossy(&bytes).into())
                };
                let before: Option<String> = self.before.as_ref().map(text).transpose()?;
                let after: Option<String> = self.after.as_ref().map(text).transpose()?;
                match (before, after) {
                    (before, Some(after)) => {
                        files.entry_changes().put_link(path, before.as_deref(), &after)?
                    }
                    (Some(before), None) => files.entry_changes().remove_link(path, &before)?,
                    (None, None) => {}
                }
            }
            _ => {
                let expect = self.before.clone().map_or(ExpectedFile::Absent, ExpectedFile::Hash);
                let gives = self.gives.unwrap_or(Permissions::PLAIN);
                match (&self.from, &self.after) {
                    (Some(from), Some(_)) => drop(files.copy_file(from, path, &expect)?),
                    (None, Some(blob)) => {
                        drop(files.write_bytes_as(path, &kept_bytes(files, blob)?, &expect, gives)?)
                    }
                    (_, None) => files.remove_file(path, &expect)?,
                }
            }
        }
        Ok(())
    }
}

/// The bytes kept under a hash.
fn kept_bytes(files: &WorkspaceFiles, blob: &str) -> Result<Vec<u8>, StepError> {
    files.state().get_object(blob)?.ok_or_else(|| StepError::BytesGone { blob: blob.to_owned() })
}

fn standing_of(after: bool, before: bool) -> StepStanding {
    match (after, before) {
        (true, _) => StepStanding::After,
        (false, true) => StepStanding::Before,
        (false, false) => StepStanding::Neither,
    }
}
