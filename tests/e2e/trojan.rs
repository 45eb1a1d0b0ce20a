//! Hidden characters in names, reasons and texts of others: no surface for a person shows them raw. A subcommand, or a
//! message of the server, that is named in no table here fails: its author has to add its output.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, wherefore};
use crate::support::{Editor, Options};

/// A character of each class: controls, direction, no width, tags, variations, fillers, separators, annotations.
const HIDDEN: [char; 26] = [
    '\u{1}',
    '\u{7}',
    '\u{8}',
    '\u{1b}',
    '\u{7f}',
    '\u{85}',
    '\u{9b}',
    '\u{ad}',
    '\u{34f}',
    '\u{61c}',
    '\u{115f}',
    '\u{180e}',
    '\u{200b}',
    '\u{200d}',
    '\u{200f}',
    '\u{202a}',
    '\u{202e}',
    '\u{2028}',
    '\u{2063}',
    '\u{2066}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{fff9}',
    '\u{e0041}',
    '\u{e0100}',
];

/// A word with one of each in it; also a colour, a title and a link that an editor would run.
fn hostile(word: &str) -> String {
    let hidden: String = HIDDEN.into_iter().flat_map(|c| ['x', c]).collect();
    format!("{word}{hidden}x\u{1b}[31mred\u{1b}]0;t\u{7}[go](command:x)$(check)")
}

/// A name of a file that holds most of them; a file's name has 255 bytes at most.
fn path() -> String {
    let hidden: String = HIDDEN.into_iter().flat_map(|c| ['x', c]).collect();
    format!("TROJAN{hidden}.txt")
}

/// A text as TOML and YAML have it between quotes.
fn quoted(text: &str) -> String {
    let sign = |c: char| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        c => format!("\\U{:08X}", c as u32),
    };
    format!("\"{}\"", text.chars().map(sign).collect::<String>())
}

