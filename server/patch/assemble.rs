//! The text after placed hunks: its own lines byte for byte, and added lines with the local end of line.

use std::borrow::Cow;

use super::MatchLevel;
use super::align::{Alignment, is_cut_of};
use super::cut::diff_runs;
use super::hunk::{DiffHunk, DiffLine, LineTag};
use super::indent::{IndentEvidence, IndentMap};
use super::index::strip_space;
use super::lines::{line_body, line_end, without_return};

/// A hunk and the line where it goes, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedHunk<'a> {
    pub hunk: usize,
    pub start: usize,
    pub level: MatchLevel,
    /// The position of each of its lines, unless they are one run.
    pub aligned: Option<&'a Alignment>,
}

impl PlacedHunk<'_> {
    /// The line of the file for a line that the hunk expects.
    fn file_line(&self, line: usize) -> Option<usize> {
        match self.aligned {
            Some(aligned) => *aligned.spots.get(line)?,
            None => Some(self.start + line),
        }
    }
}

impl PlacedHunk<'_> {
    /// Like [`Self::file_line`], if the line matches to the letter.
    fn exact_line(&self, line: usize) -> Option<usize> {
        self.aligned.is_none_or(|aligned| aligned.shares[line] > 0.99).then(|| self.file_line(line)).flatten()
    }
}

/// Two hunks, counted from 0, that change the same line.
pub(super) struct HunkClash {
    pub hunks: (usize, usize),
    pub line: usize,
}

/// A run of lines that a hunk replaces.
struct ReplacedRun<'h, 'd> {
    hunk: usize,
    /// True if the hunk's lines match the file to the byte, so that its added lines are exact too.
    verbatim: bool,
    start: usize,
    end: usize,
    added: Vec<AddedLine<'h, 'd>>,
}

/// A line that a hunk adds.
struct AddedLine<'h, 'd> {
    line: &'h DiffLine<'d>,
    /// Its text in the form that goes into the file.
    text: Cow<'h, str>,
    /// The line of the file that it repeats.
    own: Option<usize>,
}

/// The text that the hunks leave, or the first two that change the same line.
pub(super) fn assemble_text(
    lines: &[&str],
    hunks: &[DiffHunk],
    placed: &[PlacedHunk],
    crlf: bool,
) -> Result<String, HunkClash> {
    let learnt: Vec<IndentEvidence> =
        placed.iter().map(|placed| learn_indents(lines, &hunks[placed.hunk], *placed)).collect();
    let others: Vec<(usize, &IndentMap)> = learnt.iter().enumerate().filter_map(signs_differ).collect();
    let edits = |(number, placed): (usize, &PlacedHunk)| {
        hunk_edits(lines, &hunks[placed.hunk], *placed, indents_for(&learnt, &others, number))
    };
    let mut edits: Vec<ReplacedRun> = placed.iter().enumerate().flat_map(edits).collect();
    edits.sort_by_key(|edit| (edit.start, edit.end, edit.hunk));
    let full =
        |hunk: usize| placed.iter().any(|placed| placed.hunk == hunk && placed.level < MatchLevel::Aligned);
    edits.dedup_by(|next, kept| {
        // A place that merely resembles that of another hunk does not make the two one hunk.
        let twice =
            |one: usize, other: usize| full(one) && full(other) || is_same_hunk(&hunks[one], &hunks[other]);
        is_same_edit(next, kept) && twice(next.hunk, kept.hunk)
    });
    if let Some(pair) = edits.windows(2).find(|pair| edits_clash(&pair[0], &pair[1])) {
        return Err(HunkClash { hunks: (pair[0].hunk, pair[1].hunk), line: pair[1].start });
    }
    let mut pieces: Vec<(&str, &str)> = Vec::with_capacity(lines.len());
    let mut at = 0;
    for edit in &edits {
        pieces.extend(lines[at..edit.start].iter().map(|line| (line_body(line), line_end(line))));
        pieces.extend(edit.added.iter().enumerate().map(|(number, added)| match edit.verbatim {
            true if added.line.unended => (&*added.line.raw, ""),
            // Only the diff of an empty file determines its line ends.
            true if crlf && lines.is_empty() => (without_return(&added.line.raw), "\n"),
            true => (&*added.line.raw, "\n"),
            false => match added.own {
                Some(own) if !line_end(lines[own]).is_empty() => {
                    (line_body(lines[own]), line_end(lines[own]))
                }
                Some(own) => (line_body(lines[own]), local_end(lines, edit, number)),
                None => (&*added.text, local_end(lines, edit, number)),
            },
        }));
        at = edit.end;
    }
    pieces.extend(lines[at..].iter().map(|line| (line_body(line), line_end(line))));
    end_last(lines, hunks, edits.last().filter(|edit| edit.end == lines.len()), &mut pieces);
    Ok(join_pieces(&pieces, nearest_end(lines, lines.len())))
}

