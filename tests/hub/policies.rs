//! Policies by settings, by tool and path, and what a caller may ask for; rules that ask.

use serde_json::json;
use wherefore::protocol::{Code, Policy, Status};

use crate::support::Bench;

const SETTINGS: &str = "[review]\npolicy = \"hold\"\n[[review.rules]]\ntool = \"fs.*\"\npath = \"locked/**\"\npolicy = \"deny\"\n[rules]\nask = [\"private/**\"]\n";

fn bench(attached: bool) -> Bench {
    Bench::with(
        &[(".wherefore/config.toml", SETTINGS), ("locked/a.txt", "a\n"), ("private/b.txt", "b\n")],
        attached,
    )
}

#[tokio::test]
async fn the_strictest_policy_holds() {
    let bench = bench(true);
    for (path, policy, expected) in [
        ("free.txt", None, Ok(Status::Pending)),
        ("free.txt", Some(Policy::Auto), Ok(Status::Pending)),
        ("free.txt", Some(Policy::Deny), Err(Code::PermissionDenied)),
        ("locked/a.txt", Some(Policy::Auto), Err(Code::PermissionDenied)),
        ("x/../locked/a.txt", None, Err(Code::PermissionDenied)),
    ] {
        let answer = bench.call("fs.write", json!({ "path": path, "content": "x\n" }), policy).await;
        let outcome = answer.error.map_or(Ok(answer.status), |fault| Err(fault.code));
        assert_eq!(outcome, expected, "{path} {policy:?}");
    }
    assert_eq!(bench.disk("locked/a.txt"), "a\n");
}

#[tokio::test]
async fn a_rule_that_asks_asks_the_person() {
    let read = json!({ "path": "private/b.txt" });
    let bench = bench(true);
    assert_eq!(bench.call("fs.read", read.clone(), None).await.error.unwrap().code, Code::PermissionDenied);
    bench.will_answer(Some("Allow"));
    assert_eq!(bench.call("fs.read", read, None).await.result.unwrap()["content"], "b\n");
    assert!(bench.log().contains("user_approval"));
}

#[tokio::test]
async fn what_steers_agents_or_runs_in_ci_is_asked_for_and_only_to_write() {
    let bench = Bench::with(&[("AGENTS.md", "old\n"), ("src/x", "")], true);
    std::os::unix::fs::symlink("../AGENTS.md", bench.folder.path().join("src/notes.md")).unwrap();
    for path in [
        "AGENTS.md",
        "agents.md",
        "src/notes.md",
        ".github/workflows/ci.yml",
        "sub/CLAUDE.md",
        ".cursorrules",
    ] {
        let write = || json!({ "path": path, "content": "new\n" });
        bench.will_answer(None);
        let fault = bench.call("fs.write", write(), Some(Policy::Auto)).await.error.unwrap();
        assert_eq!(fault.code, Code::PermissionDenied, "{path}");
        assert!(
            fault.message.contains("asked-first `") && fault.message.contains(" ("),
            "{path}: {}",
            fault.message
        );
    }
    assert_eq!(bench.disk("AGENTS.md"), "old\n");
    let read = bench.call("fs.read", json!({ "path": "AGENTS.md" }), None).await;
    assert_eq!(read.result.unwrap()["content"], "old\n");
    bench.will_answer(Some("Allow"));
    let write = json!({ "path": "AGENTS.md", "content": "new\n" });
    assert_eq!(bench.call("fs.write", write, Some(Policy::Hold)).await.status, Status::Pending);
}

#[tokio::test]
async fn what_makes_programs_run_is_refused_with_the_reason() {
    let bench = Bench::with(&[("src/x", "")], true);
    bench.will_answer(Some("Allow"));
    for path in [
        ".helix/config.toml",
        "mise.toml",
        "MISE.toml",
        "rust-toolchain.toml",
        "sub/.Rprofile",
        "mcp.json",
        ".kiro/hooks/a",
    ] {
        let write = json!({ "path": path, "content": "x\n" });
        let fault = bench.call("fs.write", write, Some(Policy::Auto)).await.error.unwrap();
        assert_eq!(fault.code, Code::PermissionDenied, "{path}");
        assert!(
            fault.message.starts_with("rule runs-programs `") && fault.message.contains(") refuses to write"),
            "{fault:?}"
        );
        assert!(!bench.folder.path().join(path).exists(), "{path}");
    }
}

#[tokio::test]
async fn each_hunk_of_a_build_file_carries_a_warning() {
    let text: String = (0..40).map(|at| format!("line {at}\n")).collect();
    let bench = Bench::with(&[("package.json", &text), ("notes.md", &text)], true);
    std::os::unix::fs::symlink("package.json", bench.folder.path().join("p.txt")).unwrap();
    let changed = text.replace("line 3\n", "three\n").replace("line 30\n", "thirty\n");
    for (path, warned) in
        [("package.json", true), ("p.txt", true), ("notes.md", false), ("sub/Makefile", true)]
    {
        let write = json!({ "path": path, "content": changed });
        assert_eq!(bench.call("fs.write", write, Some(Policy::Hold)).await.status, Status::Pending, "{path}");
        let hunks: Vec<_> = bench.proposals().into_iter().last().unwrap().files.remove(0).hunks;
        let expected = if path == "sub/Makefile" { 1 } else { 2 };
        assert_eq!(hunks.len(), expected, "{path}");
        assert!(hunks.iter().all(|hunk| hunk.warning.is_some() == warned), "{path}: {hunks:?}");
    }
}
