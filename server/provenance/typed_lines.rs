//! A person's typing in an open document. The editor reports each edit, so no line has to be guessed.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use wherefore_base::{WorkspacePath, hash as digest};

use crate::align::{LineRun, differing_runs};
use crate::record::{TypedLine, TypedRecord, TypedRun};
use crate::similar_lines::pair_lines;
use crate::text::{hash_line, is_telling, is_trivial, split_lines};

/// Lines of one edit that are compared at most: an edit of more replaces the text, and is none that somebody typed.
const COMPARED: usize = 2_000;

/// Blocks of lines that were taken out and may be put in elsewhere.
const CUTS: usize = 8;
/// The edits of a document since a text that is known, by line.
#[derive(Clone, Debug, Default)]
pub struct TypedLines {
    /// The runs in order; an unchanged line lies between two.
    runs: Vec<EditedRun>,
    /// The last lines that were taken out.
    cuts: VecDeque<CutBlock>,
}

/// Lines that one edit took out.
#[derive(Clone, Debug)]
struct CutBlock {
    /// A hash of each.
    lines: Vec<u64>,
    /// For each, the lines of the text before of which a part is in it.
    sources: Vec<Vec<usize>>,
}

/// Lines that were edited.
#[derive(Clone, Debug, PartialEq, Eq)]
struct EditedRun {
    /// The lines before.
    old: Range<usize>,
    /// For each line now, the lines before of which a part is in it.
    sources: Vec<Vec<usize>>,
}

/// The runs that an edit touches, and what lies between them.
struct EditRegion {
    runs: Range<usize>,
    /// Their lines before.
    old: Range<usize>,
    /// The number of lines before those of the edit.
    lead: usize,
    /// For each of its lines now, the lines before of which a part is in it.
    sources: Vec<Vec<usize>>,
}

