//! fs.copy: a file byte for byte, or a folder with what is in it.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::base::{WorkspacePath, hash};
use crate::protocol::{ChangeKind, Code, Effects, Fault};
use crate::registry::{Activity, Change, Draft, Output, Permitted};
use crate::session::Scope;
use crate::workspace::{CopyStep, Kind};

/// Files and folders that one copy makes at most.
const MOST: usize = 10_000;

/// Copies.
pub(super) struct Copy;

impl Activity for Copy {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        Effects { reads: vec![text(args, "src").to_owned()], ..Effects::write(text(args, "dst")) }
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| draft(scope, &args).map(Output::Change)))
    }
}

fn draft(scope: &Scope, args: &Map<String, Value>) -> Result<Draft, Fault> {
    let (from, to) = (scope.path(text(args, "src"))?, scope.path(text(args, "dst"))?);
    let source = scope.files().stat(&from)?.ok_or_else(|| {
        Fault::new(Code::NotFound, format!("{from} does not exist")).suggest("fs.ls shows what is there")
    })?;
    if source.path == scope.files().root().resolve(&to)? {
        return Err(Fault::new(Code::InvalidArgs, format!("{from} and {to} are the same"))
            .suggest("name another `dst`"));
    }
    let target = scope.files().stat(&to)?;
    match (source.kind, target.map(|target| target.kind)) {
        (Kind::File, None) => Ok(one(from, to)),
        (Kind::File, Some(Kind::File)) => {
            replaced(scope, &to, args)?;
            Ok(one(from, to))
        }
        (Kind::Folder, None) => folder(scope, &from, &to),
        (Kind::File | Kind::Folder, Some(found)) => {
            Err(Fault::new(Code::InvalidArgs, format!("{to} is there already, {}", found.noun()))
                .suggest("`dst` is the copy's own path: name one that does not exist yet"))
        }
        (other, _) => Err(Fault::new(
            Code::InvalidArgs,
            format!("{from} is {}; only files and folders are copied", other.noun()),
        )),
    }
}

fn one(from: WorkspacePath, to: WorkspacePath) -> Draft {
    let changes = vec![Change::bare(to, ChangeKind::Copy, Some(from))];
    Draft { changes, notes: Map::from_iter([("created".to_owned(), json!(true))]) }
}

/// A file is replaced only by a caller that knows what it holds.
fn replaced(scope: &Scope, to: &WorkspacePath, args: &Map<String, Value>) -> Result<(), Fault> {
    let (bytes, _) = scope.files().read(to, scope.settings().limits.edit_bytes)?;
    let (now, expected) = (hash::short(&bytes), args.get("expected_hash").and_then(Value::as_str));
    match expected {
        Some(expected) if expected == now => Ok(()),
        _ => Err(Fault::new(Code::Stale, format!("{to} is there already, with the hash {now}"))
            .suggest("send that hash as `expected_hash` to replace it, or name another `dst`")
            .detail(json!({ "expected_hash": expected, "hash": now }))),
    }
}

fn folder(scope: &Scope, from: &WorkspacePath, to: &WorkspacePath) -> Result<Draft, Fault> {
    let plan = scope.files().copy_plan(from, to, MOST)?;
    let mut skipped: Vec<Value> = plan
        .skipped
        .iter()
        .map(|skipped| json!({ "path": skipped.path, "reason": skipped.reason }))
        .collect();
    let mut changes = Vec::new();
    for step in plan.steps {
        match step {
            CopyStep::Folder(path) => changes.push(Change::bare(path, ChangeKind::Mkdir, None)),
            CopyStep::File { from, to, .. } => changes.push(Change::bare(to, ChangeKind::Copy, Some(from))),
            CopyStep::Link { to, target } => {
                skipped.push(
                    json!({ "path": to, "reason": format!("a symlink to {target}; links are not copied") }),
                );
            }
        }
    }
    let mut notes = Map::from_iter([("created".to_owned(), json!(true)), ("path".to_owned(), json!(to))]);
    if !skipped.is_empty() {
        notes.insert("skipped".to_owned(), Value::Array(skipped));
    }
    Ok(Draft { changes, notes })
}
