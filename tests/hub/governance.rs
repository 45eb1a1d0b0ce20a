//! Settings and rules while the workspace is served: applied at once, the person's never loosened by the project's.

use std::time::Duration;

use serde_json::{Value, json};
use wherefore::protocol::{Act, Code, Policy, Status};

use crate::support::Bench;

const SETTINGS: &str = ".wherefore/config.toml";

async fn read(bench: &Bench, path: &str) -> Result<Value, Code> {
    let answer = bench.call("fs.read", json!({ "path": path }), None).await;
    answer.error.map_or_else(|| Ok(answer.result.unwrap()["content"].clone()), |fault| Err(fault.code))
}

async fn write(bench: &Bench, path: &str) -> Result<Status, Code> {
    let arguments = json!({ "path": path, "content": format!("written to {path}\n") });
    let answer = bench.call("fs.write", arguments, None).await;
    answer.error.map_or(Ok(answer.status), |fault| Err(fault.code))
}

#[tokio::test]
async fn rules_are_heard_while_the_server_runs() {
    let bench = Bench::new(&[("private/b.txt", "the needle\n"), ("a.txt", "a\n"), (SETTINGS, "")]);
    bench.open("private/b.txt");
    let everywhere = [
        ("search.lexical", json!({ "query": "needle", "context": 0 })),
        ("search.vector", json!({ "query": "needle" })),
        ("context.assemble", json!({ "query": "needle" })),
        ("fs.read", json!({ "path": "private/b.txt" })),
    ];
    let shows = async |shown: bool| {
        for (tool, arguments) in &everywhere {
            let answer = json!(bench.call(tool, arguments.clone(), None).await);
            let told = answer["result"].to_string().contains("the needle");
            assert_eq!(told, shown, "{tool}: {answer}");
        }
    };
    shows(true).await;
    for rules in ["deny = [\"private/**\"]", "ask = [\"private\"]", "deny = [\"[\"]"] {
        bench.write(SETTINGS, &format!("[rules]\n{rules}\n"));
        shows(false).await;
        bench.write(SETTINGS, "[rules]\ndeny = [\"other\"]\n");
        shows(true).await;
    }
    // An unsaved text is judged as its file is.
    bench.type_in("private/b.txt", "the needle, unsaved\n");
    shows(true).await;
    bench.write(SETTINGS, "[rules]\ndeny = [\"private\"]\n");
    shows(false).await;

    bench.write(SETTINGS, "[rules]\ndeny = [\"x[\"]\n");
    assert!(read(&bench, "a.txt").await.is_ok());
    let problems = bench.served().workspace_status().problems.join("\n");
    assert!(problems.contains("the glob `x[` of rules.deny of the project cannot be compiled"), "{problems}");
}

#[tokio::test]
async fn half_of_a_settings_file_is_not_heard() {
    let bench = Bench::new(&[("private/b.txt", "b\n"), (SETTINGS, "[rules]\ndeny = [\"private\"]\n")]);
    assert_eq!(read(&bench, "private/b.txt").await, Err(Code::PermissionDenied));
    // An editor truncates it, and writes it a moment later.
    bench.write(SETTINGS, "");
    let path = bench.folder.path().join(SETTINGS);
    let saving = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(15));
        std::fs::write(path, "[rules]\ndeny = [\"private\"]\n# saved\n").unwrap();
    });
    assert_eq!(read(&bench, "private/b.txt").await, Err(Code::PermissionDenied));
    saving.join().unwrap();
}

#[tokio::test]
async fn a_proposal_meets_the_rules_that_hold_when_it_is_applied() {
    for open in [false, true] {
        let bench = Bench::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), (SETTINGS, "")]);
        if open {
            bench.open("a.txt");
        }
        let (call, proposal) =
            bench.propose("fs.write", json!({ "path": "a.txt", "content": "new\n" })).await;
        bench.write(SETTINGS, "[rules]\nread_only = [\"a.txt\"]\n");
        let decided = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
        assert!(decided.problems.join("").contains("rules.read_only"), "{decided:?}");
        assert_eq!(bench.disk("a.txt"), "a\n");
        if open {
            assert_eq!(bench.buffer("a.txt"), "a\n");
        }
        call.abort();
    }
}

