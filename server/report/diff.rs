//! A unified diff of the log, read line by line for a page that shows it.

/// The kind of a diff's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowKind {
    /// The place of the following lines: `@@ -1,3 +1,4 @@`.
    Place,
    /// A line that stays.
    Same,
    /// A line that goes.
    Removed,
    /// A line that comes.
    Added,
    /// A note on the line before it, or on the file: a rename, a mode.
    Note,
}

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DiffRow<'a> {
    /// Its kind.
    pub kind: RowKind,
    /// Its number in the old text.
    pub old: Option<u32>,
    /// Its number in the new text.
    pub new: Option<u32>,
    /// The line without its sign.
    pub text: &'a str,
    /// The run of changed lines that it belongs to, from 0.
    pub run: Option<usize>,
}

/// Lines added and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RunSize {
    pub added: u64,
    pub removed: u64,
}

/// Returns the lines of a diff. A diff that is cut is read up to its cut.
pub(super) fn diff_rows(diff: &str) -> Vec<DiffRow<'_>> {
    let (mut old, mut new, mut runs) = (0, 0, 0);
    let (mut placed, mut running) = (false, false);
    let mut rows = Vec::new();
    for line in diff.lines() {
        if let Some(place) = line.strip_prefix("@@ ") {
            (old, new) = line_starts(place);
            (placed, running) = (true, false);
            rows.push(DiffRow { kind: RowKind::Place, old: None, new: None, text: line, run: None });
            continue;
        }
        if !placed {
            if !is_heading(line) {
                rows.push(DiffRow { kind: RowKind::Note, old: None, new: None, text: line, run: None });
            }
            continue;
        }
        let (sign, text) = match line.chars().next() {
            Some(sign @ ('+' | '-' | ' ' | '\\')) => (sign, &line[1..]),
            _ => (' ', line),
        };
        let changes = matches!(sign, '+' | '-');
        runs += usize::from(changes && !running);
        running = changes || (running && sign == '\\');
        let run = changes.then(|| runs - 1);
        let (kind, own, its) = match sign {
            '+' => (RowKind::Added, None, Some(new)),
            '-' => (RowKind::Removed, Some(old), None),
            '\\' => (RowKind::Note, None, None),
            _ => (RowKind::Same, Some(old), Some(new)),
        };
        old += u32::from(own.is_some());
        new += u32::from(its.is_some());
        rows.push(DiffRow { kind, old: own, new: its, text, run });
    }
    rows
}

/// Returns the added and removed lines of each run of a diff.
pub(super) fn run_sizes(diff: &str) -> Vec<RunSize> {
    let mut sizes: Vec<RunSize> = Vec::new();
    for row in diff_rows(diff) {
        let Some(run) = row.run else { continue };
        sizes.resize(sizes.len().max(run + 1), RunSize::default());
        sizes[run].added += u64::from(row.kind == RowKind::Added);
        sizes[run].removed += u64::from(row.kind == RowKind::Removed);
    }
    sizes
}

/// Returns the number of the hunk, of a file's `hunks`, that a run of its diff is. Changes with no lines, such as a
/// rename, are the first hunks of their file and have no run.
pub(super) fn hunk_of(run: usize, runs: usize, hunks: usize) -> usize {
    (run + hunks.saturating_sub(runs)).min(hunks.saturating_sub(1))
}

/// Lines of a diff's head that say no more than the file's path does.
fn is_heading(line: &str) -> bool {
    ["diff --git ", "--- ", "+++ ", "index "].iter().any(|start| line.starts_with(start))
}

/// The first lines of both texts, from `-9,7 +9,10 @@ fn name`.
fn line_starts(place: &str) -> (u32, u32) {
    let number = |word: &str| {
        let digits = word.get(1..)?.split(',').next()?;
        digits.parse().ok()
    };
    let mut words = place.split(' ');
    let mut next = || words.next().and_then(number).unwrap_or(0);
    (next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2,5 +2,5 @@ f()\n a\n-b\n+B\n c\n-d\n-e\n+D\n\\ No newline\n@@ -40 +40 @@\n+--x\n";

    #[test]
    fn lines_have_their_numbers_and_runs() {
        let rows = diff_rows(DIFF);
        let found: Vec<_> = rows.iter().map(|row| (row.old, row.new, row.text, row.run)).collect();
        assert_eq!(found[1], (Some(2), Some(2), "a", None));
        assert_eq!(found[2], (Some(3), None, "b", Some(0)));
        assert_eq!(found[3], (None, Some(3), "B", Some(0)));
        assert_eq!(found[7], (None, Some(5), "D", Some(1)));
        assert_eq!(found[10], (None, Some(40), "--x", Some(2)));
        let size = |added, removed| RunSize { added, removed };
        assert_eq!(run_sizes(DIFF), [size(1, 1), size(1, 2), size(1, 0)]);
    }

    #[test]
    fn what_is_no_diff_reads_too() {
        for text in ["", "@@ -x +y @@\n+a", "@@ \n", "ü\n@@ -1 +1 @@\nü\n\n", "rename from a\nrename to b\n"]
        {
            let _ = run_sizes(text);
        }
        assert_eq!(diff_rows("diff --git a/a b/b\nrename from a\nrename to b\n").len(), 2);
    }

    #[test]
    fn the_hunks_with_lines_are_the_last_of_their_file() {
        for (run, runs, hunks, hunk) in [(0, 2, 2, 0), (0, 2, 3, 1), (1, 2, 3, 2), (3, 4, 2, 1), (0, 1, 0, 0)]
        {
            assert_eq!(hunk_of(run, runs, hunks), hunk, "{run} of {runs} in {hunks}");
        }
    }
}
