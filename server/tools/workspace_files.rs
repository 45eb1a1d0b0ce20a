//! workspace.files: the files that are not ignored, and how they are watched.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::{Scope, Where};
use crate::watch::FileEntry;

/// Files in one answer, where the caller names no limit.
const LIMIT: u64 = 200;

/// Lists the workspace's files.
pub(super) struct List;

impl Activity for List {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        let scope = text(args, "scope");
        Effects::read(if scope.is_empty() { "." } else { scope })
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| list(scope, &args)))
    }
}

fn list(scope: &Scope, args: &Map<String, Value>) -> Result<Output, Fault> {
    let limit = usize::try_from(args.get("limit").and_then(Value::as_u64).unwrap_or(LIMIT));
    let limit = limit.unwrap_or(usize::MAX).min(scope.settings().limits.output_items);
    let after = text(args, "cursor");
    let place = Where { scope: text(args, "scope"), glob: text(args, "glob") };
    let files = scope.list(place)?;
    let from = if after.is_empty() { 0 } else { files.partition_point(|entry| &*entry.path <= after) };
    let shown: Vec<&FileEntry> = files.iter().skip(from).take(limit).collect();
    let more = from + shown.len() < files.len();
    let rest = shown.last().filter(|_| more).map(|last| {
        format!("{} of {} files are shown; go on with the cursor {}", shown.len(), files.len(), last.path)
    });
    let mut value = json!({
        "files": shown.iter().map(|entry| json!({ "path": entry.path, "size": entry.stamp.size })).collect::<Value>(),
        "total": files.len(),
    });
    if let Some(status) = scope.watch_status() {
        value["watch"] = json!(status);
    }
    Ok(Output::Value { value, truncated: more, rest, blocks: Vec::new(), warnings: Vec::new() })
}
