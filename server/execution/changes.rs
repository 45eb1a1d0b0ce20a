//! What a command changed: its layer read back as a draft, in the order that a diff is made in.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::error::ExecutionError;
use super::ignored::IgnoredPaths;
use super::passed;
use crate::base::WorkspacePath;
use crate::base::text::{Decoded, decode};
use crate::patch;
use crate::protocol::{Access, ChangeKind, PathContent};
use crate::registry::{Change, Content, Draft};
use crate::sandbox::{Change as LayerChange, ChangeKind as LayerChangeKind, Overlay};
use crate::session::Scope;
use crate::workspace::FileKind;

/// The most changes that one command proposes. What it changed beyond that is left out, and said.
const MOST: usize = 10_000;

/// Reads what a command changed in `overlay`. Changes of paths that git ignores are made at once. What the rules refuse, what
/// is no file, link or folder, and what is too large is left out, with a sentence each.
///
/// # Errors
/// Where the layer cannot be read, or the state folder cannot keep what a change needs.
pub(super) fn read(scope: &Scope, overlay: &Overlay) -> Result<(Draft, Vec<String>), ExecutionError> {
    let found = overlay.changes().map_err(ExecutionError::doing("reading what the command changed"))?;
    let mut reader = LayerReader {
        scope,
        overlay,
        ignored: IgnoredPaths::of(&overlay.lower),
        parts: Parts::default(),
        left_out: Vec::new(),
    };
    reader.find_renames(&found);
    for change in found {
        reader.take(change)?;
    }
    Ok((Draft { changes: reader.parts.ordered(), ..Draft::default() }, reader.left_out))
}

struct LayerReader<'s> {
    scope: &'s Scope,
    overlay: &'s Overlay,
    ignored: IgnoredPaths,
    parts: Parts,
    left_out: Vec<String>,
}

/// The changes, by when they are made.
#[derive(Default)]
struct Parts {
    /// Files that have another path and the same content: the new path, with the old one.
    renamed: BTreeMap<WorkspacePath, WorkspacePath>,
    removed: BTreeMap<WorkspacePath, Change>,
    folders_removed: BTreeSet<WorkspacePath>,
    edited: Vec<Change>,
    folders_made: Vec<Change>,
    made: Vec<Made>,
}

struct Made {
    change: Change,
    executable: bool,
}

