//! Messages that cannot be read, and those that JavaScript reads alone.

use super::Came::{Confined, Refused, Reviewed};
use super::{came, hook, message, project, words};

#[test]
fn what_cannot_be_read_is_refused_and_the_status_says_so() {
    let project = project("ask");
    let root = project.root();
    let claude = |arguments: &str| message("claude", &root, "Bash", arguments).into_bytes();
    let deep = format!(r#"{{"command":"ls","description":{}{}}}"#, "[".repeat(129), "]".repeat(129));
    let long = format!(r#"{{"command":"ls","description":"{}"}}"#, "x".repeat(65 << 20));
    let cut = claude(r#"{"command":"ls"}"#);
    for (input, named) in [
        (Vec::new(), "not JSON"),
        (b"no message".to_vec(), "not JSON"),
        (b"[]".to_vec(), "not a JSON object"),
        (cut[..cut.len() - 4].to_vec(), "not JSON"),
        (claude(r#"{"command":"ls","timeout":NaN}"#), "not JSON"),
        (claude(r#"{"command":"ls","timeout":1e999}"#), "not JSON"),
        (claude(&deep), "recursion"),
        (claude(&long), "bytes"),
        ([b"\xff".to_vec(), cut.clone()].concat(), "not UTF-8"),
        (br#"{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"}}"#.to_vec(), "names no tool"),
        (
            br#"{"hook_event_name":7,"tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec(),
            "hook_event_name",
        ),
        (br#"{"tool_name":"Bash","toolName":"view","tool_input":{}}"#.to_vec(), "both"),
    ] {
        for words in [
            &["claude"][..],
            &["codex"],
            &["gemini"],
            &["qwen"],
            &["copilot", "preToolUse"],
            &["opencode"],
            &[],
        ] {
            // A message of 65 MB is sent for one agent only: all agents' messages are read in the same way.
            if input.len() > 1 << 20 && words != ["claude"] {
                continue;
            }
            let shown = String::from_utf8_lossy(&input[..input.len().min(300)]).into_owned();
            let ran = hook(&project, words, &input);
            assert_eq!(ran.code(), Some(2), "{words:?} {shown}: {ran:?}");
            assert!(ran.err.contains(named), "{words:?} {shown}: {ran:?}");
        }
    }
    let status = project.wherefore(&["status"]);
    assert!(String::from_utf8_lossy(&status.out).contains("was refused unread"), "{status:?}");
    let logged = project.wherefore(&["log", "--format", "json"]);
    assert!(logged.lines().iter().any(|event| event["type"] == "native_refusal"), "{logged:?}");
    // Calls that have run already, and the person's own prompts, go on.
    for (words, input) in [
        (&["claude"][..], r#"{"hook_event_name":"PostToolUse","tool_name":"Bash""#),
        (&["claude"], r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"#),
        (&["gemini"], r#"{"hook_event_name":"BeforeAgent","prompt":"x"#),
    ] {
        assert_eq!(hook(&project, words, input.as_bytes()).code(), Some(1), "{input}");
    }
    assert_eq!(hook(&project, &["copilot", "postToolUse"], b"{").code(), Some(0));
}

#[test]
fn what_javascript_reads_is_read_as_it_reads_it() {
    let project = project("ask");
    let root = project.root();
    for (agent, tool, arguments, expected) in [
        ("claude", "Write", r#"{"file_path":"n1.txt","content":"smile \ud83d cut\n"}"#, Reviewed),
        ("opencode", "write", r#"{"filePath":"n2.txt","content":"\udc00\n"}"#, Reviewed),
        ("gemini", "write_file", r#"{"file_path":"n3.txt","content":"\ud83d\ud83d\ude00\n"}"#, Reviewed),
        ("claude", "Bash", r#"{"command":"ls","description":"\ud83d"}"#, Confined),
        ("copilot", "create", r#""{\"path\":\"n4.txt\",\"file_text\":\"\\ud83d\\n\"}""#, Reviewed),
        // Of two members of one name the last counts.
        (
            "opencode",
            "edit",
            r#"{"filePath":"none.txt","oldString":"a\n","newString":"A\n","filePath":"b.txt"}"#,
            Reviewed,
        ),
        (
            "opencode",
            "edit",
            r#"{"filePath":"b.txt","oldString":"a\n","newString":"A\n","filePath":"none.txt"}"#,
            Refused,
        ),
    ] {
        let text = message(agent, &root, tool, arguments);
        let (came, told) = came(&project, &words(agent), text.as_bytes());
        assert_eq!(came, expected, "{agent} {arguments}: {told}");
    }
    let marked = format!("\u{feff}{}", message("claude", &root, "Bash", r#"{"command":"ls"}"#));
    assert_eq!(came(&project, &["claude"], marked.as_bytes()).0, Confined);
    assert!(project.wherefore(&["review", "--accept", "all"]).code() == Some(0));
    assert_eq!(project.text("n1.txt").as_deref(), Some("smile \u{fffd} cut\n"));
    assert_eq!(project.text("n3.txt").as_deref(), Some("\u{fffd}\u{1f600}\n"));
}
