//! Our own code behind a definition of someone else.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::{Activities, Activity, ActivityOutput, PermittedCall, ToolRegistry};
use crate::base::CallId;
use crate::catalogue::load_catalogue;
use crate::protocol::{CallEffects, Fault, RawCall, WhySettings};
use crate::session::CallScope;

const WHY: &str = "Find where the retry limit is set";

/// An activity that takes a number.
struct Counting;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Counted {
    n: u32,
}

impl Activity for Counting {
    type Input = Counted;
    type Output = ();

    fn call_effects(&self, input: &Counted) -> CallEffects {
        CallEffects::read(input.n.to_string())
    }

    async fn run_call(
        &self,
        _: Arc<Counted>,
        _: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput<()>, Fault> {
        Ok(ActivityOutput::from_value(()))
    }
}

#[test]
fn code_of_ours_may_not_take_what_a_definition_allows() {
    let activities = Arc::new(Activities::default());
    activities.register("count", Arc::new(Counting));
    let text = "tool:\n  name: mine\n  description: Counts.\n  activity: count\n  input_schema:\n    type: object\n    \
                properties:\n      n: { type: [integer, string], description: It }\n      why: { type: string, description: \
                Why }\n    required: [why]\n";
    let loaded = load_catalogue(&[], &[("mine.yaml".to_owned(), text.to_owned())], &|_| true);
    assert_eq!(loaded.problems, []);
    let registry = ToolRegistry::new(loaded.tools, activities);
    let resolve = |args: Value| {
        registry.resolve_call(
            RawCall { tool: "mine".to_owned(), arguments: args, ..RawCall::default() },
            CallId::default,
            &WhySettings::default(),
        )
    };
    let call = resolve(json!({ "n": 3, "more": true, "why": WHY })).unwrap();
    assert_eq!(call.effects().reads, ["3"]);
    for (args, says) in [
        (json!({ "n": "3", "why": WHY }), "invalid type: string \"3\", expected u32"),
        (json!({ "why": WHY }), "missing field `n`"),
    ] {
        assert_eq!(
            serde_json::to_value(resolve(args).unwrap_err().fault).unwrap(),
            json!({
                "code": "INVALID_ARGS",
                "message": format!("mine runs count, which does not take these arguments: {says}"),
                "recoverable": true,
                "suggestion": "ask the person to give mine the `input_schema` of count, or call count itself",
            })
        );
    }
}
