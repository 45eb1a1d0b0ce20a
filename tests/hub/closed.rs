//! Every tool against every kind of rule, by every spelling of a path: nothing of a closed file shows, nothing is written.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use wherefore::protocol::{Code, Policy, Status};

use crate::support::Bench;

/// A file under a rule, and whether its content may be read.
struct Closed {
    path: &'static str,
    mark: &'static str,
    readable: bool,
}

const CLOSED: &[Closed] = &[
    Closed { path: "denied/deep/a.txt", mark: "MARKDENIED", readable: false },
    Closed { path: "asked/deep/a.txt", mark: "MARKASKED", readable: false },
    Closed { path: "notes/asked.sql", mark: "MARKGLOB", readable: false },
    Closed { path: "notes/server.pem", mark: "MARKSENSITIVE", readable: false },
    Closed { path: ".wherefore/own.txt", mark: "MARKOURS", readable: false },
    Closed { path: "frozen/a.txt", mark: "MARKFROZEN", readable: true },
    Closed { path: ".git/a.txt", mark: "MARKGIT", readable: true },
];

const RULES: &str =
    "[rules]\ndeny = [\"denied/**\"]\nread_only = [\"frozen\"]\nask = [\"asked/**\", \"*.sql\"]\n";

fn text(mark: &str) -> String {
    format!("line one\nneedle {mark} haystack\nline three\n")
}

fn bench() -> Bench {
    let texts: Vec<String> = CLOSED.iter().map(|closed| text(closed.mark)).collect();
    let mut files: Vec<(&str, &str)> =
        CLOSED.iter().zip(&texts).map(|(closed, text)| (closed.path, text.as_str())).collect();
    files.push((".wherefore/config.toml", RULES));
    files.push(("open/a.txt", "line one\nneedle open\nline three\n"));
    let bench = Bench::new(&files);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    for (at, closed) in CLOSED.iter().enumerate() {
        let folder = closed.path.rsplit_once('/').unwrap().0;
        let link = |name: String, to: &str| {
            std::os::unix::fs::symlink(to, bench.folder.path().join(name)).unwrap();
        };
        link(format!("link{at}.txt"), closed.path);
        link(format!("way{at}"), folder);
        link(format!("open/chain{at}"), &format!("../way{at}"));
    }
    bench
}

/// The spellings of a path, and the folders above it.
fn spellings(bench: &Bench, at: usize) -> Vec<String> {
    let path = CLOSED[at].path;
    let (folder, name) = path.rsplit_once('/').unwrap();
    let root = bench.folder.path().canonicalize().unwrap();
    vec![
        path.to_owned(),
        format!("./x/../{path}"),
        format!("{folder}//./{name}"),
        path.to_uppercase(),
        format!("{}/{path}", root.display()),
        format!("link{at}.txt"),
        format!("way{at}/{name}"),
        format!("open/chain{at}/{name}"),
        format!("way{at}"),
        folder.to_owned(),
        folder.split('/').next().unwrap().to_owned(),
        ".".to_owned(),
        String::new(),
    ]
}

/// Members of arguments that name a path, or several.
const PATHS: [&str; 9] = ["path", "paths", "src", "dst", "from", "to", "scope", "cwd", "into_path"];

