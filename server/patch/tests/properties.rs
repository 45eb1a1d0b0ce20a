//! Properties of every text and every diff.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::{ChangedLines, apply_diff, cut_hunks, splice_lines, unified_diff};

/// Lines that a reader of diffs could take for something else.
const LINES: [&str; 24] = [
    "",
    "a",
    "b",
    "c",
    "d",
    "}",
    "    return x;",
    "\treturn x;",
    "a ",
    "--- a/f",
    "+++ b/f",
    "-- ",
    "++",
    "@@ -1 +1 @@",
    "\\ No newline at end of file",
    "```",
    "diff --git a/f b/f",
    "-",
    "+",
    " ",
    "é…“”",
    "\r",
    "x\ry",
    "*** End Patch",
];

fn text() -> impl Strategy<Value = String> {
    (vec(select(&LINES[..]), 0..14), select(&["\n", "\r\n"][..]), any::<bool>()).prop_map(
        |(lines, end, ended)| {
            let text = lines.join(end);
            if ended && !lines.is_empty() { text + end } else { text }
        },
    )
}

/// A text, and another that differs from it in places.
fn change() -> impl Strategy<Value = (String, String)> {
    let edits = vec((any::<prop::sample::Index>(), 0..3_usize, vec(select(&LINES[..]), 0..3)), 1..5);
    let edited = (text(), edits).prop_map(|(before, edits)| {
        let mut lines: Vec<String> = before.split_inclusive('\n').map(str::to_owned).collect();
        for (at, gone, new) in edits {
            let at = at.index(lines.len() + 1);
            let end = (at + gone).min(lines.len());
            if at == lines.len() && lines.last().is_some_and(|last| !last.ends_with('\n')) {
                continue;
            }
            lines.splice(at..end, new.into_iter().map(|line| format!("{line}\n")));
        }
        (before, lines.concat())
    });
    prop_oneof![edited, (text(), text())]
}

/// A diff with bytes of it changed, lines gone, doubled or swapped, or its end lost.
fn mutated() -> impl Strategy<Value = (String, String)> {
    let act = (0..6_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>(), select(&LINES[..]));
    (change(), vec(act, 1..6)).prop_map(|((before, after), acts)| {
        let diff = unified_diff("f", Some(&before), Some(&after));
        let mut lines: Vec<String> = diff.split_inclusive('\n').map(str::to_owned).collect();
        for (act, here, there, other) in acts {
            if lines.is_empty() {
                break;
            }
            let (here, there) = (here.index(lines.len()), there.index(lines.len()));
            match act {
                0 => drop(lines.remove(here)),
                1 => lines.insert(there, lines[here].clone()),
                2 => lines.swap(here, there),
                3 => lines[here] = format!("{other}\n"),
                4 => lines.truncate(here),
                _ => {
                    let mut chars: Vec<char> = lines[here].chars().collect();
                    let at = there % chars.len();
                    chars[at] = ['-', '+', ' ', '@', '9', '\n', '\0'][there % 7];
                    lines[here] = chars.into_iter().collect();
                }
            }
        }
        (before, lines.concat())
    })
}

/// The number of occurrences of each line in a text, ignoring its space and its leading signs.
fn counted<'t>(lines: impl Iterator<Item = &'t str>) -> HashMap<String, i64> {
    let mut counts = HashMap::new();
    for line in lines {
        let dense: String = line.split_whitespace().collect();
        *counts.entry(dense.trim_start_matches(['-', '+']).to_owned()).or_default() += 1;
    }
    counts
}

fn all(text: String, cuts: &[ChangedLines]) -> Option<String> {
    cuts.iter().rev().try_fold(text, |text, cut| splice_lines(&text, cut.old_start, &cut.old, &cut.new))
}

/// The text with only these cuts in it, made without `splice`.
fn only(before: &str, cuts: &[ChangedLines], chosen: &[bool]) -> String {
    let lines: Vec<&str> = before.split_inclusive('\n').collect();
    let (mut text, mut at) = (String::new(), 0);
    for (cut, _) in cuts.iter().zip(chosen).filter(|(_, chosen)| **chosen) {
        text.push_str(&lines[at..cut.old_start].concat());
        text.push_str(&cut.new.concat());
        at = cut.old_start + cut.old.len();
    }
    text + &lines[at..].concat()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn a_printed_change_applies_to_what_it_was_made_from((before, after) in change()) {
        prop_assume!(before != after);
        let diff = unified_diff("f", Some(&before), Some(&after));
        let applied = apply_diff("f", Some(&before), &diff).map(|applied| (applied.after, applied.unchanged));
        prop_assert_eq!(applied, Ok((Some(after), false)), "{}", diff);
    }

    #[test]
    fn a_printed_new_file_is_made_and_a_printed_end_deletes(text in text()) {
        let made = apply_diff("f", None, &unified_diff("f", None, Some(&text))).map(|applied| applied.after);
        prop_assert_eq!(made, Ok(Some(text.clone())));
        let gone = apply_diff("f", Some(&text), &unified_diff("f", Some(&text), None)).map(|applied| applied.after);
        prop_assert_eq!(gone, Ok(None));
    }

    #[test]
    fn a_change_that_stands_is_not_made_again((before, after) in change()) {
        let diff = unified_diff("f", Some(&before), Some(&after));
        if let Ok(again) = apply_diff("f", Some(&after), &diff) && again.unchanged {
            prop_assert_eq!(again.after, Some(after));
        }
    }

    #[test]
    fn all_cuts_give_the_new_text_and_some_give_exactly_those(
        (before, after) in change(),
        chosen in vec(any::<bool>(), 40),
    ) {
        let cuts = cut_hunks(&before, &after);
        prop_assert_eq!(all(before.clone(), &cuts), Some(after));
        let some: Vec<ChangedLines> =
            cuts.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(cut, _)| cut.clone()).collect();
        let spliced = all(before.clone(), &some);
        // A last line without an end may fit nowhere alone; then it must be rejected.
        if let Some(spliced) = spliced {
            prop_assert_eq!(spliced, only(&before, &cuts, &chosen));
        } else {
            prop_assert!(!before.ends_with('\n'));
        }
    }

    #[test]
    fn a_broken_diff_takes_no_line_that_it_does_not_state((before, diff) in mutated()) {
        let Ok(applied) = apply_diff("f", Some(&before), &diff) else { return Ok(()) };
        let after = applied.after.unwrap_or_default();
        let (old, new) = (counted(before.split('\n')), counted(after.split('\n')));
        let stated = |sign| counted(diff.split('\n').filter_map(move |line| line.strip_prefix(sign)));
        let (removed, added) = (stated('-'), stated('+'));
        let of = |counts: &HashMap<String, i64>, line| counts.get(line).copied().unwrap_or(0);
        for line in old.keys().chain(new.keys()).filter(|line| !line.is_empty()) {
            let more = of(&new, line) - of(&old, line);
            prop_assert!(-more <= of(&removed, line), "{line:?} was lost: {diff}");
            prop_assert!(more <= of(&added, line), "{line:?} came from nowhere: {diff}");
        }
    }

    #[test]
    fn any_text_at_all_is_read_as_a_diff(before in any::<Option<String>>(), diff in "(?s)[-+ @\\\\a\n\r`*]{0,80}") {
        let _ = apply_diff("f", before.as_deref(), &diff);
        let _ = apply_diff("", before.as_deref(), &diff);
    }
}
