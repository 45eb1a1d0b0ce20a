//! fs.patch: a unified diff, placed and applied.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::change::{self, Placements};
use super::off_thread;
use super::refused::refused;
use crate::patch;
use crate::protocol::{ChangeKind, Effects, Fault};
use crate::registry::{Activity, Change, Content, Draft, Output, Permitted};
use crate::session::Scope;

/// Applies a diff to one file.
pub(super) struct PatchFile;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PatchInput {
    path: String,
    diff: String,
    expected_hash: Option<String>,
}

impl Activity for PatchFile {
    type Input = PatchInput;
    type Output = Placements;

    fn effects(&self, input: &PatchInput) -> Effects {
        Effects::write(&input.path)
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
    let (path, before) = change::target(scope, &input.path, input.expected_hash.as_deref())?;
    let old = before.as_ref().map(|before| before.text.as_str());
    let applied = patch::apply(path.as_str(), old, &input.diff).map_err(refused)?;
    let draft = match (applied.after, before) {
        (Some(after), before) => change::draft(path, before, after, change::loose(&applied.hunks))?,
        (None, Some(before)) => {
            let content = Content { text: before.text, encoding: before.encoding };
            let change = Change { before: Some(content), ..Change::bare(path, ChangeKind::Delete, None) };
            Draft { changes: vec![change], ..Draft::default() }
        }
        (None, None) => Draft::default(),
    };
    let note = applied.unchanged.then_some("the diff is applied already; nothing was changed");
    Ok(Output::change(draft, Placements { placed: Some(applied.hunks), note }))
}