/// Gives the last line the end that the text had, unless the hunk that changes it states another.
fn end_last(lines: &[&str], hunks: &[DiffHunk], last: Option<&ReplacedRun>, pieces: &mut [(&str, &str)]) {
    let (Some(edit), Some(piece), Some(line)) = (last, pieces.last_mut(), lines.last()) else { return };
    if edit.verbatim {
        return;
    }
    let unends = |tag: LineTag| hunks[edit.hunk].lines.iter().any(|line| line.tag == tag && line.unended);
    let ended = match () {
        () if unends(LineTag::Add) => false,
        () if unends(LineTag::Remove) => true,
        () => !line_end(line).is_empty(),
    };
    match ended {
        false => piece.1 = "",
        true if piece.1.is_empty() => {
            piece.1 = if nearest_end(lines, lines.len()) == "\r\n" { "\r\n" } else { "\n" }
        }
        true => {}
    }
}

fn join_pieces(pieces: &[(&str, &str)], end: &str) -> String {
    let mut text = String::with_capacity(pieces.iter().map(|(body, end)| body.len() + end.len()).sum());
    for (number, (body, own)) in pieces.iter().enumerate() {
        text.push_str(body);
        // A line that was last and is no more needs an end.
        text.push_str(if own.is_empty() && number + 1 < pieces.len() { end } else { own });
    }
    text
}

/// Learns the indentation from a placed hunk.
fn learn_indents<'h>(lines: &[&'h str], hunk: &'h DiffHunk, placed: PlacedHunk) -> IndentEvidence<'h> {
    let indented = |line: &DiffLine| line.text().starts_with([' ', '\t']);
    let context = || hunk.lines.iter().any(|line| line.tag != LineTag::Add && indented(line));
    match placed.level >= MatchLevel::Whitespace {
        true => IndentMap::learn_from(hunk, lines, |line| placed.exact_line(line)),
        false if context() => IndentEvidence::Same,
        false => IndentEvidence::Nothing,
    }
}

/// The indentation of a hunk that indents with other signs than the file does, as its diff does.
fn signs_differ<'l, 'h>(
    (number, learnt): (usize, &'l IndentEvidence<'h>),
) -> Option<(usize, &'l IndentMap<'h>)> {
    match learnt {
        IndentEvidence::Other(indents) if indents.signs_differ() => Some((number, indents)),
        _ => None,
    }
}

/// The indentation for the lines that a hunk adds; a hunk without evidence follows one of the others.
fn indents_for<'l, 'h>(
    learnt: &'l [IndentEvidence<'h>],
    others: &[(usize, &'l IndentMap<'h>)],
    number: usize,
) -> Option<&'l IndentMap<'h>> {
    match &learnt[number] {
        IndentEvidence::Nothing => {
            let next = others.partition_point(|(other, _)| *other < number);
            others.get(next).or(others.last()).map(|(_, indents)| *indents)
        }
        IndentEvidence::Same => None,
        IndentEvidence::Other(indents) => Some(indents),
    }
}

