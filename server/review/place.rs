//! Hunks follow the text they stand in.

use crate::patch::{self, Cut, Moves};
use crate::protocol::{ChangeKind, Hunk, HunkState, ProposedFile};

/// What became of hunks whose text changed.
#[derive(Debug, Default)]
pub struct Followed {
    /// Those whose old lines are gone, and whose new ones are not there either.
    pub stale: Vec<String>,
    /// Those that the editor put in place by itself: a preview that the person confirmed.
    pub applied: Vec<String>,
}

/// Moves a file's hunks from where they stood in `was` to where they stand in `now`. A pending hunk stands where
/// its old lines are, an accepted one where its new lines are.
pub fn follow(file: &mut ProposedFile, was: Option<&str>, now: Option<&str>) -> Followed {
    let mut followed = Followed::default();
    if file.kind == ChangeKind::Create && is_nothing(was) && is_nothing(now) {
        return followed;
    }
    let texts = was.zip(now);
    let moves = texts.map(|(was, now)| Moves::new(was, now));
    for hunk in &mut file.hunks {
        let found = match hunk.state {
            HunkState::Pending => moves.as_ref().and_then(|moves| moves.relocate(&stood(hunk, false))),
            HunkState::Accepted => moves.as_ref().and_then(|moves| moves.relocate(&stood(hunk, true))),
            HunkState::Rejected | HunkState::Stale => continue,
        };
        let applied = || {
            let (was, now) = texts.filter(|(_, now)| now.contains(&hunk.new.concat()))?;
            let put = patch::splice(was, hunk.start as usize, &hunk.old, &hunk.new)?;
            patch::relocate(&put, now, &stood(hunk, true))
        };
        match (found, hunk.state) {
            (Some(start), _) => hunk.start = u32::try_from(start).unwrap_or(u32::MAX),
            (None, HunkState::Pending) => match applied() {
                Some(start) => {
                    hunk.start = u32::try_from(start).unwrap_or(u32::MAX);
                    // Whoever did that in the editor is a person who looked at it.
                    (hunk.state, hunk.reviewed) = (HunkState::Accepted, true);
                    followed.applied.push(hunk.id.clone());
                }
                None => {
                    hunk.state = HunkState::Stale;
                    followed.stale.push(hunk.id.clone());
                }
            },
            (None, _) => {}
        }
    }
    followed
}

/// Whether a file is still new: it is not there, or whoever went to look where it will be has an empty document. Some
/// editors end the one line of such a document.
pub fn is_nothing(text: Option<&str>) -> bool {
    matches!(text, None | Some("" | "\n" | "\r\n"))
}

/// The hunk as it stands in a text: by its old lines, or once it is `placed` by its new ones.
pub fn stood(hunk: &Hunk, placed: bool) -> Cut {
    let (there, other) = if placed { (&hunk.new, &hunk.old) } else { (&hunk.old, &hunk.new) };
    Cut { old_start: hunk.start as usize, old: there.clone(), new: other.clone() }
}

/// Moves the hunks below one that was put in place (or, `back`, taken out) along with the lines it changed.
pub fn shift(file: &mut ProposedFile, placed: &Hunk, back: bool) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_put_in_place_in_the_editor_counts_as_looked_at() {
        let line = |text: &str| vec![text.to_owned()];
        let hunk =
            Hunk { id: "h1".to_owned(), start: 1, old: line("b\n"), new: line("B\n"), ..Hunk::default() };
        let mut file = ProposedFile {
            path: "a".to_owned(),
            uri: "file:///a".to_owned(),
            kind: ChangeKind::Edit,
            version: None,
            from: None,
            hunks: vec![hunk],
        };
        let followed = follow(&mut file, Some("a\nb\nc\n"), Some("new\na\nB\nc\n"));
        assert_eq!(followed.applied, ["h1"]);
        let [hunk] = &file.hunks[..] else { panic!("one hunk") };
        assert_eq!((hunk.state, hunk.start, hunk.is_unreviewed()), (HunkState::Accepted, 2, false));
    }
}
