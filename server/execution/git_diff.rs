//! Prints a draft as a diff of git's, for a program that takes it in elsewhere.

use std::borrow::Cow;

use super::error::ExecutionError;
use crate::base::text::TextEncoding;
use crate::patch::{GitChange, GitContent, print_git_change};
use crate::protocol::{ChangeKind, PathContent};
use crate::registry::{CallDraft, ChangeContent, PathChange};
use crate::workspace::WorkspaceState;

const FILE: u32 = 0o100_644;
const PROGRAM: u32 = 0o100_755;
const LINK: u32 = 0o120_000;

/// The section of one file in the diff.
#[derive(Debug, Default)]
struct GitDiffSection {
    old: Option<String>,
    new: Option<String>,
    old_mode: Option<u32>,
    new_mode: Option<u32>,
    before: Option<ChangeContent>,
    after: Option<ChangeContent>,
}

/// Returns the diff of `draft`, and the paths that git does not know: folders by themselves.
///
/// # Errors
/// Fails where the state folder cannot be read.
pub(crate) fn git_diff(
    state: &WorkspaceState,
    draft: &CallDraft,
) -> Result<(String, Vec<String>), ExecutionError> {
    let mut sections: Vec<GitDiffSection> = Vec::new();
    let mut folders = Vec::new();
    for change in &draft.changes {
        if matches!(change.kind, ChangeKind::Mkdir | ChangeKind::Rmdir) {
            folders.push(change.path.as_str().to_owned());
            continue;
        }
        let path = change.path.as_str();
        let same = |section: &&mut GitDiffSection| section.new.as_deref() == Some(path);
        match sections.iter_mut().find(same) {
            Some(section) => section.add_change(change),
            None => {
                let mut section = GitDiffSection {
                    old: Some(path.to_owned()),
                    new: Some(path.to_owned()),
                    ..GitDiffSection::default()
                };
                section.add_change(change);
                sections.push(section);
            }
        }
    }
    let texts: Result<Vec<String>, _> = sections.iter().map(|section| section.to_diff(state)).collect();
    Ok((texts?.concat(), folders))
}

impl GitDiffSection {
    fn add_change(&mut self, change: &PathChange) {
        match change.kind {
            ChangeKind::Rename => self.old = change.from.as_ref().map(|from| from.as_str().to_owned()),
            ChangeKind::Mode => {
                let modes = if change.executable == Some(true) { [FILE, PROGRAM] } else { [PROGRAM, FILE] };
                [self.old_mode, self.new_mode] = modes.map(Some);
            }
            _ => {
                (self.before, self.after) = (change.before.clone(), change.after.clone());
                if self.before.is_none() {
                    self.old = None;
                    self.new_mode = Some(if change.executable == Some(true) { PROGRAM } else { FILE });
                }
                if self.after.is_none() {
                    self.new = None;
                }
                if is_link(self.before.as_ref()) {
                    self.old_mode = Some(LINK);
                }
                if is_link(self.after.as_ref()) {
                    self.new_mode = Some(LINK);
                }
            }
        }
    }

    fn to_diff(&self, state: &WorkspaceState) -> Result<String, ExecutionError> {
        let [before, after] = [&self.before, &self.after];
        let texts = [before, after].map(|content| content.as_ref().map_or(Some(""), as_lines));
        let bytes;
        let body = match texts {
            _ if before.is_none() && after.is_none() => GitContent::Same,
            [Some(before), Some(after)] => GitContent::Text(before, after),
            _ => {
                bytes = [as_bytes(state, before.as_ref())?, as_bytes(state, after.as_ref())?];
                GitContent::Bytes(&bytes[0], &bytes[1])
            }
        };
        Ok(print_git_change(&GitChange {
            old: self.old.as_deref(),
            new: self.new.as_deref(),
            old_mode: self.old_mode,
            new_mode: self.new_mode,
            body,
        }))
    }
}

fn is_link(content: Option<&ChangeContent>) -> bool {
    matches!(content, Some(ChangeContent::Other(PathContent::Symlink(_))))
}

/// Returns its text, where a diff of lines describes all of it.
fn as_lines(content: &ChangeContent) -> Option<&str> {
    match content {
        ChangeContent::Text { text, encoding: TextEncoding::Utf8 } => Some(text),
        ChangeContent::Other(PathContent::Symlink(target)) => Some(target),
        ChangeContent::Text { .. } | ChangeContent::Other(PathContent::Bytes { .. }) => None,
    }
}

fn as_bytes<'c>(
    state: &WorkspaceState,
    content: Option<&'c ChangeContent>,
) -> Result<Cow<'c, [u8]>, ExecutionError> {
    Ok(match content {
        None => Cow::Borrowed(&[]),
        Some(ChangeContent::Text { text, encoding }) => {
            encoding.encode_text(text).unwrap_or(Cow::Borrowed(text.as_bytes()))
        }
        Some(ChangeContent::Other(PathContent::Symlink(target))) => Cow::Borrowed(target.as_bytes()),
        Some(ChangeContent::Other(PathContent::Bytes { hash, .. })) => {
            Cow::Owned(state.get_object(hash)?.ok_or(ExecutionError::Lost)?)
        }
    })
}
