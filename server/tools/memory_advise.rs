//! memory.advise: hints on what matters now; the server decides what becomes of each.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::off_thread;
use crate::protocol::{Advice, Code, Effects, Event, Fault, HintOutcome};
use crate::registry::{Activity, Call, Output, Permitted};
use crate::session::Scope;

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
    why: String,
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
    fn effects(&self, _: &AdviseInput) -> Effects {
        Effects::default()
    }

    async fn run(
        &self,
        input: Arc<AdviseInput>,
        permitted: &Permitted,
        scope: &Scope,
    ) -> Result<Output<Advised>, Fault> {
        let call = permitted.call().clone();
        off_thread(scope, move |scope| advise(scope, &call, &input)).await
    }
}

fn advise(scope: &Scope, call: &Call, input: &AdviseInput) -> Result<Output<Advised>, Fault> {
    let by = call.origin().who();
    let mut outcomes: Vec<HintOutcome> = Vec::new();
    // Cold first: what leaves makes room for what comes.
    for (hints, advice) in [(&input.cold, Advice::Cold), (&input.hot, Advice::Hot)] {
        for hint in hints {
            scope.check()?;
            outcomes.push(scope.advise(advice, &hint.path, &hint.why, by));
        }
    }
    if outcomes.is_empty() {
        return Err(Fault::new(Code::InvalidArgs, "neither `hot` nor `cold` names a file").suggest(
            "name at least one, as {\"hot\": [{\"path\": \"src/main.rs\", \"why\": \"The bug is here\"}]}",
        ));
    }
    let (call_id, why) = (Some(call.id().clone()), call.why().as_str().to_owned());
    scope.write(Event::Hint { by: by.to_owned(), call_id, why, paths: outcomes.clone() })?;
    Ok(Output::value(Advised { outcomes }))
}
