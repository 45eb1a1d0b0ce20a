//! Every built-in tool does what its definition's examples promise.

use std::path::Path;

use wherefore::catalogue;
use wherefore::protocol::{Door, Policy, RawCall, Status};
use wherefore::requests::{Asker, Call, Request};

use crate::support::Bench;

fn fixture() -> Vec<(String, String)> {
    fn walk(folder: &Path, base: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, base, found);
            } else {
                let name = path.strip_prefix(base).unwrap().to_str().unwrap().to_owned();
                found.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/examples/ws");
    let mut found = Vec::new();
    walk(&base, &base, &mut found);
    found
}

#[tokio::test]
async fn examples_run() {
    let files = fixture();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let mut run = 0;
    let tools = Bench::with(&[], false).served().toolbox().registry().tools();
    for tool in tools.iter().map(|tool| tool.def()) {
        assert!(tool.examples.len() >= 2, "{} has too few examples", tool.name);
        for example in &tool.examples {
            let bench = Bench::with(&files, false);
            let mut arguments = example.input.clone();
            arguments["why"] = example.why.clone().into();
            let raw = RawCall {
                tool: tool.name.clone(),
                arguments,
                policy: Some(Policy::Auto),
                ..RawCall::default()
            };
            let answer = Call::answer_request(&bench.hub, raw, Asker::from_door(Door::Cli)).await.unwrap();
            let Some(expected) = &example.output else { continue };
            if tool.name == "review.wait" {
                // There is no such proposal in a new workspace; its own tests make one.
                assert_eq!(answer.status, Status::Error);
                continue;
            }
            assert_eq!(answer.error, None, "{}: {}", tool.name, example.why);
            // An empty list of commands says what it was taken from.
            let told = usize::from(tool.name == "process.list");
            assert_eq!(answer.warnings.len(), told, "{}: {}: {:?}", tool.name, example.why, answer.warnings);
            let actual = answer.result.unwrap();
            assert!(
                catalogue::matches_example(expected, &actual),
                "{}: {}\n{expected}\n{actual}",
                tool.name,
                example.why
            );
            run += 1;
        }
    }
    assert!(run >= 18, "only {run} examples ran");
}
