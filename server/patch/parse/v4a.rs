//! The form between `*** Begin Patch` and `*** End Patch`: a line with stars names each file.

use super::super::hunk::{Hunk, Section};
use super::Parser;

const UPDATE: &str = "*** Update File:";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";

/// Whether a line names a file to change or to make.
pub(super) fn changes_a_file(line: &str) -> bool {
    line.starts_with(UPDATE) || line.starts_with(ADD)
}

/// Whether a line belongs to the form.
pub(super) fn is_star_line(line: &str) -> bool {
    const OTHERS: [&str; 4] = ["*** Begin Patch", "*** End Patch", "*** End of File", "*** Move to:"];
    changes_a_file(line) || line.starts_with(DELETE) || OTHERS.iter().any(|other| line.starts_with(other))
}

impl<'a> Parser<'a> {
    /// Reads a line with stars; false where it is none.
    pub(super) fn star_line(&mut self, line: &'a str) -> bool {
        if !is_star_line(line) {
            return false;
        }
        let name = |prefix: &str| line.strip_prefix(prefix).map(|rest| rest.trim().to_owned());
        if let Some(path) = name(UPDATE) {
            self.open(Section { old: Some(path.clone()), new: Some(path), ..Section::default() });
        } else if let Some(path) = name(ADD) {
            self.open(Section { new: Some(path), creates: true, ..Section::default() });
        } else if let Some(path) = name(DELETE) {
            self.open(Section { old: Some(path), deletes: true, deletes_all: true, ..Section::default() });
        } else if line.starts_with("*** Move to:") {
            self.section().unsupported = Some("rename");
        } else if line.starts_with("*** End of File") {
            let last: Option<&mut Hunk> = self.section().hunks.last_mut();
            last.into_iter().for_each(|hunk| hunk.at_end = true);
        } else {
            self.starred = line.starts_with("*** Begin Patch");
        }
        true
    }

    fn open(&mut self, section: Section<'a>) {
        self.diff.sections.push(Section { named: true, ..section });
    }
}
