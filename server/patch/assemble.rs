//! The text after placed hunks: its own lines byte for byte, and added lines with the local end of line.

use std::borrow::Cow;

use super::Level;
use super::align::{Alignment, cut};
use super::cut::runs;
use super::hunk::{Hunk, Line, Tag};
use super::indent::{Indents, Learnt};
use super::index::dense;
use super::lines::{body, end, without_return};

/// A hunk and the line where it goes, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub hunk: usize,
    pub start: usize,
    pub level: Level,
    /// Where each of its lines stands, unless as one run.
    pub aligned: Option<&'a Alignment>,
}

impl Placed<'_> {
    /// The line of the file for a line that the hunk expects.
    fn spot(&self, line: usize) -> Option<usize> {
        match self.aligned {
            Some(aligned) => *aligned.spots.get(line)?,
            None => Some(self.start + line),
        }
    }
}

impl Placed<'_> {
    /// The same, where the line matches to the letter.
    fn exact(&self, line: usize) -> Option<usize> {
        self.aligned.is_none_or(|aligned| aligned.shares[line] > 0.99).then(|| self.spot(line)).flatten()
    }
}

/// Two hunks, counted from 0, that change the same line.
pub(super) struct Clash {
    pub hunks: (usize, usize),
    pub line: usize,
}

/// A run of lines that a hunk replaces.
struct Edit<'h, 'd> {
    hunk: usize,
    /// Whether the hunk's lines stand in the file to the byte, so that what it adds is meant to the byte.
    verbatim: bool,
    start: usize,
    end: usize,
    added: Vec<Added<'h, 'd>>,
}

/// A line that a hunk adds.
struct Added<'h, 'd> {
    line: &'h Line<'d>,
    /// Its text as it goes into the file.
    text: Cow<'h, str>,
    /// The line of the file that it states again.
    own: Option<usize>,
}

/// The text that the hunks leave, or the first two that change the same line.
pub(super) fn assemble(
    lines: &[&str],
    hunks: &[Hunk],
    placed: &[Placed],
    crlf: bool,
) -> Result<String, Clash> {
    let learnt: Vec<Learnt> =
        placed.iter().map(|placed| learn(lines, &hunks[placed.hunk], *placed)).collect();
    let others: Vec<(usize, &Indents)> = learnt.iter().enumerate().filter_map(signs_differ).collect();
    let edits = |(number, placed): (usize, &Placed)| {
        edits(lines, &hunks[placed.hunk], *placed, indents(&learnt, &others, number))
    };
    let mut edits: Vec<Edit> = placed.iter().enumerate().flat_map(edits).collect();
    edits.sort_by_key(|edit| (edit.start, edit.end, edit.hunk));
    let full = |hunk: usize| placed.iter().any(|placed| placed.hunk == hunk && placed.level < Level::Aligned);
    edits.dedup_by(|next, kept| {
        // What merely looks like another hunk's place is not that hunk stated twice.
        let twice = |one: usize, other: usize| full(one) && full(other) || alike(&hunks[one], &hunks[other]);
        same(next, kept) && twice(next.hunk, kept.hunk)
    });
    if let Some(pair) = edits.windows(2).find(|pair| clash(&pair[0], &pair[1])) {
        return Err(Clash { hunks: (pair[0].hunk, pair[1].hunk), line: pair[1].start });
    }
    let mut pieces: Vec<(&str, &str)> = Vec::with_capacity(lines.len());
    let mut at = 0;
    for edit in &edits {
        pieces.extend(lines[at..edit.start].iter().map(|line| (body(line), end(line))));
        pieces.extend(edit.added.iter().enumerate().map(|(number, added)| match edit.verbatim {
            true if added.line.unended => (&*added.line.raw, ""),
            // The diff of an empty file is all that says how its lines end.
            true if crlf && lines.is_empty() => (without_return(&added.line.raw), "\n"),
            true => (&*added.line.raw, "\n"),
            false => match added.own {
                Some(own) if !end(lines[own]).is_empty() => (body(lines[own]), end(lines[own])),
                Some(own) => (body(lines[own]), local_end(lines, edit, number)),
                None => (&*added.text, local_end(lines, edit, number)),
            },
        }));
        at = edit.end;
    }
    pieces.extend(lines[at..].iter().map(|line| (body(line), end(line))));
    end_last(lines, hunks, edits.last().filter(|edit| edit.end == lines.len()), &mut pieces);
    Ok(join(&pieces, local(lines, lines.len())))
}

