//! Reasons of both kinds.

use serde_json::{Value, json};

use super::{ReasonLack, find_lack};

fn check(why: &str, tool: &str, args: Value, expected: Option<ReasonLack>) {
    assert_eq!(find_lack(why, tool, &args), expected, "{why:?}");
}

#[test]
fn intents_pass() {
    for why in [
        "Find where YAML Jazz is defined to understand its principles",
        "Create summary of tool outputs to reduce context size",
        "Run tests to verify the patch works",
        "Check if recursive descent handles nested expressions",
        "Learn what the project promises before changing how it behaves",
        "Find where parseAtom is called",
        "Find every caller of parseAtom",
        "Find all uses of parseAtom",
        "See whether plans are written down",
        "Fix the parser",
        "Make the parser refuse blank operands",
        "Understand how precedence is handled",
        "Add a missing test for blank operands",
        "Verify the file ends with a newline",
        "Rename the symbol everywhere",
        "Compare both implementations",
        "Debug the failing build",
        "Update the docs for the new flag",
        "Check the config for the retry limit",
        "See why the build fails",
        "Give users of the package one place to import from",
        "Refuse blank operands, which so far count as zero",
        "Locate the entry point so the crash can be traced",
        "I need to know which functions handle authentication",
        "The user asked for a summary of security risks",
        "Read the file to find security bugs",
        "List files to locate the build configuration",
        "Replace tabs by spaces",
        "Document the protocol",
        "Tell reviewers what changed and why it is safe",
        "Prüfen, ob der Parser leere Operanden annimmt",
        "Comprendre la structure du projet",
        "バグの原因を調べる",
        "修正错误",
        "Найти ошибку",
        "Confirm nothing else changed",
    ] {
        check(why, "fs.read", json!({ "path": "src/x.rs", "why": why }), None);
    }
    check("Find where the retry limit is set", "search.lexical", json!({ "query": "retry limit" }), None);
}

#[test]
fn mechanics_are_noticed() {
    for why in [
        "read the file",
        "Read the file.",
        "Reading file",
        "read file contents",
        "Read the contents of the file",
        "run the command",
        "Running a command",
        "list files",
        "List all files in the directory",
        "List the files in the current directory",
        "open it",
        "see what is in the file",
        "To see what the file contains",
        "look at the code",
        "Let me look at this",
        "Let's check the file",
        "check the file",
        "get the content",
        "search",
        "Search the codebase",
        "writing the file",
        "apply the patch",
        "Use the tool",
        "Update file",
        "view the source code",
        "read src/x.rs",
        "Read `src/x.rs`",
        "Call fs.read",
        "Refactoring",
        "test",
        "testing",
        "Read the file to understand it",
        "to get more information",
    ] {
        check(why, "fs.read", json!({ "path": "src/x.rs", "why": why }), Some(ReasonLack::Intent));
    }
    check(
        "Search for parseAtom",
        "search.lexical",
        json!({ "query": "parseAtom" }),
        Some(ReasonLack::Intent),
    );
    check("Make the folder docs", "fs.mkdir", json!({ "path": "docs" }), Some(ReasonLack::Intent));
    check(
        "Copy a.txt to b.txt",
        "fs.copy",
        json!({ "src": "a.txt", "dst": "b.txt" }),
        Some(ReasonLack::Intent),
    );
}

#[test]
fn circles_are_noticed() {
    for why in [
        "because I need it",
        "Because I need to read it",
        "because I need to",
        "I need this file",
        "needed",
        "required",
        "It is necessary",
        "to do the task",
        "To complete the task",
        "for the task",
        "the user asked me to",
        "as requested",
        "As instructed by the user",
        "user request",
        "next step",
        "to continue",
        "Continue with the next step",
        "in order to proceed",
        "I want to read it",
        "Step 2",
        "todo",
        "This is required to finish the job",
        "it's needed for my work",
        "use it if needed",
    ] {
        check(why, "fs.read", json!({ "path": "src/x.rs", "why": why }), Some(ReasonLack::Reason));
    }
}

#[test]
fn signs_are_no_words() {
    for why in ["...", "-", "?", "🙂", "''"] {
        check(why, "fs.read", json!({}), Some(ReasonLack::Words));
    }
}
