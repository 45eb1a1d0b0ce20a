//! fs.write: the whole text of a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{change, off_thread};
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, CallDraft, PermittedCall};
use crate::session::CallScope;

/// Writes a whole file. Where no hash is expected, it is that of the text which the agent was shown last.
pub(super) struct WriteFile;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WriteInput {
    path: String,
    content: String,
    expected_hash: Option<String>,
}

impl Activity for WriteFile {
    type Input = WriteInput;
    type Output = ();

    fn call_effects(&self, input: &WriteInput) -> CallEffects {
        CallEffects::write(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<WriteInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<()>, Fault> {
        off_thread(scope, move |scope| Ok(ActivityOutput::from_change(write_draft(scope, &input)?, ()))).await
    }
}

fn write_draft(scope: &CallScope, input: &WriteInput) -> Result<CallDraft, Fault> {
    let (path, before) = change::edit_target(scope, &input.path, input.expected_hash.as_deref())?;
    if input.expected_hash.is_none() {
        change::expect_as_shown(scope, &path, before.as_ref())?;
    }
    let after = change::match_line_ends(before.as_ref(), &input.content).into_owned();
    change::text_draft(path, before, after, Vec::new())
}
