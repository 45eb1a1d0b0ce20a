//! The tasks of `tests/bench/agent` are sound: a perfect answer, played through the agent, passes each, and doing nothing none.

use std::process::Command;

use crate::support::report_skip;

#[test]
fn a_perfect_answer_passes_each_task_and_doing_nothing_none() {
    if Command::new("python3").arg("--version").output().is_err() {
        return report_skip("there is no python3");
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bench/agent/run.py");
    let output = Command::new("python3")
        .args([script, env!("CARGO_BIN_EXE_wherefore"), "--self-test"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.starts_with("30 tasks:"), "{output:?}");
}
