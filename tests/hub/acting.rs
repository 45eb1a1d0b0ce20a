//! What a call runs and reaches is judged as the paths that it touches are.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use wherefore::protocol::{Code, Effects, Fault, Network, Status};
use wherefore::registry::{Activity, Output, Permitted};
use wherefore::session::Scope;

use crate::support::Bench;

/// An activity that would run a program over the network, and says what it was granted.
struct Acting;

impl Activity for Acting {
    fn effects(&self, args: &Map<String, Value>) -> Effects {
        let path = args["path"].as_str().unwrap();
        Effects {
            command: Some(vec!["make".to_owned(), path.to_owned()]),
            network: vec![Network::Host("example.org".to_owned())],
            ..Effects::read(path)
        }
    }

    fn run<'a>(&'a self, call: &'a Permitted, _: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let granted = call.grant().touches().iter().map(|touch| format!("{touch:?}"));
        let value = json!({ "content": granted.collect::<String>(), "lines": 1, "truncated": false });
        Box::pin(async move { Ok(Output::value(value)) })
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
    let content = granted.result.unwrap()["content"].as_str().unwrap().to_owned();
    for part in ["Command { argv: [\"make\", \"a\"]", "Host(\"example.org\")", "asked: WorkspacePath"] {
        assert!(content.contains(part), "{content}");
    }
    bench.will_answer(Some("Deny"));
    let denied = bench.call("fs.read", json!({ "path": "a" }), None).await.error.unwrap();
    assert_eq!(denied.code, Code::PermissionDenied);
    assert_eq!(
        denied.message,
        "asked-command (a program may do what you may) asks first, and the person said no"
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
