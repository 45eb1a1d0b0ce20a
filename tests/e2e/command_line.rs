//! The command line as a script uses it: exit codes, JSON on standard output, batches, review and undo.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn run(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_wherefore"))
        .args(args)
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .env("XDG_CONFIG_HOME", folder.join("none"))
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\nthree\n").unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    folder
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"))
}

#[test]
fn exit_codes_and_what_stands_where() {
    let folder = folder();
    let read = r#"{"path": "a.txt", "why": "Learn the numbers before one is changed"}"#;
    for (args, code, member, expected) in [
        (vec!["call", "fs.read", read], 0, "/content", json!("one\ntwo\nthree\n")),
        (vec!["call", "read_file", read], 0, "/lines", json!(3)),
        (vec!["call", "fs.read", r#"{"path": "a.txt"}"#], 1, "/code", json!("MISSING_WHY")),
        (vec!["call", "fs.read", "{"], 1, "/code", json!("INVALID_ARGS")),
        (vec!["call", "fs.raed", read], 1, "/hints/0", json!("fs.read")),
        (vec!["call", "fs.read", "--root", "nowhere", read], 1, "/code", json!("NOT_FOUND")),
        (vec!["status", "--json"], 0, "/workspaces/0/pending_hunks", json!(0)),
        (vec!["doctor", "--json"], 0, "", Value::Null),
    ] {
        let output = run(folder.path(), &args, "");
        assert_eq!(output.status.code(), Some(code), "{args:?} {output:?}");
        if !member.is_empty() {
            assert_eq!(json_of(&output).pointer(member), Some(&expected), "{args:?}");
        }
    }
    for usage in [
        vec!["call"],
        vec!["call", "fs.read"],
        vec!["frobnicate"],
        vec!["call", "fs.read", "{}", "--policy", "x"],
    ] {
        assert_eq!(run(folder.path(), &usage, "").status.code(), Some(2), "{usage:?}");
    }
    let from_stdin = run(folder.path(), &["call", "fs.read", "-"], read);
    assert_eq!(json_of(&from_stdin)["lines"], 3);
}

#[test]
fn a_call_filled_by_the_composed_schema_is_a_call() {
    let folder = folder();
    let composed =
        json_of(&run(folder.path(), &["tools", "compose", "--tools", "read_file,task_complete"], ""));
    let items = composed.pointer("/properties/calls/items/anyOf").and_then(Value::as_array).unwrap();
    assert_eq!((&composed["type"], items.len()), (&json!("object"), 2));
    let properties = items[0]["properties"].as_object().unwrap();
    let mut call = json!({ "_reasoningForCall": "Learn the numbers before one is changed", "path": "a.txt" });
    for name in ["_tool", "_activity"] {
        call[name] = properties[name]["const"].clone();
    }
    let answer = json_of(&run(folder.path(), &["call", "--batch"], &format!("{call}\n")));
    assert_eq!(answer.pointer("/result/content"), Some(&json!("one\ntwo\nthree\n")), "{answer}");
    call["_activity"] = json!("fs.write");
    let answer = json_of(&run(folder.path(), &["call", "--batch"], &format!("{call}\n")));
    assert_eq!(answer.pointer("/error/code"), Some(&json!("INVALID_ARGS")), "{answer}");
    let anthropic = json_of(&run(folder.path(), &["tools", "compose", "--format", "anthropic"], ""));
    assert!(anthropic.as_array().unwrap().iter().all(|tool| tool["input_schema"]["type"] == "object"));
    let unknown = run(folder.path(), &["tools", "compose", "--tools", "fs.raed"], "");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("did you mean fs.read"), "{unknown:?}");
}

#[test]
fn tools_are_found_by_what_is_wanted() {
    let folder = folder();
    let found = json_of(&run(folder.path(), &["tools", "search", "apply a diff to a file", "--json"], ""));
    assert_eq!(found.pointer("/results/0/tool_id"), Some(&json!("fs.patch")), "{found}");
    let expanded = json_of(&run(folder.path(), &["tools", "expand", "fs.patch"], ""));
    assert_eq!(expanded.pointer("/args_schema/type"), Some(&json!("object")));
    assert_eq!((&expanded["path"], &expanded["risk"]), (&json!(["Files"]), &json!("write")));
    let nodes = json_of(&run(folder.path(), &["tools", "search-nodes", "apply a diff", "--json"], ""));
    assert_eq!(nodes.pointer("/results/0/path"), Some(&json!(["Files"])), "{nodes}");
    let wrong = run(folder.path(), &["tools", "search", "apply a diff", "--under", "Flies"], "");
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("Files"), "{wrong:?}");
    // A catalogue of one's own, a request a line.
    let tool = |id: &str, text: &str| json!({ "id": id, "path": ["Own"], "name": id, "description": text });
    let lines = [tool("bake_bread", "Bakes bread."), tool("brewCoffee", "Brews coffee.")]
        .map(|tool| tool.to_string());
    std::fs::write(folder.path().join("own.jsonl"), lines.join("\n")).unwrap();
    let requests =
        "{\"id\": 7, \"query\": \"make some coffee\"}\n{\"id\": 8, \"query\": \"zzyzx\"}\nno json\n";
    let found = run(folder.path(), &["tools", "search", "--catalogue", "own.jsonl", "--batch"], requests);
    let answers: Vec<Value> = String::from_utf8_lossy(&found.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers[0].pointer("/results/0/tool_id"), Some(&json!("brewCoffee")), "{answers:?}");
    assert_eq!((&answers[1], answers.len()), (&json!({ "id": 8, "results": [] }), 3));
    assert_eq!(answers[2].pointer("/error/code"), Some(&json!("INVALID_ARGS")), "{answers:?}");
    std::fs::write(folder.path().join("own.jsonl"), "{}").unwrap();
    let bad = run(folder.path(), &["tools", "search", "--catalogue", "own.jsonl", "coffee"], "");
    assert!(String::from_utf8_lossy(&bad.stderr).contains("own.jsonl:1"), "{bad:?}");
}

