//! Refusals that say what stands in the file and what to do next.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::assemble::Clash;
use super::hunk::Hunk;
use super::lines::{body, split};
use super::place::{Drift, Side, Tie};
use super::refusal::{Difference, Excerpt};
use super::text::Text;
use super::{Level, Refusal, RefusalCode};

/// How many places a refusal names at most.
pub(super) const PLACES: usize = 20;
/// How many lines of the file it shows at most, and how many characters of each.
const SHOWN: (usize, usize) = (24, 200);
/// A place with this share of a hunk's lines is the one that it means.
const MOST: f64 = 0.8;
/// A line that stands in more places than this tells nothing of where a hunk belongs.
const COMMON: usize = 64;
/// How many lines on each side of a place are to be read to see it.
const AROUND: usize = 10;

pub(super) fn format(path: &str, format: &str) -> Refusal {
    Refusal::new(
        RefusalCode::Unsupported,
        path,
        format!("the diff for {path} is in {format}, which is not applied"),
        "Send a unified diff: `--- a/PATH`, `+++ b/PATH`, then hunks that begin with `@@`.",
    )
}

pub(super) fn no_hunk(path: &str) -> Refusal {
    Refusal::new(
        RefusalCode::Empty,
        path,
        format!("the diff for {path} has no hunk"),
        "Send a unified diff: each hunk begins with `@@` and each of its lines with a space, `-` or `+`.",
    )
}

pub(super) fn nothing_sought(path: &str) -> Refusal {
    let message = format!("there is nothing to find in {path}");
    Refusal::new(RefusalCode::Empty, path, message, "State the text to find, as it stands in the file.")
}

pub(super) fn no_match(path: &str, before: &str) -> Refusal {
    let message = format!("the pattern matches nowhere in {path}");
    let advice = "Read the file again, and mend the pattern or find the text as it is.";
    Refusal::new(RefusalCode::NotFound, path, message, advice).then_read(1, split(before).len().max(1))
}

/// A text that stands in another number of places, lines counted from 0, than its finder expects.
pub(super) fn other_count(path: &str, found: usize, expected: usize, lines: &[usize]) -> Refusal {
    let mut candidates: Vec<usize> = lines.iter().take(PLACES).map(|line| line + 1).collect();
    candidates.dedup();
    let message = format!(
        "the text stands in {found} places of {path}, not in {expected}: at lines {}",
        joined(&candidates)
    );
    let advice = "Correct the number of places, or give more of the text around each.";
    let first = candidates.first().copied().unwrap_or(1);
    let refusal = Refusal::new(RefusalCode::Ambiguous, path, message, advice);
    Refusal { candidates, ..refusal }.then_see(first)
}

pub(super) fn no_change(path: &str) -> Refusal {
    Refusal::new(
        RefusalCode::Empty,
        path,
        format!("no hunk of the diff for {path} changes anything"),
        "Begin each line to remove with `-` and each line to add with `+`.",
    )
}

pub(super) fn unsupported(path: &str, what: &str) -> Refusal {
    Refusal::new(
        RefusalCode::Unsupported,
        path,
        format!("the diff for {path} is a {what}, which is not applied"),
        "Send only the change of text, for the path that the file has now.",
    )
}

pub(super) fn truncated(path: &str, hunks: usize) -> Refusal {
    Refusal::new(
        RefusalCode::Truncated,
        path,
        match hunks {
            0 => format!("the diff for {path} ends before its first hunk is whole"),
            hunks => format!("the diff for {path} ends in the middle of hunk {hunks}"),
        },
        "Send the whole diff again, or fewer hunks at a time.",
    )
}

pub(super) fn other_files(path: &str, files: Vec<String>) -> Refusal {
    let one = files.len() == 1;
    let message = format!("the diff is for {}, not for {path}", listed(&files));
    let advice = match one {
        true => "Give the path that the diff names, or correct the name in its header.",
        false => "Send one diff for each file, with that file's path.",
    };
    Refusal { files, ..Refusal::new(RefusalCode::OtherFile, path, message, advice) }
}

