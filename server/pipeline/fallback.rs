//! With no editor to show a change in, the person is asked in the agent's own client, where that can ask.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::ports::{Ask, Caller};
use crate::protocol::{Act, DecideParams, Proposal};
use crate::review::Desk;

/// Lines of a change that a question shows.
const SHOWN: usize = 60;

/// Asks for a decision on the whole proposal, and carries it out. No answer, or none that says yes or no, leaves the
/// proposal pending.
pub(super) async fn ask(desk: &Desk, caller: &dyn Caller, proposal: &Proposal, limit: Duration) {
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
    // What could not be applied stays pending or is stale, and the answer to the call says so.
    let _ = desk.decide(&params, "person").await;
}

fn question(proposal: &Proposal) -> String {
    let mut text = format!("{}\n", proposal.why);
    let mut left = SHOWN;
    for file in &proposal.files {
        let _ = writeln!(text, "\n{}", file.path);
        for hunk in &file.hunks {
            let _ = writeln!(text, "@@ line {}", hunk.start + 1);
            let lines =
                hunk.old.iter().map(|line| ('-', line)).chain(hunk.new.iter().map(|line| ('+', line)));
            for (sign, line) in lines {
                let Some(fewer) = left.checked_sub(1) else { continue };
                left = fewer;
                let _ = writeln!(text, "{sign}{}", line.trim_end_matches(['\r', '\n']));
            }
        }
    }
    if left == 0 {
        text.push_str("… the change goes on: `wherefore review` shows all of it\n");
    }
    text
}