/// Gives the last line the end that the text had, unless the hunk that changes it states another.
fn end_last(lines: &[&str], hunks: &[Hunk], last: Option<&Edit>, pieces: &mut [(&str, &str)]) {
    let (Some(edit), Some(piece), Some(line)) = (last, pieces.last_mut(), lines.last()) else { return };
    if edit.verbatim {
        return;
    }
    let unends = |tag: Tag| hunks[edit.hunk].lines.iter().any(|line| line.tag == tag && line.unended);
    let ended = match () {
        () if unends(Tag::Add) => false,
        () if unends(Tag::Remove) => true,
        () => !end(line).is_empty(),
    };
    match ended {
        false => piece.1 = "",
        true if piece.1.is_empty() => {
            piece.1 = if local(lines, lines.len()) == "\r\n" { "\r\n" } else { "\n" }
        }
        true => {}
    }
}

fn join(pieces: &[(&str, &str)], end: &str) -> String {
    let mut text = String::with_capacity(pieces.iter().map(|(body, end)| body.len() + end.len()).sum());
    for (number, (body, own)) in pieces.iter().enumerate() {
        text.push_str(body);
        // A line that was last and is no more needs an end.
        text.push_str(if own.is_empty() && number + 1 < pieces.len() { end } else { own });
    }
    text
}

/// What a placed hunk tells of its indentation.
fn learn<'h>(lines: &[&'h str], hunk: &'h Hunk, placed: Placed) -> Learnt<'h> {
    let indented = |line: &Line| line.text().starts_with([' ', '\t']);
    let context = || hunk.lines.iter().any(|line| line.tag != Tag::Add && indented(line));
    match placed.level >= Level::Whitespace {
        true => Indents::learn(hunk, lines, |line| placed.exact(line)),
        false if context() => Learnt::Same,
        false => Learnt::Nothing,
    }
}

/// What a hunk tells that indents with other signs than the file does, and so does its diff.
fn signs_differ<'l, 'h>((number, learnt): (usize, &'l Learnt<'h>)) -> Option<(usize, &'l Indents<'h>)> {
    match learnt {
        Learnt::Other(indents) if indents.signs_differ() => Some((number, indents)),
        _ => None,
    }
}

/// How the lines that a hunk adds are to be indented; one that tells nothing of it goes with one of the others.
fn indents<'l, 'h>(
    learnt: &'l [Learnt<'h>],
    others: &[(usize, &'l Indents<'h>)],
    number: usize,
) -> Option<&'l Indents<'h>> {
    match &learnt[number] {
        Learnt::Nothing => {
            let next = others.partition_point(|(other, _)| *other < number);
            others.get(next).or(others.last()).map(|(_, indents)| *indents)
        }
        Learnt::Same => None,
        Learnt::Other(indents) => Some(indents),
    }
}

