//! The demo as a new user runs it: every way to decide, on the project that ships and on one of their own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::agent::place;
use crate::support::terminal::{Terminal, installed};

/// Runs `wherefore demo` with its temporary folder inside `home`, without a terminal.
fn demo(home: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.arg("demo").args(args).env("TMPDIR", home).env("HOME", home).env("XDG_RUNTIME_DIR", home);
    command.stdin(std::process::Stdio::null()).output().unwrap()
}

/// The output of a successful demo.
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
        let said = played(&demo(home.path(), &[args, &["--keep"]].concat()));
        assert!(said.contains(&format!("✓ the agent is told: {told}")), "{args:?}\n{said}");
        assert!(said.contains("✗ MISSING_WHY"), "{args:?}\n{said}");
        assert!(said.contains("✓ src/parser.js is what was decided, byte for byte"), "{args:?}\n{said}");
        assert_eq!(said.contains("✓ src/parser.js is as it was, byte for byte"), undone, "{args:?}\n{said}");
        assert!(said.contains("✓ wherefore log verify: "), "{args:?}\n{said}");
        assert!(!said.contains('\u{1b}'), "colours into a pipe: {said}");
        let log = said.lines().map(str::trim).find(|line| line.ends_with("session-log.md")).unwrap();
        assert!(fs::read_to_string(log).unwrap().contains(" fs.patch src/parser.js"), "{log}");
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
    let left = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let copies = left.filter(|name| name.to_string_lossy().starts_with("wherefore-demo-")).count();
    assert_eq!(copies, 0, "the copy is removed");
    assert!(!said.contains("session-log.md") && said.contains("`wherefore init` adds wherefore"), "{said}");
}

#[test]
fn the_demo_says_what_it_cannot_play_on() {
    let (home, own) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let nowhere = own.path().join("nowhere");
    for (folder, word) in
        [(own.path().to_path_buf(), "has no text file"), (nowhere, "No such file or directory")]
    {
        let output = demo(home.path(), &[folder.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains(word) && errors.contains(folder.to_str().unwrap()), "{output:?}");
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

/// A demo in real Neovim, opened in a terminal as a person opens it: the folder, and the terminal once three hunks wait.
fn in_neovim() -> Option<(tempfile::TempDir, Terminal)> {
    let neovim = installed("nvim-0.10", "nvim")?;
    let folder = place();
    let path = std::env::var("PATH").unwrap();
    let path = format!("PATH={}:{path}", neovim.parent().unwrap().display());
    let args = [&path, env!("CARGO_BIN_EXE_wherefore"), "demo", "--editor", "nvim"];
    let terminal = Terminal::run(folder.path(), Path::new("/usr/bin/env"), &args);
    terminal.sees("An agent is asked to: Make the three failing tests of calc pass");
    terminal.sees("fs.patch src/parser.js, 3 hunks");
    terminal.sees("Refuse what is left over");
    terminal.sees("1/3 ");
    terminal.keys(&["]", "v"]);
    Some((folder, terminal))
}

/// Decides on the hunk at the cursor, and sees that it does not wait any more. The cursor goes on to the next one.
fn decide(terminal: &Terminal, hunk: &str, act: &str) {
    terminal.sees(hunk);
    terminal.keys(&["g", "w", act]);
    terminal.shows("that it is decided", |screen| !screen.contains(hunk));
}

#[test]
fn a_person_decides_in_neovim_and_the_disk_is_that() {
    let Some((_folder, terminal)) = in_neovim() else { return };
    for (hunk, act) in [("1/3 ", "y"), ("2/3 ", "r"), ("3/3 ", "r")] {
        decide(&terminal, hunk, act);
    }
    terminal.sees("task_complete: ");
    terminal.keys(&[":", "q", "Enter"]);
    terminal.sees("takes the change back");
    for part in [
        "You accepted 1, rejected 2, and left 0",
        "+  const tree = parser.expression();",
        "✓ src/parser.js is what was decided, byte for byte",
        "✓ wherefore log verify: ",
    ] {
        terminal.sees(part);
    }
}

#[test]
fn neovim_is_closed_before_all_is_decided() {
    let Some((_folder, terminal)) = in_neovim() else { return };
    decide(&terminal, "1/3 ", "y");
    terminal.keys(&[":", "q", "a", "Enter"]);
    terminal.sees("goes on with what is left");
    for part in [
        "You accepted 1, rejected 0, and left 2",
        "the editor was closed before the agent was done",
        "✓ src/parser.js is what was decided, byte for byte",
    ] {
        terminal.sees(part);
    }
}

#[test]
fn the_demo_says_what_an_editor_lacks() {
    let home = tempfile::tempdir().unwrap();
    let run = |editor: &str, path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command
            .args(["demo", "--editor", editor])
            .current_dir(home.path())
            .stdin(std::process::Stdio::null());
        command.env("PATH", path).env("TMPDIR", home.path()).env("HOME", home.path());
        let output = command.env("XDG_RUNTIME_DIR", home.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let copies = || {
        let names = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with("wherefore-demo-")).count()
    };
    let nowhere = home.path().join("nowhere");
    assert!(run("vscode", &nowhere).contains("`code` is not on the PATH: install VS Code 1.107 or later"));
    assert!(run("nvim", &nowhere).contains("Neovim needs a terminal"));

    // The arguments with which VS Code is started; the window itself is not part of this test.
    let bin = home.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let heard = home.path().join("heard");
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && echo 1.120.0 && exit\nfor word in \"$@\"; do echo \"$word\" >>HEARD; done\n\
                  case \"$*\" in *--goto*) exit 7 ;; esac\n";
    fs::write(bin.join("code"), script.replace("HEARD", heard.to_str().unwrap())).unwrap();
    fs::set_permissions(bin.join("code"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/vscode/wherefore.vsix").exists();
    if !packed {
        assert!(run("vscode", &bin).contains("npm run package"), "how the extension is built");
        assert_eq!(copies(), 0, "no copy is left of what was not played");
        fs::create_dir_all(home.path().join("editors/vscode")).unwrap();
        fs::write(home.path().join("editors/vscode/wherefore.vsix"), "").unwrap();
    }
    assert!(run("vscode", &bin).contains("the editor ended with exit status: 7"));
    let heard = fs::read_to_string(heard).unwrap();
    let words: Vec<&str> = heard.lines().collect();
    let after = |word: &str| words[words.iter().position(|said| *said == word).unwrap() + 1];
    assert!(after("--install-extension").ends_with("editors/vscode/wherefore.vsix"), "{heard}");
    assert!(after("--new-window").ends_with("/calc"), "{heard}");
    assert!(after("--goto").ends_with("/calc/src/parser.js"), "{heard}");
    let settings =
        fs::read_to_string(Path::new(after("--user-data-dir")).join("User/settings.json")).unwrap();
    let settings: Value = serde_json::from_str(&settings).unwrap();
    assert_eq!(settings["wherefore.server.path"], env!("CARGO_BIN_EXE_wherefore"), "its own server");
}

/// Returns whether the project's tests pass.
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
