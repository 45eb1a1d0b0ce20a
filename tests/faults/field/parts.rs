//! Parts that are lost in silence: every file and hunk of a diff is in the change, or the call is refused.

use serde_json::{Value, json};

use crate::support::Project;

const A: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
const B: &str = "--- a/b.txt\n+++ b/b.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n";
const A_LATER: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -4,2 +4,2 @@\n four\n-five\n+FIVE\n";

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";
const BOTH: &str = "one\nTWO\nthree\nfour\nFIVE\n";

fn git(part: &str) -> String {
    let name = part.lines().next().unwrap().strip_prefix("--- a/").unwrap();
    format!("diff --git a/{name} b/{name}\n{part}")
}

/// Makes one call of fs.patch on a project of two equal files, and gives the answer with the files afterwards.
fn patched(path: Option<&str>, diff: &str) -> (Value, [Option<String>; 2]) {
    let project = Project::new(&[("a.txt", TEXT), ("b.txt", TEXT)]);
    let mut arguments = json!({ "diff": diff });
    if let Some(path) = path {
        arguments["path"] = json!(path);
    }
    let answer = project.batch(&[("fs.patch", arguments)]).remove(0);
    (answer, ["a.txt", "b.txt"].map(|path| project.text(path)))
}

#[test]
fn a_diff_of_which_a_part_would_be_lost_is_refused() {
    let star = |name: &str| format!("*** Update File: {name}\n@@\n-two\n+TWO\n");
    let block = |name: &str| format!("{name}\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n");
    let mode = "diff --git a/b.txt b/b.txt\nold mode 100644\nnew mode 100755\n";
    let cases: [(&str, Option<&str>, String); 22] = [
        ("a second file", Some("a.txt"), A.to_owned() + B),
        ("a second file of git's", Some("a.txt"), git(A) + &git(B)),
        ("a mode of another file", Some("a.txt"), git(A) + mode),
        ("another file before a mode", Some("b.txt"), git(A) + mode),
        (
            "a rename of another file",
            Some("a.txt"),
            git(A) + "diff --git a/b.txt b/c.txt\nrename from b.txt\nrename to c.txt\n",
        ),
        ("a binary file", Some("a.txt"), A.to_owned() + "Binary files a/b.txt and b/b.txt differ\n"),
        ("a binary file first", Some("a.txt"), "Binary files a/b.txt and b/b.txt differ\n".to_owned() + A),
        (
            "a second section with stars",
            Some("a.txt"),
            format!("*** Begin Patch\n{}{}*** End Patch\n", star("a.txt"), star("b.txt")),
        ),
        ("stars behind a diff", Some("a.txt"), A.to_owned() + &star("b.txt")),
        ("a block for another file", Some("a.txt"), block("a.txt") + &block("b.txt")),
        ("a block behind a diff", Some("a.txt"), A.to_owned() + "\n" + &block("b.txt")),
        ("two fences", Some("a.txt"), format!("```diff\n{A}```\n\n```diff\n{B}```\n")),
        ("a file of which no hunk is left", Some("a.txt"), A.to_owned() + "--- a/b.txt\n+++ b/b.txt\n"),
        (
            "git's header of a file alone",
            Some("a.txt"),
            git(A) + "diff --git a/b.txt b/b.txt\nindex 1111111..2222222 100644\n",
        ),
        ("a plain part before git's", None, A.to_owned() + &git(B)),
        ("a plain part behind git's", None, git(A) + B),
        ("stars behind git's", None, git(A) + &star("b.txt")),
        (
            "a part of git's that is cut off",
            None,
            git(A) + "diff --git a/b.txt b/b.txt\nindex 1111111..2222222 100644\n",
        ),
        (
            "half a rename",
            None,
            git(A) + "diff --git a/b.txt b/c.txt\nsimilarity index 80%\nrename from b.txt\nrename to c.txt\n",
        ),
        (
            "two fates of one file",
            None,
            git(A)
                + "diff --git a/a.txt b/c.txt\nsimilarity index 100%\nrename from a.txt\nrename to c.txt\n",
        ),
        ("lines in no hunk", Some("a.txt"), format!("```diff\n{A}```\n-five\n+FIVE\n")),
        ("no end of the patch", Some("a.txt"), format!("*** Begin Patch\n{}", star("a.txt"))),
    ];
    for (name, path, diff) in cases {
        let (answer, files) = patched(path, &diff);
        let code = answer["error"]["code"].as_str().unwrap_or_default();
        assert_eq!(code, "PATCH_MISMATCH", "{name}: {answer}");
        assert_eq!(files, [Some(TEXT.to_owned()), Some(TEXT.to_owned())], "{name}");
        let message = answer["error"]["message"].as_str().unwrap();
        let is_named = ["b.txt", "a.txt", "c.txt", "no hunk"].iter().any(|part| message.contains(part));
        assert!(is_named && answer["error"]["suggestion"].is_string(), "{name}: {answer}");
    }
    let (answer, _) = patched(Some("a.txt"), &(A.to_owned() + B));
    assert_eq!(answer["error"]["details"]["files"], json!(["b.txt"]), "{answer}");
}

