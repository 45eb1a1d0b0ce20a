//! Hunks follow the text they stand in.

use crate::base::HunkId;
use crate::patch::{self, ChangedLines, LineMoves};
use crate::protocol::{ChangeKind, Code, Fault, Hunk, HunkState, LineEdit, ProposedFile};

/// The move of a hunk whose text changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HunkMove {
    /// It is at this line.
    To(u32),
    /// It was put in place by another party, at this line: by an editor, after a preview that the person confirmed.
    Put(u32),
    /// Its old lines were changed beside the words that it changes: both changes are in its lines now.
    Retyped(ChangedLines),
    /// Its old lines are gone, and its new ones are not there either.
    Gone,
}

/// Returns the positions in `now` of a file's hunks that were in `was`, by their places in the file. A pending hunk is
/// where its old lines are, an accepted one where its new lines are. Where it `merges`, what was typed into the old lines of
/// a pending hunk becomes part of it.
pub(crate) fn hunk_moves(
    file: &ProposedFile,
    was: Option<&str>,
    now: Option<&str>,
    moves: Option<&LineMoves<'_>>,
    merges: bool,
) -> Vec<(usize, HunkMove)> {
    if file.kind == ChangeKind::Create && is_nothing(was) && is_nothing(now) {
        return Vec::new();
    }
    let line = |start: usize| u32::try_from(start).unwrap_or(u32::MAX);
    let of = |hunk: &Hunk| {
        let placed = match hunk.state {
            HunkState::Pending => false,
            HunkState::Accepted => true,
            HunkState::Rejected | HunkState::Stale => return None,
        };
        if let Some(start) = moves.and_then(|moves| moves.relocate(&hunk_cut(hunk, placed))) {
            return Some(HunkMove::To(line(start)));
        }
        let put = || {
            let (was, now) = was.zip(now).filter(|(_, now)| now.contains(&hunk.new.concat()))?;
            let put = patch::splice_lines(was, hunk.start as usize, &hunk.old, &hunk.new)?;
            patch::relocate_hunk(&put, now, &hunk_cut(hunk, true))
        };
        let merges = merges && file.kind == ChangeKind::Edit;
        let retyped = || moves.filter(|_| merges)?.merge_retyped(&hunk_cut(hunk, false));
        match placed {
            true => None,
            false if file.kind == ChangeKind::Delete && now.is_none() => Some(HunkMove::Put(hunk.start)),
            false => Some(put().map_or_else(
                || retyped().map_or(HunkMove::Gone, HunkMove::Retyped),
                |start| HunkMove::Put(line(start)),
            )),
        }
    };
    file.hunks.iter().enumerate().filter_map(|(at, hunk)| Some((at, of(hunk)?))).collect()
}

/// Returns the hunks, by their indices in the file, that were applied without a review and that someone took out of the
/// text: `now` differs from `was` in nothing else, as `moves` has it. One, or several that a diff shows as one change.
pub(crate) fn hunks_taken_out(
    file: &ProposedFile,
    (was, now): (&str, &str),
    moves: &LineMoves<'_>,
) -> Vec<usize> {
    if !file.hunks.iter().any(Hunk::is_unreviewed) {
        return Vec::new();
    }
    let (first, last) = moves.changed_lines();
    let is_touched = |hunk: &Hunk| {
        let start = hunk.start as usize;
        first <= start + hunk.new.len() && start <= last
    };
    let hunks = file.hunks.iter().enumerate();
    let touched: Vec<(usize, &Hunk)> =
        hunks.filter(|(_, hunk)| hunk.is_unreviewed() && is_touched(hunk)).collect();
    if touched.is_empty() {
        return Vec::new();
    }
    let is_all = |hunks: &[(usize, &Hunk)]| {
        let mut latest_first = hunks.to_vec();
        latest_first.sort_by_key(|(_, hunk)| std::cmp::Reverse(hunk.start));
        let without = latest_first.iter().try_fold(was.to_owned(), |text, (_, hunk)| {
            patch::splice_lines(&text, hunk.start as usize, &hunk.new, &hunk.old)
        });
        without.is_some_and(|without| without == now)
    };
    let found = if is_all(&touched) { Some(&*touched) } else { touched.chunks(1).find(|one| is_all(one)) };
    found.unwrap_or_default().iter().map(|(at, _)| *at).collect()
}

/// Returns whether a file is still new: it does not exist, or an editor has an empty document at its path. Some editors
/// end the one line of such a document.
pub(crate) fn is_nothing(text: Option<&str>) -> bool {
    matches!(text, None | Some("" | "\n" | "\r\n"))
}

