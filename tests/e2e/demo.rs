//! The demo as a new user runs it: every way to decide, on the project that ships and on one of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Runs `wherefore demo` with its temporary folder inside `home`, with nobody at a terminal.
fn demo(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.arg("demo").args(args).env("TMPDIR", home).env("HOME", home).env("XDG_RUNTIME_DIR", home);
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

/// What it printed, when it went well.
fn played(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{errors}");
    said
}

#[test]
fn the_demo_ends_as_it_was_decided() {
    let cases: [(&[&str], &str, bool); 4] = [
        (&[], "2 accepted, 1 rejected", true),
        (&["--decide", "alternate"], "2 accepted, 1 rejected", true),
        (&["--decide", "all"], "3 accepted, 0 rejected", true),
        (&["--decide", "none"], "0 accepted, 3 rejected", false),
    ];
    for (args, told, undone) in cases {
        let home = tempfile::tempdir().unwrap();
        let said = played(&demo(home.path(), args));
        assert!(said.contains(&format!("✓ the agent is told: {told}")), "{args:?}\n{said}");
        assert!(said.contains("✗ MISSING_WHY"), "{args:?}\n{said}");
        assert!(said.contains("✓ src/parser.js is what was decided, byte for byte"), "{args:?}\n{said}");
        assert_eq!(said.contains("✓ src/parser.js is as it was, byte for byte"), undone, "{args:?}\n{said}");
        assert!(said.contains("✓ wherefore log verify: "), "{args:?}\n{said}");
        assert!(!said.contains('\u{1b}'), "colours into a pipe: {said}");
        let log = said.lines().map(str::trim).find(|line| line.ends_with("session-log.md")).unwrap();
        assert!(fs::read_to_string(log).unwrap().contains("Tool call: fs.patch"), "{log}");
    }
}

#[test]
fn the_demo_plays_on_a_project_of_ones_own() {
    let (home, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let text: String = (1..40).map(|line| format!("line {line}\r\n")).collect();
    let folder = own.path().join("with ü and space");
    fs::create_dir_all(folder.join("docs")).unwrap();
    fs::write(folder.join("docs/list.txt"), &text).unwrap();
    let said = played(&demo(home.path(), &[folder.to_str().unwrap(), "--decide", "alternate"]));
    assert!(said.contains("✓ docs/list.txt is as it was, byte for byte"), "{said}");
    assert_eq!(fs::read_to_string(folder.join("docs/list.txt")).unwrap(), text, "the project itself stays");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is put into the project itself");
}

#[test]
fn the_demo_says_what_it_cannot_play_on() {
    let (home, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let nowhere = own.path().join("nowhere");
    for (folder, word) in [(own.path().to_path_buf(), "no text file"), (nowhere, "No such file or directory")]
    {
        let output = demo(home.path(), &[folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains(word), "{output:?}");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0, "no copy is left of what was not played");
    }
}

#[test]
fn the_recorded_change_mends_the_project_that_ships() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/demo");
    let recording = fs::read_to_string(cases.join("agent.yaml")).unwrap();
    let recording: Value = serde_saphyr::from_str(&recording).unwrap();
    let patches = recording["steps"].as_array().unwrap().iter().filter(|step| step["tool"] == "fs.patch");
    let project = tempfile::tempdir().unwrap();
    copy(&cases.join("project"), project.path());
    assert!(!npm_test(project.path()), "the tests must fail before the change");
    for step in patches {
        let mut call = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        call.args(["call", "fs.patch", &step["arguments"].to_string(), "--root"]).arg(project.path());
        let answer = call.env("HOME", project.path()).output().unwrap();
        assert!(answer.status.success(), "{answer:?}");
    }
    assert!(npm_test(project.path()), "the tests must pass after it");
}

/// Whether the project's tests pass.
fn npm_test(project: &Path) -> bool {
    let tests = ["--test", "test/parser.test.js", "test/evaluate.test.js"];
    Command::new("node")
        .args(tests)
        .current_dir(project)
        .output()
        .expect("node is installed")
        .status
        .success()
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target: PathBuf = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
