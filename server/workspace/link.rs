//! Making symlinks that stay in the workspace.

use rustix::fs::{fsync, symlinkat};

use super::error::WorkspaceError;
use super::files::{Files, not_durable};
use super::swap::{Stop, retry};
use crate::base::WorkspacePath;
use crate::protocol::Access;

impl Files {
    /// Makes a symlink with `target` as its text, which must lead to somewhere in the workspace that may be
    /// written.
    ///
    /// # Errors
    /// PERMISSION_DENIED where it would lead outside or to what a rule closes; INVALID_ARGS where something is
    /// there already.
    pub fn symlink(&self, path: &WorkspacePath, target: &str) -> Result<(), WorkspaceError> {
        retry(path, || {
            let located = self.locate(Access::Write, path)?;
            let leads = self.leads(&located.path, target)?;
            self.locate(Access::Write, &leads)?;
            let above = located.path.parent().unwrap_or_else(WorkspacePath::root);
            let folder = self.root.folder(&above).map_err(|error| Stop::of("write", path, error))?;
            symlinkat(target, &folder, located.path.name())
                .map_err(|error| Stop::of("write", path, error))?;
            fsync(&folder).map_err(|error| not_durable(path, error).into())
        })
    }

    /// Where a symlink at `link` with the text `target` would lead, if the rules let that be written. `link`
    /// must lie in a folder that is no symlink. Going up is understood only at the start of the text: after a
    /// name, which may be a symlink, only the file system knows where up is.
    ///
    /// # Errors
    /// PERMISSION_DENIED where it leads outside, or to what a rule closes.
    pub(crate) fn leads(&self, link: &WorkspacePath, target: &str) -> Result<WorkspacePath, WorkspaceError> {
        let mut names =
            target.split('/').filter(|part| !matches!(*part, "" | ".")).skip_while(|part| *part == "..");
        let plain = !target.starts_with('/') && !target.is_empty() && names.all(|part| part != "..");
        let above = link.parent().filter(|_| plain);
        let Some(leads) = above.and_then(|above| WorkspacePath::clean(&format!("{above}/{target}"))) else {
            return Err(WorkspaceError::WouldLeadOutside { link: link.clone(), target: target.to_owned() });
        };
        self.rules.permit(Access::Write, &leads)?;
        Ok(leads)
    }
}