pub(super) fn several(path: &str, files: Vec<String>) -> Refusal {
    let message = format!("several parts of the diff may be for {path}: {}", listed(&files));
    let advice = "Send one diff for each file, with that file's whole path.";
    Refusal { files, ..Refusal::new(RefusalCode::OtherFile, path, message, advice) }
}

pub(super) fn no_file(path: &str) -> Refusal {
    Refusal::new(
        RefusalCode::NotFound,
        path,
        format!("{path} does not exist, and the diff changes a file that does"),
        "Correct the path; to make the file, state `--- /dev/null` and only lines with `+`.",
    )
}

pub(super) fn exists(path: &str, before: &str) -> Refusal {
    let lines = split(before).len();
    let message = format!("the diff makes {path}, but it exists with {lines} lines");
    let advice = "Read it, then send a diff against its text, or write the whole file.";
    Refusal::new(RefusalCode::Conflict, path, message, advice).then_read(1, lines)
}

pub(super) fn expects_lines(path: &str, hunk: usize, line: &str) -> Refusal {
    let message =
        format!("the diff makes {path}, yet hunk {} expects a line in it: {}", hunk + 1, short(line));
    let advice = "Begin every line of a new file with `+`.";
    Refusal::new(RefusalCode::Conflict, path, message, advice).at_hunk(hunk)
}

pub(super) fn left_out(path: &str, hunk: usize, line: &str) -> Refusal {
    let message = format!(
        "hunk {} adds a line to {path} that stands for lines left out: {}",
        hunk + 1,
        short(line.trim())
    );
    let advice =
        "State every line that is to stand in the file; leave unchanged ones out of the added lines.";
    Refusal::new(RefusalCode::Truncated, path, message, advice).at_hunk(hunk)
}

pub(super) fn not_whole(path: &str, left: usize) -> Refusal {
    let message =
        format!("the diff deletes {path}, but does not state all of its lines: {left} would be left");
    let advice = "Read the file and state every line with `-`.";
    Refusal::new(RefusalCode::Conflict, path, message, advice).then_read(1, left)
}

/// `hint` is the line of the text where its header leads, counted from 0.
pub(super) fn no_anchor(path: &str, text: &Text, hunk: usize, hint: Option<usize>) -> Refusal {
    let message = format!("hunk {} only adds lines to {path}, and nothing says where", hunk + 1);
    let advice = "Put the line that stands before the added ones, and the line after them, into the hunk.";
    let refusal = Refusal::new(RefusalCode::NoAnchor, path, message, advice).at_hunk(hunk);
    match hint.filter(|hint| *hint < text.lines.len()) {
        Some(hint) => refusal.then_see(hint + 1),
        None => refusal.then_read(1, text.lines.len().max(1)),
    }
}

pub(super) fn conflict(path: &str, Clash { hunks: (first, second), line }: Clash) -> Refusal {
    let line = line + 1;
    let (first, second) = (first.min(second), first.max(second));
    let message = format!("hunks {} and {} both change {path} at line {line}", first + 1, second + 1);
    let advice = "Make one hunk of the two.";
    let refusal = Refusal::new(RefusalCode::Conflict, path, message, advice).at_hunk(second);
    Refusal { candidates: vec![line], ..refusal }.then_see(line)
}

pub(super) fn tie(path: &str, tie: &Tie) -> Refusal {
    let mut candidates: Vec<usize> = tie.places.iter().take(PLACES).map(|place| place + 1).collect();
    candidates.dedup();
    let more = if tie.places.len() > PLACES { ", …" } else { "" };
    let number = tie.hunk + 1;
    let message = match &*candidates {
        [line] => format!("hunk {number} fits at line {line} of {path} in several ways"),
        _ => format!(
            "hunk {number} fits in {} places of {path}: at lines {}{more}",
            if more.is_empty() { candidates.len() } else { tie.places.len() },
            joined(&candidates)
        ),
    };
    let advice =
        "Add lines before and after it until it fits in one place, or state its line: `@@ -LINE,COUNT …`.";
    let first = candidates.first().copied().unwrap_or(1);
    let refusal = Refusal::new(RefusalCode::Ambiguous, path, message, advice).at_hunk(tie.hunk);
    Refusal { candidates, ..refusal }.then_see(first)
}

