//! fs.write: the whole text of a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{change, off_thread};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Draft, Output, Permitted};
use crate::session::Scope;

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

    fn effects(&self, input: &WriteInput) -> Effects {
        Effects::write(&input.path)
    }

    async fn run(&self, input: Arc<WriteInput>, _: &Permitted, scope: &Scope) -> Result<Output<()>, Fault> {
        off_thread(scope, move |scope| Ok(Output::change(draft(scope, &input)?, ()))).await
    }
}

fn draft(scope: &Scope, input: &WriteInput) -> Result<Draft, Fault> {
    let (path, before) = change::target(scope, &input.path, input.expected_hash.as_deref())?;
    if input.expected_hash.is_none() {
        change::expect_as_shown(scope, &path, before.as_ref())?;
    }
    let after = change::like(before.as_ref(), &input.content).into_owned();
    change::draft(path, before, after, Vec::new())
}
