//! The context form, as GNU diff writes it with `-c`, and as it comes through mail and models.

use crate::{AppliedKind, MatchLevel, RefusalCode, apply_diff, named_files};

const NAMES: &str =
    "*** list.txt\t2024-05-01 12:00:00.000000000 +0200\n--- list.txt\t2024-05-02 12:00:00.000000000 +0200\n";

/// Forty lines.
fn numbered() -> String {
    (1..=40).map(|number| format!("line {number}\n")).collect()
}

/// Four hunks: a line that is changed, one that goes, one that comes, and the last one changed.
fn four_hunks() -> String {
    NAMES.to_owned()
        + "***************\n*** 2,8 ****\n  line 2\n  line 3\n  line 4\n! line 5\n  line 6\n  line 7\n  line 8\n"
        + "--- 2,8 ----\n  line 2\n  line 3\n  line 4\n! line five\n  line 6\n  line 7\n  line 8\n"
        + "***************\n*** 17,23 ****\n  line 17\n  line 18\n  line 19\n- line 20\n  line 21\n  line 22\n  line 23\n"
        + "--- 17,22 ----\n"
        + "***************\n*** 28,33 ****\n--- 27,33 ----\n  line 28\n  line 29\n  line 30\n+ line 30.5\n  line 31\n"
        + "  line 32\n  line 33\n"
        + "***************\n*** 37,40 ****\n  line 37\n  line 38\n  line 39\n! line 40\n"
        + "--- 37,40 ----\n  line 37\n  line 38\n  line 39\n! end\n"
}

fn changed() -> String {
    numbered()
        .replace("line 5\n", "line five\n")
        .replace("line 20\n", "")
        .replace("line 30\n", "line 30\nline 30.5\n")
        .replace("line 40\n", "end\n")
}

fn after(before: &str, diff: &str) -> Result<Option<String>, RefusalCode> {
    apply_diff("list.txt", Some(before), diff).map(|applied| applied.after).map_err(|refusal| refusal.code)
}

#[test]
fn each_hunk_is_applied_whichever_side_is_left_out() {
    let applied = apply_diff("list.txt", Some(&numbered()), &four_hunks()).unwrap();
    assert_eq!(applied.after, Some(changed()));
    assert_eq!(applied.hunks.len(), 4);
    assert!(applied.hunks.iter().all(|hunk| hunk.level == MatchLevel::Exact), "{:?}", applied.hunks);
    // Further down, between words, in a fence, with the line ends of another system, and its numbers wrong.
    let moved = format!("first\n{}", numbered());
    assert_eq!(after(&moved, &four_hunks()), Ok(Some(format!("first\n{}", changed()))));
    let fenced = format!("This does it:\n\n```diff\n{}```\n\nIt is tested.\n", four_hunks());
    assert_eq!(after(&numbered(), &fenced), Ok(Some(changed())));
    assert_eq!(after(&numbered(), &four_hunks().replace('\n', "\r\n")), Ok(Some(changed())));
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(after(&crlf(&numbered()), &four_hunks()), Ok(Some(crlf(&changed()))));
    let misnumbered = four_hunks().replace("*** 2,8 ****", "*** 2,6 ****").replace("--- 37,40", "--- 30,31");
    assert_eq!(after(&numbered(), &misnumbered), Ok(Some(changed())));
    assert!(apply_diff("list.txt", Some(&changed()), &four_hunks()).unwrap().unchanged);
}

#[test]
fn the_end_of_a_file_and_blank_lines_are_kept() {
    let diff = format!(
        "{NAMES}***************\n*** 1,4 ****\n  a\n  \n  b\n! c\n\\ No newline at end of file\n--- 1,4 ----\n  a\n  \n  b\n! d\n"
    );
    assert_eq!(after("a\n\nb\nc", &diff), Ok(Some("a\n\nb\nd\n".to_owned())));
    // Mail takes the blanks of a line that has nothing else.
    assert_eq!(after("a\n\nb\nc", &diff.replace("\n  \n", "\n\n")), Ok(Some("a\n\nb\nd\n".to_owned())));
}

#[test]
fn files_are_made_removed_and_named() {
    let (none, some) = ("1970-01-01 00:00:00.000000000 +0000", "2024-05-01 12:00:00.000000000 +0200");
    let made = format!(
        "*** new.txt\t{none}\n--- new.txt\t{some}\n***************\n*** 0 ****\n--- 1,2 ----\n+ x\n+ y\n"
    );
    let applied = apply_diff("new.txt", None, &made).unwrap();
    assert_eq!((applied.kind, applied.after.as_deref()), (AppliedKind::Create, Some("x\ny\n")));
    let removed = format!(
        "*** old.txt\t{some}\n--- old.txt\t{none}\n***************\n*** 1,2 ****\n- x\n- y\n--- 0 ----\n"
    );
    let applied = apply_diff("old.txt", Some("x\ny\n"), &removed).unwrap();
    assert_eq!((applied.kind, applied.after), (AppliedKind::Delete, None));
    let unified = "--- a/c.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-a\n+b\n";
    let all = format!("{made}{}{unified}{removed}", four_hunks());
    let named = named_files(&all).unwrap().into_iter().map(|file| (file.path, file.is_new));
    let expected = [("new.txt", true), ("list.txt", false), ("c.txt", false), ("old.txt", false)];
    assert!(named.eq(expected.map(|(path, is_new)| (path.to_owned(), is_new))));
    assert_eq!(after(&numbered(), &all), Ok(Some(changed())));
}

#[test]
fn what_contradicts_itself_or_the_file_is_refused() {
    let hunk =
        |old: &str, new: &str| format!("{NAMES}***************\n*** 1,3 ****\n{old}--- 1,3 ----\n{new}");
    let before = "one\ntwo\nthree\n";
    let sound = hunk("  one\n! two\n  three\n", "  one\n! 2\n  three\n");
    assert_eq!(after(before, &sound), Ok(Some("one\n2\nthree\n".to_owned())));
    for (diff, code) in [
        (hunk("  one\n! two\n  three\n", "  one\n! 2\n  four\n"), RefusalCode::Unsupported),
        (hunk("  one\n! two\n  three\n", "  one\n! 2\n"), RefusalCode::Unsupported),
        (hunk("  one\n! 2\n  three\n", "  one\n! II\n  three\n"), RefusalCode::Stale),
        (hunk("", ""), RefusalCode::Truncated),
        (format!("{NAMES}***************\n*** 1,3 ****\n  one\n- two\n  three\n"), RefusalCode::Unsupported),
        (format!("{NAMES}***************\n"), RefusalCode::Unsupported),
    ] {
        assert_eq!(after(before, &diff), Err(code), "{diff}");
    }
}
