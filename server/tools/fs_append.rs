//! fs.append: text at the end of a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{change, off_thread};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Draft, Output, Permitted};
use crate::session::Scope;

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

    fn effects(&self, input: &AppendInput) -> Effects {
        Effects::write(&input.path)
    }

    async fn run(&self, input: Arc<AppendInput>, _: &Permitted, scope: &Scope) -> Result<Output<()>, Fault> {
        off_thread(scope, move |scope| Ok(Output::change(draft(scope, &input)?, ()))).await
    }
}

fn draft(scope: &Scope, input: &AppendInput) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, &input.path, input.expected_hash.as_deref())?;
    let mut after = before.as_ref().map(|before| before.text.clone()).unwrap_or_default();
    after.push_str(&change::like(before.as_ref(), &input.text));
    change::draft(path, before, after, Vec::new())
}