/// The calls of a tool that read or write a path. One that is not named here is called as its own examples call it, with
/// the path in the place of theirs.
fn calls((tool, examples): &(String, Vec<Value>), path: &str, turn: usize) -> Vec<Value> {
    let fresh = format!("out/{turn}");
    match tool.as_str() {
        "fs.ls" | "fs.mkdir" => vec![json!({ "path": path })],
        "fs.read" => {
            vec![json!({ "path": path }), json!({ "path": path, "range": { "start": 2, "end": 2 } })]
        }
        "fs.append" => vec![json!({ "path": path, "text": "written\n" })],
        "fs.write" => vec![json!({ "path": path, "content": "written\n" })],
        "fs.edit" => vec![
            json!({ "path": path, "find": "line one", "replace": "written" }),
            json!({ "path": path, "find": "haystac k", "replace": "written" }),
        ],
        "fs.patch" => vec![
            json!({ "path": path, "diff": "@@ -1 +1 @@\n-line one\n+written\n" }),
            json!({ "path": path, "diff": "@@ -1,2 +1,2 @@\n line on\n-needle\n+written\n" }),
        ],
        "fs.copy" => vec![
            json!({ "src": path, "dst": fresh }),
            json!({ "src": "open/a.txt", "dst": path }),
            json!({ "src": "open", "dst": format!("{path}/new") }),
        ],
        "search.lexical" => vec![
            json!({ "query": "needle", "scope": path, "context": 2 }),
            json!({ "query": "needle", "scope": path, "glob": "**/*.*" }),
        ],
        "search.vector" => vec![json!({ "query": "needle haystack", "scope": path, "k": 100 })],
        "workspace.files" => vec![json!({ "scope": path })],
        "context.assemble" => {
            vec![json!({ "paths": [path], "query": "needle" }), json!({ "set": true, "query": "needle" })]
        }
        "memory.advise" => vec![json!({ "hot": [{ "path": path, "why": "The needle is in it" }] })],
        "memory.summarize" => vec![
            json!({ "target_paths": [path], "into_path": format!("{fresh}.summary.md") }),
            json!({ "target_paths": ["open/a.txt"], "into_path": path }),
        ],
        "git.status" => vec![json!({})],
        "git.diff" | "git.log" => vec![json!({ "paths": [path] }), json!({ "paths": [path, "open"] })],
        "fetch" => vec![json!({ "url": format!("file://{path}") })],
        "terminal.run" => ["review", "apply"]
            .map(|effects| {
                let script = "cat \"$1\" \"$1\"/*; mkdir -p out; cp \"$1\" \"$2\"; echo written >>\"$1\"";
                json!({ "cmd": ["sh", "-c", script, "sh", path, fresh], "effects": effects })
            })
            .into(),
        "python.exec" => {
            let code = format!("path = {path:?}\nopen(path, 'a').write('written')\nopen(path).read()");
            vec![json!({ "code": format!("open({path:?}).read()") }), json!({ "code": code })]
        }
        "js.exec" => {
            let code = format!(
                "const fs = require('fs'); try {{ fs.appendFileSync({path:?}, 'written') }} catch {{}}\nfs.readFileSync({path:?}, 'utf8')"
            );
            vec![json!({ "code": code, "runtime": "node" }), json!({ "code": code })]
        }
        // They take an id.
        "terminal.output" | "terminal.kill" | "process.list" | "review.wait" | "task_complete" => Vec::new(),
        _ => examples.iter().filter_map(|example| with_path(example, path)).collect(),
    }
}

/// An example's arguments with `path` in each member that names one; nothing where none does.
fn with_path(example: &Value, path: &str) -> Option<Value> {
    let mut arguments = example.clone();
    let mut named = false;
    for name in PATHS {
        let Some(member) = arguments.get_mut(name) else { continue };
        *member = if member.is_array() { json!([path]) } else { json!(path) };
        named = true;
    }
    named.then_some(arguments)
}

#[test]
fn a_tool_that_is_not_named_is_called_as_its_examples_call_it() {
    let example = json!({ "src": "a", "paths": ["b"], "count": 3 });
    let filled = json!({ "src": ".env", "paths": [".env"], "count": 3 });
    assert_eq!(with_path(&example, ".env"), Some(filled));
    assert_eq!(with_path(&json!({ "query": "needle" }), ".env"), None);
}

#[tokio::test]
async fn no_tool_shows_or_writes_a_closed_file_by_any_spelling() {
    let bench = bench();
    let tools: Vec<(String, Vec<Value>)> = bench
        .served()
        .toolbox()
        .full_definitions(None)
        .iter()
        .map(|(tool, _)| (tool.name(), &tool.def().examples))
        .map(|(name, examples)| {
            (name.to_owned(), examples.iter().map(|example| example.input.clone()).collect())
        })
        .collect();
    assert!(tools.len() >= 16);
    let before: BTreeMap<_, _> = CLOSED.iter().map(|closed| (closed.path, bench.disk(closed.path))).collect();
    let mut turn = 0;
    for at in 0..CLOSED.len() {
        for path in spellings(&bench, at) {
            for tool in &tools {
                turn += 1;
                for arguments in calls(tool, &path, turn) {
                    let said = format!("{} {arguments}", tool.0);
                    let answer = json!(bench.call(&tool.0, arguments, Some(Policy::Auto)).await).to_string();
                    for closed in CLOSED.iter().filter(|closed| !closed.readable) {
                        assert!(!answer.contains(closed.mark), "{said} shows {}: {answer}", closed.path);
                    }
                    for (path, text) in &before {
                        assert_eq!(&bench.disk(path), text, "{said} writes {path}: {answer}");
                    }
                }
            }
        }
    }
    let made = walk(&bench.folder.path().join("out"));
    for (path, text) in made {
        for closed in CLOSED.iter().filter(|closed| !closed.readable) {
            assert!(!text.contains(closed.mark), "{path} holds {}", closed.path);
        }
    }
}

