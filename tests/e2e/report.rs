//! `wherefore report`: a session as Markdown, as a page and as JSON by its schema; ranges, altered logs, hostile values.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, wherefore};
use crate::support::report_skip;

fn run(folder: &Path, args: &[&str]) -> Output {
    let args: Vec<&str> = std::iter::once("report").chain(args.iter().copied()).collect();
    wherefore(folder, &args).output().unwrap()
}

fn text(folder: &Path, args: &[&str]) -> String {
    let output = run(folder, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The report as JSON, which fits the committed schema.
fn report(folder: &Path, args: &[&str]) -> Value {
    let report: Value =
        serde_json::from_str(&text(folder, &[args, &["--format", "json"]].concat())).expect("JSON");
    let schema: Value = serde_json::from_str(include_str!("../../schemas/report.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
    assert_eq!(wrong, Vec::<String>::new());
    report
}

fn git(folder: &Path, args: &[&str]) {
    let ran = Command::new("git")
        .args(["-c", "user.name=P", "-c", "user.email=p@example.org", "-C"])
        .arg(folder.join("work"))
        .args(args)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{args:?}: {ran:?}");
}

/// An agent that changes a file in three places, of which a person takes two, and reads a file that is closed.
fn session(folder: &Path) -> String {
    let lines: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    std::fs::write(folder.join("work/b.txt"), &lines).unwrap();
    std::fs::write(folder.join("work/.env"), "KEY=1\n").unwrap();
    let mut agent = Agent::named(folder, "test-agent", LEGACY, &[], json!({}));
    let content =
        lines.replace("line 3\n", "line three\n").replace("line 20\n", "").replace("line 37\n", "<b>\nx\n");
    let pending = agent.call(
        "fs_write",
        json!({ "path": "b.txt", "content": content, "why": "Name the third line, since @readers look for #3 first" }),
    );
    agent.fault("fs_read", json!({ "path": ".env", "why": "Learn the key, so that the call can be made" }));
    let proposal = pending["proposal"].as_str().unwrap().to_owned();
    for args in [
        ["--accept", "h1,h3"].as_slice(),
        &["--reject", "h2", "--reason", "Keep line 20, [it](https://x.y) counts"],
    ] {
        let args: Vec<&str> = ["review", &proposal].into_iter().chain(args.iter().copied()).collect();
        assert!(wherefore(folder, &args).output().unwrap().status.success(), "{args:?}");
    }
    proposal
}

#[test]
fn a_session_is_reported_by_reasons_in_each_form() {
    let place = place();
    let folder = place.path();
    session(folder);
    let report = report(folder, &["--since", "1h"]);
    let totals = |key: &str| report["totals"][key].as_u64().unwrap();
    assert_eq!([totals("accepted"), totals("rejected"), totals("refused")], [2, 1, 1], "{report}");
    assert_eq!([totals("files"), totals("added"), totals("removed"), totals("unreviewed")], [1, 3, 2, 0]);
    let change = &report["reasons"][0]["changes"][0];
    let hunk = |at: usize, key: &str| change["hunks"][at][key].clone();
    assert_eq!(
        [hunk(0, "by"), hunk(1, "state"), hunk(2, "added")],
        [json!("person"), json!("rejected"), json!(2)]
    );
    assert_eq!(report["sessions"][0]["standing"], "sound", "{report}");
    assert_eq!(
        (&report["refused"][0]["code"], &report["refused"][0]["by_rule"]),
        (&json!("PERMISSION_DENIED"), &json!(true))
    );
    assert!(!report.to_string().contains(&folder.display().to_string()), "{report}");

    let page = text(folder, &["--since", "1h"]);
    for part in [
        r"**Name the third line, since \@&#8203;readers look for #&#8203;3 first**",
        "h2 rejected by a person: “Keep line 20, \\[it\\](https:\\/\\/x.y) counts”",
        "```diff\n",
        "Refused and failed calls: 1",
        "✅ a person looked at every hunk in place",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(page.len() <= 65_536);
    let page = text(folder, &["--since", "1h", "--format", "html"]);
    for part in [
        "default-src 'none'",
        "<h3 id=\"h-r1\"><bdi>Name the third line",
        "&lt;b&gt;",
        "rejected</span> by a person",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    for no in ["<script", "http://", "https://x.y\"", " src=", "@import", "url("] {
        assert!(!page.contains(no), "{no}");
    }
}

#[test]
fn an_undo_in_another_session_is_in_the_report() {
    let place = place();
    let folder = place.path();
    session(folder);
    let of_agent = report(folder, &[])["sessions"][0]["id"].as_str().unwrap().to_owned();
    let undone = || report(folder, &[&of_agent])["reasons"][0]["changes"][0]["undone"].clone();
    let call = report(folder, &[&of_agent])["reasons"][0]["changes"][0]["call"].as_str().unwrap().to_owned();
    assert_ne!(undone(), json!(true));
    let ran = wherefore(folder, &["undo", &format!("{of_agent}/{call}")]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(undone(), json!(true));
}

#[test]
fn an_altered_log_is_named_and_nothing_of_it_is_reported() {
    let place = place();
    let folder = place.path();
    session(folder);
    let sessions = folder.join("work/.wherefore/sessions");
    let log = std::fs::read_dir(&sessions)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("session-log.md"))
        .find(|log| std::fs::read_to_string(log).unwrap().contains("Name the third line"))
        .unwrap();
    let altered =
        std::fs::read_to_string(&log).unwrap().replace("Name the third line", "Name the other line");
    std::fs::write(&log, altered).unwrap();
    let id = log.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
    let report = report(folder, &[&id]);
    assert_eq!(report["sessions"][0]["standing"], "altered", "{report}");
    assert_eq!((&report["reasons"], &report["totals"]["calls"]), (&json!([]), &json!(0)));
    let page = text(folder, &[&id]);
    assert!(
        page.contains("⚠ Session") && page.contains("damaged, first at") && !page.contains("the other line"),
        "{page}"
    );
}

#[test]
fn a_range_of_commits_is_mapped_to_the_calls_that_made_them() {
    let place = place();
    let folder = place.path();
    std::fs::remove_dir(folder.join("work/.git")).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["add", "a.txt"]);
    git(folder, &["commit", "-qm", "Begin"]);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    session(folder);
    git(folder, &["add", "b.txt"]);
    git(folder, &["commit", "-qm", "Name a line"]);
    let report = report(folder, &["main~1..main"]);
    assert_eq!(
        (&report["totals"]["changes"], &report["totals"]["accepted"]),
        (&json!(1), &json!(2)),
        "{report}"
    );
    assert!(report["range"]["asked"].as_str().unwrap().contains("1 commit"), "{report}");
    assert!(report["notes"][0].as_str().unwrap().contains("not line by line"), "{report}");
    for (args, says) in [
        (["nothing..main"], "no range of commits here"),
        (["main..main"], "holds no commit"),
        (["--output=x..y"], "unexpected argument"),
        (["20990101"], "there is no session"),
    ] {
        let output = run(folder, &args);
        assert!(!output.status.success());
        assert!(String::from_utf8_lossy(&output.stderr).contains(says), "{args:?}: {output:?}");
    }
}

#[test]
fn a_file_that_a_rule_closes_now_is_reported_without_its_text() {
    let place = place();
    let folder = place.path();
    session(folder);
    std::fs::write(folder.join("work/.wherefore/config.toml"), "[rules]\ndeny = [\"b.txt\"]\n").unwrap();
    for format in ["json", "md", "html"] {
        let page = text(folder, &["--since", "1h", "--format", format]);
        assert!(page.contains("a rule closes this file") && !page.contains("line three"), "{page}");
    }
}

/// The scripts of a file of continuous integration, which has to be YAML.
fn scripts(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    serde_saphyr::from_str(&std::fs::read_to_string(path).unwrap()).expect("YAML")
}

/// A program of the person's in `FOLDER/bin`.
fn program(folder: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join("bin").join(name);
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    std::fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a step's script as a runner does.
fn step(folder: &Path, script: &str, env: &[(&str, &str)]) {
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(folder.join("work"));
    command.env("PATH", path).env("HOME", folder.join("home")).env("FOLDER", folder);
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    command.envs(env.iter().copied());
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{script}: {ran:?}");
}

#[test]
fn the_action_keeps_one_comment() {
    let place = place();
    let folder = place.path();
    session(folder);
    program(folder, "wherefore", &format!("exec {} \"$@\"", env!("CARGO_BIN_EXE_wherefore")));
    // A forge with one list of comments, which holds what was posted.
    program(
        folder,
        "gh",
        r#"echo "$*" >> "$FOLDER/asked"
case "$*" in
  *PATCH*comments/7*|*POST*) for arg; do case "$arg" in body=@*) cp "${arg#body=@}" "$FOLDER/comment";; esac; done ;;
  *--paginate*) [ ! -f "$FOLDER/comment" ] || echo 7 ;;
esac"#,
    );
    let action = scripts(".github/actions/report/action.yml");
    let steps = action["runs"]["steps"].as_array().unwrap();
    let out = folder.join("out");
    let (out, summary) = (out.to_str().unwrap(), folder.join("summary"));
    for _ in 0..2 {
        for one in steps {
            let env = [
                ("RANGE", ""),
                ("SINCE", "1h"),
                ("ROOT", "."),
                ("FILE", ""),
                ("OUT", out),
                ("GITHUB_STEP_SUMMARY", summary.to_str().unwrap()),
                ("NUMBER", "12"),
                ("REPOSITORY", "o/r"),
            ];
            step(folder, one["run"].as_str().unwrap(), &env);
        }
    }
    let asked = std::fs::read_to_string(folder.join("asked")).unwrap();
    let count = |word: &str| asked.lines().filter(|line| line.contains(word)).count();
    assert_eq!((count("--method POST"), count("--method PATCH")), (1, 1), "{asked}");
    let comment = std::fs::read_to_string(folder.join("comment")).unwrap();
    assert!(comment.starts_with("<!-- wherefore-report -->\n## What agents changed in work"), "{comment}");
    assert!(std::fs::read_to_string(summary).unwrap().contains("Name the third line"));
    assert!(folder.join("out/report.html").is_file());
}

#[test]
fn the_job_for_gitlab_keeps_one_note() {
    if Command::new("jq").arg("--version").output().is_err() {
        report_skip("no jq");
        return;
    }
    let place = place();
    let folder = place.path();
    session(folder);
    program(
        folder,
        "wherefore",
        &format!("shift; shift; exec {} report --since 1h \"$@\"", env!("CARGO_BIN_EXE_wherefore")),
    );
    program(folder, "git", "exit 0");
    program(
        folder,
        "curl",
        r#"echo "$*" >> "$FOLDER/asked"
case "$*" in
  *--request*) cp wherefore-note.md "$FOLDER/note" ;;
  *) if [ -f "$FOLDER/note" ]; then jq -n --rawfile body "$FOLDER/note" '[{id: 1, body: "x"}, {id: 9, body: $body}]'; else echo '[]'; fi ;;
esac"#,
    );
    let job = scripts("docs/ci/gitlab.yml");
    let lines: Vec<&str> =
        job["wherefore-report"]["script"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let env = [
        ("CI_API_V4_URL", "https://gitlab.example/api/v4"),
        ("CI_PROJECT_ID", "3"),
        ("CI_MERGE_REQUEST_IID", "5"),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ("WHEREFORE_REPORT_TOKEN", "t"),
    ];
    for _ in 0..2 {
        step(folder, &lines.join("\n"), &env);
    }
    let asked = std::fs::read_to_string(folder.join("asked")).unwrap();
    let count = |word: &str| asked.lines().filter(|line| line.contains(word)).count();
    assert_eq!((count("--request POST"), count("--request PUT")), (1, 1), "{asked}");
    assert!(asked.contains("/merge_requests/5/notes/9"), "{asked}");
    let note = std::fs::read_to_string(folder.join("note")).unwrap();
    assert!(note.contains("Name the third line"), "{note}");
}