/// Returns the cut of a hunk in a text: by its old lines, or once it is `placed` by its new ones.
pub fn hunk_cut(hunk: &Hunk, placed: bool) -> ChangedLines {
    let (there, other) = if placed { (&hunk.new, &hunk.old) } else { (&hunk.old, &hunk.new) };
    ChangedLines { old_start: hunk.start as usize, old: there.clone(), new: other.clone() }
}

/// Moves the hunks below one that was put in place (or, `back`, taken out) along with the lines it changed.
fn shift_hunks(file: &mut ProposedFile, placed: &Hunk, back: bool) {
    let (from, to) = match back {
        false => (placed.old.len(), placed.new.len()),
        true => (placed.new.len(), placed.old.len()),
    };
    let end = placed.start as usize + from;
    for hunk in &mut file.hunks {
        if hunk.id != placed.id && hunk.start as usize >= end && hunk.start >= placed.start {
            hunk.start = u32::try_from(hunk.start as usize + to - from).unwrap_or(u32::MAX);
        }
    }
}

/// Hunks that were put in place, or taken `back`.
pub struct PlannedHunks<'a> {
    /// Their file, as it was before.
    pub file: &'a ProposedFile,
    /// Their ids.
    pub hunks: &'a [HunkId],
    /// True where they were taken out.
    pub back: bool,
    /// The text as planned.
    pub after: Option<&'a str>,
}

impl PlannedHunks<'_> {
    /// The ids of those that are in the text as it is now.
    pub fn found_in(&self, now: Option<&str>) -> Vec<HunkId> {
        if self.after == now {
            return self.hunks.to_vec();
        }
        let Some((after, now)) = self.after.zip(now) else { return Vec::new() };
        let mut file = self.file.clone();
        shift_all(&mut file, self.hunks, self.back);
        let moves = LineMoves::new(after, now);
        let is_there = |hunk: &&Hunk| {
            self.hunks.contains(&hunk.id) && moves.relocate(&hunk_cut(hunk, !self.back)).is_some()
        };
        file.hunks.iter().filter(is_there).map(|hunk| hunk.id.clone()).collect()
    }
}

/// Moves the hunks below some along: from the last to the first, since each one's place is that of the text before.
pub(crate) fn shift_all(file: &mut ProposedFile, hunks: &[HunkId], back: bool) {
    let placed: Vec<Hunk> = file.hunks.iter().filter(|hunk| hunks.contains(&hunk.id)).cloned().collect();
    placed.iter().rev().for_each(|hunk| shift_hunks(file, hunk, back));
}

/// The text with hunks in it, or out of it.
///
/// # Errors
/// STALE where one of them is not in the text.
pub fn text_with_hunks(
    file: &ProposedFile,
    hunks: &[HunkId],
    before: Option<&str>,
    back: bool,
) -> Result<Option<String>, Fault> {
    match hunks.is_empty() {
        true => Ok(before.map(str::to_owned)),
        false => plan_placement(file, hunks, before, back).map(|plan| plan.after),
    }
}

/// The text with hunks in it, and the edits that lead there.
#[derive(Debug)]
pub struct PlacementPlan {
    /// The text afterwards; none where no file is left.
    pub after: Option<String>,
    /// The changed lines, for an editor.
    pub edits: Vec<LineEdit>,
}

/// The text with hunks in it (or out of it), and the edits that lead there.
///
/// # Errors
/// STALE where one of them is not in the text.
pub fn plan_placement(
    file: &ProposedFile,
    hunks: &[HunkId],
    before: Option<&str>,
    back: bool,
) -> Result<PlacementPlan, Fault> {
    let wanted: Vec<&Hunk> = file.hunks.iter().filter(|hunk| hunks.contains(&hunk.id)).collect();
    let only = |text: &dyn Fn(&Hunk) -> String| wanted.first().map(|hunk| text(hunk)).unwrap_or_default();
    let whole = || only(&|hunk| hunk.new.concat());
    let removed = || only(&|hunk| hunk.old.concat());
    match (file.kind, back) {
        (ChangeKind::Create, false) if before.is_none() => {
            return Ok(PlacementPlan { after: Some(whole()), edits: Vec::new() });
        }
        (ChangeKind::Create, false) if is_nothing(before) => {
            let count = before.map_or(0, |before| before.lines().count());
            let edit = LineEdit { start: 0, count: u32::try_from(count).unwrap_or(u32::MAX), text: whole() };
            return Ok(PlacementPlan { after: Some(whole()), edits: vec![edit] });
        }
        (ChangeKind::Create, true) => return whole_file(file, before, whole(), None),
        (ChangeKind::Delete, false) => return whole_file(file, before, removed(), None),
        (ChangeKind::Delete, true) => return whole_file(file, before, removed(), Some(removed())),
        _ => {}
    }
    let mut text = before.unwrap_or_default().to_owned();
    let mut edits = Vec::new();
    for hunk in wanted.iter().rev() {
        let (from, to) = if back { (&hunk.new, &hunk.old) } else { (&hunk.old, &hunk.new) };
        text = patch::splice_lines(&text, hunk.start as usize, from, to).ok_or_else(|| {
            Fault::new(
                Code::Stale,
                format!("{} is not in {} at line {} any more", hunk.id, file.path, hunk.start + 1),
            )
        })?;
        let count = u32::try_from(from.len()).unwrap_or(u32::MAX);
        edits.push(LineEdit { start: hunk.start, count, text: to.concat() });
    }
    edits.reverse();
    Ok(PlacementPlan { after: Some(text), edits })
}

