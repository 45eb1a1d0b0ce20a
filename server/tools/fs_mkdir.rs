//! fs.mkdir: a folder, with those above it.

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::{off_thread, text};
use crate::protocol::{ChangeKind, Code, Effects, Fault};
use crate::registry::{Activity, Change, Draft, Output, Permitted};
use crate::session::Scope;
use crate::workspace::Kind;

/// Makes a folder.
pub(super) struct Mkdir;

impl Activity for Mkdir {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::write(text(args, "path"))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let asked = text(call.call().args(), "path").to_owned();
        Box::pin(off_thread(scope, move |scope| {
            let path = scope.path(&asked)?;
            match scope.files().stat(&path) {
                Ok(Some(found)) if found.kind == Kind::Folder => Ok(Output::Change(Draft::default())),
                Ok(Some(found)) => Err(Fault::new(
                    Code::InvalidArgs,
                    format!("{path} is {}, not a folder", found.kind.noun()),
                )
                .suggest("name another folder")),
                Ok(None) => {
                    let changes = vec![Change::bare(path, ChangeKind::Mkdir, None)];
                    Ok(Output::Change(Draft { changes, notes: Map::new() }))
                }
                Err(fault) => Err(fault),
            }
        }))
    }
}
