//! search.vector: finds the files that match some words by meaning, each with its best piece.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use super::{off_thread, whole_unless};
use crate::protocol::{CallEffects, Fault};
use crate::registry::{Activity, ActivityOutput, PermittedCall};
use crate::session::{CallScope, SearchScope, WantedFiles};

/// Files in one answer, where the caller names no number.
const FILES: Count = Count(10);

/// Finds files by what they are about.
pub(super) struct SearchFiles;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct VectorInput {
    query: String,
    #[serde(default)]
    scope: String,
    k: Option<Count>,
}

/// A file with its best piece.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RankedFile {
    path: String,
    score: f64,
    snippet: String,
    start: u32,
    end: u32,
    line: u32,
    ranker: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedded: Option<f64>,
}

impl Activity for SearchFiles {
    type Input = VectorInput;
    type Output = Vec<RankedFile>;

    fn call_effects(&self, input: &VectorInput) -> CallEffects {
        CallEffects::read(whole_unless(&input.scope))
    }

    async fn run_call(
        &self,
        input: Arc<VectorInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Vec<RankedFile>>, Fault> {
        off_thread(scope, move |scope| search_files(scope, &input)).await
    }
}

fn search_files(scope: &CallScope, input: &VectorInput) -> Result<ActivityOutput<Vec<RankedFile>>, Fault> {
    let limit = input.k.unwrap_or(FILES).as_usize().min(scope.settings().limits.output_items);
    let progress = |done: usize, total: usize| {
        if let Some(share) = (done * 100).checked_div(total) {
            scope.report_progress(&format!("{done} of {total} files read"), u32::try_from(share).ok());
        }
    };
    let wanted = WantedFiles { text: &input.query, scope: &input.scope, limit, wait: Duration::ZERO };
    let found = scope.search().search_meaning(&wanted, &progress)?;
    let place = SearchScope { scope: &input.scope, glob: "" };
    // The ranker knows none of them, also where the person said yes to one: it is read by name.
    let mut warnings: Vec<String> = scope.search().left_out_unasked(place)?.into_iter().collect();
    warnings.extend(found.empty.map(|why| format!("nothing was found: {why}")));
    // Said where it may change what a later search finds.
    let embedded = found.embedded.filter(|share| *share < 1.0).map(round_score);
    let hits = found.hits.into_iter().map(|hit| RankedFile {
        path: hit.path,
        score: round_score(hit.score),
        snippet: hit.snippet,
        start: hit.start,
        end: hit.end,
        line: hit.line,
        ranker: found.ranker.clone(),
        embedded,
    });
    Ok(ActivityOutput { warnings, ..ActivityOutput::from_value(hits.collect()) })
}

fn round_score(number: f32) -> f64 {
    (f64::from(number) * 1000.0).round() / 1000.0
}