impl Refusal {
    /// Adds a read of what stands around a line, counted from 1, as the next act.
    fn then_see(self, line: usize) -> Self {
        self.then_read(line.saturating_sub(AROUND).max(1), line + AROUND)
    }
}

/// A hunk whose lines stand nowhere.
pub(super) fn missing(path: &str, text: &Text, hunks: &[Hunk], number: usize, already: &[bool]) -> Refusal {
    if already[number] {
        return half_applied(path, already);
    }
    let hunk = &hunks[number];
    let old = hunk.old();
    let hint = hunk.stated.as_ref().map(|stated| expected(text, hunks, number, Side::Old.hint(stated)));
    let near = nearest(text, &old, hint);
    Misfit { number, old, hint, near, already: numbered(already) }.refusal(path, text)
}

/// A hunk whose lines stand elsewhere, although its header leads to a place that has most of them.
pub(super) fn stale_there(path: &str, text: &Text, hunks: &[Hunk], number: usize, place: usize) -> Refusal {
    let near = Some(Near { start: place, share: 1.0 });
    let old = hunks[number].old();
    Misfit { number, old, hint: Some(place), near, already: Vec::new() }.refusal(path, text)
}

/// A hunk that fits nowhere, and what is known of the place that it means.
struct Misfit<'a> {
    /// Which hunk of the diff, counted from 0.
    number: usize,
    /// The lines that it expects.
    old: Vec<&'a str>,
    /// The line where its header leads, counted from 0.
    hint: Option<usize>,
    near: Option<Near>,
    /// The hunks that are in the file already, counted from 1.
    already: Vec<usize>,
}

impl Misfit<'_> {
    fn refusal(self, path: &str, text: &Text) -> Refusal {
        let code = match &self.near {
            Some(near) if near.share >= 0.5 => RefusalCode::Stale,
            _ => RefusalCode::NotFound,
        };
        let difference = self.near.as_ref().and_then(|near| near.difference(text, &self.old));
        let message = self.message(path, difference.as_ref());
        let show = self.near.as_ref().map(|near| near.start).or(self.hint);
        let nearest = show.and_then(|start| excerpt(text, start, self.old.len()));
        let advice = self.advice(nearest.as_ref());
        let range = nearest.as_ref().map_or((1, text.lines.len().max(1)), |seen| (seen.start, seen.end()));
        let candidates = self.candidates(text.lines.len());
        let refusal =
            Refusal::new(code, path, message, advice).at_hunk(self.number).then_read(range.0, range.1);
        let (sought_at, already) = (self.sought_at(), self.already);
        Refusal { sought_at, difference, nearest, candidates, already, ..refusal }
    }

    /// The line where its header leads, counted from 1.
    fn sought_at(&self) -> Option<usize> {
        self.hint.map(|line| line + 1)
    }

    fn message(&self, path: &str, difference: Option<&Difference>) -> String {
        let number = self.number + 1;
        let at = self.sought_at().map_or(String::new(), |line| format!(", sought at line {line}"));
        match difference {
            Some(Difference { line, expected, actual: Some(actual) }) => {
                format!("hunk {number} does not fit {path}{at}: line {line} is `{actual}`, not `{expected}`")
            }
            Some(Difference { line, expected, actual: None }) => {
                format!("hunk {number} does not fit {path}{at}: it ends before line {line}, `{expected}`")
            }
            None => format!("nothing in {path} is like the lines of hunk {number}{at}"),
        }
    }

    fn advice(&self, nearest: Option<&Excerpt>) -> String {
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
            let already = joined(&self.already);
            advice.push_str(&format!(" Leave out what is in the file already: hunk {already}."));
        }
        advice
    }

    /// The lines that it may mean, counted from 1, in a file of so many lines.
    fn candidates(&self, lines: usize) -> Vec<usize> {
        let mut candidates: Vec<usize> = self.near.iter().map(|near| near.start + 1).collect();
        // Where only a part of it is like the hunk, the place where the header leads may be meant as well.
        if self.near.as_ref().is_some_and(|near| near.share < MOST) {
            candidates.extend(self.sought_at().filter(|line| *line <= lines));
            candidates.dedup();
        }
        candidates
    }
}

