//! Every kind of change: a commit's changes by git are proposed, accepted whole or in part, and undone.

mod taken_back;
mod trees;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use wherefore::protocol::{Act, ChangeKind, Code, HunkState, PathContent, Policy, Proposal, Status};
use wherefore::requests::Undo;
use wherefore::requests::undo::UndoParams;

use crate::support::{Bench, Manner, numbers};
use trees::{ACTS, Node, Tree, binary, chmod, diff, link, moved, put, read, start};

async fn undo(bench: &Bench, call: &str) -> String {
    let params = UndoParams { call: Some(call.to_owned()), root: None };
    bench.ask::<Undo>(params).await.unwrap().undo_id.to_string()
}

/// A workspace that holds a tree, with the diff proposed in it.
async fn proposed(tree: &Tree, diff: &str) -> (Bench, Proposal) {
    let bench = Bench::with(&[], false);
    put(bench.folder.path(), tree);
    let answer = bench.call("fs.patch", json!({ "diff": diff }), Some(Policy::Hold)).await;
    assert_eq!(answer.status, Status::Pending, "{answer:?}\n{diff}");
    let proposal = bench.proposals().remove(0);
    (bench, proposal)
}

async fn accepted_and_undone(name: &str, before: &Tree, after: &Tree, how: &[&str]) {
    let diff = diff(before, after, how);
    let (bench, proposal) = proposed(before, &diff).await;
    let now = || read(bench.folder.path());
    assert_eq!(now(), *before, "{name}: nothing is done before it is accepted");
    let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(answer.problems, Vec::<String>::new(), "{name}");
    assert_eq!(now(), *after, "{name}: {diff}");
    let first = undo(&bench, &proposal.call_id).await;
    assert_eq!(now(), *before, "{name}: undone");
    let second = undo(&bench, &first).await;
    assert_eq!(now(), *after, "{name}: the undo undone");
    undo(&bench, &second).await;
    assert_eq!(now(), *before, "{name}: and once more");
}

#[tokio::test]
async fn each_kind_of_change_is_accepted_as_git_makes_it_and_undone() {
    for (name, act) in ACTS {
        let (before, mut after) = (start(), start());
        act(&mut after);
        accepted_and_undone(name, &before, &after, &["-M"]).await;
    }
}

#[tokio::test]
async fn a_commit_of_many_kinds_is_accepted_as_git_makes_it_and_undone() {
    let kinds = ["create executable", "remove", "rename", "rename and edit", "retarget", "file to link"];
    let more = ["binary", "binary by a delta", "remove binary", "create empty", "odd name"];
    let mut after = start();
    for (_, act) in ACTS.iter().filter(|(name, _)| kinds.contains(name) || more.contains(name)) {
        act(&mut after);
    }
    for how in [&["-M"][..], &["--no-renames"], &["-M", "-C", "--find-copies-harder"]] {
        accepted_and_undone("many", &start(), &after, how).await;
    }
}

/// Numbers that look random, and are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

/// The tree after one random act on each of some paths.
fn shaken(before: &Tree, dice: &mut Dice) -> Tree {
    let mut after = before.clone();
    for (at, path) in before.keys().enumerate() {
        let node = after.get(path).cloned().unwrap();
        match (dice.roll(9), node) {
            (0, _) => drop(after.remove(path)),
            (1, _) => moved(&mut after, path, &format!("moved/{at}")),
            (2, Node::File(bytes, executable)) => {
                drop(after.insert(path.clone(), Node::File(bytes, !executable)))
            }
            (3, Node::File(mut bytes, executable)) => {
                bytes.extend(if bytes.contains(&0) { &b"\0end"[..] } else { b"end\n" });
                after.insert(path.clone(), Node::File(bytes, executable));
            }
            (4, Node::File(mut bytes, _)) => {
                bytes.splice(..bytes.len().min(1), *b"9");
                after.remove(path);
                after.insert(format!("moved/{at}"), Node::File(bytes, dice.roll(2) == 0));
            }
            (5, Node::Link(_)) => drop(after.insert(path.clone(), link("dir"))),
            (6, _) => drop(after.insert(path.clone(), link("nowhere/yet"))),
            (7, _) => drop(after.insert(path.clone(), binary(40 + at, 3))),
            _ => drop(
                after.insert(format!("new/{at}"), Node::File(format!("{at}\n").into_bytes(), at % 2 == 0)),
            ),
        }
    }
    after
}

