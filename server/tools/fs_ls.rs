//! fs.ls: what a folder holds.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;
use crate::workspace::{Entry, Kind};

/// Lists a folder.
pub(super) struct Ls;

impl Activity for Ls {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects::read(text(args, "path"))
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let asked = text(call.call().args(), "path").to_owned();
        Box::pin(off_thread(scope, move |scope| {
            let path = scope.path(&asked)?;
            let most = scope.settings().limits.output_items;
            let listing = scope.files().list(&path, 0, most)?;
            let truncated = listing.total > listing.entries.len();
            let rest = truncated.then(|| {
                format!(
                    "{most} of {} entries are shown; search.lexical with a `glob` finds the others",
                    listing.total
                )
            });
            let value = listing.entries.iter().map(entry).collect();
            Ok(Output::Value {
                value: Value::Array(value),
                truncated,
                rest,
                blocks: Vec::new(),
                warnings: Vec::new(),
            })
        }))
    }
}

fn entry(entry: &Entry) -> Value {
    let kind = match entry.kind {
        Kind::File => "file",
        Kind::Folder => "directory",
        Kind::Symlink => "symlink",
        _ => "other",
    };
    json!({ "name": entry.name, "type": kind, "size": entry.size, "modified": entry.modified })
}
