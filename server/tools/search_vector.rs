//! search.vector: the files that are most likely meant by some words, each with its best piece.

use std::time::Duration;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::protocol::{Effects, Fault};
use crate::registry::{Activity, Output, Permitted};
use crate::session::{Scope, Wanted, Where};

/// Files in one answer, where the caller names no number.
const FILES: u64 = 10;

/// Finds files by what they are about.
pub(super) struct Vector;

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
    let wanted =
        Wanted { text: text(args, "query"), scope: text(args, "scope"), limit, wait: Duration::ZERO };
    let found = scope.search_meaning(&wanted, &progress)?;
    let place = Where { scope: text(args, "scope"), glob: "" };
    // The ranker knows none of them, also where the person said yes to one: it is read by name.
    let warnings = scope.left_out_unasked(place)?.into_iter().collect();
    // Said where it may change what a later search finds.
    let embedded = found.embedded.filter(|share| *share < 1.0);
    let hits = found.hits.into_iter().map(|hit| {
        let mut hit = json!({
            "path": hit.path,
            "score": rounded(hit.score),
            "snippet": hit.snippet,
            "start": hit.start,
            "end": hit.end,
            "line": hit.line,
            "ranker": found.ranker,
        });
        if let Some(share) = embedded {
            hit["embedded"] = json!(rounded(share));
        }
        hit
    });
    Ok(Output::Value { value: hits.collect(), truncated: false, rest: None, blocks: Vec::new(), warnings })
}

fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}