#[test]
fn tools_are_listed_whole_or_browsed() {
    let folder = folder();
    let list = |more: &[&str]| run(folder.path(), &[&["tools", "list"], more].concat(), "");
    let text = |output: Output| String::from_utf8(output.stdout).unwrap();
    let all = text(list(&[]));
    assert_eq!(all, text(run(folder.path(), &["tools"], "")));
    assert!(all.contains("\nfs.patch         write "), "{all}");
    let root = json_of(&list(&["/", "--json"]));
    assert_eq!((&root["path"], &root["nodes"][0]["path"]), (&json!([]), &json!(["Files"])));
    let files = text(list(&["Files"]));
    assert!(files.starts_with("fs.") && !files.contains("search.lexical"), "{files}");
    let tagged = json_of(&list(&["--tag", "file", "--tag", "read", "--json"]));
    let found = tagged["tools"].as_array().unwrap();
    assert!(found.iter().any(|tool| tool["tool_id"] == "fs.read") && found.len() < 10, "{tagged}");
    let asked = text(list(&["Files", "--query", "apply a diff"]));
    assert!(asked.lines().next().unwrap().contains("  fs.patch "), "{asked}");
    let page = json_of(&list(&["--limit", "2", "--json"]));
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = json_of(&list(&["--limit", "2", "--cursor", cursor, "--json"]));
    assert_ne!(page["nodes"], next["nodes"]);
    let wrong = list(&["Flies"]);
    assert!(
        wrong.status.code() == Some(1) && String::from_utf8_lossy(&wrong.stderr).contains("Files"),
        "{wrong:?}"
    );
}

#[test]
fn a_batch_answers_a_line_each_in_order() {
    let folder = folder();
    let why = "Leave a list of what was decided for the next reader";
    let lines = [
        json!({ "tool": "fs.append", "arguments": { "path": "b.txt", "text": "1\n", "why": why } }).to_string(),
        "not json".to_owned(),
        json!({ "tool": "fs.append", "arguments": json!({ "path": "b.txt", "text": "2\n", "why": why }).to_string() }).to_string(),
        String::new(),
        json!({ "tool": "fs.read", "arguments": { "path": "b.txt", "why": why } }).to_string(),
        json!({ "tool": "fs.read", "arguments": { "path": "../b.txt", "why": why } }).to_string(),
    ];
    let output = run(folder.path(), &["call", "--batch"], &lines.join("\n"));
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let short: Vec<String> =
        answers.iter().map(|answer| format!("{} {}", answer["status"], answer["error"]["code"])).collect();
    assert_eq!(
        short,
        [
            "\"ok\" null",
            "\"error\" \"INVALID_ARGS\"",
            "\"ok\" null",
            "\"ok\" null",
            "\"error\" \"PERMISSION_DENIED\"",
        ]
    );
    assert_eq!(answers[3]["result"]["content"], "1\n2\n");
}

