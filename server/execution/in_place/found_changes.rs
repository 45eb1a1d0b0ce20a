//! The changes of a command that wrote in place: found by comparing the workspace with what was kept before, and drafted as
//! changes that stand already.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::CommandExecutor;
use super::super::change_order::{ChangeParts, NewEntry};
use super::super::git::GitReader;
use super::super::layer_files::HELD_BYTES;
use super::before_store::copied_bytes;
use super::entries::{EntryKind, EntryState, WorkspaceEntries};
use super::files_before::{EntryBefore, FilesBefore, KeptBytes};
use crate::base::WorkspacePath;
use crate::base::hidden::shorten_to_line;
use crate::base::text::{DecodedText, decode_text};
use crate::protocol::{ChangeKind, PathAccess, PathContent};
use crate::registry::{ChangeContent, PathChange};
use crate::session::CallScope;

/// Changes that one command has in the review.
const MOST: usize = 10_000;
/// Sentences on what is not in the review; the others are counted.
const NAMED: usize = 100;
/// Characters of a path in a sentence.
const NAMED_CHARS: usize = 300;
/// Bytes of files that git is asked for at once.
const ASKED_BYTES: u64 = 4 << 20;

/// The changes of a command.
#[derive(Debug, Default)]
pub(super) struct FoundChanges {
    pub(super) changes: Vec<PathChange>,
    /// A sentence for each change that is not among them.
    pub(super) lost: Vec<String>,
    /// The paths that it changed.
    pub(super) paths: BTreeSet<WorkspacePath>,
}

/// Compares the entries at some paths with what was kept of them.
pub(super) struct ChangeFinder<'f> {
    scope: &'f CallScope,
    before: &'f FilesBefore,
    now: &'f WorkspaceEntries,
    /// The bytes that git has, by hash.
    blobs: HashMap<String, Vec<u8>>,
    parts: ChangeParts,
    lost: Vec<String>,
    /// Bytes of texts that may still be held.
    left: usize,
}

impl<'f> ChangeFinder<'f> {
    /// Reads what git has of the files that may be others now.
    pub(super) async fn read_blobs(
        executor: &CommandExecutor,
        scope: &'f CallScope,
        (before, now): (&'f FilesBefore, &'f WorkspaceEntries),
        paths: &BTreeSet<WorkspacePath>,
    ) -> Self {
        let asked: BTreeMap<&str, u64> = paths
            .iter()
            .filter_map(|path| match before.get(path)? {
                EntryBefore { state, bytes: KeptBytes::Git(hash) } => Some((hash.as_str(), state.size)),
                _ => None,
            })
            .collect();
        let mut blobs = HashMap::new();
        if let Some(reader) =
            (!asked.is_empty()).then(|| GitReader::open_for_index(executor, scope).ok()).flatten()
        {
            let all: Vec<(&str, u64)> = asked.into_iter().collect();
            let mut rest = &all[..];
            while !rest.is_empty() {
                let mut bytes = 0;
                let fits = |(_, size): &&(&str, u64)| {
                    bytes += size;
                    bytes <= ASKED_BYTES
                };
                let count = rest.iter().take_while(fits).count().max(1);
                let (some, others) = rest.split_at(count);
                let hashes: Vec<&str> = some.iter().map(|(hash, _)| *hash).collect();
                let found = reader.read_blobs(&hashes).await.unwrap_or_default();
                blobs.extend(
                    hashes.into_iter().zip(found).filter_map(|(hash, bytes)| Some((hash.to_owned(), bytes?))),
                );
                rest = others;
            }
        }
        Self { scope, before, now, blobs, parts: ChangeParts::default(), lost: Vec::new(), left: HELD_BYTES }
    }

    /// Drafts the changes at `paths`.
    pub(super) fn find(mut self, paths: &BTreeSet<WorkspacePath>) -> FoundChanges {
        self.find_renames(paths);
        let mut changed = BTreeSet::new();
        for path in paths {
            let before = self.parts.len() + self.lost.len();
            let rules = self.scope.files().paths().rules();
            if let Err(refusal) = rules.paths().permit_access(PathAccess::Read, path) {
                self.lose(path, &format!("it was changed, and is not shown: {refusal}"));
            } else if self.parts.len() >= MOST {
                self.lose(
                    path,
                    &format!("it was changed, and a command has {MOST} changes in the review at most"),
                );
            } else {
                self.compare(path);
            }
            let kind = |state: Option<&EntryState>| state.map(|state| std::mem::discriminant(&state.kind));
            let is_other =
                kind(self.before.get(path).map(|before| &before.state)) != kind(self.now.found.get(path));
            if is_other || self.parts.len() + self.lost.len() != before {
                changed.insert(path.clone());
            }
        }
        let more = self.lost.len().saturating_sub(NAMED);
        self.lost.truncate(NAMED);
        self.lost.extend((more > 0).then(|| format!("… and {more} more")));
        FoundChanges { changes: self.parts.into_standing(), lost: self.lost, paths: changed }
    }

