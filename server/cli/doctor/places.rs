//! Where we keep things: the runtime folder, the settings, the project's own folder.

use std::path::PathBuf;

use super::Check;
use crate::base::person;
use crate::index::lexical::sweep;
use crate::workspace::State;

/// Every check of a place.
pub(super) fn checks() -> Vec<Check> {
    let runtime = person::all_sockets().unwrap_or_else(std::env::temp_dir);
    vec![
        writable("runtime folder", Some(runtime), "Set XDG_RUNTIME_DIR to a folder that only you can write."),
        writable(
            "settings folder",
            person::all_settings(),
            "Set HOME or XDG_CONFIG_HOME to a folder that you can write.",
        ),
        writable(
            "this folder",
            Some(PathBuf::from(".")),
            "Run wherefore in a folder that you can write: it keeps its logs in .wherefore there.",
        ),
        state(),
        indexes(),
    ]
}

/// What this machine keeps of workspaces, and where.
fn state() -> Check {
    let name = "state folder";
    let mend =
        "Set HOME or XDG_STATE_HOME to a folder that you can write: wherefore changes no file without one.";
    let Some(folder) = person::state() else { return Check::broken(name, "there is none", mend) };
    let tried = writable(name, Some(folder.clone()), mend);
    if tried.health != super::CheckOutcome::Well {
        return tried;
    }
    let (workspaces, bytes) = State::of_all(&folder);
    Check::well(
        name,
        format!("{workspaces} workspaces, {:.1} MB in {}", bytes as f64 / 1e6, folder.display()),
    )
}

/// What search indexes take up, and when that ends.
fn indexes() -> Check {
    let name = "search indexes";
    let Some(cache) = person::cache() else {
        let mend = "Set HOME or XDG_CACHE_HOME: without a cache folder, a search reads every file of a large workspace.";
        return Check::lacking(name, "there is no cache folder", mend);
    };
    let sweep::Size { indexes, bytes } = sweep::held(&cache);
    let size = format!("{indexes}, {:.1} MB in {}", bytes as f64 / 1e6, sweep::below(&cache).display());
    Check::well(name, format!("{size}; an index is removed with its workspace, or after 30 days without use"))
}

/// Whether a file can be made in the folder, or in the nearest one above it that is there.
fn writable(name: &'static str, folder: Option<PathBuf>, mend: &str) -> Check {
    let Some(folder) = folder else { return Check::broken(name, "there is none", mend) };
    let nearest = folder.ancestors().find(|above| above.is_dir()).unwrap_or(&folder);
    let nearest = if nearest.as_os_str().is_empty() { ".".as_ref() } else { nearest };
    match tempfile::Builder::new().prefix(".wherefore-doctor-").tempfile_in(nearest) {
        Ok(_) => Check::well(name, folder.display().to_string()),
        Err(error) => Check::broken(name, format!("{}: {error}", folder.display()), mend),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::CheckOutcome;
    use super::writable;

    #[test]
    fn a_place_is_tried_and_left_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let health = |path: Option<PathBuf>| writable("x", path, "mend").health;
        assert_eq!(health(Some(dir.path().join("not/yet"))), CheckOutcome::Well);
        assert_eq!(health(Some(PathBuf::from("/proc/self"))), CheckOutcome::Broken);
        assert_eq!(health(None), CheckOutcome::Broken);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
