//! What the tools that read a repository share.

use crate::base::WorkspacePath;
use crate::protocol::{Effects, Fault};
use crate::session::Scope;

/// What a call reads: the repository, and the files that it is about.
pub(super) fn effects(paths: &[String]) -> Effects {
    let whole = [".".to_owned()];
    let about = if paths.is_empty() { &whole } else { paths };
    let reads = [".git".to_owned()].into_iter().chain(about.iter().cloned()).collect();
    Effects { reads, ..Effects::default() }
}

/// Paths as a caller writes them.
pub(super) fn paths(scope: &Scope, asked: &[String]) -> Result<Vec<WorkspacePath>, Fault> {
    asked.iter().map(|path| Ok(scope.path(path)?)).collect()
}

/// What a caller has to know of files that the rules close.
pub(super) fn left_out(files: usize) -> Option<String> {
    match files {
        0 => None,
        1 => Some("1 file is left out: a rule closes it".to_owned()),
        more => Some(format!("{more} files are left out: rules close them")),
    }
}
