//! The smaller parts one at a time: a hunk put in place, a change printed, a refusal, odd file names.

use proptest::prelude::*;

use crate::{
    ChangedLines, ExpectedPlaces, LineDifference, LineRange, RefusalCode, apply_diff, relocate_hunk,
    replace_matches, replace_text, splice_lines, unified_diff,
};

const BEFORE: &str = "one\ntwo\nthree\nfour\nfive\n";

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_equal_line_elsewhere_is_not_the_hunks() {
    let before = "{\n}\nwork {\n    step\n}\n";
    let cut = ChangedLines { old_start: 4, old: lines(&["}"]), new: vec![] };
    assert_eq!(relocate_hunk(before, "{\n}\nwork {\n}\nmore\n", &cut), None);
    assert_eq!(relocate_hunk(before, "{\n}\nwork {\n    stop\n}\nmore\n", &cut), None);
    assert_eq!(relocate_hunk(before, "{\n}\nwork {\n    step\n}\nmore\n", &cut), Some(4));
}

#[test]
fn lines_are_replaced_only_where_they_stand() {
    let splice = |start: usize, old: &[&str]| splice_lines("a\nb\nc", start, &lines(old), &lines(&["x"]));
    assert_eq!(splice(0, &["a"]), Some("x\nb\nc".to_owned()));
    assert_eq!(splice(1, &[]), Some("a\nx\nb\nc".to_owned()));
    assert_eq!(splice(1, &["a"]), None);
    assert_eq!(splice(2, &["c"]), None);
    assert_eq!(splice(3, &[]), None);
    assert_eq!(splice(7, &[]), None);
}

#[test]
fn a_last_line_without_end_is_not_run_into() {
    let own = |text: &str| vec![text.to_owned()];
    assert_eq!(splice_lines("a\nb", 1, &own("b"), &own("c")), Some("a\nc".to_owned()));
    assert_eq!(splice_lines("a\nb", 0, &own("a\n"), &own("c")), None);
    assert_eq!(splice_lines("a\nb\n", 1, &own("b"), &own("c")), None);
    assert_eq!(splice_lines("", 0, &[], &own("c")), Some("c".to_owned()));
}

#[test]
fn a_change_prints_as_git_prints_it() {
    let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
    let after = before.replace("4\n5", "4\nfive").replace("13\n", "").replace("15\n", "15");
    assert_eq!(
        unified_diff("dir/a b.rs", Some(before), Some(&after)),
        "diff --git a/dir/a b.rs b/dir/a b.rs\n--- a/dir/a b.rs\t\n+++ b/dir/a b.rs\t\n\
         @@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n\
         @@ -10,6 +10,5 @@\n 10\n 11\n 12\n-13\n 14\n-15\n+15\n\\ No newline at end of file\n"
    );
    assert_eq!(
        unified_diff("x", None, Some("a\n")),
        "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n"
    );
    assert_eq!(
        unified_diff("x", Some("a\n"), None),
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    );
}

#[test]
fn a_refusal_says_where_the_file_differs_and_what_to_read() {
    let diff = "@@ -1,3 +1,3 @@\n one\n-two\n+2\n tres\n";
    let refusal = apply_diff("dir/n.txt", Some(BEFORE), diff).unwrap_err();
    assert_eq!(refusal.code, RefusalCode::Stale);
    assert_eq!(refusal.lines(), vec![1, 3, 1, 5]);
    assert_eq!(refusal.read, Some(LineRange { start: 1, end: 5 }));
    assert_eq!((refusal.hunk, refusal.sought_at), (Some(1), Some(1)));
    let difference =
        LineDifference { line: 3, expected: "tres".to_owned(), actual: Some("three".to_owned()) };
    assert_eq!(refusal.difference, Some(difference));
}

#[test]
fn a_text_is_found_and_replaced() {
    let text = "fn a() {\n    one();\n}\n\nfn b() {\n    one();\n}\n";
    let after = |find: &str, with: &str, places: ExpectedPlaces| {
        replace_text("f", text, find, with, places).map(|done| done.after.unwrap()).map_err(|no| no.code)
    };
    assert_eq!(after("fn b", "fn c", ExpectedPlaces::One), Ok(text.replace("fn b", "fn c")));
    assert_eq!(after("one()", "two()", ExpectedPlaces::One), Err(RefusalCode::Ambiguous));
    assert_eq!(after("one()", "two()", ExpectedPlaces::All), Ok(text.replace("one", "two")));
    assert_eq!(after("one()", "two()", ExpectedPlaces::Exactly(2)), Ok(text.replace("one", "two")));
    assert_eq!(after("one()", "two()", ExpectedPlaces::Exactly(3)), Err(RefusalCode::Ambiguous));
    // Not to the letter: the file's own indentation is kept.
    assert_eq!(after("fn b() {\n  one();\n", "fn b() {\n  two();\n", ExpectedPlaces::One), {
        Ok(text.replace("fn b() {\n    one", "fn b() {\n    two"))
    });
    assert_eq!(after("\tone();\n", "\ttwo();\n", ExpectedPlaces::All), Ok(text.replace("one", "two")));
    assert_eq!(after("none();\n", "two();\n", ExpectedPlaces::All), Err(RefusalCode::NotFound));
    assert_eq!(after("", "two();\n", ExpectedPlaces::All), Err(RefusalCode::Empty));
}

#[test]
fn what_a_pattern_matches_is_replaced() {
    let text = "a = 1\nb = 2\n";
    let after = |pattern: &str, with: &str, places: ExpectedPlaces| {
        let pattern = regex::Regex::new(pattern).unwrap();
        replace_matches("f", text, &pattern, with, places)
            .map(|done| done.after.unwrap())
            .map_err(|no| no.code)
    };
    assert_eq!(after(r"(\w) = (\d)", "$2 = $1", ExpectedPlaces::All).as_deref(), Ok("1 = a\n2 = b\n"));
    assert_eq!(after(r"(\w) = 2", "$1 = 3", ExpectedPlaces::One).as_deref(), Ok("a = 1\nb = 3\n"));
    assert_eq!(after(r"\w = \d", "", ExpectedPlaces::One), Err(RefusalCode::Ambiguous));
    assert_eq!(after(r"\w = \d", "", ExpectedPlaces::Exactly(3)), Err(RefusalCode::Ambiguous));
    assert_eq!(after("c", "", ExpectedPlaces::All), Err(RefusalCode::NotFound));
}

proptest! {
    #[test]
    fn a_file_of_any_name_is_made_and_deleted(text in "(a?\n){0,3}", path in "[a-z \"\\\\é\t]{1,5}/[a-z][a-z. ]{0,5}") {
        let made = apply_diff(&path, None, &unified_diff(&path, None, Some(&text)));
        prop_assert_eq!(made.map(|made| made.after), Ok(Some(text.clone())));
        let gone = apply_diff(&path, Some(&text), &unified_diff(&path, Some(&text), None));
        prop_assert_eq!(gone.map(|gone| gone.after), Ok(None));
    }

    #[test]
    fn what_is_called_unchanged_is(before in "([ab{]\n){0,6}", lines in prop::collection::vec("[-+ ][ab{]", 0..6)) {
        let diff = format!("@@\n{}\n", lines.join("\n"));
        if let Ok(done) = apply_diff("x", Some(&before), &diff) {
            prop_assert_eq!(done.unchanged, done.after.as_deref() == Some(before.as_str()));
        }
    }
}
