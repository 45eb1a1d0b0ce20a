//! The parts that an agent must not reach: programs that run, its rules, its log, secrets; by any tool and any spelling.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{BINARY, Project, run, tree, with_why};

/// The content of every file that must not be read.
const SECRET: &str = "hunter2-swordfish";

/// Files of the project from the start: read by nobody, written by nobody.
const SECRETS: &[&str] = &[
    ".env",
    ".ENV.local",
    "conf/.env.production",
    "id_rsa",
    "keys/server.pem",
    "keys/server.key",
    ".ssh/authorized_keys",
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".netrc",
    ".npmrc",
    "secrets.yaml",
    "credentials.json",
];

/// Files that run or hold rules: written by nobody.
const CLOSED: &[&str] = &[
    ".git/config",
    ".git/hooks/post-commit",
    "sub/.git/config",
    ".vscode/tasks.json",
    ".mcp.json",
    ".claude/settings.json",
    ".cursor/mcp.json",
    ".nvim.lua",
    ".husky/pre-commit",
    ".gitmodules",
    ".idea/workspace.xml",
    ".cargo/config.toml",
    ".devcontainer/devcontainer.json",
    ".pre-commit-config.yaml",
    "app.code-workspace",
    ".zed/tasks.json",
];

/// Spellings of closed paths, whether or not something is there. `ROOT` is the project's absolute path.
const SPELLINGS: &[&str] = &[
    ".git/hooks/pre-commit",
    ".git",
    ".GIT/config",
    ".Git/hooks/x",
    "a/../.git/x",
    "./.git//x",
    ".//.git/./hooks/../x",
    "ROOT/.git/hooks/x",
    "ROOT//.git/x",
    "ROOT/./a/../.git/x",
    "file://ROOT/.git/x",
    "file://ROOT/%2egit/x",
    "file://ROOT/%2E%67it/hooks/x",
    "file://ROOT/a/%2e%2e/.git/x",
    ".git./x",
    ".git /x",
    ".git . ./x",
    ".git::$INDEX_ALLOCATION/x",
    ".git:stream",
    "git~1/x",
    "GIT~1/hooks/x",
    "git~2/x",
    ".g\u{200c}it/x",
    ".gi\u{feff}t/x",
    "\u{200b}.git/x",
    ".g\u{ad}it/config",
    "sub/deep/.git/hooks/x",
    ".hg/hgrc",
    ".svn/x",
    ".jj/x",
    ".wherefore/config.toml",
    ".wherefore",
    ".WHEREFORE/config.toml",
    ".wherefore/tools/x.yaml",
    ".wherefore/sessions/s/session-log.md",
    ".wherefore/checkpoints/s/c-0001.json",
    ".wherefore/proposals/p.json",
    ".wherefore/../.wherefore/x",
    "ROOT/.wherefore/x",
    "file://ROOT/.wherefore/x",
    ".wherefore./x",
    ".wherefore /x",
    "wheref~1/config.toml",
    ".wherefore-tmp-1",
    ".vscode/settings.json",
    ".VSCODE/tasks.json",
    ".vscode",
    ".envrc",
    ".ENVRC",
    ".env.",
    ".env ",
    "env~1",
    ".mcp.json",
    ".MCP.json",
    ".claude/settings.local.json",
    ".nvim.lua",
    ".NVIM.LUA",
    ".exrc",
    ".husky/pre-push",
    ".githooks/x",
    ".ssh/config",
    "ssh~1/config",
    ".ſsh/config",
    "ID_RSA",
    "id_rsa.pub",
    "x.PEM",
    "to-git/x",
    "to-git/hooks/x",
    "to-ours/x",
    "to-ours/config.toml",
    "to-ssh/x",
    "to-env",
    "to-top/.git/x",
    "to-sub/.git/x",
    "to-hook",
    "chain/hooks/x",
    "../root/.git/x",
    "to-nothing",
];

/// Links that lead there.
const LINKS: &[(&str, &str)] = &[
    ("to-git", ".git"),
    ("to-ours", ".wherefore"),
    ("to-ssh", ".ssh"),
    ("to-env", ".env"),
    ("to-top", "."),
    ("to-sub", "sub"),
    ("to-hook", ".git/hooks/pre-push"),
    ("chain", "to-top/to-git"),
    ("to-nothing", ".git/hooks/none-yet"),
];

fn project() -> Project {
    let secrets = SECRETS.iter().map(|path| (*path, format!("{SECRET} {path}\n")));
    let closed = CLOSED.iter().map(|path| (*path, "as it was\n".to_owned()));
    let files: Vec<(&str, String)> =
        secrets.chain(closed).chain([("plain.txt", "plain\n".to_owned())]).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let project = Project::new(&files);
    LINKS.iter().for_each(|(name, target)| symlink(target, project.path(name)).unwrap());
    // The log's own folder is there before anybody tries.
    project.call("fs.ls", &json!({ "path": "." }));
    project
}

