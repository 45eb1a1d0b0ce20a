//! A patch of several files as one draft: its parts are applied one after the other, each to what the ones before it leave.
//!
//! # Invariants
//!
//! - No part of a patch of several files is lost: all of it is drafted, or the call is refused.
//!   Test: `every_part_of_a_patch_is_in_its_draft`, `a_patch_of_which_a_line_would_be_lost_is_refused`

use super::super::change;
use super::super::refusal::refusal_fault;
use crate::base::WorkspacePath;
use crate::base::text::TextEncoding;
use crate::patch::{self, AppliedKind, PatchFormError, PatchKind, PatchPart, PatchRefusal};
use crate::protocol::{ChangeKind, Code, Fault};
use crate::registry::{CallDraft, ChangeContent, PathChange};
use crate::session::{TextSnapshot, unencodable_error};

/// A part of a patch with the places that it names.
#[derive(Debug)]
pub(crate) struct PlacedPart<'a> {
    /// The part.
    pub(crate) part: &'a PatchPart,
    /// Its file.
    pub(crate) path: WorkspacePath,
    /// The new path of a file that it renames.
    pub(crate) moved: Option<WorkspacePath>,
}

/// The draft of a patch, and what is to be said of how it was read.
#[derive(Debug)]
pub(crate) struct PartsDraft {
    /// The changes.
    pub(crate) draft: CallDraft,
    /// A sentence for each deviation, with its file.
    pub(crate) notes: Vec<String>,
}

