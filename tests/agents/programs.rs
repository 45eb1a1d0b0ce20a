//! Where the agents are that `install.sh` put there.

use std::io::Write;
use std::path::{Path, PathBuf};

/// The program of this name, or nothing where it could not be had; its tests say so and pass over.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e/agents/bin").join(name);
    if !path.is_file() {
        say(&format!("skipped: {name} is not in .e2e/agents (tests/agents/install.sh): its tests pass over"));
        return None;
    }
    Some(path)
}

/// Says something even where the test passes.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
