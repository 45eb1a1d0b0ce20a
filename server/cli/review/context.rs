//! The lines around a hunk, as its file holds them now.

use std::fs;
use std::path::Path;

use crate::cli::show::HunkContext;
use crate::protocol::{Hunk, HunkState, ProposedFile};

/// Lines shown before a hunk and behind it, as `git diff` has them.
const LINES: usize = 3;

/// Lines read above those, to find the syntactic state at the first line.
const LEAD: usize = 200;

/// Bytes of the largest file that is looked at for lines around a hunk.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The lines around a hunk; none if the file on the disk does not match the hunk, as with unsaved text in an editor.
pub(super) fn lines_around_hunk(root: &str, file: &ProposedFile, hunk: &Hunk) -> HunkContext {
    let path = Path::new(root).join(file.path.as_str());
    // A pipe in the place of the file would be read for ever.
    let is_read = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= LARGEST);
    let text = (is_read && file.kind.has_text()).then(|| fs::read_to_string(&path).ok()).flatten();
    text.map(|text| split_around(&text, hunk)).unwrap_or_default()
}

fn split_around(text: &str, hunk: &Hunk) -> HunkContext {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let there = if hunk.state == HunkState::Accepted { &hunk.new } else { &hunk.old };
    let start = usize::try_from(hunk.start).unwrap_or(usize::MAX);
    let end = start.saturating_add(there.len());
    if lines.get(start..end).is_none_or(|found| found.iter().ne(there.iter())) {
        return HunkContext::default();
    }
    let some = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
    HunkContext {
        lead: some(&lines[start.saturating_sub(LEAD)..start.saturating_sub(LINES)]),
        before: some(&lines[start.saturating_sub(LINES)..start]),
        behind: some(&lines[end..lines.len().min(end + LINES)]),
    }
}

#[cfg(test)]
mod tests {
    use super::split_around;
    use crate::protocol::Hunk;

    fn hunk(start: u32, old: &[&str]) -> Hunk {
        let old: Vec<String> = old.iter().map(|line| format!("{line}\n")).collect();
        serde_json::from_value(serde_json::json!({ "id": "h1", "start": start, "old": old, "new": ["x\n"] }))
            .unwrap()
    }

    #[test]
    fn three_lines_on_either_side_where_the_text_is_the_hunks() {
        let text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let found = split_around(text, &hunk(4, &["5"]));
        assert_eq!(
            (found.before.concat(), found.behind.concat()),
            ("2\n3\n4\n".to_owned(), "6\n7\n8\n".to_owned())
        );
        let found = split_around(text, &hunk(0, &[]));
        assert_eq!((found.before.concat(), found.behind.concat()), (String::new(), "1\n2\n3\n".to_owned()));
        let found = split_around(text, &hunk(9, &[]));
        assert_eq!((found.before.concat(), found.behind.concat()), ("7\n8\n9\n".to_owned(), String::new()));
        for other in [hunk(4, &["five"]), hunk(20, &["5"]), hunk(u32::MAX, &[])] {
            let found = split_around(text, &other);
            assert!(found.before.is_empty() && found.behind.is_empty(), "{other:?}");
        }
    }
}
