//! Fuzzes the patch engine: two texts, taken once as a file and a diff for it, and once as a file before and after.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wherefore_patch::{Cut, Places, RefusalCode, apply, cut, replace, splice, unified};

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    let (before, other) = text.split_once('\0').unwrap_or(("", &text));
    any_diff(before, other);
    any_edit(before, other);
    any_change(before, other);
});

/// Whatever is read as a diff ends in a text or a refusal, and a text that it left is not changed by it again.
fn any_diff(before: &str, diff: &str) {
    let _ = apply("f", None, diff);
    let Ok(applied) = apply("f", Some(before), diff) else { return };
    if applied.unchanged {
        assert_eq!(applied.after.as_deref(), Some(before), "it says that nothing changed");
    }
}

/// A text to find and what to put there: the other text's first line and the rest.
fn any_edit(before: &str, other: &str) {
    let (find, with) = other.split_once('\n').unwrap_or((other, ""));
    for places in [Places::One, Places::All] {
        let Ok(applied) = replace("f", before, find, with, places) else { continue };
        assert!(applied.after.is_some(), "an edit deletes no file");
    }
}

/// A printed change applies to what it was made from, and its cuts lead there, from the last to the first.
fn any_change(before: &str, after: &str) {
    let cuts = cut(before, after);
    let all = |text: String, cut: &Cut| splice(&text, cut.old_start, &cut.old, &cut.new);
    assert_eq!(cuts.iter().rev().try_fold(before.to_owned(), all).as_deref(), Some(after), "{cuts:?}");
    if before != after {
        let diff = unified("f", Some(before), Some(after));
        match apply("f", Some(before), &diff) {
            // An added line that only stands for others, as `// ... the rest as before`, is refused on purpose.
            Err(refusal) if refusal.code == RefusalCode::Truncated => {}
            applied => assert_eq!(applied.map(|applied| applied.after), Ok(Some(after.to_owned())), "{diff}"),
        }
    }
}
