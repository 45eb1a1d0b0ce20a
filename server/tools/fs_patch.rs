//! fs.patch: a diff of one file, placed and applied; of the files that it names itself; or by git's headers, with modes,
//! links and bytes. Every file and hunk of the diff is in the draft, or the call is refused.

mod git;
mod parts;

use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) use parts::{PlacedPart, draft_parts, envelope_fault};

use schemars::JsonSchema;
use serde::Deserialize;

use self::parts::PartsDraft;
use super::change::{self, Placements};
use super::off_thread;
use super::refusal::refusal_fault;
use crate::patch::{self, GitFile, PatchKind, PatchPart};
use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, CallDraft, ChangeContent, PathChange, PermittedCall};
use crate::session::CallScope;

/// The most files of a diff without git's headers: for each of them all of it is read.
const NAMED_FILES: usize = 200;

/// Applies a diff.
pub(super) struct ApplyPatch;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PatchInput {
    path: Option<String>,
    diff: String,
    expected_hash: Option<String>,
}

impl PatchInput {
    /// The parts of the diff that only git's headers say: those of the path that is named, and of all files where none is.
    fn by_git(&self) -> Vec<GitFile<'_>> {
        let mut files = patch::git_files(&self.diff);
        if let Some(path) = &self.path {
            let best = files.iter().map(|file| file.path_fit(path)).max().unwrap_or(0);
            files.retain(|file| best > 0 && file.path_fit(path) == best);
            if files.iter().all(GitFile::is_plain) {
                files.clear();
            }
        }
        files
    }

    /// The parts of a diff for the files that it names itself, where neither a path nor git's headers do.
    ///
    /// # Errors
    /// PATCH_MISMATCH where a part of it names no file, or cannot be read.
    fn by_names(&self) -> Result<Vec<PatchPart>, Fault> {
        if patch::is_envelope(&self.diff) {
            return patch::envelope_parts(&self.diff).map_err(|error| envelope_fault(&error));
        }
        let files = patch::named_files(&self.diff).map_err(refusal_fault)?;
        if files.len() > NAMED_FILES {
            let message =
                format!("the diff names {} files, and {NAMED_FILES} are the most that one may", files.len());
            return Err(Fault::new(Code::QuotaExceeded, message)
                .with_suggestion("send it as `git diff` writes it, or in several calls"));
        }
        let part = |file: patch::NamedFile| PatchPart {
            path: file.path,
            kind: if file.is_new { PatchKind::Add } else { PatchKind::Update },
            new_path: None,
            // Each file takes its own sections of it.
            patch: Some(self.diff.clone()),
        };
        Ok(files.into_iter().map(part).collect())
    }

    /// Checks that nothing of the diff is passed over where it is taken by git's parts: a part that its path does not name,
    /// or one that git's headers do not open.
    fn check_whole(&self, taken: &[GitFile<'_>]) -> Result<(), Fault> {
        patch::check_git(&self.diff).map_err(refusal_fault)?;
        let Some(path) = &self.path else { return Ok(()) };
        let all = patch::git_files(&self.diff);
        let others = all.iter().filter(|file| !taken.contains(file));
        let mut others: Vec<String> =
            others.filter_map(|file| file.paths().next().map(str::to_owned)).collect();
        others.dedup();
        match others.is_empty() {
            true => Ok(()),
            false => Err(refusal_fault(patch::refuse_other_files(path, others))),
        }
    }
}

/// The draft of a diff as `git diff --binary` writes it; an empty one for no diff.
///
/// # Errors
/// As [`git::draft_files`].
pub(super) fn git_draft(scope: &CallScope, diff: &str) -> Result<CallDraft, Fault> {
    git::draft_files(scope, &patch::git_files(diff))
}

impl Activity for ApplyPatch {
    type Input = PatchInput;
    type Output = Placements;

