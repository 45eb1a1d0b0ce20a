//! What a call runs and reaches is judged as the paths that it touches are.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wherefore::protocol::{Code, Effects, Fault, Network, Status};
use wherefore::registry::{Activity, Output, Permitted};
use wherefore::session::Scope;

use crate::support::Bench;

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

/// An activity that would run a program over the network, and says what it was granted.
struct Acting;

impl Activity for Acting {
    type Input = Target;
    type Output = Granted;

    fn effects(&self, input: &Target) -> Effects {
        Effects {
            command: Some(vec!["make".to_owned(), input.path.clone()]),
            network: vec![Network::Host("example.org".to_owned())],
            ..Effects::read(&input.path)
        }
    }

    async fn run(&self, _: Arc<Target>, call: &Permitted, _: &Scope) -> Result<Output<Granted>, Fault> {
        let touches = call.grant().touches().iter().map(|touch| format!("{touch:?}")).collect();
        Ok(Output::value(Granted { touches }))
    }
}

fn bench(attached: bool) -> Bench {
    let bench = Bench::with(&[("a", "1\n")], attached);
    let served = bench.served();
    served.registry().activities().register("test", "fs.read", Arc::new(Acting));
    served.registry().activities().activate("test").unwrap();
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