#[tokio::test]
async fn any_commit_is_accepted_as_git_makes_it_and_undone() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut before = start();
    for round in 0..12 {
        let after = shaken(&before, &mut dice);
        accepted_and_undone(&format!("round {round}"), &before, &after, &["-M"]).await;
        before = if round % 4 == 3 { start() } else { after };
    }
}

/// The tree of a proposal of which only these hunks are accepted: computed independently from the proposal.
fn half(before: &Tree, after: &Tree, proposal: &Proposal, taken: &[String]) -> Tree {
    let mut tree = before.clone();
    let is_taken = |id: &str| taken.iter().any(|taken| taken == id);
    for file in &proposal.files {
        let path = file.path.to_string();
        let hunks: Vec<_> = file.hunks.iter().filter(|hunk| is_taken(&hunk.id)).collect();
        if hunks.is_empty() {
            continue;
        }
        match file.kind {
            ChangeKind::Edit => {
                let Some(Node::File(bytes, _)) = tree.get_mut(&path) else { panic!("{path}") };
                let text = String::from_utf8(bytes.clone()).unwrap();
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                for hunk in hunks.iter().rev() {
                    let start = hunk.start as usize;
                    lines.splice(start..start + hunk.old.len(), hunk.new.iter().map(String::as_str));
                }
                *bytes = lines.concat().into_bytes();
            }
            ChangeKind::Mode => chmod(&mut tree, &path, file.executable.unwrap()),
            ChangeKind::Symlink => match &file.after {
                Some(PathContent::Symlink(target)) => drop(tree.insert(path, link(target))),
                _ => drop(tree.remove(&path)),
            },
            ChangeKind::Binary if file.before.is_some() && file.after.is_some() => {
                let to = proposal.files.iter().find(|other| {
                    other.kind == ChangeKind::Rename
                        && other.from.as_ref().is_some_and(|from| *from == file.path)
                });
                let to = to.map_or(path.clone(), |to| to.path.to_string());
                let Some(Node::File(new, _)) = after.get(&to) else { panic!("{to}") };
                let Some(Node::File(bytes, _)) = tree.get_mut(&path) else { panic!("{path}") };
                bytes.clone_from(new);
            }
            ChangeKind::Create | ChangeKind::Binary
                if file.before.is_none() && file.kind != ChangeKind::Delete =>
            {
                drop(tree.insert(path.clone(), after.get(&path).unwrap().clone()));
            }
            ChangeKind::Delete | ChangeKind::Binary => drop(tree.remove(&path)),
            ChangeKind::Rename => {}
            other => panic!("{other:?}"),
        }
    }
    // The hunks of a file that is renamed are at its old path: so it moves last.
    for file in proposal.files.iter().filter(|file| file.kind == ChangeKind::Rename) {
        if is_taken(&file.hunks[0].id) {
            moved(&mut tree, file.from.as_ref().unwrap().as_str(), file.path.as_str());
        }
    }
    tree
}

#[tokio::test]
async fn half_of_a_commit_accepted_leaves_exactly_that_half() {
    let names = [
        "create executable",
        "remove",
        "rename",
        "rename and edit",
        "link",
        "retarget",
        "binary by a delta",
        "mode",
        "binary",
        "remove binary",
        "create empty",
    ];
    let mut after = start();
    for (_, act) in ACTS.iter().filter(|(name, _)| names.contains(name) && *name != "mode") {
        act(&mut after);
    }
    chmod(&mut after, "bin/go.sh", true);
    let diff = diff(&start(), &after, &["-M"]);
    let mut dice = Dice(7);
    for round in 0..8 {
        let (bench, proposal) = proposed(&start(), &diff).await;
        let mut taken: Vec<String> = proposal.hunks().map(|hunk| hunk.id.to_string()).collect();
        taken.retain(|_| dice.roll(2) == 0);
        // In any order: related changes are recognized by the hunks, not by their order.
        let mut order = taken.clone();
        if round % 2 == 0 {
            order.reverse();
        }
        for id in &order {
            let answer = bench.decide(&proposal.id, &[id], Act::Accept, None).await.unwrap();
            assert_eq!(answer.problems, Vec::<String>::new(), "round {round}, {id}");
        }
        let expected = half(&start(), &after, &proposal, &taken);
        assert_eq!(read(bench.folder.path()), expected, "round {round}: {taken:?}");
        if taken.len() < proposal.hunks().count() {
            bench.decide(&proposal.id, &[], Act::Reject, None).await.unwrap();
        }
        assert_eq!(read(bench.folder.path()), expected, "round {round}: the rest was rejected");
        // Each hunk is taken back by itself, or the whole call is undone.
        match round % 3 {
            0 => {
                for id in &taken {
                    let answer = bench.decide(&proposal.id, &[id], Act::Reject, None).await.unwrap();
                    assert_eq!(answer.problems, Vec::<String>::new(), "round {round}, {id} taken back");
                }
            }
            _ if taken.is_empty() => {}
            _ => drop(undo(&bench, &proposal.call_id).await),
        }
        assert_eq!(read(bench.folder.path()), start(), "round {round}: {taken:?} taken back");
    }
}

