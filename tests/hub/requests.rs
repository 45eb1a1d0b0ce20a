//! Requests by their methods, as the socket and a client of the language server make them.

use std::time::Duration;

use serde_json::{Value, json};
use wherefore::protocol::{Code, Door, Fault, HunkState, Policy};
use wherefore::requests::{self, Asker};

use crate::support::{Bench, numbers};

async fn answer(bench: &Bench, method: &str, params: Value) -> Result<Value, Fault> {
    requests::answer_method(&bench.hub, method, params, Asker::from_door(Door::Cli)).await
}

#[tokio::test]
async fn a_request_is_answered_by_its_method() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    let fault = answer(&bench, "wherefore/none", Value::Null).await.unwrap_err();
    assert_eq!(
        (fault.code, fault.message.as_str()),
        (Code::Unsupported, "there is no request \"wherefore/none\"")
    );
    // Nothing is asked for by nothing.
    for method in ["proposals", "workingSet", "collect", "status", "list", "listTools", "compose"] {
        let [nothing, empty] = [Value::Null, json!({})].map(|params| (params, format!("wherefore/{method}")));
        // A folder that was just opened says from time to time how far it is.
        let mut answers = Vec::new();
        for _ in 0..100 {
            answers = vec![
                answer(&bench, &nothing.1, nothing.0.clone()).await,
                answer(&bench, &empty.1, empty.0.clone()).await,
            ];
            if answers[0] == answers[1] {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(answers[0].is_ok() && answers[0] == answers[1], "{method}: {answers:?}");
    }
    for (method, params) in [
        ("decide", json!({ "act": "eat" })),
        ("hint", Value::Null),
        ("list", json!({ "root": 5 })),
        ("call", Value::Null),
    ] {
        let fault = answer(&bench, &format!("wherefore/{method}"), params).await.unwrap_err();
        assert_eq!(fault.code, Code::InvalidArgs, "{method}");
        assert!(
            fault.message.starts_with("the params do not fit the request: "),
            "{method}: {}",
            fault.message
        );
    }
}

#[tokio::test]
async fn what_a_client_says_of_its_door_is_not_used() {
    let bench = Bench::with(&[("a.txt", "a\n")], false);
    let arguments = json!({ "path": "a.txt", "why": "Learn what the log says of the one who asks" });
    let call = json!({ "tool": "fs.read", "arguments": arguments, "origin": { "door": "mcp" } });
    assert_eq!(answer(&bench, "wherefore/call", call).await.unwrap()["status"], "ok");
    let log = answer(&bench, "wherefore/log", Value::Null).await.unwrap();
    assert!(log.get("text").is_none() && log["path"].is_string(), "{log}");
    let log = answer(&bench, "wherefore/log", json!({ "text": true })).await.unwrap();
    let text = log["text"].as_str().unwrap();
    assert!(text.contains("\"door\":\"cli\"") && !text.contains("\"door\":\"mcp\""), "{text}");
}

#[tokio::test]
async fn a_slip_in_a_decision_decides_nothing() {
    let bench = Bench::with(&[("a.txt", &numbers(9, &[]))], false);
    let content = numbers(9, &[(2, "two"), (6, "six")]);
    bench.call("fs.write", json!({ "path": "a.txt", "content": content }), Some(Policy::Hold)).await;
    let id = bench.proposals()[0].id.clone();
    for (slip, code, says) in [
        (
            json!({ "proposal": id, "hunk": "h1", "act": "accept" }),
            Code::InvalidArgs,
            "did you mean `hunks`?",
        ),
        (json!({ "proposal": id, "Hunks": ["h1"], "act": "accept" }), Code::InvalidArgs, "`hunks`"),
        (json!({ "proposal": id, "hunks": [], "act": "accept" }), Code::InvalidArgs, "names none"),
        (json!({ "proposal": id, "hunks": ["h1", "h9"], "act": "accept" }), Code::NotFound, "no hunk \"h9\""),
        (json!({ "hunks": ["h1"], "act": "accept" }), Code::InvalidArgs, "none is named"),
        (json!({ "proposal": id, "path": "b.txt", "act": "accept" }), Code::NotFound, "no pending hunk"),
        (json!({ "proposal": "p-none", "act": "accept" }), Code::NotFound, "p-none"),
    ] {
        let fault = answer(&bench, "wherefore/decide", slip.clone()).await.unwrap_err();
        assert_eq!(fault.code, code, "{slip}: {fault:?}");
        assert!(fault.message.contains(says), "{slip}: {fault:?}");
        let pending = bench.proposals()[0].hunks().filter(|hunk| hunk.state == HunkState::Pending).count();
        assert_eq!((pending, bench.disk("a.txt")), (2, numbers(9, &[])), "{slip}");
    }
    let right = json!({ "proposal": id, "hunks": ["h1"], "act": "accept" });
    answer(&bench, "wherefore/decide", right).await.unwrap();
    assert_eq!(bench.disk("a.txt"), numbers(9, &[(2, "two")]));
}
