//! Document 000 §2 and the card: each answer of a built-in tool keeps to the output schema of its definition, and has no member
//! that the schema does not declare.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::environment::Project;
use crate::servers::page_server;

/// Tools whose answer needs an editor.
const OF_EDITORS: [&str; 1] = ["editor.diagnostics"];

fn call(tool: &str, mut arguments: Value) -> Value {
    arguments["why"] = json!("Hold each answer of the tools against the schema that they publish");
    json!({ "tool": tool, "arguments": arguments })
}

/// The output schema of each built-in tool.
fn output_schemas() -> BTreeMap<String, Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/tools");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        let definition: Value = serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let tool = &definition["tool"];
        (tool["name"].as_str().unwrap().to_owned(), tool["output_schema"].clone())
    };
    files.map(read).collect()
}

/// Members of a value that its schema does not declare, by their paths.
fn undeclared(schema: &Value, value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => {
            items.iter().for_each(|item| undeclared(&schema["items"], item, &format!("{path}[]"), found));
        }
        Value::Object(members) => {
            let alternatives =
                ["anyOf", "oneOf", "allOf"].iter().filter_map(|key| schema[key].as_array()).flatten();
            let all: Vec<&Value> = std::iter::once(schema).chain(alternatives).collect();
            if all.iter().all(|schema| !schema["properties"].is_object()) {
                return;
            }
            let is_open = all.iter().any(|schema| {
                schema["additionalProperties"] == true || schema["additionalProperties"].is_object()
            });
            for (name, member) in members {
                let inner = format!("{path}/{name}");
                match all.iter().find_map(|schema| schema["properties"].get(name)) {
                    Some(schema) => undeclared(schema, member, &inner, found),
                    None if is_open => {}
                    None => drop(found.insert(inner)),
                }
            }
        }
        _ => {}
    }
}

/// Calls of every tool, each with its variants; the numbers of the calls are part of some.
fn calls(page: &str) -> Vec<Value> {
    vec![
        call("terminal.run", json!({ "cmd": ["sleep", "60"], "background": true })),
        call("process.list", json!({})),
        call("terminal.output", json!({ "id": "c-0001" })),
        call("terminal.kill", json!({ "id": "c-0001" })),
        call("fs.ls", json!({ "path": "." })),
        call("fs.read", json!({ "path": "a.txt" })),
        call("fs.read", json!({ "path": "a.txt", "range": { "start": 2, "end": 2 } })),
        call("fs.write", json!({ "path": "notes/b.txt", "content": "x\n" })),
        call("fs.append", json!({ "path": "notes/b.txt", "text": "y\n" })),
        call("fs.edit", json!({ "path": "a.txt", "find": "two ", "replace": "2" })),
        call("fs.patch", json!({ "path": "a.txt", "diff": "@@ -1,1 +1,1 @@\n-one \n+One\n" })),
        call("fs.patch", json!({ "path": "a.txt", "diff": "@@ -1,1 +1,1 @@\n-one\n+One\n" })),
        call("fs.copy", json!({ "src": "notes", "dst": "copied" })),
        call("fs.mkdir", json!({ "path": "folder" })),
        call("memory.summarize", json!({ "target_paths": ["a.txt"], "into_path": "summary.md" })),
        call("memory.advise", json!({ "hot": [{ "path": "a.txt", "why": "it is edited" }] })),
        call("context.assemble", json!({})),
        call("workspace.files", json!({})),
        call("search.lexical", json!({ "query": "One" })),
        call("search.vector", json!({ "query": "the first number" })),
        call("git.status", json!({})),
        call("git.diff", json!({})),
        call("git.log", json!({})),
        call("provenance.why", json!({ "path": "a.txt" })),
        call("terminal.run", json!({ "line": "echo z > z.txt; echo u > u.txt" })),
        call("terminal.run", json!({ "line": "echo begun; sleep 60", "timeout_ms": 400 })),
        call("terminal.run", json!({ "line": "kill -SEGV $$" })),
        call("python.exec", json!({ "code": "open('o.txt', 'w').write('a')\n1 + 1" })),
        call("python.exec", json!({ "code": "raise ValueError('no number')" })),
        call("js.exec", json!({ "code": "console.log('a'); return 1 + 1" })),
        call("js.exec", json!({ "code": "throw new Error('no number')" })),
        call("fetch", json!({ "url": format!("http://{page}/") })),
        call("task_complete", json!({ "summary": "Each tool answered." })),
    ]
}

#[test]
fn section_2_every_answer_keeps_to_the_output_schema_and_has_no_other_member() {
    let page = page_server();
    let project = Project::new(&[("src/numbers.js", "let one = 1;\n")]);
    let settings = format!("[fetch]\nlocal = [\"{page}\"]\n[rules.network]\nallow = [\"127.0.0.1\"]\n");
    project.put_home(".config/wherefore/config.toml", &settings);
    for git in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "Count"]] {
        let mut command = std::process::Command::new("git");
        command.current_dir(project.path("")).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]);
        assert!(command.args(git).status().unwrap().success());
    }
    let mut made = calls(&page);
    let mut answers = project.batch(&made);
    let mut held = call("fs.write", json!({ "path": "held.txt", "content": "h\n" }));
    held["policy"] = json!("hold");
    let proposal = project.batch(std::slice::from_ref(&held))[0]["result"]["proposal"].clone();
    let wait = call("review.wait", json!({ "proposal": proposal, "timeout_s": 0 }));
    answers.extend(project.batch(std::slice::from_ref(&wait)));
    made.push(wait);
    std::os::unix::fs::symlink("a.txt", project.path("notes/link")).unwrap();
    let copied = call("fs.copy", json!({ "src": "notes", "dst": "again" }));
    answers.extend(project.batch(std::slice::from_ref(&copied)));
    made.push(copied);

    let schemas = output_schemas();
    let (mut answered, mut wrong) = (BTreeSet::new(), BTreeSet::new());
    for (call, envelope) in made.iter().zip(&answers) {
        let tool = call["tool"].as_str().unwrap();
        let result = envelope.get("result").unwrap_or_else(|| panic!("{call}: {envelope}"));
        answered.insert(tool.to_owned());
        let validator = jsonschema::validator_for(&schemas[tool]).unwrap();
        let problems =
            validator.iter_errors(result).map(|error| format!("{}: {error}", error.instance_path()));
        wrong.extend(problems.map(|problem| format!("{tool}: {problem}")));
        let mut members = BTreeSet::new();
        undeclared(&schemas[tool], result, "", &mut members);
        wrong.extend(members.into_iter().map(|member| format!("{tool}: {member} is not declared")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let all: BTreeSet<String> =
        schemas.into_keys().filter(|tool| !OF_EDITORS.contains(&tool.as_str())).collect();
    assert_eq!(answered, all, "a tool has no call in this test");
}
