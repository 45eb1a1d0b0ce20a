//! A proposed change for people: what it changes, and the first lines of its diff.

use serde_json::Value;

use super::lines::LogRow;
use crate::base::numbers::counted;
use crate::cli::print::TextLook;
use crate::journal::Entry;

/// Lines of a change that are shown.
const LINES: usize = 16;

/// What a proposal changes, in words: `2 hunks in src/a.rs`.
pub(super) fn extent(entry: &Entry) -> String {
    let hunks = entry.body.get("hunks").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut paths: Vec<&str> = hunks.iter().filter_map(|hunk| hunk.get("path")?.as_str()).collect();
    paths.dedup();
    let count = counted(hunks.len(), "hunk");
    match paths.as_slice() {
        [] => count,
        [path] => format!("{count} in {path}"),
        paths => format!("{count} in {} files", paths.len()),
    }
}

/// The diff of a proposal, its first lines or the whole. Where it changes several files, each one's name stands above.
pub(super) fn rows(entry: &Entry, whole: bool) -> Vec<LogRow> {
    let files: Vec<(&String, &str)> = match entry.body.get("files") {
        Some(Value::Object(files)) => files.iter().map(|(path, diff)| (path, text(diff))).collect(),
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
        rows.extend(diff.lines().skip(if header < all { header } else { 0 }).map(row));
    }
    let left = rows.len().saturating_sub(LINES);
    if !whole && left > 1 {
        rows.truncate(LINES);
        rows.push(LogRow::of(TextLook::Dim, format!("… {left} more lines: `wherefore log --full`")));
    }
    rows
}

/// A diff, or the beginning of one that is stored beside the log.
fn text(diff: &Value) -> &str {
    diff.as_str().or_else(|| diff.get("head")?.as_str()).unwrap_or_default()
}

fn row(line: &str) -> LogRow {
    let look = match line.as_bytes().first() {
        Some(b'+') => Some(TextLook::Green),
        Some(b'-') => Some(TextLook::Red),
        Some(b'@') => Some(TextLook::Cyan),
        Some(b'\\') => Some(TextLook::Dim),
        _ => None,
    };
    LogRow::verbatim(look, line)
}
