//! The file's indentation for lines that a hunk adds, where the hunk's own differs.

use std::borrow::Cow;

use super::hunk::{Hunk, Line, Tag};
use super::lines::{body, without_return};

/// What the matched lines of a hunk tell of its indentation.
pub(super) enum Learnt<'t> {
    /// Nothing: none of them is indented.
    Nothing,
    /// It is that of the file.
    Same,
    Other(Indents<'t>),
}

/// How the space before the lines of a hunk stands for that of the file.
pub(super) struct Indents<'t> {
    pairs: Vec<Pair<'t>>,
    /// How many characters of the file one of the hunk comes to.
    slope: f64,
    /// What the file indents with.
    sign: Option<char>,
}

struct Pair<'t> {
    /// Which line of the hunk.
    line: usize,
    ours: &'t str,
    theirs: &'t str,
}

impl<'t> Indents<'t> {
    /// Learns from lines that match. `spot` tells the line of the file for a line that the hunk expects.
    pub(super) fn learn(
        hunk: &'t Hunk,
        lines: &[&'t str],
        spot: impl Fn(usize) -> Option<usize>,
    ) -> Learnt<'t> {
        let whole = prefix_lost(hunk, lines, &spot);
        let pairs: Vec<Pair> = matched(hunk, lines, &spot)
            .map(|(line, stated, own)| Pair {
                line,
                ours: space(own_text(stated, whole)),
                theirs: space(own),
            })
            .collect();
        if pairs.iter().all(|pair| pair.ours == pair.theirs) {
            return match pairs.iter().all(|pair| pair.ours.is_empty()) {
                true => Learnt::Nothing,
                false => Learnt::Same,
            };
        }
        let sign = pairs.iter().find_map(|pair| pair.theirs.chars().next());
        Learnt::Other(Self { slope: slope(&pairs), sign, pairs })
    }

    /// Whether the hunk indents with another sign than the file does: then its whole diff does.
    pub(super) fn signs_differ(&self) -> bool {
        let first = |space: &str| space.chars().next();
        let differ = |pair: &Pair| {
            first(pair.ours).zip(first(pair.theirs)).is_some_and(|(ours, theirs)| ours != theirs)
        };
        self.pairs.iter().any(differ)
    }

    /// An added line of the hunk with the file's indentation.
    pub(super) fn adapt<'l>(&self, number: usize, text: &'l str) -> Cow<'l, str> {
        let ours = space(text);
        if ours.len() == text.len() {
            return Cow::Borrowed(text);
        }
        let far = |pair: &&Pair| {
            (pair.ours.len().abs_diff(ours.len()), pair.ours != ours, pair.line.abs_diff(number))
        };
        let Some(pair) = self.pairs.iter().min_by_key(far) else { return Cow::Borrowed(text) };
        if pair.ours == ours {
            return Cow::Owned(format!("{}{}", pair.theirs, &text[ours.len()..]));
        }
        let more = (ours.len() as f64 - pair.ours.len() as f64) * self.slope;
        let len = (pair.theirs.len() as f64 + more).round().max(0.0) as usize;
        let sign = self.sign.or(ours.chars().next()).unwrap_or(' ');
        let mut adapted: String = pair.theirs.chars().take(len).collect();
        adapted.extend(std::iter::repeat_n(sign, len.saturating_sub(pair.theirs.len())));
        adapted.push_str(&text[ours.len()..]);
        Cow::Owned(adapted)
    }
}

/// The lines of a hunk that have a match: their numbers, themselves, and the lines of the file.
fn matched<'t: 'f, 'f>(
    hunk: &'t Hunk,
    lines: &'f [&'t str],
    spot: &'f impl Fn(usize) -> Option<usize>,
) -> impl Iterator<Item = (usize, &'t Line<'t>, &'t str)> + 'f {
    let old = hunk.lines.iter().enumerate().filter(|(_, line)| line.tag != Tag::Add);
    old.enumerate().filter_map(move |(at, (number, line))| {
        // The rest of a line that is wrapped in the hunk alone begins nowhere in the file.
        if at > 0 && spot(at) == spot(at - 1) {
            return None;
        }
        let own = body(lines.get(spot(at)?)?);
        (!own.trim().is_empty() && !line.text().trim().is_empty()).then_some((number, line, own))
    })
}

/// Whether the context lines of a hunk lost their prefix, and with it a space: one of them stands without, or only then
/// do they agree with the lines that are removed.
fn prefix_lost(hunk: &Hunk, lines: &[&str], spot: &impl Fn(usize) -> Option<usize>) -> bool {
    if !hunk.prefixed {
        return false;
    }
    let more = |stated: &str, own: &str| space(own).len() as i64 - space(stated).len() as i64;
    let (mut bare, mut removed, mut kept) = (false, Vec::new(), Vec::new());
    for (_, line, own) in matched(hunk, lines, spot) {
        match line.tag {
            Tag::Keep => {
                bare |= line.raw == line.whole && !line.whole.starts_with([' ', '\t']);
                kept.push((more(line.text(), own), more(own_text(line, true), own)));
            }
            _ => removed.push(more(line.text(), own)),
        }
    }
    let odd = kept.iter().all(|(stated, whole)| stated % 2 != 0 && whole % 2 == 0);
    let agree = |delta: i64| removed.iter().all(|removed| *removed == delta);
    bare || removed.is_empty() && !kept.is_empty() && odd
        || !removed.is_empty()
            && !kept.is_empty()
            && kept.iter().all(|(as_is, whole)| agree(*whole) && !agree(*as_is))
}

/// The text of a line, of a context line with the sign that stands for its prefix if so wanted.
fn own_text<'l>(line: &'l Line, whole: bool) -> &'l str {
    if whole && line.tag == Tag::Keep { without_return(line.whole) } else { line.text() }
}

/// How many characters of the file one of the hunk comes to, by the pairs furthest apart.
fn slope(pairs: &[Pair]) -> f64 {
    let low = pairs.iter().min_by_key(|pair| pair.ours.len());
    let high = pairs.iter().max_by_key(|pair| pair.ours.len());
    let (Some(low), Some(high)) = (low, high) else { return 1.0 };
    let (ours, theirs) =
        (high.ours.len() - low.ours.len(), high.theirs.len() as f64 - low.theirs.len() as f64);
    match ours {
        // One depth only: a sign for so many others, or the same signs some further in.
        0 if high.ours.is_empty() || high.theirs.is_empty() => 1.0,
        0 if high.ours.chars().next() == high.theirs.chars().next() => 1.0,
        0 => high.theirs.len() as f64 / high.ours.len() as f64,
        ours => (theirs / ours as f64).max(0.0),
    }
}

/// The space before a line.
fn space(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}
