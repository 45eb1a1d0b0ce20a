//! Files that a person renames and indents between two calls: they are the same files.

use super::{History, Known, Truth, each_line_is_known, path, text};
use crate::WrittenBy;

impl History {
    /// A person renames the file and moves lines of it to the right or to the left, without a record.
    pub(super) fn rename_indented(&mut self) {
        self.keep_typed();
        let percent = [33, 70, 100][self.random.below(3)];
        let right = self.random.chance(60);
        for at in 0..self.lines.len() {
            if self.random.chance(percent) {
                self.indent(at, right);
            }
        }
        self.path = format!("src/{}.rs", 50 + self.next_call);
        *self.kept.path.borrow_mut() = self.path.clone();
    }

    fn indent(&mut self, at: usize, right: bool) {
        let line = &mut self.lines[at];
        let text = match right {
            true => format!("    {}", line.text),
            false => line.text.trim_start().to_owned(),
        };
        if !line.text.is_empty() && text != line.text {
            line.text = text;
            // Who moves a line may have a part in an agent's, and did not write one that was there before.
            if let Truth::Agent(call) = line.truth {
                line.truth = Truth::Indented(call);
            }
        }
    }
}

#[test]
fn each_line_of_a_random_history_with_renames_and_indents_is_known() {
    each_line_is_known(0, true);
}

/// Forty lines that were there and eighteen of an agent, of which a share is indented while the file is renamed.
fn indented(share: usize, size: usize) -> Vec<(Truth, WrittenBy)> {
    let mut history = History::new(5, 0);
    let line = |at: usize, truth: Truth| Known {
        id: 1_000 + at as u64,
        text: format!("let value_{at} = compute_the_value({at});"),
        truth,
    };
    let before = text(&history.lines);
    history.lines = (0..size).map(|at| line(at, Truth::Earlier)).collect();
    history.provenance = crate::LineProvenance::default();
    history.applied.clear();
    assert_ne!(before, text(&history.lines));
    let call = history.next_call;
    let added = (size..size + 18).map(|at| line(at, Truth::Agent(call))).collect();
    history.call(vec![(size / 2, 0, added)], &[true]);
    for at in 0..history.lines.len() {
        if at % 12 < share {
            history.indent(at, true);
        }
    }
    history.path = "src/renamed.rs".to_owned();
    *history.kept.path.borrow_mut() = history.path.clone();
    // Another line, so that the text has another length than before.
    history.lines.insert(0, line(9_999, Truth::Human));
    let now = text(&history.lines);
    let asked = history.provenance.marks_for(&path(&history.path), &now, None, &history.kept);
    let next = vec![line(7_777, Truth::Agent(history.next_call))];
    history.call(vec![(1, 0, next)], &[true]);
    let now = text(&history.lines);
    let marks = history.provenance.marks_for(&path(&history.path), &now, None, &history.kept);
    assert_eq!((marks[0], &marks[2..]), (asked[0], &asked[1..]), "the next call changes nothing of that");
    { history.lines.iter().zip(&marks) }.map(|(line, mark)| (line.truth.clone(), mark.by)).collect()
}

#[test]
fn a_file_that_is_renamed_and_indented_between_two_calls_keeps_its_lines() {
    for size in [40, 400] {
        for share in [0, 4, 8, 11, 12] {
            for (truth, by) in indented(share, size) {
                let right = match truth {
                    Truth::Earlier => WrittenBy::Earlier,
                    Truth::Agent(_) => WrittenBy::Agent,
                    Truth::Mixed | Truth::Indented(_) => WrittenBy::Mixed,
                    Truth::Human => WrittenBy::Human,
                };
                assert_eq!(by, right, "{share} of 12 lines indented, {size} lines");
            }
        }
    }
}

#[test]
fn another_file_with_the_same_short_lines_is_not_the_one_that_is_gone() {
    let mut history = History::new(7, 0);
    let new = ["{", "}", "    }", "  return x", "else {", "", "}", "}", "it is another file altogether"];
    let lines = new.iter().map(|text| Known { id: 1, text: (*text).to_owned(), truth: Truth::Human });
    history.lines = lines.collect();
    history.path = "src/another.rs".to_owned();
    *history.kept.path.borrow_mut() = history.path.clone();
    let now = text(&history.lines);
    let marks = history.provenance.marks_for(&path(&history.path), &now, None, &history.kept);
    assert!(marks.iter().all(|mark| mark.by == WrittenBy::Earlier), "{marks:?}");
}
