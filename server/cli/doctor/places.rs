//! The folders of wherefore: the runtime folder, the settings, the project's own folder.

use std::path::PathBuf;

use super::DoctorCheck;
use crate::base::person;
use crate::index::lexical::sweep;
use crate::workspace::WorkspaceState;

/// Every check of a place.
pub(super) fn check_folders() -> Vec<DoctorCheck> {
    let runtime = person::runtime_dir().unwrap_or_else(std::env::temp_dir);
    vec![
        check_writable(
            "runtime folder",
            Some(runtime),
            "Set XDG_RUNTIME_DIR to a folder that only you can write.",
        ),
        check_writable(
            "settings folder",
            person::settings_home(),
            "Set HOME or XDG_CONFIG_HOME to a folder that you can write.",
        ),
        check_writable(
            "this folder",
            Some(PathBuf::from(".")),
            "Run wherefore in a folder that you can write: it keeps its logs in .wherefore there.",
        ),
        check_state(),
        check_indexes(),
    ]
}

/// Checks the folder that holds this machine's state of workspaces.
fn check_state() -> DoctorCheck {
    let name = "state folder";
    let mend =
        "Set HOME or XDG_STATE_HOME to a folder that you can write: wherefore changes no file without one.";
    let Some(folder) = person::state_dir() else { return DoctorCheck::broken(name, "there is none", mend) };
    let tried = check_writable(name, Some(folder.clone()), mend);
    if tried.health != super::CheckOutcome::Well {
        return tried;
    }
    let (workspaces, bytes) = WorkspaceState::of_all(&folder);
    DoctorCheck::well(
        name,
        format!("{workspaces} workspaces, {:.1} MB in {}", bytes as f64 / 1e6, folder.display()),
    )
}

/// Reports the size of the search indexes, and when they are removed.
fn check_indexes() -> DoctorCheck {
    let name = "search indexes";
    let Some(cache) = person::cache_dir() else {
        let mend = "Set HOME or XDG_CACHE_HOME: without a cache folder, a search reads every file of a large workspace.";
        return DoctorCheck::lacking(name, "there is no cache folder", mend);
    };
    let sweep::CacheSize { indexes, bytes } = sweep::measure_cache(&cache);
    let size =
        format!("{indexes}, {:.1} MB in {}", bytes as f64 / 1e6, sweep::index_folder(&cache).display());
    DoctorCheck::well(
        name,
        format!("{size}; an index is removed with its workspace, or after 30 days without use"),
    )
}

/// Checks that a file can be made in the folder, or in its nearest existing ancestor.
fn check_writable(name: &'static str, folder: Option<PathBuf>, mend: &str) -> DoctorCheck {
    let Some(folder) = folder else { return DoctorCheck::broken(name, "there is none", mend) };
    let nearest = folder.ancestors().find(|above| above.is_dir()).unwrap_or(&folder);
    let nearest = if nearest.as_os_str().is_empty() { ".".as_ref() } else { nearest };
    match tempfile::Builder::new().prefix(".wherefore-doctor-").tempfile_in(nearest) {
        Ok(_) => DoctorCheck::well(name, folder.display().to_string()),
        Err(error) => DoctorCheck::broken(name, format!("{}: {error}", folder.display()), mend),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::CheckOutcome;
    use super::check_writable;

    #[test]
    fn a_place_is_tried_and_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let health = |path: Option<PathBuf>| check_writable("x", path, "mend").health;
        assert_eq!(health(Some(dir.path().join("not/yet"))), CheckOutcome::Well);
        assert_eq!(health(Some(PathBuf::from("/proc/self"))), CheckOutcome::Broken);
        assert_eq!(health(None), CheckOutcome::Broken);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