#[tokio::test]
async fn no_review_rule_of_a_project_loosens_the_persons() {
    let project = "[review]\npolicy = \"auto\"\n[[review.rules]]\npath = \"**\"\npolicy = \"auto\"\n";
    let bench = Bench::new(&[(SETTINGS, project)]);
    let person = |policy: &str| {
        json!({ "review": { "policy": policy, "wait_s": 0, "rules": [
            { "path": "migrations/**", "policy": "deny" },
            { "tool": "fs.write", "path": "held/**", "policy": "hold" },
        ] } })
    };
    bench.hub.settings_changed(Some(person("auto")));
    assert_eq!(write(&bench, "migrations/1.sql").await, Err(Code::PermissionDenied));
    assert_eq!(write(&bench, "x/../migrations/1.sql").await, Err(Code::PermissionDenied));
    assert_eq!(write(&bench, "Migrations/1.sql").await, Err(Code::PermissionDenied));
    assert_eq!(write(&bench, "held/a").await, Ok(Status::Pending));
    assert_eq!(write(&bench, "free").await, Ok(Status::Ok));
    bench.hub.settings_changed(Some(person("hold")));
    assert_eq!(write(&bench, "free2").await, Ok(Status::Pending));

    // The project's own word makes it stricter, over the person's rules too.
    bench.hub.settings_changed(Some(
        json!({ "review": { "wait_s": 0, "rules": [{ "path": "**", "policy": "auto" }] } }),
    ));
    bench.write(
        SETTINGS,
        "[review]\npolicy = \"hold\"\n[[review.rules]]\npath = \"no/**\"\npolicy = \"deny\"\n",
    );
    assert_eq!(write(&bench, "free3").await, Ok(Status::Pending));
    assert_eq!(write(&bench, "no/x").await, Err(Code::PermissionDenied));
}

#[tokio::test]
async fn a_review_rule_holds_for_where_a_link_leads() {
    let bench = Bench::new(&[("src/a.rs", "a\n"), ("docs/b.md", "b\n")]);
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, bench.folder.path().join(at)).unwrap();
    link("../src", "docs/latest");
    link("../src/a.rs", "docs/a.md");
    link("docs/b.md", "b.md");
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "rules": [
        { "path": "docs/**", "policy": "auto" }, { "path": "b.md", "policy": "hold" },
    ] } })));
    assert_eq!(write(&bench, "docs/b.md").await, Ok(Status::Ok));
    for path in ["docs/latest/a.rs", "docs/latest/new.rs", "docs/a.md", "b.md", "docs/latest/../latest/a.rs"]
    {
        let waits = write(&bench, path).await;
        assert!(matches!(waits, Ok(Status::Pending) | Err(Code::InvalidArgs)), "{path}: {waits:?}");
    }
    assert_eq!(bench.disk("src/a.rs"), "a\n");
    assert_eq!(bench.disk("src/new.rs"), "(none)");

    // The contents of a copied folder fall under the rules of their new place.
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto", "rules": [
        { "path": "**/b.md", "policy": "deny" },
    ] } })));
    let copied = bench.call("fs.copy", json!({ "src": "docs", "dst": "copied" }), None).await;
    assert_eq!(copied.error.map(|fault| fault.code), Some(Code::PermissionDenied));
    assert_eq!(bench.disk("copied/b.md"), "(none)");
}

#[tokio::test]
async fn a_review_rule_may_give_a_tool_any_of_its_names() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    let rules = |rules: Value| {
        bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto", "rules": rules } })))
    };
    for name in ["fs.write", "fs_write", "write_file", "FS.Write", "write_*"] {
        rules(json!([{ "tool": name, "policy": "deny" }]));
        for tool in ["write_file", "fs.write"] {
            let refused = bench.call(tool, json!({ "path": "a.txt", "content": "b\n" }), None).await;
            assert_eq!(
                refused.error.map(|fault| fault.code),
                Some(Code::PermissionDenied),
                "{tool} by {name}"
            );
        }
    }
    assert_eq!(bench.disk("a.txt"), "a\n");

    // It is one tool by all of them, so that the last rule that means it counts.
    rules(json!([{ "tool": "*", "policy": "hold" }, { "tool": "fs.write", "policy": "auto" }]));
    assert_eq!(write(&bench, "a.txt").await, Ok(Status::Ok));
    rules(json!([{ "tool": "fs.write", "policy": "auto" }, { "tool": "write_file", "policy": "hold" }]));
    assert_eq!(write(&bench, "b.txt").await, Ok(Status::Pending));
}

#[tokio::test]
async fn one_glob_of_a_project_leaves_the_persons_rules() {
    let globs = [
        "a".repeat(400_000),
        "*a".repeat(200_000),
        format!("{{{}}}", "a,".repeat(200_000)),
        "[a-z]".repeat(80_000),
        "{".repeat(3_000) + &"}".repeat(3_000),
        "?".repeat(4_000),
        "**/".repeat(1_300),
    ];
    let files = [("private/a", "a\n"), ("frozen/a", "a\n"), ("asked/a", "a\n"), (SETTINGS, "")];
    for glob in globs {
        let shown: String = glob.chars().take(20).collect();
        let bench = Bench::new(&files);
        bench.hub.settings_changed(Some(json!({ "rules": {
            "deny": ["private/**"], "read_only": ["frozen"], "ask": ["asked"],
        } })));
        bench.write(SETTINGS, &format!("[rules]\ndeny = [\"zzz\", {glob:?}]\nask = [{glob:?}]\n"));
        assert_eq!(read(&bench, "private/a").await, Err(Code::PermissionDenied), "{shown}");
        assert_eq!(write(&bench, "frozen/a").await, Err(Code::PermissionDenied), "{shown}");
        assert_eq!(read(&bench, "asked/a").await, Err(Code::PermissionDenied), "{shown}");
    }
    // Many globs are no reason to drop any either.
    let bench = Bench::new(&files);
    let many: Vec<String> = (0..20_000).map(|number| format!("\"x{number}/**/*y*z?\"")).collect();
    bench.hub.settings_changed(Some(json!({ "rules": { "deny": ["private/**"] } })));
    bench.write(SETTINGS, &format!("[rules]\ndeny = [{}]\n", many.join(", ")));
    assert_eq!(read(&bench, "private/a").await, Err(Code::PermissionDenied));
    assert_eq!(read(&bench, "x7/b/ayazc").await, Err(Code::PermissionDenied));
}

