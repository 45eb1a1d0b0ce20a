//! Nothing of a diff is lost: each change that it states is in the text afterwards, or its file is among the others.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::{GitBody, apply_diff, apply_to_named_file, check_git, git_files};

/// Lines of every file.
const LINES: usize = 16;

/// A part of a diff: the file that it is for, its form, and its number of hunks.
#[derive(Clone, Debug)]
struct Part {
    file: usize,
    form: usize,
    hunks: usize,
    /// The number of parts above it.
    above: usize,
}

fn text() -> String {
    (0..LINES).map(|line| format!("line {line}\n")).collect()
}

fn name(file: usize) -> String {
    format!("src/f{file}.txt")
}

/// Returns each change of a diff: its file, and the text that it puts there.
fn changes(parts: &[Part]) -> Vec<(usize, usize, String)> {
    let of_part = |(at, part): (usize, &Part)| {
        let file = part.file;
        (0..part.hunks).map(move |hunk| (file, at * 4 + hunk * 2 + 1, format!("<{at}.{hunk}>")))
    };
    parts.iter().enumerate().flat_map(of_part).collect()
}

fn diff(parts: &[Part]) -> String {
    let mut diff = String::new();
    for (at, part) in parts.iter().enumerate() {
        let name = name(part.file);
        diff.push_str(
            ["", "\n", "\nAnd this:\n\n", "```\n", "```diff\n", "```\n\n```diff\n", "- a point\n"]
                [part.above],
        );
        diff.push_str(&match part.form {
            0 => format!("--- a/{name}\n+++ b/{name}\n"),
            1 => format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n"),
            2 => format!("*** Update File: {name}\n"),
            3 => String::new(),
            4 => format!("--- a/{name}\n+++ b/{name}\n\n"),
            5 => format!("--- a/{name}\n+++ b/{name}\n"),
            _ => format!(
                "diff --git a/{name} b/{name}\nindex 1111111..2222222 100644\n--- a/{name}\n+++ b/{name}\n"
            ),
        });
        for hunk in 0..part.hunks {
            let line = at * 4 + hunk * 2 + 1;
            let (old, new) = (format!("line {line}"), format!("<{at}.{hunk}>"));
            diff.push_str(&match part.form {
                2 => format!("@@\n-{old}\n+{new}\n"),
                3 => format!("{name}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"),
                4 | 5 => format!("-{old}\n+{new}\n"),
                _ => format!("@@ -{0} +{0} @@\n-{old}\n+{new}\n", line + 1),
            });
        }
    }
    diff
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let part = (0..3_usize, 0..7_usize, 1..3_usize, 0..7_usize);
    vec(part.prop_map(|(file, form, hunks, above)| Part { file, form, hunks, above }), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn every_change_is_in_the_text_or_its_file_is_named(parts in parts(), cut in prop::option::of(0..1000_usize)) {
        let mut diff = diff(&parts);
        if let Some(cut) = cut {
            diff.truncate(diff.len() * cut / 1000);
        }
        let stated: Vec<_> =
            changes(&parts).into_iter().filter(|(.., new)| diff.contains(new.as_str())).collect();
        if let Ok(applied) = apply_diff(&name(0), Some(&text()), &diff) {
            let after = applied.after.unwrap();
            for (file, _, new) in &stated {
                match file {
                    0 => prop_assert!(after.contains(new.as_str()), "{new} is lost: {diff}"),
                    file => prop_assert!(applied.others.contains(&name(*file)), "{new} is passed over: {diff}"),
                }
            }
        }
        if check_git(&diff).is_ok() {
            let files = git_files(&diff);
            for (file, _, new) in &stated {
                let has = |body: &GitBody<'_>| matches!(body, GitBody::Lines(lines) if lines.contains(new.as_str()));
                let mut holding = files.iter().filter(|part| has(&part.body)).peekable();
                prop_assert!(holding.peek().is_some(), "{new} is in no part of git's: {diff}");
                for part in holding.filter(|part| part.new.as_ref() != Some(&name(*file))) {
                    // Taken for lines of another file's hunk, it keeps that from being applied.
                    let GitBody::Lines(lines) = part.body else { continue };
                    prop_assert!(apply_to_named_file("x", Some(&text()), lines).is_err(), "{new} is another file's: {diff}");
                }
            }
        }
    }

    #[test]
    fn a_diff_of_whole_parts_for_one_file_is_applied(mut parts in parts(), form in 0..4_usize) {
        for part in &mut parts {
            (part.file, part.form, part.above) = (0, form, part.above % 2);
        }
        let diff = diff(&parts);
        let applied = apply_diff(&name(0), Some(&text()), &diff);
        let mut lines: Vec<String> = text().lines().map(str::to_owned).collect();
        changes(&parts).into_iter().for_each(|(_, line, new)| lines[line] = new);
        let wanted = lines.join("\n") + "\n";
        prop_assert_eq!(applied.map(|applied| applied.after), Ok(Some(wanted)), "{}", diff);
    }
}
