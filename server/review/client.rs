//! With no editor to show a change in, the person is asked in the agent's own client, where that can ask. The client may
//! answer by itself: its decision is logged as the client's, and counts as a hunk that nobody has looked at.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::queue::ProposalQueue;
use crate::base::hidden::in_line;
use crate::base::markdown;
use crate::ports::{Ask, Caller};
use crate::protocol::{Act, DecideParams, DecidedBy, Proposal};

/// Lines of a change that a question shows.
const SHOWN: usize = 60;
/// Files that it names before the why.
const NAMED: usize = 20;
/// Characters of a path, of a why, and of an agent's name.
const PATH: usize = 300;
const WHY: usize = 600;
const AGENT: usize = 60;

/// Asks for a decision on the whole proposal, and carries it out. No answer, or none that says yes or no, leaves the
/// proposal pending.
pub(super) async fn ask(queue: &ProposalQueue, caller: &dyn Caller, proposal: &Proposal, limit: Duration) {
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
    let asks = vec![("review".to_owned(), Ask::Form { message: question(proposal), schema })];
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
    // A client may fill in its form with nobody looking at it. What could not be applied stays pending or is stale, and
    // the answer to the call says so.
    let _ = queue.decide(&params, DecidedBy::Client).await;
}

/// The change as a form's message. Clients may read it as Markdown: names and the why are escaped, lines stand in a block
/// that nothing in them ends. What changes stands before what the agent says of it.
fn question(proposal: &Proposal) -> String {
    let agent = proposal.origin.agent.as_deref().unwrap_or("The agent");
    let mut text = String::from("Change ");
    for (at, file) in proposal.files.iter().take(NAMED).enumerate() {
        let _ =
            write!(text, "{}{}", if at == 0 { "" } else { ", " }, markdown::line(file.path.as_str(), PATH));
    }
    if let Some(more) = proposal.files.len().checked_sub(NAMED).filter(|more| *more > 0) {
        let _ = write!(text, " and {more} more files");
    }
    let (agent, why) = (markdown::line(agent, AGENT), markdown::line(&proposal.why, WHY));
    let _ = writeln!(text, "\n\n{agent} says why: {why}");
    let mut left = SHOWN;
    for file in &proposal.files {
        let _ = writeln!(text, "\n{}", markdown::line(file.path.as_str(), PATH));
        if let Some(what) = &file.what {
            let _ = writeln!(text, "{}", markdown::line(what, WHY));
        }
        for hunk in file.hunks.iter().filter(|_| file.kind.has_text()) {
            let lines =
                hunk.old.iter().map(|line| ('-', line)).chain(hunk.new.iter().map(|line| ('+', line)));
            let mut shown = String::new();
            for (sign, line) in lines {
                let Some(fewer) = left.checked_sub(1) else { continue };
                left = fewer;
                let _ = writeln!(shown, "{sign}{}", in_line(line.trim_end_matches(['\r', '\n'])));
            }
            let fence = markdown::fence(&shown);
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
    use crate::base::hidden::hides;

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
        let text = question(&serde_json::from_value(proposal).unwrap());
        assert!(!hides(&text), "{text:?}");
        assert!(text.starts_with("Change dir/ok") && text.find("dir/") < text.find("WHY"), "{text}");
        assert!(!text.contains("<b>") && !text.contains("\n# ") && !text.contains("[x]"), "{text}");
        assert!(text.contains("````diff\n+a\\u{202e}\n+```\n````"), "{text}");
    }
}
