//! Reads the changes of a command: its layer becomes a draft, in the order that a diff is made in.

use std::path::Path;

use super::change_order::{ChangeParts, NewEntry};
use super::error::ExecutionError;
use super::kept_layers;
use super::layer_files::{HELD_BYTES, LayerFile, LayerFiles, WrittenContent};
use super::silent::SilentFolders;
use crate::base::WorkspacePath;
use crate::base::hidden::shorten_to_line;
use crate::base::text::{DecodedText, decode_text};
use crate::patch;
use crate::protocol::{ChangeKind, PathAccess, PathContent};
use crate::registry::{CallDraft, ChangeContent, PathChange, find_made_repository};
use crate::sandbox::{
    OverlayChange as LayerChange, OverlayChangeKind as LayerChangeKind, OverlayLayers, UnreadReason,
};
use crate::session::CallScope;
use crate::workspace::FileKind;

/// The most changes that one command proposes. What it changed beyond that is left out, and said.
const MOST: usize = 10_000;
/// Bytes of all paths of one command's changes: each is judged with each folder above it.
const PATH_BYTES: usize = 2 << 20;
/// Characters of a path in a sentence.
const NAMED_CHARS: usize = 300;

/// Reads the changes of a command in `overlay`. Changes that the rules refuse, entries that are no file, link or
/// folder, and those that are too large are left out, with a sentence each. Where a part is left out because it is too
/// much, the layer is kept for the person.
///
/// # Errors
/// Fails where the layer cannot be read, or the state folder cannot keep the content that a change needs.
pub(super) fn read_changes(
    scope: &CallScope,
    overlay: &OverlayLayers,
) -> Result<(CallDraft, Vec<String>), ExecutionError> {
    let found = overlay.changes().map_err(ExecutionError::while_doing("reading what the command changed"))?;
    let mut reader = LayerChangeReader {
        scope,
        parts: ChangeParts::default(),
        left_out: Vec::new(),
        files: LayerFiles::for_overlay(scope, overlay),
        on_disk: 0,
        is_kept: false,
        silent: SilentFolders::default(),
        path_bytes: PATH_BYTES,
    };
    reader.find_renames(&found);
    for change in found {
        reader.take_change(change)?;
    }
    if reader.files.count_whole() > 0 {
        let whole = reader.files.count_whole();
        reader.left_out.push(format!(
            "{whole} files are proposed whole, with no lines: the texts of one command have {HELD_BYTES} bytes together at most"
        ));
    }
    if reader.is_kept {
        let kept = kept_layers::keep_layer(scope.files().state(), overlay, reader.on_disk);
        reader.left_out.push(kept);
    }
    let (parts, mut left_out) = (reader.parts, reader.left_out);
    let mut changes = parts.into_ordered();
    while let Some(folder) = find_made_repository(scope.files(), &changes) {
        changes.retain(|change| !change.path.is_in(&folder));
        left_out
            .push(format!("{folder}: git takes it for a repository, and runs what its config and hooks say"));
    }
    Ok((CallDraft { changes, ..CallDraft::default() }, left_out))
}

struct LayerChangeReader<'s> {
    scope: &'s CallScope,
    parts: ChangeParts,
    left_out: Vec<String>,
    files: LayerFiles<'s>,
    /// The bytes that the layer takes up on the disk.
    on_disk: u64,
    /// True where the layer is kept for the person.
    is_kept: bool,
    silent: SilentFolders,
    /// Bytes of paths that may still be proposed.
    path_bytes: usize,
}