fn edits<'h, 'd>(
    lines: &[&'h str],
    hunk: &'h Hunk<'d>,
    placed: Placed,
    indents: Option<&Indents>,
) -> Vec<Edit<'h, 'd>> {
    let verbatim =
        indents.is_none() && placed.aligned.is_none() && stands_verbatim(lines, hunk, placed.start);
    let mut inserts = placed.aligned.into_iter().flat_map(|aligned| aligned.inserts.iter().copied());
    let (mut old, mut number) = (0, 0);
    let mut edits = Vec::new();
    for run in hunk.lines.chunk_by(|a, b| (a.tag == Tag::Keep) == (b.tag == Tag::Keep)) {
        let removed = run.iter().filter(|line| line.tag == Tag::Remove).count();
        let kept = run.iter().all(|line| line.tag == Tag::Keep);
        let first = match removed {
            0 if !kept => inserts.next().or_else(|| placed.spot(old)),
            _ => placed.spot(old),
        };
        if let (false, Some(start)) = (kept, first) {
            let restated = if verbatim { Vec::new() } else { restated(run) };
            let added = run.iter().enumerate().filter(|(_, line)| line.tag == Tag::Add);
            let added = added.enumerate().map(|(at, (offset, line))| Added {
                line,
                text: match indents {
                    Some(indents) => indents.adapt(number + offset, line.text()),
                    None => Cow::Borrowed(line.text()),
                },
                own: restated.iter().find(|(added, _)| *added == at).map(|(_, removed)| start + removed),
            });
            let added = added.collect();
            edits.push(Edit { hunk: placed.hunk, verbatim, start, end: start + removed, added });
        }
        old += if kept { run.len() } else { removed };
        number += run.len();
    }
    edits
}

/// Which added lines of a run state a removed one again: their numbers among the added and among the removed.
fn restated(run: &[Line]) -> Vec<(usize, usize)> {
    let of = |tag: Tag| run.iter().filter(move |line| line.tag == tag);
    let (old, new): (Vec<&str>, Vec<&str>) =
        (of(Tag::Remove).map(|line| &*line.raw).collect(), of(Tag::Add).map(|line| &*line.raw).collect());
    if old.is_empty() || !new.iter().any(|line| old.contains(line)) {
        return Vec::new();
    }
    let (mut pairs, mut at) = (Vec::new(), (0, 0));
    for run in runs(&old, &new) {
        pairs.extend((at.1..run.new.0).zip(at.0..run.old.0));
        at = (run.old.1, run.new.1);
    }
    pairs.extend((at.1..new.len()).zip(at.0..old.len()));
    pairs
}

fn stands_verbatim(lines: &[&str], hunk: &Hunk, start: usize) -> bool {
    let old = || hunk.lines.iter().filter(|line| line.tag != Tag::Add);
    let equal = |(line, own): (&Line, &&str)| match line.unended {
        true => *line.raw == **own,
        false => own.strip_suffix('\n') == Some(&*line.raw),
    };
    let anchored = old().next().is_some() || lines.is_empty();
    anchored && old().zip(&lines[start..]).all(equal)
}

fn same(next: &Edit, kept: &Edit) -> bool {
    next.hunk != kept.hunk
        && (next.start, next.end) == (kept.start, kept.end)
        && next.added.iter().map(|added| &added.text).eq(kept.added.iter().map(|added| &added.text))
}

/// Whether two hunks state mostly the same lines, and mostly the same change.
pub(super) fn alike(one: &Hunk, other: &Hunk) -> bool {
    let dense = |hunk: &Hunk, kept: bool| -> Vec<String> {
        let lines = hunk.lines.iter().filter(|line| kept || line.tag != Tag::Keep);
        lines.map(|line| dense(line.text()).into_owned()).filter(|line| !line.is_empty()).collect()
    };
    [true, false].into_iter().all(|kept| {
        let (one, mut other) = (dense(one, kept), dense(other, kept));
        let shorter = one.len().min(other.len());
        let both = one.iter().filter(|line| {
            // Either may be cut short.
            let same = |other: &String| other == *line || cut(other, line) || cut(line, other);
            let found = other.iter().position(same);
            found.map(|at| other.swap_remove(at)).is_some()
        });
        both.count() * 10 >= shorter * 6
    })
}

fn clash(first: &Edit, next: &Edit) -> bool {
    next.start < first.end || next.start == first.start && first.end == first.start && next.end == next.start
}

/// The end for an added line: that of the line it replaces, else of the line before, else of the line after.
fn local_end<'t>(lines: &[&'t str], edit: &Edit, number: usize) -> &'t str {
    match edit.end - edit.start {
        0 => local(lines, edit.start),
        removed => local(lines, edit.start + number.min(removed - 1) + 1),
    }
}

/// The end of the line before a place, or else of the nearest line that has one.
fn local<'t>(lines: &[&'t str], place: usize) -> &'t str {
    let before = lines[..place.min(lines.len())].iter().rev();
    let after = lines[place.min(lines.len())..].iter();
    before.chain(after).map(|line| end(line)).find(|end| !end.is_empty()).unwrap_or("\n")
}
