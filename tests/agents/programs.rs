//! The paths of the agents that `install.sh` installed.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The program of this name, or nothing where it could not be had; its tests say so and pass over.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let (folder, path) = (folder(), folder().join("bin").join(name));
    if !path.is_file() {
        let folder = folder.display();
        say(&format!("skipped: {name} is not in {folder} (tests/agents/install.sh): its tests pass over"));
        return None;
    }
    Some(path)
}

/// The folder that the agents are installed in.
pub(crate) fn folder() -> PathBuf {
    let set = if are_newest() { "newest" } else { "agents" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e").join(set)
}

/// Returns whether the tests run the newest version of each agent, and not the one that `install.sh` names.
pub(crate) fn are_newest() -> bool {
    std::env::var_os("WHEREFORE_AGENTS").is_some_and(|set| set == "newest")
}

/// Prints a line even if the test passes.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
