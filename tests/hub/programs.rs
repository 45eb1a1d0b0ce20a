//! Tools that run a program: filled, confined and judged as commands are, and answered by their output schema.

use serde_json::{Value, json};
use wherefore::protocol::{Code, Envelope, Status};

use crate::support::Bench;

/// A definition with the arguments `a`, `b` and `c`, none of which is required.
fn define(name: &str, command: &str, more: &str) -> String {
    format!(
        "  - name: {name}\n    description: Runs it.\n    command: {command}\n{more}    input_schema:\n      properties: \
         {{ a: string, b: string, c: integer, why: string }}\n      required: [why]\n"
    )
}

/// A bench with tools that the project defines, whose questions the person answers with yes.
fn bench(tools: &[String], files: &[(&str, &str)]) -> Bench {
    let text = format!("custom_tools:\n{}", tools.concat());
    let all: Vec<(&str, &str)> =
        files.iter().copied().chain([(".wherefore/tools/x.yaml", text.as_str())]).collect();
    let bench = Bench::new(&all);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
    // None of them states a sandbox, which is a warning.
    let problems = bench.hub.definition_problems();
    assert!(problems.iter().all(|problem| problem.is_warning && problem.rule == "sandbox"), "{problems:?}");
    bench.will_answer(Some("Allow"));
    bench
}

async fn call(bench: &Bench, tool: &str, arguments: Value) -> Envelope {
    bench.call(tool, arguments, None).await
}

async fn result(bench: &Bench, tool: &str, arguments: Value) -> Value {
    let answer = call(bench, tool, arguments).await;
    assert_eq!(answer.error, None, "{answer:?}");
    Value::clone(&answer.result.unwrap())
}

