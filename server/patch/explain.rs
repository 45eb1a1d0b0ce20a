//! Refusals that show the text in the file and the next step.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::assemble::HunkClash;
use super::hunk::DiffHunk;
use super::lines::{line_body, split_lines};
use super::place::{HeaderDrift, HunkSide, PlaceTie};
use super::refusal::{FileExcerpt, LineDifference};
use super::text::IndexedText;
use super::{MatchLevel, PatchRefusal, RefusalCode};

/// The highest number of places that a refusal names.
pub(super) const PLACES: usize = 20;
/// The highest number of lines of the file that it shows, and of characters of each.
const SHOWN: (usize, usize) = (24, 200);
/// A place with this share of a hunk's lines is the one that it means.
const MOST: f64 = 0.8;
/// A line with more places than this gives no evidence for the place of a hunk.
const COMMON: usize = 64;
/// The number of lines to read on each side of a place to see it.
const AROUND: usize = 10;

pub(super) fn unknown_format(path: &str, format: &str) -> PatchRefusal {
    PatchRefusal::new(
        RefusalCode::Unsupported,
        path,
        format!("the diff for {path} is in {format}, which is not applied"),
        "Send a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`.",
    )
}

pub(super) fn no_hunk(path: &str) -> PatchRefusal {
    PatchRefusal::new(
        RefusalCode::Empty,
        path,
        format!("the diff for {path} has no hunk"),
        "Send a unified diff: each hunk begins with `@@` and each of its lines with a space, `-` or `+`.",
    )
}

pub(super) fn nothing_sought(path: &str) -> PatchRefusal {
    let message = format!("there is nothing to find in {path}");
    PatchRefusal::new(RefusalCode::Empty, path, message, "State the text to find, as it stands in the file.")
}

pub(super) fn no_match(path: &str, before: &str) -> PatchRefusal {
    let message = format!("the pattern matches nowhere in {path}");
    let advice = "Read the file again, and mend the pattern or find the text as it is.";
    PatchRefusal::new(RefusalCode::NotFound, path, message, advice)
        .then_read(1, split_lines(before).len().max(1))
}

/// The refusal for a text with another number of places, lines counted from 0, than expected.
pub(super) fn other_count(path: &str, found: usize, expected: usize, lines: &[usize]) -> PatchRefusal {
    let mut candidates: Vec<usize> = lines.iter().take(PLACES).map(|line| line + 1).collect();
    candidates.dedup();
    let message = format!(
        "the text stands in {found} places of {path}, not in {expected}: at lines {}",
        join_numbers(&candidates)
    );
    let advice = "Correct the number of places, or give more of the text around each.";
    let first = candidates.first().copied().unwrap_or(1);
    let refusal = PatchRefusal::new(RefusalCode::Ambiguous, path, message, advice);
    PatchRefusal { candidates, ..refusal }.then_see(first)
}

pub(super) fn no_change(path: &str) -> PatchRefusal {
    PatchRefusal::new(
        RefusalCode::Empty,
        path,
        format!("no hunk of the diff for {path} changes anything"),
        "Begin each line to remove with `-` and each line to add with `+`.",
    )
}

pub(super) fn unsupported_change(path: &str, what: &str) -> PatchRefusal {
    PatchRefusal::new(
        RefusalCode::Unsupported,
        path,
        format!("the diff for {path} is a {what}, which is not applied"),
        "Send only the change of text, for the path that the file has now.",
    )
}

pub(super) fn contradiction(path: &str, fault: &str) -> PatchRefusal {
    let message = format!("the diff for {path} contradicts itself: {fault}");
    let advice =
        "Make the diff anew with `git diff`, or send the lines alone, below `--- a/PATH` and `+++ b/PATH`.";
    PatchRefusal::new(RefusalCode::Unsupported, path, message, advice)
}

pub(super) fn was_empty(path: &str, before: &str) -> PatchRefusal {
    let lines = split_lines(before).len();
    let message = format!("the diff was made for an empty {path}, and it has {lines} lines now");
    let advice = "Read it, then send a diff against its text.";
    PatchRefusal::new(RefusalCode::Stale, path, message, advice).then_read(1, lines)
}

pub(super) fn truncated_diff(path: &str, hunks: usize) -> PatchRefusal {
    PatchRefusal::new(
        RefusalCode::Truncated,
        path,
        match hunks {
            0 => format!("the diff for {path} ends before its first hunk is whole"),
            hunks => format!("the diff for {path} ends in the middle of hunk {hunks}"),
        },
        "Send the whole diff again, or fewer hunks at a time.",
    )
}

