//! Hostile sizes end, with the right text or with a refusal.

use std::time::{Duration, Instant};

use crate::{ChangedLines, RefusalCode, apply_diff, cut_hunks, relocate_hunk, splice_lines, unified_diff};

/// Far more than any of these needs, also in a build without optimisation on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

fn within<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = act();
    assert!(start.elapsed() < LIMIT, "{what} took {:?}", start.elapsed());
    result
}

fn code(before: &str, diff: &str) -> Option<RefusalCode> {
    within("a diff", || apply_diff("f", Some(before), diff)).err().map(|refusal| refusal.code)
}

#[test]
fn equal_lines() {
    let text = "x\n".repeat(50_000);
    assert_eq!(code(&text, "@@ @@\n x\n-x\n+y\n x\n"), Some(RefusalCode::Ambiguous));
    assert_eq!(code(&text, "@@ @@\n x\n-z\n+y\n x\n"), Some(RefusalCode::NotFound));
    // Half of the file as context fits in half of the file's places.
    let long = format!("@@ @@\n{}-x\n+y\n", " x\n".repeat(25_000));
    assert_eq!(code(&text, &long), Some(RefusalCode::Ambiguous));
    let headed = "@@ @@ x\n x\n-x\n+y\n x\n".repeat(5_000);
    assert_eq!(code(&text, &headed), Some(RefusalCode::Ambiguous));

    let changed = format!("{}y\n{}", "x\n".repeat(20_000), "x\n".repeat(29_999));
    let diff = within("printing", || unified_diff("f", Some(&text), Some(&changed)));
    let applied = within("applying", || apply_diff("f", Some(&text), &diff)).unwrap();
    assert_eq!(applied.after.as_deref(), Some(changed.as_str()));
    let shorter = "x\n".repeat(40_000);
    let cuts = within("cutting", || cut_hunks(&changed, &shorter));
    let back = cuts
        .iter()
        .rev()
        .try_fold(changed.clone(), |text, cut| splice_lines(&text, cut.old_start, &cut.old, &cut.new));
    assert_eq!(back, Some(shorter.clone()));
    let hunk = ChangedLines { old_start: 30_000, old: vec!["x\n".to_owned()], new: Vec::new() };
    let place = within("moving", || relocate_hunk(&changed, &shorter, &hunk));
    assert!(place.is_none_or(|place| place < 40_000));
}

#[test]
fn ten_megabytes() {
    let line = "a line of some length, as there are many\n";
    let body: String = (0..10_000_000 / line.len() / 2).map(|number| format!("{number}\n{line}")).collect();
    let changed = body.replacen("\n60000\n", "\nsixty thousand\n", 1);
    let diff = within("printing", || unified_diff("f", Some(&body), Some(&changed)));
    let applied = within("applying", || apply_diff("f", Some(&body), &diff)).unwrap();
    assert_eq!(applied.after, Some(changed));

    let one = "y".repeat(10_000_000);
    let diff = format!("@@ -1 +1 @@\n-{one}\n+{one}{one}\n");
    let applied = within("one line", || apply_diff("f", Some(&one), &diff)).unwrap();
    assert_eq!(applied.after.map(|after| after.len()), Some(20_000_000));
    assert_eq!(code(&body, &one), Some(RefusalCode::Empty));
    assert_eq!(code("a\n", &body), Some(RefusalCode::Empty));
}

#[test]
fn a_hundred_thousand_hunks() {
    let before: String = (0..200_000).map(|line| format!("{line}\n")).collect();
    let after: String = (0..200_000)
        .map(|line| if line % 2 == 0 { format!("{line}\n") } else { format!("{line}!\n") })
        .collect();
    let diff: String =
        (0..100_000).map(|hunk| format!("@@ @@\n {}\n-{1}\n+{1}!\n", 2 * hunk, 2 * hunk + 1)).collect();
    let applied = within("hunks", || apply_diff("f", Some(&before), &diff)).unwrap();
    assert_eq!((applied.hunks.len(), applied.after), (100_000, Some(after.clone())));
    // Half of them fit anywhere: the others tell where.
    let twins: String = (0..100_000).map(|pair| format!("{pair}\nsame\n")).collect();
    let diff: String = (0..100_000)
        .map(|pair| {
            format!("@@ -{0},1 +{0},1 @@\n-{pair}\n+{pair}!\n@@ @@ {pair}\n-same\n+other\n", 2 * pair + 1)
        })
        .collect();
    let wanted: String = (0..100_000).map(|pair| format!("{pair}!\nother\n")).collect();
    let applied = within("twins", || apply_diff("f", Some(&twins), &diff)).unwrap();
    assert_eq!(applied.after, Some(wanted));
    // None of them has lines or a place.
    let empty: String = (0..100_000).map(|hunk| format!("@@ -1,0 +1 @@\n+{hunk}\n")).collect();
    assert_eq!(code(&before, &empty), Some(RefusalCode::Conflict));
    assert_eq!(code(&before, &"@@\n".repeat(100_000)), Some(RefusalCode::Truncated));
}

#[test]
fn deep_and_wide_headers() {
    let blank = format!("@@ -1 +1 @@\n-a\n+b\n{}", "\n".repeat(200_000));
    let applied = within("blank lines", || apply_diff("f", Some("a\n"), &blank)).unwrap();
    assert_eq!(applied.after.as_deref(), Some("b\n"));
    let huge = "@@ -99999999999999999999,1 +18446744073709551615,1 @@\n-a\n+b\n";
    let applied = within("huge numbers", || apply_diff("f", Some("a\n"), huge)).unwrap();
    assert_eq!(applied.after.as_deref(), Some("b\n"));
    let files: String =
        (0..50_000).map(|file| format!("--- a/{file}\n+++ b/{file}\n@@ @@\n-a\n+b\n")).collect();
    assert_eq!(code("a\n", &files), Some(RefusalCode::OtherFile));
}
