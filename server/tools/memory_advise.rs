//! memory.advise: takes hints about relevant files; the server decides on each.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::off_thread;
use crate::protocol::{Advice, CallEffects, Event, Fault, HintOutcome};
use crate::registry::{Activity, ActivityOutput, CheckedCall, PermittedCall};
use crate::session::CallScope;

/// Takes hints.
pub(super) struct TakeAdvice;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct AdviseInput {
    #[serde(default)]
    hot: Vec<FileHint>,
    #[serde(default)]
    cold: Vec<FileHint>,
}

/// A hint on one file.
#[derive(Debug, Deserialize, JsonSchema)]
struct FileHint {
    path: String,
    /// The call's `why` where absent.
    why: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Advised {
    outcomes: Vec<HintOutcome>,
}

impl Activity for TakeAdvice {
    type Input = AdviseInput;
    type Output = Advised;

    /// None: a path that is closed is one of its answers, not a refusal of the others.
    fn call_effects(&self, _: &AdviseInput) -> CallEffects {
        CallEffects::default()
    }

    async fn run_call(
        &self,
        input: Arc<AdviseInput>,
        permitted: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<Advised>, Fault> {
        let call = permitted.call().clone();
        off_thread(scope, move |scope| take_hints(scope, &call, &input)).await
    }
}

fn take_hints(
    scope: &CallScope,
    call: &CheckedCall,
    input: &AdviseInput,
) -> Result<ActivityOutput<Advised>, Fault> {
    let by = call.origin().display_name();
    let mut outcomes: Vec<HintOutcome> = Vec::new();
    // Cold first: what leaves makes room for what comes.
    for (hints, advice) in [(&input.cold, Advice::Cold), (&input.hot, Advice::Hot)] {
        for hint in hints {
            scope.check_cancelled()?;
            let why = hint.why.as_deref().unwrap_or(call.why().as_str());
            outcomes.push(scope.memory().add_hint(advice, &hint.path, why, by));
        }
    }
    // A call that names no file changes no hint, and there is none to tell of.
    if outcomes.is_empty() {
        return Ok(ActivityOutput::from_value(Advised { outcomes }));
    }
    let (call_id, why) = (Some(call.id().clone()), call.why().as_str().to_owned());
    scope.write_event(Event::Hint { by: by.to_owned(), call_id, why, paths: outcomes.clone() })?;
    Ok(ActivityOutput::from_value(Advised { outcomes }))
}