fn states(proposal: &Proposal) -> Vec<HunkState> {
    proposal.hunks().map(|hunk| hunk.state).collect()
}

#[tokio::test]
async fn what_is_not_as_it_was_goes_stale_and_is_left_as_it_stands() {
    type Disturb = fn(&Path);
    let cases: [(&str, Disturb); 5] = [
        ("binary by a delta", |at| fs::write(at.join("dir/big.bin"), b"\0other").unwrap()),
        ("retarget", |at| {
            fs::remove_file(at.join("to-a")).unwrap();
            symlink("plain", at.join("to-a")).unwrap();
        }),
        ("rename", |at| {
            fs::create_dir(at.join("bin")).unwrap();
            fs::write(at.join("bin/go.sh"), "mine\n").unwrap();
        }),
        ("link", |at| fs::write(at.join("l"), "mine\n").unwrap()),
        ("remove binary", |at| fs::write(at.join("small.bin"), b"\0mine").unwrap()),
    ];
    for (name, disturb) in cases {
        let mut after = start();
        ACTS.iter().find(|(known, _)| *known == name).unwrap().1(&mut after);
        let (bench, proposal) = proposed(&start(), &diff(&start(), &after, &["-M"])).await;
        disturb(bench.folder.path());
        let mine = read(bench.folder.path());
        let hunk = proposal.hunks().last().unwrap().id.to_string();
        let answer = bench.decide(&proposal.id, &[&hunk], Act::Accept, None).await.unwrap();
        assert_eq!(answer.problems.len(), 1, "{name}: {answer:?}");
        assert_eq!(states(&answer.proposals[0]).last(), Some(&HunkState::Stale), "{name}");
        assert_eq!(read(bench.folder.path()), mine, "{name}");
    }
}

#[tokio::test]
async fn a_link_or_a_rename_passes_no_rule() {
    let bench = Bench::with(&[("a.txt", "a\n"), (".env", "KEY=1\n")], false);
    let link = |target: &str| {
        format!(
            "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n\
             +{target}\n\\ No newline at end of file\n"
        )
    };
    let rename = |from: &str, to: &str| {
        format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
    };
    let refused = [
        link("../outside"),
        link("/etc/passwd"),
        link(".git/config"),
        link(".env"),
        rename("a.txt", ".git/hooks/x"),
        rename(".env", "open.txt"),
        rename("a.txt", "../a.txt"),
    ];
    for diff in refused {
        let answer = bench.call("fs.patch", json!({ "diff": diff }), Some(Policy::Auto)).await;
        let code = answer.error.map(|fault| fault.code);
        assert_eq!(code, Some(Code::PermissionDenied), "{diff}: {:?}", answer.result);
    }
    assert_eq!(bench.disk("a.txt"), "a\n");
    assert_eq!(read(bench.folder.path()).len(), 2);
}

#[tokio::test]
async fn an_agent_is_told_what_a_hunk_without_lines_does() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let diff = "diff --git a/a.txt b/b.txt\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n\
        rename from a.txt\nrename to b.txt\n";
    let answer = bench.call("fs.patch", json!({ "diff": diff }), None).await;
    let value = answer.result.clone().unwrap_or_default();
    let what: Vec<&Value> = value["hunks"].as_array().unwrap().iter().map(|hunk| &hunk["what"]).collect();
    assert_eq!(what.len(), 2, "{answer:?}");
    assert_eq!(what, ["renames a.txt to b.txt", "makes b.txt executable"]);
    assert_eq!(read(bench.folder.path()), Tree::from([("b.txt".into(), Node::File(b"a\n".to_vec(), true))]));
    assert!(bench.log().contains("renames a.txt to b.txt"));
}