    /// Notes the files that are at another path now.
    fn find_renames(&mut self, paths: &BTreeSet<WorkspacePath>) {
        let gone = paths.iter().filter(|path| !self.now.found.contains_key(*path));
        let gone = gone.filter_map(|path| Some((path, &self.before.get(path)?.state)));
        let gone: HashMap<(u64, u64), &WorkspacePath> = gone
            .filter(|(_, state)| state.kind == EntryKind::File)
            .map(|(path, state)| ((state.device, state.inode), path))
            .collect();
        for new in paths {
            let Some(state) = self.now.found.get(new).filter(|_| self.before.get(new).is_none()) else {
                continue;
            };
            let Some(old) = gone.get(&(state.device, state.inode)).filter(|_| state.kind == EntryKind::File)
            else {
                continue;
            };
            // The number of a file that was removed is soon another's.
            let is_same = self.before.get(old).is_some_and(|before| {
                (before.state.size, before.state.modified) == (state.size, state.modified)
            });
            if is_same
                && state.links == 1
                && self.parts.renamed.len() < MOST
                && self.parts.moved.insert((*old).clone())
            {
                self.parts.renamed.insert(new.clone(), (*old).clone());
            }
        }
    }

    fn compare(&mut self, path: &WorkspacePath) {
        let (before, now) = (self.before.get(path), self.now.found.get(path));
        match (before, now) {
            (Some(before), Some(now)) if before.state.kind == now.kind => {
                self.compare_alike(path, before, now)
            }
            (Some(before), Some(now)) => match (&before.state.kind, &now.kind) {
                (EntryKind::Symlink(old), EntryKind::Symlink(new)) => {
                    let content = |target: &String| Some(PathContent::Symlink(target.clone()));
                    self.parts.edited.push(PathChange::of_content(path.clone(), content(old), content(new)));
                }
                _ => {
                    self.add_removal(path, before);
                    self.add_new(path, now);
                }
            },
            (Some(before), None) => self.add_removal(path, before),
            (None, Some(now)) => self.add_new(path, now),
            (None, None) => {}
        }
    }

    /// Compares an entry with one of the same kind.
    fn compare_alike(&mut self, path: &WorkspacePath, before: &EntryBefore, now: &EntryState) {
        if before.state.kind == EntryKind::File {
            if before.state.is_executable() != now.is_executable() {
                self.parts.edited.push(PathChange::of_mode(path.clone(), now.is_executable()));
            }
            self.add_edit(path, before, now);
        }
        let other =
            (before.state.bits ^ now.bits) & if now.kind == EntryKind::Folder { 0o7777 } else { 0o7666 };
        if other != 0 {
            let (was, is) = (before.state.bits, now.bits);
            self.lose(
                path,
                &format!("its permissions are {is:o} and were {was:o}, which taking a change back leaves"),
            );
        }
    }

    /// Adds the change of a file's content; `path` is where it is now.
    fn add_edit(&mut self, path: &WorkspacePath, before: &EntryBefore, now: &EntryState) {
        let old = match self.bytes_before(before) {
            Ok(old) => old,
            // Its times say that nobody wrote it.
            Err(_)
                if before.state.is_same_file(now)
                    && (before.state.size, before.state.modified) == (now.size, now.modified) =>
            {
                return;
            }
            Err(why) => return self.lose(path, &format!("it was written, and cannot be taken back: {why}")),
        };
        let Some(new) = self.bytes_now(path) else { return };
        if old == new {
            return;
        }
        let change = match (self.hold_text(&old), self.hold_text(&new)) {
            (Some(was), Some(is)) if was.encoding == is.encoding => {
                PathChange::of_text(path.clone(), Some(text_content(was)), text_content(is))
            }
            _ => match (self.keep(&old), self.keep(&new)) {
                (Ok(old), Ok(new)) => PathChange::of_content(path.clone(), Some(old), Some(new)),
                (Err(why), _) | (_, Err(why)) => {
                    return self.lose(path, &format!("it was written, and is not in the review: {why}"));
                }
            },
        };
        self.parts.edited.push(change);
    }

