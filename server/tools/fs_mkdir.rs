//! fs.mkdir: a folder, with those above it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::off_thread;
use crate::protocol::{CallEffects, ChangeKind, Code, Fault};
use crate::registry::{Activity, ActivityOutput, CallDraft, PathChange, PermittedCall};
use crate::session::CallScope;
use crate::workspace::FileKind;

/// Makes a folder.
pub(super) struct MakeFolder;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct MkdirInput {
    path: String,
}

impl Activity for MakeFolder {
    type Input = MkdirInput;
    type Output = ();

    fn call_effects(&self, input: &MkdirInput) -> CallEffects {
        CallEffects::write(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<MkdirInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<()>, Fault> {
        off_thread(scope, move |scope| Ok(ActivityOutput::from_change(mkdir_draft(scope, &input)?, ()))).await
    }
}

fn mkdir_draft(scope: &CallScope, input: &MkdirInput) -> Result<CallDraft, Fault> {
    let path = scope.parse_path(&input.path)?;
    match scope.files().stat(&path)? {
        Some(found) if found.kind == FileKind::Folder => Ok(CallDraft::default()),
        Some(found) => {
            Err(Fault::new(Code::InvalidArgs, format!("{path} is {}, not a folder", found.kind.noun()))
                .with_suggestion("name another folder"))
        }
        None => Ok(CallDraft {
            changes: vec![PathChange::without_content(path, ChangeKind::Mkdir, None)],
            ..CallDraft::default()
        }),
    }
}
