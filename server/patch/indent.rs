//! The file's indentation for lines that a hunk adds, if the hunk's own differs.

use std::borrow::Cow;

use super::hunk::{DiffHunk, DiffLine, LineTag};
use super::lines::{line_body, without_return};

/// The evidence of a hunk's matched lines about its indentation.
pub(super) enum IndentEvidence<'t> {
    /// Nothing: none of them is indented.
    Nothing,
    /// The indentation is that of the file.
    Same,
    Other(IndentMap<'t>),
}

/// The mapping of a hunk's indentation to that of the file.
pub(super) struct IndentMap<'t> {
    pairs: Vec<IndentPair<'t>>,
    /// The number of the file's characters for each of the hunk's.
    slope: f64,
    /// The file's indentation character.
    sign: Option<char>,
    /// Common leading space of all lines on one side and not on the other.
    shift: Option<IndentShift<'t>>,
}

/// A difference in leading space that is the same for every line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndentShift<'t> {
    /// The hunk's lines have it, the file's do not.
    Ours(&'t str),
    /// The file's lines have it, the hunk's do not.
    Theirs(&'t str),
}

struct IndentPair<'t> {
    /// The number of the line in the hunk.
    line: usize,
    ours: &'t str,
    theirs: &'t str,
}

impl<'t> IndentMap<'t> {
    /// Learns from lines that match. `spot` gives the line of the file for a line that the hunk expects.
    pub(super) fn learn_from(
        hunk: &'t DiffHunk,
        lines: &[&'t str],
        spot: impl Fn(usize) -> Option<usize>,
    ) -> IndentEvidence<'t> {
        let whole = prefix_lost(hunk, lines, &spot);
        let pairs: Vec<IndentPair> = matched_lines(hunk, lines, &spot)
            .map(|(line, stated, own)| IndentPair {
                line,
                ours: leading_space(own_text(stated, whole)),
                theirs: leading_space(own),
            })
            .collect();
        if pairs.iter().all(|pair| pair.ours == pair.theirs) {
            return match pairs.iter().all(|pair| pair.ours.is_empty()) {
                true => IndentEvidence::Nothing,
                false => IndentEvidence::Same,
            };
        }
        let sign = pairs.iter().find_map(|pair| pair.theirs.chars().next());
        IndentEvidence::Other(Self { slope: indent_slope(&pairs), sign, shift: common_shift(&pairs), pairs })
    }

    /// Returns whether the hunk indents with another sign than the file does: then its whole diff does.
    pub(super) fn signs_differ(&self) -> bool {
        let first = |space: &str| space.chars().next();
        let differ = |pair: &IndentPair| {
            first(pair.ours).zip(first(pair.theirs)).is_some_and(|(ours, theirs)| ours != theirs)
        };
        self.pairs.iter().any(differ)
    }

    /// The spaces of a line that amount to whole tabs of the file, and the remaining ones that align it.
    fn whole_signs<'l>(&self, sign: char, ours: &'l str, pair: &IndentPair) -> (f64, &'l str) {
        let all = (ours.len() as f64, "");
        let spaces = |space: &str| space.chars().all(|c| c == ' ');
        if sign != '\t' || self.slope <= 0.0 || self.slope >= 1.0 || !spaces(ours) || !spaces(pair.ours) {
            return all;
        }
        let unit = (1.0 / self.slope).round() as usize;
        let rest = (ours.len() as i64 - pair.ours.len() as i64).rem_euclid(unit as i64) as usize;
        (all.0 - rest as f64, &ours[ours.len() - rest..])
    }

    /// An added line of the hunk with the file's indentation.
    pub(super) fn adapt_line<'l>(&self, number: usize, text: &'l str) -> Cow<'l, str> {
        let ours = leading_space(text);
        if ours.len() == text.len() {
            return Cow::Borrowed(text);
        }
        match self.shift {
            Some(IndentShift::Ours(more)) if ours.starts_with(more) => {
                return Cow::Borrowed(&text[more.len()..]);
            }
            Some(IndentShift::Theirs(more)) => return Cow::Owned(format!("{more}{text}")),
            _ => {}
        }
        let far = |pair: &&IndentPair| {
            (pair.ours.len().abs_diff(ours.len()), pair.ours != ours, pair.line.abs_diff(number))
        };
        let Some(pair) = self.pairs.iter().min_by_key(far) else { return Cow::Borrowed(text) };
        if pair.ours == ours {
            return Cow::Owned(format!("{}{}", pair.theirs, &text[ours.len()..]));
        }
        let sign = self.sign.or(ours.chars().next()).unwrap_or(' ');
        let (beyond, rest) = self.whole_signs(sign, ours, pair);
        let more = (beyond - pair.ours.len() as f64) * self.slope;
        let len = (pair.theirs.len() as f64 + more).round().max(0.0) as usize;
        let mut adapted: String = pair.theirs.chars().take(len).collect();
        adapted.extend(std::iter::repeat_n(sign, len.saturating_sub(pair.theirs.len())));
        adapted.push_str(rest);
        adapted.push_str(&text[ours.len()..]);
        Cow::Owned(adapted)
    }
}

