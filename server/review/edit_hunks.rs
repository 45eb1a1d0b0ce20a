//! A person's own lines in the place of those that a hunk would add.

use std::collections::BTreeMap;

use crate::base::HunkId;
use crate::protocol::{Act, ChangeKind, Code, DecideParams, Fault, Hunk, HunkState, Proposal, ProposedFile};
use crate::selection::Selection;

/// Returns the lines that a person puts in the place of those that hunks would add, by the hunk's id; `selected` are the
/// hunks that the person decides on.
///
/// # Errors
/// INVALID_ARGS where a hunk that is named is not among those decided on, or adds no text.
pub fn person_lines(
    proposal: &Proposal,
    selected: &Selection,
    params: &DecideParams,
) -> Result<BTreeMap<HunkId, Vec<String>>, Fault> {
    if params.texts.is_empty() {
        return Ok(BTreeMap::new());
    }
    let wrong = |what: String| Err(Fault::new(Code::InvalidArgs, what));
    if params.act != Act::Accept || params.proposal.is_none() {
        return wrong("`texts` go with hunks of one proposal that are accepted".to_owned());
    }
    let known = |hunk: &HunkId| selected.hunks.contains(hunk);
    if let Some(other) = params.texts.keys().find(|hunk| !known(hunk)) {
        return wrong(format!("`texts` has {other:?}, which is no hunk that is decided on here"));
    }
    let of_text = |file: &ProposedFile| matches!(file.kind, ChangeKind::Edit | ChangeKind::Create);
    let changed = |hunk: &Hunk| params.texts.contains_key(&hunk.id);
    let fits = |hunk: &Hunk| hunk.state == HunkState::Pending;
    for file in &proposal.files {
        if let Some(hunk) = file.hunks.iter().find(|hunk| changed(hunk) && !(of_text(file) && fits(hunk))) {
            return wrong(format!("{} of {} adds no text that could be changed", hunk.id, file.path));
        }
    }
    let edited = |hunk: &Hunk| Some((hunk.id.clone(), new_lines(hunk, params.texts.get(&hunk.id)?)));
    Ok(proposal.hunks().filter_map(edited).collect())
}

/// The lines of `text` in the place of those that a hunk adds, with the line ends that it had and, unless they are none, a
/// last line that ends as before.
fn new_lines(hunk: &Hunk, text: &str) -> Vec<String> {
    let known = || hunk.new.iter().chain(&hunk.old);
    let end = if known().any(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let is_open = hunk.new.last().or(hunk.old.last()).is_some_and(|line| !line.ends_with('\n'));
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}{end}")).collect();
    if let Some(last) = lines.last_mut().filter(|_| is_open) {
        last.truncate(last.len() - end.len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::new_lines;
    use crate::protocol::Hunk;

    #[test]
    fn lines_end_as_they_did() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let edited = |old: &[&str], new: &[&str], text: &str| {
            new_lines(&Hunk { old: lines(old), new: lines(new), ..Hunk::default() }, text)
        };
        assert_eq!(edited(&["a\n"], &["b\n"], "c\nd"), lines(&["c\n", "d\n"]));
        assert_eq!(edited(&["a\r\n"], &["b\r\n"], "c\nd\n"), lines(&["c\r\n", "d\r\n"]));
        assert_eq!(edited(&["a"], &["b"], "c\n"), lines(&["c"]));
        assert_eq!(edited(&["a\n"], &["b"], "c\nd\n"), lines(&["c\n", "d"]));
        assert_eq!(edited(&["a\n"], &["b\n"], ""), lines(&[]));
        assert_eq!(edited(&["a\n"], &["b\n"], "b"), lines(&["b\n"]));
    }
}