/// Every tool that changes something, aimed at `path`.
fn writes(path: &str) -> Vec<(&'static str, Value)> {
    let diff = "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+evil\n";
    vec![
        ("fs.write", json!({ "path": path, "content": "evil\n" })),
        ("fs.append", json!({ "path": path, "text": "evil\n" })),
        ("fs.patch", json!({ "path": path, "diff": diff })),
        ("fs.patch", json!({ "path": path, "diff": "@@ -1 +1 @@\n-as it was\n+evil\n" })),
        ("fs.mkdir", json!({ "path": path })),
        ("fs.mkdir", json!({ "path": format!("{path}/below") })),
        ("fs.copy", json!({ "src": "plain.txt", "dst": path })),
    ]
}

/// Every tool that shows something, aimed at `path`.
fn reads(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("fs.read", json!({ "path": path })),
        ("fs.copy", json!({ "src": path, "dst": "stolen.txt" })),
        ("search.lexical", json!({ "query": ".", "scope": path })),
        ("fs.write", json!({ "path": path, "content": "x", "expected_hash": "00000000" })),
        ("fs.patch", json!({ "path": path, "diff": "@@ -1 +1 @@\n-wrong\n+x\n" })),
    ]
}

/// Everything but our own folder, whose log grows, and what a test may well make there.
fn guarded(project: &Project) -> Vec<(String, u32, Vec<u8>)> {
    let entries = tree(&project.root()).into_iter();
    entries
        .filter(|entry| {
            !entry.0.starts_with(".wherefore/") || entry.0.contains("config") || entry.0.contains("tools")
        })
        .collect()
}

#[test]
fn nothing_that_runs_or_rules_is_written_by_any_spelling() {
    let project = project();
    let root = project.root().canonicalize().unwrap().display().to_string();
    let paths = SPELLINGS.iter().map(|path| path.replace("ROOT", &root));
    let paths: Vec<String> =
        paths.chain(CLOSED.iter().chain(SECRETS).map(|path| (*path).to_owned())).collect();
    let before = guarded(&project);
    let calls: Vec<(&str, Value)> = paths.iter().flat_map(|path| writes(path)).collect();
    let answers = project.batch(&calls);
    let passed: Vec<String> = calls
        .iter()
        .zip(&answers)
        // Below a link to a file there is nothing to make.
        .filter(|((_, arguments), _)| arguments["path"] != "to-env/below")
        .filter(|(_, answer)| answer["error"]["code"] != "PERMISSION_DENIED")
        .map(|((tool, arguments), answer)| format!("{tool} {arguments}: {answer}"))
        .collect();
    assert!(passed.is_empty(), "{} calls were not refused:\n{}", passed.len(), passed.join("\n"));
    assert_eq!(guarded(&project), before);
    assert!(!project.path(".wherefore/config.toml").exists() && !project.path(".wherefore/tools").exists());
    let verified = project.wherefore(&["log", "verify"]);
    assert_eq!(verified.code(), Some(0), "{verified:?}");
}

#[test]
fn no_secret_is_read_by_any_tool() {
    let project = project();
    let root = project.root().canonicalize().unwrap().display().to_string();
    let more = [
        "to-env",
        "to-ssh/id_ed25519",
        "to-top/.env",
        "./a/../.env",
        "file://ROOT/%2eenv",
        "ROOT/.env",
        ".ssh",
        "to-ssh",
        "keys",
    ];
    let paths = more.iter().chain(SECRETS).map(|path| path.replace("ROOT", &root));
    let mut calls: Vec<(&str, Value)> = paths.flat_map(|path| reads(&path)).collect();
    calls.extend([
        ("search.lexical", json!({ "query": "hunter2", "scope": "." })),
        ("search.lexical", json!({ "query": "hunter2", "glob": ".*" })),
        ("search.lexical", json!({ "query": "hunter2", "glob": "**/.env*" })),
        ("fs.copy", json!({ "src": ".", "dst": "all" })),
        ("fs.copy", json!({ "src": "conf", "dst": "copied" })),
        ("fs.copy", json!({ "src": "to-top/conf", "dst": "copied-2" })),
    ]);
    for ((tool, arguments), answer) in calls.iter().zip(project.batch(&calls)) {
        assert!(!answer.to_string().contains(SECRET), "{tool} {arguments}: {answer}");
    }
    let secret = |content: &[u8]| content.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    let holds = tree(&project.root()).into_iter().filter(|(_, _, content)| secret(content));
    let mut holds: Vec<String> = holds.map(|(path, ..)| path).collect();
    let mut expected: Vec<String> = SECRETS.iter().map(|path| (*path).to_owned()).collect();
    holds.sort();
    expected.sort();
    assert_eq!(holds, expected, "only where it was");
}

