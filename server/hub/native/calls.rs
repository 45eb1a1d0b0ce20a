//! Translates an agent's own edit to a call of wherefore.

use serde_json::json;

use super::agent_paths;
use crate::base::WorkspacePath;
use crate::base::text::TextEncoding;
use crate::execution::git_diff;
use crate::hooks::{NativeAct, Replacement, apply_replacements, with_cell};
use crate::hub::ServedFolder;
use crate::patch::{PatchPart, envelope_parts};
use crate::protocol::{Code, Fault, RawCall};
use crate::registry::{CallDraft, ChangeContent, PathChange};
use crate::session::TextSnapshot;
use crate::tools::{PlacedPart, draft_parts, envelope_fault};

/// Translates the edits that an agent's own tools make in a folder.
pub(super) struct EditTranslator<'a> {
    folder: &'a ServedFolder,
    /// The folder that the agent works in.
    cwd: Option<&'a str>,
}

impl<'a> EditTranslator<'a> {
    /// A translator for an agent that works in `cwd`.
    pub(super) fn new(folder: &'a ServedFolder, cwd: Option<&'a str>) -> Self {
        Self { folder, cwd }
    }

    /// Returns the call that makes an agent's own edit; none where the edit lies outside of the folder.
    ///
    /// # Errors
    /// The reason why the edit cannot be made on the current text.
    pub(super) fn edit_call(&self, act: &NativeAct) -> Result<Option<RawCall>, Fault> {
        let inside = |path: &str| agent_paths::path_inside(self.folder.root(), self.cwd, path);
        Ok(match act {
            NativeAct::Write { path, content } => {
                inside(path).map(|path| raw_call("fs.write", json!({ "path": path, "content": content })))
            }
            NativeAct::Replace { path, edits } => match inside(path) {
                Some(path) => Some(self.replace_call(&path, edits)?),
                None => None,
            },
            NativeAct::Cell { path, cell } => match inside(path) {
                Some(path) => {
                    let before = self.text_there(&path)?.ok_or_else(|| missing_file(&path))?;
                    let after = with_cell(&before.text, cell)
                        .map_err(|error| mismatch_fault(&path, &error.to_string()))?;
                    Some(self.diff_call(&edit_draft(path, before, after))?)
                }
                None => None,
            },
            NativeAct::Patch { patch } => {
                let parts = envelope_parts(patch).map_err(|error| envelope_fault(&error))?;
                self.patch_call(&parts, inside)?
            }
            _ => None,
        })
    }

    /// Returns the call for replacements: one is stated as a replacement; several are applied here and stated as a
    /// diff.
    fn replace_call(&self, path: &WorkspacePath, edits: &[Replacement]) -> Result<RawCall, Fault> {
        if let [Replacement { old, new, all }] = edits {
            let before = self.text_there(path)?;
            let is_new = before.as_ref().is_none_or(|before| before.text.is_empty());
            return Ok(match old.is_empty() && is_new {
                true => raw_call("fs.write", json!({ "path": path, "content": new })),
                false => {
                    raw_call("fs.edit", json!({ "path": path, "find": old, "replace": new, "all": all }))
                }
            });
        }
        let before = self.text_there(path)?.ok_or_else(|| missing_file(path))?;
        let after = apply_replacements(&before.text, edits)
            .map_err(|error| mismatch_fault(path, &error.to_string()))?;
        self.diff_call(&edit_draft(path.clone(), before, after))
    }

    /// A patch of one or several files as one diff. None where no file of it is in the folder.
    fn patch_call(
        &self,
        parts: &[PatchPart],
        inside: impl Fn(&str) -> Option<WorkspacePath>,
    ) -> Result<Option<RawCall>, Fault> {
        let named = || parts.iter().flat_map(|part| [Some(&part.path), part.new_path.as_ref()]).flatten();
        let outside = named().find(|path| inside(path).is_none());
        if named().all(|path| inside(path).is_none()) {
            return Ok(None);
        }
        if let Some(outside) = outside {
            let message =
                format!("the patch names {outside}, which is outside of the folder, and files in the folder");
            return Err(
                Fault::new(Code::PermissionDenied, message).with_suggestion("send a patch for each folder")
            );
        }
        let mut placed = Vec::with_capacity(parts.len());
        for part in parts {
            // All of them are inside.
            let Some(path) = inside(&part.path) else { continue };
            placed.push(PlacedPart { part, path, moved: part.new_path.as_deref().and_then(&inside) });
        }
        let draft = draft_parts(&placed, |path| self.text_there(path))?.draft;
        if draft.changes.is_empty() {
            let message = "every file stands as this patch would leave it";
            return Err(
                Fault::new(Code::PatchMismatch, message).with_suggestion("go on: nothing has to be changed")
            );
        }
        self.diff_call(&draft).map(Some)
    }

    fn diff_call(&self, draft: &CallDraft) -> Result<RawCall, Fault> {
        let (diff, _) = git_diff(self.folder.session().workspace().state(), draft)?;
        Ok(raw_call("fs.patch", json!({ "diff": diff })))
    }

    /// The text as the person sees it. What the rules close is not read.
    fn text_there(&self, path: &WorkspacePath) -> Result<Option<TextSnapshot>, Fault> {
        let files = self.folder.session().files().unasked_files();
        Ok(self.folder.session().files().read_text_through(&files, path)?)
    }
}

fn raw_call(tool: &str, arguments: serde_json::Value) -> RawCall {
    RawCall { tool: tool.to_owned(), arguments, ..RawCall::default() }
}

pub(super) fn text_content(text: String, encoding: TextEncoding) -> ChangeContent {
    ChangeContent::Text { text, encoding }
}

pub(super) fn edit_draft(path: WorkspacePath, before: TextSnapshot, after: String) -> CallDraft {
    let encoding = before.encoding;
    let change =
        PathChange::of_text(path, Some(text_content(before.text, encoding)), text_content(after, encoding));
    CallDraft { changes: vec![change], ..CallDraft::default() }
}

pub(super) fn missing_file(path: &WorkspacePath) -> Fault {
    Fault::new(Code::NotFound, format!("there is no file {path}"))
}

pub(super) fn mismatch_fault(path: &WorkspacePath, why: &str) -> Fault {
    Fault::new(Code::PatchMismatch, format!("{path}: {why}"))
        .with_suggestion("read the file again and make the edit on its text as it stands")
}