impl LayerReader<'_> {
    /// Notes the files that were moved from one path to another, where both may be changed.
    fn find_renames(&mut self, found: &[LayerChange]) {
        for change in found {
            let LayerChangeKind::File { renamed_from: Some(from), .. } = &change.kind else { continue };
            let (Some(new), Some(old)) = (workspace_path(&change.path), workspace_path(from)) else {
                continue;
            };
            let rules = self.scope.files().rules();
            if [&new, &old]
                .into_iter()
                .all(|path| rules.permit(Access::Write, path).is_ok() && !self.ignored.holds(path, false))
            {
                self.parts.renamed.insert(new, old);
            }
        }
    }

    fn take(&mut self, change: LayerChange) -> Result<(), ExecutionError> {
        let name = change.path.display().to_string();
        let Some(path) = workspace_path(&change.path) else {
            self.leave_out(&name, "its name is no text");
            return Ok(());
        };
        if self.parts.len() >= MOST {
            self.leave_out(&name, &format!("a command proposes {MOST} changes at most"));
            return Ok(());
        }
        if let Err(refusal) = self.scope.files().rules().permit(Access::Write, &path) {
            self.leave_out(&name, &refusal.to_string());
            return Ok(());
        }
        if self.ignored.holds(&path, matches!(change.kind, LayerChangeKind::Folder { .. })) {
            self.pass(&path, &change);
            return Ok(());
        }
        self.change(path, change.kind)
    }

    fn change(&mut self, path: WorkspacePath, kind: LayerChangeKind) -> Result<(), ExecutionError> {
        let stood = self.scope.files().entry_at(&path)?;
        let before = stood.as_ref().map(|entry| entry.kind);
        let was_executable = stood.as_ref().is_some_and(|entry| entry.bits & 0o111 != 0);
        match kind {
            LayerChangeKind::Special => {
                self.leave_out(path.as_str(), "it is neither a file nor a folder nor a symlink");
            }
            // Git knows no permissions of folders.
            LayerChangeKind::FolderMode { .. } => {}
            LayerChangeKind::Removed => self.removed(&path, before)?,
            LayerChangeKind::Folder { .. } => {
                self.removed(&path, before)?;
                self.parts.folders_made.push(Change::bare(path, ChangeKind::Mkdir, None));
            }
            LayerChangeKind::File { content, mode, existed: true, .. } => {
                self.edited(&path, &content, [was_executable, mode & 0o111 != 0])?;
            }
            LayerChangeKind::File { content, mode, .. } => {
                self.removed(&path, before)?;
                self.made(path, &content, mode & 0o111 != 0)?;
            }
            LayerChangeKind::Symlink { target } => {
                self.linked(path, target, before, stood.and_then(|entry| entry.target))?;
            }
        }
        Ok(())
    }

    /// Makes a change of an ignored path at once. What stands in a new folder is judged and moved entry by entry.
    fn pass(&mut self, path: &WorkspacePath, change: &LayerChange) {
        let written = self.overlay.upper.join(&change.path);
        let done = match change.kind {
            LayerChangeKind::Removed => passed::remove(&self.overlay.lower, path),
            LayerChangeKind::Special | LayerChangeKind::FolderMode { .. } => Ok(()),
            LayerChangeKind::Folder { .. } => passed::make(&self.overlay.lower, path),
            // Gone with the folder that it stood in, which was moved before.
            _ if fs::symlink_metadata(&written).is_err() => Ok(()),
            _ => passed::pass(&self.overlay.lower, path, &written),
        };
        if let Err(error) = done {
            self.leave_out(path.as_str(), &error.to_string());
        }
    }

    /// Notes that an entry goes, with all that stands below it.
    fn removed(&mut self, path: &WorkspacePath, kind: Option<FileKind>) -> Result<(), ExecutionError> {
        match kind {
            Some(FileKind::Folder) => {
                let listing = self.scope.files().list(path, 0, MOST)?;
                for entry in listing.entries {
                    let Some(below) = path.join(&entry.name) else { continue };
                    let kind = self.scope.files().entry_at(&below)?.map(|entry| entry.kind);
                    self.removed(&below, kind)?;
                }
                self.parts.folders_removed.insert(path.clone());
            }
            Some(FileKind::Symlink) => {
                let target = self.scope.files().entry_at(path)?.and_then(|entry| entry.target);
                let before = target.map(PathContent::Symlink);
                self.parts.removed.insert(path.clone(), Change::other(path.clone(), before, None));
            }
            Some(FileKind::File) if self.parts.renamed.values().any(|old| old == path) => {}
            Some(FileKind::File) => self.file_removed(path)?,
            _ => {}
        }
        Ok(())
    }

    fn file_removed(&mut self, path: &WorkspacePath) -> Result<(), ExecutionError> {
        let Some(before) = self.on_disk(path)? else { return Ok(()) };
        let change = match decode(&before[..]) {
            Some(Decoded { text, encoding }) => {
                Change::delete(path.clone(), Content::Text { text, encoding })
            }
            None => Change::other(path.clone(), Some(self.keep(&before)?), None),
        };
        self.parts.removed.insert(path.clone(), change);
        Ok(())
    }

    fn edited(
        &mut self,
        path: &WorkspacePath,
        content: &Path,
        [was, executable]: [bool; 2],
    ) -> Result<(), ExecutionError> {
        let Some(before) = self.on_disk(path)? else { return Ok(()) };
        let Some(after) = self.written(path, content)? else { return Ok(()) };
        if was != executable {
            self.parts.edited.push(Change::mode(path.clone(), executable));
        }
        if before == after {
            return Ok(());
        }
        match (decode(&before[..]), decode(&after[..])) {
            (Some(before), Some(after)) => self.text_edited(path, before, after),
            _ => {
                let (before, after) = (self.keep(&before)?, self.keep(&after)?);
                self.parts.edited.push(Change::other(path.clone(), Some(before), Some(after)));
            }
        }
        Ok(())
    }

    /// The command saw the disk. Where the editor shows another text, the same change is made to that one.
    fn text_edited(&mut self, path: &WorkspacePath, before: Decoded, after: Decoded) {
        let shown = self.scope.text(path).ok().flatten().filter(|shown| shown.unsaved);
        let (before_text, after_text) = match shown {
            None => (before.text, after.text),
            Some(shown) => {
                let diff = patch::unified(path.as_str(), Some(&before.text), Some(&after.text));
                match patch::apply_to(path.as_str(), Some(&shown.text), &diff).map(|applied| applied.after) {
                    Ok(Some(after)) => (shown.text, after),
                    _ => {
                        return self.leave_out(path.as_str(), "its unsaved text in the editor is in the way");
                    }
                }
            }
        };
        let [before, after] = [(before_text, before.encoding), (after_text, after.encoding)]
            .map(|(text, encoding)| Content::Text { text, encoding });
        self.parts.edited.push(Change::text(path.clone(), Some(before), after));
    }

    fn made(&mut self, path: WorkspacePath, content: &Path, executable: bool) -> Result<(), ExecutionError> {
        if let Some(old) = self.parts.renamed.get(&path) {
            let was = self.scope.files().entry_at(old)?.is_some_and(|entry| entry.bits & 0o111 != 0);
            if was != executable {
                self.parts.edited.push(Change::mode(path, executable));
            }
            return Ok(());
        }
        let Some(after) = self.written(&path, content)? else { return Ok(()) };
        let change = match decode(&after[..]) {
            Some(Decoded { text, encoding }) => Change::text(path, None, Content::Text { text, encoding }),
            None => Change::other(path, None, Some(self.keep(&after)?)),
        };
        self.parts.made.push(Made { change, executable });
        Ok(())
    }

    fn linked(
        &mut self,
        path: WorkspacePath,
        target: PathBuf,
        kind: Option<FileKind>,
        was: Option<String>,
    ) -> Result<(), ExecutionError> {
        let Some(target) = target.to_str().map(str::to_owned) else {
            self.leave_out(path.as_str(), "it leads to a name that is no text");
            return Ok(());
        };
        if kind == Some(FileKind::Symlink) {
            let before = was.map(PathContent::Symlink);
            self.parts.edited.push(Change::other(path, before, Some(PathContent::Symlink(target))));
            return Ok(());
        }
        self.removed(&path, kind)?;
        let change = Change::other(path, None, Some(PathContent::Symlink(target)));
        self.parts.made.push(Made { change, executable: false });
        Ok(())
    }

    /// The bytes of a file of the workspace.
    fn on_disk(&mut self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, ExecutionError> {
        match self.scope.files().read(path, self.most()) {
            Ok((bytes, _)) => Ok(Some(bytes)),
            Err(error) => {
                self.leave_out(path.as_str(), &error.to_string());
                Ok(None)
            }
        }
    }

    /// The bytes of a file of the layer.
    fn written(&mut self, path: &WorkspacePath, content: &Path) -> Result<Option<Vec<u8>>, ExecutionError> {
        let doing = ExecutionError::doing("reading what the command wrote");
        let size = fs::symlink_metadata(content).map_err(&doing)?.len();
        if size > self.most() {
            let limit = format!("its {size} bytes are over limits.edit_bytes, {}", self.most());
            self.leave_out(path.as_str(), &limit);
            return Ok(None);
        }
        fs::read(content).map(Some).map_err(doing)
    }

    fn most(&self) -> u64 {
        self.scope.settings().limits.edit_bytes
    }

    fn keep(&self, bytes: &[u8]) -> Result<PathContent, ExecutionError> {
        let hash = self.scope.files().state().put(bytes)?;
        Ok(PathContent::Bytes { hash, size: bytes.len() as u64 })
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        match self.left_out.len() {
            0..100 => self.left_out.push(format!("{name}: {why}")),
            100 => self.left_out.push("… and more".to_owned()),
            _ => {}
        }
    }
}