#[test]
fn a_copied_folder_brings_nothing_that_runs() {
    let project = Project::new(&[
        ("kit/plain.txt", "plain\n"),
        ("kit/.git/hooks/pre-commit", "evil\n"),
        ("kit/.vscode/tasks.json", "evil\n"),
        ("kit/.wherefore/config.toml", "evil\n"),
        ("kit/.env", "evil\n"),
        ("kit/.nvim.lua", "evil\n"),
    ]);
    let answers = project.batch(&[
        ("fs.copy", json!({ "src": "kit", "dst": "new" })),
        ("fs.copy", json!({ "src": "kit", "dst": ".git" })),
    ]);
    assert_eq!(answers[0]["result"]["status"], "applied", "{}", answers[0]);
    assert_eq!(answers[0]["result"]["skipped"].as_array().map(Vec::len), Some(5), "{}", answers[0]);
    assert_eq!(answers[1]["error"]["code"], "PERMISSION_DENIED", "{}", answers[1]);
    let copied: Vec<String> = tree(&project.path("new")).into_iter().map(|entry| entry.0).collect();
    assert_eq!(copied, ["plain.txt"]);
}

#[test]
fn a_caller_cannot_loosen_its_rules() {
    let project = project();
    project.put(
        ".wherefore/config.toml",
        "[review]\npolicy = \"auto\"\n[rules]\nallow = [\".env\", \".git/**\"]\n",
    );
    let line = |policy: &str, root: &str| {
        let arguments = with_why(&json!({ "path": ".git/config", "content": "evil" }));
        format!("{}\n", json!({ "tool": "fs.write", "arguments": arguments, "policy": policy, "root": root }))
    };
    let outside = project.beside("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    let lines =
        [line("auto", "/"), line("auto", outside.to_str().unwrap()), line("ask", "relative")].concat();
    for answer in project.batch_of(lines.as_bytes()).lines() {
        assert_eq!(answer["error"]["code"], "PERMISSION_DENIED", "{answer}");
    }
    assert_eq!(project.text(".git/config").as_deref(), Some("as it was\n"));
    assert!(tree(&outside).is_empty());
}

#[test]
fn a_root_through_a_link_is_the_project() {
    let project = Project::new(&[("dir/a.txt", "a\n")]);
    symlink("root", project.beside("alias")).unwrap();
    let call = |root: &str, path: &str| {
        let arguments = with_why(&json!({ "path": path })).to_string();
        let mut command = project.command(BINARY);
        run(
            command.current_dir(project.beside("")).args(["call", "fs.read", &arguments, "--root", root]),
            b"",
        )
    };
    let real = project.root().canonicalize().unwrap().display().to_string();
    for (root, path) in [
        ("alias", "dir/a.txt"),
        ("./alias/../alias/", "dir/a.txt"),
        ("alias", &format!("{real}/dir/a.txt")),
        ("alias/dir", "a.txt"),
    ] {
        let ran = call(root, path);
        assert_eq!((ran.code(), &ran.json()["content"]), (Some(0), &json!("a\n")), "{root} {path}: {ran:?}");
    }
    for (root, path) in
        [("alias", "../outside"), ("alias/dir", "../dir/../../x"), ("alias/dir", &format!("{real}/b.txt"))]
    {
        let ran = call(root, path);
        assert_eq!(
            (ran.code(), &ran.json()["code"]),
            (Some(1), &json!("PERMISSION_DENIED")),
            "{root} {path}: {ran:?}"
        );
    }
    assert_eq!(call("alias/nowhere", "a.txt").json()["code"], "NOT_FOUND");
}

#[test]
fn a_planted_folder_of_ours_leads_nowhere() {
    for plant in ["link", "file", "dangling", "sessions", "lock", "tmp", "objects"] {
        let project = Project::new(&[("a.txt", "a\n")]);
        let outside = project.beside("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("kept.txt"), "kept\n").unwrap();
        let ours = project.path(".wherefore");
        match plant {
            "link" => symlink(&outside, &ours).unwrap(),
            "file" => std::fs::write(&ours, "planted\n").unwrap(),
            "dangling" => symlink(project.beside("nowhere"), &ours).unwrap(),
            "lock" => {
                std::fs::create_dir(&ours).unwrap();
                symlink(outside.join("kept.txt"), ours.join("lock")).unwrap();
            }
            folder => {
                std::fs::create_dir(&ours).unwrap();
                symlink(&outside, ours.join(folder)).unwrap();
            }
        }
        let before = tree(&outside);
        let ran = project.call("fs.write", &json!({ "path": "a.txt", "content": "b\n" }));
        // Locks, intents and blobs are not looked for in the project.
        if ["lock", "tmp", "objects"].contains(&plant) {
            assert_eq!(
                (ran.code(), project.text("a.txt").as_deref()),
                (Some(0), Some("b\n")),
                "{plant}: {ran:?}"
            );
        } else {
            assert_eq!(
                (ran.code(), &ran.json()["code"]),
                (Some(1), &json!("PERMISSION_DENIED")),
                "{plant}: {ran:?}"
            );
            assert!(ran.json()["suggestion"].is_string(), "{plant}: {ran:?}");
            assert_eq!(project.text("a.txt").as_deref(), Some("a\n"), "{plant}");
        }
        assert_eq!(tree(&outside), before, "{plant}");
        assert!(!project.beside("nowhere").exists(), "{plant}");
    }
}
