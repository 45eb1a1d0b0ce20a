//! The form between `*** Begin Patch` and `*** End Patch`: a line with stars names each file.

use super::super::hunk::{DiffHunk, FileSection};
use super::DiffParser;

const UPDATE: &str = "*** Update File:";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";

/// Returns whether a line names a file to change or to make.
pub(super) fn changes_a_file(line: &str) -> bool {
    line.starts_with(UPDATE) || line.starts_with(ADD)
}

/// Returns whether a line belongs to the form.
pub(super) fn is_star_line(line: &str) -> bool {
    const OTHERS: [&str; 4] = ["*** Begin Patch", "*** End Patch", "*** End of File", "*** Move to:"];
    changes_a_file(line) || line.starts_with(DELETE) || OTHERS.iter().any(|other| line.starts_with(other))
}

impl<'a> DiffParser<'a> {
    /// Reads a line with stars; false if it is none.
    pub(super) fn star_line(&mut self, line: &'a str) -> bool {
        if !is_star_line(line) {
            return false;
        }
        let name = |prefix: &str| line.strip_prefix(prefix).map(|rest| rest.trim().to_owned());
        if let Some(path) = name(UPDATE) {
            self.open_section(FileSection {
                old: Some(path.clone()),
                new: Some(path),
                ..FileSection::default()
            });
        } else if let Some(path) = name(ADD) {
            self.open_section(FileSection { new: Some(path), creates: true, ..FileSection::default() });
        } else if let Some(path) = name(DELETE) {
            self.open_section(FileSection {
                old: Some(path),
                deletes: true,
                deletes_all: true,
                ..FileSection::default()
            });
        } else if line.starts_with("*** Move to:") {
            self.current_section().unsupported = Some("rename");
        } else if line.starts_with("*** End of File") {
            let last: Option<&mut DiffHunk> = self.current_section().hunks.last_mut();
            last.into_iter().for_each(|hunk| hunk.at_end = true);
        } else {
            self.starred = line.starts_with("*** Begin Patch");
        }
        true
    }

    fn open_section(&mut self, section: FileSection<'a>) {
        self.change_end = self.at + 1;
        self.diff.sections.push(FileSection { named: true, starred: true, ..section });
    }
}
