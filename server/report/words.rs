//! The words that differ between a line that goes and the one that comes in its place.

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Characters of a line whose words are compared.
const LONGEST: usize = 600;
/// The least similarity of two lines: of others every word differs, and marks would mean nothing.
const ALIKE: f32 = 0.4;

/// Pieces of a line, each with whether it differs.
pub(super) type MarkedPieces<'a> = Vec<(bool, &'a str)>;

/// Both lines in pieces; nothing where they have little in common.
pub(super) fn marked_lines<'a>(old: &'a str, new: &'a str) -> Option<(MarkedPieces<'a>, MarkedPieces<'a>)> {
    if old.len().max(new.len()) > LONGEST {
        return None;
    }
    let (olds, news) = (split_pieces(old), split_pieces(new));
    let ops = capture_diff_slices(Algorithm::Myers, &olds, &news);
    let same: usize = ops.iter().filter(|op| op.tag() == DiffTag::Equal).map(|op| op.old_range().len()).sum();
    if 2.0 * (same as f32) < ALIKE * ((olds.len() + news.len()) as f32) {
        return None;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, op) in ops.iter().enumerate() {
        // Signs and spaces between two words that differ would only tear the mark apart.
        let is_joint = at > 0
            && at + 1 < ops.len()
            && olds[op.old_range()].iter().all(|piece| !piece.contains(char::is_alphanumeric));
        let differs = op.tag() != DiffTag::Equal || is_joint;
        before.extend(olds[op.old_range()].iter().map(|piece| (differs, *piece)));
        after.extend(news[op.new_range()].iter().map(|piece| (differs, *piece)));
    }
    Some((before, after))
}

/// A line in words, runs of spaces, and single signs.
fn split_pieces(line: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, c) in line.char_indices() {
        let class = class(c);
        if before.is_some_and(|before| before != class || class == 0) {
            pieces.push(&line[start..at]);
            start = at;
        }
        before = Some(class);
    }
    if start < line.len() {
        pieces.push(&line[start..]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_marked() {
        let (old, new) = marked_lines("  return parser.expression();", "  return parser.term(x);").unwrap();
        let differs = |pieces: &MarkedPieces<'_>| {
            let marked = pieces.iter().filter(|(differs, _)| *differs);
            marked.map(|(_, piece)| *piece).collect::<String>()
        };
        assert_eq!((differs(&old), differs(&new)), ("expression(".to_owned(), "term(x".to_owned()));
        assert_eq!(old.iter().map(|(_, piece)| *piece).collect::<String>(), "  return parser.expression();");
        assert_eq!(marked_lines("abc def", "x = y + z"), None);
    }
}