#[test]
fn several_parts_for_one_file_are_all_applied() {
    let block =
        |old: &str, new: &str| format!("a.txt\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n");
    let star = |old: &str, new: &str| format!("*** Update File: a.txt\n@@\n-{old}\n+{new}\n");
    let cases = [
        ("two sections", Some("a.txt"), A.to_owned() + A_LATER),
        ("two sections of git's", Some("a.txt"), git(A) + &git(A_LATER)),
        ("two sections of git's, and no path", None, git(A) + &git(A_LATER)),
        ("two sections below one header of git's", None, git(A) + A_LATER),
        (
            "two sections with stars",
            Some("a.txt"),
            format!("*** Begin Patch\n{}{}*** End Patch\n", star("two", "TWO"), star("five", "FIVE")),
        ),
        ("two blocks", Some("a.txt"), block("two", "TWO") + &block("five", "FIVE")),
        ("two fences", Some("a.txt"), format!("First:\n```diff\n{A}```\nThen:\n```diff\n{A_LATER}```\n")),
        (
            "a blank line above lines without a header",
            Some("a.txt"),
            "--- a/a.txt\n+++ b/a.txt\n\n-two\n+TWO\n@@ -4,2 +4,2 @@\n four\n-five\n+FIVE\n".to_owned(),
        ),
        (
            "words around it",
            Some("a.txt"),
            format!(
                "- I change two lines:\n\n```diff\n{A}{A_LATER}```\n\n- That is all.\n```sh\n-rw-r--r-- a.txt\n```\n"
            ),
        ),
    ];
    for (name, path, diff) in cases {
        let (answer, files) = patched(path, &diff);
        assert_eq!(answer["result"]["status"], "applied", "{name}: {answer}");
        assert_eq!(files, [Some(BOTH.to_owned()), Some(TEXT.to_owned())], "{name}");
    }
    let (answer, files) = patched(None, &(git(A) + &git(B)));
    assert_eq!(answer["result"]["status"], "applied", "{answer}");
    assert!(files.iter().all(|text| text.as_deref().is_some_and(|text| text.contains("TWO"))));
}

#[test]
fn a_diff_without_a_path_changes_the_files_that_it_names_or_none() {
    let block =
        |name: &str| format!("{name}\n```\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n```\n");
    let two = TEXT.replace("two", "TWO");
    let cases = [
        ("unified", A.to_owned() + B),
        ("blocks", block("a.txt") + "\n" + &block("b.txt")),
        (
            "stars",
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+TWO\n*** Update File: b.txt\n@@\n-two\n+TWO\n*** End Patch"
                .to_owned(),
        ),
    ];
    for (name, diff) in cases {
        let (answer, files) = patched(None, &diff);
        assert_eq!(answer["result"]["status"], "applied", "{name}: {answer}");
        assert_eq!(answer["result"]["paths"], json!(["a.txt", "b.txt"]), "{name}: {answer}");
        assert_eq!(files, [Some(two.clone()), Some(two.clone())], "{name}");
        // One part fits no more: nothing of the other is done either.
        let (answer, files) = patched(None, &diff.replacen("two", "zwei", 1));
        assert_eq!(answer["error"]["code"], "PATCH_MISMATCH", "{name}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("a.txt"), "{name}: {answer}");
        assert_eq!(files, [Some(TEXT.to_owned()), Some(TEXT.to_owned())], "{name}");
    }
    let project = Project::new(&[("a.txt", TEXT), ("b.txt", TEXT), ("c.txt", TEXT)]);
    let diff = "*** Begin Patch\n*** Update File: a.txt\n*** Move to: moved/a.txt\n@@\n-two\n+TWO\n*** Add File: new.txt\n+new\n*** Delete File: b.txt\n*** End Patch";
    let removed = "--- a/c.txt\n+++ /dev/null\n@@ -1,5 +0,0 @@\n-one\n-two\n-three\n-four\n-five\n--- /dev/null\n+++ b/d.txt\n@@ -0,0 +1 @@\n+made\n";
    let calls = [diff, removed].map(|diff| ("fs.patch", json!({ "diff": diff })));
    for answer in project.batch(&calls) {
        assert_eq!(answer["result"]["status"], "applied", "{answer}");
    }
    let files = ["a.txt", "moved/a.txt", "new.txt", "b.txt", "c.txt", "d.txt"].map(|path| project.text(path));
    let there = |text: &str| Some(text.to_owned());
    assert_eq!(files, [None, Some(two), there("new\n"), None, None, there("made\n")]);
    for text in ["words, and no diff", "\u{1}binary", "*** Begin Patch"] {
        let (answer, _) = patched(None, text);
        assert_eq!(answer["error"]["code"], "PATCH_MISMATCH", "{text}: {answer}");
    }
    let many: String = (0..201).map(|at| A.replace("a.txt", &format!("f{at}"))).collect();
    let (answer, _) = patched(None, &many);
    assert_eq!(answer["error"]["code"], "QUOTA_EXCEEDED", "{answer}");
    let (answer, _) = patched(None, "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n");
    assert_eq!(answer["error"]["code"], "PATCH_MISMATCH", "{answer}");
    assert!(answer["error"]["suggestion"].as_str().unwrap().contains("path"), "{answer}");
}

#[test]
fn a_hash_that_is_expected_of_no_file_is_refused() {
    let project = Project::new(&[("a.txt", TEXT), ("b.txt", TEXT)]);
    let arguments = json!({ "diff": git(A) + &git(B), "expected_hash": "0123456789abcdef" });
    let answer = project.batch(&[("fs.patch", arguments)]).remove(0);
    assert_eq!(answer["error"]["code"], "INVALID_ARGS", "{answer}");
    assert_eq!(project.text("a.txt").as_deref(), Some(TEXT));
}
