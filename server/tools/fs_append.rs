//! fs.append: text at the end of a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{change, off_thread};
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, CallDraft, PermittedCall};
use crate::session::CallScope;

/// Appends to a file, or makes it.
pub(super) struct AppendText;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AppendInput {
    path: String,
    text: String,
    expected_hash: Option<String>,
}

impl Activity for AppendText {
    type Input = AppendInput;
    type Output = ();

    fn call_effects(&self, input: &AppendInput) -> CallEffects {
        CallEffects::write(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<AppendInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<()>, Fault> {
        off_thread(scope, move |scope| Ok(ActivityOutput::from_change(append_draft(scope, &input)?, ())))
            .await
    }
}

fn append_draft(scope: &CallScope, input: &AppendInput) -> Result<CallDraft, Fault> {
    let (path, before) = change::edit_target(scope, &input.path, input.expected_hash.as_deref())?;
    let mut after = before.as_ref().map(|before| before.text.clone()).unwrap_or_default();
    after.push_str(&change::match_line_ends(before.as_ref(), &input.text));
    change::text_draft(path, before, after, Vec::new())
}