/// The common extra space at the beginning of all lines of one side.
fn common_shift<'t>(pairs: &[IndentPair<'t>]) -> Option<IndentShift<'t>> {
    let more = |pair: &IndentPair<'t>| match (
        pair.ours.strip_suffix(pair.theirs),
        pair.theirs.strip_suffix(pair.ours),
    ) {
        (Some(more), _) => Some(IndentShift::Ours(more)),
        (None, more) => more.map(IndentShift::Theirs),
    };
    let first = more(pairs.first()?)?;
    // A single depth does not distinguish a shift from a wider unit.
    let depths = pairs.iter().any(|pair| pair.ours.len() != pairs[0].ours.len() || pair.theirs.is_empty());
    (depths && pairs.iter().all(|pair| more(pair) == Some(first))).then_some(first)
}

/// The lines of a hunk that have a match: their numbers, themselves, and the lines of the file.
fn matched_lines<'t: 'f, 'f>(
    hunk: &'t DiffHunk,
    lines: &'f [&'t str],
    spot: &'f impl Fn(usize) -> Option<usize>,
) -> impl Iterator<Item = (usize, &'t DiffLine<'t>, &'t str)> + 'f {
    let old = hunk.lines.iter().enumerate().filter(|(_, line)| line.tag != LineTag::Add);
    old.enumerate().filter_map(move |(at, (number, line))| {
        // The rest of a line that is wrapped only in the hunk begins nowhere in the file.
        if at > 0 && spot(at) == spot(at - 1) {
            return None;
        }
        let own = line_body(lines.get(spot(at)?)?);
        (!own.trim().is_empty() && !line.text().trim().is_empty()).then_some((number, line, own))
    })
}

/// Returns whether the context lines of a hunk lost their prefix, and with it a space: one of them matches without,
/// or only then do they agree with the lines that are removed.
fn prefix_lost(hunk: &DiffHunk, lines: &[&str], spot: &impl Fn(usize) -> Option<usize>) -> bool {
    if !hunk.prefixed {
        return false;
    }
    let more = |stated: &str, own: &str| leading_space(own).len() as i64 - leading_space(stated).len() as i64;
    let (mut bare, mut removed, mut kept) = (false, Vec::new(), Vec::new());
    for (_, line, own) in matched_lines(hunk, lines, spot) {
        match line.tag {
            LineTag::Keep => {
                bare |= line.raw == line.whole && !line.whole.starts_with([' ', '\t']);
                kept.push((more(line.text(), own), more(own_text(line, true), own)));
            }
            _ => removed.push(more(line.text(), own)),
        }
    }
    let odd = kept.iter().all(|(stated, whole)| stated % 2 != 0 && whole % 2 == 0);
    let agree = |delta: i64| removed.iter().all(|removed| *removed == delta);
    bare || removed.is_empty() && !kept.is_empty() && odd && added_agree(hunk)
        || !removed.is_empty()
            && !kept.is_empty()
            && kept.iter().all(|(as_is, whole)| agree(*whole) && !agree(*as_is))
}

/// Returns whether the lines that a hunk adds are as deep as its context if the context's prefix counts as text,
/// rather than without.
fn added_agree(hunk: &DiffHunk) -> bool {
    let kept =
        || hunk.lines.iter().filter(|line| line.tag == LineTag::Keep && !line.text().trim().is_empty());
    let added = hunk.lines.iter().filter(|line| line.tag == LineTag::Add && !line.text().trim().is_empty());
    let (mut with, mut without) = (0, 0);
    for depth in added.map(|line| leading_space(line.text())) {
        with += usize::from(kept().any(|line| leading_space(own_text(line, true)) == depth));
        without += usize::from(kept().any(|line| leading_space(line.text()) == depth));
    }
    // A tab behind a space is a tab behind a prefix.
    with >= without && !kept().any(|line| leading_space(own_text(line, true)).starts_with(" \t"))
}

/// The text of a line, optionally with the prefix of a context line.
fn own_text<'l>(line: &'l DiffLine, whole: bool) -> &'l str {
    if whole && line.tag == LineTag::Keep { without_return(line.whole) } else { line.text() }
}

/// The number of the file's characters for each of the hunk's, by the pairs furthest apart.
fn indent_slope(pairs: &[IndentPair]) -> f64 {
    let low = pairs.iter().min_by_key(|pair| pair.ours.len());
    let high = pairs.iter().max_by_key(|pair| pair.ours.len());
    let (Some(low), Some(high)) = (low, high) else { return 1.0 };
    let (ours, theirs) =
        (high.ours.len() - low.ours.len(), high.theirs.len() as f64 - low.theirs.len() as f64);
    match ours {
        // A single depth: a sign for so many others, or the same signs some further in.
        0 if high.ours.is_empty() || high.theirs.is_empty() => 1.0,
        0 if high.ours.chars().next() == high.theirs.chars().next() => 1.0,
        0 => high.theirs.len() as f64 / high.ours.len() as f64,
        ours => (theirs / ours as f64).max(0.0),
    }
}

/// The space before a line.
fn leading_space(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
