//! The lines before and between hunks: file names, git's extended headers, the numbers of a hunk.

use super::super::hunk::{FileSection, HeaderRange};
use super::super::{git, names};
use super::DiffParser;

impl<'a> DiffParser<'a> {
    /// Reads a line outside of hunks, or skips it.
    pub(super) fn read_header(&mut self, line: &'a str) {
        if self.names_file(0) {
            self.read_names();
        } else {
            if self.diff.stray.is_none() && self.is_stray_hunk_line(line) {
                self.diff.stray = Some(line);
            }
            self.read_extended(line);
            self.at += 1;
        }
    }

    /// Returns whether a `---` and `+++` pair, or one of them before a hunk, is at an offset from here.
    pub(super) fn names_file(&self, offset: usize) -> bool {
        let next = self.peek(offset + 1).unwrap_or_default();
        match self.peek(offset).and_then(|line| line.get(..4)) {
            Some("--- ") => next.starts_with("+++ ") || next.starts_with("@@"),
            Some("+++ ") => next.starts_with("@@"),
            _ => false,
        }
    }

    fn read_names(&mut self) {
        let old = self.take_prefix("--- ");
        let new = self.take_prefix("+++ ");
        self.open_named_section(old, new);
    }

    /// Opens the section of a file by what its two lines of names state.
    pub(super) fn open_named_section(&mut self, old: Option<&str>, new: Option<&str>) {
        if self.diff.sections.last().is_none_or(|section| section.named || !section.hunks.is_empty()) {
            self.diff.sections.push(FileSection::default());
        }
        self.change_end = self.at;
        let section = self.current_section();
        section.named = true;
        let name = |rest: Option<&str>| rest.map(names::parse_header_name);
        let absent = |rest: Option<&str>| rest.is_some_and(names::states_absence);
        section.dated = (absent(old), absent(new));
        let (old, new) = (name(old), name(new));
        for name in [&old, &new].into_iter().flatten().flatten() {
            if let Some(known) = section.git_name()
                && !names::is_same_file(name, known)
            {
                section.fault.get_or_insert(git::other_name(name, known));
            }
        }
        section.creates |= old == Some(None);
        section.deletes |= new == Some(None);
        section.old = old.flatten();
        section.new = new.flatten();
    }

    pub(super) fn take_prefix(&mut self, prefix: &str) -> Option<&'a str> {
        let rest = self.peek(0)?.strip_prefix(prefix)?;
        self.at += 1;
        Some(rest)
    }

    fn read_extended(&mut self, line: &'a str) {
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let (old, new) = names::parse_git_names(rest).unzip();
            self.change_end = self.at + 1;
            self.diff.sections.push(FileSection { old, new, git: true, ..FileSection::default() });
            return;
        }
        if let Some((old, new)) = names::parse_binary_names(line)
            && self.diff.sections.last().is_none_or(|last| last.named || !last.hunks.is_empty())
        {
            // A file of its own: a diff of whole folders has no more about it.
            let unsupported = Some("binary patch");
            let (old, new, named) = (Some(old), Some(new), true);
            self.diff.sections.push(FileSection { old, new, named, unsupported, ..FileSection::default() });
            return;
        }
        self.diff.format = self.diff.format.or(other_format(line));
        let Some(section) = self.diff.sections.last_mut() else { return };
        if !section.hunks.is_empty() {
            return;
        }
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| line.starts_with(prefix));
        section.creates |= starts(&["new file mode "]);
        section.deletes |= starts(&["deleted file mode "]);
        section.mode |= starts(&["old mode ", "new mode "]);
        let unsupported = match () {
            () if starts(&["rename from ", "rename to "]) => Some("rename"),
            () if starts(&["copy from ", "copy to "]) => Some("copy"),
            () if starts(&["GIT binary patch", "Binary files "]) => Some("binary patch"),
            () => None,
        };
        section.unsupported = section.unsupported.or(unsupported);
        let moved = section.unsupported.filter(|what| ["rename", "copy"].contains(what));
        let made = if section.creates { "a new file" } else { "a removal" };
        let both = moved.filter(|_| section.creates || section.deletes);
        let both = both.map(|moved| git::contradicting_headers(&format!("{made} and a {moved}")));
        if let Some(fault) = names::mode_fault(line).or(both) {
            section.fault.get_or_insert(fault);
        }
        let before =
            line.strip_prefix("index ").and_then(|rest| rest.split_once("..")).map(|(before, _)| before);
        section.was_empty |= section.git && before.is_some_and(git::is_empty_blob);
    }
}

fn other_format(line: &str) -> Option<&'static str> {
    match () {
        () if line.starts_with("***************") => {
            Some("a context form whose two sides do not fit each other")
        }
        () if is_ed_command(line) => Some("the form of diff without -u"),
        () => None,
    }
}

/// Returns whether a line is `3c3`, `8a12,15` or similar, and no more.
fn is_ed_command(line: &str) -> bool {
    let range = |text: &str| {
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        text.split_once(',').map_or_else(|| is_number(text), |(a, b)| is_number(a) && is_number(b))
    };
    line.split_once(['a', 'c', 'd']).is_some_and(|(old, new)| range(old) && range(new))
}

/// The numbers and the heading of a hunk's header line.
pub(super) fn parse_hunk_header(line: &str) -> (Option<HeaderRange>, &str) {
    let rest = line.trim_start_matches('@');
    let (range, heading) = match rest.split_once("@@") {
        // Some models put the heading between the marks.
        Some((range, "")) if !range.trim_start().starts_with(['-', '.']) => ("", range),
        Some((range, heading)) => (range, heading),
        None if rest.trim_start().starts_with('-') => (rest, ""),
        None => ("", rest),
    };
    let mut parts = range.split_whitespace();
    let old = parts.next().and_then(|part| parse_range(part.strip_prefix('-')?));
    let new = parts.next().and_then(|part| parse_range(part.strip_prefix('+')?));
    let stated = old.map(|(old_start, old_len)| {
        let (new_start, new_len) = new.unwrap_or((old_start, old_len));
        HeaderRange { old_start, old_len, new_start, new_len }
    });
    (stated, heading.trim())
}

fn parse_range(text: &str) -> Option<(usize, usize)> {
    // No file has more lines, and sums of such numbers stay far from overflow.
    let number = |text: &str| text.parse::<u32>().ok().map(|number| number as usize);
    match text.split_once(',') {
        Some((start, len)) => Some((number(start)?, number(len)?)),
        None => Some((number(text)?, 1)),
    }
}
