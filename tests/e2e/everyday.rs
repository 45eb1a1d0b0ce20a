//! A part of the field suite: everyday commands that go in the sandbox as they go outside. `tests/field/run` runs the whole.

use std::path::Path;
use std::process::Command;

use crate::support::report_skip;

/// The commands: a part of each kind that needs no package manager.
const PART: [&str; 9] = [
    "git-add-commit",
    "closed-git-stash",
    "git-rebase-conflict-abort",
    "background-then-python",
    "tmp-next-command",
    "home-cache-kept",
    "source-script",
    "grep-recursive",
    "jobs-list",
];

#[test]
fn everyday_commands_go_in_the_sandbox_as_outside() {
    if ["python3", "git", "openssl"]
        .iter()
        .any(|program| Command::new(program).arg("--help").output().is_err())
    {
        report_skip("python3, git or openssl is not there");
        return;
    }
    // Not among temporary files, of which commands have their own.
    let at = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field/run");
    let ran = Command::new("python3")
        .args([suite.as_os_str(), "--bare".as_ref(), "--at".as_ref(), at.path().as_os_str()])
        .args(PART)
        .env("WHEREFORE_BIN", env!("CARGO_BIN_EXE_wherefore"))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    let sum = told.lines().last().unwrap_or_default();
    assert!(sum.starts_with("9 commands: 9 same"), "{told}{}", String::from_utf8_lossy(&ran.stderr));
}
