//! Document 000, §4: comments of a model in a call's arguments.

use serde_json::json;

use crate::environment::Project;
use crate::environment::agent::{Agent, LEGACY};

/// The document's own example, as it stands there.
const EXAMPLE: &str = "type: tool_call
tool: fs.read
args:
  path: src/parser.ts
  # Part of the expression parser audit
  # Previous read showed parseAtom, now checking parseExpression
  why: \"Check if recursive descent handles nested expressions\"
";

const KEPT: &str = "# Part of the expression parser audit";

#[test]
fn section_4_comments_of_the_documents_example_are_kept_above_their_key() {
    let project = Project::new(&[("src/parser.ts", "export const a = 1;\n")]);
    let ran = project.run_with(&["call", "-"], &[], EXAMPLE);
    assert_eq!((ran.code, &ran.json()["lines"]), (Some(0), &json!(1)), "{ran:?}");
    let log = project.log();
    let (above, below) = log.split_once(KEPT).unwrap_or_else(|| panic!("{log}"));
    assert!(
        above.ends_with("path: src/parser.ts\n  ") || above.trim_end().ends_with("src/parser.ts"),
        "{log}"
    );
    assert!(below.contains("# Previous read showed parseAtom") && below.contains("why:"), "{log}");
    let shown = project.run(&["log"]).out;
    let has_line =
        |text: &str| shown.lines().any(|line| line.trim().starts_with("# ") && line.contains(text));
    assert!(
        has_line(KEPT.trim_start_matches("# ")) && has_line(": Previous read showed parseAtom"),
        "a reader of `wherefore log` sees each line of it too: {shown}"
    );
}

#[test]
fn section_4_arguments_alone_come_as_yaml_too() {
    let project = Project::new(&[]);
    let text = "# The report begins there\npath: a.txt\nwhy: Find out which number the report begins with\n";
    let ran = project.run_with(&["call", "fs.read", "-"], &[], text);
    assert_eq!(ran.json()["lines"], 3, "{ran:?}");
    assert!(project.log().contains("# The report begins there"));
    let broken = project.run_with(&["call", "fs.read", "-"], &[], "path: [a\n").json();
    assert_eq!(broken["code"], "INVALID_ARGS");
}

/// Comments are semantic, those of the items of a list too.
#[test]
fn section_4_comments_of_items_are_kept_above_them() {
    let project = Project::new(&[]);
    let text = "tool: memory.advise\nargs:\n  hot:\n    # The audit begins here\n    - path: a.txt\n      # It fails at the end of the input\n      \
                why: It holds the parser\n  why: Keep what the audit needs at hand\n";
    let ran = project.run_with(&["call", "-"], &[], text);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let log = project.log();
    assert!(log.contains("    # The audit begins here\n    - path: a.txt\n"), "{log}");
    assert!(
        log.contains("      # It fails at the end of the input\n      why: \"It holds the parser\"\n"),
        "{log}"
    );
    let run = "cmd:\n# The program\n- echo\n- hello # to whom it may concern\nwhy: See that the greeting comes out whole\n";
    assert_eq!(project.run_with(&["call", "terminal.run", "-"], &[], run).code, Some(0));
    let log = project.log();
    assert!(log.contains("# The program\n    - echo\n    # to whom it may concern\n    - hello\n"), "{log}");
    let shown = project.run(&["log"]).out;
    assert!(shown.contains("The audit begins here") && shown.contains("to whom it may concern"), "{shown}");
}

#[test]
fn section_4_an_agent_gives_comments_over_mcp() {
    let project = Project::new(&[]);
    let mut agent = Agent::start(project.folder(), LEGACY, &[]);
    let read = |comments| json!({ "path": "a.txt", "why": "Find out which number the report begins with", "_comments": comments });
    assert_eq!(agent.call("fs_read", read(json!({ "path": "The report begins there" })))["lines"], 3);
    assert_eq!(agent.call("fs_read", read(json!("Second look, after the edit")))["lines"], 3);
    let fault = agent.fault("fs_read", read(json!({ "path": 7 })));
    assert!(fault["message"].as_str().unwrap().starts_with("`_comments` holds the number 7"), "{fault}");
    agent.leave();
    let log = project.log();
    assert!(
        log.contains("# The report begins there") && log.contains("# Second look, after the edit"),
        "{log}"
    );
}
