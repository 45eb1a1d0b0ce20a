//! Drafts the changes of a diff with git's headers: removals first, then renames, then contents and modes, then new
//! files. So a file may take the place of a removed one.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};

use super::super::change;
use super::super::refusal::refusal_fault;
use crate::base::WorkspacePath;
use crate::base::text::{DecodedText, TextEncoding, decode_text};
use crate::patch::{self, AppliedDiff, BinaryError, BinaryPatch, GitBody, GitFile};
use crate::protocol::{ChangeKind, Code, Fault, PathContent};
use crate::registry::{CallDraft, ChangeContent, PathChange};
use crate::session::{CallScope, TextSnapshot, unencodable_error};
use crate::workspace::FileKind;

/// The draft of all of them.
///
/// # Errors
/// STALE where a file is not what the diff was made for; PATCH_MISMATCH; UNSUPPORTED for a submodule, and for bytes that the
/// diff does not hold; QUOTA_EXCEEDED where its binary files come to more than `limits.edit_bytes`.
pub(super) fn draft_files(scope: &CallScope, files: &[GitFile<'_>]) -> Result<CallDraft, Fault> {
    let joined = joined_lines(files);
    let files = &one_a_file(scope, files, &joined)?[..];
    let left = Cell::new(scope.settings().limits.edit_bytes);
    let mut reader = GitPatchReader { scope, leaving: BTreeSet::new(), left };
    let (mut removals, mut renames) = (Vec::new(), Vec::new());
    let (mut edits, mut made) = (Vec::new(), Vec::new());
    for file in files.iter().filter(|file| file.new.is_none() || file.is_rename()) {
        reader.leaving.extend(file.old.as_deref().map(|old| scope.parse_path(old)).transpose()?);
    }
    refuse_nested(scope, files)?;
    for file in files {
        reader.check_file(file)?;
        match (&file.old, &file.new) {
            (Some(old), None) => removals.extend(reader.removal_of(file, &scope.parse_path(old)?)?),
            (Some(old), Some(new)) if !file.copies => {
                let (old, new) = (scope.parse_path(old)?, scope.parse_path(new)?);
                if old != new {
                    renames.push(PathChange::without_content(
                        new.clone(),
                        ChangeKind::Rename,
                        Some(old.clone()),
                    ));
                }
                edits.extend(reader.edits_of(file, &old, &new)?);
            }
            (old, Some(new)) => {
                let source = old.as_deref().map(|old| scope.parse_path(old)).transpose()?;
                made.push(reader.creation_of(file, source, scope.parse_path(new)?)?);
            }
            (None, None) => {}
        }
    }
    let changes = removals.into_iter().chain(in_order(renames)?).chain(edits).chain(made).collect();
    Ok(CallDraft { changes, ..CallDraft::default() })
}

/// Refuses a diff that makes a file or a link at a path, and has another file below that path. Only files that are there
/// may go from below it, so that the path becomes free.
fn refuse_nested(scope: &CallScope, files: &[GitFile<'_>]) -> Result<(), Fault> {
    let mut paths = Vec::new();
    for file in files {
        if let Some(new) = &file.new {
            paths.push((scope.parse_path(new)?, file.old != file.new));
        } else if let Some(old) = &file.old {
            let old = scope.parse_path(old)?;
            if scope.files().entry_at(&old)?.is_none() {
                paths.push((old, false));
            }
        }
    }
    let Some((path, above)) = find_nested(&paths) else { return Ok(()) };
    let message = format!("the diff makes {above}, and has {path} below it; nothing is changed");
    Err(Fault::new(Code::PatchMismatch, message)
        .with_suggestion("leave one of the two out: a path is a file, a symlink or a folder"))
}

/// Finds a path below another one that is made, by paths and whether they are made.
fn find_nested(paths: &[(WorkspacePath, bool)]) -> Option<(&WorkspacePath, WorkspacePath)> {
    let made: BTreeSet<&WorkspacePath> =
        paths.iter().filter(|(_, is_made)| *is_made).map(|(path, _)| path).collect();
    let above = |path: &WorkspacePath| {
        std::iter::successors(path.parent(), WorkspacePath::parent).find(|folder| made.contains(folder))
    };
    paths.iter().find_map(|(path, _)| Some((path, above(path)?)))
}

/// The lines of each part of a diff, where it is the first of several that change one file by their lines alone: those of
/// all of them. Nothing for any other part.
fn joined_lines(files: &[GitFile<'_>]) -> Vec<Option<String>> {
    let mut firsts: HashMap<(&Option<String>, &Option<String>), usize> = HashMap::new();
    let mut joined = vec![None; files.len()];
    for (at, file) in files.iter().enumerate() {
        let GitBody::Lines(lines) = file.body else { continue };
        if !file.is_plain() {
            continue;
        }
        let first = *firsts.entry((&file.old, &file.new)).or_insert(at);
        let GitBody::Lines(before) = files[first].body else { continue };
        if first != at {
            let text: &mut String = joined[first].get_or_insert_with(|| before.to_owned());
            text.push_str(if text.ends_with('\n') { "" } else { "\n" });
            text.push_str(lines);
        }
    }
    joined
}

/// Joins the parts of one file, all against its current text.
///
/// # Errors
/// PATCH_MISMATCH where two parts do different things to one path: a proposal has no order for them.
fn one_a_file<'d>(
    scope: &CallScope,
    files: &[GitFile<'d>],
    joined: &'d [Option<String>],
) -> Result<Vec<GitFile<'d>>, Fault> {
    let mut parts: Vec<GitFile<'d>> = Vec::new();
    let (mut taken, mut olds, mut news) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (file, text) in files.iter().zip(joined) {
        if file.is_plain() && taken.contains(&(&file.old, &file.new)) {
            continue;
        }
        let old = file.old.as_ref().filter(|_| !file.copies);
        for (path, known) in [(old, &mut olds), (file.new.as_ref(), &mut news)] {
            let Some(path) = path else { continue };
            if !known.insert(scope.parse_path(path)?) {
                let message = format!("the diff has several parts for {path}; nothing is changed");
                return Err(Fault::new(Code::PatchMismatch, message)
                    .with_suggestion("put all that becomes of a file into one part, or into several calls"));
            }
        }
        let mut part = file.clone();
        if let Some(text) = text {
            taken.insert((&file.old, &file.new));
            part.body = GitBody::Lines(text);
        }
        parts.push(part);
    }
    Ok(parts)
}

/// Renames in an order in which no target is taken by a source that has not moved yet.
fn in_order(mut renames: Vec<PathChange>) -> Result<Vec<PathChange>, Fault> {
    let mut ordered = Vec::with_capacity(renames.len());
    while !renames.is_empty() {
        let sources: BTreeSet<_> = renames.iter().filter_map(|rename| rename.from.clone()).collect();
        let (free, taken): (Vec<_>, Vec<_>) =
            renames.into_iter().partition(|rename| !sources.contains(&rename.path));
        if free.is_empty() {
            return Err(Fault::new(Code::Unsupported, "the diff renames files in a circle")
                .with_suggestion("send the diff without renames: `git diff --binary --no-renames`"));
        }
        ordered.extend(free);
        renames = taken;
    }
    Ok(ordered)
}

struct GitPatchReader<'s> {
    scope: &'s CallScope,
    /// The paths that become free.
    leaving: BTreeSet<WorkspacePath>,
    /// The number of bytes that its binary patches may still make, of all that one diff may: packed, a few bytes make
    /// very many.
    left: Cell<u64>,
}

impl GitPatchReader<'_> {
    fn check_file(&self, file: &GitFile<'_>) -> Result<(), Fault> {
        let name = file.paths().next().unwrap_or("the diff");
        let refused = |what: String, act: &str| Err(Fault::new(Code::Unsupported, what).with_suggestion(act));
        match &file.body {
            _ if file.is_module() => {
                refused(format!("{name} is a submodule, which is no file"), "leave it out of the diff")
            }
            GitBody::Unsaid => refused(
                format!("the diff does not hold the bytes of {name}"),
                "make it with `git diff --binary`",
            ),
            GitBody::Broken(why) => Err(broken_patch(name, why)),
            _ => Ok(()),
        }
    }

    /// A file or a link that goes.
    fn removal_of(&self, file: &GitFile<'_>, path: &WorkspacePath) -> Result<Option<PathChange>, Fault> {
        if file.is_link() {
            let target = self.link_target(path)?;
            self.lines_after(file, path, Some(&target))?;
            return Ok(Some(PathChange::of_content(path.clone(), Some(PathContent::Symlink(target)), None)));
        }
        if let GitBody::Binary(patch) = &file.body {
            let bytes = self.file_bytes(path)?;
            self.apply_binary(patch, path, &bytes)?;
            return Ok(Some(PathChange::of_content(path.clone(), Some(self.keep_bytes(&bytes)?), None)));
        }
        let Some(before) = self.scope.read_text(path)? else { return Ok(None) };
        match self.lines_after(file, path, Some(&before.text))? {
            None => Ok(Some(PathChange::of_removal(path.clone(), text_content(before)))),
            // An empty file has no lines to state.
            Some(after) if after.is_empty() => {
                Ok(Some(PathChange::of_removal(path.clone(), text_content(before))))
            }
            Some(_) => {
                Err(stale_fault(path, "the diff removes an empty file, and it holds something by now"))
            }
        }
    }

    /// Returns the changes of a file that stays, possibly under another path.
    fn edits_of(
        &self,
        file: &GitFile<'_>,
        old: &WorkspacePath,
        new: &WorkspacePath,
    ) -> Result<Vec<PathChange>, Fault> {
        let mut changes = Vec::new();
        let entry =
            self.scope.files().entry_at(old)?.ok_or_else(|| stale_fault(old, "it is not there any more"))?;
        if let Some(executable) = file.executable_change()
            && (entry.bits & 0o111 != 0) != executable
        {
            changes.push(PathChange::of_mode(new.clone(), executable));
        }
        match &file.body {
            GitBody::Lines(_) if file.is_link() => {
                let before = self.link_target(old)?;
                let after = self.lines_after(file, old, Some(&before))?.unwrap_or_default();
                let [before, after] = [before, after].map(PathContent::Symlink);
                changes.push(PathChange::of_content(new.clone(), Some(before), Some(after)));
            }
            GitBody::Lines(_) => {
                let before =
                    self.scope.read_text(old)?.ok_or_else(|| stale_fault(old, "it is not there any more"))?;
                if file.was_empty && !before.text.is_empty() {
                    return Err(stale_fault(old, "it was empty, and it has lines by now"));
                }
                let applied = apply_whole(old, Some(&before.text), file)?;
                let after = applied.after.unwrap_or_default();
                let loose = change::loose_lines(&applied.hunks);
                changes.extend(change::text_draft(new.clone(), Some(before), after, loose)?.changes);
            }
            GitBody::Binary(patch) => {
                let bytes = self.file_bytes(old)?;
                let after = self.apply_binary(patch, old, &bytes)?;
                let (before, after) = (self.keep_bytes(&bytes)?, self.keep_bytes(&after)?);
                changes.push(PathChange::of_content(new.clone(), Some(before), Some(after)));
            }
            GitBody::Same | GitBody::Unsaid | GitBody::Broken(_) => {}
        }
        Ok(changes)
    }

    /// Returns the change that makes a new file or link. A copy is a new file too: it holds the diff's text, whatever
    /// happens to its source.
    fn creation_of(
        &self,
        file: &GitFile<'_>,
        source: Option<WorkspacePath>,
        path: WorkspacePath,
    ) -> Result<PathChange, Fault> {
        if !self.leaving.contains(&path) && self.scope.files().entry_at(&path)?.is_some() {
            return Err(Fault::new(Code::Stale, format!("{path} is there already"))
                .with_suggestion("read it, and send a diff that changes it"));
        }
        if file.is_link() {
            let before = source.map(|source| self.link_target(&source)).transpose()?;
            let target = self.lines_after(file, &path, before.as_deref())?.unwrap_or_default();
            return Ok(PathChange::of_content(path, None, Some(PathContent::Symlink(target))));
        }
        let executable = match &source {
            Some(source) => {
                let entry = self.scope.files().entry_at(source)?;
                file.executable_change().or(entry.map(|entry| entry.bits & 0o111 != 0).filter(|is| *is))
            }
            None => file.executable_change(),
        };
        let before = source.map(|source| self.file_bytes(&source)).transpose()?;
        let bytes = match &file.body {
            GitBody::Binary(patch) => {
                Some(self.apply_binary(patch, &path, before.as_deref().unwrap_or_default())?)
            }
            GitBody::Lines(_) => None,
            _ => before.clone(),
        };
        if let Some(bytes) = bytes {
            let Some(DecodedText { text, encoding }) = decode_text(&bytes[..]) else {
                let change = PathChange::of_content(path, None, Some(self.keep_bytes(&bytes)?));
                return Ok(PathChange { executable, ..change });
            };
            return Ok(PathChange {
                executable,
                ..PathChange::of_text(path, None, ChangeContent::Text { text, encoding })
            });
        }
        let before = before.as_deref().and_then(decode_text);
        let encoding = before.as_ref().map_or(TextEncoding::Utf8, |before| before.encoding);
        let text = self.lines_after(file, &path, before.as_ref().map(|before| before.text.as_str()))?;
        let text = text.unwrap_or_default();
        encoding.encode_text(&text).map_err(|c| unencodable_error(&path, encoding, c))?;
        Ok(PathChange {
            executable,
            ..PathChange::of_text(path, None, ChangeContent::Text { text, encoding })
        })
    }

    /// The text after the lines of a part are applied; the text before where it has none.
    fn lines_after(
        &self,
        file: &GitFile<'_>,
        path: &WorkspacePath,
        before: Option<&str>,
    ) -> Result<Option<String>, Fault> {
        match file.body {
            GitBody::Lines(_) => Ok(apply_whole(path, before, file)?.after),
            _ => Ok(before.map(str::to_owned)),
        }
    }

    fn link_target(&self, path: &WorkspacePath) -> Result<String, Fault> {
        let entry = self.scope.files().entry_at(path)?;
        entry.and_then(|entry| entry.target).ok_or_else(|| stale_fault(path, "it is no symlink by now"))
    }

    fn file_bytes(&self, path: &WorkspacePath) -> Result<Vec<u8>, Fault> {
        let entry = self.scope.files().entry_at(path)?;
        match entry.map(|entry| entry.kind) {
            Some(FileKind::File) => {
                let limit = self.scope.settings().limits.edit_bytes;
                Ok(self.scope.files().read_bytes(path, limit)?.0)
            }
            _ => Err(stale_fault(path, "it is no file by now")),
        }
    }

    fn apply_binary(
        &self,
        patch: &BinaryPatch,
        path: &WorkspacePath,
        before: &[u8],
    ) -> Result<Vec<u8>, Fault> {
        let after = patch.apply(before, self.left.get()).map_err(|error| match error {
            BinaryError::Broken(why) => broken_patch(path.as_str(), &why),
            BinaryError::OtherBytes(why) => stale_fault(path, &why),
            BinaryError::Large { .. } => {
                let most = self.scope.settings().limits.edit_bytes;
                let message = format!("{path}: the binary files of one diff come to more than {most} bytes");
                Fault::new(Code::QuotaExceeded, message).with_suggestion(
                    "send fewer of them in one diff, or ask the person to raise limits.edit_bytes",
                )
            }
        })?;
        self.left.set(self.left.get().saturating_sub(after.len() as u64));
        Ok(after)
    }

    fn keep_bytes(&self, bytes: &[u8]) -> Result<PathContent, Fault> {
        let hash = self.scope.files().state().put_object(bytes)?;
        Ok(PathContent::Bytes { hash, size: bytes.len() as u64 })
    }
}