/// A path as URIs have it.
fn encoded(path: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() || byte == b'.' {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.bytes().map(byte).collect()
}

/// The hidden characters of a text that a person reads.
fn raw(text: &str) -> Vec<char> {
    text.chars().filter(|c| HIDDEN.contains(c)).collect()
}

fn said(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    text(&output.stdout) + &text(&output.stderr)
}

/// The arguments of each subcommand. `PATH` stands for the hostile path, `WORD` for a hostile word.
const RUNS: &[(&str, &[&[&str]])] = &[
    ("call", &[&["fs.read", "JSON"], &["WORD", "JSON"]]),
    ("agent", &[&["WORD", "--model", "WORD"], &["--resume", "WORD"], &["--list"]]),
    (
        "tools",
        &[
            &[],
            &["list"],
            &["list", "--json"],
            &["show", "WORD"],
            &["search", "WORD"],
            &["search-nodes", "WORD"],
            &["expand", "WORD"],
            &["compose", "--tools", "WORD"],
        ],
    ),
    ("patch", &[&["PATH", "PATH"], &["WORD", "WORD"]]),
    (
        "rules",
        &[
            &[],
            &["--json"],
            &["test", "cat WORD"],
            &["test", "--json", "cat WORD"],
            &["test", "WORD", "PATH"],
        ],
    ),
    (
        "review",
        &[
            &["--list"],
            &["--list", "--json"],
            &["--list", "--applied"],
            &["WORD"],
            &["WORD", "--accept", "all"],
            &["PROPOSAL", "--reject", "all", "--reason", "WORD"],
        ],
    ),
    (
        "sandbox",
        &[
            &["--", "WORD"],
            &["--net", "WORD", "--", "true"],
            &[
                "--review",
                "--",
                "sh",
                "-c",
                "exec 2>/dev/null; mkdir \"$1\"; echo new > \"$2\"",
                "sh",
                "WORD",
                "PATH",
            ],
            &["--", "sh", "-c", "exec 2>/dev/null; mkdir -p \"$1/.git\"", "sh", "WORD"],
        ],
    ),
    ("undo", &[&["WORD"], &[]]),
    (
        "search",
        &[
            &["--lexical", "TROJAN"],
            &["--lexical", "--json", "TROJAN"],
            &["TROJAN"],
            &["--lexical", "(WORD"],
            &["--scope", "WORD", "x"],
        ],
    ),
    ("why", &[&["PATH"], &["PATH", "--json"], &["PATH", "--porcelain"], &["WORD"]]),
    ("git", &[&["note"], &["note", "WORD"]]),
    (
        "log",
        &[
            &[],
            &["--format", "json"],
            &["--format", "openai"],
            &["--list"],
            &["verify"],
            &["WORD"],
            &["verify", "WORD"],
            &["--agent", "TROJAN"],
            &["--path", "[WORD"],
        ],
    ),
    (
        "report",
        &[
            &[],
            &["--format", "html"],
            &["--format", "json"],
            &["--since", "1h"],
            &["--since", "1h", "--format", "html"],
            &["--since", "1h", "--format", "json"],
            &["WORD"],
            &["WORD..main"],
            &["--since", "WORD"],
        ],
    ),
    ("replay", &[&[], &["--json"], &["WORD"]]),
    ("working-set", &[&[], &["--json"], &["--collect"]]),
    (
        "hint",
        &[&["hot", "PATH", "--why", "WORD"], &["hot", "PATH", "--why", "WORD", "--json"], &["cold", "WORD"]],
    ),
    (
        "send",
        &[
            &["WORD", "--path", "PATH:1"],
            &["WORD", "--agent", "WORD", "--json"],
            &["WORD", "--proposal", "PROPOSAL", "--hunk", "WORD"],
        ],
    ),
    ("context", &[&["PATH"], &["PATH", "--json"], &["WORD"]]),
    ("status", &[&[], &["--json"]]),
    ("env", &[&[], &["--json"], &["WORD"]]),
    ("consent", &[&[], &["--json"], &["--yes", "WORD"], &["--revoke", "WORD"]]),
    ("doctor", &[&[], &["--json"]]),
];

/// Subcommands that write nothing for a person that others wrote: protocols, and what is ours alone.
const OTHERS: &[&str] = &["demo", "lsp", "mcp", "acp", "hook", "serve", "init", "completions", "man"];

fn subcommands(folder: &Path) -> BTreeSet<String> {
    let help = said(&wherefore(folder, &["--help"]).output().unwrap());
    let listed = help.lines().skip_while(|line| *line != "Every day:").take_while(|line| *line != "Options:");
    let named = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    named.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Fills a workspace with hostile names and words: files, an agent, reasons, tools, a server, settings.
fn plant(folder: &Path) {
    let work = folder.join("work");
    std::fs::write(work.join(path()), format!("{}\n", hostile("TROJAN text"))).unwrap();
    std::fs::create_dir_all(work.join(".wherefore/tools")).unwrap();
    let tool = format!(
        "tool:\n  name: trojan.tool\n  description: {}\n  input_schema:\n    type: object\n    properties: {{ why: {{ type: string, \
         description: Why }} }}\n    required: [why]\n",
        quoted(&hostile("TROJAN tool"))
    );
    std::fs::write(work.join(".wherefore/tools/a.yaml"), tool).unwrap();
    std::fs::write(
        work.join(".wherefore/tools/b.yaml"),
        format!("tool:\n  name: {}\n", quoted(&hostile("N"))),
    )
    .unwrap();
    let settings = format!(
        "[rules]\ndeny = [{}]\n[mcp_servers.trojan]\ncommand = {}\n[mcp_servers.{}]\ncommand = \"x\"\n",
        quoted(&format!("[{}", hostile("TROJAN glob"))),
        quoted(&hostile("TROJAN server")),
        quoted(&hostile("TROJAN name")),
    );
    std::fs::write(work.join(".wherefore/config.toml"), settings).unwrap();
    std::fs::write(work.join(".wherefore/hot.yml"), format!("{}: {{\n", quoted(&hostile("TROJAN hint"))))
        .unwrap();
}

fn write_call(path: &str) -> Value {
    json!({ "path": path, "content": hostile("TROJAN new\n"), "why": hostile("TROJAN why this file says so") })
}

#[test]
fn no_subcommand_writes_a_hidden_character() {
    let place = crate::support::agent::place();
    let folder = place.path();
    plant(folder);
    let known: BTreeSet<String> =
        RUNS.iter().map(|(name, _)| *name).chain(OTHERS.iter().copied()).map(str::to_owned).collect();
    assert_eq!(subcommands(folder), known, "name a new subcommand in a table of this test");

    let mut agent = Agent::named(folder, &hostile("TROJAN agent"), LEGACY, &[], json!({}));
    let pending = agent.call("fs_write", write_call(&path()));
    let proposal = pending["proposal"].as_str().unwrap().to_owned();
    agent.fault("fs_read", json!({ "path": hostile("none"), "why": hostile("TROJAN why it is missing") }));
    let mut reached = BTreeSet::new();
    let colour = regex::Regex::new("\u{1b}\\[(0|1|2|7|3[1-6])m").unwrap();
    for colours in [false, true] {
        for (name, runs) in RUNS {
            for args in *runs {
                let args: Vec<String> =
                    args.iter()
                        .map(|arg| match *arg {
                            "JSON" => json!({ "path": path(), "why": hostile("TROJAN call of a person") })
                                .to_string(),
                            "PROPOSAL" => proposal.clone(),
                            arg => arg.replace("PATH", &path()).replace("WORD", &hostile("TROJAN")),
                        })
                        .collect();
                let args: Vec<&str> = std::iter::once(*name).chain(args.iter().map(String::as_str)).collect();
                let mut command = wherefore(folder, &args);
                if colours {
                    command.env("CLICOLOR_FORCE", "1");
                }
                let output = command.output().unwrap();
                // The person's own words come back from the parser of arguments as they typed them.
                if output.status.code() == Some(2) {
                    continue;
                }
                let mut text = said(&output);
                if colours {
                    text = colour.replace_all(&text, "").into_owned();
                }
                assert_eq!(raw(&text), [], "{args:?}: {text}");
                if text.contains("TROJAN") {
                    reached.insert(*name);
                }
            }
        }
    }
    for name in [
        "call",
        "tools",
        "review",
        "search",
        "log",
        "report",
        "context",
        "status",
        "hint",
        "working-set",
        "patch",
    ] {
        assert!(reached.contains(name), "nothing hostile reached `{name}`: {reached:?}");
    }
}

/// Messages of the server whose texts are data that a wherefore plugin renders, or that are applied unchanged.
const DATA: &[&str] = &[
    "wherefore/didCall",
    "wherefore/didFinish",
    "wherefore/proposal",
    "wherefore/proposalChanged",
    "wherefore/workingSetChanged",
    "wherefore/heldElsewhereChanged",
    "wherefore/call",
    "wherefore/proposals",
    "wherefore/decide",
    "initialize",
];

/// Members of other messages that are no words for a person: where a thing is, and what is written into a file.
const NO_WORDS: &[&str] = &["uri", "newText", "data", "arguments", "path", "changes", "token", "id"];

fn words(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(text) if !raw(text).is_empty() || text.contains("](") || text.contains("$(") => {
            found.push(format!("{at}: {text:?}"));
        }
        Value::Array(items) => items.iter().for_each(|item| words(item, at, found)),
        Value::Object(members) => {
            for (name, value) in members.iter().filter(|(name, _)| !NO_WORDS.contains(&name.as_str())) {
                words(value, &format!("{at}/{name}"), found);
            }
        }
        _ => {}
    }
}

fn check(method: &str, value: &Value) {
    if DATA.contains(&method) {
        return;
    }
    let mut found = Vec::new();
    words(value, method, &mut found);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_editor_is_shown_a_hidden_character() {
    let mut options = Options { settings: json!({ "notify": { "show": "all" } }), ..Options::default() };
    options.capabilities["textDocument"]["hover"] = json!({ "contentFormat": ["markdown"] });
    options.capabilities["workspace"]["workspaceEdit"]["changeAnnotationSupport"] = json!({});
    let mut editor = Editor::unconnected(&options);
    let folder = editor.folder.path().to_owned();
    plant(&folder);
    let settings = format!(
        "[rules]\nask = [\"asked-*\"]\n[mcp_servers.trojan]\ncommand = {}\n",
        quoted(&hostile("TROJAN"))
    );
    std::fs::write(folder.join("work/.wherefore/config.toml"), settings).unwrap();
    std::fs::write(folder.join("work/asked-a.txt"), "a\n").unwrap();
    editor.initialize(&options);
    let uri = format!("{}/{}", editor.uri(""), encoded(&path()));
    let text = std::fs::read_to_string(folder.join("work").join(path())).unwrap();
    let document = json!({ "uri": uri, "languageId": "plain", "version": 1, "text": text });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));

    let root = folder.join("work").display().to_string();
    let mut agent = Agent::named(&folder, &hostile("TROJAN agent"), LEGACY, &["--root", &root], json!({}));
    let write = agent.begin_call("fs_write", write_call(&path()));
    while editor.request("wherefore/proposals", json!({})).unwrap()["proposals"] == json!([]) {}
    let here = json!({ "textDocument": { "uri": uri } });
    let mut reached = 0;
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    for (method, more) in [
        ("textDocument/codeLens", json!({})),
        ("textDocument/hover", json!({ "position": { "line": 0, "character": 0 } })),
        ("textDocument/codeAction", json!({ "range": range, "context": { "diagnostics": [] } })),
        ("textDocument/completion", json!({ "position": { "line": 0, "character": 0 } })),
    ] {
        let mut params = here.clone();
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = editor.request(method, params).unwrap();
        reached += usize::from(answer.to_string().contains("TROJAN"));
        match method {
            // Markdown, where words are escaped and lines stand in a block.
            "textDocument/hover" => assert_eq!(raw(answer["contents"]["value"].as_str().unwrap()), []),
            _ => check(method, &answer),
        }
    }
    assert!(reached >= 3, "the why reaches lenses, hovers and actions");
    let refused = editor.request("wherefore/undo", json!({ "call": hostile("TROJAN") })).unwrap_err();
    check("wherefore/undo", &refused);
    editor.request("wherefore/decide", json!({ "act": "reject", "reason": hostile("no") })).unwrap();
    agent.finish_call(write);

    let asked = json!({ "path": "asked-a.txt", "why": hostile("TROJAN why it is read") });
    let read = agent.begin_call("fs_read", asked);
    let question = editor.expect("window/showMessageRequest");
    check("window/showMessageRequest", &question["params"]);
    assert!(question.to_string().contains("TROJAN"), "{question}");
    editor.reply(&question, json!({ "title": "Deny" }));
    agent.finish_call(read);
    agent.fault("fs_read", json!({ "path": hostile("none"), "why": hostile("TROJAN why it is missing") }));
    let mut methods = BTreeSet::new();
    for message in editor.drain(Duration::from_millis(1500)) {
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        check(&method, &message["params"]);
        methods.insert(method);
    }
    for method in ["window/showMessage", "textDocument/publishDiagnostics"] {
        assert!(methods.contains(method), "{methods:?}");
    }
}

