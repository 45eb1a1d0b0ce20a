//! The SEARCH/REPLACE form: blocks of the lines that stand in the file and of those to put in their place.

use std::borrow::Cow;

use super::super::cut::runs;
use super::super::hunk::{Hunk, Line, Section, Tag};
use super::{Parser, is_fence};

/// Whether a line opens a block.
pub(super) fn opens(line: &str) -> bool {
    marks(line, '<', &["SEARCH", "ORIGINAL"])
}

fn closes(line: &str) -> bool {
    marks(line, '>', &["REPLACE", "UPDATED"])
}

fn parts(line: &str) -> bool {
    marks(line, '=', &[""])
}

/// Whether a line is a row of one sign and then one of these words.
fn marks(line: &str, sign: char, words: &[&str]) -> bool {
    let rest = line.trim_start_matches(sign);
    (5..=9).contains(&(line.len() - rest.len())) && words.contains(&rest.trim())
}

impl<'a> Parser<'a> {
    /// Reads a block from its opening line on.
    pub(super) fn block(&mut self) {
        let name = self.name_above();
        self.at += 1;
        let start = self.at;
        let mut middles = Vec::new();
        let mut end = None;
        while let Some(line) = self.peek(0) {
            self.at += 1;
            if closes(line) {
                end = Some(self.at - 1);
                break;
            }
            if parts(line) {
                middles.push(self.at - 1);
            }
            if opens(line) {
                break;
            }
        }
        let same = |section: &Section| section.named && name.is_none() || section.new == name;
        if !self.diff.sections.last().is_some_and(same) {
            self.diff.sections.push(Section {
                old: name.clone(),
                new: name,
                named: true,
                ..Section::default()
            });
        }
        let (Some(end), [middle]) = (end, middles.as_slice()) else {
            // More than one row of `=`: which of them parts the block cannot be told.
            match end.is_some() && middles.len() > 1 {
                true => self.section().unsupported = Some("SEARCH/REPLACE block that holds a row of `=`"),
                false => self.section().truncated = true,
            }
            return;
        };
        let (old, new) = (&self.lines[start..*middle], &self.lines[*middle + 1..end]);
        let crlf = self.lines[start - 1].ends_with('\r');
        let hunk = Hunk { lines: difference(old, new), ..Hunk::default() };
        let nothing = old.iter().all(|line| line.trim().is_empty());
        let section = self.section();
        section.crlf |= crlf;
        section.creates |= nothing && section.hunks.is_empty();
        section.hunks.push(hunk);
    }

    /// The file that the line above a block names, beside code fences and blank lines.
    fn name_above(&self) -> Option<String> {
        let above = self.lines[..self.at].iter().rev().map(|line| line.trim());
        let mut above = above.filter(|line| !line.is_empty() && !is_fence(line));
        let line = above.next().filter(|line| !closes(line))?;
        let name = line.trim_matches(['#', '*', '`', ':', ' ']);
        let looks = !name.is_empty() && !name.contains(char::is_whitespace) && name.contains(['.', '/']);
        looks.then(|| name.to_owned())
    }
}

/// What leads from some lines to others, as the lines of a hunk.
fn difference<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let mut lines = Vec::with_capacity(old.len() + new.len());
    let mut push = |tag: Tag, from: &[&'a str]| {
        lines.extend(from.iter().map(|raw| Line {
            tag,
            raw: Cow::Borrowed(raw),
            whole: raw,
            unended: false,
        }));
    };
    let mut at = 0;
    for run in runs(old, new) {
        push(Tag::Keep, &old[at..run.old.0]);
        push(Tag::Remove, &old[run.old.0..run.old.1]);
        push(Tag::Add, &new[run.new.0..run.new.1]);
        at = run.old.1;
    }
    push(Tag::Keep, &old[at..]);
    lines
}