/// Plans a file that goes whole, or comes back whole: lines that no one has reviewed are not lost with it.
fn whole_file(
    file: &ProposedFile,
    before: Option<&str>,
    known: String,
    after: Option<String>,
) -> Result<PlacementPlan, Fault> {
    if before.is_none_or(|before| before == known) {
        return Ok(PlacementPlan { after, edits: Vec::new() });
    }
    let act = if file.kind == ChangeKind::Create { "made" } else { "proposed to be removed" };
    let message = format!("{} holds another text than when it was {act}; it is left as it stands", file.path);
    Err(Fault::new(Code::Stale, message)
        .with_suggestion("look at what it holds now, and remove or write it by hand")
        .with_details(serde_json::json!({ "path": file.path })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::WorkspacePath;

    fn edit(hunks: Vec<Hunk>) -> ProposedFile {
        ProposedFile {
            path: WorkspacePath::from_relative("a").unwrap(),
            uri: "file:///a".to_owned(),
            kind: ChangeKind::Edit,
            version: None,
            from: None,
            before: None,
            after: None,
            executable: None,
            what: None,
            hunks,
        }
    }

    fn lines(text: &str) -> Vec<String> {
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    /// A hunk that was applied without a review.
    fn applied(id: &str, start: u32, old: &str, new: &str) -> Hunk {
        let state = HunkState::Accepted;
        Hunk { id: id.into(), start, old: lines(old), new: lines(new), state, ..Hunk::default() }
    }

    fn taken(file: &ProposedFile, was: &str, now: &str) -> Vec<usize> {
        hunks_taken_out(file, (was, now), &LineMoves::new(was, now))
    }

    #[test]
    fn a_change_that_is_exactly_some_hunks_taken_out_is_told_from_every_other() {
        let file = edit(vec![
            applied("h1", 1, "b\n", "B\n"),
            applied("h2", 2, "", "new\n"),
            applied("h3", 4, "d\n", ""),
        ]);
        let was = "a\nB\nnew\nc\ne\n";
        for (now, out) in [
            ("a\nb\nnew\nc\ne\n", &[0][..]),
            ("a\nB\nc\ne\n", &[1]),
            ("a\nB\nnew\nc\nd\ne\n", &[2]),
            ("a\nb\nc\ne\n", &[0, 1]),
            ("a\nb\nc\nd\ne\n", &[0, 1, 2]),
            ("a\nB\nother\nc\ne\n", &[]),
            ("a\nb and more\nnew\nc\ne\n", &[]),
            ("A\nb\nnew\nc\ne\n", &[]),
            ("", &[]),
        ] {
            assert_eq!(taken(&file, was, now), out, "{now:?}");
        }
    }

    #[test]
    fn among_equal_lines_the_one_that_went_may_be_any() {
        let file = edit(vec![applied("h1", 1, "", "x\n")]);
        assert_eq!(taken(&file, "a\nx\nx\nx\nx\nx\nb\n", "a\nx\nx\nx\nx\nb\n"), [0]);
    }

    #[test]
    fn what_a_person_has_looked_at_is_theirs_to_change() {
        let file = edit(vec![Hunk { reviewed: true, ..applied("h1", 1, "b\n", "B\n") }]);
        assert!(taken(&file, "a\nB\n", "a\nb\n").is_empty());
    }

    #[test]
    fn what_an_editor_put_in_place_by_itself_is_accepted_where_it_stands() {
        let hunk =
            Hunk { id: "h1".into(), start: 1, old: lines("b\n"), new: lines("B\n"), ..Hunk::default() };
        let file = edit(vec![hunk]);
        let (was, now) = ("a\nb\nc\n", "new\na\nB\nc\n");
        let found = hunk_moves(&file, Some(was), Some(now), Some(&LineMoves::new(was, now)), true);
        assert_eq!(found, [(0, HunkMove::Put(2))]);
    }
}
