//! The new place of a hunk when its text changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{ChangedLines, LineMoves, cut_hunks, relocate_hunk, splice_lines};

/// A hunk that takes this many lines and adds one.
fn hunk(before: &str, start: usize, gone: usize) -> ChangedLines {
    let old = before.split_inclusive('\n').skip(start).take(gone).map(str::to_owned).collect();
    ChangedLines { old_start: start, old, new: vec!["new\n".to_owned()] }
}

fn check(before: &str, now: &str, start: usize, gone: usize, wanted: Option<usize>) {
    let found = relocate_hunk(before, now, &hunk(before, start, gone));
    assert_eq!(found, wanted, "{before:?} -> {now:?}, {gone} lines at {start}");
}

#[test]
fn a_hunk_keeps_its_lines() {
    let abc = "a\nb\nc\n";
    // At the start.
    check(abc, "a\nb\nc\n", 0, 1, Some(0));
    check(abc, "x\na\nb\nc\n", 0, 1, Some(1));
    check(abc, "x\nb\nc\n", 0, 1, None);
    check(abc, "", 0, 1, None);
    // At the end.
    check(abc, "a\nb\nc\nx\n", 2, 1, Some(2));
    check(abc, "x\ny\na\nb\nc\n", 2, 1, Some(4));
    check(abc, "a\nb\nC\n", 2, 1, None);
    check("a\nb", "x\na\nb", 1, 1, Some(2));
    check("a\nb", "a\nb\n", 1, 1, None);
    // In the middle, with changes on both sides of it and within it.
    check(abc, "A\nb\nC\n", 1, 1, Some(1));
    check(abc, "x\ny\nb\n", 1, 1, Some(2));
    check(abc, "a\nx\nc\n", 0, 3, None);
    check("a\nb\nc\nd\n", "a\nb\nx\nc\nd\n", 1, 2, None);
    // Past the end: no hunk of this text.
    let beyond = ChangedLines { old_start: 3, old: vec!["d\n".to_owned()], new: Vec::new() };
    assert_eq!(relocate_hunk(abc, abc, &beyond), None);
}

#[test]
fn an_insertion_goes_with_a_neighbour_or_nowhere() {
    let abc = "a\nb\nc\n";
    check("", "", 0, 0, Some(0));
    check("", "x\n", 0, 0, None);
    check(abc, "x\na\nb\nc\n", 0, 0, Some(1));
    check(abc, "A\nb\nc\n", 0, 0, None);
    check(abc, "", 0, 0, None);
    check(abc, "a\nb\nc\nx\n", 3, 0, Some(3));
    check(abc, "x\na\nb\nc\n", 3, 0, Some(4));
    check(abc, "a\nb\nC\n", 3, 0, None);
    // A single neighbour is enough; with neither it is lost.
    check(abc, "a\nx\nc\n", 1, 0, Some(1));
    check(abc, "x\nb\nc\n", 1, 0, Some(1));
    check(abc, "x\ny\nz\nb\nc\n", 1, 0, Some(3));
    check(abc, "x\ny\nc\n", 1, 0, None);
    // Between neighbours that were parted: after the first.
    check(abc, "a\nx\nb\nc\n", 1, 0, Some(1));
}

#[test]
fn a_hunk_moves_with_its_block() {
    let before = "fn a() {\n    one\n}\n\nfn b() {\n    two\n}\n";
    let now = "fn b() {\n    two\n}\n\nfn a() {\n    one\n}\n";
    check(before, now, 1, 1, Some(5));
    check(before, now, 5, 1, Some(1));
}

#[test]
fn a_keystroke_in_a_long_text_is_cheap() {
    let before: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
    let now = before.replace("line 25000\n", "line 25000!\n");
    for _ in 0..100 {
        check(&before, &now, 10, 2, Some(10));
        check(&before, &now, 49_000, 2, Some(49_000));
        check(&before, &now, 25_000, 1, None);
        check(&before, &now, 25_001, 0, Some(25_001));
    }
}

