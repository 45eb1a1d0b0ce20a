//! memory.advise: hints on what matters now; the server decides what becomes of each.

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::{off_thread, text};
use crate::base::CallId;
use crate::protocol::{Advice, Code, Effects, Event, Fault, HintOutcome};
use crate::registry::{Activity, Output, Permitted};
use crate::session::Scope;

/// Takes hints.
pub(super) struct Advise;

impl Activity for Advise {
    /// None: a path that is closed is one of its answers, not a refusal of the others.
    fn effects(&self, _: &Map<String, Value>) -> Effects {
        Effects::default()
    }

    fn run<'a>(&'a self, permitted: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let call = permitted.call();
        let (id, args, by) = (call.id().clone(), call.args().clone(), call.origin().who().to_owned());
        Box::pin(off_thread(scope, move |scope| advise(scope, id, &args, &by)))
    }
}

fn advise(scope: &Scope, call_id: CallId, args: &Map<String, Value>, by: &str) -> Result<Output, Fault> {
    let mut outcomes: Vec<HintOutcome> = Vec::new();
    // Cold first: what leaves makes room for what comes.
    for (name, advice) in [("cold", Advice::Cold), ("hot", Advice::Hot)] {
        for hint in args.get(name).and_then(Value::as_array).into_iter().flatten() {
            scope.check()?;
            let part = |name: &str| hint.get(name).and_then(Value::as_str).unwrap_or_default();
            outcomes.push(scope.advise(advice, part("path"), part("why"), by));
        }
    }
    if outcomes.is_empty() {
        return Err(Fault::new(Code::InvalidArgs, "neither `hot` nor `cold` names a file").suggest(
            "name at least one, as {\"hot\": [{\"path\": \"src/main.rs\", \"why\": \"The bug is here\"}]}",
        ));
    }
    let why = text(args, "why").to_owned();
    scope.write(Event::Hint { by: by.to_owned(), call_id: Some(call_id), why, paths: outcomes.clone() })?;
    Ok(Output::value(json!({ "outcomes": outcomes })))
}