impl LayerChangeReader<'_> {
    /// Notes the files that were moved from one path to another, where both may be changed.
    fn find_renames(&mut self, found: &[LayerChange]) {
        for change in found {
            let LayerChangeKind::File { renamed_from: Some(from), .. } = &change.kind else { continue };
            let (Some(new), Some(old)) = (workspace_path(&change.path), workspace_path(from)) else {
                continue;
            };
            let rules = self.scope.files().paths().rules();
            if self.parts.renamed.len() < MOST
                && [&new, &old]
                    .into_iter()
                    .all(|path| rules.paths().permit_access(PathAccess::Write, path).is_ok())
            {
                self.parts.moved.insert(old.clone());
                self.parts.renamed.insert(new, old);
            }
        }
    }

    fn take_change(&mut self, change: LayerChange) -> Result<(), ExecutionError> {
        let name = match change.path.as_os_str().is_empty() {
            true => ".".to_owned(),
            false => shorten_to_line(&change.path.display().to_string(), NAMED_CHARS),
        };
        if let LayerChangeKind::File { on_disk, linked, .. } = change.kind
            && linked.is_none_or(|inode| !self.files.has_read(inode))
        {
            self.on_disk = self.on_disk.saturating_add(on_disk);
        }
        if let LayerChangeKind::Unread(why) = change.kind {
            self.keep_apart(
                &name,
                match why {
                    UnreadReason::Deep => "its path is longer than the system takes one",
                    UnreadReason::TooMuch => "the command wrote more than is read",
                    UnreadReason::Refused => "it cannot be listed",
                },
            );
            return Ok(());
        }
        let Some(path) = workspace_path(&change.path) else {
            self.keep_apart(&name, "its name is no text");
            return Ok(());
        };
        let rules = self.scope.files().paths().rules();
        if !self.silent.is_silent(rules, &path)
            && let Err(refusal) = rules.paths().permit_access(PathAccess::Write, &path)
        {
            self.leave_out(&name, &refusal.to_string());
            return Ok(());
        }
        if self.parts.len() >= MOST {
            self.keep_apart(&name, &format!("a command proposes {MOST} changes at most"));
            return Ok(());
        }
        // A folder is made together with its entries, which count for both.
        if !matches!(change.kind, LayerChangeKind::Folder { .. } | LayerChangeKind::FolderMode { .. }) {
            let Some(left) = self.path_bytes.checked_sub(path.as_str().len()) else {
                let most =
                    format!("the paths that a command changes have {PATH_BYTES} bytes together at most");
                self.keep_apart(&name, &most);
                return Ok(());
            };
            self.path_bytes = left;
        }
        self.add_change(path, &change)
    }

    fn add_change(&mut self, path: WorkspacePath, change: &LayerChange) -> Result<(), ExecutionError> {
        let stood = self.scope.files().entry_at(&path)?;
        let before = stood.as_ref().map(|entry| entry.kind);
        let was_executable = stood.as_ref().is_some_and(|entry| entry.bits & 0o111 != 0);
        match &change.kind {
            LayerChangeKind::Special => {
                self.leave_out(path.as_str(), "it is neither a file nor a folder nor a symlink");
            }
            LayerChangeKind::Dated => {
                self.leave_out(
                    path.as_str(),
                    "it keeps its time: a change carries contents and modes of files",
                );
            }
            // Git knows no permissions of folders.
            LayerChangeKind::FolderMode { .. } | LayerChangeKind::Unread(_) => {}
            LayerChangeKind::Removed => self.add_removal(&path, before)?,
            LayerChangeKind::Folder { .. } => {
                self.add_removal(&path, before)?;
                self.parts.folders_made.push(PathChange::without_content(path, ChangeKind::Mkdir, None));
            }
            LayerChangeKind::File { mode, size, linked, existed, .. } => {
                let executable = mode & 0o111 != 0;
                let stood_bits = stood.as_ref().filter(|_| *existed).map(|entry| entry.bits);
                if stood_bits.is_some_and(|bits| (bits ^ mode) & !0o111 & 0o7777 != 0) {
                    self.leave_out(path.as_str(), &format!("it keeps its permissions, and is not made {:o}: a change carries no more of them than whether a file is executable", mode & 0o7777));
                }
                let file = LayerFile { path: &change.path, size: *size, linked: *linked, executable };
                if *existed {
                    self.add_edit(&path, &file, was_executable)?;
                } else {
                    self.add_removal(&path, before)?;
                    self.add_new_file(path, &file)?;
                }
            }
            LayerChangeKind::Symlink { target } => {
                self.add_link(path, target, before, stood.and_then(|entry| entry.target))?;
            }
        }
        Ok(())
    }

    /// Notes that an entry is removed, with everything below it.
    fn add_removal(&mut self, path: &WorkspacePath, kind: Option<FileKind>) -> Result<(), ExecutionError> {
        let mut waiting = vec![(path.clone(), kind)];
        let mut kept: Vec<WorkspacePath> = Vec::new();
        while let Some((path, kind)) = waiting.pop() {
            let rules = self.scope.files().paths().rules();
            if !self.silent.is_silent(rules, &path)
                && let Err(refusal) = rules.paths().permit_access(PathAccess::Write, &path)
            {
                self.leave_out(path.as_str(), &refusal.to_string());
                kept.push(path);
                continue;
            }
            if self.parts.len() >= MOST {
                self.leave_out(
                    path.as_str(),
                    &format!("a command proposes {MOST} changes at most; it stays"),
                );
                continue;
            }
            match kind {
                Some(FileKind::Folder) => {
                    let listing = self.scope.files().list_folder(&path, 0, usize::MAX)?;
                    for entry in listing.entries {
                        // An entry whose name is no text keeps the folder.
                        let Some(below) = path.join(&entry.name) else { continue };
                        let kind = self.scope.files().entry_at(&below)?.map(|entry| entry.kind);
                        waiting.push((below, kind));
                    }
                    self.parts.folders_removed.insert(path);
                }
                Some(FileKind::Symlink) => {
                    let target = self.scope.files().entry_at(&path)?.and_then(|entry| entry.target);
                    let before = target.map(PathContent::Symlink);
                    self.parts.removed.insert(path.clone(), PathChange::of_content(path, before, None));
                }
                Some(FileKind::File) if self.parts.moved.contains(&path) => {}
                Some(FileKind::File) => self.file_removed(&path)?,
                _ => {}
            }
        }
        self.parts.folders_removed.retain(|folder| !kept.iter().any(|path| path.is_in(folder)));
        Ok(())
    }

    fn file_removed(&mut self, path: &WorkspacePath) -> Result<(), ExecutionError> {
        let Some(before) = self.on_disk(path) else { return Ok(()) };
        let change = match decode_text(&before[..]).filter(|_| self.files.reserve_text(before.len())) {
            Some(DecodedText { text, encoding }) => {
                PathChange::of_removal(path.clone(), ChangeContent::Text { text, encoding })
            }
            None => PathChange::of_content(path.clone(), Some(self.files.keep_replaced(&before)?), None),
        };
        self.parts.removed.insert(path.clone(), change);
        Ok(())
    }

    fn add_edit(
        &mut self,
        path: &WorkspacePath,
        file: &LayerFile<'_>,
        was_executable: bool,
    ) -> Result<(), ExecutionError> {
        let Some(before) = self.on_disk(path) else { return Ok(()) };
        let Some(after) = self.read_written(path, file)? else { return Ok(()) };
        if was_executable != file.executable {
            self.parts.edited.push(PathChange::of_mode(path.clone(), file.executable));
        }
        let after = match after {
            WrittenContent::Bytes(after) if before == after => return Ok(()),
            WrittenContent::Bytes(after) => match (decode_text(&before[..]), decode_text(&after[..])) {
                (Some(old), Some(new)) if self.files.reserve_text(before.len() + after.len()) => {
                    self.add_text_edit(path, old, new);
                    return Ok(());
                }
                _ => self.files.keep_content(file, &after)?,
            },
            WrittenContent::Kept(after) => after,
        };
        let before = self.files.keep_replaced(&before)?;
        if before != after {
            self.parts.edited.push(PathChange::of_content(path.clone(), Some(before), Some(after)));
        }
        Ok(())
    }

    /// The command saw the disk. Where the editor shows another text, the same change is made to that one.
    fn add_text_edit(&mut self, path: &WorkspacePath, before: DecodedText, after: DecodedText) {
        let shown = self.scope.read_text(path).ok().flatten().filter(|shown| shown.unsaved);
        let (before_text, after_text) = match shown {
            None => (before.text, after.text),
            Some(shown) => {
                let diff = patch::unified_diff(path.as_str(), Some(&before.text), Some(&after.text));
                match patch::apply_to_named_file(path.as_str(), Some(&shown.text), &diff)
                    .map(|applied| applied.after)
                {
                    Ok(Some(after)) => (shown.text, after),
                    _ => {
                        return self.leave_out(path.as_str(), "its unsaved text in the editor is in the way");
                    }
                }
            }
        };
        let [before, after] = [(before_text, before.encoding), (after_text, after.encoding)]
            .map(|(text, encoding)| ChangeContent::Text { text, encoding });
        self.parts.edited.push(PathChange::of_text(path.clone(), Some(before), after));
    }

    fn add_new_file(&mut self, path: WorkspacePath, file: &LayerFile<'_>) -> Result<(), ExecutionError> {
        let executable = file.executable;
        if let Some(old) = self.parts.renamed.get(&path) {
            let was = self.scope.files().entry_at(old)?.is_some_and(|entry| entry.bits & 0o111 != 0);
            if was != executable {
                self.parts.edited.push(PathChange::of_mode(path, executable));
            }
            return Ok(());
        }
        let change = match self.read_written(&path, file)? {
            None => return Ok(()),
            Some(WrittenContent::Kept(after)) => PathChange::of_content(path, None, Some(after)),
            Some(WrittenContent::Bytes(after)) => {
                match decode_text(&after[..]).filter(|_| self.files.reserve_text(after.len())) {
                    Some(DecodedText { text, encoding }) => {
                        PathChange::of_text(path, None, ChangeContent::Text { text, encoding })
                    }
                    None => PathChange::of_content(path, None, Some(self.files.keep_content(file, &after)?)),
                }
            }
        };
        self.parts.made.push(NewEntry { change, executable });
        Ok(())
    }

    fn add_link(
        &mut self,
        path: WorkspacePath,
        target: &Path,
        kind: Option<FileKind>,
        was: Option<String>,
    ) -> Result<(), ExecutionError> {
        let Some(target) = target.to_str().map(str::to_owned) else {
            self.leave_out(path.as_str(), "it leads to a name that is no text");
            return Ok(());
        };
        if let Err(error) = self.scope.files().paths().symlink_target(&path, &target) {
            self.leave_out(path.as_str(), &error.to_string());
            return Ok(());
        }
        if kind == Some(FileKind::Symlink) {
            let before = was.map(PathContent::Symlink);
            self.parts.edited.push(PathChange::of_content(path, before, Some(PathContent::Symlink(target))));
            return Ok(());
        }
        self.add_removal(&path, kind)?;
        let change = PathChange::of_content(path, None, Some(PathContent::Symlink(target)));
        self.parts.made.push(NewEntry { change, executable: false });
        Ok(())
    }

    /// The bytes of a file of the workspace.
    fn on_disk(&mut self, path: &WorkspacePath) -> Option<Vec<u8>> {
        let read = self.files.on_disk(path);
        read.map_err(|why| self.keep_apart(path.as_str(), &why)).ok()
    }

    /// Returns the content of a file of the layer.
    fn read_written(
        &mut self,
        path: &WorkspacePath,
        file: &LayerFile<'_>,
    ) -> Result<Option<WrittenContent>, ExecutionError> {
        let read = self.files.read_file(file)?;
        Ok(read.map_err(|why| self.keep_apart(path.as_str(), &why)).ok())
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        match self.left_out.len() {
            0..100 => self.left_out.push(format!("{}: {why}", shorten_to_line(name, NAMED_CHARS))),
            100 => self.left_out.push("… and more".to_owned()),
            _ => {}
        }
    }

    /// Leaves out what is too much for a change. The person finds it in the layer.
    fn keep_apart(&mut self, name: &str, why: &str) {
        self.is_kept = true;
        self.leave_out(name, why);
    }
}

fn workspace_path(path: &Path) -> Option<WorkspacePath> {
    WorkspacePath::from_relative(path.to_str()?)
}
