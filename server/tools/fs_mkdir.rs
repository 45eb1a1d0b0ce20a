//! fs.mkdir: a folder, with those above it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::off_thread;
use crate::protocol::{ChangeKind, Code, Effects, Fault};
use crate::registry::{Activity, Change, Draft, Output, Permitted};
use crate::session::Scope;
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

    fn effects(&self, input: &MkdirInput) -> Effects {
        Effects::write(&input.path)
    }

    async fn run(&self, input: Arc<MkdirInput>, _: &Permitted, scope: &Scope) -> Result<Output<()>, Fault> {
        off_thread(scope, move |scope| Ok(Output::change(draft(scope, &input)?, ()))).await
    }
}

fn draft(scope: &Scope, input: &MkdirInput) -> Result<Draft, Fault> {
    let path = scope.path(&input.path)?;
    match scope.files().stat(&path)? {
        Some(found) if found.kind == FileKind::Folder => Ok(Draft::default()),
        Some(found) => {
            Err(Fault::new(Code::InvalidArgs, format!("{path} is {}, not a folder", found.kind.noun()))
                .suggest("name another folder"))
        }
        None => Ok(Draft { changes: vec![Change::bare(path, ChangeKind::Mkdir, None)], ..Draft::default() }),
    }
}
