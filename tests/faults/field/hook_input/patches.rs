//! Patches, in every wrapping that an agent takes.

use serde_json::json;

use super::Came::{Confined, Passed, Refused, Reviewed};
use super::{LINES, came, message, project, words};

#[test]
fn a_patch_is_an_edit_however_it_is_wrapped_and_never_a_command_that_runs() {
    let patch = r"*** Begin Patch\n*** Update File: b.txt\n@@\n-a\n+1\n*** End Patch";
    let wrapped = |before: &str, after: &str| format!(r#"{{"command":"{before}{patch}{after}"}}"#);
    let bare = |before: &str, after: &str| format!(r#""{before}{patch}{after}""#);
    let calls = [
        ("codex", "apply_patch", wrapped(r"<<'EOF'\n", r"\nEOF\n"), Reviewed),
        ("codex", "apply_patch", wrapped(r"<<EOF\n", r"\nEOF"), Reviewed),
        ("codex", "apply_patch", wrapped(r"\n  ", r"\n"), Reviewed),
        ("codex", "apply_patch", wrapped(r"\ufeff", ""), Reviewed),
        ("codex", "apply_patch", wrapped("", r"\ntrailing"), Refused),
        ("codex", "apply_patch", wrapped(r"note\n", ""), Refused),
        ("codex", "Bash", wrapped(r"apply_patch <<'EOF'\n", r"\nEOF\n"), Reviewed),
        ("codex", "Bash", wrapped(r"cd . && apply_patch <<EOF\n", r"\nEOF"), Reviewed),
        ("codex", "Bash", wrapped(r#"applypatch << \"P\"\n"#, r"\nP"), Reviewed),
        ("codex", "Bash", wrapped("", ""), Refused),
        ("codex", "Bash", wrapped("apply_patch '", "'"), Refused),
        ("codex", "Bash", wrapped(r"ls; apply_patch <<'EOF'\n", r"\nEOF\nrm a.txt"), Refused),
        ("codex", "Bash", wrapped(r#"bash -c \"apply_patch <<'EOF'\n"#, r#"\nEOF\n\""#), Refused),
        ("claude", "Bash", wrapped("", ""), Confined),
        ("claude", "Bash", wrapped(r"apply_patch <<'EOF'\n", r"\nEOF\n"), Confined),
        ("gemini", "run_shell_command", wrapped("", ""), Confined),
        ("opencode", "bash", wrapped("", ""), Confined),
        ("opencode", "apply_patch", format!(r#"{{"patchText":"cat <<'EOF'\n{patch}\nEOF"}}"#), Reviewed),
        ("copilot", "apply_patch", bare("", ""), Reviewed),
        ("copilot", "apply_patch", bare(r"\ufeff", ""), Reviewed),
        ("copilot", "apply_patch", bare(r"<<'EOF'\n", r"\nEOF\n"), Reviewed),
    ];
    for policy in ["ask", "auto"] {
        let project = project(policy);
        for (agent, tool, arguments, expected) in &calls {
            let text = message(agent, &project.root(), tool, arguments);
            let (came, told) = came(&project, &words(agent), text.as_bytes());
            // Without a review the agent's own tool may make an edit. A shell makes none: the edit is made here.
            let is_shell = *tool == "Bash";
            let (expected, text) = match (policy, expected) {
                ("auto", Reviewed) if is_shell => (Refused, LINES.replacen('a', "1", 1)),
                ("auto", Reviewed) => (Passed, LINES.to_owned()),
                (_, expected) => (*expected, LINES.to_owned()),
            };
            assert_eq!(came, expected, "{policy} {agent} {tool} {arguments}: {told}");
            assert_eq!(project.text("b.txt"), Some(text), "{policy} {agent} {tool} {arguments}: {told}");
            project.put("b.txt", LINES);
        }
    }
}

#[test]
fn every_part_of_a_patch_comes_up_or_none() {
    let project = project("ask");
    let patch = |inner: &str| {
        let text = json!(format!("*** Begin Patch\n{inner}\n*** End Patch"));
        message("codex", &project.root(), "apply_patch", &format!(r#"{{"command":{text}}}"#))
    };
    let twice = "*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: a.txt\n@@\n-d\n+D\n*** Add File: n.txt\n+1\n\
                 *** Update File: n.txt\n@@\n-1\n+2\n*** Update File: b.txt\n*** Move to: c.txt\n-a\n+A\n*** Update File: c.txt\n@@\n-d\n+D";
    assert_eq!(came(&project, &["codex"], patch(twice).as_bytes()).0, Reviewed);
    assert_eq!(project.wherefore(&["review", "--accept", "all"]).code(), Some(0));
    assert_eq!(project.text("a.txt").as_deref(), Some("A\nb\nc\nD\n"));
    assert_eq!((project.text("n.txt").as_deref(), project.text("b.txt")), (Some("2\n"), None));
    assert_eq!(project.text("c.txt").as_deref(), Some("A\nb\nc\nD\n"));
    for inner in [
        "*** Update File: a.txt\n@@\n-A\n+1\n*** Update File: none.txt\n@@\n-b\n+B",
        "*** Update File: a.txt\n@@\n-A\n+1\nnote\n*** Update File: c.txt\n@@\n-b\n+B",
        "*** Update File: a.txt\n@@\n-A\n+1\n *** Update File: c.txt\n@@\n-b\n+B",
        "*** Update File: a.txt\n*** Move to: c.txt\n@@\n-A\n+1",
    ] {
        let (came, told) = came(&project, &["codex"], patch(inner).as_bytes());
        assert_eq!(came, Refused, "{inner}: {told}");
    }
    let cut = json!({ "command": "*** Begin Patch\n*** Update File: a.txt\n@@\n-A\n+half" }).to_string();
    let (came, told) =
        came(&project, &["codex"], message("codex", &project.root(), "apply_patch", &cut).as_bytes());
    assert!(came == Refused && told.contains("cut off"), "{told}");
}