impl Parts {
    fn len(&self) -> usize {
        self.renamed.len()
            + self.removed.len()
            + self.edited.len()
            + self.made.len()
            + self.folders_made.len()
    }

    /// Removals, renames, folders that are empty then, edits, and what is new.
    fn ordered(mut self) -> Vec<Change> {
        let renamed = self.renamed.into_iter();
        let renames: Vec<Change> =
            renamed.map(|(new, old)| Change::bare(new, ChangeKind::Rename, Some(old))).collect();
        // A new folder is made with what stands in it.
        let filled = |folder: &WorkspacePath| {
            let mut made = renames.iter().chain(self.made.iter().map(|made| &made.change));
            made.any(|change| change.path.is_in(folder))
        };
        self.folders_made.retain(|folder| !filled(&folder.path));
        let mut changes: Vec<Change> = self.removed.into_values().collect();
        changes.extend(renames);
        // The deepest first.
        let emptied = self.folders_removed.into_iter().rev();
        changes.extend(emptied.map(|path| Change::bare(path, ChangeKind::Rmdir, None)));
        changes.extend(self.folders_made);
        changes.extend(self.edited);
        changes.extend(self.made.into_iter().map(|made| match made.executable {
            true => Change { executable: Some(true), ..made.change },
            false => made.change,
        }));
        changes
    }
}

fn workspace_path(path: &Path) -> Option<WorkspacePath> {
    WorkspacePath::clean(path.to_str()?)
}
