//! Lists and diffs that are bounded: what does not fit is counted.

/// Changes in a report.
pub(super) const CHANGES: usize = 20_000;
/// The most commands, refused calls, and unreviewed hunks, of each.
pub(super) const MOST_LISTED: usize = 2_000;
/// Bytes of one diff.
const DIFF: usize = 64 << 10;
/// Bytes of all diffs.
const DIFFS: usize = 8 << 20;

/// Adds to a list that has room; counts what has none.
pub(super) fn push_bounded<T>(list: &mut Vec<T>, most: usize, left_out: &mut u64, item: T) {
    match list.len() < most {
        true => list.push(item),
        false => *left_out += 1,
    }
}

/// The room that diffs have left.
#[derive(Debug)]
pub(super) struct DiffRoom {
    left: usize,
}

impl Default for DiffRoom {
    fn default() -> Self {
        Self { left: DIFFS }
    }
}

impl DiffRoom {
    /// As much of a diff as there is room for, cut at a line, and why it is not whole.
    pub(super) fn take_diff(&mut self, mut diff: String) -> (String, Option<String>) {
        let room = DIFF.min(self.left);
        if diff.len() <= room {
            self.left -= diff.len();
            return (diff, None);
        }
        let lines = diff.lines().count();
        let end = diff.floor_char_boundary(room);
        diff.truncate(diff[..end].rfind('\n').map_or(0, |at| at + 1));
        self.left -= diff.len();
        let kept = diff.lines().count();
        (diff, Some(format!("{} of its {lines} lines are left out", lines - kept)))
    }
}