    fn call_effects(&self, input: &PatchInput) -> CallEffects {
        let mut effects =
            CallEffects { writes: input.path.iter().cloned().collect(), ..CallEffects::default() };
        let files = input.by_git();
        if input.path.is_none() && files.is_empty() {
            for part in input.by_names().unwrap_or_default() {
                effects.reads.extend(part.new_path.as_ref().map(|_| part.path.clone()));
                effects.writes.extend([Some(part.path), part.new_path].into_iter().flatten());
            }
        }
        for file in files {
            if file.copies {
                effects.reads.extend(file.old);
                effects.writes.extend(file.new);
                continue;
            }
            effects.reads.extend(file.old.clone().filter(|_| file.is_rename()));
            effects.writes.extend(file.paths().map(str::to_owned));
        }
        let mut known = BTreeSet::new();
        effects.writes.retain(|path| known.insert(path.clone()));
        effects
    }

    async fn run_call(
        &self,
        input: Arc<PatchInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Placements>, Fault> {
        off_thread(scope, move |scope| apply_patch(scope, &input)).await
    }
}

fn apply_patch(scope: &CallScope, input: &PatchInput) -> Result<ActivityOutput<Placements>, Fault> {
    let files = input.by_git();
    match &input.path {
        Some(path) if files.is_empty() => return patch_lines(scope, path, input),
        // The hash that the caller expects is that of the path that it names.
        Some(path) if input.expected_hash.is_some() => {
            change::edit_target(scope, path, input.expected_hash.as_deref())?;
        }
        None if input.expected_hash.is_some() => {
            let message = "`expected_hash` is that of one file, and `path` does not name it";
            return Err(Fault::new(Code::InvalidArgs, message)
                .with_suggestion("name the file as `path`, or leave `expected_hash` out"));
        }
        None if files.is_empty() => return patch_named_files(scope, input),
        _ => {}
    }
    input.check_whole(&files)?;
    Ok(ActivityOutput::from_change(git::draft_files(scope, &files)?, Placements { placed: None, note: None }))
}

/// A diff of the files that it names.
fn patch_named_files(scope: &CallScope, input: &PatchInput) -> Result<ActivityOutput<Placements>, Fault> {
    let parts = input.by_names()?;
    let mut placed = Vec::with_capacity(parts.len());
    for part in &parts {
        let moved = part.new_path.as_deref().map(|path| scope.parse_path(path)).transpose()?;
        placed.push(PlacedPart { part, path: scope.parse_path(&part.path)?, moved });
    }
    let PartsDraft { draft, notes } = draft_parts(&placed, |path| Ok(scope.read_text(path)?))?;
    let note = draft.changes.is_empty().then_some("the diff is applied already; nothing was changed");
    let value = Placements { placed: None, note };
    Ok(ActivityOutput { warnings: notes, ..ActivityOutput::from_change(draft, value) })
}

/// A diff of the lines of one file.
fn patch_lines(
    scope: &CallScope,
    path: &str,
    input: &PatchInput,
) -> Result<ActivityOutput<Placements>, Fault> {
    let (path, before) = change::edit_target(scope, path, input.expected_hash.as_deref())?;
    let old = before.as_ref().map(|before| before.text.as_str());
    let applied = patch::apply_diff(path.as_str(), old, &input.diff).map_err(refusal_fault)?;
    if !applied.others.is_empty() {
        return Err(refusal_fault(patch::refuse_other_files(path.as_str(), applied.others)));
    }
    let warnings = applied.notes;
    let draft = match (applied.after, before) {
        (Some(after), before) => {
            change::text_draft(path, before, after, change::loose_lines(&applied.hunks))?
        }
        (None, Some(before)) => {
            let content = ChangeContent::Text { text: before.text, encoding: before.encoding };
            CallDraft { changes: vec![PathChange::of_removal(path, content)], ..CallDraft::default() }
        }
        (None, None) => CallDraft::default(),
    };
    let note = applied.unchanged.then_some("the diff is applied already; nothing was changed");
    let loose: Vec<_> = applied.hunks.into_iter().filter(|hunk| hunk.loose_reason().is_some()).collect();
    let value = Placements { placed: (!loose.is_empty()).then_some(loose), note };
    Ok(ActivityOutput { warnings, ..ActivityOutput::from_change(draft, value) })
}
