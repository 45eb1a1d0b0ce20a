//! fs.copy: a file byte for byte, or a folder with what is in it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::off_thread;
use crate::base::{WorkspacePath, hash};
use crate::protocol::{CallEffects, ChangeKind, Code, Fault};
use crate::registry::{Activity, ActivityOutput, CallDraft, PathChange, PermittedCall};
use crate::session::CallScope;
use crate::workspace::{CopyPlan, CopyStep, FileKind};

/// Files and folders that one copy makes at most.
const MOST: usize = 10_000;

/// Copies.
pub(super) struct CopyPath;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct CopyInput {
    src: String,
    dst: String,
    expected_hash: Option<String>,
}

/// The members of the answer in addition to the change's state.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Copied {
    created: bool,
    /// The folder that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedEntry>,
}

/// An entry of the folder that was not copied.
#[derive(Debug, Serialize, JsonSchema)]
struct SkippedEntry {
    path: String,
    reason: String,
}

impl Activity for CopyPath {
    type Input = CopyInput;
    type Output = Copied;

    fn call_effects(&self, input: &CopyInput) -> CallEffects {
        CallEffects { reads: vec![input.src.clone()], ..CallEffects::write(&input.dst) }
    }

    async fn run_call(
        &self,
        input: Arc<CopyInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Copied>, Fault> {
        off_thread(scope, move |scope| copy_path(scope, &input)).await
    }
}

fn copy_path(scope: &CallScope, input: &CopyInput) -> Result<ActivityOutput<Copied>, Fault> {
    let (from, to) = (scope.parse_path(&input.src)?, scope.parse_path(&input.dst)?);
    let source = scope.files().stat(&from)?.ok_or_else(|| {
        Fault::new(Code::NotFound, format!("{from} does not exist"))
            .with_suggestion("fs.ls shows what is there")
    })?;
    if source.path == scope.files().paths().root().resolve_path(&to)? {
        return Err(Fault::new(Code::InvalidArgs, format!("{from} and {to} are the same"))
            .with_suggestion("name another `dst`"));
    }
    let target = scope.files().stat(&to)?;
    match (source.kind, target.map(|target| target.kind)) {
        (FileKind::File, None) => Ok(single_copy(from, to)),
        (FileKind::File, Some(FileKind::File)) => {
            check_known_target(scope, &to, input.expected_hash.as_deref())?;
            Ok(single_copy(from, to))
        }
        (FileKind::Folder, None) => copy_folder(scope, &from, &to),
        (FileKind::File | FileKind::Folder, Some(found)) => {
            Err(Fault::new(Code::InvalidArgs, format!("{to} is there already, {}", found.noun()))
                .with_suggestion("`dst` is the copy's own path: name one that does not exist yet"))
        }
        (other, _) => Err(Fault::new(
            Code::InvalidArgs,
            format!("{from} is {}; only files and folders are copied", other.noun()),
        )),
    }
}

fn single_copy(from: WorkspacePath, to: WorkspacePath) -> ActivityOutput<Copied> {
    let changes = vec![PathChange::without_content(to, ChangeKind::Copy, Some(from))];
    let value = Copied { created: true, path: None, skipped: Vec::new() };
    ActivityOutput::from_change(CallDraft { changes, ..CallDraft::default() }, value)
}

/// A file is replaced only by a caller that knows what it holds.
fn check_known_target(scope: &CallScope, to: &WorkspacePath, expected: Option<&str>) -> Result<(), Fault> {
    let (bytes, _) = scope.files().read_bytes(to, scope.settings().limits.edit_bytes)?;
    let now = hash::short_hash(&bytes);
    match expected {
        Some(expected) if expected == now => Ok(()),
        _ => Err(Fault::new(Code::Stale, format!("{to} is there already, with the hash {now}"))
            .with_suggestion("send that hash as `expected_hash` to replace it, or name another `dst`")
            .with_details(json!({ "expected_hash": expected, "hash": now }))),
    }
}

fn copy_folder(
    scope: &CallScope,
    from: &WorkspacePath,
    to: &WorkspacePath,
) -> Result<ActivityOutput<Copied>, Fault> {
    let plan = CopyPlan::plan_copy(scope.files().paths(), from, to, MOST)?;
    let skipped = plan.skipped.into_iter();
    let mut skipped: Vec<SkippedEntry> = skipped
        .map(|skipped| SkippedEntry { path: skipped.path.to_string(), reason: skipped.reason })
        .collect();
    let mut changes = Vec::new();
    for step in plan.steps {
        match step {
            CopyStep::Folder(path) => {
                changes.push(PathChange::without_content(path, ChangeKind::Mkdir, None))
            }
            CopyStep::File { from, to, .. } => {
                changes.push(PathChange::without_content(to, ChangeKind::Copy, Some(from)))
            }
            CopyStep::Link { to, target } => {
                let reason = format!("a symlink to {target}; links are not copied");
                skipped.push(SkippedEntry { path: to.to_string(), reason });
            }
        }
    }
    let value = Copied { created: true, path: Some(to.to_string()), skipped };
    Ok(ActivityOutput::from_change(CallDraft { changes, ..CallDraft::default() }, value))
}
