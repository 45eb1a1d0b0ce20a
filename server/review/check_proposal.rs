//! Checks a proposal that was read from the state folder, as any input is.

use std::collections::BTreeSet;

use crate::protocol::{ChangeKind, PathContent, Proposal, ProposedFile};

/// Bytes of the longest id.
const LONGEST: usize = 64;

/// Checks the proposal that was kept in the file `name` with so many texts.
///
/// # Errors
/// The mismatch, as a part of a sentence.
pub fn check_proposal(name: &str, proposal: &Proposal, texts: usize) -> Result<(), String> {
    if name.strip_suffix(".json") != Some(&*proposal.id) {
        return Err(format!("it says that it is {:?}", proposal.id));
    }
    for (what, id) in [("id", &*proposal.id), ("call", &*proposal.call_id), ("session", &*proposal.session)] {
        if !is_name(id) {
            return Err(format!("its {what} {id:?} is none"));
        }
    }
    let mut ids = BTreeSet::new();
    if let Some(twice) = proposal.hunks().map(|hunk| &hunk.id).find(|id| !ids.insert(id.as_str())) {
        return Err(format!("it has several hunks {twice:?}"));
    }
    if proposal.files.is_empty() || texts != proposal.files.len() {
        return Err(format!("it has {texts} texts for {} files", proposal.files.len()));
    }
    proposal.files.iter().try_for_each(check_file)
}

fn check_file(file: &ProposedFile) -> Result<(), String> {
    let path = &file.path;
    if let Some(root) = [Some(path), file.from.as_ref()].into_iter().flatten().find(|path| path.is_root()) {
        return Err(format!("{root} is no file of the workspace"));
    }
    let fits = match file.kind {
        ChangeKind::Edit => !file.hunks.is_empty(),
        ChangeKind::Copy | ChangeKind::Rename => file.hunks.len() == 1 && file.from.is_some(),
        ChangeKind::Mode => file.hunks.len() == 1 && file.executable.is_some(),
        ChangeKind::Symlink => file.hunks.len() == 1 && has_contents(file, is_link),
        ChangeKind::Binary => file.hunks.len() == 1 && has_contents(file, |content| !is_link(content)),
        ChangeKind::Create | ChangeKind::Delete | ChangeKind::Mkdir | ChangeKind::Rmdir => {
            file.hunks.len() == 1
        }
    };
    if !fits {
        return Err(format!("{path} has {} hunks, which no change of that kind has", file.hunks.len()));
    }
    Ok(())
}

fn is_link(content: &PathContent) -> bool {
    matches!(content, PathContent::Symlink(_))
}

/// Returns whether a file states its content before or afterwards, and each of them satisfies `fits`.
fn has_contents(file: &ProposedFile, fits: impl Fn(&PathContent) -> bool) -> bool {
    let mut contents = [&file.before, &file.after].into_iter().flatten().peekable();
    contents.peek().is_some() && contents.all(fits)
}

/// Returns whether an id can be the name of one of our files.
fn is_name(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !id.is_empty() && id.len() <= LONGEST && !id.starts_with('.') && id.chars().all(plain)
}
