//! Hunks that are taken back, and files that changed since: no unreviewed change is lost.

use std::time::Duration;

use super::*;

/// A workspace where a diff was proposed and all of it accepted.
async fn accepted(tree: &Tree, diff: &str) -> (Bench, Proposal) {
    let (bench, proposal) = proposed(tree, diff).await;
    let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(answer.problems, Vec::<String>::new(), "{diff}");
    (bench, proposal)
}

async fn rejected(bench: &Bench, proposal: &Proposal, hunks: &[&str]) -> Vec<String> {
    bench.decide(&proposal.id, hunks, Act::Reject, None).await.unwrap().problems
}

fn one(path: &str, text: &str) -> Tree {
    Tree::from([(path.to_owned(), trees::text(text))])
}

const REMOVES_A: &str =
    "diff --git a/a.txt b/a.txt\ndeleted file mode 100644\n--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n";

#[tokio::test]
async fn all_hunks_of_a_change_are_taken_back_at_once() {
    let mut cases: Vec<(String, Tree)> = Vec::new();
    for (name, act) in ACTS {
        let mut after = start();
        act(&mut after);
        cases.push((name.to_owned(), after));
    }
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    cases.extend((0..6).map(|round| (format!("round {round}"), shaken(&start(), &mut dice))));
    for (name, after) in cases {
        let (bench, proposal) = accepted(&start(), &diff(&start(), &after, &["-M", "-B"])).await;
        let ids: Vec<&str> = proposal.hunks().map(|hunk| hunk.id.as_str()).collect();
        assert_eq!(rejected(&bench, &proposal, &ids).await, Vec::<String>::new(), "{name}");
        assert_eq!(read(bench.folder.path()), start(), "{name}");
    }
}

#[tokio::test]
async fn a_copied_folder_is_taken_back_with_what_is_in_it() {
    let bench = Bench::with(&[("src/a.txt", "a\n"), ("src/sub/b.txt", "b\n")], false);
    let copy = json!({ "src": "src", "dst": "dst" });
    bench.call("fs.copy", copy, Some(Policy::Hold)).await;
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    let ids: Vec<&str> = proposal.hunks().map(|hunk| hunk.id.as_str()).collect();
    assert_eq!(rejected(&bench, &proposal, &ids).await, Vec::<String>::new());
    assert!(!bench.folder.path().join("dst").exists());
}

#[tokio::test]
async fn a_mode_is_taken_back_where_its_file_was_renamed_since() {
    let diff = "diff --git a/a.txt b/b.txt\nold mode 100644\nnew mode 100755\nsimilarity index 100%\n\
        rename from a.txt\nrename to b.txt\n";
    let (bench, proposal) = proposed(&one("a.txt", "a\n"), diff).await;
    for id in ["h2", "h1"] {
        bench.decide(&proposal.id, &[id], Act::Accept, None).await.unwrap();
    }
    assert_eq!(rejected(&bench, &proposal, &["h2"]).await, Vec::<String>::new());
    assert_eq!(read(bench.folder.path()), one("b.txt", "a\n"));
    // Such a decision can be undone as one call, and redone.
    let first = undo(&bench, &proposal.call_id).await;
    assert_eq!(read(bench.folder.path()), one("a.txt", "a\n"));
    undo(&bench, &first).await;
    assert_eq!(read(bench.folder.path()), one("b.txt", "a\n"));
}

#[tokio::test]
async fn a_file_that_took_the_place_of_a_removed_one_gives_it_back() {
    let rename = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
    let before = Tree::from([("a.txt".into(), trees::text("a\n")), ("b.txt".into(), trees::text("b\n"))]);
    let diff = REMOVES_A.replace("a.txt", "b.txt").replace("-a\n", "-b\n") + rename;
    let (bench, proposal) = accepted(&before, &diff).await;
    assert_eq!(read(bench.folder.path()), one("b.txt", "a\n"));
    for id in ["h2", "h1"] {
        assert_eq!(rejected(&bench, &proposal, &[id]).await, Vec::<String>::new(), "{id}");
    }
    assert_eq!(read(bench.folder.path()), before);
}