/// The lines of a part, applied whole.
fn apply_whole(path: &WorkspacePath, before: Option<&str>, file: &GitFile<'_>) -> Result<AppliedDiff, Fault> {
    let lines = match file.body {
        GitBody::Lines(lines) if !(file.copies || file.is_rename()) => lines,
        _ => hunks_only(file),
    };
    let applied = patch::apply_to_named_file(path.as_str(), before, lines).map_err(refusal_fault)?;
    match applied.others.is_empty() {
        true => Ok(applied),
        false => Err(refusal_fault(patch::refuse_other_files(path.as_str(), applied.others))),
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

fn broken_patch(name: &str, why: &str) -> Fault {
    Fault::new(Code::PatchMismatch, format!("{name}: {why}"))
        .with_suggestion("make the diff anew with `git diff --binary`")
}

fn text_content(before: TextSnapshot) -> ChangeContent {
    ChangeContent::Text { text: before.text, encoding: before.encoding }
}

fn stale_fault(path: &WorkspacePath, why: &str) -> Fault {
    Fault::new(Code::Stale, format!("{path} is not what the diff was made for: {why}"))
        .with_suggestion("make the diff anew from the file as it stands")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_lies_below_one_that_is_made() {
        let nested = |paths: &[(&str, bool)]| {
            let path = |(path, made): &(&str, bool)| (WorkspacePath::from_relative(path).unwrap(), *made);
            let paths: Vec<_> = paths.iter().map(path).collect();
            find_nested(&paths).map(|(path, above)| format!("{path} below {above}"))
        };
        assert_eq!(nested(&[("link", true), ("link/a/b", true)]).as_deref(), Some("link/a/b below link"));
        assert_eq!(nested(&[("dir/a/b", false), ("dir/a", true)]).as_deref(), Some("dir/a/b below dir/a"));
        assert_eq!(
            nested(&[("dir", false), ("dir/a", true), ("dir/ab", true), ("a", true), ("b", true)]),
            None
        );
    }
}
