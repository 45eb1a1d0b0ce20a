//! A person's own lines in the place of those that a hunk would add.

use std::collections::BTreeMap;

use super::decide::Meant;
use super::item::{Item, ReviewEvent};
use super::queue::ProposalQueue;
use crate::base::HunkId;
use crate::protocol::{Act, ChangeKind, Code, DecideParams, Fault, Hunk, HunkState, ProposedFile};
use crate::provenance::{EditedRecord, LineRecord, edited_lines};

impl ProposalQueue {
    /// Puts the person's own lines in the place of those that hunks would add.
    ///
    /// # Errors
    /// INVALID_ARGS where a hunk that is named is not among those decided on, or adds no text.
    pub(super) fn edit(&self, params: &DecideParams, id: &str, files: &Meant) -> Result<(), Fault> {
        if params.texts.is_empty() {
            return Ok(());
        }
        let wrong = |what: String| Err(Fault::new(Code::InvalidArgs, what));
        if params.act != Act::Accept || params.proposal.is_none() {
            return wrong("`texts` go with hunks of one proposal that are accepted".to_owned());
        }
        let known = |hunk: &HunkId| files.iter().any(|(_, hunks)| hunks.contains(hunk));
        if let Some(other) = params.texts.keys().find(|hunk| !known(hunk)) {
            return wrong(format!("`texts` has {other:?}, which is no hunk that is decided on here"));
        }
        let Some(item) = self.get(id) else { return Ok(()) };
        let of_text = |file: &ProposedFile| matches!(file.kind, ChangeKind::Edit | ChangeKind::Create);
        let changed = |hunk: &Hunk| params.texts.contains_key(&hunk.id);
        let fits = |hunk: &Hunk| hunk.state == HunkState::Pending;
        for file in &item.proposal().files {
            if let Some(hunk) = file.hunks.iter().find(|hunk| changed(hunk) && !(of_text(file) && fits(hunk)))
            {
                return wrong(format!("{} of {} adds no text that could be changed", hunk.id, file.path));
            }
        }
        let edited = |hunk: &Hunk| Some((hunk.id.clone(), new_lines(hunk, params.texts.get(&hunk.id)?)));
        let lines: BTreeMap<HunkId, Vec<String>> = item.proposal().hunks().filter_map(edited).collect();
        self.record_edited(&item, &lines);
        drop(item);
        self.items().happen(id, ReviewEvent::Edited(lines));
        Ok(())
    }

    /// Keeps which lines of hunks are the person's.
    fn record_edited(&self, item: &Item, lines: &BTreeMap<HunkId, Vec<String>>) {
        for hunk in item.proposal().hunks() {
            let Some(accepted) = lines.get(&hunk.id) else { continue };
            self.session.lines().record(&LineRecord::Edited(EditedRecord {
                session: item.proposal().session.clone(),
                call: item.proposal().call_id.clone(),
                hunk: hunk.id.clone(),
                lines: edited_lines(&hunk.new.concat(), &accepted.concat()),
            }));
        }
    }
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
