//! A change printed as git prints it.

use super::cut::{DiffRun, diff_runs};
use super::lines::split_lines;
use super::names::show_path;

/// The number of unchanged lines that are printed around a change.
const CONTEXT: usize = 3;

/// A unified diff from one text to another, with git's headers; empty if they are equal. `None` is a file that does
/// not exist. [`apply_diff`](super::apply_diff) of it to the first text gives the second.
pub fn unified_diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    if before == after {
        return String::new();
    }
    let (a, b) = (show_path("a/", path), show_path("b/", path));
    let mut diff = format!("diff --git {} {}\n", a.trim_end_matches('\t'), b.trim_end_matches('\t'));
    match (before, after) {
        (None, _) => diff.push_str("new file mode 100644\n"),
        (_, None) => diff.push_str("deleted file mode 100644\n"),
        _ => {}
    }
    let hunks = unified_hunks(before.unwrap_or_default(), after.unwrap_or_default());
    if !hunks.is_empty() {
        let name = |text: Option<&str>, name: String| text.map_or("/dev/null".to_owned(), |_| name);
        diff.push_str(&format!("--- {}\n+++ {}\n{hunks}", name(before, a), name(after, b)));
    }
    diff
}

/// The hunks from one text to another.
pub(crate) fn unified_hunks(before: &str, after: &str) -> String {
    let (old, new) = (split_lines(before), split_lines(after));
    let mut diff = String::new();
    let runs = diff_runs(&old, &new);
    for group in runs.chunk_by(|first, next| next.old.0 - first.old.1 <= 2 * CONTEXT) {
        print_group(&mut diff, group, &old, &new);
    }
    diff
}

fn print_group(diff: &mut String, group: &[DiffRun], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let lead = first.old.0.min(CONTEXT);
    let trail = (old.len() - last.old.1).min(CONTEXT);
    let (old_start, new_start) = (first.old.0 - lead, first.new.0 - lead);
    let (old_len, new_len) = (last.old.1 + trail - old_start, last.new.1 + trail - new_start);
    diff.push_str(&format!(
        "@@ -{} +{} @@\n",
        format_range(old_start, old_len),
        format_range(new_start, new_len)
    ));
    let mut at = old_start;
    for run in group {
        push_lines(diff, ' ', &old[at..run.old.0]);
        push_lines(diff, '-', &old[run.old.0..run.old.1]);
        push_lines(diff, '+', &new[run.new.0..run.new.1]);
        at = run.old.1;
    }
    push_lines(diff, ' ', &old[at..at + trail]);
}

fn format_range(start: usize, len: usize) -> String {
    match len {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        len => format!("{},{len}", start + 1),
    }
}

fn push_lines(diff: &mut String, prefix: char, lines: &[&str]) {
    for line in lines {
        diff.push(prefix);
        diff.push_str(line);
        if !line.ends_with('\n') {
            diff.push_str("\n\\ No newline at end of file\n");
        }
    }
}
