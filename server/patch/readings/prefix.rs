//! Context lines that lost the space before them, so that the first space of their indentation was taken for it.

use std::borrow::Cow;

use super::super::hunk::{DiffHunk, LineTag};
use super::super::index::LineIndex;
use super::super::lines::without_return;

pub(super) fn undo_prefix_loss<'d>(hunk: &DiffHunk<'d>, index: &LineIndex) -> Option<DiffHunk<'d>> {
    if !hunk.prefixed {
        return None;
    }
    let mut other = hunk.clone();
    let (mut changed, mut lost, mut kept) = (false, 0, 0);
    for line in other.lines.iter_mut().filter(|line| line.tag == LineTag::Keep) {
        let whole = without_return(line.whole);
        if whole.trim().is_empty() {
            continue;
        }
        match (index.has_line(line.text()), index.has_line(whole)) {
            (true, _) if line.raw == line.whole => lost += 1,
            (true, false) => kept += 1,
            (false, true) => {
                line.raw = Cow::Borrowed(line.whole);
                (changed, lost) = (true, lost + 1);
            }
            _ => {}
        }
    }
    if by_chance(hunk, lost) {
        return None;
    }
    // If all testable lines lost it, so did the rest.
    if lost > 0 && kept == 0 {
        for line in other.lines.iter_mut().filter(|line| line.tag == LineTag::Keep && line.raw != line.whole)
        {
            if line.whole.starts_with(' ') && !line.raw.trim().is_empty() {
                line.raw = Cow::Borrowed(line.whole);
                changed = true;
            }
        }
    }
    // A list of `-` or `+` reads as a change if its context lost the prefix too.
    if lost > 0 && kept == 0 {
        for line in other.lines.iter_mut().filter(|line| line.tag != LineTag::Keep && !line.unended) {
            let whole = without_return(line.whole);
            let item = whole.get(1..2) == Some(" ") && whole.len() > 2;
            if item && index.has_line(whole) && !(line.tag == LineTag::Remove && index.has_line(line.text()))
            {
                (line.tag, line.raw) = (LineTag::Keep, Cow::Borrowed(line.whole));
                changed = true;
            }
        }
    }
    changed.then_some(other)
}

/// Returns whether the few lines that match the file with the space that is their prefix do so by chance: no line
/// lacks one, most of them match nowhere, and the added lines are as deep as the context without that space.
fn by_chance(hunk: &DiffHunk, lost: usize) -> bool {
    let space = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let kept =
        || hunk.lines.iter().filter(|line| line.tag == LineTag::Keep && !line.text().trim().is_empty());
    let bare = kept().any(|line| line.raw == line.whole);
    let mut added =
        hunk.lines.iter().filter(|line| line.tag == LineTag::Add && !line.text().trim().is_empty());
    let as_deep = |depth: usize, prefix: usize| kept().any(|line| space(line.text()) + prefix == depth);
    !bare
        && 2 * lost < kept().count()
        && added.any(|line| as_deep(space(line.text()), 0) && !as_deep(space(line.text()), 1))
}
