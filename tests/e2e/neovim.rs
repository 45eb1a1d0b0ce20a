//! The plugin in real Neovim, both versions, against the real binary: what editors/nvim/tests holds.

use std::path::Path;
use std::process::Command;

use crate::support::report_skip;

/// Runs the plugin's tests in the Neovim that `tests/run` put into `.e2e/NAME`.
fn check(name: &str) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = project.join(".e2e").join(name).join("nvim");
    if !program.exists() {
        report_skip(&format!(
            "{name} is not installed (tests/run installs it): the plugin's tests pass over"
        ));
        return;
    }
    let run = Command::new(&program)
        .args(["--headless", "--clean", "-l", "editors/nvim/tests/run.lua"])
        .current_dir(project)
        .env("WHEREFORE_BIN", env!("CARGO_BIN_EXE_wherefore"))
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}\n{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.contains(" passed, 0 failed"), "{said}");
}

#[test]
fn neovim_0_10() {
    check("nvim-0.10");
}

#[test]
fn neovim_0_12() {
    check("nvim-0.12");
}