/// Drafts a patch. `read` returns the current text of a file, or none where there is no file.
///
/// # Errors
/// Fails where a part does not fit the text that the parts before it leave: then nothing is drafted.
pub(crate) fn draft_parts(
    parts: &[PlacedPart<'_>],
    read: impl Fn(&WorkspacePath) -> Result<Option<TextSnapshot>, Fault>,
) -> Result<PartsDraft, Fault> {
    let mut files = PatchedFiles { read, files: Vec::new(), notes: Vec::new() };
    for part in parts {
        files.apply_part(part)?;
    }
    let notes = std::mem::take(&mut files.notes);
    Ok(PartsDraft { draft: CallDraft { changes: files.into_changes()?, ..CallDraft::default() }, notes })
}

/// The fault of a patch that cannot be taken apart.
pub(crate) fn envelope_fault(error: &PatchFormError) -> Fault {
    Fault::new(Code::PatchMismatch, error.to_string())
        .with_suggestion("send the whole patch again, from `*** Begin Patch` to `*** End Patch`, with nothing between its parts")
}

/// The fault of a part that does not fit its file.
fn part_fault(path: &WorkspacePath, refusal: PatchRefusal) -> Fault {
    refusal_fault(PatchRefusal { message: format!("{path}: {}", refusal.message), ..refusal })
}

/// The files that a patch speaks of, as its parts so far leave them.
struct PatchedFiles<R> {
    read: R,
    files: Vec<PatchedFile>,
    notes: Vec<String>,
}

struct PatchedFile {
    path: WorkspacePath,
    before: Option<TextSnapshot>,
    text: Option<String>,
    encoding: TextEncoding,
    /// The lines of the text before that a person should check.
    loose: Vec<(u32, String)>,
    /// The file that it was when the patch began: itself, one that got its name, or none where it was made since.
    origin: Option<WorkspacePath>,
}

impl<R: Fn(&WorkspacePath) -> Result<Option<TextSnapshot>, Fault>> PatchedFiles<R> {
    fn file_mut(&mut self, path: &WorkspacePath) -> Result<&mut PatchedFile, Fault> {
        let at = match self.files.iter().position(|file| file.path == *path) {
            Some(at) => at,
            None => {
                let before = (self.read)(path)?;
                self.files.push(PatchedFile {
                    path: path.clone(),
                    text: before.as_ref().map(|before| before.text.clone()),
                    encoding: before.as_ref().map_or(TextEncoding::Utf8, |before| before.encoding),
                    loose: Vec::new(),
                    origin: before.is_some().then(|| path.clone()),
                    before,
                });
                self.files.len() - 1
            }
        };
        Ok(&mut self.files[at])
    }

    fn apply_part(&mut self, placed: &PlacedPart<'_>) -> Result<(), Fault> {
        let PlacedPart { part, path, moved } = placed;
        let file = self.file_mut(path)?;
        if part.kind != PatchKind::Add && file.text.is_none() {
            return Err(Fault::new(Code::NotFound, format!("there is no file {path}")));
        }
        if part.kind == PatchKind::Delete {
            (file.text, file.origin) = (None, None);
            return Ok(());
        }
        if let Some(lines) = &part.patch {
            let applied = patch::apply_to_named_file(path.as_str(), file.text.as_deref(), lines)
                .map_err(|refusal| part_fault(path, refusal))?;
            let is_as_read = file.before.as_ref().map(|before| &before.text) == file.text.as_ref();
            let loose = change::loose_lines(&applied.hunks);
            let notes = loose.iter().map(|(line, how)| format!("{path}, at line {}: {how}", line + 1));
            let notes: Vec<String> =
                notes.chain(applied.notes.iter().map(|note| format!("{path}: {note}"))).collect();
            match applied.kind {
                AppliedKind::Delete => (file.text, file.origin) = (None, None),
                _ => file.text = Some(applied.after.unwrap_or_default()),
            }
            // Lines are counted in the text as it was read.
            file.loose = if is_as_read { loose } else { Vec::new() };
            self.notes.extend(notes);
        }
        match moved {
            Some(to) if to != path => self.rename_file(path, to),
            _ => Ok(()),
        }
    }

    fn rename_file(&mut self, path: &WorkspacePath, to: &WorkspacePath) -> Result<(), Fault> {
        if self.file_mut(to)?.text.is_some() {
            let message = format!("{path}: it would be moved to {to}, where a file is already");
            return Err(Fault::new(Code::PatchMismatch, message)
                .with_suggestion("name another path, or remove that file in the same patch first"));
        }
        let file = self.file_mut(path)?;
        let (text, encoding, origin) = (file.text.take(), file.encoding, file.origin.take());
        let target = self.file_mut(to)?;
        (target.text, target.encoding, target.origin) = (text, encoding, origin);
        Ok(())
    }

    /// Returns the changes that lead from the files as they are to the patched ones.
    ///
    /// # Errors
    /// INVALID_ARGS for a character that the encoding of a file lacks.
    fn into_changes(self) -> Result<Vec<PathChange>, Fault> {
        let is_gone = |path: &WorkspacePath| {
            self.files.iter().any(|file| file.path == *path && file.before.is_some() && file.text.is_none())
        };
        // A file has another name where its own is free afterwards, and where no file had the new one.
        let origin = |file: &PatchedFile| {
            let is_new = file.before.is_none() && file.text.is_some();
            let from = file.origin.clone().filter(|from| is_new && is_gone(from))?;
            let before = self.files.iter().find(|other| other.path == from)?.before.clone()?;
            Some((from, before))
        };
        let origins: Vec<_> = self.files.iter().map(origin).collect();
        let is_renamed = |path: &WorkspacePath| origins.iter().flatten().any(|(from, _)| from == path);
        let mut changes = Vec::new();
        for (file, origin) in self.files.iter().zip(&origins) {
            let path = file.path.clone();
            if let Some((from, _)) = origin {
                changes.push(PathChange::without_content(
                    path.clone(),
                    ChangeKind::Rename,
                    Some(from.clone()),
                ));
            }
            let before = origin.as_ref().map(|(_, before)| before.clone()).or_else(|| file.before.clone());
            let content = |text: String, encoding| ChangeContent::Text { text, encoding };
            let was = before.map(|before| content(before.text, before.encoding));
            match (was, &file.text) {
                (Some(was), None) if !is_renamed(&path) => changes.push(PathChange::of_removal(path, was)),
                (_, None) => {}
                (Some(was), Some(text)) if was.text() == Some(text.as_str()) => {}
                (was, Some(text)) => {
                    let encoding = file.encoding;
                    encoding.encode_text(text).map_err(|c| unencodable_error(&path, encoding, c))?;
                    let change = PathChange::of_text(path, was, content(text.clone(), encoding));
                    changes.push(PathChange { loose: file.loose.clone(), ..change });
                }
            }
        }
        Ok(changes)
    }
}

#[cfg(test)]
mod tests;