#[tokio::test]
async fn a_definitions_program_gets_each_argument_as_one_word_and_no_shell_reads_it() {
    let tools = [define("p.show", r#"[printf, "--", "[%s]", "{{a}}", "b={{b}}", "{{c}}"]"#, "")];
    let bench = bench(&tools, &[("x.txt", "one\n")]);
    let args = json!({ "a": "-x $(id) 'q' *\n;", "b": "two words", "c": -3 });
    let value = result(&bench, "p.show", args).await;
    assert_eq!(value["stdout"], "[-x $(id) 'q' *\n;][b=two words][-3]", "{value}");
    assert_eq!((&value["exit_code"], &value["status"]), (&json!(0), &json!("unchanged")), "{value}");
    assert!(value["sandbox"].as_str().unwrap().starts_with("tier A"), "{value}");
    assert_eq!(result(&bench, "p.show", json!({ "b": "" })).await["stdout"], "[b=]");
    let nul = call(&bench, "p.show", json!({ "a": "x\0y" })).await.error.unwrap();
    assert_eq!(nul.code, Code::InvalidArgs, "{nul:?}");
}

#[tokio::test]
async fn an_argument_that_would_be_an_option_is_refused_before_anybody_is_asked() {
    let bench = bench(&[define("p.list", r#"[ls, "{{a}}", "{{c}}"]"#, "")], &[("x.txt", "one\n")]);
    bench.will_answer(Some("Deny"));
    for args in [json!({ "a": "--recursive" }), json!({ "a": ".", "c": -1 })] {
        let fault = call(&bench, "p.list", args).await.error.unwrap();
        assert_eq!(fault.code, Code::InvalidArgs, "{fault:?}");
        assert!(fault.message.contains("as an option") && fault.suggestion.is_some(), "{fault:?}");
    }
    let asked = call(&bench, "p.list", json!({ "a": "." })).await.error.unwrap();
    assert_eq!(asked.code, Code::PermissionDenied, "a project's command waits for the person: {asked:?}");
    bench.will_answer(Some("Allow"));
    assert_eq!(result(&bench, "p.list", json!({ "a": "./x.txt" })).await["stdout"], "./x.txt\n");
}

#[tokio::test]
async fn what_a_definitions_program_prints_is_its_answer_where_its_schema_says_so() {
    let json_out =
        "    output_schema: { type: object, properties: { n: { type: integer } }, required: [n] }\n";
    let tools = [
        define("p.good", r#"[printf, "%s", '{"n": 3}']"#, json_out),
        define("p.odd", r#"[printf, "%s", '{"n": "x"}']"#, json_out),
        define("p.text", "[echo, hello]", json_out),
        define("p.fails", r#"[ls, nowhere-at-all]"#, json_out),
        define("p.slow", "[sleep, \"60\"]", &format!("{json_out}    sandbox: {{ timeout_ms: 300 }}\n")),
        define("p.none", "[no-such-program]", json_out),
        define("p.net", "[curl, x]", "    sandbox: { network: true }\n"),
        define(
            "p.streams",
            "[sh, -c, \"echo out; echo err >&2; exit 4\"]",
            "    output_schema: { type: object, properties: { stdout: { type: string }, exit_code: { type: integer } } }\n",
        ),
    ];
    let bench = bench(&tools, &[("a.txt", "one\n")]);
    assert_eq!(result(&bench, "p.good", json!({})).await, json!({ "n": 3 }));
    let streams = result(&bench, "p.streams", json!({})).await;
    assert_eq!((&streams["stderr"], &streams["exit_code"]), (&json!("err\n"), &json!(4)), "{streams}");
    for (tool, code, said) in [
        ("p.odd", Code::Internal, "output schema"),
        ("p.text", Code::Internal, "no JSON"),
        ("p.fails", Code::Internal, "nowhere-at-all"),
        ("p.slow", Code::Timeout, "did not end within"),
        ("p.none", Code::NotFound, "no-such-program"),
        ("p.net", Code::PermissionDenied, "it reaches the network"),
    ] {
        if tool == "p.net" {
            bench.will_answer(None);
        }
        let answer = call(&bench, tool, json!({})).await;
        let fault = answer.error.unwrap_or_else(|| panic!("{tool}: {:?}", answer.result));
        assert_eq!(fault.code, code, "{fault:?}");
        assert!(fault.message.contains(said) && fault.suggestion.is_some(), "{fault:?}");
    }
}

#[tokio::test]
async fn what_a_definitions_program_changes_is_reviewed_within_its_bounds() {
    let script = "echo new > docs/a.md; echo new > top.txt; cat src/s.txt .env; true\n";
    let write = "[sh, docs/write.sh]";
    let tools = [
        define("p.all", write, "    sandbox: { effects: apply }\n"),
        define("p.docs", write, "    sandbox: { filesystem: [\"docs/**:rw\"] }\n"),
        define("p.read", write, "    sandbox: { filesystem: [\"workspace:r\"] }\n"),
    ];
    let files =
        [("docs/a.md", "old\n"), ("docs/write.sh", script), ("src/s.txt", "SOURCE\n"), (".env", "MARKENV\n")];
    let bench = bench(&tools, &files);
    let all = call(&bench, "p.all", json!({})).await;
    assert_eq!(all.status, Status::Pending, "a project's word applies nothing: {all:?}");
    assert_eq!(bench.proposals().remove(0).files.len(), 2);
    let value = all.result.unwrap();
    assert!(value["stdout"] == "SOURCE\n" && !value.to_string().contains("MARKENV"), "{value}");

    let docs = call(&bench, "p.docs", json!({})).await;
    assert_eq!(docs.status, Status::Pending, "{docs:?}");
    let value = docs.result.unwrap();
    assert!(!value.to_string().contains("SOURCE"), "it reads what it names alone: {value}");
    assert!(value["left_out"][0].as_str().unwrap().starts_with("top.txt"), "{value}");
    let read = result(&bench, "p.read", json!({})).await;
    assert_eq!((&read["status"], &read["stdout"]), (&json!("unchanged"), &json!("SOURCE\n")), "{read}");
    assert_eq!((bench.disk("docs/a.md"), bench.disk("top.txt")), ("old\n".to_owned(), "(none)".to_owned()));
}

#[tokio::test]
async fn the_rules_for_commands_hold_for_a_definitions_program() {
    let tools = [define("p.cat", r#"[cat, "{{a}}"]"#, ""), define("p.sh", r#"[sh, -c, "{{a}}"]"#, "")];
    let bench = bench(&tools, &[(".env", "MARKENV\n"), ("a.txt", "one\n")]);
    for (tool, a) in [("p.cat", ".env"), ("p.cat", "sub/../.env"), ("p.sh", "cat .env")] {
        let fault = call(&bench, tool, json!({ "a": a })).await.error.unwrap();
        assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
        assert!(fault.message.contains(".env"), "{fault:?}");
    }
    assert_eq!(result(&bench, "p.cat", json!({ "a": "a.txt" })).await["stdout"], "one\n");
}

#[tokio::test]
async fn a_projects_tool_that_is_allowed_for_always_runs_unasked_and_its_changes_still_wait() {
    let tools = [define("p.note", "[touch, note.txt]", "    sandbox: { effects: apply }\n")];
    let bench = bench(&tools, &[]);
    bench.will_answer(Some("Always allow this tool"));
    let asked = call(&bench, "p.note", json!({})).await;
    assert_eq!(asked.status, Status::Pending, "{asked:?}");
    bench.will_answer(None);
    let unasked = call(&bench, "p.note", json!({ "a": "x" })).await;
    assert_eq!(unasked.status, Status::Pending, "a project's word applies nothing: {unasked:?}");
}