pub(super) fn other_files(path: &str, files: Vec<String>) -> PatchRefusal {
    let one = files.len() == 1;
    let message = format!("the diff is for {}, not for {path}", list_files(&files));
    let advice = match one {
        true => "Give the path that the diff names, or correct the name in its header.",
        false => "Send one diff for each file, with that file's path.",
    };
    PatchRefusal { files, ..PatchRefusal::new(RefusalCode::OtherFile, path, message, advice) }
}

pub(super) fn several_sections(path: &str, files: Vec<String>) -> PatchRefusal {
    let message = format!("several parts of the diff may be for {path}: {}", list_files(&files));
    let advice = "Send one diff for each file, with that file's whole path.";
    PatchRefusal { files, ..PatchRefusal::new(RefusalCode::OtherFile, path, message, advice) }
}

pub(super) fn no_file(path: &str) -> PatchRefusal {
    PatchRefusal::new(
        RefusalCode::NotFound,
        path,
        format!("{path} does not exist, and the diff changes a file that does"),
        "Correct the path; to make the file, state `--- /dev/null` and only lines with `+`.",
    )
}

pub(super) fn file_exists(path: &str, before: &str) -> PatchRefusal {
    let lines = split_lines(before).len();
    let message = format!("the diff makes {path}, but it exists with {lines} lines");
    let advice = "Read it, then send a diff against its text, or write the whole file.";
    PatchRefusal::new(RefusalCode::Conflict, path, message, advice).then_read(1, lines)
}

pub(super) fn expects_lines(path: &str, hunk: usize, line: &str) -> PatchRefusal {
    let message =
        format!("the diff makes {path}, yet hunk {} expects a line in it: {}", hunk + 1, shorten_line(line));
    let advice = "Begin every line of a new file with `+`.";
    PatchRefusal::new(RefusalCode::Conflict, path, message, advice).at_hunk(hunk)
}

pub(super) fn left_out(path: &str, hunk: usize, line: &str) -> PatchRefusal {
    let message = format!(
        "hunk {} adds a line to {path} that stands for lines left out: {}",
        hunk + 1,
        shorten_line(line.trim())
    );
    let advice =
        "State every line that is to stand in the file; leave unchanged ones out of the added lines.";
    PatchRefusal::new(RefusalCode::Truncated, path, message, advice).at_hunk(hunk)
}

pub(super) fn not_whole(path: &str, left: usize) -> PatchRefusal {
    let message =
        format!("the diff deletes {path}, but does not state all of its lines: {left} would be left");
    let advice = "Read the file and state every line with `-`.";
    PatchRefusal::new(RefusalCode::Conflict, path, message, advice).then_read(1, left)
}

/// The refusal for a hunk without an anchor; `hint` is the line of the text where its header leads, counted from 0.
pub(super) fn no_anchor(path: &str, text: &IndexedText, hunk: usize, hint: Option<usize>) -> PatchRefusal {
    let message = format!("hunk {} only adds lines to {path}, and nothing says where", hunk + 1);
    let advice = "Put the line that stands before the added ones, and the line after them, into the hunk.";
    let refusal = PatchRefusal::new(RefusalCode::NoAnchor, path, message, advice).at_hunk(hunk);
    match hint.filter(|hint| *hint < text.lines.len()) {
        Some(hint) => refusal.then_see(hint + 1),
        None => refusal.then_read(1, text.lines.len().max(1)),
    }
}

pub(super) fn hunk_conflict(
    path: &str,
    HunkClash { hunks: (first, second), line }: HunkClash,
) -> PatchRefusal {
    let line = line + 1;
    let (first, second) = (first.min(second), first.max(second));
    let message = format!("hunks {} and {} both change {path} at line {line}", first + 1, second + 1);
    let advice = "Make one hunk of the two.";
    let refusal = PatchRefusal::new(RefusalCode::Conflict, path, message, advice).at_hunk(second);
    PatchRefusal { candidates: vec![line], ..refusal }.then_see(line)
}

pub(super) fn ambiguous_place(path: &str, tie: &PlaceTie) -> PatchRefusal {
    let mut candidates: Vec<usize> = tie.places.iter().take(PLACES).map(|place| place + 1).collect();
    candidates.dedup();
    let more = if tie.places.len() > PLACES { ", …" } else { "" };
    let number = tie.hunk + 1;
    let message = match &*candidates {
        [line] => format!("hunk {number} fits at line {line} of {path} in several ways"),
        _ => format!(
            "hunk {number} fits in {} places of {path}: at lines {}{more}",
            if more.is_empty() { candidates.len() } else { tie.places.len() },
            join_numbers(&candidates)
        ),
    };
    let advice =
        "Add lines before and after it until it fits in one place, or state its line: `@@ -LINE,COUNT …`.";
    let first = candidates.first().copied().unwrap_or(1);
    let refusal = PatchRefusal::new(RefusalCode::Ambiguous, path, message, advice).at_hunk(tie.hunk);
    PatchRefusal { candidates, ..refusal }.then_see(first)
}

