//! Hunks follow the text they stand in.

use crate::base::HunkId;
use crate::patch::{self, Cut, Moves};
use crate::ports::LineEdit;
use crate::protocol::{ChangeKind, Code, Fault, Hunk, HunkState, ProposedFile};

/// What becomes of a hunk whose text changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HunkMove {
    /// It stands at this line.
    To(u32),
    /// Somebody else put it in place, at this line: an editor, after a preview that the person confirmed.
    Put(u32),
    /// Its old lines are gone, and its new ones are not there either.
    Gone,
}

/// Where a file's hunks that stood in `was` stand in `now`, by their places in the file. A pending hunk stands where its
/// old lines are, an accepted one where its new lines are.
pub(super) fn moved(
    file: &ProposedFile,
    was: Option<&str>,
    now: Option<&str>,
    moves: Option<&Moves<'_>>,
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
        if let Some(start) = moves.and_then(|moves| moves.relocate(&stood(hunk, placed))) {
            return Some(HunkMove::To(line(start)));
        }
        let put = || {
            let (was, now) = was.zip(now).filter(|(_, now)| now.contains(&hunk.new.concat()))?;
            let put = patch::splice(was, hunk.start as usize, &hunk.old, &hunk.new)?;
            patch::relocate(&put, now, &stood(hunk, true))
        };
        match placed {
            true => None,
            false if file.kind == ChangeKind::Delete && now.is_none() => Some(HunkMove::Put(hunk.start)),
            false => Some(put().map_or(HunkMove::Gone, |start| HunkMove::Put(line(start)))),
        }
    };
    file.hunks.iter().enumerate().filter_map(|(at, hunk)| Some((at, of(hunk)?))).collect()
}

/// The hunks, by their places in the file, that were applied with nobody looking and that somebody took out of the text:
/// that is all in which `now` differs from `was`, as `moves` has it. One, or several that a diff shows as one change.
pub(super) fn taken_out(file: &ProposedFile, (was, now): (&str, &str), moves: &Moves<'_>) -> Vec<usize> {
    if !file.hunks.iter().any(Hunk::is_unreviewed) {
        return Vec::new();
    }
    let (first, last) = moves.changed();
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
            patch::splice(&text, hunk.start as usize, &hunk.new, &hunk.old)
        });
        without.is_some_and(|without| without == now)
    };
    let found = if is_all(&touched) { Some(&*touched) } else { touched.chunks(1).find(|one| is_all(one)) };
    found.unwrap_or_default().iter().map(|(at, _)| *at).collect()
}

/// Whether a file is still new: it is not there, or whoever went to look where it will be has an empty document. Some
/// editors end the one line of such a document.
pub(super) fn is_nothing(text: Option<&str>) -> bool {
    matches!(text, None | Some("" | "\n" | "\r\n"))
}

/// The hunk as it stands in a text: by its old lines, or once it is `placed` by its new ones.
pub(super) fn stood(hunk: &Hunk, placed: bool) -> Cut {
    let (there, other) = if placed { (&hunk.new, &hunk.old) } else { (&hunk.old, &hunk.new) };
    Cut { old_start: hunk.start as usize, old: there.clone(), new: other.clone() }
}

/// Moves the hunks below one that was put in place (or, `back`, taken out) along with the lines it changed.
fn shift(file: &mut ProposedFile, placed: &Hunk, back: bool) {
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
pub(super) struct Placement<'a> {
    /// Their file, as it was before.
    pub file: &'a ProposedFile,
    /// Their ids.
    pub hunks: &'a [HunkId],
    /// Whether they were taken out.
    pub back: bool,
    /// The text as planned.
    pub after: Option<&'a str>,
}

impl Placement<'_> {
    /// The ids of those that are in the text as it is now.
    pub(super) fn found_in(&self, now: Option<&str>) -> Vec<HunkId> {
        if self.after == now {
            return self.hunks.to_vec();
        }
        let Some((after, now)) = self.after.zip(now) else { return Vec::new() };
        let mut file = self.file.clone();
        shift_all(&mut file, self.hunks, self.back);
        let moves = Moves::new(after, now);
        let is_there = |hunk: &&Hunk| {
            self.hunks.contains(&hunk.id) && moves.relocate(&stood(hunk, !self.back)).is_some()
        };
        file.hunks.iter().filter(is_there).map(|hunk| hunk.id.clone()).collect()
    }
}

