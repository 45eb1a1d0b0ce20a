//! `--` and `++` where `-` and `+` were meant.

use super::super::hunk::{Hunk, Line, Tag};
use super::super::index::Index;
use super::super::text::Text;
use super::Reading;

/// Undoes it where only changed lines have it.
pub(super) fn undo<'d>(hunk: &Hunk<'d>, _: &Index) -> Option<Hunk<'d>> {
    strip(hunk, false)
}

/// Undoes it where context lines have it too.
pub(super) fn undo_all<'d>(hunk: &Hunk<'d>, _: &Index) -> Option<Hunk<'d>> {
    strip(hunk, true)
}

fn strip<'d>(hunk: &Hunk<'d>, context: bool) -> Option<Hunk<'d>> {
    let sign = |line: &Line| match line.tag {
        Tag::Keep => ' ',
        Tag::Remove => '-',
        Tag::Add => '+',
    };
    let concerned = |line: &Line| line.tag != Tag::Keep || context && !line.raw.trim().is_empty();
    let doubled = |line: &Line| !concerned(line) || line.raw.starts_with(sign(line));
    if !hunk.prefixed || !hunk.lines.iter().all(doubled) {
        return None;
    }
    super::each(hunk, |line| {
        concerned(line).then(|| line.raw.strip_prefix(sign(line)).map(str::to_owned)).flatten()
    })
}

/// Whether all changed lines of a hunk have a second sign.
pub(in super::super) fn suspect(hunk: &Hunk) -> bool {
    let sign = |line: &Line| if line.tag == Tag::Add { '+' } else { '-' };
    let changed = || hunk.lines.iter().filter(|line| line.tag != Tag::Keep);
    hunk.prefixed && hunk.changes() && changed().all(|line| line.raw.starts_with(sign(line)))
}

/// Undoes it where hunks only add lines, so that no line of the file can verify it: every one of them begins with a
/// second sign, none of the file's lines does, and what follows is indented as code is or begins as a line beside it.
pub(super) fn unverified(hunks: &mut [Hunk], undone: &mut [Vec<Reading>], text: &Text) {
    let added = || hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag != Tag::Keep);
    let indented = |line: &Line| ["+  ", "+\t"].iter().any(|start| line.raw.starts_with(start));
    let alike = |hunk: &Hunk| {
        let starts =
            |line: &Line, kept: &Line| line.raw.get(1..4).is_some_and(|start| kept.raw.starts_with(start));
        let kept = || hunk.lines.iter().filter(|line| line.tag == Tag::Keep);
        hunk.lines.iter().any(|line| line.tag == Tag::Add && kept().any(|kept| starts(line, kept)))
    };
    let all =
        hunks.iter().all(|hunk| !hunk.changes() || suspect(hunk)) && added().all(|line| line.tag == Tag::Add);
    let plain = || !text.lines.iter().any(|line| line.starts_with('+'));
    if !all || undone.iter().any(|undone| !undone.is_empty()) || !plain() {
        return;
    }
    if !added().any(indented) && !hunks.iter().any(alike) {
        return;
    }
    for (hunk, undone) in hunks.iter_mut().zip(undone) {
        if let Some(other) = strip(hunk, false) {
            *hunk = other;
            undone.push(Reading::DoubledPrefix);
        }
    }
}