#[tokio::test]
async fn an_open_file_is_renamed_by_its_editor_and_its_hunks_follow() {
    let mut after = start();
    let (_, act) = ACTS.iter().find(|(name, _)| *name == "rename and edit").unwrap();
    act(&mut after);
    let diff = diff(&start(), &after, &["-M"]);
    for manner in [Manner::Obeys, Manner::Claims, Manner::Refuses] {
        let bench = Bench::new(&[]);
        put(bench.folder.path(), &start());
        bench.open("a.txt");
        let (call, proposal) = bench.propose("fs.patch", json!({ "diff": diff })).await;
        bench.manner(manner);
        let answer = bench.decide(&proposal.id, &["h1"], Act::Accept, None).await.unwrap();
        if manner != Manner::Obeys {
            assert_eq!(answer.problems.len(), 1, "{manner:?}");
            assert_eq!(
                (read(bench.folder.path()), states(&answer.proposals[0])[0]),
                (start(), HunkState::Pending)
            );
            continue;
        }
        assert_eq!(answer.problems, Vec::<String>::new());
        let paths: Vec<String> = answer.proposals[0].files.iter().map(|file| file.path.to_string()).collect();
        assert_eq!(paths, ["c.txt", "c.txt"], "the hunks of its text follow");
        assert_eq!(bench.buffer("c.txt"), numbers(30, &[]));
        bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert_eq!(bench.buffer("c.txt"), numbers(30, &[(5, "five"), (25, "x")]));
        let id = call.await.unwrap().call_id;
        undo(&bench, &id).await;
        assert_eq!((read(bench.folder.path()), bench.buffer("a.txt")), (start(), numbers(30, &[])));
    }
}

#[tokio::test]
async fn unsaved_text_is_not_renamed_away() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    bench.open("a.txt");
    let diff = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
    let (_call, proposal) = bench.propose("fs.patch", json!({ "diff": diff })).await;
    bench.type_in("a.txt", "mine\n");
    let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert!(answer.problems[0].contains("unsaved"), "{answer:?}");
    assert_eq!((bench.disk("a.txt"), bench.buffer("a.txt")), ("a\n".to_owned(), "mine\n".to_owned()));
}

#[tokio::test]
async fn a_small_diff_makes_no_more_bytes_than_one_change_may() {
    let mut after = Tree::new();
    for name in ["a.bin", "b.bin", "c.bin"] {
        after.insert(name.to_owned(), Node::File(vec![0; 60_000], false));
    }
    let many = diff(&Tree::new(), &after, &[]);
    assert!(many.len() < 2000, "60,000 zeros are packed in a line or two");
    let bench = Bench::with(&[], false);
    bench.hub.settings_changed(Some(json!({ "limits": { "edit_bytes": 150_000 } })));
    let answer = bench.call("fs.patch", json!({ "diff": many }), Some(Policy::Hold)).await;
    let fault = answer.error.expect("three of them are too many");
    assert_eq!(fault.code, Code::QuotaExceeded, "{fault:?}");
    assert!(fault.message.contains("150000") && fault.suggestion.is_some(), "{fault:?}");
    after.remove("c.bin");
    let fewer = diff(&Tree::new(), &after, &[]);
    let answer = bench.call("fs.patch", json!({ "diff": fewer }), Some(Policy::Hold)).await;
    assert_eq!(answer.status, Status::Pending, "{answer:?}");
    bench.decide(&bench.proposals().remove(0).id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(read(bench.folder.path()), after);
}

#[tokio::test]
async fn no_part_of_a_diff_is_passed_over() {
    let bench = Bench::with(&[("a.txt", "a\nb\nc\nd\ne\nf\ng\nh\n"), ("b.txt", "b\n")], false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let bare = "diff --git a/a.txt b/a.txt\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -7,2 +7,2 @@\n g\n-h\n+H\n";
    let answer = bench.call("fs.patch", json!({ "diff": bare }), None).await;
    assert_eq!(answer.status, Status::Ok, "{answer:?}");
    assert_eq!(bench.disk("a.txt"), "A\nb\nc\nd\ne\nf\ng\nH\n");
    let nameless = "diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+B\n\
        diff --git nothing\n@@ -1 +1 @@\n-A\n+a\n";
    let fault = bench.call("fs.patch", json!({ "diff": nameless }), None).await.error.unwrap();
    assert!(fault.code == Code::PatchMismatch && fault.message.contains("names no file"), "{fault:?}");
    assert_eq!(bench.disk("b.txt"), "b\n");
}