#[test]
fn a_workspace_is_named_alike_everywhere() {
    let (folder, elsewhere) = (folder(), tempfile::tempdir().unwrap());
    let root = folder.path().to_str().unwrap();
    run(folder.path(), &["call", "fs.read", r#"{"path": "a.txt", "why": "Learn the numbers"}"#], "");
    for args in [
        vec!["tools", "list", "--root", root],
        vec!["tools", "--root", root, "show", "fs.read"],
        vec!["tools", "show", "fs.read", "--root", root],
        vec!["log", "--root", root, "verify"],
        vec!["log", "verify", "--root", root],
        vec!["rules", "--root", root],
        vec!["rules", "test", "ls", "--root", root],
        vec!["doctor", "--root", root],
        vec!["init", "--root", root, "--agents", "claude"],
        vec!["status", "--root", root],
    ] {
        let output = run(elsewhere.path(), &args, "");
        assert_eq!(output.status.code(), Some(0), "{args:?} {output:?}");
    }
    let nowhere = run(folder.path(), &["doctor", "--root", "nowhere"], "");
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("nowhere: "), "{nowhere:?}");
    assert!(!elsewhere.path().join(".wherefore").exists());
}

#[test]
fn every_subcommand_that_works_in_a_folder_takes_its_root() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/command-line.md");
    let page = std::fs::read_to_string(page).unwrap();
    // Its words, with those of a subcommand's own subcommand.
    let is_word =
        |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let words = |row: &'_ str| -> String {
        row.split([' ', '`'])
            .take_while(is_word)
            .take_while(|word| !word.starts_with('-'))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `wherefore ")).map(words);
    let folder = folder();
    let mut without: Vec<String> = rows
        .filter(|words| {
            let words: Vec<&str> = words.split(' ').chain(["--help"]).collect();
            let help = run(folder.path(), &words, "");
            !String::from_utf8_lossy(&help.stdout).contains("--root <DIR>")
        })
        .collect();
    without.sort_unstable();
    // These take a folder or a file, get one from their client, or need none.
    assert_eq!(without, ["acp", "completions", "demo", "hook", "lsp", "man", "patch"]);
}

#[test]
fn a_search_that_finds_nothing_ends_with_1() {
    let folder = folder();
    for (args, code) in [
        (vec!["search", "--lexical", "two"], 0),
        (vec!["search", "--lexical", "twenty"], 1),
        (vec!["search", "--lexical", "--json", "twenty"], 1),
        (vec!["search", "zebra"], 1),
    ] {
        assert_eq!(run(folder.path(), &args, "").status.code(), Some(code), "{args:?}");
    }
}

#[test]
fn processes_of_one_session_share_the_working_set_and_the_count_of_calls() {
    let folder = folder();
    for (why, agent) in [("Learn the numbers", "one"), ("Count the lines", "two")] {
        let read = json!({ "path": "a.txt", "why": why }).to_string();
        run(folder.path(), &["call", "fs.read", &read, "--agent", agent], "");
    }
    let write = json!({ "path": "b.txt", "content": "b\n", "why": "Keep the letters apart" }).to_string();
    run(folder.path(), &["call", "fs.write", &write], "");
    let status = json_of(&run(folder.path(), &["status", "--json"], ""));
    let workspace = &status["workspaces"][0];
    assert_eq!((&workspace["calls"], &workspace["agents"]), (&json!(3), &json!(["one", "two"])), "{status}");
    assert_eq!(workspace["ways"]["cli"], 3);
    let set = || json_of(&run(folder.path(), &["working-set", "--json"], ""));
    let files = set();
    assert_eq!((&files["files"][0]["path"], &files["files"][1]["path"]), (&json!("b.txt"), &json!("a.txt")));
    let reason = files["files"][1]["reasons"][0].as_str().unwrap();
    assert_eq!(reason, "2 reads by two, the last just now: Count the lines");
}

#[test]
fn held_hunks_are_reviewed_and_undone() {
    let folder = folder();
    let change = json!({ "path": "a.txt", "content": "1\ntwo\n3\n", "why": "Write odd numbers as figures" })
        .to_string();
    let held = json_of(&run(folder.path(), &["call", "fs.write", "--policy", "hold", &change], ""));
    let id = held["proposal"].as_str().unwrap();
    let listed = json_of(&run(folder.path(), &["review", "--json"], ""));
    assert_eq!(listed[0]["id"], id);
    let decided =
        run(folder.path(), &["review", id, "--accept", "h2", "--reject", "h1", "--reason", "one stays"], "");
    assert!(decided.status.success(), "{decided:?}");
    let text = || std::fs::read_to_string(folder.path().join("a.txt")).unwrap();
    assert_eq!(text(), "one\ntwo\n3\n");
    let undone = json_of(&run(folder.path(), &["undo", "--json"], ""));
    assert_eq!(text(), "one\ntwo\nthree\n");
    run(folder.path(), &["undo", undone["undo_id"].as_str().unwrap()], "");
    assert_eq!(text(), "one\ntwo\n3\n");
    assert_eq!(run(folder.path(), &["undo"], "").status.code(), Some(0), "the change stands again");
    assert_eq!(run(folder.path(), &["undo"], "").status.code(), Some(1), "nothing else stands");
    let log = String::from_utf8(run(folder.path(), &["log"], "").stdout).unwrap();
    assert!(log.contains("one stays") && log.contains("Write odd numbers as figures"), "{log}");
    let denied = run(folder.path(), &["call", "fs.write", "--policy", "deny", &change], "");
    assert_eq!(json_of(&denied)["code"], "PERMISSION_DENIED");
}

#[test]
fn init_sets_agents_up_and_takes_it_back() {
    let folder = folder();
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).ok();
    let init = |more: &[&str]| {
        run(folder.path(), &[&["init", "--agents", "claude,codex,gemini"], more].concat(), "")
    };
    std::fs::create_dir(folder.path().join(".gemini")).unwrap();
    std::fs::write(folder.path().join(".gemini/settings.json"), "{ // mine\n}\n").unwrap();
    let listed = init(&[]);
    let list = String::from_utf8_lossy(&listed.stdout).into_owned();
    let of_files: Vec<&str> =
        list.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    let files = [
        ".wherefore/config.toml",
        ".wherefore/.gitignore",
        ".mcp.json",
        ".claude/settings.local.json",
        ".codex/config.toml",
        ".gemini/settings.json",
    ];
    assert_eq!(of_files[..6], files, "a line a file: {list}");
    assert!(
        !list.contains("+++ ") && list.contains("+7 -0") && list.contains("Nothing is written."),
        "{list}"
    );
    let shown = init(&["--diff"]);
    let diff = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.status.success() && diff.contains("+++ b/.mcp.json\n"), "{shown:?}");
    assert!(diff.contains("+++ b/.wherefore/config.toml\n"), "{shown:?}");
    assert!(diff.contains("+[mcp_servers.wherefore]\n") && diff.contains(" { // mine\n"), "{diff}");
    assert_eq!((text(".mcp.json"), text(".wherefore/config.toml")), (None, None), "nobody agreed");
    assert!(init(&["--yes"]).status.success());
    let claude: Value = serde_json::from_str(&text(".mcp.json").unwrap()).unwrap();
    let entry = json!({ "type": "stdio", "command": "wherefore", "args": ["mcp"] });
    assert_eq!(claude, json!({ "mcpServers": { "wherefore": entry } }));
    assert_eq!(text(".wherefore/tools/example.yaml"), None, "no tool that nobody asked for");
    assert!(text(".gemini/settings.json").unwrap().starts_with("{ // mine\n  \"mcpServers\""));
    let again = init(&["--yes"]);
    assert!(String::from_utf8_lossy(&again.stdout).contains("nothing to write"), "{again:?}");
    // Later changes of a person stay; a file that cannot be read does not keep the others from being changed.
    std::fs::write(folder.path().join(".mcp.json"), "{ \"mcpServers\": {").unwrap();
    let removed = run(folder.path(), &["init", "--remove", "--yes"], "");
    assert_eq!(removed.status.code(), Some(1), "{removed:?}");
    assert!(String::from_utf8_lossy(&removed.stderr).contains(".mcp.json is left as it is"), "{removed:?}");
    assert_eq!(text(".gemini/settings.json").as_deref(), Some("{ // mine\n}\n"));
    assert!(!folder.path().join(".codex").exists() && folder.path().join(".wherefore/config.toml").exists());
    assert_eq!(run(folder.path(), &["init", "--agents", "clod"], "").status.code(), Some(2));
}

#[test]
fn completions_and_help_exist_for_all() {
    let folder = folder();
    let help = String::from_utf8(run(folder.path(), &["--help"], "").stdout).unwrap();
    let listed = help.lines().skip_while(|line| *line != "Every day:").take_while(|line| *line != "Options:");
    let named = listed.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let commands: Vec<&str> = named.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.len() > 10, "{help}");
    for command in commands {
        assert!(run(folder.path(), &[command, "--help"], "").status.success(), "{command}");
    }
    assert!(!run(folder.path(), &["completions", "bash"], "").stdout.is_empty());
}

#[test]
fn folders_are_where_the_xdg_specification_says() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let found = |variables: &[(&str, &str)], name: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.args(["doctor", "--json"]).current_dir(folder.path()).env_remove("HOME");
        for name in ["XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env(name, folder.path().join("given"));
        }
        let report = json_of(&command.envs(variables.iter().copied()).output().unwrap());
        let checks = report["checks"].as_array().unwrap().iter();
        let mut found = checks.filter(|check| check["name"] == name).map(|check| check["found"].clone());
        found.next().unwrap().as_str().unwrap().to_owned()
    };
    let home = at("home");
    // Given, relative, and empty: the last two count as if they were not there.
    for (given, state, settings) in [
        (None, at("given/wherefore"), at("given")),
        (Some("relative"), at("home/.local/state/wherefore"), at("home/.config")),
        (Some(""), at("home/.local/state/wherefore"), at("home/.config")),
    ] {
        let mut variables = vec![("HOME", home.as_str())];
        variables.extend(given.into_iter().flat_map(|given| {
            [("XDG_STATE_HOME", given), ("XDG_CONFIG_HOME", given), ("XDG_CACHE_HOME", given)]
        }));
        assert!(found(&variables, "state folder").ends_with(&state), "{given:?}");
        assert_eq!(found(&variables, "settings folder"), settings, "{given:?}");
    }
    // Neither a home that is unset nor a relative one takes away what is given by itself.
    for variables in [&[][..], &[("HOME", "relative")]] {
        assert!(found(variables, "state folder").ends_with(&at("given/wherefore")), "{variables:?}");
    }
    let none = [("HOME", "relative"), ("XDG_STATE_HOME", "")];
    assert_eq!(found(&none, "state folder"), "there is none");
}

#[test]
fn the_working_set_on_the_command_line() {
    let folder = folder();
    let hint = |args: &[&str]| run(folder.path(), &[&["hint"], args].concat(), "");
    let pinned = hint(&["pin", "a.txt", "--why", "It is next"]);
    assert_eq!(String::from_utf8_lossy(&pinned.stdout), "a.txt: it stays in the set until it is unpinned\n");
    assert_eq!(json_of(&hint(&["cold", "a.txt", "--json"]))["outcome"], "honoured");
    let missing = hint(&["hot", "b.txt"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("a.txt"), "{missing:?}");
    assert_eq!(hint(&["warm", "a.txt"]).status.code(), Some(2));

    let set = json_of(&run(folder.path(), &["working-set", "--json"], ""));
    assert_eq!(set.pointer("/files/0/pinned"), Some(&json!(true)), "{set}");
    let shown = run(folder.path(), &["working-set", "--collect"], "");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(
        shown.starts_with("0.90  pinned  doc")
            && shown.ends_with("1 file, about 4 tokens; the budget is 32000\n"),
        "{shown}"
    );

    let context = run(folder.path(), &["context", "--budget", "500"], "");
    assert_eq!(String::from_utf8_lossy(&context.stdout), "==> a.txt <==\none\ntwo\nthree\n\n");
    let said = String::from_utf8_lossy(&context.stderr).into_owned();
    assert!(said.ends_with("tokens of 500, counted by o200k_base\n"), "{said}");
    let context = json_of(&run(folder.path(), &["context", "a.txt", "--model", "gpt-4", "--json"], ""));
    assert_eq!(
        (&context["tokenizer"], &context["included"][0]["content"]),
        (&json!("cl100k_base"), &json!("one\ntwo\nthree\n"))
    );
    assert_eq!(run(folder.path(), &["context", "b.txt"], "").status.code(), Some(1));
}
