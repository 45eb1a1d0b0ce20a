//! Claude Code in working trees of its own: each is guarded from its first call, and is a workspace of its own.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::model::{Model, Move, PATIENCE};
use crate::place::{Place, ten_lines};
use crate::programs;
use crate::recipes;

fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=n", "-c", "user.email=n@example.org"];
    let done = Command::new("git").arg("-C").arg(folder).args(who).args(args).status().unwrap();
    assert!(done.success(), "{args:?}");
}

/// A repository with a commit, whose project's settings guard Claude Code and are in no commit.
fn repository(program: &Path) -> Place {
    let place = Place::new(&[("list.txt", &ten_lines(&[])), ("private.txt", "MARKSECRET\n")]);
    place.make_repository();
    git(&place.work(), &["add", "list.txt", "private.txt"]);
    git(&place.work(), &["commit", "-q", "-m", "The first one"]);
    std::fs::create_dir(place.work().join(".wherefore")).unwrap();
    let rules = "[rules]\ndeny = [\"private.txt\"]\n";
    std::fs::write(place.work().join(".wherefore/config.toml"), rules).unwrap();
    let folder = program.parent().unwrap().display();
    let mut init = place.wherefore();
    init.args(["init", "--guard", "--yes", "--agents", "claude"]);
    let output = init.env("PATH", format!("{folder}:/usr/bin:/bin")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    place
}

/// The pending proposals of a folder.
fn waiting_in(place: &Place, folder: &Path) -> Vec<Value> {
    let output = place.wherefore().current_dir(folder).args(["review", "--list", "--json"]).output().unwrap();
    serde_json::from_slice::<Value>(&output.stdout).unwrap().as_array().cloned().unwrap_or_default()
}

/// The calls of Claude Code in the tree: a command that asks git and changes a file, a read that the main tree's rules close,
/// and an edit.
fn calls(tree: &Path) -> Vec<Move> {
    let path = |name: &str| tree.join(name).display().to_string();
    let script = "git log --format=%s; git status --short; echo eleven >> list.txt";
    vec![
        Move::Call("Bash", json!({ "command": script, "description": "Look at the last commit" })),
        Move::Call("Read", json!({ "file_path": path("private.txt") })),
        Move::Call("Bash", json!({ "command": "echo a plain one", "description": "Run a plain one" })),
        Move::Call("Read", json!({ "file_path": path("list.txt") })),
        Move::Call(
            "Edit",
            json!({ "file_path": path("list.txt"), "old_string": "one\n", "new_string": "one changed\n" }),
        ),
    ]
}

fn is_guarded(place: &Place, tree: &Path, first: Option<Move>, start: impl Fn(&Model) -> Agent) {
    // The main tree is served, as by an editor that has it open.
    let mut server = place.wherefore();
    let root = place.work();
    let mut server =
        server.args(["serve", "--root"]).arg(&root).stdout(std::process::Stdio::null()).spawn().unwrap();
    place.is_served();
    let mut moves = first.into_iter().chain(calls(tree)).collect::<Vec<_>>().into_iter();
    let model = Model::start(move |_| moves.next().unwrap_or(Move::Say("done")));
    let agent = start(&model);
    let began = Instant::now();
    let proposals = loop {
        let proposals = if tree.is_dir() { waiting_in(place, tree) } else { Vec::new() };
        if proposals.len() == 2 {
            break proposals;
        }
        let said = || format!("{}{:#?}", agent.output(), model.turns().last());
        assert!(began.elapsed() < PATIENCE, "no change waits in the tree: {}", said());
        thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(
        waiting_in(place, &place.work()),
        <[Value; 0]>::default(),
        "the main tree is another workspace"
    );
    let edit = proposals.iter().find(|proposal| proposal["tool"] == "fs.edit").unwrap();
    let id = edit["id"].as_str().unwrap();
    let accepted =
        place.wherefore().current_dir(tree).args(["review", id, "--accept", "all"]).output().unwrap();
    assert!(accepted.status.success(), "{accepted:?}");
    agent.finishes();
    server.kill().unwrap();
    server.wait().unwrap();
    model.expect("The first one");
    model.expect("a plain one");
    assert!(std::fs::read_to_string(tree.join("list.txt")).unwrap().starts_with("one changed\n"));
    assert_eq!(place.text("list.txt"), ten_lines(&[]), "the main tree stays as it is");
    let heard = model.turns().iter().any(|turn| turn.last().contains("MARKSECRET"));
    assert!(!heard, "the main tree's rules hold in the tree");
}

#[test]
fn a_tree_that_claude_code_makes_at_its_start_is_guarded() {
    let Some(program) = programs::find("claude") else { return };
    let place = repository(&program);
    let tree = place.work().join(".claude/worktrees/topic");
    is_guarded(&place, &tree, None, |model| {
        recipes::CLAUDE.start_with(&program, &place, model, &["--worktree", "topic"])
    });
}

#[test]
fn a_tree_that_claude_code_enters_is_guarded() {
    let Some(program) = programs::find("claude") else { return };
    let place = repository(&program);
    let tree = place.work().join(".claude/worktrees/topic");
    let enter = Move::Call("EnterWorktree", json!({ "name": "topic" }));
    let more = ["--dangerously-skip-permissions"];
    is_guarded(&place, &tree, Some(enter), |model| {
        recipes::CLAUDE.start_with(&program, &place, model, &more)
    });
}

#[test]
fn a_tree_that_git_made_elsewhere_is_guarded() {
    let Some(program) = programs::find("claude") else { return };
    let place = repository(&program);
    let tree = place.work().join("../elsewhere");
    git(&place.work(), &["worktree", "add", "-q", tree.to_str().unwrap()]);
    let tree = tree.canonicalize().unwrap();
    is_guarded(&place, &tree, None, |model| recipes::CLAUDE.start_in(&tree, &program, &place, model, &[]));
}
