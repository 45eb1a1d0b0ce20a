//! The common parts of the tools that read a repository.

use crate::base::WorkspacePath;
use crate::protocol::{CallEffects, Fault};
use crate::session::CallScope;

/// Returns the effects of a call: it reads the repository, and the files that it is about.
pub(super) fn repository_effects(paths: &[String]) -> CallEffects {
    let whole = [".".to_owned()];
    let about = if paths.is_empty() { &whole } else { paths };
    let reads = [".git".to_owned()].into_iter().chain(about.iter().cloned()).collect();
    CallEffects { reads, ..CallEffects::default() }
}

/// Paths as a caller writes them.
pub(super) fn parse_paths(scope: &CallScope, asked: &[String]) -> Result<Vec<WorkspacePath>, Fault> {
    asked.iter().map(|path| Ok(scope.parse_path(path)?)).collect()
}

/// Returns the warning about files that the rules close.
pub(super) fn left_out(files: usize) -> Option<String> {
    match files {
        0 => None,
        1 => Some("1 file is left out: a rule closes it".to_owned()),
        more => Some(format!("{more} files are left out: rules close them")),
    }
}
