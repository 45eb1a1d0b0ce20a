//! Where a hunk goes when its text changes.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{Cut, cut, relocate, splice};

/// A hunk that takes this many lines and adds one.
fn hunk(before: &str, start: usize, gone: usize) -> Cut {
    let old = before.split_inclusive('\n').skip(start).take(gone).map(str::to_owned).collect();
    Cut { old_start: start, old, new: vec!["new\n".to_owned()] }
}

fn check(before: &str, now: &str, start: usize, gone: usize, wanted: Option<usize>) {
    let found = relocate(before, now, &hunk(before, start, gone));
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
    let beyond = Cut { old_start: 3, old: vec!["d\n".to_owned()], new: Vec::new() };
    assert_eq!(relocate(abc, abc, &beyond), None);
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
    // One neighbour is enough; with neither it is lost.
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
        let place = relocate(&before, &now, &stood);
        prop_assert_eq!(place, Some(above_now.lines().count() + 1));
        let spliced = splice(&now, above_now.lines().count() + 1, &stood.old, &stood.new);
        prop_assert_eq!(spliced, Some(format!("{above_now}before it\nnew\nafter it\n{below_now}")));
    }

    #[test]
    fn the_other_hunks_stand_after_any_of_them_is_made(
        (before, after) in (elsewhere(), elsewhere()),
        first in any::<prop::sample::Index>(),
    ) {
        let cuts = cut(&before, &after);
        prop_assume!(!cuts.is_empty());
        let first = &cuts[first.index(cuts.len())];
        let now = splice(&before, first.old_start, &first.old, &first.new).unwrap();
        for other in cuts.iter().filter(|other| *other != first && !other.old.is_empty()) {
            if let Some(place) = relocate(&before, &now, other) {
                prop_assert!(splice(&now, place, &other.old, &other.new).is_some());
            }
        }
    }
}
