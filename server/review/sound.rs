//! Whether a proposal that was kept holds together. What can be worked out is worked out, not believed; the rest is
//! checked, as any input is.

use std::collections::BTreeSet;

use super::item::Item;
use super::keep::FOLDER;
use crate::protocol::{ChangeKind, Code, PathContent, Proposal, ProposedFile};
use crate::session::Session;

/// Bytes of the longest id.
const LONGEST: usize = 64;

/// Reads the proposal that is kept in the file `name`. One that does not hold together is set aside, and told.
pub(super) fn load(session: &Session, name: &str) -> Option<Item> {
    let path = format!("{FOLDER}/{name}");
    let read = match session.workspace().state().read(&path) {
        Err(error) if !matches!(error.code(), Code::InvalidArgs | Code::Unsupported) => {
            session.troubles().report(format!("the proposal {name:?} cannot be read now: {error}"));
            return None;
        }
        Err(error) => Err(error.to_string()),
        Ok(bytes) => serde_json::from_slice::<Item>(&bytes.unwrap_or_default())
            .map_err(|error| format!("it is no proposal ({error})")),
    };
    let checked = read.and_then(|mut item| {
        check(name, item.proposal(), item.views().len())?;
        // The editor shows the file that this names, and what is accepted is written at the path: they are one.
        item.locate(|path| session.workspace().uri(path));
        Ok(item)
    });
    let wrong = match checked {
        Ok(item) => return Some(item),
        Err(wrong) => wrong,
    };
    let place = match session.workspace().state().set_aside(&path) {
        Ok(place) => format!("it is set aside as {place}"),
        Err(error) => error.to_string(),
    };
    session.troubles().report(format!(
        "the kept proposal {name:?} does not hold together and is not shown: {wrong}; {place}"
    ));
    None
}

/// Checks the proposal that was kept in the file `name` with so many texts.
///
/// # Errors
/// What does not fit, as a part of a sentence.
fn check(name: &str, proposal: &Proposal, texts: usize) -> Result<(), String> {
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
        ChangeKind::Symlink => file.hunks.len() == 1 && contents(file, is_link),
        ChangeKind::Binary => file.hunks.len() == 1 && contents(file, |content| !is_link(content)),
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

/// Whether a file says what stands there before or afterwards, and all of it is of one kind.
fn contents(file: &ProposedFile, fits: impl Fn(&PathContent) -> bool) -> bool {
    let mut contents = [&file.before, &file.after].into_iter().flatten().peekable();
    contents.peek().is_some() && contents.all(fits)
}

/// Whether a word can be the name of a file of ours.
fn is_name(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !id.is_empty() && id.len() <= LONGEST && !id.starts_with('.') && id.chars().all(plain)
}