impl PatchRefusal {
    /// Adds a read of the lines around a line, counted from 1, as the next step.
    fn then_see(self, line: usize) -> Self {
        self.then_read(line.saturating_sub(AROUND).max(1), line + AROUND)
    }
}

/// The refusal for a hunk whose lines are nowhere in the file.
pub(super) fn missing_hunk(
    path: &str,
    text: &IndexedText,
    hunks: &[DiffHunk],
    number: usize,
    already: &[bool],
) -> PatchRefusal {
    if already[number] {
        return half_applied(path, already);
    }
    let hunk = &hunks[number];
    let old = hunk.old_lines();
    let hint = hunk
        .stated
        .as_ref()
        .map(|stated| expected_line(text, hunks, number, HunkSide::Old.hinted_line(stated)));
    let near = nearest_place(text, &old, hint);
    HunkMisfit { number, old, hint, near, already: marked_numbers(already) }.into_refusal(path, text)
}

/// The refusal for a hunk whose lines are elsewhere, although most of them are where its header leads.
pub(super) fn stale_there(
    path: &str,
    text: &IndexedText,
    hunks: &[DiffHunk],
    number: usize,
    place: usize,
) -> PatchRefusal {
    let near = Some(NearestPlace { start: place, share: 1.0 });
    let old = hunks[number].old_lines();
    HunkMisfit { number, old, hint: Some(place), near, already: Vec::new() }.into_refusal(path, text)
}

/// A hunk that fits nowhere, and the evidence for its place.
struct HunkMisfit<'a> {
    /// The number of the hunk in the diff, counted from 0.
    number: usize,
    /// The lines that it expects.
    old: Vec<&'a str>,
    /// The line where its header leads, counted from 0.
    hint: Option<usize>,
    near: Option<NearestPlace>,
    /// The hunks that are in the file already, counted from 1.
    already: Vec<usize>,
}

impl HunkMisfit<'_> {
    fn into_refusal(self, path: &str, text: &IndexedText) -> PatchRefusal {
        let code = match &self.near {
            Some(near) if near.share >= 0.5 => RefusalCode::Stale,
            _ => RefusalCode::NotFound,
        };
        let difference = self.near.as_ref().and_then(|near| near.first_difference(text, &self.old));
        let message = self.message(path, difference.as_ref());
        let show = self.near.as_ref().map(|near| near.start).or(self.hint);
        let nearest = show.and_then(|start| make_excerpt(text, start, self.old.len()));
        let advice = self.advice(nearest.as_ref());
        let range = nearest.as_ref().map_or((1, text.lines.len().max(1)), |seen| (seen.start, seen.end()));
        let candidates = self.candidates(text.lines.len());
        let refusal =
            PatchRefusal::new(code, path, message, advice).at_hunk(self.number).then_read(range.0, range.1);
        let (sought_at, already) = (self.sought_at(), self.already);
        PatchRefusal { sought_at, difference, nearest, candidates, already, ..refusal }
    }

    /// The line where its header leads, counted from 1.
    fn sought_at(&self) -> Option<usize> {
        self.hint.map(|line| line + 1)
    }

    fn message(&self, path: &str, difference: Option<&LineDifference>) -> String {
        let number = self.number + 1;
        let at = self.sought_at().map_or(String::new(), |line| format!(", sought at line {line}"));
        match difference {
            Some(LineDifference { line, expected, actual: Some(actual) }) => {
                format!("hunk {number} does not fit {path}{at}: line {line} is `{actual}`, not `{expected}`")
            }
            Some(LineDifference { line, expected, actual: None }) => {
                format!("hunk {number} does not fit {path}{at}: it ends before line {line}, `{expected}`")
            }
            None => format!("nothing in {path} is like the lines of hunk {number}{at}"),
        }
    }

    fn advice(&self, nearest: Option<&FileExcerpt>) -> String {
        let mut advice = match nearest {
            Some(seen) => format!(
                "Make hunk {} again from lines {} to {} of the file as they stand.",
                self.number + 1,
                seen.start,
                seen.end()
            ),
            None => "Read the file, then make the diff from its text.".to_owned(),
        };
        if !self.already.is_empty() {
            let already = join_numbers(&self.already);
            advice.push_str(&format!(" Leave out what is in the file already: hunk {already}."));
        }
        advice
    }

    /// The lines that it may mean, counted from 1, in a file of so many lines.
    fn candidates(&self, lines: usize) -> Vec<usize> {
        let mut candidates: Vec<usize> = self.near.iter().map(|near| near.start + 1).collect();
        // If only a part of it resembles the hunk, the place where the header leads is a candidate as well.
        if self.near.as_ref().is_some_and(|near| near.share < MOST) {
            candidates.extend(self.sought_at().filter(|line| *line <= lines));
            candidates.dedup();
        }
        candidates
    }
}

