//! Hunks for a text that went another way, merged word by word where a person asks for it.

use crate::{MatchLevel, apply_to_named_file, merge_into_named_file};

/// The text after a diff is merged into it; none where it is refused, as it always is where nobody asks for a merge.
fn merged(before: &str, diff: &str) -> Option<String> {
    assert!(apply_to_named_file("f", Some(before), diff).is_err(), "it fits as it is: {diff}");
    let applied = merge_into_named_file("f", Some(before), diff).ok()?;
    assert!(applied.hunks.iter().any(|hunk| hunk.level == MatchLevel::Merged), "{:?}", applied.hunks);
    applied.after
}

fn hunk(lines: &str) -> String {
    format!("--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n{lines}")
}

const CALL: &str = "fn main() {\n    let port = listen(host, 80);\n    serve(port);\n}\n";

#[test]
fn a_change_of_words_is_merged_with_other_words_of_the_line() {
    let diff = hunk(
        " fn main() {\n-    let port = open(host, 80);\n+    let port = open(host, 8080);\n     serve(port);\n",
    );
    let after = CALL.replace("80)", "8080)");
    assert_eq!(merged(CALL, &diff), Some(after.clone()));
    let crlf = |text: &str| text.replace('\n', "\r\n");
    assert_eq!(merged(&crlf(CALL), &diff), Some(crlf(&after)));
    let open = |text: &str| text.trim_end().to_owned();
    assert_eq!(merged(&open(CALL), &diff), Some(open(&after)));
    let moved = format!("// First.\n{CALL}");
    assert_eq!(merged(&moved, &diff), Some(format!("// First.\n{after}")));
    // Half of it is there already.
    let two = hunk(
        " fn main() {\n-    let port = open(host, 80);\n+    let port = listen(host, 8080);\n     serve(port);\n",
    );
    assert_eq!(merged(CALL, &two), Some(after));
}

#[test]
fn a_change_of_the_same_words_is_a_conflict() {
    for lines in [
        " fn main() {\n-    let port = listen(host, 90);\n+    let port = listen(host, 8080);\n     serve(port);\n",
        // A line goes whole, or stays.
        " fn main() {\n-    let port = open(host, 80);\n     serve(port);\n",
        // Between these lines another one came.
        " fn main() {\n+    log();\n     serve(port);\n",
        // Added beside words that are others.
        " fn main() {\n-    let port = listen(80);\n+    let port = listen(name, 80);\n     serve(port);\n",
    ] {
        assert_eq!(merged(CALL, &hunk(lines)), None, "{lines}");
    }
}

#[test]
fn lines_that_are_partly_gone_go() {
    let before = "begin of the list\nsecond of four\nthird of four\nend of the list\n";
    let diff = hunk(
        " begin of the list\n-first of four\n-second of four\n-third of four\n-fourth of four\n end of the list\n",
    );
    assert_eq!(merged(before, &diff).as_deref(), Some("begin of the list\nend of the list\n"));
    let changed = before.replace("second of", "second, changed, of");
    assert_eq!(merged(&changed, &diff), None);
}

#[test]
fn a_place_that_is_not_sure_is_none() {
    let diff = "--- a/f\n+++ b/f\n@@\n fn main() {\n-    let port = open(host, 80);\n+    let port = open(host, 8080);\n     serve(port);\n";
    assert!(merged(CALL, diff).is_some());
    let filler: String = (0..20).map(|line| format!("let filler_{line} = {line};\n")).collect();
    assert_eq!(merged(&format!("{CALL}{filler}{CALL}"), diff), None);
    // Its header tells which.
    let third = diff.replace("@@", "@@ -25,3 +25,3 @@");
    let both = format!("{CALL}{filler}{CALL}");
    let after = format!("{CALL}{filler}{}", CALL.replace("80)", "8080)"));
    assert_eq!(merged(&both, &third), Some(after));
    // Other code with as many lines.
    let other = "struct Shelf {\n    boxes: Vec<Item>,\n    limit: usize,\n}\n";
    assert_eq!(merged(other, &hunk(" fn main() {\n-    a(b, 80);\n+    a(b, 90);\n }\n")), None);
    // Line ends of two kinds cannot be kept.
    assert_eq!(merged(&CALL.replacen('\n', "\r\n", 1), diff), None);
}

#[test]
fn hostile_sizes_end_in_a_refusal() {
    let same = "a b ".repeat(4_000);
    let diff = hunk(&format!("-{same}c\n+{same}d\n context\n"));
    let long = merge_into_named_file("f", Some(&format!("{same}e\ncontext\n")), &diff);
    let many: String = (0..30_000).map(|line| format!("line {line}\n")).collect();
    let strange = merge_into_named_file("f", Some(&many), &hunk("-nothing like it\n+other\n nowhere\n"));
    assert!(long.is_err() && strange.is_err());
    let braces = "}\n".repeat(20_000);
    let none =
        merge_into_named_file("f", Some(&braces), &hunk(&format!("-gone\n+new\n{}", " }\n".repeat(10_000))));
    let all: String = (0..3_000).map(|line| format!("line {line}\n")).collect();
    let every: String = (0..3_000).map(|line| format!(" line {line}\n")).collect();
    let whole = merge_into_named_file("f", Some(&all), &hunk(&format!("-gone\n+new\n{every}")));
    assert!(none.is_err() && whole.is_err());
}
