//! search.vector: the files that are most likely meant by some words, each with its best piece.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Files in one answer, where the caller names no number.
const FILES: u64 = 10;

/// Finds files by what they are about.
pub struct Vector;

impl Activity for Vector {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        let scope = text(args, "scope");
        Effects::read(if scope.is_empty() { "." } else { scope })
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let args = call.call().args().clone();
        Box::pin(off_thread(scope, move |scope| search(scope, &args)))
    }
}

fn search(scope: &Scope, args: &Map<String, Value>) -> Result<Output, Fault> {
    let wanted = args.get("k").and_then(Value::as_u64).unwrap_or(FILES);
    let limit = usize::try_from(wanted).unwrap_or(usize::MAX).min(scope.settings().limits.output_items);
    let progress = |done: usize, total: usize| {
        if let Some(share) = (done * 100).checked_div(total) {
            scope.progress(&format!("{done} of {total} files read"), u32::try_from(share).ok());
        }
    };
    let go_on = || scope.check().is_ok();
    let found = scope.session().meant(text(args, "query"), text(args, "scope"), limit, &progress, &go_on)?;
    let hits = found.hits.into_iter().map(|hit| {
        json!({
            "path": hit.path,
            "score": (f64::from(hit.score) * 1000.0).round() / 1000.0,
            "snippet": hit.snippet,
            "start": hit.start,
            "end": hit.end,
            "ranker": found.ranker,
        })
    });
    Ok(Output::Value { value: hits.collect(), truncated: false, rest: None, blocks: Vec::new() })
}
