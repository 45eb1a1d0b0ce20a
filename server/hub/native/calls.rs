//! The call of ours that does what an agent's own edit does.

use serde_json::json;

use super::places;
use crate::base::WorkspacePath;
use crate::base::text::Encoding;
use crate::execution::git_diff;
use crate::hub::Folder;
use crate::native::{
    NativeAct, NativeParams, PatchFile, PatchKind, Replacement, patch_files, replaced, with_cell,
};
use crate::patch;
use crate::protocol::{ChangeKind, Code, Fault, RawCall};
use crate::registry::{Change, Content, Draft};
use crate::session::Snapshot;

impl Folder {
    /// The call that makes an agent's own edit; none where the edit lies outside of the folder.
    ///
    /// # Errors
    /// Why the edit cannot be made on the text as it stands.
    pub(super) fn edit_call(&self, params: &NativeParams) -> Result<Option<RawCall>, Fault> {
        let inside = |path: &str| places::inside(self.root(), params.cwd.as_deref(), path);
        Ok(match &params.act {
            NativeAct::Write { path, content } => {
                inside(path).map(|path| raw("fs.write", json!({ "path": path, "content": content })))
            }
            NativeAct::Replace { path, edits } => match inside(path) {
                Some(path) => Some(self.replace_call(&path, edits)?),
                None => None,
            },
            NativeAct::Cell { path, cell } => match inside(path) {
                Some(path) => {
                    let before = self.text_there(&path)?.ok_or_else(|| missing(&path))?;
                    let after =
                        with_cell(&before.text, cell).map_err(|error| unfit(&path, &error.to_string()))?;
                    Some(self.diff_call(&edit(path, before, after))?)
                }
                None => None,
            },
            NativeAct::Patch { patch } => self.patch_call(&patch_files(patch), inside)?,
            _ => None,
        })
    }

    /// One replacement is said as such. Several are made here, and said as a diff.
    fn replace_call(&self, path: &WorkspacePath, edits: &[Replacement]) -> Result<RawCall, Fault> {
        if let [Replacement { old, new, all }] = edits {
            let before = self.text_there(path)?;
            let is_new = before.as_ref().is_none_or(|before| before.text.is_empty());
            return Ok(match old.is_empty() && is_new {
                true => raw("fs.write", json!({ "path": path, "content": new })),
                false => raw("fs.edit", json!({ "path": path, "find": old, "replace": new, "all": all })),
            });
        }
        let before = self.text_there(path)?.ok_or_else(|| missing(path))?;
        let after = replaced(&before.text, edits).map_err(|error| unfit(path, &error.to_string()))?;
        self.diff_call(&edit(path.clone(), before, after))
    }

    /// A patch of one or several files as one diff. None where no file of it is in the folder.
    fn patch_call(
        &self,
        files: &[PatchFile],
        inside: impl Fn(&str) -> Option<WorkspacePath>,
    ) -> Result<Option<RawCall>, Fault> {
        let mut draft = Draft::default();
        for file in files {
            let Some(path) = inside(&file.path) else { continue };
            let moved = file.moved.as_deref().map(|to| {
                inside(to)
                    .ok_or_else(|| unfit(&path, &format!("it would be moved to {to}, outside of the folder")))
            });
            draft.changes.extend(self.patched(file, &path, moved.transpose()?)?);
        }
        match (draft.changes.is_empty(), files.iter().any(|file| inside(&file.path).is_none())) {
            (true, true) => Ok(None),
            (false, true) => {
                let outside = files.iter().find(|file| inside(&file.path).is_none());
                let named = outside.map(|file| file.path.as_str()).unwrap_or_default();
                let message =
                    format!("the patch changes {named}, which is outside of the folder, with files in it");
                Err(Fault::new(Code::PermissionDenied, message).suggest("send a patch for each folder"))
            }
            (_, false) => self.diff_call(&draft).map(Some),
        }
    }

    fn patched(
        &self,
        file: &PatchFile,
        path: &WorkspacePath,
        moved: Option<WorkspacePath>,
    ) -> Result<Vec<Change>, Fault> {
        let before = self.text_there(path)?;
        let text = before.as_ref().map(|before| before.text.as_str());
        let applied = |text| {
            patch::apply_to(path.as_str(), text, &file.patch).map_err(|refusal| unfit(path, &refusal.message))
        };
        if file.kind == PatchKind::Delete {
            let before = before.ok_or_else(|| missing(path))?;
            return Ok(vec![Change::delete(path.clone(), content(before.text, before.encoding))]);
        }
        if file.kind == PatchKind::Update && before.is_none() {
            return Err(missing(path));
        }
        // A file that only gets another name has no hunks.
        let after = match file.patch.contains("\n@@") || file.kind == PatchKind::Add || moved.is_none() {
            true => applied(text)?.after.unwrap_or_default(),
            false => text.unwrap_or_default().to_owned(),
        };
        let mut changes = Vec::new();
        let target = moved.clone().unwrap_or_else(|| path.clone());
        if let Some(to) = moved {
            changes.push(Change::bare(to, ChangeKind::Rename, Some(path.clone())));
        }
        if text != Some(after.as_str()) {
            let encoding = before.as_ref().map_or(Encoding::Utf8, |before| before.encoding);
            let was = before.map(|before| content(before.text, encoding));
            changes.push(Change::text(target, was, content(after, encoding)));
        }
        Ok(changes)
    }

    fn diff_call(&self, draft: &Draft) -> Result<RawCall, Fault> {
        let (diff, _) = git_diff(self.session().workspace().state(), draft)?;
        Ok(raw("fs.patch", json!({ "diff": diff })))
    }

    /// The text as the person sees it. What the rules close is not read.
    fn text_there(&self, path: &WorkspacePath) -> Result<Option<Snapshot>, Fault> {
        let files = self.session().files().unasked();
        Ok(self.session().files().text_through(&files, path)?)
    }
}

fn raw(tool: &str, arguments: serde_json::Value) -> RawCall {
    RawCall { tool: tool.to_owned(), arguments, ..RawCall::default() }
}

pub(super) fn content(text: String, encoding: Encoding) -> Content {
    Content::Text { text, encoding }
}

pub(super) fn edit(path: WorkspacePath, before: Snapshot, after: String) -> Draft {
    let encoding = before.encoding;
    let change = Change::text(path, Some(content(before.text, encoding)), content(after, encoding));
    Draft { changes: vec![change], ..Draft::default() }
}

fn missing(path: &WorkspacePath) -> Fault {
    Fault::new(Code::NotFound, format!("there is no file {path}"))
}

fn unfit(path: &WorkspacePath, why: &str) -> Fault {
    Fault::new(Code::PatchMismatch, format!("{path}: {why}"))
        .suggest("read the file again and make the edit on its text as it stands")
}
