//! fs.patch: a unified diff, placed and applied; or what git says of several files, with modes, links and bytes.

mod git;

use std::collections::BTreeSet;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::change::{self, Placements};
use super::off_thread;
use super::refused::refused;
use crate::patch::{self, GitFile};
use crate::protocol::{Code, Effects, Fault};
use crate::registry::{Activity, Change, Content, Draft, Output, Permitted};
use crate::session::Scope;

/// Applies a diff.
pub(super) struct PatchFile;

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
            let best = files.iter().map(|file| file.fit(path)).max().unwrap_or(0);
            files.retain(|file| best > 0 && file.fit(path) == best);
            if files.iter().all(GitFile::is_plain) {
                files.clear();
            }
        }
        files
    }
}

/// The draft of a diff as `git diff --binary` writes it; an empty one for no diff.
///
/// # Errors
/// As [`git::draft`].
pub(super) fn git_draft(scope: &Scope, diff: &str) -> Result<Draft, Fault> {
    git::draft(scope, &patch::git_files(diff))
}

impl Activity for PatchFile {
    type Input = PatchInput;
    type Output = Placements;

    fn effects(&self, input: &PatchInput) -> Effects {
        let mut effects = Effects { writes: input.path.iter().cloned().collect(), ..Effects::default() };
        for file in input.by_git() {
            if file.copies {
                effects.reads.extend(file.old);
                effects.writes.extend(file.new);
                continue;
            }
            effects.reads.extend(file.old.clone().filter(|_| file.renames()));
            effects.writes.extend(file.paths().map(str::to_owned));
        }
        let mut known = BTreeSet::new();
        effects.writes.retain(|path| known.insert(path.clone()));
        effects
    }

    async fn run(
        &self,
        input: Arc<PatchInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Placements>, Fault> {
        off_thread(scope, move |scope| patched(scope, &input)).await
    }
}

fn patched(scope: &Scope, input: &PatchInput) -> Result<Output<Placements>, Fault> {
    let files = input.by_git();
    match &input.path {
        Some(path) if files.is_empty() => return lines(scope, path, input),
        // The hash that the caller expects is that of the path that it names.
        Some(path) if input.expected_hash.is_some() => {
            change::target(scope, path, input.expected_hash.as_deref())?;
        }
        None if files.is_empty() => {
            let message = "the diff has no `diff --git` line, so `path` has to name its file";
            return Err(Fault::new(Code::InvalidArgs, message)
                .suggest("name the file as `path`, or send a diff as `git diff --binary` writes it"));
        }
        _ => {}
    }
    Ok(Output::change(git::draft(scope, &files)?, Placements { placed: None, note: None }))
}

/// A diff of the lines of one file.
fn lines(scope: &Scope, path: &str, input: &PatchInput) -> Result<Output<Placements>, Fault> {
    let (path, before) = change::target(scope, path, input.expected_hash.as_deref())?;
    let old = before.as_ref().map(|before| before.text.as_str());
    let applied = patch::apply(path.as_str(), old, &input.diff).map_err(refused)?;
    let draft = match (applied.after, before) {
        (Some(after), before) => change::draft(path, before, after, change::loose(&applied.hunks))?,
        (None, Some(before)) => {
            let content = Content::Text { text: before.text, encoding: before.encoding };
            Draft { changes: vec![Change::delete(path, content)], ..Draft::default() }
        }
        (None, None) => Draft::default(),
    };
    let note = applied.unchanged.then_some("the diff is applied already; nothing was changed");
    let loose: Vec<_> = applied.hunks.into_iter().filter(|hunk| hunk.loose().is_some()).collect();
    Ok(Output::change(draft, Placements { placed: (!loose.is_empty()).then_some(loose), note }))
}
