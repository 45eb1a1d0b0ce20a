//! The SEARCH/REPLACE form: blocks of the lines in the file and of their replacement.

use std::borrow::Cow;
use std::ops::Range;

use super::super::cut::diff_runs;
use super::super::hunk::{DiffHunk, DiffLine, FileSection, LineTag};
use super::super::names::name_fit;
use super::block_name::{BlockName, KnownNames, find_block_name};
use super::{DiffParser, UnsureName, is_fence};

/// The reason why a block is not read whose separator may be one of several rows.
pub(in super::super) const ROW_IN_BLOCK: &str = "SEARCH/REPLACE block that holds a row of `=`";

/// The number of parts of a diff whose names the text above a block may shorten.
const KNOWN: usize = 64;

/// Returns whether a line opens a block.
pub(super) fn opens_block(line: &str) -> bool {
    is_sign_row(line, '<', &["SEARCH", "ORIGINAL"]) || is_sign_row(line, '-', &["SEARCH"])
}

pub(super) fn closes_block(line: &str) -> bool {
    is_sign_row(line, '>', &["REPLACE", "UPDATED"]) || is_sign_row(line, '+', &["REPLACE"])
}

fn parts_block(line: &str) -> bool {
    is_sign_row(line, '=', &[""])
}

/// Returns whether a line is a fence with nothing behind it, which closes one.
fn is_bare_fence(line: &str) -> bool {
    is_fence(line) && line.trim_matches(['`', '~']).is_empty()
}

/// Returns whether a text has a line that may separate the halves of a block.
pub(in super::super) fn has_middle_row(text: &str) -> bool {
    text.lines().any(parts_block)
}

/// Returns whether a line is a row of one sign and then one of these words.
fn is_sign_row(line: &str, sign: char, words: &[&str]) -> bool {
    let rest = line.trim_start_matches(sign);
    (5..=9).contains(&(line.len() - rest.len())) && words.contains(&rest.trim())
}

impl<'a> DiffParser<'a> {
    /// Reads a block from its opening line on.
    pub(super) fn read_block(&mut self) {
        let name = self.name_block();
        self.at += 1;
        let start = self.at;
        let mut middles = Vec::new();
        let mut end = None;
        while let Some(line) = self.peek(0) {
            self.at += 1;
            if closes_block(line) {
                end = Some(self.at - 1);
                break;
            }
            if parts_block(line) {
                middles.push(self.at - 1);
            }
            if opens_block(line) {
                break;
            }
        }
        self.change_end = self.at;
        let same = |section: &FileSection| section.named && name.is_none() || section.new == name;
        if !self.diff.sections.last().is_some_and(same) {
            self.diff.sections.push(FileSection {
                old: name.clone(),
                new: name,
                named: true,
                ..FileSection::default()
            });
        }
        let (end, middle) = match (end, middles.as_slice()) {
            (Some(end), [middle]) => (end, *middle),
            // A second row of `=` closes the block, before the closing row or in its place.
            (Some(end), [middle, last]) if self.is_blank(last + 1..end) => {
                self.current_section().double_row = true;
                (*last, *middle)
            }
            (None, [middle, last])
                if self.lines[*middle].trim() == self.lines[*last].trim() && self.is_block_end(last + 1) =>
            {
                (self.at, self.change_end) = (last + 1, last + 1);
                self.current_section().double_row = true;
                (*last, *middle)
            }
            // With more than one row of `=`, the separator of the block is ambiguous.
            (Some(_), [_, _, ..]) => {
                self.current_section().unsupported = Some(ROW_IN_BLOCK);
                return;
            }
            _ => {
                self.current_section().truncated = true;
                return;
            }
        };
        let (old, new) = (&self.lines[start..middle], &self.lines[middle + 1..end]);
        let crlf = self.lines[start - 1].ends_with('\r');
        let hunk = DiffHunk { lines: diff_lines(old, new), ..DiffHunk::default() };
        let nothing = old.iter().all(|line| line.trim().is_empty());
        let section = self.current_section();
        section.crlf |= crlf;
        section.creates |= nothing && section.hunks.is_empty();
        section.hunks.push(hunk);
    }

    fn is_blank(&self, range: Range<usize>) -> bool {
        self.lines.get(range).is_some_and(|lines| lines.iter().all(|line| line.trim().is_empty()))
    }

    /// Returns whether the fence around a block, its tag or the text ends at a line, or after blank ones.
    fn is_block_end(&self, at: usize) -> bool {
        let mut below = self.lines.get(at..).unwrap_or_default().iter().map(|line| line.trim());
        match below.find(|line| !line.is_empty()) {
            Some(line) => self.fenced && is_bare_fence(line) || line.starts_with("</"),
            None => true,
        }
    }

    /// The file that the lines above a block name; none for the file of the block before.
    fn name_block(&mut self) -> Option<String> {
        let sections = &self.diff.sections;
        let (first, last) = (sections.is_empty(), sections.last().and_then(|section| section.names().next()));
        let mut names: Vec<&str> = sections.iter().rev().take(KNOWN).flat_map(FileSection::names).collect();
        names.extend(Some(self.path).filter(|path| !path.is_empty()));
        let known = KnownNames { names, last, is_first: first };
        let above = self.lines.get(self.change_end..self.at).unwrap_or_default();
        match find_block_name(above, &known) {
            BlockName::Absent => None,
            // A block above that names no file is for the path.
            BlockName::Named(name) if !first && last.is_none() && name_fit(&name, self.path) == 2 => None,
            BlockName::Named(name) => Some(name),
            BlockName::Unsure(line) => {
                self.diff.unsure.get_or_insert(UnsureName { line: line.trim(), is_first: first });
                None
            }
        }
    }
}

/// The difference between two lists of lines, as the lines of a hunk.
fn diff_lines<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<DiffLine<'a>> {
    let mut lines = Vec::with_capacity(old.len() + new.len());
    let mut push = |tag: LineTag, from: &[&'a str]| {
        lines.extend(from.iter().map(|raw| DiffLine {
            tag,
            raw: Cow::Borrowed(raw),
            whole: raw,
            unended: false,
        }));
    };
    let mut at = 0;
    for run in diff_runs(old, new) {
        push(LineTag::Keep, &old[at..run.old.0]);
        push(LineTag::Remove, &old[run.old.0..run.old.1]);
        push(LineTag::Add, &new[run.new.0..run.new.1]);
        at = run.old.1;
    }
    push(LineTag::Keep, &old[at..]);
    lines
}
