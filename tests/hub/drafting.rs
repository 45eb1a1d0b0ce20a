//! An activity that answers a value and a change: the answer holds both, and the policy is that of what is changed.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use wherefore::base::WorkspacePath;
use wherefore::base::text::TextEncoding;
use wherefore::protocol::{CallEffects, Code, Fault, Status};
use wherefore::registry::{Activity, ActivityOutput, CallDraft, ChangeContent, PathChange, PermittedCall};
use wherefore::session::CallScope;

use crate::support::{Bench, replace, states};

/// What is declared, and in `content` the files that are changed.
#[derive(Deserialize, JsonSchema)]
struct Wanted {
    path: String,
    content: String,
}

/// What a program would say.
#[derive(Serialize, JsonSchema)]
struct Said {
    stdout: String,
    exit_code: i32,
}

/// Declares one path and changes others, as a program does that may write to the whole workspace.
struct Formatter;

impl Activity for Formatter {
    type Input = Wanted;
    type Output = Said;

    fn call_effects(&self, input: &Wanted) -> CallEffects {
        CallEffects::write(&input.path)
    }

    async fn run_call(
        &self,
        input: Arc<Wanted>,
        _: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput<Said>, Fault> {
        let change = |path: &str| {
            let after = ChangeContent::Text { text: "formatted\n".to_owned(), encoding: TextEncoding::Utf8 };
            PathChange::of_text(WorkspacePath::from_relative(path).unwrap(), None, after)
        };
        let changes = input.content.split_whitespace().map(change).collect();
        let said = Said { stdout: "2 files formatted\n".to_owned(), exit_code: 0 };
        let warnings = vec!["it was slow".to_owned()];
        Ok(ActivityOutput {
            warnings,
            ..ActivityOutput::from_change(CallDraft { changes, ..CallDraft::default() }, said)
        })
    }
}

const SETTINGS: &str = "[[review.rules]]\ntool = \"fs.*\"\npath = \"held/**\"\npolicy = \"hold\"\n\
    [[review.rules]]\ntool = \"fs.*\"\npath = \"locked/**\"\npolicy = \"deny\"\n";

fn bench() -> Bench {
    let bench = Bench::with(&[(".wherefore/config.toml", SETTINGS)], true);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let served = bench.served();
    replace(&served, "fs.write", Arc::new(Formatter));
    bench
}

#[tokio::test]
async fn an_answer_holds_the_value_and_how_the_change_stands() {
    let bench = bench();
    let answer = bench.call("fs.write", json!({ "path": "a", "content": "a b" }), None).await;
    assert_eq!((answer.status, &answer.error), (Status::Ok, &None));
    assert_eq!(answer.warnings, ["it was slow"]);
    let result = answer.result.unwrap();
    assert_eq!((&result["stdout"], &result["exit_code"]), (&json!("2 files formatted\n"), &json!(0)));
    assert_eq!((&result["status"], &result["paths"]), (&json!("applied"), &json!(["a", "b"])));
    assert_eq!(states(&result), ["h1 accepted", "h2 accepted"]);
    assert_eq!((bench.disk("a"), bench.disk("b")), ("formatted\n".to_owned(), "formatted\n".to_owned()));
    // Nothing had to change: the value is there all the same.
    let answer = bench.call("fs.write", json!({ "path": "a", "content": "" }), None).await.result.unwrap();
    assert_eq!((&answer["status"], &answer["exit_code"]), (&json!("unchanged"), &json!(0)));
}

#[tokio::test]
async fn the_policy_is_that_of_what_is_changed() {
    let bench = bench();
    let held = bench.call("fs.write", json!({ "path": "a", "content": "a held/x" }), None).await;
    assert_eq!(held.status, Status::Pending, "it changes more than it declares");
    let answer = held.result.unwrap();
    assert_eq!((&answer["status"], &answer["stdout"]), (&json!("pending"), &json!("2 files formatted\n")));
    assert_eq!(bench.disk("a"), "(none)");
    // A later look gives the same.
    let wait = json!({ "proposal": answer["proposal"], "timeout_s": 0.0 });
    let looked = bench.call("review.wait", wait, None).await.result.unwrap();
    assert_eq!((&looked["status"], &looked["stdout"]), (&json!("pending"), &json!("2 files formatted\n")));

    let free = bench.call("fs.write", json!({ "path": "held/y", "content": "b" }), None).await;
    assert_eq!(free.result.unwrap()["status"], "applied", "it changes less than it declares");

    let locked = bench.call("fs.write", json!({ "path": "c", "content": "c locked/x" }), None).await;
    assert_eq!(locked.error.unwrap().code, Code::PermissionDenied);
    assert_eq!(bench.disk("c"), "(none)", "what is refused is refused whole");
    let declared = bench.call("fs.write", json!({ "path": "locked/x", "content": "d" }), None).await;
    assert_eq!(declared.error.unwrap().code, Code::PermissionDenied, "and before anything runs");
    assert_eq!(bench.disk("d"), "(none)");
}
