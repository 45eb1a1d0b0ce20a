//! What git says of files becomes changes: removals first, then renames, then what becomes of contents and modes, then
//! what is new. So a file may take the place of one that goes.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::super::change;
use super::super::refused::refused;
use crate::base::WorkspacePath;
use crate::base::text::{Decoded, Encoding, decode};
use crate::patch::{self, BinaryError, BinaryPatch, GitBody, GitFile};
use crate::protocol::{ChangeKind, Code, Fault, PathContent};
use crate::registry::{Change, Content, Draft};
use crate::session::{Scope, Snapshot, unencodable};
use crate::workspace::FileKind;

/// The draft of all of them.
///
/// # Errors
/// STALE where a file is not what the diff was made for; PATCH_MISMATCH; UNSUPPORTED for a submodule, and for bytes that the
/// diff does not hold; QUOTA_EXCEEDED where its binary files come to more than `limits.edit_bytes`.
pub(super) fn draft(scope: &Scope, files: &[GitFile<'_>]) -> Result<Draft, Fault> {
    let left = Cell::new(scope.settings().limits.edit_bytes);
    let mut reader = Reader { scope, leaving: BTreeSet::new(), left };
    let (mut removals, mut renames) = (Vec::new(), Vec::new());
    let (mut edits, mut made) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| file.new.is_none() || file.renames()) {
        reader.leaving.extend(file.old.as_deref().map(|old| scope.path(old)).transpose()?);
    }
    for file in files {
        reader.check(file)?;
        match (&file.old, &file.new) {
            (Some(old), None) => removals.extend(reader.removed(file, &scope.path(old)?)?),
            (Some(old), Some(new)) if !file.copies => {
                let (old, new) = (scope.path(old)?, scope.path(new)?);
                if old != new {
                    renames.push(Change::bare(new.clone(), ChangeKind::Rename, Some(old.clone())));
                }
                edits.extend(reader.edited(file, &old, &new)?);
            }
            (old, Some(new)) => {
                let source = old.as_deref().map(|old| scope.path(old)).transpose()?;
                made.push(reader.made(file, source, scope.path(new)?)?);
            }
            (None, None) => {}
        }
    }
    let changes = removals.into_iter().chain(in_order(renames)?).chain(edits).chain(made).collect();
    Ok(Draft { changes, ..Draft::default() })
}

/// Renames in an order in which no target is taken by a source that has not moved yet.
fn in_order(mut renames: Vec<Change>) -> Result<Vec<Change>, Fault> {
    let mut ordered = Vec::with_capacity(renames.len());
    while !renames.is_empty() {
        let sources: BTreeSet<_> = renames.iter().filter_map(|rename| rename.from.clone()).collect();
        let (free, taken): (Vec<_>, Vec<_>) =
            renames.into_iter().partition(|rename| !sources.contains(&rename.path));
        if free.is_empty() {
            return Err(Fault::new(Code::Unsupported, "the diff renames files in a circle")
                .suggest("send the diff without renames: `git diff --binary --no-renames`"));
        }
        ordered.extend(free);
        renames = taken;
    }
    Ok(ordered)
}

struct Reader<'s> {
    scope: &'s Scope,
    /// The paths that become free.
    leaving: BTreeSet<WorkspacePath>,
    /// How many bytes its binary patches may make yet, of all that one diff may: packed, a few make very many.
    left: Cell<u64>,
}

