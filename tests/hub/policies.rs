//! Policies by settings, by tool and path, and what a caller may ask for; rules that ask.

use serde_json::json;
use wherefore::protocol::{Code, Policy, Status};

use crate::support::Bench;

const SETTINGS: &str = "[review]\npolicy = \"hold\"\n[[review.rules]]\ntool = \"fs.*\"\npath = \"locked/**\"\npolicy = \"deny\"\n[rules]\nask = [\"private/**\"]\n";

fn bench(attached: bool) -> Bench {
    Bench::with(
        &[(".wherefore/config.toml", SETTINGS), ("locked/a.txt", "a\n"), ("private/b.txt", "b\n")],
        attached,
    )
}

#[tokio::test]
async fn the_strictest_policy_holds() {
    let bench = bench(true);
    for (path, policy, expected) in [
        ("free.txt", None, Ok(Status::Pending)),
        ("free.txt", Some(Policy::Auto), Ok(Status::Pending)),
        ("free.txt", Some(Policy::Deny), Err(Code::PermissionDenied)),
        ("locked/a.txt", Some(Policy::Auto), Err(Code::PermissionDenied)),
        ("x/../locked/a.txt", None, Err(Code::PermissionDenied)),
    ] {
        let answer = bench.call("fs.write", json!({ "path": path, "content": "x\n" }), policy).await;
        let outcome = answer.error.map_or(Ok(answer.status), |fault| Err(fault.code));
        assert_eq!(outcome, expected, "{path} {policy:?}");
    }
    assert_eq!(bench.disk("locked/a.txt"), "a\n");
}

#[tokio::test]
async fn a_rule_that_asks_asks_the_person() {
    let read = json!({ "path": "private/b.txt" });
    let bench = bench(true);
    assert_eq!(bench.call("fs.read", read.clone(), None).await.error.unwrap().code, Code::PermissionDenied);
    bench.will_answer(Some("Allow"));
    assert_eq!(bench.call("fs.read", read, None).await.result.unwrap()["content"], "b\n");
    assert!(bench.log().contains("user_approval"));
}
