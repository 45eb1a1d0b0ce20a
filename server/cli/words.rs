//! The words that changed within the lines of a hunk.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// Bytes of a hunk's longest side that is compared.
const LARGEST: usize = 64 * 1024;

/// The time limit of a comparison; it is coarser afterwards.
const LIMIT: Duration = Duration::from_millis(50);

/// The percentage of changed characters above which a line counts as another line, without marked words.
const OTHER_LINE: usize = 70;

/// The changed ranges of each line.
pub(super) type MarkedRanges = Vec<Vec<Range<usize>>>;

/// A word or another single character, with its position.
struct LineWord<'a> {
    line: usize,
    range: Range<usize>,
    text: &'a str,
}

/// The changed ranges in each old line and in each new one.
pub(super) fn changed_words(old: &[String], new: &[String]) -> (MarkedRanges, MarkedRanges) {
    let mut marked = (vec![Vec::new(); old.len()], vec![Vec::new(); new.len()]);
    let bytes = |lines: &[String]| lines.iter().map(String::len).sum::<usize>();
    if old.is_empty() || new.is_empty() || bytes(old).max(bytes(new)) > LARGEST {
        return marked;
    }
    let (olds, news) = (split_lines(old), split_lines(new));
    let [old_texts, new_texts] =
        [&olds, &news].map(|words| words.iter().map(|word| word.text).collect::<Vec<_>>());
    let until = Instant::now() + LIMIT;
    for change in capture_diff_slices_deadline(Algorithm::Myers, &old_texts, &new_texts, Some(until)) {
        if !matches!(change, DiffOp::Equal { .. }) {
            mark_words(&mut marked.0, &olds[change.old_range()]);
            mark_words(&mut marked.1, &news[change.new_range()]);
        }
    }
    drop_other_lines(&mut marked.0, old);
    drop_other_lines(&mut marked.1, new);
    marked
}

fn split_lines(lines: &[String]) -> Vec<LineWord<'_>> {
    lines.iter().enumerate().flat_map(|(at, line)| words_of(at, line)).collect()
}

fn words_of(line: usize, text: &str) -> Vec<LineWord<'_>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<LineWord<'_>> = Vec::new();
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match words.last_mut().filter(|_| in_word && is_word(c)) {
            Some(word) => {
                word.range.end = end;
                word.text = &text[word.range.clone()];
            }
            None => words.push(LineWord { line, range: at..end, text: &text[at..end] }),
        }
        in_word = is_word(c);
    }
    // The line end is a word of its own, so that it does not match one within a line.
    words.push(LineWord { line, range: text.len()..text.len(), text: "\n" });
    words
}

fn mark_words(lines: &mut MarkedRanges, words: &[LineWord<'_>]) {
    for word in words.iter().filter(|word| !word.range.is_empty()) {
        let marked = &mut lines[word.line];
        match marked.last_mut().filter(|last| last.end == word.range.start) {
            Some(last) => last.end = word.range.end,
            None => marked.push(word.range.clone()),
        }
    }
}

fn drop_other_lines(marked: &mut MarkedRanges, lines: &[String]) {
    let signs = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
    for (ranges, line) in marked.iter_mut().zip(lines) {
        let changed: usize = ranges.iter().map(|range| signs(&line[range.clone()])).sum();
        if changed * 100 > signs(line) * OTHER_LINE {
            ranges.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGEST, changed_words};

    fn found(old: &[&str], new: &[&str]) -> (Vec<Vec<String>>, Vec<Vec<String>>) {
        let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let (old, new) = (owned(old), owned(new));
        let (olds, news) = changed_words(&old, &new);
        let texts = |lines: &[String], marked: Vec<Vec<std::ops::Range<usize>>>| {
            let of = |(line, ranges): (&String, Vec<std::ops::Range<usize>>)| {
                ranges.into_iter().map(|range| line[range].to_owned()).collect()
            };
            lines.iter().zip(marked).map(of).collect()
        };
        (texts(&old, olds), texts(&new, news))
    }

    #[test]
    fn the_words_that_changed_are_marked() {
        let (old, new) = found(&["let colour = grün;"], &["let color = grün;"]);
        assert_eq!((old, new), (vec![vec!["colour".to_owned()]], vec![vec!["color".to_owned()]]));
        let (old, new) = found(&["a(b)", "keep"], &["a(b, c)", "added", "keep"]);
        assert_eq!(old, [Vec::<String>::new(), Vec::new()]);
        assert_eq!(new, [vec![", c".to_owned()], Vec::new(), Vec::new()]);
    }

    #[test]
    fn another_line_and_a_huge_one_have_no_marks() {
        assert_eq!(found(&["one two"], &["three four"]), (vec![vec![]], vec![vec![]]));
        let huge = "x ".repeat(LARGEST);
        assert_eq!(found(&[&huge], &["x"]), (vec![vec![]], vec![vec![]]));
    }
}
