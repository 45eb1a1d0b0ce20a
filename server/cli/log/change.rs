//! A proposed change for people: its extent, and the first lines of its diff.

use serde_json::Value;

use super::lines::LogRow;
use crate::base::numbers::format_count;
use crate::cli::print::TextLook;
use crate::journal::JournalEntry;

/// Lines of a change that are shown.
const LINES: usize = 16;

/// The extent of a proposal, in words: `2 hunks in src/a.rs`.
pub(super) fn change_extent(entry: &JournalEntry) -> String {
    let hunks = entry.body.get("hunks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut paths: Vec<&str> = hunks.iter().filter_map(|hunk| hunk.get("path")?.as_str()).collect();
    paths.dedup();
    let count = format_count(hunks.len(), "hunk");
    match paths.as_slice() {
        [] => count,
        [path] => format!("{count} in {path}"),
        paths => format!("{count} in {} files", paths.len()),
    }
}

/// The rows of a proposal's diff: its first lines, or all of it. For several files, each file's name comes first.
pub(super) fn diff_rows(entry: &JournalEntry, whole: bool) -> Vec<LogRow> {
    let files: Vec<(&String, &str)> = match entry.body.get("files") {
        Some(Value::Object(files)) => files.iter().map(|(path, diff)| (path, diff_text(diff))).collect(),
        _ => Vec::new(),
    };
    let many = files.len() > 1;
    let mut rows = Vec::new();
    for (path, diff) in files {
        if many {
            rows.push(LogRow::of(TextLook::Bold, path.as_str()));
        }
        // A change without lines, such as a rename, has only a header.
        let header = diff.lines().take_while(|line| !line.starts_with("@@")).count();
        let all = diff.lines().count();
        rows.extend(diff.lines().skip(if header < all { header } else { 0 }).map(diff_row));
    }
    let left = rows.len().saturating_sub(LINES);
    if !whole && left > 1 {
        rows.truncate(LINES);
        rows.push(LogRow::of(TextLook::Dim, format!("… {left} more lines: `wherefore log --full`")));
    }
    rows
}

/// The text of a diff, or the beginning of a diff that is stored outside of the log.
fn diff_text(diff: &Value) -> &str {
    diff.as_str().or_else(|| diff.get("head")?.as_str()).unwrap_or_default()
}

fn diff_row(line: &str) -> LogRow {
    let look = match line.as_bytes().first() {
        Some(b'+') => Some(TextLook::Green),
        Some(b'-') => Some(TextLook::Red),
        Some(b'@') => Some(TextLook::Cyan),
        Some(b'\\') => Some(TextLook::Dim),
        _ => None,
    };
    LogRow::verbatim(look, line)
}
