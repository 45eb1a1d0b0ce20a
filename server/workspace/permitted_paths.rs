//! Paths of a workspace, resolved as the rules let them be.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::error::WorkspaceError;
use super::files::irregular_error;
use super::folder_listing;
use super::resolve::LocatedPath;
use super::root::{RootOpenError, WorkspaceRoot};
use super::swap::RetryStop;
use crate::base::WorkspacePath;
use crate::protocol::PathAccess;
use crate::rules::{AccessRefusal, FileOpener, WorkspaceRules};

/// Names looked at; a folder with more is not searched to its end.
const MOST_LOOKED_AT: usize = 2000;
const MOST_SHOWN: usize = 3;
/// The least similarity of two names, from 0 to 1.
const ALIKE: f32 = 0.6;

/// The paths of a workspace that the rules permit to one [`FileOpener`]: each is judged as it is asked for and where it
/// leads.
#[derive(Clone, Debug)]
pub struct PermittedPaths {
    pub(super) root: Arc<WorkspaceRoot>,
    pub(super) rules: Arc<WorkspaceRules>,
    opener: FileOpener,
}

impl PermittedPaths {
    pub(super) fn new(root: Arc<WorkspaceRoot>, rules: Arc<WorkspaceRules>, opener: FileOpener) -> Self {
        Self { root, rules, opener }
    }

    /// Returns the paths for another opener.
    pub(super) fn opened_by(&self, opener: FileOpener) -> Self {
        Self { opener, ..self.clone() }
    }

    /// The workspace's root.
    pub fn root(&self) -> &Arc<WorkspaceRoot> {
        &self.root
    }

    /// The rules that hold.
    pub fn rules(&self) -> &Arc<WorkspaceRules> {
        &self.rules
    }

    /// Checks that a path may be opened in this way, by its spelling alone.
    ///
    /// # Errors
    /// PERMISSION_DENIED by a rule that denies, or that asks and has no yes.
    pub fn check_access(&self, access: PathAccess, path: &WorkspacePath) -> Result<(), AccessRefusal> {
        self.rules.paths().open_for(access, path, &self.opener)
    }

    /// The rule that asks before this path is read, where the opener has no yes to it.
    pub fn asking_rule(&self, path: &WorkspacePath) -> Option<String> {
        self.rules.paths().asking_rule(path, &self.opener)
    }

    /// Checks that a path may be opened in this way, as it is asked for and where it leads.
    ///
    /// # Errors
    /// As [`Self::check_access`].
    pub fn admit_path(&self, access: PathAccess, path: &WorkspacePath) -> Result<(), WorkspaceError> {
        self.locate_permitted(access, path).map(drop)
    }

    /// Resolves a path, if the rules permit the access there and by the path asked.
    pub(super) fn locate_permitted(
        &self,
        access: PathAccess,
        asked: &WorkspacePath,
    ) -> Result<LocatedPath, WorkspaceError> {
        self.check_access(access, asked)?;
        let located = self.root.locate_path(asked)?;
        if located.path != *asked {
            self.check_access(access, &located.path)?;
        }
        Ok(located)
    }

    /// Resolves a path for a look at its metadata: its content stays closed. A path that a rule asks about may be seen
    /// to exist.
    pub(super) fn look_at(&self, asked: &WorkspacePath) -> Result<LocatedPath, WorkspaceError> {
        self.rules.paths().permit_access(PathAccess::Read, asked)?;
        let located = self.root.locate_path(asked)?;
        if located.path != *asked {
            self.rules.paths().permit_access(PathAccess::Read, &located.path)?;
        }
        Ok(located)
    }

    /// The regular file at a path that was located.
    pub(super) fn open_file(&self, path: &WorkspacePath) -> Result<(OwnedFd, rustix::fs::Stat), RetryStop> {
        self.root.open_file(path).map_err(|error| match error {
            RootOpenError::FileKind(kind) => irregular_error(path, kind).into(),
            RootOpenError::Errno(error) => RetryStop::from_errno("open", path, error),
        })
    }

    /// Returns the path that a symlink at `link` with the text `target` would lead to, if the rules let that be
    /// written. `link` must lie in a folder that is no symlink. Going up is understood only at the start of the text:
    /// after a name, which may be a symlink, only the file system knows the parent.
    ///
    /// # Errors
    /// PERMISSION_DENIED where it leads outside, or to what a rule closes.
    pub(crate) fn symlink_target(
        &self,
        link: &WorkspacePath,
        target: &str,
    ) -> Result<WorkspacePath, WorkspaceError> {
        let mut names =
            target.split('/').filter(|part| !matches!(*part, "" | ".")).skip_while(|part| *part == "..");
        let plain = !target.starts_with('/') && !target.is_empty() && names.all(|part| part != "..");
        let above = link.parent().filter(|_| plain);
        let Some(leads) = above.and_then(|above| WorkspacePath::from_relative(&format!("{above}/{target}")))
        else {
            return Err(WorkspaceError::WouldLeadOutside { link: link.clone(), target: target.to_owned() });
        };
        self.rules.paths().permit_access(PathAccess::Write, &leads)?;
        Ok(leads)
    }

    /// The error for a file that is not there, with the paths in its folder that look most like it.
    pub(super) fn missing_error(&self, path: &WorkspacePath) -> WorkspaceError {
        WorkspaceError::Missing { path: path.clone(), near: self.nearest_names(path).unwrap_or_default() }
    }

    fn nearest_names(&self, path: &WorkspacePath) -> Option<Vec<String>> {
        let above = path.parent()?;
        self.rules.paths().permit_access(PathAccess::Read, &above).ok()?;
        let names = folder_listing::entry_names(&self.root.open_folder(&above).ok()?).ok()?;
        let names: Vec<String> =
            names.into_iter().take(MOST_LOOKED_AT).filter_map(|name| name.into_string().ok()).collect();
        let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let candidates: Vec<&str> = lower.iter().map(String::as_str).collect();
        let wanted = path.name().to_lowercase();
        let near = similar::get_close_matches(wanted.as_str(), &candidates, MOST_SHOWN, ALIKE);
        let paths = near.into_iter().filter_map(|near| {
            let at = lower.iter().position(|name| name == near)?;
            above.join(names.get(at)?)
        });
        Some(
            paths
                .filter(|path| self.rules.paths().permit_access(PathAccess::Read, path).is_ok())
                .map(|path| path.to_string())
                .collect(),
        )
    }
}
