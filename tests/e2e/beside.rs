//! Reports in addition to a result: files that went with a sandbox, a repository that is not written, the command of a change.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::noted::git;
use crate::support::agent::{place, wherefore};

fn call(folder: &Path, line: &str, more: &[&str]) -> Value {
    let arguments = json!({ "line": line, "why": "Learn where what a command writes ends up" });
    let output =
        wherefore(folder, &[&["call", "terminal.run", &arguments.to_string()], more].concat()).output();
    serde_json::from_slice(&output.unwrap().stdout).unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

fn left_out(answer: &Value) -> String {
    answer["left_out"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn what_a_command_writes_outside_of_the_workspace_is_named() {
    let folder = place();
    let folder = folder.path();
    let said = left_out(&call(
        folder,
        "echo a > /tmp/a.txt; echo b > /var/tmp/b.txt; mkdir -p /tmp/.cache/x; touch /tmp/.cache/x/y",
        &[],
    ));
    let names = said.split(" were written outside of the workspace").next().unwrap();
    let mut names: Vec<&str> = names.split(", ").collect();
    names.sort_unstable();
    assert_eq!(names, ["/tmp/a.txt", "/var/tmp/b.txt"], "{said}");
    let said = left_out(&call(
        folder,
        "for i in 1 2 3 4 5 6; do touch /tmp/$i; done; ln -s /etc/hostname /tmp/link",
        &[],
    ));
    assert!(said.starts_with("/tmp/1, /tmp/2, /tmp/3, /tmp/4 and 3 more files were written"), "{said}");
    // Files that are gone are not reported, nor are files that stay in the workspace.
    let answer = call(folder, "echo x > new.txt; touch /tmp/gone; rm /tmp/gone; cat /etc/hostname", &[]);
    assert_eq!(left_out(&answer), "", "{answer}");
    // So does a command of an agent's own shell say it.
    let output = wherefore(
        folder,
        &["sandbox", "--review", "--", "sh", "-c", "mkdir ~/.cache; echo x > ~/.cache/x; echo x > ~/x"],
    )
    .output()
    .unwrap();
    assert!(
        text(&output).contains("wherefore: not done: ~/x was written outside of the workspace"),
        "{output:?}"
    );
}

#[test]
fn a_commit_in_the_sandbox_fails_with_words() {
    let folder = place();
    let folder = folder.path();
    let settings = folder.join("work/.wherefore/config.toml");
    std::fs::create_dir_all(settings.parent().unwrap()).unwrap();
    std::fs::write(settings, "[git]\ncommit = \"deny\"\n").unwrap();
    std::fs::remove_dir(folder.join("work/.git")).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "a.txt"]);
    git(folder, &["-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "init"]);
    for (line, name) in [
        ("echo b >> a.txt && git add -A && git commit -qm change", "git add"),
        ("git stash", "git stash"),
        ("git checkout -q -b feature", "git checkout"),
        ("git tag v1", "git tag"),
    ] {
        let answer = call(folder, line, &[]);
        let said = left_out(&answer);
        assert_ne!(answer["exit_code"], 0, "{answer}");
        assert!(
            said.contains(&format!("{name} failed: .git is read-only for commands in the sandbox")),
            "{answer}"
        );
        assert!(said.contains("tell the person which git command to run"), "{said}");
    }
    let answer = call(folder, "git log --oneline", &[]);
    assert_eq!((answer["exit_code"].as_i64(), left_out(&answer).as_str()), (Some(0), ""), "{answer}");
}

#[test]
fn a_review_shows_the_command_of_a_change_and_where_else_something_waits() {
    let folder = place();
    let folder = folder.path();
    let answer = call(folder, "sed -i s/one/ONE/ a.txt\necho finished", &["--policy", "hold"]);
    assert_eq!(answer["status"], "pending", "{answer}");
    let list = text(&wherefore(folder, &["review", "--list"]).output().unwrap());
    for line in ["  $ sed -i s/one/ONE/ a.txt\n", "    echo finished\n", "  | finished\n"] {
        assert!(list.contains(line), "{list}");
    }
    let other = folder.join("other");
    std::fs::create_dir_all(other.join(".git")).unwrap();
    let empty = |args: &[&str]| text(&wherefore(folder, args).current_dir(&other).output().unwrap());
    let said = empty(&["review"]);
    let work = folder.join("work").canonicalize().unwrap();
    let expected = format!(
        "nothing waits for a decision\n1 change waits in {0}: `wherefore review --root {0}`\n",
        work.display()
    );
    assert_eq!(said, expected);
    assert!(wherefore(folder, &["review", "--accept", "all"]).status().unwrap().success());
    assert_eq!(empty(&["review", "--list"]), "nothing waits for a decision\n");
    // The log names who decided, and a folder without any session reports that.
    let log = text(&wherefore(folder, &["log"]).output().unwrap());
    assert!(log.contains("you accepted h1"), "{log}");
    assert!(empty(&["log"]).contains("no agent has worked here yet"));
}

#[test]
fn a_rejection_names_the_file_where_a_change_has_several() {
    let folder = place();
    let folder = folder.path();
    for name in ["a.txt", "b.txt"] {
        std::fs::write(folder.join("work").join(name), "one\n").unwrap();
    }
    let part = |name: &str| {
        format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-one\n+1\n")
    };
    let diff = part("a.txt") + &part("b.txt");
    let run = |args: &[&str]| wherefore(folder, args).output().unwrap();
    let patch = json!({ "diff": diff, "why": "Write the first number as a figure" }).to_string();
    let held: Value =
        serde_json::from_slice(&run(&["call", "fs.patch", "--policy", "hold", &patch]).stdout).unwrap();
    let id = held["proposal"].as_str().unwrap();
    assert!(run(&["review", id, "--accept", "h1", "--reject", "h2"]).status.success());
    let wait = json!({ "proposal": id, "why": "Learn what the person decided on the figures" }).to_string();
    let stands: Value = serde_json::from_slice(&run(&["call", "review.wait", &wait]).stdout).unwrap();
    let hunk = |at: usize| (stands["hunks"][at]["path"].as_str(), stands["hunks"][at]["state"].as_str());
    assert_eq!(hunk(0), (Some("a.txt"), Some("accepted")), "{stands}");
    assert_eq!(hunk(1), (Some("b.txt"), Some("rejected")), "{stands}");
}