#[test]
fn no_client_of_an_agent_asks_with_a_hidden_character() {
    let place = crate::support::agent::place();
    let folder = place.path();
    plant(folder);
    let capabilities = json!({ "elicitation": {} });
    let mut agent = Agent::named(folder, &hostile("TROJAN agent"), LEGACY, &[], capabilities);
    let call = agent.begin_call("fs_write", write_call(&path()));
    let asked = agent.expect("elicitation/create");
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.starts_with("Change TROJAN") && message.contains("TROJAN why"), "{message}");
    assert_eq!(raw(&asked.to_string().replace("\\u001b", "\u{1b}")), [], "{asked}");
    let listed = agent.request("resources/list", json!({})).unwrap();
    assert!(listed.to_string().contains("TROJAN why"), "{listed}");
    for shown in [&listed, &agent.request("tools/list", json!({})).unwrap()] {
        assert_eq!(raw(&shown.to_string()), [], "{shown}");
    }
    let answer = json!({ "action": "accept", "content": { "decision": "accept" } });
    agent.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": answer }));
    agent.finish_call(call);
    let error = agent.request("resources/read", json!({ "uri": hostile("TROJAN") })).unwrap_err();
    assert_eq!(raw(error["message"].as_str().unwrap()), [], "{error}");

    // The client answered, perhaps by itself: the log records that, and the change counts as unreviewed.
    let log = said(&wherefore(folder, &["log"]).output().unwrap());
    assert!(log.contains("applied by client"), "{log}");
    let applied = said(&wherefore(folder, &["review", "--list", "--applied"]).output().unwrap());
    assert!(applied.contains("TROJAN why"), "{applied}");
}