/// Lines that the block around the hunk does not have.
fn elsewhere() -> impl Strategy<Value = String> {
    vec(select(&["x\n", "y\n", "\n", "}\n", "    z\n", "x\r\n"][..]), 0..30).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn edits_elsewhere_never_lose_a_hunk(
        (above, below) in (elsewhere(), elsewhere()),
        (above_now, below_now) in (elsewhere(), elsewhere()),
        gone in 0..4_usize,
    ) {
        let own: String = (0..gone).map(|line| format!("own {line}\n")).collect();
        let block = format!("before it\n{own}after it\n");
        let before = format!("{above}{block}{below}");
        let now = format!("{above_now}{block}{below_now}");
        let stood = hunk(&before, above.lines().count() + 1, gone);
        let place = relocate_hunk(&before, &now, &stood);
        prop_assert_eq!(place, Some(above_now.lines().count() + 1));
        let spliced = splice_lines(&now, above_now.lines().count() + 1, &stood.old, &stood.new);
        prop_assert_eq!(spliced, Some(format!("{above_now}before it\nnew\nafter it\n{below_now}")));
    }

    #[test]
    fn the_other_hunks_stand_after_any_of_them_is_made(
        (before, after) in (elsewhere(), elsewhere()),
        first in any::<prop::sample::Index>(),
    ) {
        let cuts = cut_hunks(&before, &after);
        prop_assume!(!cuts.is_empty());
        let first = &cuts[first.index(cuts.len())];
        let now = splice_lines(&before, first.old_start, &first.old, &first.new).unwrap();
        for other in cuts.iter().filter(|other| *other != first && !other.old.is_empty()) {
            if let Some(place) = relocate_hunk(&before, &now, other) {
                prop_assert!(splice_lines(&now, place, &other.old, &other.new).is_some());
            }
        }
    }
}

/// A change of some lines of a text, merged with what was typed into them.
fn retyped(
    before: &str,
    now: &str,
    start: usize,
    (old, new): (&str, &str),
) -> Option<(usize, String, String)> {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect();
    let cut = ChangedLines { old_start: start, old: lines(old), new: lines(new) };
    let merged = LineMoves::new(before, now).merge_retyped(&cut)?;
    Some((merged.old_start, merged.old.concat(), merged.new.concat()))
}

#[test]
fn what_is_typed_beside_the_changed_words_of_a_hunk_is_kept() {
    let before = "fn a() {\n    let total = 1;\n    print(total);\n}\n";
    let hunk =
        ("    let total = 1;\n    print(total);\n", "    let total = 2;\n    print(total);\n    done();\n");
    let typed = "fn a() {\n    let grand_total = 1;\n    print(total);\n}\n";
    let merged = "    let grand_total = 2;\n    print(total);\n    done();\n";
    assert_eq!(
        retyped(before, typed, 1, hunk),
        Some((1, "    let grand_total = 1;\n    print(total);\n".to_owned(), merged.to_owned()))
    );
    // Lines above it, and a line within it.
    let typed = "use b;\n\nfn a() {\n    let total = 1;\n    // Why\n    print(total);\n}\n";
    let (at, old, new) = retyped(before, typed, 1, hunk).unwrap();
    assert_eq!((at, &*old), (3, "    let total = 1;\n    // Why\n    print(total);\n"));
    assert_eq!(new, "    let total = 2;\n    // Why\n    print(total);\n    done();\n");
    // The same words, words that touch, the lines themselves gone, and a change that reaches beyond.
    for typed in [
        "fn a() {\n    let total = 3;\n    print(total);\n}\n",
        "fn a() {\n    let total = 1 + 1;\n    print(total);\n}\n".replace(" + 1;", "0;").as_str(),
        "fn a() {\n}\n",
        "fn b() {\n    let totals = 1;\n    print(total);\n}\n",
    ] {
        assert_eq!(retyped(before, typed, 1, hunk), None, "{typed}");
    }
}

proptest! {
    /// A merge holds the hunk's own change: what was typed taken back out of it leaves the hunk as it was proposed.
    #[test]
    fn a_merged_hunk_is_the_proposed_one_again_once_the_typing_is_taken_back(
        words in vec("[a-d]{1,3}", 4..12),
        changed in 0..12usize,
        typed in 0..12usize,
    ) {
        let text = |words: &[String]| format!("first\n{}\nlast\n", words.join(" "));
        let with = |at: usize, word: &str| {
            let mut words = words.clone();
            let at = at % words.len();
            words[at] = word.to_owned();
            words
        };
        let line = |words: &[String]| format!("{}\n", words.join(" "));
        let (old, new) = (line(&words), line(&with(changed, "HUNK")));
        let now = text(&with(typed, "TYPED"));
        match retyped(&text(&words), &now, 1, (&old, &new)) {
            None => prop_assert_eq!(changed % words.len(), typed % words.len()),
            Some((at, old, new)) => {
                prop_assert!(new.contains("HUNK") && new.contains("TYPED"));
                let back = retyped(&now, &text(&words), at, (&old, &new));
                prop_assert_eq!(back, Some((1, line(&words), line(&with(changed, "HUNK")))));
            }
        }
    }
}
