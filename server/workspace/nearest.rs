//! Names near one that is not there.

use crate::base::WorkspacePath;
use crate::protocol::Access;

use super::error::WorkspaceError;
use super::files::Files;
use super::list;

/// Names looked at; a folder with more is not searched to its end.
const LOOKED_AT: usize = 2000;
const SHOWN: usize = 3;
/// How alike two names must be, from 0 to 1.
const ALIKE: f32 = 0.6;

impl Files {
    /// The error for a file that is not there, with the paths in its folder that look most like it.
    pub(super) fn missing(&self, path: &WorkspacePath) -> WorkspaceError {
        WorkspaceError::Missing { path: path.clone(), near: self.nearest(path).unwrap_or_default() }
    }

    fn nearest(&self, path: &WorkspacePath) -> Option<Vec<String>> {
        let above = path.parent()?;
        self.rules.permit(Access::Read, &above).ok()?;
        let names = list::names(&self.root.folder(&above).ok()?).ok()?;
        let names: Vec<String> =
            names.into_iter().take(LOOKED_AT).filter_map(|name| name.into_string().ok()).collect();
        let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
        let candidates: Vec<&str> = lower.iter().map(String::as_str).collect();
        let wanted = path.name().to_lowercase();
        let near = similar::get_close_matches(wanted.as_str(), &candidates, SHOWN, ALIKE);
        let paths = near.into_iter().filter_map(|near| {
            let at = lower.iter().position(|name| name == near)?;
            above.join(names.get(at)?)
        });
        Some(
            paths
                .filter(|path| self.rules.permit(Access::Read, path).is_ok())
                .map(|path| path.to_string())
                .collect(),
        )
    }
}