#[tokio::test]
async fn a_review_rule_that_cannot_be_compiled_only_makes_stricter() {
    let bench = Bench::new(&[]);
    let rules = |path: &str, policy: &str| json!({ "review": { "policy": "hold", "rules": [{ "path": path, "policy": policy }] } });
    for path in ["docs/[", &"a".repeat(400_000)] {
        bench.hub.settings_changed(Some(rules(path, "auto")));
        assert_eq!(write(&bench, "free").await, Ok(Status::Pending));
        bench.hub.settings_changed(Some(rules(path, "deny")));
        assert_eq!(write(&bench, "free").await, Err(Code::PermissionDenied));
        assert!(bench.served().workspace_status().problems.join("").contains("review rule 1"));
    }
}

#[tokio::test]
async fn settings_that_cannot_be_read_any_more_stay_as_they_were() {
    let bench = Bench::new(&[("private/b.txt", "b\n"), (SETTINGS, "[rules]\ndeny = [\"private\"]\n")]);
    assert_eq!(read(&bench, "private/b.txt").await, Err(Code::PermissionDenied));
    for slip in ["[rules]\ndeny = [\n", "[rules]\ndeny = [7]\n", "\u{fffd}\u{0}", "[rules]\ndenny = []\n"] {
        bench.write(SETTINGS, slip);
        let answer = bench.call("fs.read", json!({ "path": "private/b.txt" }), None).await;
        assert_eq!(answer.error.unwrap().code, Code::PermissionDenied, "{slip}");
        assert!(
            answer.warnings.join("").contains("settings that held before count"),
            "{:?}",
            answer.warnings
        );
    }
    bench.write(SETTINGS, "");
    assert!(read(&bench, "private/b.txt").await.is_ok());
}

/// As most programs write: they empty the file first, and on a busy machine the text comes late.
#[tokio::test]
async fn settings_that_are_emptied_to_be_written_loosen_nothing_meanwhile() {
    let rules = "[rules]\ndeny = [\"private\"]\n";
    let bench = Bench::new(&[("private/b.txt", "b\n"), (SETTINGS, rules)]);
    assert_eq!(read(&bench, "private/b.txt").await, Err(Code::PermissionDenied));
    bench.write(SETTINGS, "");
    let file = bench.folder.path().join(SETTINGS);
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        std::fs::write(file, format!("{rules}# once more\n")).unwrap();
    });
    assert_eq!(read(&bench, "private/b.txt").await, Err(Code::PermissionDenied));
    writer.join().unwrap();
}

#[tokio::test]
async fn a_tool_is_no_less_risky_than_what_runs_it() {
    let schema = "input_schema: { type: object, properties: { path: { type: string, description: A file }, \
                  content: { type: string, description: Its text }, why: { type: string, description: Why } }, required: [why] }";
    let define = |name: &str, runs: &str| {
        format!("  - {{ name: {name}, description: Look at it, risk: read, {runs}, {schema} }}\n")
    };
    let tools = ["custom_tools:\n".to_owned()]
        .into_iter()
        .chain([
            define("look.write", "activity: fs.write"),
            define("look.sum", "activity: memory.summarize"),
            define("look.read", "activity: fs.read"),
            define("look.think", "activity: \"\""),
            define("look.run", "command: [cat]"),
            define("look.far", "mcp_server: nowhere"),
        ])
        .collect::<String>();
    let bench = Bench::new(&[(".wherefore/tools/x.yaml", &tools)]);
    let definitions = bench.served().toolbox().full_definitions(None);
    let risk = |name: &str| {
        let (tool, _) = definitions.iter().find(|(tool, _)| tool.name() == name).expect(name);
        tool.def().risk.as_str()
    };
    for (name, expected) in [
        ("look.write", "write"),
        ("look.sum", "write"),
        ("look.read", "read"),
        ("look.think", "read"),
        ("look.run", "execute"),
        ("look.far", "network"),
    ] {
        assert_eq!(risk(name), expected, "{name}");
    }
    let told = bench.hub.definition_problems().iter().filter(|problem| problem.rule == "risk").count();
    assert_eq!(told, 4, "{:?}", bench.hub.definition_problems());
    // A policy as for the code behind it.
    let answer = bench.call("look.write", json!({ "path": "a", "content": "x" }), Some(Policy::Hold)).await;
    assert_eq!(answer.status, Status::Pending);
}
