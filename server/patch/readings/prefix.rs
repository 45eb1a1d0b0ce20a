//! Context lines that lost the space before them, so that the first space of their indentation was taken for it.

use std::borrow::Cow;

use super::super::hunk::{Hunk, Tag};
use super::super::index::Index;
use super::super::lines::without_return;

pub(super) fn undo<'d>(hunk: &Hunk<'d>, index: &Index) -> Option<Hunk<'d>> {
    if !hunk.prefixed {
        return None;
    }
    let mut other = hunk.clone();
    let (mut changed, mut lost, mut kept) = (false, 0, 0);
    for line in other.lines.iter_mut().filter(|line| line.tag == Tag::Keep) {
        let whole = without_return(line.whole);
        if whole.trim().is_empty() {
            continue;
        }
        match (index.has(line.text()), index.has(whole)) {
            (true, _) if line.raw == line.whole => lost += 1,
            (true, false) => kept += 1,
            (false, true) => {
                line.raw = Cow::Borrowed(line.whole);
                (changed, lost) = (true, lost + 1);
            }
            _ => {}
        }
    }
    // Where all that can be told lost it, so did the rest.
    if lost > 0 && kept == 0 {
        for line in other.lines.iter_mut().filter(|line| line.tag == Tag::Keep && line.raw != line.whole) {
            if line.whole.starts_with(' ') && !line.raw.trim().is_empty() {
                line.raw = Cow::Borrowed(line.whole);
                changed = true;
            }
        }
    }
    // A list of `-` or `+` reads as a change where its context lost the prefix too.
    if lost > 0 && kept == 0 {
        for line in other.lines.iter_mut().filter(|line| line.tag != Tag::Keep && !line.unended) {
            let whole = without_return(line.whole);
            let item = whole.get(1..2) == Some(" ") && whole.len() > 2;
            if item && index.has(whole) && !(line.tag == Tag::Remove && index.has(line.text())) {
                (line.tag, line.raw) = (Tag::Keep, Cow::Borrowed(line.whole));
                changed = true;
            }
        }
    }
    changed.then_some(other)
}