#[tokio::test]
async fn a_removal_taken_back_overwrites_nothing_that_stands_there_by_now() {
    let (bench, proposal) = accepted(&one("a.txt", "a\n"), REMOVES_A).await;
    bench.write("a.txt", "mine\n");
    assert_eq!(rejected(&bench, &proposal, &["h1"]).await.len(), 1);
    assert_eq!(bench.disk("a.txt"), "mine\n");

    let mut after = start();
    ACTS.iter().find(|(name, _)| *name == "file to link").unwrap().1(&mut after);
    let (bench, proposal) = accepted(&start(), &diff(&start(), &after, &["-M"])).await;
    assert_eq!(rejected(&bench, &proposal, &["h1"]).await.len(), 1);
    assert_eq!(read(bench.folder.path()), after, "nothing is written through the link");
}

#[tokio::test]
async fn a_removal_is_not_brought_back_through_a_link_that_leads_nowhere() {
    let (bench, proposal) = accepted(&one("a.txt", "a\n"), REMOVES_A).await;
    symlink("other.txt", bench.folder.path().join("a.txt")).unwrap();
    let params = UndoParams { call: Some(proposal.call_id.to_string()), root: None };
    assert_eq!(bench.ask::<Undo>(params).await.unwrap_err().code, Code::Stale);
    assert_eq!(rejected(&bench, &proposal, &["h1"]).await.len(), 1);
    assert_eq!(bench.disk("other.txt"), "(none)");
}

#[tokio::test]
async fn a_creation_taken_back_takes_no_later_text_with_it() {
    let bench = Bench::with(&[], false);
    let write = json!({ "path": "a.txt", "content": "a\nb\n" });
    bench.call("fs.write", write, Some(Policy::Hold)).await;
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    bench.write("a.txt", "a\nmine\nb\n");
    assert_eq!(rejected(&bench, &proposal, &["h1"]).await.len(), 1);
    assert_eq!(bench.disk("a.txt"), "a\nmine\nb\n");
    bench.write("a.txt", "a\nb\n");
    assert_eq!(rejected(&bench, &proposal, &["h1"]).await, Vec::<String>::new());
    assert_eq!(bench.disk("a.txt"), "(none)");
}

#[tokio::test]
async fn a_file_that_holds_more_by_now_is_not_removed() {
    for grown in ["a\nmine\n", "mine\na\n"] {
        let (bench, proposal) = proposed(&one("a.txt", "a\n"), REMOVES_A).await;
        bench.write("a.txt", grown);
        let answer = bench.decide(&proposal.id, &["h1"], Act::Accept, None).await;
        assert!(answer.is_err() || answer.is_ok_and(|answer| !answer.problems.is_empty()));
        assert_eq!(bench.disk("a.txt"), grown);
    }
}

#[tokio::test]
async fn a_file_that_a_program_empties_to_write_it_decides_no_hunk() {
    let (bench, proposal) = proposed(&one("a.txt", "a\n"), REMOVES_A).await;
    bench.write("a.txt", "");
    // Longer than the watch takes to report it.
    tokio::time::sleep(Duration::from_millis(100)).await;
    bench.write("a.txt", "a\nmine\n");
    tokio::time::sleep(Duration::from_millis(400)).await;
    let states: Vec<HunkState> = bench.proposals()[0].hunks().map(|hunk| hunk.state).collect();
    assert_eq!(states, [HunkState::Pending], "{}", proposal.id);
}

#[tokio::test]
async fn an_editor_renames_no_file_past_the_rules_that_hold_by_now() {
    let diff = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
    for closed in ["a.txt", "b.txt"] {
        let bench = Bench::new(&[("a.txt", "a\n"), (".wherefore/config.toml", "")]);
        bench.open("a.txt");
        let (call, proposal) = bench.propose("fs.patch", json!({ "diff": diff })).await;
        bench.write(".wherefore/config.toml", &format!("[rules]\nread_only = [\"{closed}\"]\n"));
        let answer = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert!(answer.problems.join("").contains("rules.read_only"), "{closed}: {answer:?}");
        assert_eq!(read(bench.folder.path()), one("a.txt", "a\n"));
        call.abort();
    }
}