fn hunk_edits<'h, 'd>(
    lines: &[&'h str],
    hunk: &'h DiffHunk<'d>,
    placed: PlacedHunk,
    indents: Option<&IndentMap>,
) -> Vec<ReplacedRun<'h, 'd>> {
    let verbatim =
        indents.is_none() && placed.aligned.is_none() && stands_verbatim(lines, hunk, placed.start);
    let mut inserts = placed.aligned.into_iter().flat_map(|aligned| aligned.inserts.iter().copied());
    let (mut old, mut number) = (0, 0);
    let mut edits = Vec::new();
    for run in hunk.lines.chunk_by(|a, b| (a.tag == LineTag::Keep) == (b.tag == LineTag::Keep)) {
        let removed = run.iter().filter(|line| line.tag == LineTag::Remove).count();
        let kept = run.iter().all(|line| line.tag == LineTag::Keep);
        let first = match removed {
            0 if !kept => inserts.next().or_else(|| placed.file_line(old)),
            _ => placed.file_line(old),
        };
        if let (false, Some(start)) = (kept, first) {
            let restated = if verbatim { Vec::new() } else { restated_lines(run) };
            let added = run.iter().enumerate().filter(|(_, line)| line.tag == LineTag::Add);
            let added = added.enumerate().map(|(at, (offset, line))| AddedLine {
                line,
                text: match indents {
                    Some(indents) => indents.adapt_line(number + offset, line.text()),
                    None => Cow::Borrowed(line.text()),
                },
                own: restated.iter().find(|(added, _)| *added == at).map(|(_, removed)| start + removed),
            });
            let added = added.collect();
            edits.push(ReplacedRun { hunk: placed.hunk, verbatim, start, end: start + removed, added });
        }
        old += if kept { run.len() } else { removed };
        number += run.len();
    }
    edits
}

/// The added lines of a run that repeat a removed one: their numbers among the added and among the removed.
fn restated_lines(run: &[DiffLine]) -> Vec<(usize, usize)> {
    let of = |tag: LineTag| run.iter().filter(move |line| line.tag == tag);
    let (old, new): (Vec<&str>, Vec<&str>) = (
        of(LineTag::Remove).map(|line| &*line.raw).collect(),
        of(LineTag::Add).map(|line| &*line.raw).collect(),
    );
    if old.is_empty() || !new.iter().any(|line| old.contains(line)) {
        return Vec::new();
    }
    let (mut pairs, mut at) = (Vec::new(), (0, 0));
    for run in diff_runs(&old, &new) {
        pairs.extend((at.1..run.new.0).zip(at.0..run.old.0));
        at = (run.old.1, run.new.1);
    }
    pairs.extend((at.1..new.len()).zip(at.0..old.len()));
    pairs
}

fn stands_verbatim(lines: &[&str], hunk: &DiffHunk, start: usize) -> bool {
    let old = || hunk.lines.iter().filter(|line| line.tag != LineTag::Add);
    let equal = |(line, own): (&DiffLine, &&str)| match line.unended {
        true => *line.raw == **own,
        false => own.strip_suffix('\n') == Some(&*line.raw),
    };
    let anchored = old().next().is_some() || lines.is_empty();
    anchored && old().zip(&lines[start..]).all(equal)
}

fn is_same_edit(next: &ReplacedRun, kept: &ReplacedRun) -> bool {
    next.hunk != kept.hunk
        && (next.start, next.end) == (kept.start, kept.end)
        && next.added.iter().map(|added| &added.text).eq(kept.added.iter().map(|added| &added.text))
}

/// Returns whether two hunks state mostly the same lines, and mostly the same change.
pub(super) fn is_same_hunk(one: &DiffHunk, other: &DiffHunk) -> bool {
    let dense = |hunk: &DiffHunk, kept: bool| -> Vec<String> {
        let lines = hunk.lines.iter().filter(|line| kept || line.tag != LineTag::Keep);
        lines.map(|line| strip_space(line.text()).into_owned()).filter(|line| !line.is_empty()).collect()
    };
    [true, false].into_iter().all(|kept| {
        let (one, mut other) = (dense(one, kept), dense(other, kept));
        let shorter = one.len().min(other.len());
        let both = one.iter().filter(|line| {
            // Either may be cut short.
            let same = |other: &String| other == *line || is_cut_of(other, line) || is_cut_of(line, other);
            let found = other.iter().position(same);
            found.map(|at| other.swap_remove(at)).is_some()
        });
        both.count() * 10 >= shorter * 6
    })
}

fn edits_clash(first: &ReplacedRun, next: &ReplacedRun) -> bool {
    next.start < first.end || next.start == first.start && first.end == first.start && next.end == next.start
}

/// The end for an added line: that of the line it replaces, else of the line before, else of the line after.
fn local_end<'t>(lines: &[&'t str], edit: &ReplacedRun, number: usize) -> &'t str {
    match edit.end - edit.start {
        0 => nearest_end(lines, edit.start),
        removed => nearest_end(lines, edit.start + number.min(removed - 1) + 1),
    }
}

/// The end of the line before a place, or else of the nearest line that has one.
fn nearest_end<'t>(lines: &[&'t str], place: usize) -> &'t str {
    let before = lines[..place.min(lines.len())].iter().rev();
    let after = lines[place.min(lines.len())..].iter();
    before.chain(after).map(|line| line_end(line)).find(|end| !end.is_empty()).unwrap_or("\n")
}
