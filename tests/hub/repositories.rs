//! Repositories read by git.status, git.diff and git.log: what they answer, what they leave out.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wherefore::protocol::{Code, Envelope};

use crate::support::Bench;

/// Runs a script in a folder, as a person whose own settings say nothing.
pub(crate) fn shell(folder: &Path, script: &str) -> String {
    let mut command = Command::new("bash");
    command.args(["-euc", script]).current_dir(folder).env("TRAP", folder.join("trap.sh"));
    for (name, value) in [("HOME", "/nonexistent"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")] {
        command.env(name, value);
    }
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.org");
    }
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{script}\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A repository with three commits, and changes that are staged, not staged and untracked.
const REPOSITORY: &str = "
    git init -q -b main
    git add . && GIT_AUTHOR_DATE='2026-01-02T03:04:05+01:00' git commit -qm 'Begin'
    printf 'one\\n2\\nthree\\n' > a.txt && printf 'a\\0b' > b.bin && git add a.txt b.bin
    git commit -qm 'Write two as a digit' -m 'It is shorter.'
    git mv old.txt new.txt && git commit -qm 'Rename'
    printf 'one\\n2\\n3\\n' > a.txt && echo staged > s.txt && git add s.txt && echo u > u.txt && mkdir d && echo x > d/x";

pub(crate) fn repository() -> Bench {
    let bench =
        Bench::with(&[("a.txt", "one\ntwo\nthree\n"), ("old.txt", "an old text\nthat is kept\n")], false);
    shell(bench.folder.path(), REPOSITORY);
    bench
}

async fn ask(bench: &Bench, tool: &str, arguments: Value) -> Value {
    value(bench.call(tool, arguments, None).await)
}

fn value(answer: Envelope) -> Value {
    assert_eq!(answer.error, None, "{answer:?}");
    Value::clone(&answer.result.unwrap())
}

async fn fault(bench: &Bench, tool: &str, arguments: Value) -> (Code, String) {
    let answer = bench.call(tool, arguments, None).await;
    let fault = answer.error.unwrap_or_else(|| panic!("{:?}", answer.result));
    assert!(fault.suggestion.is_some(), "{fault:?}");
    (fault.code, fault.message)
}

#[tokio::test]
async fn a_status_tells_what_is_not_committed() {
    let bench = repository();
    let root = bench.folder.path();
    let status = ask(&bench, "git.status", json!({})).await;
    assert_eq!(status["branch"], "main", "{status}");
    assert_eq!(status["commit"].as_str(), Some(shell(root, "git rev-parse HEAD").trim()));
    let expected = json!([
        { "path": "a.txt", "unstaged": "modified", "kind": "changed" },
        { "path": "s.txt", "staged": "added", "kind": "changed" },
        { "path": "d/", "kind": "untracked" },
        { "path": "u.txt", "kind": "untracked" },
    ]);
    assert_eq!(status["entries"], expected);
    assert_eq!(status["upstream"], Value::Null);

    shell(
        root,
        "git update-ref refs/remotes/origin/main HEAD~2; git config branch.main.remote origin; git config \
         branch.main.merge refs/heads/main; git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'; git \
         config remote.origin.url https://localhost:1/; git mv a.txt moved.txt; printf x > $'\\xff \\n\u{e4}'",
    );
    let status = ask(&bench, "git.status", json!({})).await;
    let of = (&status["upstream"], &status["ahead"], &status["behind"]);
    assert_eq!(of, (&json!("origin/main"), &json!(2), &json!(0)), "{status}");
    let renamed = json!({ "path": "moved.txt", "old_path": "a.txt", "staged": "renamed", "unstaged": "modified", "kind": "renamed" });
    let entries = status["entries"].as_array().unwrap();
    assert!(entries.contains(&renamed), "{status}");
    assert!(entries.contains(&json!({ "path": "\u{fffd} \n\u{e4}", "kind": "untracked" })), "{status}");
    assert_eq!(shell(root, "git status --porcelain | wc -l").trim(), entries.len().to_string());
}

#[tokio::test]
async fn a_diff_compares_any_two_states() {
    let bench = repository();
    let diff = ask(&bench, "git.diff", json!({})).await;
    let file = json!({ "path": "a.txt", "change": "modified", "added": 1, "removed": 1, "binary": false });
    assert_eq!(diff["files"], json!([file]));
    assert!(diff["diff"].as_str().unwrap().ends_with("@@ -1,3 +1,3 @@\n one\n 2\n-three\n+3\n"), "{diff}");
    let staged = ask(&bench, "git.diff", json!({ "staged": true, "context": 0 })).await;
    assert!(staged["diff"].as_str().unwrap().ends_with("@@ -0,0 +1 @@\n+staged\n"), "{staged}");
    let since = ask(&bench, "git.diff", json!({ "from": "HEAD~2", "stat": true })).await;
    let changes: Vec<_> = since["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| format!("{} {} {}", file["path"], file["change"], file["binary"]))
        .collect();
    assert_eq!(
        changes,
        [
            "\"a.txt\" \"modified\" false",
            "\"b.bin\" \"added\" true",
            "\"new.txt\" \"renamed\" false",
            "\"s.txt\" \"added\" false",
        ]
    );
    assert_eq!((&since["files"][2]["old_path"], &since["diff"]), (&json!("old.txt"), &Value::Null));
    let of = ask(&bench, "git.diff", json!({ "rev": "HEAD~1", "paths": ["a.txt"] })).await;
    assert!(of["diff"].as_str().unwrap().contains("-two\n+2\n"), "{of}");
    assert_eq!(of["files"].as_array().unwrap().len(), 1);
    let between = ask(&bench, "git.diff", json!({ "from": "HEAD", "to": "HEAD~2" })).await;
    assert!(between["diff"].as_str().unwrap().contains("-2\n+two\n"), "{between}");
    let first = ask(&bench, "git.diff", json!({ "rev": "HEAD~2", "stat": true })).await;
    assert_eq!(first["files"][0]["change"], "added", "{first}");

    let root = bench.folder.path();
    fs::write(root.join("a.txt"), "long line\n".repeat(60_000)).unwrap();
    let answer = bench.call("git.diff", json!({}), None).await;
    assert!(answer.truncated && json!(answer)["rest"].as_str().unwrap().contains("paths"), "{answer:?}");
    let text = value(answer)["diff"].as_str().unwrap().to_owned();
    assert!(text.len() <= 256 << 10 && text.ends_with("+long line\n"));
}

#[tokio::test]
async fn a_log_lists_commits_with_their_files() {
    let bench = repository();
    let log = ask(&bench, "git.log", json!({ "files": true })).await;
    let commits = log["commits"].as_array().unwrap();
    let subjects: Vec<_> = commits.iter().map(|commit| commit["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, ["Rename", "Write two as a digit", "Begin"]);
    let renamed = json!([{ "path": "new.txt", "old_path": "old.txt", "change": "renamed" }]);
    assert_eq!((&commits[0]["files"], &commits[0]["body"]), (&renamed, &Value::Null));
    assert_eq!(
        (&commits[1]["author"], &commits[1]["body"]),
        (&json!("Ada <ada@example.org>"), &json!("It is shorter."))
    );
    assert_eq!(commits[2]["date"], "2026-01-02T03:04:05+01:00");
    let of_path = ask(&bench, "git.log", json!({ "paths": ["b.bin"] })).await;
    assert_eq!(of_path["commits"].as_array().unwrap().len(), 1);
    assert_eq!(of_path["commits"][0]["files"], Value::Null);
    let range = ask(&bench, "git.log", json!({ "rev": "HEAD~1..HEAD" })).await;
    assert_eq!(range["commits"].as_array().unwrap().len(), 1, "{range}");
    let early = ask(&bench, "git.log", json!({ "since": "2099-01-01" })).await;
    assert_eq!(early["commits"], json!([]));
    let answer = bench.call("git.log", json!({ "limit": 2 }), None).await;
    assert!(answer.truncated, "{answer:?}");
    assert_eq!(value(answer)["commits"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_no_repository_or_no_commit_is_told() {
    let bench = Bench::with(&[("a.txt", "one\n")], false);
    let root = bench.folder.path();
    for tool in ["git.status", "git.diff", "git.log"] {
        let (code, message) = fault(&bench, tool, json!({})).await;
        assert_eq!(code, Code::NotFound);
        assert!(message.contains("no git repository"), "{message}");
    }
    shell(root, "git init -q -b main && git add .");
    let status = ask(&bench, "git.status", json!({})).await;
    let staged = json!([{ "path": "a.txt", "staged": "added", "kind": "changed" }]);
    assert_eq!((&status["commit"], &status["branch"]), (&Value::Null, &json!("main")));
    assert_eq!(status["entries"], staged);
    assert_eq!(ask(&bench, "git.log", json!({})).await["commits"], json!([]));
    assert_eq!(ask(&bench, "git.diff", json!({ "staged": true })).await["files"][0]["path"], "a.txt");
    shell(root, "git commit -qm first && git tag -a -m t v1");
    for odd in [
        "no-such",
        "--output=x",
        "-p",
        "HEAD:a.txt",
        "HEAD^{tree}",
        "^HEAD",
        "a\nHEAD",
        "HEAD HEAD",
        ":/first",
    ] {
        for (tool, arguments) in [
            ("git.log", json!({ "rev": odd })),
            ("git.diff", json!({ "from": odd })),
            ("git.diff", json!({ "rev": odd })),
            ("git.diff", json!({ "from": "HEAD", "to": odd })),
        ] {
            assert_eq!(fault(&bench, tool, arguments).await.0, Code::InvalidArgs, "{tool} {odd}");
        }
    }
    for path in ["--output=x", ":(top)*", "*.txt", "-p"] {
        assert_eq!(ask(&bench, "git.log", json!({ "paths": [path] })).await["commits"], json!([]), "{path}");
        assert_eq!(
            ask(&bench, "git.diff", json!({ "paths": [path], "rev": "v1" })).await["files"],
            json!([]),
            "{path}"
        );
    }
    assert!(fault(&bench, "git.log", json!({ "paths": ["../x"] })).await.1.contains("outside"));
    assert!(!root.join("x").exists());
    fs::write(root.join(".git/HEAD"), "root:x:0:0\n").unwrap();
    let (code, message) = fault(&bench, "git.status", json!({})).await;
    assert_eq!(code, Code::Unsupported);
    assert!(message.contains(".git/HEAD") && !message.contains("root:x"), "{message}");
}

#[tokio::test]
async fn no_file_that_a_rule_closes_is_in_a_diff_or_a_log() {
    let files = [
        ("denied/a.txt", "MARKONE\n"),
        ("asked/b.txt", "two\nkept\nkept\n"),
        ("key.pem", "MARKTHREE\n"),
        ("open.txt", "open\n"),
        ("Denied/c.txt", "MARKFOUR\n"),
        (".wherefore/config.toml", "[rules]\ndeny = [\"denied/**\"]\nask = [\"asked/**\"]\n"),
    ];
    let bench = Bench::with(&files, false);
    let root = bench.folder.path();
    shell(
        root,
        "git init -q -b main && git add -f . && git commit -qm 'Begin' && git mv asked/b.txt left.txt && echo MARKFIVE >> \
         key.pem && echo MARKSIX > denied/$'\\xff' && echo more >> open.txt && git add -f . && git commit -qm 'Change' && git \
         mv left.txt asked/b.txt && for f in denied/a.txt key.pem Denied/c.txt asked/b.txt open.txt; do echo MARKNEW >> $f; \
         done; sed -i s/MARKNEW/new/ open.txt; git add asked",
    );
    // Files in a closed folder are not looked at, and so not counted where they are compared as they are now.
    let (mut counted, mut expected) = (Vec::new(), Vec::new());
    for (tool, arguments, closed) in [
        ("git.status", json!({}), 2),
        ("git.diff", json!({}), 1),
        ("git.diff", json!({ "from": "HEAD" }), 5),
        ("git.diff", json!({ "from": "HEAD~1" }), 5),
        ("git.diff", json!({ "from": "HEAD", "staged": true }), 1),
        ("git.diff", json!({ "from": "HEAD~1", "to": "HEAD", "context": 1000 }), 3),
        ("git.diff", json!({ "rev": "HEAD" }), 3),
        ("git.diff", json!({ "rev": "HEAD~1", "paths": ["."] }), 5),
        ("git.log", json!({ "files": true }), 8),
        ("git.log", json!({ "files": true, "rev": "HEAD", "limit": 1 }), 8),
    ] {
        let said = format!("{tool} {arguments}");
        let answer = json!(bench.call(tool, arguments, None).await);
        assert_eq!(answer["status"], "ok", "{said}: {answer}");
        let result = answer["result"].to_string();
        for closed in ["MARK", "enied", "asked", ".pem"] {
            assert!(!result.contains(closed), "{said} shows {closed}: {answer}");
        }
        assert!(result.contains("open.txt") || said.contains("staged"), "{said}: {answer}");
        let warning = answer["warnings"][0].as_str().unwrap_or_default();
        counted.push(warning.split(' ').next().unwrap().parse().unwrap_or(0));
        expected.push(closed);
    }
    assert_eq!(counted, expected);
    for (path, code) in [("denied/a.txt", Code::PermissionDenied), ("key.pem", Code::PermissionDenied)] {
        for tool in ["git.diff", "git.log"] {
            assert_eq!(fault(&bench, tool, json!({ "paths": [path] })).await.0, code, "{tool} {path}");
        }
    }
}

#[tokio::test]
async fn a_file_that_a_rule_asks_about_is_compared_once_the_person_says_so() {
    let rules = "[rules]\nask = [\"asked/**\"]\n";
    let bench = Bench::new(&[("asked/b.txt", "one\n"), (".wherefore/config.toml", rules)]);
    shell(
        bench.folder.path(),
        "git init -q && git add asked && git commit -qm 'Begin' && echo two > asked/b.txt",
    );
    bench.will_answer(Some("Allow"));
    let answer = bench.call("git.diff", json!({ "paths": ["asked/b.txt"] }), None).await;
    assert_eq!(answer.warnings, Vec::<String>::new());
    let diff = value(answer);
    assert!(diff["diff"].as_str().unwrap().ends_with("-one\n+two\n"), "{diff}");
    assert_eq!(ask(&bench, "git.diff", json!({})).await["files"], json!([]));
}

#[tokio::test]
async fn a_repository_outside_of_the_workspace_is_not_read() {
    let outside = tempfile::tempdir().unwrap();
    let at = outside.path().display().to_string();
    shell(
        outside.path(),
        "git init -q -b main r && cd r && echo MARK > m.txt && git add . && git commit -qm 'MARK'",
    );
    for laid in [
        format!("echo 'gitdir: {at}/r/.git' > .git"),
        format!("ln -s {at}/r/.git .git"),
        format!("git init -q && echo {at}/r/.git > .git/commondir"),
        format!("git -C {at}/r worktree add -q $PWD/../linked && mv ../linked/.git .git"),
    ] {
        let above = tempfile::tempdir().unwrap();
        let bench = Bench::with(&[], false);
        let laid = laid.replace("$PWD/../linked", &format!("{}/linked", above.path().display()));
        let laid = laid.replace("../linked", &format!("{}/linked", above.path().display()));
        shell(bench.folder.path(), &laid);
        for tool in ["git.status", "git.diff", "git.log"] {
            let (code, message) = fault(&bench, tool, json!({})).await;
            assert_eq!(code, Code::PermissionDenied, "{laid}: {message}");
            assert!(message.contains("outside"), "{laid}: {message}");
        }
    }
    let bench = Bench::with(&[("a.txt", "one\n")], false);
    shell(
        bench.folder.path(),
        &format!(
            "git init -q -b main && echo {at}/r/.git/objects > .git/objects/info/alternates && git -C {at}/r rev-parse HEAD > \
             .git/refs/heads/main && git config core.worktree {at}/r && git config core.bare false"
        ),
    );
    for tool in ["git.status", "git.diff", "git.log"] {
        let answer = json!(bench.call(tool, json!({ "from": "HEAD" }), None).await);
        assert!(!answer.to_string().contains("MARK") && !answer.to_string().contains("m.txt"), "{answer}");
    }
}

#[tokio::test]
async fn working_trees_whose_repository_is_inside_are_read() {
    let bench = Bench::with(&[("a.txt", "one\n")], false);
    let root = bench.folder.path();
    shell(
        root,
        "git init -q -b main made && git -C made commit -q --allow-empty -m 'Begin' && git clone -q --bare made .bare && git \
         --git-dir .bare worktree add -q -b topic made/linked && cp made/linked/.git .git && git add a.txt && git commit -qm \
         'On topic' && echo two >> a.txt && rm -r made",
    );
    let status = ask(&bench, "git.status", json!({})).await;
    assert_eq!(status["branch"], "topic", "{status}");
    let changed = json!({ "path": "a.txt", "unstaged": "modified", "kind": "changed" });
    assert!(status["entries"].as_array().unwrap().contains(&changed), "{status}");
    assert_eq!(ask(&bench, "git.log", json!({})).await["commits"][0]["subject"], "On topic");
    assert_eq!(
        ask(&bench, "git.log", json!({ "rev": "main" })).await["commits"].as_array().unwrap().len(),
        1
    );
    assert!(ask(&bench, "git.diff", json!({})).await["diff"].as_str().unwrap().ends_with("+two\n"));

    let bench = Bench::with(&[("a.txt", "one\n")], false);
    shell(
        bench.folder.path(),
        "git init -q -b main --object-format=sha256 && git add . && git commit -qm 'Begin' && git update-index --split-index && \
         echo two > a.txt && git pack-refs --all && git gc -q",
    );
    let diff = ask(&bench, "git.diff", json!({})).await;
    assert!(diff["diff"].as_str().unwrap().ends_with("-one\n+two\n"), "{diff}");
    let first = ask(&bench, "git.diff", json!({ "rev": "HEAD" })).await;
    assert_eq!(first["files"][0]["change"], "added", "{first}");
    assert_eq!(ask(&bench, "git.status", json!({})).await["branch"], "main");
}

#[tokio::test]
async fn a_conflict_is_told_and_shown() {
    let bench = Bench::with(&[("a.txt", "one\n")], false);
    shell(
        bench.folder.path(),
        "git init -q -b main && git add . && git commit -qm 'Begin' && git checkout -qb topic && echo two > a.txt && git commit -qam \
         t && git checkout -q main && echo three > a.txt && git commit -qam m && ! git merge -q topic >/dev/null",
    );
    let status = ask(&bench, "git.status", json!({})).await;
    let both = json!({ "path": "a.txt", "staged": "unmerged", "unstaged": "unmerged", "kind": "unmerged" });
    assert_eq!(status["entries"], json!([both]));
    let diff = ask(&bench, "git.diff", json!({})).await;
    assert_eq!(diff["files"].as_array().unwrap().len(), 1, "{diff}");
    assert_eq!(diff["files"][0]["change"], "unmerged", "{diff}");
    assert!(diff["diff"].as_str().unwrap().contains("three"), "{diff}");
}
