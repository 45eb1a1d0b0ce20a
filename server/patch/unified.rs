//! A change printed as git prints it.

use super::cut::{Run, runs};
use super::lines::split;
use super::names::show;

/// How many lines that stay are printed around a change.
const CONTEXT: usize = 3;

/// A unified diff from one text to another, with git's headers; empty where they are equal. None stands for a file
/// that does not exist. [`apply`](super::apply) of it to the first text gives the second.
pub fn unified(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let (a, b) = (show("a/", path), show("b/", path));
    let mut diff = format!("diff --git {} {}\n", a.trim_end_matches('\t'), b.trim_end_matches('\t'));
    match (before, after) {
        (None, _) => diff.push_str("new file mode 100644\n"),
        (_, None) => diff.push_str("deleted file mode 100644\n"),
        _ => {}
    }
    let hunks = hunks(before.unwrap_or_default(), after.unwrap_or_default());
    if !hunks.is_empty() {
        let name = |text: Option<&str>, name: String| text.map_or("/dev/null".to_owned(), |_| name);
        diff.push_str(&format!("--- {}\n+++ {}\n{hunks}", name(before, a), name(after, b)));
    }
    diff
}

/// The hunks from one text to another.
pub(crate) fn hunks(before: &str, after: &str) -> String {
    let (old, new) = (split(before), split(after));
    let mut diff = String::new();
    let runs = runs(&old, &new);
    for group in runs.chunk_by(|first, next| next.old.0 - first.old.1 <= 2 * CONTEXT) {
        print(&mut diff, group, &old, &new);
    }
    diff
}

fn print(diff: &mut String, group: &[Run], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let lead = first.old.0.min(CONTEXT);
    let trail = (old.len() - last.old.1).min(CONTEXT);
    let (old_start, new_start) = (first.old.0 - lead, first.new.0 - lead);
    let (old_len, new_len) = (last.old.1 + trail - old_start, last.new.1 + trail - new_start);
    diff.push_str(&format!("@@ -{} +{} @@\n", range(old_start, old_len), range(new_start, new_len)));
    let mut at = old_start;
    for run in group {
        lines(diff, ' ', &old[at..run.old.0]);
        lines(diff, '-', &old[run.old.0..run.old.1]);
        lines(diff, '+', &new[run.new.0..run.new.1]);
        at = run.old.1;
    }
    lines(diff, ' ', &old[at..at + trail]);
}

fn range(start: usize, len: usize) -> String {
    match len {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        len => format!("{},{len}", start + 1),
    }
}

fn lines(diff: &mut String, prefix: char, lines: &[&str]) {
    for line in lines {
        diff.push(prefix);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
}