/// Moves the hunks below some along: from the last to the first, since each one's place is that of the text before.
pub(super) fn shift_all(file: &mut ProposedFile, hunks: &[HunkId], back: bool) {
    let placed: Vec<Hunk> = file.hunks.iter().filter(|hunk| hunks.contains(&hunk.id)).cloned().collect();
    placed.iter().rev().for_each(|hunk| shift(file, hunk, back));
}

/// The text with hunks in it, or out of it.
///
/// # Errors
/// STALE where one of them is not in the text.
pub(super) fn with(
    file: &ProposedFile,
    hunks: &[HunkId],
    before: Option<&str>,
    back: bool,
) -> Result<Option<String>, Fault> {
    match hunks.is_empty() {
        true => Ok(before.map(str::to_owned)),
        false => plan(file, hunks, before, back).map(|plan| plan.after),
    }
}

/// How hunks get into a text.
#[derive(Debug)]
pub(super) struct Plan {
    /// The text afterwards; none where no file is left.
    pub after: Option<String>,
    /// What changes, for an editor.
    pub edits: Vec<LineEdit>,
}

/// The text with hunks in it (or out of it), and the edits that lead there.
///
/// # Errors
/// STALE where one of them is not in the text.
pub(super) fn plan(
    file: &ProposedFile,
    hunks: &[HunkId],
    before: Option<&str>,
    back: bool,
) -> Result<Plan, Fault> {
    let wanted: Vec<&Hunk> = file.hunks.iter().filter(|hunk| hunks.contains(&hunk.id)).collect();
    let only = |text: &dyn Fn(&Hunk) -> String| wanted.first().map(|hunk| text(hunk)).unwrap_or_default();
    let whole = || only(&|hunk| hunk.new.concat());
    let removed = || only(&|hunk| hunk.old.concat());
    match (file.kind, back) {
        (ChangeKind::Create, false) if before.is_none() => {
            return Ok(Plan { after: Some(whole()), edits: Vec::new() });
        }
        (ChangeKind::Create, false) if is_nothing(before) => {
            let count = before.map_or(0, |before| before.lines().count());
            let edit = LineEdit { start: 0, count: u32::try_from(count).unwrap_or(u32::MAX), text: whole() };
            return Ok(Plan { after: Some(whole()), edits: vec![edit] });
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
        text = patch::splice(&text, hunk.start as usize, from, to).ok_or_else(|| {
            Fault::new(
                Code::Stale,
                format!("{} is not in {} at line {} any more", hunk.id, file.path, hunk.start + 1),
            )
        })?;
        let count = u32::try_from(from.len()).unwrap_or(u32::MAX);
        edits.push(LineEdit { start: hunk.start, count, text: to.concat() });
    }
    edits.reverse();
    Ok(Plan { after: Some(text), edits })
}

/// A file that goes whole, or comes back whole: what nobody has looked at is not lost with it.
fn whole_file(
    file: &ProposedFile,
    before: Option<&str>,
    known: String,
    after: Option<String>,
) -> Result<Plan, Fault> {
    if before.is_none_or(|before| before == known) {
        return Ok(Plan { after, edits: Vec::new() });
    }
    let act = if file.kind == ChangeKind::Create { "made" } else { "proposed to be removed" };
    let message = format!("{} holds another text than when it was {act}; it is left as it stands", file.path);
    Err(Fault::new(Code::Stale, message)
        .suggest("look at what it holds now, and remove or write it by hand")
        .detail(serde_json::json!({ "path": file.path })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::WorkspacePath;

    fn edit(hunks: Vec<Hunk>) -> ProposedFile {
        ProposedFile {
            path: WorkspacePath::clean("a").unwrap(),
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

    /// A hunk that was applied with nobody looking.
    fn applied(id: &str, start: u32, old: &str, new: &str) -> Hunk {
        let state = HunkState::Accepted;
        Hunk { id: id.into(), start, old: lines(old), new: lines(new), state, ..Hunk::default() }
    }

    fn taken(file: &ProposedFile, was: &str, now: &str) -> Vec<usize> {
        taken_out(file, (was, now), &Moves::new(was, now))
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
        let found = moved(&file, Some(was), Some(now), Some(&Moves::new(was, now)));
        assert_eq!(found, [(0, HunkMove::Put(2))]);
    }
}