/// The refusal if some hunks are in the file, and every other one would fit.
fn half_applied(path: &str, already: &[bool]) -> PatchRefusal {
    let already = marked_numbers(already);
    let named = join_numbers(&already);
    let message = format!("what hunk {named} states is in {path} already, the rest is not");
    let advice = format!("Send the diff again without hunk {named}.");
    PatchRefusal { already, ..PatchRefusal::new(RefusalCode::Stale, path, message, advice) }
}

/// The numbers, from 1, of the hunks that are marked.
fn marked_numbers(marked: &[bool]) -> Vec<usize> {
    (1..).zip(marked).filter(|(_, marked)| **marked).map(|(number, _)| number).collect()
}

fn join_numbers(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The line where a header leads, corrected by the offset of the hunks that were found.
fn expected_line(text: &IndexedText, hunks: &[DiffHunk], number: usize, hint: usize) -> usize {
    let sure = |hunk: &DiffHunk| match *text.find_side(hunk, HunkSide::Old, MatchLevel::Exact)?.places {
        [place] => Some(place),
        _ => None,
    };
    let sure: Vec<Option<usize>> = hunks.iter().map(sure).collect();
    let drift = HeaderDrift::new(hunks, &sure, HunkSide::Old).offset_of(number);
    (hint as i64 + drift).clamp(0, text.lines.len().saturating_sub(1) as i64) as usize
}

/// The place that has most of a hunk's lines.
struct NearestPlace {
    start: usize,
    /// The share of the hunk that matches there, from 0 to 1.
    share: f64,
}

impl NearestPlace {
    fn first_difference(&self, text: &IndexedText, old: &[&str]) -> Option<LineDifference> {
        let differs = |(number, line): (usize, &&str)| {
            let actual = text.lines.get(self.start + number).map(|line| line_body(line));
            (actual.map(str::trim_end) != Some(line.trim_end())).then(|| LineDifference {
                line: self.start + number + 1,
                expected: from_difference(line, actual),
                actual: actual.map(|actual| from_difference(actual, Some(line))),
            })
        };
        old.iter().enumerate().find_map(differs)
    }
}

fn nearest_place(text: &IndexedText, old: &[&str], hint: Option<usize>) -> Option<NearestPlace> {
    let weight = |line: &str| if line.contains(char::is_alphanumeric) { 1.0 } else { 0.1 };
    let mut votes: HashMap<usize, f64> = HashMap::new();
    for (number, line) in old.iter().enumerate() {
        let places = text.index(MatchLevel::Exact).find_run(&[line]);
        let told = places.iter().filter(|_| places.len() <= COMMON);
        for start in told.filter_map(|place| place.checked_sub(number)) {
            *votes.entry(start).or_default() += weight(line);
        }
    }
    let far = |start: usize| hint.map_or(start, |hint| start.abs_diff(hint));
    let best = |(start, votes): &(usize, f64)| ((votes * 10.0) as u64, Reverse(far(*start)), Reverse(*start));
    let (start, votes) = votes.into_iter().max_by_key(best)?;
    let all: f64 = old.iter().map(|line| weight(line)).sum();
    let share = votes / all.max(f64::MIN_POSITIVE);
    (share >= 0.2).then_some(NearestPlace { start, share })
}

fn make_excerpt(text: &IndexedText, start: usize, len: usize) -> Option<FileExcerpt> {
    let from = start.saturating_sub(2);
    let to = (start + len + 2).min(from + SHOWN.0).min(text.lines.len());
    let lines = text.lines.get(from..to)?;
    let lines: Vec<String> = lines.iter().map(|line| shorten_line(line_body(line))).collect();
    (!lines.is_empty()).then_some(FileExcerpt { start: from + 1, lines })
}

/// A long line from shortly before where it differs from another.
fn from_difference(line: &str, other: Option<&str>) -> String {
    let same = line.chars().zip(other.unwrap_or_default().chars()).take_while(|(a, b)| a == b).count();
    match line.char_indices().nth(same.saturating_sub(SHOWN.1 / 4)) {
        Some((at, _)) if same > SHOWN.1 / 2 => format!("…{}", shorten_line(&line[at..])),
        _ => shorten_line(line),
    }
}

fn shorten_line(line: &str) -> String {
    match line.char_indices().nth(SHOWN.1) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

fn list_files(files: &[String]) -> String {
    match files {
        [.., _] if files.len() > PLACES => {
            format!("{} and {} others", files[..PLACES].join(", "), files.len() - PLACES)
        }
        files => files.join(", "),
    }
}
