//! fs.copy: a file byte for byte, or a folder with what is in it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::off_thread;
use crate::base::{WorkspacePath, hash};
use crate::protocol::{ChangeKind, Code, Effects, Fault};
use crate::registry::{Activity, Change, Draft, Output, Permitted};
use crate::session::Scope;
use crate::workspace::{CopyStep, FileKind};

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

/// What the answer says beside how the change stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Copied {
    created: bool,
    /// The folder that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<SkippedEntry>,
}

/// What lies in the folder and was not copied.
#[derive(Debug, Serialize, JsonSchema)]
struct SkippedEntry {
    path: String,
    reason: String,
}

impl Activity for CopyPath {
    type Input = CopyInput;
    type Output = Copied;

    fn effects(&self, input: &CopyInput) -> Effects {
        Effects { reads: vec![input.src.clone()], ..Effects::write(&input.dst) }
    }

    async fn run(
        &self,
        input: Arc<CopyInput>,
        _: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Copied>, Fault> {
        off_thread(scope, move |scope| copied(scope, &input)).await
    }
}

fn copied(scope: &Scope, input: &CopyInput) -> Result<Output<Copied>, Fault> {
    let (from, to) = (scope.path(&input.src)?, scope.path(&input.dst)?);
    let source = scope.files().stat(&from)?.ok_or_else(|| {
        Fault::new(Code::NotFound, format!("{from} does not exist")).suggest("fs.ls shows what is there")
    })?;
    if source.path == scope.files().root().resolve(&to)? {
        return Err(Fault::new(Code::InvalidArgs, format!("{from} and {to} are the same"))
            .suggest("name another `dst`"));
    }
    let target = scope.files().stat(&to)?;
    match (source.kind, target.map(|target| target.kind)) {
        (FileKind::File, None) => Ok(one(from, to)),
        (FileKind::File, Some(FileKind::File)) => {
            replaced(scope, &to, input.expected_hash.as_deref())?;
            Ok(one(from, to))
        }
        (FileKind::Folder, None) => folder(scope, &from, &to),
        (FileKind::File | FileKind::Folder, Some(found)) => {
            Err(Fault::new(Code::InvalidArgs, format!("{to} is there already, {}", found.noun()))
                .suggest("`dst` is the copy's own path: name one that does not exist yet"))
        }
        (other, _) => Err(Fault::new(
            Code::InvalidArgs,
            format!("{from} is {}; only files and folders are copied", other.noun()),
        )),
    }
}

fn one(from: WorkspacePath, to: WorkspacePath) -> Output<Copied> {
    let changes = vec![Change::bare(to, ChangeKind::Copy, Some(from))];
    let value = Copied { created: true, path: None, skipped: Vec::new() };
    Output::change(Draft { changes, ..Draft::default() }, value)
}

/// A file is replaced only by a caller that knows what it holds.
fn replaced(scope: &Scope, to: &WorkspacePath, expected: Option<&str>) -> Result<(), Fault> {
    let (bytes, _) = scope.files().read(to, scope.settings().limits.edit_bytes)?;
    let now = hash::short(&bytes);
    match expected {
        Some(expected) if expected == now => Ok(()),
        _ => Err(Fault::new(Code::Stale, format!("{to} is there already, with the hash {now}"))
            .suggest("send that hash as `expected_hash` to replace it, or name another `dst`")
            .detail(json!({ "expected_hash": expected, "hash": now }))),
    }
}

fn folder(scope: &Scope, from: &WorkspacePath, to: &WorkspacePath) -> Result<Output<Copied>, Fault> {
    let plan = scope.files().copy_plan(from, to, MOST)?;
    let skipped = plan.skipped.into_iter();
    let mut skipped: Vec<SkippedEntry> = skipped
        .map(|skipped| SkippedEntry { path: skipped.path.to_string(), reason: skipped.reason })
        .collect();
    let mut changes = Vec::new();
    for step in plan.steps {
        match step {
            CopyStep::Folder(path) => changes.push(Change::bare(path, ChangeKind::Mkdir, None)),
            CopyStep::File { from, to, .. } => changes.push(Change::bare(to, ChangeKind::Copy, Some(from))),
            CopyStep::Link { to, target } => {
                let reason = format!("a symlink to {target}; links are not copied");
                skipped.push(SkippedEntry { path: to.to_string(), reason });
            }
        }
    }
    let value = Copied { created: true, path: Some(to.to_string()), skipped };
    Ok(Output::change(Draft { changes, ..Draft::default() }, value))
}