impl TypedLines {
    /// Takes an edit in: of the lines from `first` on, which hold `old` without the break after the last, the bytes in
    /// `range` became `text`.
    pub fn apply_edit(&mut self, first: usize, old: &str, range: Range<usize>, text: &str) {
        let (Some(head), Some(tail)) = (old.get(..range.start), old.get(range.end..)) else { return };
        let gone: Vec<&str> = old.split('\n').collect();
        let came = format!("{head}{text}{tail}");
        let came: Vec<&str> = came.split('\n').collect();
        let places = line_sources(&gone, &came, (head, text, tail));
        let region = self.touched_region(first, gone.len());
        let was = &region.sources[region.lead..region.lead + gone.len()];
        self.keep_cut(&gone, &places, was);
        let of = |places: &Vec<usize>| {
            let mut all: Vec<usize> = places.iter().flat_map(|place| was[*place].iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let mut now: Vec<Vec<usize>> = places.iter().map(of).collect();
        self.match_paste(&came, &places, &mut now);
        let mut merged = region.sources;
        merged.splice(region.lead..region.lead + gone.len(), now);
        self.runs.splice(region.runs, [EditedRun { old: region.old, sources: merged }]);
    }

    /// Keeps the block of lines that an edit took out.
    fn keep_cut(&mut self, gone: &[&str], places: &[Vec<usize>], was: &[Vec<usize>]) {
        let is_out = |line: &usize| !places.iter().any(|of| of.contains(line));
        let out: Vec<usize> = (0..gone.len()).filter(is_out).collect();
        let (Some(from), Some(to)) = (out.first(), out.last()) else { return };
        let block = &gone[*from..=*to];
        if block.len() == out.len() && block.len() <= COMPARED && is_telling(&block.concat()) {
            let lines = block.iter().map(|line| hash_line(line)).collect();
            self.cuts.push_front(CutBlock { lines, sources: was[*from..=*to].to_vec() });
            self.cuts.truncate(CUTS);
        }
    }

    /// Lines that an edit put in, and that were taken out as one block before: they were moved.
    fn match_paste(&self, came: &[&str], places: &[Vec<usize>], now: &mut [Vec<usize>]) {
        let new: Vec<usize> = (0..came.len()).filter(|line| places[*line].is_empty()).collect();
        let (Some(from), Some(to)) = (new.first(), new.last()) else { return };
        if self.cuts.is_empty() || to - from + 1 != new.len() {
            return;
        }
        let lines: Vec<u64> = came[*from..=*to].iter().map(|line| hash_line(line)).collect();
        if let Some(cut) = self.cuts.iter().find(|cut| cut.lines == lines) {
            now[*from..=*to].clone_from_slice(&cut.sources);
        }
    }

    /// The runs that `count` lines from `first` on touch, with these lines.
    fn touched_region(&self, first: usize, count: usize) -> EditRegion {
        // The line of the text before, and the line now, behind the last run that was passed.
        let (mut old, mut now) = (0, 0);
        let (mut start, mut end) = (first, first + count);
        let mut runs = 0..0;
        let mut before = None;
        for (at, run) in self.runs.iter().enumerate() {
            let from = now + (run.old.start - old);
            let to = from + run.sources.len();
            if from > end {
                break;
            }
            if to < start {
                runs = at + 1..at + 1;
            } else {
                before.get_or_insert((old, now));
                runs.end = at + 1;
                (start, end) = (start.min(from), end.max(to));
            }
            (old, now) = (run.old.end, to);
        }
        let (old_before, now_before) = before.unwrap_or((old, now));
        let base = old_before + (start - now_before)..old + (end - now);
        let mut sources: Vec<Vec<usize>> = Vec::with_capacity(end - start);
        let mut next = base.start;
        for run in &self.runs[runs.clone()] {
            sources.extend((next..run.old.start).map(|line| vec![line]));
            sources.extend(run.sources.iter().cloned());
            next = run.old.end;
        }
        sources.extend((next..base.end).map(|line| vec![line]));
        EditRegion { runs, old: base, lead: first - start, sources }
    }

    /// The edits between two texts, as a record. `None` if they do not lead from one to the other.
    pub fn to_record(&self, path: &WorkspacePath, before: &str, after: &str) -> Option<TypedRecord> {
        let hashes = |text| split_lines(text).into_iter().map(hash_line).collect::<Vec<u64>>();
        let (old, new) = (hashes(before), hashes(after));
        let (mut edits, mut sources) = (Vec::new(), vec![Vec::new(); new.len()]);
        let mut stayed = HashSet::new();
        let (mut from, mut to) = (0, 0);
        for run in &self.runs {
            let stays = run.old.start.min(old.len()).checked_sub(from)?;
            if old.get(from..from + stays)? != new.get(to..to + stays)? {
                return None;
            }
            (from, to) = (from + stays, to + stays);
            let end = run.old.end.min(old.len());
            // At its own place, an unchanged line stays; so an edit that was taken back is none.
            let mut open = LineRun { old: from..from, new: to..to, hunk: None };
            for line in &run.sources {
                let Some(now) = new.get(to) else { break };
                let kept: Vec<usize> = line.iter().copied().filter(|source| *source < old.len()).collect();
                if let [source] = kept[..]
                    && (from..end).contains(&source)
                    && old[source] == *now
                {
                    stayed.insert(source);
                    open.old.end = source;
                    edits.push(std::mem::replace(
                        &mut open,
                        LineRun { old: source + 1..source + 1, new: to + 1..to + 1, hunk: None },
                    ));
                    from = source + 1;
                } else {
                    sources[to] = kept;
                    open.new.end = to + 1;
                }
                to += 1;
            }
            (open.old.end, from) = (end, end);
            edits.push(open);
        }
        if old.get(from..)? != new.get(to..)? {
            return None;
        }
        // A line that stays is not in a second place too.
        for (at, line) in sources.iter_mut().enumerate() {
            line.retain(|source| old[*source] != new[at] || stayed.insert(*source));
        }
        edits.retain(|run| !(run.old.is_empty() && run.new.is_empty()));
        let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
        let line = |at: usize| TypedLine {
            hash: new[at],
            from: sources[at].iter().map(|source| size(*source)).collect(),
        };
        let run = |run: LineRun| TypedRun {
            start: size(run.old.start),
            gone: size(run.old.len()),
            lines: run.new.map(line).collect(),
        };
        Some(TypedRecord {
            path: path.clone(),
            before: digest::short_hash(before.as_bytes()),
            after: digest::short_hash(after.as_bytes()),
            runs: edits.into_iter().map(run).collect(),
        })
    }
}

/// Returns for each line that an edit left the lines before it of which a part is in it.
fn line_sources(gone: &[&str], came: &[&str], (head, text, tail): (&str, &str, &str)) -> Vec<Vec<usize>> {
    let mut sources = vec![Vec::new(); came.len()];
    let (last_gone, last) = (gone.len() - 1, came.len() - 1);
    let holds = |part: &str| !part.trim().is_empty();
    let is_one = last == 0;
    let (first_text, last_text) =
        (text.split('\n').next().unwrap_or_default(), text.rsplit('\n').next().unwrap_or_default());
    // A blank line counts too if the edit is only next to it.
    let tail_stays = gone[last_gone] == tail && last_text.is_empty() && (!is_one || head.is_empty());
    let head_stays = gone[0] == head && first_text.is_empty() && (!is_one || tail.is_empty());
    // If it may be either, it is neither.
    let is_either = tail_stays && head_stays && last_gone == 0 && !holds(head) && !holds(tail);
    let (head_stays, tail_stays) = match is_one {
        true => (head_stays && !tail_stays, tail_stays),
        false => (head_stays && !is_either, tail_stays && !is_either),
    };
    if holds(head) || head_stays {
        sources[0].push(0);
    }
    if (holds(tail) || tail_stays) && !sources[last].contains(&last_gone) {
        sources[last].push(last_gone);
    }
    let used = |line: &usize| sources.iter().any(|of| of.contains(line));
    let old: Vec<usize> = (0..gone.len()).filter(|line| !used(line)).collect();
    let new: Vec<usize> = (0..came.len()).filter(|line| sources[*line].is_empty()).collect();
    if old.is_empty() || new.is_empty() || old.len() + new.len() > COMPARED {
        return sources;
    }
    // Text that is written over as a whole: the part that a formatter, or a paste over a selection, leaves unchanged
    // was not typed. For trivial lines that is not certain, unless they are next to such a line.
    let old_lines: Vec<&str> = old.iter().map(|line| gone[*line]).collect();
    let new_lines: Vec<&str> = new.iter().map(|line| came[*line]).collect();
    let hashes = |lines: &[&str]| lines.iter().map(|line| hash_line(line)).collect::<Vec<u64>>();
    let (mut from, mut to) = (0, 0);
    let differing = differing_runs(&hashes(&old_lines), &hashes(&new_lines));
    let end = LineRun { old: old.len()..old.len(), new: new.len()..new.len(), hunk: None };
    for run in differing.iter().chain([&end]) {
        let stays = from..run.old.start;
        if stays.clone().any(|line| !is_trivial(old_lines[line])) {
            for (back, line) in stays.enumerate() {
                sources[new[to + back]].push(old[line]);
            }
        }
        let made = pair_lines(&old_lines[run.old.clone()], &new_lines[run.new.clone()]);
        for (line, made) in run.new.clone().zip(made) {
            if let Some(made) = made {
                sources[new[line]].push(old[run.old.start + made]);
            }
        }
        (from, to) = (run.old.end, run.new.end);
    }
    sources
}
