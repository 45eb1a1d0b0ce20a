//! Asks the person in the agent's own client, with no editor to show a change in, where the client can ask. The client
//! may answer by itself: its decision is logged as the client's, and its hunks count as not reviewed.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::decide::DecisionRunner;
use crate::base::hidden::escape_to_line;
use crate::base::markdown;
use crate::ports::{Ask, Caller};
use crate::protocol::{Act, DecideParams, DecidedBy, Proposal};

/// Lines of a change that a question shows.
const SHOWN_LINES: usize = 60;
/// Files that it names before the why.
const NAMED_FILES: usize = 20;
/// Characters of a path, of a why, and of an agent's name.
const PATH: usize = 300;
const WHY: usize = 600;
const AGENT: usize = 60;

/// Asks for a decision on the whole proposal, and carries it out. Without an answer, or with another one than yes or
/// no, the proposal stays pending.
pub(super) async fn ask_for_decision(
    decisions: &DecisionRunner,
    caller: &dyn Caller,
    proposal: &Proposal,
    limit: Duration,
) {
    let schema = json!({
        "type": "object",
        "properties": {
            "decision": {
                "type": "string",
                "enum": ["accept", "reject", "later"],
                "description": "Accept the whole change, reject it, or leave it for `wherefore review`",
            },
            "reason": { "type": "string", "description": "A word for the agent" },
        },
        "required": ["decision"],
    });
    let asks = vec![("review".to_owned(), Ask::Form { message: question_text(proposal), schema })];
    let Ok(Ok(answers)) = timeout(limit, caller.ask(asks)).await else { return };
    let content =
        answers.get("review").filter(|answer| answer["action"] == "accept").map(|answer| &answer["content"]);
    let said = |name: &str| content.and_then(|content| content.get(name)).and_then(Value::as_str);
    let act = match said("decision") {
        Some("accept") => Act::Accept,
        Some("reject") => Act::Reject,
        _ => return,
    };
    let reason = said("reason").map(str::trim).filter(|reason| !reason.is_empty()).map(str::to_owned);
    let proposal = Some(proposal.id.clone());
    let params = DecideParams { proposal, reason, ..DecideParams::all(act) };
    // A client may fill in its form without showing it to anyone. Hunks that could not be applied stay pending or are
    // stale, and the answer to the call reports that.
    let _ = decisions.decide_hunks(&params, DecidedBy::Client).await;
}

/// Returns the message of the form for a change. Clients may read it as Markdown: names and the reason are escaped, and
/// the lines are in a block that nothing in them ends. The change comes before the agent's words.
fn question_text(proposal: &Proposal) -> String {
    let agent = proposal.origin.agent.as_deref().unwrap_or("The agent");
    let mut text = String::from("Change ");
    for (at, file) in proposal.files.iter().take(NAMED_FILES).enumerate() {
        let _ = write!(
            text,
            "{}{}",
            if at == 0 { "" } else { ", " },
            markdown::escape_markdown(file.path.as_str(), PATH)
        );
    }
    if let Some(more) = proposal.files.len().checked_sub(NAMED_FILES).filter(|more| *more > 0) {
        let _ = write!(text, " and {more} more files");
    }
    let (agent, why) =
        (markdown::escape_markdown(agent, AGENT), markdown::escape_markdown(&proposal.why, WHY));
    let _ = writeln!(text, "\n\n{agent} says why: {why}");
    let mut left = SHOWN_LINES;
    for file in &proposal.files {
        let _ = writeln!(text, "\n{}", markdown::escape_markdown(file.path.as_str(), PATH));
        if let Some(what) = &file.what {
            let _ = writeln!(text, "{}", markdown::escape_markdown(what, WHY));
        }
        for hunk in file.hunks.iter().filter(|_| file.kind.has_text()) {
            let lines =
                hunk.old.iter().map(|line| ('-', line)).chain(hunk.new.iter().map(|line| ('+', line)));
            let mut shown = String::new();
            for (sign, line) in lines {
                let Some(fewer) = left.checked_sub(1) else { continue };
                left = fewer;
                let _ = writeln!(shown, "{sign}{}", escape_to_line(line.trim_end_matches(['\r', '\n'])));
            }
            let fence = markdown::code_fence(&shown);
            let _ = writeln!(text, "Line {}:\n{fence}diff\n{shown}{fence}", hunk.start + 1);
        }
    }
    if left == 0 {
        text.push_str("… the change goes on: `wherefore review` shows all of it\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hidden::has_hidden;

    #[test]
    fn the_path_stands_first_and_nothing_forges_text() {
        let hostile = "ok\n\n# README.md\n<b>safe</b> [x](y) `c` \u{1b}[2J\u{202e}\u{200b}";
        let hunk =
            json!({ "id": "h1", "start": 0, "old": [], "new": ["a\u{202e}\n", "```\n"], "state": "pending" });
        let file = json!({ "path": format!("dir/{hostile}"), "uri": "", "kind": "edit", "hunks": [hunk] });
        let proposal = json!({
            "id": "p-1", "call_id": "c-1", "session": "s", "tool": "fs.edit", "why": format!("WHY {hostile}"),
            "origin": { "door": "mcp", "agent": hostile }, "created": "", "files": [file],
        });
        let text = question_text(&serde_json::from_value(proposal).unwrap());
        assert!(!has_hidden(&text), "{text:?}");
        assert!(text.starts_with("Change dir/ok") && text.find("dir/") < text.find("WHY"), "{text}");
        assert!(!text.contains("<b>") && !text.contains("\n# ") && !text.contains("[x]"), "{text}");
        assert!(text.contains("````diff\n+a\\u{202e}\n+```\n````"), "{text}");
    }
}
