//! Document 000, the tool calling protocol: definitions, core tools, errors, the log.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::environment::Project;
use crate::reader::read_events;

const WHY: &str = "Learn how the calculator reads numbers before their form changes";

/// Adds a reason to arguments.
fn with_why(mut arguments: Value) -> Value {
    arguments["why"] = json!(WHY);
    arguments
}

/// A project of a calculator with one source file.
fn calculator() -> Project {
    let source: String = (1..=40).map(|line| format!("let value{line} = {line};\n")).collect();
    Project::new(&[("src/values.js", &source)])
}

/// Ten calls as an agent makes them: looks, changes, a command, a fault.
fn ten_calls() -> Vec<Value> {
    let call = |tool: &str, arguments: Value| json!({ "tool": tool, "arguments": with_why(arguments) });
    vec![
        call(
            "fs.write",
            json!({ "path": "notes.md", "content": "# Notes\n\nNumbers are read in values.js.\n" }),
        ),
        call("fs.ls", json!({ "path": "." })),
        call("fs.read", json!({ "path": "src/values.js" })),
        call("search.lexical", json!({ "query": "value1" })),
        call("fs.read", json!({ "path": "src/absent.js" })),
        call("fs.patch", json!({ "path": "a.txt", "diff": "@@ -1,2 +1,2 @@\n-one\n+One\n two\n" })),
        call("fs.edit", json!({ "path": "a.txt", "find": "three", "replace": "Three" })),
        call("terminal.run", json!({ "cmd": ["cat", "a.txt"] })),
        call("fs.append", json!({ "path": "a.txt", "text": "four\n" })),
        call("fs.mkdir", json!({ "path": "docs" })),
    ]
}

