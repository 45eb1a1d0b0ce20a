//! The commands and hosts of a call are judged like the paths that it touches.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wherefore::protocol::{CallEffects, Code, Fault, NetworkTarget, Status};
use wherefore::registry::{Activity, ActivityOutput, PermittedCall};
use wherefore::session::CallScope;

use crate::support::{Bench, replace};

/// What it works on.
#[derive(Deserialize, JsonSchema)]
struct Target {
    path: String,
}

/// What it was granted.
#[derive(Serialize, JsonSchema)]
struct Granted {
    touches: Vec<String>,
}

/// An activity that would run a program over the network, and returns its grant.
struct Acting;

impl Activity for Acting {
    type Input = Target;
    type Output = Granted;

    fn call_effects(&self, input: &Target) -> CallEffects {
        CallEffects {
            command: Some(vec!["make".to_owned(), input.path.clone()]),
            network: vec![NetworkTarget::Host("example.org".to_owned())],
            ..CallEffects::read(&input.path)
        }
    }

    async fn run_call(
        &self,
        _: Arc<Target>,
        call: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput<Granted>, Fault> {
        let touches = call.grant().touches().iter().map(|touch| format!("{touch:?}")).collect();
        Ok(ActivityOutput::from_value(Granted { touches }))
    }
}

fn bench(attached: bool) -> Bench {
    let bench = Bench::with(&[("a", "1\n")], attached);
    let served = bench.served();
    replace(&served, "fs.read", Arc::new(Acting));
    bench
}

#[tokio::test]
async fn a_person_is_asked_before_a_command_runs() {
    let bench = bench(true);
    bench.will_answer(Some("Allow"));
    let granted = bench.call("fs.read", json!({ "path": "a" }), None).await;
    assert_eq!(granted.status, Status::Ok);
    let content = granted.result.unwrap()["touches"].to_string().replace("\\\"", "\"");
    for part in ["Command { argv: [\"make\", \"a\"]", "Host(\"example.org\")", "asked: WorkspacePath"] {
        assert!(content.contains(part), "{content}");
    }
    bench.will_answer(Some("Deny"));
    let denied = bench.call("fs.read", json!({ "path": "a" }), None).await.error.unwrap();
    assert_eq!(denied.code, Code::PermissionDenied);
    assert_eq!(
        denied.message,
        "asked-command (it runs confined, but what it changes may be written at once) asks first, and the person said no"
    );
    assert!(bench.log().contains("asked-command"), "{}", bench.log());
    assert!(!bench.log().contains("not answered"), "{}", bench.log());
    bench.will_answer(None);
    let closed = bench.call("fs.read", json!({ "path": "a" }), None).await.error.unwrap();
    assert!(closed.message.ends_with("and the question was closed with no answer"), "{}", closed.message);
    assert!(bench.log().contains("not answered"), "{}", bench.log());
}

#[tokio::test]
async fn no_command_runs_where_nobody_is_there_to_ask() {
    let denied = bench(false).call("fs.read", json!({ "path": "a" }), None).await.error.unwrap();
    assert_eq!(denied.code, Code::PermissionDenied);
    assert!(denied.message.ends_with("and nobody is there to ask"), "{}", denied.message);
    // A closed path is refused before anybody is asked.
    let closed = bench(true).call("fs.read", json!({ "path": ".env" }), None).await.error.unwrap();
    assert!(closed.message.starts_with("rule sensitive-path"), "{}", closed.message);
}