    fn add_new(&mut self, path: &WorkspacePath, now: &EntryState) {
        if let Some(old) = self.parts.renamed.get(path).cloned() {
            if let Some(before) = self.before.get(&old) {
                self.compare_alike(path, before, now);
            }
            return;
        }
        let change = match &now.kind {
            EntryKind::Folder => {
                let made = PathChange::without_content(path.clone(), ChangeKind::Mkdir, None);
                self.parts.folders_made.push(made);
                return;
            }
            EntryKind::Special => {
                return self.lose(path, "it was made, and is neither a file nor a folder nor a symlink");
            }
            EntryKind::Symlink(target) => {
                PathChange::of_content(path.clone(), None, Some(PathContent::Symlink(target.clone())))
            }
            EntryKind::File => {
                let Some(bytes) = self.bytes_now(path) else { return };
                match self.hold_text(&bytes) {
                    Some(text) => PathChange::of_text(path.clone(), None, text_content(text)),
                    None => match self.keep(&bytes) {
                        Ok(content) => PathChange::of_content(path.clone(), None, Some(content)),
                        Err(why) => {
                            return self.lose(path, &format!("it was made, and is not in the review: {why}"));
                        }
                    },
                }
            }
        };
        let executable = now.kind == EntryKind::File && now.is_executable();
        self.parts.made.push(NewEntry { change, executable });
    }

    fn add_removal(&mut self, path: &WorkspacePath, before: &EntryBefore) {
        if self.parts.moved.contains(path) {
            return;
        }
        let change = match &before.state.kind {
            EntryKind::Folder => {
                self.parts.folders_removed.insert(path.clone());
                return;
            }
            EntryKind::Special => return,
            EntryKind::Symlink(target) => {
                PathChange::of_content(path.clone(), Some(PathContent::Symlink(target.clone())), None)
            }
            EntryKind::File => {
                let bytes = match self.bytes_before(before) {
                    Ok(bytes) => bytes,
                    Err(why) => {
                        return self.lose(path, &format!("it was removed, and cannot be taken back: {why}"));
                    }
                };
                let change = match self.hold_text(&bytes) {
                    Some(text) => PathChange::of_removal(path.clone(), text_content(text)),
                    None => match self.keep(&bytes) {
                        Ok(content) => PathChange::of_content(path.clone(), Some(content), None),
                        Err(why) => {
                            return self
                                .lose(path, &format!("it was removed, and cannot be taken back: {why}"));
                        }
                    },
                };
                match before.state.is_executable() {
                    true => PathChange { executable: Some(true), ..change },
                    false => change,
                }
            }
        };
        self.parts.removed.insert(path.clone(), change);
    }

    /// The bytes that a file held, or why they are not known.
    fn bytes_before(&self, before: &EntryBefore) -> Result<Vec<u8>, String> {
        let bytes = match &before.bytes {
            KeptBytes::None => return Err("it was no file".to_owned()),
            KeptBytes::Lost(why) => return Err(why.clone()),
            KeptBytes::Git(hash) => self.blobs.get(hash).cloned().ok_or("git did not give what it held")?,
            KeptBytes::Copy(hash) => {
                copied_bytes(self.scope.files().state(), hash).ok_or("its copy is gone or damaged")?
            }
        };
        match bytes.len() as u64 == before.state.size {
            true => Ok(bytes),
            false => Err("git has other bytes of it than it held".to_owned()),
        }
    }

    fn bytes_now(&mut self, path: &WorkspacePath) -> Option<Vec<u8>> {
        let most = self.scope.settings().limits.edit_bytes;
        let read = self.scope.files().read_bytes(path, most);
        read.map(|(bytes, _)| bytes)
            .map_err(|error| self.lose(path, &format!("it was written, and is not in the review: {error}")))
            .ok()
    }

    /// Reads a text, where it may be held with those before.
    fn hold_text(&mut self, bytes: &[u8]) -> Option<DecodedText> {
        let text = decode_text(bytes)?;
        self.left = self.left.checked_sub(bytes.len())?;
        Some(text)
    }

    fn keep(&self, bytes: &[u8]) -> Result<PathContent, String> {
        let kept = self.scope.files().state().put_object(bytes);
        let size = bytes.len() as u64;
        kept.map(|hash| PathContent::Bytes { hash, size }).map_err(|error| error.to_string())
    }

    fn lose(&mut self, path: &WorkspacePath, why: &str) {
        self.lost.push(format!("{}: {why}", shorten_to_line(path.as_str(), NAMED_CHARS)));
    }
}

fn text_content(text: DecodedText) -> ChangeContent {
    ChangeContent::Text { text: text.text, encoding: text.encoding }
}
