//! `wherefore sandbox` and `wherefore rules test`: what a person runs confined, and what the rules would say of it.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{place, servers, wherefore};
use crate::support::{Editor, Options};

fn run(folder: &Path, args: &[&str]) -> Output {
    wherefore(folder, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_confined_command_passes_its_streams_and_its_code_on() {
    let folder = place();
    let work = folder.path().join("work");
    fs::write(work.join(".env"), "MARKSECRET\n").unwrap();
    let output = run(
        folder.path(),
        &["sandbox", "--", "sh", "-c", "cat .env; echo out; echo err >&2; echo new > made.txt; exit 7"],
    );
    assert_eq!(output.status.code(), Some(7), "{output:?}");
    assert_eq!(text(&output.stdout), "out\n");
    assert!(text(&output.stderr).contains("err") && !text(&output.stderr).contains("MARK"), "{output:?}");
    assert_eq!(fs::read_to_string(work.join("made.txt")).unwrap(), "new\n");
    for (args, code) in [
        (vec!["--", "no-such-program"], 127),
        (vec!["--", "sh", "-c", "kill -TERM $$"], 143),
        (vec!["--timeout", "1", "--", "sleep", "30"], 124),
        (vec!["--net", "https://crates.io", "--", "true"], 125),
        (vec!["--env", "A=b c", "--", "sh", "-c", "test \"$A\" = 'b c'"], 0),
        (vec!["--", "sh", "-c", "echo x > .git/config"], 2),
    ] {
        let output = run(folder.path(), &[vec!["sandbox"], args].concat());
        assert_eq!(output.status.code(), Some(code), "{output:?}");
    }
    let planted =
        run(folder.path(), &["sandbox", "--", "sh", "-c", "mkdir -p sub/.git; echo x > sub/.git/config"]);
    assert!(text(&planted.stderr).contains("was moved to"), "{planted:?}");
    assert!(!work.join("sub/.git").exists());
}

#[test]
fn what_a_confined_command_changes_waits_as_a_proposal() {
    let folder = place();
    let work = folder.path().join("work");
    for (name, bytes) in
        [("a.txt", "one\ntwo\n"), ("b.bin", "\0old"), ("c.txt", "moved\n"), ("d.txt", "gone\n")]
    {
        fs::write(work.join(name), bytes).unwrap();
    }
    let script = "sed -i s/two/2/ a.txt; printf '\\0new' > b.bin; mv c.txt e.txt; rm d.txt; ln -s a.txt l; chmod +x a.txt";
    let output = run(
        folder.path(),
        &["sandbox", "--review", "--why", "Try every kind of change", "--", "sh", "-c", script],
    );
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("6 changes wait for you"), "{output:?}");
    assert_eq!(fs::read_to_string(work.join("a.txt")).unwrap(), "one\ntwo\n");
    let review = run(folder.path(), &["review", "--json"]);
    let waiting = text(&review.stdout);
    for kind in ["edit", "binary", "rename", "delete", "symlink", "mode"] {
        assert!(waiting.contains(&format!("\"{kind}\"")), "{kind}: {waiting}");
    }
    assert!(waiting.contains("Try every kind of change"), "{waiting}");
    assert_eq!(run(folder.path(), &["review", "--accept", "all"]).status.code(), Some(0));
    assert_eq!(fs::read(work.join("b.bin")).unwrap(), b"\0new");
    assert_eq!(fs::read_to_string(work.join("l")).unwrap(), "one\n2\n");
    assert!(work.join("e.txt").exists() && !work.join("d.txt").exists() && !work.join("c.txt").exists());
}

#[test]
fn what_an_agents_command_changed_waits_where_its_server_ended_meanwhile() {
    let folder = place();
    let folder = folder.path();
    let message = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/none", "cwd": folder.join("work"),
        "tool_name": "Bash",
        "tool_input": { "command": "echo begun; read -r line; sed -i 1d a.txt", "description": "Shorten it" },
    });
    let mut hook = wherefore(folder, &["hook", "claude"]);
    let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    hook.stdin.take().unwrap().write_all(message.to_string().as_bytes()).unwrap();
    let answer: Value = serde_json::from_slice(&hook.wait_with_output().unwrap().stdout).unwrap();
    let line = answer["hookSpecificOutput"]["updatedInput"]["command"].as_str().unwrap();
    let mut command = wherefore(folder, &[]);
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = std::process::Command::new("sh");
    command.args(["-c", &format!("exec {line}")]).current_dir(folder.join("work"));
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut begun = [0; 6];
    child.stdout.as_mut().unwrap().read_exact(&mut begun).unwrap();
    let server = i32::try_from(servers(folder)[0]["pid"].as_u64().unwrap()).unwrap();
    let server = rustix::process::Pid::from_raw(server).unwrap();
    rustix::process::kill_process(server, rustix::process::Signal::KILL).unwrap();
    child.stdin.take().unwrap().write_all(b"go on\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("1 change waits for you"), "{output:?}");
    assert_eq!(fs::read_to_string(folder.join("work/a.txt")).unwrap(), "one\ntwo\nthree\n");
    assert_eq!(run(folder, &["review", "--accept", "all"]).status.code(), Some(0));
    assert_eq!(fs::read_to_string(folder.join("work/a.txt")).unwrap(), "two\nthree\n");
}

#[test]
fn a_proposal_of_a_confined_command_reaches_the_editor_that_has_the_folder_open() {
    let mut editor = Editor::connect(&Options::default());
    let work = editor.folder.path().join("work");
    fs::write(work.join("a.txt"), "one\ntwo\n").unwrap();
    let output = run(editor.folder.path(), &["sandbox", "--review", "--", "sed", "-i", "s/two/2/", "a.txt"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let answer = editor.request("wherefore/proposals", json!({})).unwrap();
    assert!(answer.to_string().contains("wherefore sandbox"), "{answer}");
    let told = json!(editor.drain(Duration::from_millis(500))).to_string();
    assert!(told.contains("Review what `sed -i s/two/2/ a.txt` changes"), "{told}");
}

#[test]
fn the_rules_say_what_they_make_of_a_command() {
    let folder = place();
    for (command, verdict) in [
        ("ls -la && cargo test", "allow"),
        ("echo hi | bash -c 'git push --force'", "ask"),
        ("xargs -I{} sh -c 'rm -rf /' < list", "deny"),
        ("cat .env", "deny"),
    ] {
        let output = run(folder.path(), &["rules", "test", command, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let judged: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(judged["verdict"], verdict, "{judged}");
        assert!(judged["commands"].as_array().is_some_and(|commands| !commands.is_empty()), "{judged}");
    }
    let shown = text(&run(folder.path(), &["rules", "test", "--", "git", "push", "--force"]).stdout);
    assert!(shown.contains("git push --force"), "{shown}");
}