/// Some hunks are in the file, and every other one would fit.
fn half_applied(path: &str, already: &[bool]) -> Refusal {
    let already = numbered(already);
    let named = joined(&already);
    let message = format!("what hunk {named} states is in {path} already, the rest is not");
    let advice = format!("Send the diff again without hunk {named}.");
    Refusal { already, ..Refusal::new(RefusalCode::Stale, path, message, advice) }
}

/// The numbers, from 1, of the hunks that are marked.
fn numbered(marked: &[bool]) -> Vec<usize> {
    (1..).zip(marked).filter(|(_, marked)| **marked).map(|(number, _)| number).collect()
}

fn joined(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// The line where a header leads, corrected by how the hunks that were found stand off theirs.
fn expected(text: &Text, hunks: &[Hunk], number: usize, hint: usize) -> usize {
    let sure = |hunk: &Hunk| match *text.find(hunk, Side::Old, Level::Exact)?.places {
        [place] => Some(place),
        _ => None,
    };
    let sure: Vec<Option<usize>> = hunks.iter().map(sure).collect();
    let drift = Drift::new(hunks, &sure, Side::Old).at(number);
    (hint as i64 + drift).clamp(0, text.lines.len().saturating_sub(1) as i64) as usize
}

/// The place that has most of a hunk's lines.
struct Near {
    start: usize,
    /// How much of the hunk stands there, from 0 to 1.
    share: f64,
}

impl Near {
    fn difference(&self, text: &Text, old: &[&str]) -> Option<Difference> {
        let differs = |(number, line): (usize, &&str)| {
            let actual = text.lines.get(self.start + number).map(|line| body(line));
            (actual.map(str::trim_end) != Some(line.trim_end())).then(|| Difference {
                line: self.start + number + 1,
                expected: from_difference(line, actual),
                actual: actual.map(|actual| from_difference(actual, Some(line))),
            })
        };
        old.iter().enumerate().find_map(differs)
    }
}

fn nearest(text: &Text, old: &[&str], hint: Option<usize>) -> Option<Near> {
    let weight = |line: &str| if line.contains(char::is_alphanumeric) { 1.0 } else { 0.1 };
    let mut votes: HashMap<usize, f64> = HashMap::new();
    for (number, line) in old.iter().enumerate() {
        let places = text.index(Level::Exact).find(&[line]);
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
    (share >= 0.2).then_some(Near { start, share })
}

fn excerpt(text: &Text, start: usize, len: usize) -> Option<Excerpt> {
    let from = start.saturating_sub(2);
    let to = (start + len + 2).min(from + SHOWN.0).min(text.lines.len());
    let lines = text.lines.get(from..to)?;
    let lines: Vec<String> = lines.iter().map(|line| short(body(line))).collect();
    (!lines.is_empty()).then_some(Excerpt { start: from + 1, lines })
}

/// A long line from shortly before where it differs from another.
fn from_difference(line: &str, other: Option<&str>) -> String {
    let same = line.chars().zip(other.unwrap_or_default().chars()).take_while(|(a, b)| a == b).count();
    match line.char_indices().nth(same.saturating_sub(SHOWN.1 / 4)) {
        Some((at, _)) if same > SHOWN.1 / 2 => format!("…{}", short(&line[at..])),
        _ => short(line),
    }
}

fn short(line: &str) -> String {
    match line.char_indices().nth(SHOWN.1) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

fn listed(files: &[String]) -> String {
    match files {
        [.., _] if files.len() > PLACES => {
            format!("{} and {} others", files[..PLACES].join(", "), files.len() - PLACES)
        }
        files => files.join(", "),
    }
}