#[test]
fn section_2_a_definition_in_the_short_form_is_taken_everywhere() {
    let project = Project::new(&[(
        ".wherefore/tools/greet.yaml",
        "tool:\n  name: greet.person\n  description: Greets a person.\n  category: custom\n  input_schema:\n    properties:\n      \
         who: string\n      times: int\n      names: string[]\n      why: string\n    required: [who, why]\n  output_schema:\n    \
         type: object\n    properties:\n      greeting: string\n      count: int\n      extra: any\n  command: [\"echo\", \"{{who}}\"]\n",
    )]);
    let shown = project.run(&["tools", "expand", "greet.person"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let schema: Value = serde_json::from_str(&shown.out).unwrap();
    let text = schema.to_string();
    assert!(text.contains("\"times\"") && text.contains("\"integer\""), "{text}");
    let wrong = project.call("greet.person", &with_why(json!({ "who": "Ada", "times": "often" }))).json();
    assert_eq!(wrong["code"], "INVALID_ARGS", "{wrong}");
}

#[test]
fn section_3_definitions_keyed_by_their_names_are_read_each_for_itself() {
    let tool = |description: &str| {
        format!(
            "  description: {description}\n  category: custom\n  input_schema:\n    properties:\n      who:\n        type: string\n        \
             description: The person\n      why:\n        type: string\n    required: [who, why]\n  command: [\"echo\", \"{{{{who}}}}\"]\n"
        )
    };
    let file = format!("greet.person:\n{}greet.wrong:\n{}", tool("Greets a person."), tool("[]"));
    let project = Project::new(&[(".wherefore/tools/greet.yaml", &file)]);
    let shown = project.run(&["tools", "expand", "greet.person"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let refused = project.run(&["tools", "expand", "greet.wrong"]);
    assert!(refused.code == Some(1) && format!("{refused:?}").contains("greet.yaml"), "{refused:?}");
}

#[test]
fn section_3_a_range_behind_the_end_says_so() {
    let project = Project::new(&[]);
    let read = project.call("fs.read", &with_why(json!({ "path": "a.txt", "range": { "start": 90 } })));
    assert_eq!((read.code, &read.json()["content"]), (Some(0), &json!("")));
    assert!(read.err.contains("nothing stands at line 90: a.txt has 3 lines"), "{read:?}");
}

#[test]
fn section_3_a_line_of_two_megabytes_is_read_to_its_end() {
    let line: String = (0..200_000).map(|number| format!("{number:09},")).collect();
    let project = Project::new(&[("long.csv", &line)]);
    let mut answer = project.call("fs.read", &with_why(json!({ "path": "long.csv" }))).json();
    assert_eq!(answer["truncated"], true);
    assert_eq!(answer.get("next_range"), None, "there is no second line");
    let mut read = answer["content"].as_str().unwrap().to_owned();
    while let Some(start) = answer.pointer("/next_bytes/start").cloned() {
        answer = project
            .call("fs.read", &with_why(json!({ "path": "long.csv", "bytes": { "start": start } })))
            .json();
        read += answer["content"].as_str().unwrap();
    }
    assert!(read == line, "{} of {} bytes", read.len(), line.len());
    let behind =
        project.call("fs.read", &with_why(json!({ "path": "a.txt", "bytes": { "start": 99 } }))).json();
    assert_eq!(behind["code"], "INVALID_ARGS", "{behind}");
}

#[test]
fn section_3_exit_code_is_always_there_and_a_timeout_is_one() {
    let project = Project::new(&[]);
    let slow = with_why(json!({ "line": "echo begun; sleep 60", "timeout_ms": 2000 }));
    let answer = project.call("terminal.run", &slow).json();
    assert_eq!((&answer["exit_code"], &answer["stdout"]), (&json!(124), &json!("begun\n")), "{answer}");
    assert_eq!(answer["error"]["code"], "TIMEOUT", "{answer}");
    assert!(answer["error"]["message"].is_string() && answer["error"]["recoverable"] == true, "{answer}");
    let killed = project.call("terminal.run", &with_why(json!({ "line": "kill -SEGV $$" }))).json();
    assert_eq!((&killed["exit_code"], killed.get("error")), (&json!(139), None), "{killed}");
    let script = with_why(json!({ "code": "for (;;) {}", "timeout_ms": 500 }));
    let answer = project.call("js.exec", &script).json();
    assert_eq!(
        (&answer["exit_code"], &answer["error"]["code"], &answer["error"]["recoverable"]),
        (&json!(124), &json!("TIMEOUT"), &json!(true)),
        "{answer}"
    );
    let code = with_why(
        json!({ "code": "import time\nprint('begun', flush=True)\ntime.sleep(60)", "timeout_ms": 4000 }),
    );
    let answer = project.call("python.exec", &code).json();
    assert_eq!(
        (&answer["exit_code"], &answer["error"]["code"], &answer["error"]["recoverable"]),
        (&json!(124), &json!("TIMEOUT"), &json!(true)),
        "{answer}"
    );
    assert_eq!(answer["stdout"], "begun\n", "{answer}");
}

#[test]
fn section_6_a_tool_of_ones_own_whose_time_is_up_says_so_with_its_limit() {
    let project = Project::new(&[]);
    let plain = "tool: { name: wait.plain, description: Waits, input_schema: { type: object, properties: { why: string }, required: [why] }, command: [sleep, \"20\"], sandbox: { timeout_ms: 700 } }\n";
    let shaped = "tool: { name: wait.shaped, description: Waits, input_schema: { type: object, properties: { why: string }, required: [why] }, command: [sleep, \"20\"], sandbox: { timeout_ms: 700 }, \
                  output_schema: { type: object } }\n";
    project.put_home(".config/wherefore/tools/plain.yaml", plain);
    project.put_home(".config/wherefore/tools/shaped.yaml", shaped);
    let answer = project.call("wait.plain", &with_why(json!({}))).json();
    assert_eq!(
        (&answer["exit_code"], &answer["error"]["code"]),
        (&json!(124), &json!("TIMEOUT")),
        "{answer}"
    );
    let fault = project.call("wait.shaped", &with_why(json!({}))).json();
    assert_eq!(fault["code"], "TIMEOUT", "{fault}");
    for fault in [&answer["error"], &fault] {
        assert!(fault["message"].as_str().unwrap().contains("700 ms"), "{fault}");
        assert!(fault["suggestion"].as_str().unwrap().contains("sandbox.timeout_ms"), "{fault}");
    }
}

#[test]
fn section_4_the_why_stands_above_what_was_asked_as_the_documents_example_has_it() {
    let project = Project::new(&[("src/parser.ts", "export {}\n")]);
    let why = "Check if recursive descent handles nested expressions";
    let call = json!({
        "tool": "fs.read",
        "arguments": { "path": "src/parser.ts", "why": why },
        "comments": { "args.why": "Part of the expression parser audit\nPrevious read showed parseAtom" },
    });
    project.batch(&[call]);
    let log = project.log();
    let example = "type: tool_call\ntool: fs.read\nargs:\n  path: src/parser.ts\n  # Part of the expression parser audit\n  \
                   # Previous read showed parseAtom\n  why: \"Check if recursive descent handles nested expressions\"\n";
    assert!(log.contains(&format!("```yaml\n{example}```\n")), "{log}");
    assert!(log.contains(&format!(" fs.read src/parser.ts\n\n{why}\n```yaml\n")), "{log}");
}

#[test]
fn section_5_ten_calls_are_a_document_of_at_most_250_lines_with_one_heading_each() {
    let project = calculator();
    let answers = project.batch(&ten_calls());
    let failed: Vec<_> = answers.iter().filter(|answer| answer["status"] != "ok").collect();
    assert_eq!(failed.len(), 1, "{failed:#?}");
    let log = project.log();
    let lines = log.lines().count();
    assert!(lines <= 250, "{lines} lines:\n{log}");
    let headings = log.lines().filter(|line| line.starts_with("## ")).count();
    assert!((11..=12).contains(&headings), "a heading each, and those of the session: {log}");
    // A diff stands once.
    assert_eq!(log.matches("+One\n").count(), 1, "{log}");
    assert!(log.contains("**applied** c-0006") && log.contains("by the policy: h1 accepted"), "{log}");
}

#[test]
fn section_5_an_independent_reader_finds_every_event_whole_and_chained() {
    let project = calculator();
    project.batch(&ten_calls());
    let events = read_events(&project.log());
    let of = |kind: &str| events.iter().filter(|event| event.kind() == kind).count();
    assert_eq!((of("session_start"), of("tool_call"), of("tool_result"), of("tool_error")), (1, 10, 9, 1));
    for pair in events.windows(2) {
        assert_eq!(pair[0].fields["hash"], pair[1].fields["prev"], "{}", pair[1].first);
        assert_eq!(pair[0].fields["seq"].as_u64().unwrap() + 1, pair[1].fields["seq"].as_u64().unwrap());
    }
    let calls: Vec<_> = events.iter().filter(|event| event.kind() == "tool_call").collect();
    assert!(calls.iter().all(|call| call.fields["args"]["why"] == WHY));
    let ids: HashSet<_> = calls.iter().map(|call| call.fields["call_id"].as_str().unwrap()).collect();
    let ended = events.iter().filter(|event| ["tool_result", "tool_error"].contains(&event.kind()));
    assert!(ended.clone().all(|end| ids.contains(end.fields["call_id"].as_str().unwrap())));
    assert!(calls[5].first.ends_with("c-0006 fs.patch a.txt"), "{}", calls[5].first);
    let verified = project.run(&["log", "verify"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn section_5_the_log_shows_what_was_looked_for() {
    let project = Project::new(&[]);
    let call = |tool: &str, arguments: Value| json!({ "tool": tool, "arguments": with_why(arguments) });
    project.batch(&[
        call("search.lexical", json!({ "query": "three" })),
        call("terminal.run", json!({ "cmd": ["ls", "-l"] })),
    ]);
    let shown = project.run(&["log"]).out;
    assert!(shown.contains("search.lexical  \"three\""), "{shown}");
    assert!(shown.contains("terminal.run  ls -l"), "{shown}");
}

#[test]
fn section_5_what_a_command_wrote_is_read_in_the_log_though_it_changed_files_too() {
    let project = Project::new(&[]);
    let line = "echo made > made.txt; echo seen by a person; echo trouble >&2; exit 3";
    let answer = project.call("terminal.run", &with_why(json!({ "line": line }))).json();
    assert_eq!(answer["exit_code"], 3, "{answer}");
    let log = project.log();
    let is_for_people = |line: &&str| !line.starts_with("<!--");
    let shown: String = log.lines().filter(is_for_people).map(|line| format!("{line}\n")).collect();
    assert!(shown.contains("stdout: |-\n") || shown.contains("seen by a person"), "{shown}");
    assert!(shown.contains("trouble") && shown.contains("exit_code: 3"), "{shown}");
}

#[test]
fn section_6_a_file_that_would_be_over_the_limit_is_refused_and_nothing_is_written() {
    let project = Project::new(&[("grows.txt", &"a line\n".repeat(100))]);
    project.put(".wherefore/config.toml", "[limits]\nedit_bytes = 1000\n");
    let long = "b".repeat(5000);
    for (tool, arguments) in [
        ("fs.write", json!({ "path": "new.txt", "content": long })),
        ("fs.append", json!({ "path": "grows.txt", "text": long })),
        ("fs.append", json!({ "path": "made.txt", "text": long })),
    ] {
        let fault = project.call(tool, &with_why(arguments)).json();
        assert_eq!((&fault["code"], fault.get("applied")), (&json!("QUOTA_EXCEEDED"), None), "{fault}");
    }
    assert_eq!(project.text("grows.txt").len(), 700);
    assert!(!project.path("new.txt").exists() && !project.path("made.txt").exists());
}

#[test]
fn section_6_an_edit_of_a_file_over_the_limit_is_told_what_an_edit_can_do() {
    let project = Project::new(&[("large.txt", &"x\n".repeat(3000))]);
    project.put_home(".config/wherefore/config.toml", "[limits]\nedit_bytes = 4096\n");
    let edit = with_why(json!({ "path": "large.txt", "find": "y", "replace": "z" }));
    let fault = project.call("fs.edit", &edit).json();
    assert_eq!(fault["code"], "QUOTA_EXCEEDED", "{fault}");
    let suggestion = fault["suggestion"].as_str().unwrap();
    assert!(suggestion.contains("terminal.run") && !suggestion.contains("read a range"), "{suggestion}");
}

#[test]
fn section_2_a_path_pattern_alone_is_read() {
    let tool = |pattern: &str| {
        format!(
            "tool:\n  name: docs.count\n  description: Counts the pages.\n  input_schema:\n    properties: {{ why: string }}\n    required: \
             [why]\n  sandbox:\n    filesystem: [\"{pattern}\"]\n  command: [\"true\"]\n"
        )
    };
    let project = Project::new(&[(".wherefore/tools/count.yaml", &tool("docs/**"))]);
    let shown = project.run(&["tools", "expand", "docs.count"]).json();
    assert_eq!(shown["sandbox"]["filesystem"], json!(["docs/**:r"]));
    project.put(".wherefore/tools/count.yaml", &tool("docs/**:x"));
    assert!(project.run(&["tools", "list"]).err.contains("`sandbox.filesystem` is a place"));
}

/// The document's own definitions: arguments with a type alone, and a `why` with no more than that.
#[test]
fn section_3_an_argument_without_a_description_has_its_name_for_one() {
    let copy = "tool:\n  name: notes.copy\n  description: \"Copy file or directory\"\n  input_schema:\n    properties:\n      src:\n        \
                type: string\n      target_dir:\n        type: string\n      why:\n        type: string\n    required: [src, target_dir, why]\n";
    let project = Project::new(&[(".wherefore/tools/copy.yaml", copy)]);
    let listed = project.run(&["tools", "list"]);
    assert!(listed.out.contains("notes.copy"), "{listed:?}");
    assert!(listed.err.contains("copy.yaml:6: no `description` of `src`, `target_dir`"), "{listed:?}");
    assert_eq!(listed.err.lines().count(), 1, "{listed:?}");
    let properties = &project.run(&["tools", "expand", "notes.copy"]).json()["args_schema"]["properties"];
    assert_eq!(properties["target_dir"]["description"], "target dir");
    assert!(properties["why"]["description"].as_str().unwrap().contains("One sentence"), "{properties}");
}

#[test]
fn section_3_4_advice_requires_a_why_alone() {
    let project = Project::new(&[]);
    let advised = project.call("memory.advise", &with_why(json!({})));
    assert_eq!((advised.code, advised.json()), (Some(0), json!({ "outcomes": [] })), "{advised:?}");
}

#[test]
fn section_3_3_js_exec_finds_its_input_under_the_name_of_the_argument() {
    let project = Project::new(&[]);
    for code in ["input_json.waits.length", "input.waits.length"] {
        let call = with_why(json!({ "code": code, "input_json": { "waits": [3, 5, 4] } }));
        assert_eq!(project.call("js.exec", &call).json()["result"], 3, "{code}");
    }
}

#[test]
fn section_3_4_a_hint_without_a_why_has_that_of_the_call() {
    let project = Project::new(&[]);
    let call = with_why(json!({ "hot": [{ "path": "a.txt" }] }));
    let answer = project.call("memory.advise", &call).json();
    assert_eq!(answer["outcomes"][0]["outcome"], "honoured", "{answer}");
    assert!(project.text(".wherefore/hot.yml").contains(call["why"].as_str().unwrap()));
}

#[test]
fn section_3_4_a_context_says_what_it_keeps_of_the_budget() {
    let long = "a line of the notes that is long enough to count\n".repeat(400);
    let project = Project::new(&[("long.md", &long), ("other.md", &long)]);
    let printed = project.run(&["context", "--budget", "40", "long.md"]);
    assert!(
        printed.err.contains("40 tokens of the budget are left, and no file goes in with less than 48"),
        "{printed:?}"
    );
    let help = project.run(&["context", "--help"]).out;
    assert!(help.contains("half of what is left"), "{help}");
}
