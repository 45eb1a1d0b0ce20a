//! `--` and `++` in place of `-` and `+`.

use super::super::hunk::{DiffHunk, DiffLine, LineTag};
use super::super::index::LineIndex;
use super::super::text::IndexedText;
use super::HunkReading;

/// Removes the second sign if only changed lines have it.
pub(super) fn undo_doubling<'d>(hunk: &DiffHunk<'d>, _: &LineIndex) -> Option<DiffHunk<'d>> {
    strip_signs(hunk, false)
}

/// Removes the second sign if context lines have it too.
pub(super) fn undo_all<'d>(hunk: &DiffHunk<'d>, _: &LineIndex) -> Option<DiffHunk<'d>> {
    strip_signs(hunk, true)
}

fn strip_signs<'d>(hunk: &DiffHunk<'d>, context: bool) -> Option<DiffHunk<'d>> {
    let sign = |line: &DiffLine| match line.tag {
        LineTag::Keep => ' ',
        LineTag::Remove => '-',
        LineTag::Add => '+',
    };
    let concerned = |line: &DiffLine| line.tag != LineTag::Keep || context && !line.raw.trim().is_empty();
    let doubled = |line: &DiffLine| !concerned(line) || line.raw.starts_with(sign(line));
    if !hunk.prefixed || !hunk.lines.iter().all(doubled) {
        return None;
    }
    super::change_lines(hunk, |line| {
        concerned(line).then(|| line.raw.strip_prefix(sign(line)).map(str::to_owned)).flatten()
    })
}

/// Returns whether all changed lines of a hunk have a second sign.
pub(in super::super) fn is_suspect(hunk: &DiffHunk) -> bool {
    let sign = |line: &DiffLine| if line.tag == LineTag::Add { '+' } else { '-' };
    let changed = || hunk.lines.iter().filter(|line| line.tag != LineTag::Keep);
    hunk.prefixed && hunk.has_change() && changed().all(|line| line.raw.starts_with(sign(line)))
}

/// Removes the second sign if hunks only add lines, so that no line of the file can verify it: every one of them
/// begins with a second sign, none of the file's lines does, and the rest is indented like code or begins like an
/// adjacent line.
pub(super) fn undo_unverified(hunks: &mut [DiffHunk], undone: &mut [Vec<HunkReading>], text: &IndexedText) {
    let added = || hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.tag != LineTag::Keep);
    let indented = |line: &DiffLine| ["+  ", "+\t"].iter().any(|start| line.raw.starts_with(start));
    let alike = |hunk: &DiffHunk| {
        let starts = |line: &DiffLine, kept: &DiffLine| {
            line.raw.get(1..4).is_some_and(|start| kept.raw.starts_with(start))
        };
        let kept = || hunk.lines.iter().filter(|line| line.tag == LineTag::Keep);
        hunk.lines.iter().any(|line| line.tag == LineTag::Add && kept().any(|kept| starts(line, kept)))
    };
    let all = hunks.iter().all(|hunk| !hunk.has_change() || is_suspect(hunk))
        && added().all(|line| line.tag == LineTag::Add);
    let plain = || !text.lines.iter().any(|line| line.starts_with('+'));
    if !all || undone.iter().any(|undone| !undone.is_empty()) || !plain() {
        return;
    }
    if !added().any(indented) && !hunks.iter().any(alike) {
        return;
    }
    for (hunk, undone) in hunks.iter_mut().zip(undone) {
        if let Some(other) = strip_signs(hunk, false) {
            *hunk = other;
            undone.push(HunkReading::DoubledPrefix);
        }
    }
}