impl Reader<'_> {
    fn check(&self, file: &GitFile<'_>) -> Result<(), Fault> {
        let name = file.paths().next().unwrap_or("the diff");
        let refused = |what: String, act: &str| Err(Fault::new(Code::Unsupported, what).suggest(act));
        match &file.body {
            _ if file.is_module() => {
                refused(format!("{name} is a submodule, which is no file"), "leave it out of the diff")
            }
            GitBody::Unsaid => refused(
                format!("the diff does not hold the bytes of {name}"),
                "make it with `git diff --binary`",
            ),
            GitBody::Broken(why) => Err(broken(name, why)),
            _ => Ok(()),
        }
    }

    /// A file or a link that goes.
    fn removed(&self, file: &GitFile<'_>, path: &WorkspacePath) -> Result<Option<Change>, Fault> {
        if file.is_link() {
            let target = self.target(path)?;
            self.lines(file, path, Some(&target))?;
            return Ok(Some(Change::other(path.clone(), Some(PathContent::Symlink(target)), None)));
        }
        if let GitBody::Binary(patch) = &file.body {
            let bytes = self.bytes(path)?;
            self.patched(patch, path, &bytes)?;
            return Ok(Some(Change::other(path.clone(), Some(self.keep(&bytes)?), None)));
        }
        let Some(before) = self.scope.text(path)? else { return Ok(None) };
        match self.lines(file, path, Some(&before.text))? {
            None => Ok(Some(Change::delete(path.clone(), content(before)))),
            // An empty file has no lines to state.
            Some(after) if after.is_empty() => Ok(Some(Change::delete(path.clone(), content(before)))),
            Some(_) => Err(stale(path, "the diff removes an empty file, and it holds something by now")),
        }
    }

    /// What becomes of a file that stays, if only under another path.
    fn edited(
        &self,
        file: &GitFile<'_>,
        old: &WorkspacePath,
        new: &WorkspacePath,
    ) -> Result<Vec<Change>, Fault> {
        let mut changes = Vec::new();
        let entry =
            self.scope.files().entry_at(old)?.ok_or_else(|| stale(old, "it is not there any more"))?;
        if let Some(executable) = file.executable()
            && (entry.bits & 0o111 != 0) != executable
        {
            changes.push(Change::mode(new.clone(), executable));
        }
        match &file.body {
            GitBody::Lines(_) if file.is_link() => {
                let before = self.target(old)?;
                let after = self.lines(file, old, Some(&before))?.unwrap_or_default();
                let [before, after] = [before, after].map(PathContent::Symlink);
                changes.push(Change::other(new.clone(), Some(before), Some(after)));
            }
            GitBody::Lines(_) => {
                let before = self.scope.text(old)?.ok_or_else(|| stale(old, "it is not there any more"))?;
                let applied = patch::apply_to(old.as_str(), Some(&before.text), hunks_only(file));
                let applied = applied.map_err(refused)?;
                let after = applied.after.unwrap_or_default();
                let loose = change::loose(&applied.hunks);
                changes.extend(change::draft(new.clone(), Some(before), after, loose)?.changes);
            }
            GitBody::Binary(patch) => {
                let bytes = self.bytes(old)?;
                let after = self.patched(patch, old, &bytes)?;
                let (before, after) = (self.keep(&bytes)?, self.keep(&after)?);
                changes.push(Change::other(new.clone(), Some(before), Some(after)));
            }
            GitBody::Same | GitBody::Unsaid | GitBody::Broken(_) => {}
        }
        Ok(changes)
    }

    /// A new file or link. A copy is a new file too: it holds what the diff says, whatever becomes of its source.
    fn made(
        &self,
        file: &GitFile<'_>,
        source: Option<WorkspacePath>,
        path: WorkspacePath,
    ) -> Result<Change, Fault> {
        if !self.leaving.contains(&path) && self.scope.files().entry_at(&path)?.is_some() {
            return Err(Fault::new(Code::Stale, format!("{path} is there already"))
                .suggest("read it, and send a diff that changes it"));
        }
        if file.is_link() {
            let before = source.map(|source| self.target(&source)).transpose()?;
            let target = self.lines(file, &path, before.as_deref())?.unwrap_or_default();
            return Ok(Change::other(path, None, Some(PathContent::Symlink(target))));
        }
        let executable = match &source {
            Some(source) => {
                let entry = self.scope.files().entry_at(source)?;
                file.executable().or(entry.map(|entry| entry.bits & 0o111 != 0).filter(|is| *is))
            }
            None => file.executable(),
        };
        let before = source.map(|source| self.bytes(&source)).transpose()?;
        let bytes = match &file.body {
            GitBody::Binary(patch) => {
                Some(self.patched(patch, &path, before.as_deref().unwrap_or_default())?)
            }
            GitBody::Lines(_) => None,
            _ => before.clone(),
        };
        if let Some(bytes) = bytes {
            let Some(Decoded { text, encoding }) = decode(&bytes[..]) else {
                let change = Change::other(path, None, Some(self.keep(&bytes)?));
                return Ok(Change { executable, ..change });
            };
            return Ok(Change { executable, ..Change::text(path, None, Content::Text { text, encoding }) });
        }
        let before = before.as_deref().and_then(decode);
        let encoding = before.as_ref().map_or(Encoding::Utf8, |before| before.encoding);
        let text = self.lines(file, &path, before.as_ref().map(|before| before.text.as_str()))?;
        let text = text.unwrap_or_default();
        encoding.encode(&text).map_err(|c| unencodable(&path, encoding, c))?;
        Ok(Change { executable, ..Change::text(path, None, Content::Text { text, encoding }) })
    }

    /// The text after the lines of a part are applied; the text before where it has none.
    fn lines(
        &self,
        file: &GitFile<'_>,
        path: &WorkspacePath,
        before: Option<&str>,
    ) -> Result<Option<String>, Fault> {
        let GitBody::Lines(lines) = file.body else { return Ok(before.map(str::to_owned)) };
        let diff = if file.copies { hunks_only(file) } else { lines };
        let applied = patch::apply_to(path.as_str(), before, diff).map_err(refused)?;
        Ok(applied.after)
    }

    fn target(&self, path: &WorkspacePath) -> Result<String, Fault> {
        let entry = self.scope.files().entry_at(path)?;
        entry.and_then(|entry| entry.target).ok_or_else(|| stale(path, "it is no symlink by now"))
    }

    fn bytes(&self, path: &WorkspacePath) -> Result<Vec<u8>, Fault> {
        let entry = self.scope.files().entry_at(path)?;
        match entry.map(|entry| entry.kind) {
            Some(FileKind::File) => {
                let limit = self.scope.settings().limits.edit_bytes;
                Ok(self.scope.files().read(path, limit)?.0)
            }
            _ => Err(stale(path, "it is no file by now")),
        }
    }

    fn patched(&self, patch: &BinaryPatch, path: &WorkspacePath, before: &[u8]) -> Result<Vec<u8>, Fault> {
        let after = patch.apply(before, self.left.get()).map_err(|error| match error {
            BinaryError::Broken(why) => broken(path.as_str(), &why),
            BinaryError::OtherBytes(why) => stale(path, &why),
            BinaryError::Large { .. } => {
                let most = self.scope.settings().limits.edit_bytes;
                let message = format!("{path}: the binary files of one diff come to more than {most} bytes");
                Fault::new(Code::QuotaExceeded, message)
                    .suggest("send fewer of them in one diff, or ask the person to raise limits.edit_bytes")
            }
        })?;
        self.left.set(self.left.get().saturating_sub(after.len() as u64));
        Ok(after)
    }

    fn keep(&self, bytes: &[u8]) -> Result<PathContent, Fault> {
        let hash = self.scope.files().state().put(bytes)?;
        Ok(PathContent::Bytes { hash, size: bytes.len() as u64 })
    }
}

/// The hunks of a part, without the names above them: those of a rename are two.
fn hunks_only<'d>(file: &GitFile<'d>) -> &'d str {
    match file.body {
        GitBody::Lines(lines) if lines.starts_with("@@") => lines,
        GitBody::Lines(lines) => lines.find("\n@@").and_then(|at| lines.get(at + 1..)).unwrap_or(lines),
        _ => "",
    }
}

fn broken(name: &str, why: &str) -> Fault {
    Fault::new(Code::PatchMismatch, format!("{name}: {why}"))
        .suggest("make the diff anew with `git diff --binary`")
}

fn content(before: Snapshot) -> Content {
    Content::Text { text: before.text, encoding: before.encoding }
}

fn stale(path: &WorkspacePath, why: &str) -> Fault {
    Fault::new(Code::Stale, format!("{path} is not what the diff was made for: {why}"))
        .suggest("make the diff anew from the file as it stands")
}
