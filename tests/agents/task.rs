//! The task of every agent: read, forget the why, correct that, propose three hunks, learn their outcome.

use serde_json::{Value, json};

use crate::model::{Move, Turn};

/// The file before: thirty lines.
pub(crate) fn before(word: &str) -> String {
    (1..=30).map(|line| format!("{word} {line}\n")).collect()
}

/// The file with these of the lines 3, 15 and 27 changed.
pub(crate) fn after(word: &str, changed: &[usize]) -> String {
    let line = |number: usize| {
        if changed.contains(&number) {
            format!("{word} {number} changed\n")
        } else {
            format!("{word} {number}\n")
        }
    };
    (1..=30).map(line).collect()
}

/// The lines that the diff changes, a hunk each.
pub(crate) const CHANGED: [usize; 3] = [3, 15, 27];

fn diff(path: &str, word: &str) -> String {
    let hunk = |line: usize| {
        let (above, below) = (line - 1, line + 1);
        format!(
            "@@ -{above},3 +{above},3 @@\n {word} {above}\n-{word} {line}\n+{word} {line} changed\n {word} {below}\n"
        )
    };
    format!("--- a/{path}\n+++ b/{path}\n{}", CHANGED.map(hunk).concat())
}

/// Reads `path`, first without saying why.
pub(crate) fn read(path: &'static str, why: bool) -> Move {
    let mut arguments = json!({ "path": path });
    if why {
        arguments["why"] = json!("Learn how the list is written before changing three of its lines");
    }
    Move::Call("fs_read", arguments)
}

/// Proposes the three hunks.
pub(crate) fn patch(path: &'static str, word: &str) -> Move {
    let why = "Mark the three lines that the list is to be read by";
    Move::Call("fs_patch", json!({ "path": path, "diff": diff(path, word), "why": why }))
}

/// The model's result of a call without a why: the whole fault, with its suggestion.
pub(crate) fn is_missing_why(turn: &Turn) {
    assert_eq!(turn.value("code"), "MISSING_WHY", "{turn:#?}");
    assert_eq!(turn.value("recoverable"), true, "{turn:#?}");
    assert!(turn.value("suggestion").as_str().is_some_and(|way| way.contains("why")), "{turn:#?}");
}

/// Each hunk with its state, of a change whose first hunk was accepted and whose others were rejected for `reason`.
pub(crate) fn is_partly_applied(told: &Value, reason: &str) {
    assert_eq!(told["status"], "partly_applied", "{told:#}");
    let hunks = told["hunks"].as_array().unwrap();
    let states: Vec<_> = hunks.iter().map(|hunk| hunk["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["accepted", "rejected", "rejected"], "{told:#}");
    assert_eq!((&hunks[1]["reason"], &hunks[2]["reason"]), (&json!(reason), &json!(reason)), "{told:#}");
}
