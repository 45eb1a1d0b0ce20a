//! Files that the rules close, for programs that only pass by: they go on, git sees no false change, and no secret shows.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Project, run, skipped};

/// A certificate, by its form.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nMAQwAgUA\n-----END CERTIFICATE-----\n";

/// Reads each file on its way, and prints the contents of those whose names the rules cover.
const WALKER: &str = "import os
for at, folders, files in os.walk('.'):
    folders[:] = [name for name in folders if name != '.git']
    for name in files:
        path = os.path.join(at, name)
        text = open(path).read()
        if not name.endswith('.py') and name != '.gitignore':
            print(path, repr(text))
";

/// The answer of `terminal.run`. `None`, with a line that explains it, without namespaces.
fn answer(project: &Project, line: &str) -> Option<Value> {
    let ran = project.call("terminal.run", &json!({ "line": line, "timeout_ms": 60_000 }));
    let answer = ran.json();
    if !answer["sandbox"].as_str().unwrap_or_default().starts_with("tier A (") {
        skipped(&format!("no namespaces here: {answer}"));
        return None;
    }
    Some(answer)
}

/// The output of a successful command.
fn output(project: &Project, line: &str) -> Option<String> {
    let answer = answer(project, line)?;
    assert_eq!(
        (answer["exit_code"].as_i64(), answer["stderr"].as_str()),
        (Some(0), Some("")),
        "{line}: {answer}"
    );
    Some(answer["stdout"].as_str().unwrap().to_owned())
}

fn git(project: &Project, arguments: &[&str]) {
    let own = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    let ran = run(project.command("git").args(own).args(arguments), b"");
    assert_eq!(ran.code(), Some(0), "{ran:?}");
}

fn commit(project: &Project) {
    git(project, &["init", "-q"]);
    git(project, &["add", "-A"]);
    git(project, &["commit", "-qm", "first"]);
}

#[test]
fn programs_walk_through_a_project_with_a_session() {
    let files = [
        ("a.txt", "text\n"),
        ("src/b.js", "1\n"),
        (".env", "TOKEN=MARKED\n"),
        (".ssh/key", "MARKED"),
        ("server.key", "MARKED"),
        // A line that names what is closed is refused.
        ("list.sh", "ls -A .wherefore .ssh | grep -v :\n"),
    ];
    let project = Project::new(&files);
    commit(&project);
    assert_eq!(project.call("fs.read", &json!({ "path": "a.txt" })).code(), Some(0));
    assert!(project.path(".wherefore/sessions").exists());
    for line in [
        "grep -rn text --exclude-dir=.git . > /dev/null",
        "find . -type f > /dev/null",
        "du -s . > /dev/null",
        "tar cf /tmp/all.tar .",
        "cp -r . /tmp/copy",
    ] {
        let Some(_) = output(&project, line) else { return };
    }
    assert_eq!(output(&project, "sh list.sh").unwrap().trim(), "");
    let all =
        output(&project, "grep -r MARKE[D] --exclude-dir=.git . | wc -l; git status --porcelain").unwrap();
    assert_eq!(all, "0\n");
}

#[test]
fn git_in_a_sandbox_says_of_closed_files_that_they_are_as_they_were() {
    let files = [
        (".env.example", "TOKEN=\n"),
        (".env", "TOKEN=MARKED\n"),
        ("tests/certs/server.key", "MARKED"),
        ("tests/certs/server.pem", "-----BEGIN PRIVATE KEY-----\nMARKED\n-----END PRIVATE KEY-----\n"),
        ("tests/certs/ca.pem", CERTIFICATE),
        (".yarnrc.yml", "nodeLinker: node-modules\n"),
        (".npmrc", "//registry.example.com/:_authToken=MARKED\n"),
        ("credentials/id", "MARKED"),
        ("open.txt", "open\n"),
    ];
    let project = Project::new(&files);
    commit(&project);
    for line in [
        "git status --porcelain",
        "git diff",
        "git diff HEAD",
        "git stash list",
        "git ls-files -m -d -- ':!credentials'",
    ] {
        let Some(said) = output(&project, line) else { return };
        assert_eq!(said, "", "{line}");
    }
    project.put("open.txt", "changed\n");
    project.put(".env", "TOKEN=MARKED2\n");
    project.put("new.txt", "new\n");
    assert_eq!(output(&project, "git status --porcelain").unwrap(), " M open.txt\n?? new.txt\n");
    git(&project, &["add", "-A"]);
    assert_eq!(output(&project, "git status --porcelain").unwrap(), "M  .env\nA  new.txt\nM  open.txt\n");
    let status = run(project.command("git").args(["status", "--porcelain"]), b"");
    assert_eq!(
        String::from_utf8_lossy(&status.out),
        "M  .env\nA  new.txt\nM  open.txt\n",
        "the index is as it was"
    );
}

#[test]
fn what_holds_no_secret_is_read_and_what_does_is_empty_and_refused_by_name() {
    let key = "-----BEGIN PRIVATE KEY-----\nMARKED\n-----END PRIVATE KEY-----\n";
    let files = [
        ("walk.py", WALKER),
        (".gitignore", ".env\nvenv/\n"),
        (".env", "TOKEN=MARKED\n"),
        (".env.example", "TOKEN=\n"),
        (".yarnrc.yml", "nodeLinker: node-modules\n"),
        ("venv/certifi/cacert.pem", CERTIFICATE),
        ("venv/key.pem", key),
        ("server.pem", key),
        ("both.pem", &format!("{CERTIFICATE}{key}")),
    ];
    let project = Project::new(&files);
    commit(&project);
    symlink("server.pem", project.path("ca.pem")).unwrap();
    let Some(read) = output(&project, "python3 walk.py | sort") else { return };
    let certificate = CERTIFICATE.replace('\n', "\\n");
    let expected = [
        "./.env ''",
        "./.env.example 'TOKEN=\\n'",
        "./.yarnrc.yml 'nodeLinker: node-modules\\n'",
        "./both.pem ''",
        "./ca.pem ''",
        "./server.pem ''",
        &format!("./venv/certifi/cacert.pem '{certificate}'"),
        "./venv/key.pem ''",
    ];
    let mut read: Vec<&str> = read.lines().collect();
    read.sort_unstable();
    assert_eq!(read, expected);
    // The shown bytes are the ones that were judged.
    project.put("venv/certifi/cacert.pem", key);
    let read = output(&project, "python3 walk.py").unwrap();
    assert!(read.contains("./venv/certifi/cacert.pem ''\n") && !read.contains("MARKED"), "{read}");
    for line in ["cat .env", "cat server.pem", "head < .env"] {
        let ran = project.call("terminal.run", &json!({ "line": line }));
        assert!(ran.json().to_string().contains("sensitive-path"), "{line}: {ran:?}");
    }
    assert_eq!(project.call("fs.read", &json!({ "path": ".env.example" })).code(), Some(0));
    assert_ne!(project.call("fs.read", &json!({ "path": "venv/certifi/cacert.pem" })).code(), Some(0));
}
