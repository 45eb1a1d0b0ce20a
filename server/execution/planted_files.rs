//! Words on what a command left in folders that it writes directly.

use crate::base::WorkspacePath;
use crate::sandbox::{PlantedEntry, PlantedKind, RunReport};
use crate::session::CallScope;

/// Describes the files that a command left in folders that it writes directly, a sentence each.
pub(crate) fn planted_files(scope: &CallScope, report: &RunReport) -> Vec<String> {
    report.planted.iter().filter_map(|planted| moved_away(scope, planted)).collect()
}

/// Describes an entry that a command left in a folder that it writes directly.
fn moved_away(scope: &CallScope, planted: &PlantedEntry) -> Option<String> {
    let path = planted.path.strip_prefix(scope.files().paths().root().real_path()).unwrap_or(&planted.path);
    let refusal = WorkspacePath::from_relative(&path.to_string_lossy())
        .and_then(|path| scope.files().paths().rules().paths().permit_direct_write(&path).err());
    let why = refusal.map_or_else(|| "it could make programs run".to_owned(), |refusal| refusal.to_string());
    match (&planted.quarantined, planted.kind) {
        (_, PlantedKind::Moved) => None,
        (Some(_), _) => Some(format!("{}: {why}; it was moved out of the workspace", path.display())),
        (None, _) => Some(format!("{}: {why}; it could not be moved away, remove it", path.display())),
    }
}