/// The texts below a folder.
fn walk(folder: &std::path::Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => found.extend(walk(&entry.path())),
            false => found.push((
                entry.path().display().to_string(),
                std::fs::read_to_string(entry.path()).unwrap_or_default(),
            )),
        }
    }
    found
}

#[tokio::test]
async fn a_file_that_a_rule_asks_about_opens_once_the_person_says_so() {
    let bench = bench();
    bench.will_answer(Some("Allow"));
    for (tool, arguments) in [
        ("fs.read", json!({ "path": "notes/asked.sql" })),
        ("fs.read", json!({ "path": "link2.txt" })),
        ("search.lexical", json!({ "query": "needle", "scope": "notes/asked.sql" })),
        ("context.assemble", json!({ "paths": ["notes/asked.sql"], "set": false })),
        ("fs.edit", json!({ "path": "notes/asked.sql", "find": "line three", "replace": "line 3" })),
    ] {
        let said = format!("{tool} {arguments}");
        let answer = json!(bench.call(tool, arguments, Some(Policy::Auto)).await);
        assert_eq!(answer["status"], "ok", "{said}: {answer}");
        assert!(answer.to_string().contains("MARKGLOB"), "{said}: {answer}");
        assert!(!answer.to_string().contains("MARKASKED"), "{said}: {answer}");
    }
    // A yes to a folder that the rule speaks of is one to what lies in it, and to nothing that another rule asks about.
    let found =
        json!(bench.call("search.lexical", json!({ "query": "needle", "scope": "asked" }), None).await);
    assert!(found.to_string().contains("MARKASKED"), "{found}");
    let found = json!(bench.call("search.lexical", json!({ "query": "needle" }), None).await);
    assert!(!found.to_string().contains("MARKASKED") && !found.to_string().contains("MARKGLOB"), "{found}");
    let warning = found["warnings"][0].as_str().unwrap_or_default();
    assert!(warning.starts_with("2 files are left out: rules.ask `asked/**` asks first."), "{found}");

    // Copying a folder asks for what it would copy.
    let copied =
        bench.call("fs.copy", json!({ "src": "notes", "dst": "out/notes" }), Some(Policy::Auto)).await;
    assert_eq!(json!(copied)["status"], "ok", "{copied:?}");
    assert!(bench.disk("out/notes/asked.sql").contains("MARKGLOB"));
    assert_eq!(bench.disk("out/notes/server.pem"), "(none)");
}

#[tokio::test]
async fn a_yes_for_the_session_is_one_to_that_path_agent_and_tool() {
    let bench = bench();
    bench.will_answer(Some("Allow for this session"));
    let read = |agent, path: &str| bench.call_as(agent, "fs.read", json!({ "path": path }), None);
    assert_eq!(read("tester/1", "notes/asked.sql").await.status, Status::Ok);
    bench.will_answer(None);
    assert_eq!(read("tester/1", "notes/asked.sql").await.status, Status::Ok, "it is not asked again");
    for (agent, path) in [("other/1", "notes/asked.sql"), ("tester/1", "asked/deep/a.txt")] {
        assert_eq!(read(agent, path).await.error.unwrap().code, Code::PermissionDenied, "{agent} {path}");
    }
    let write = json!({ "path": "notes/asked.sql", "content": "x\n" });
    let written = bench.call_as("tester/1", "fs.write", write, Some(Policy::Auto)).await;
    assert_eq!(written.error.unwrap().code, Code::PermissionDenied, "a yes to a read is none to a change");
}
