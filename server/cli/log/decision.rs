//! A decision for people: the decider, the verb and the hunks.

use serde_json::Value;

use super::lines::LogRow;
use super::text::REASON;
use crate::base::hidden::shorten_to_line;
use crate::cli::print::TextLook;
use crate::journal::JournalEntry;

/// The row of a decision.
pub(super) fn decision_row(entry: &JournalEntry) -> LogRow {
    let part = |key: &str| entry.body.get(key).and_then(Value::as_str).unwrap_or_default();
    let look = match part("status") {
        "applied" => TextLook::Green,
        "rejected" | "stale" => TextLook::Red,
        _ => TextLook::Yellow,
    };
    let hunks: Vec<&Value> =
        entry.body.get("hunks").and_then(Value::as_array).into_iter().flatten().collect();
    let waits = if part("status") == "pending" { "; the other hunks wait" } else { "" };
    let said = decision_sentence(part("by"), part("status"), part("proposal"), &hunks);
    LogRow::of(look, shorten_to_line(&format!("{said}{waits}"), REASON))
}

/// The decision and the decider, as a sentence.
fn decision_sentence(by: &str, status: &str, proposal: &str, hunks: &[&Value]) -> String {
    let part = |hunk: &Value, key: &str| hunk.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut parts: Vec<String> = Vec::new();
    let mut last = String::new();
    for hunk in hunks {
        let (id, state, reason) = (part(hunk, "id"), part(hunk, "state"), part(hunk, "reason"));
        let reason = if reason.is_empty() { String::new() } else { format!(" (“{reason}”)") };
        // Hunks with the same state share one verb.
        parts.push(match last == state {
            true => format!("{id}{reason}"),
            false => format!("{} {id}{reason}", state_verb(&state)),
        });
        last = state;
    }
    let done = parts.join(", ");
    match by {
        "person" => format!("you {done}"),
        // The client may have answered without a person.
        "client" => format!("{} by client, and not by you: {done}", status.replace('_', " ")),
        "policy" => format!("the policy {done}"),
        "editor" => format!("the editor {done}"),
        _ if hunks.iter().all(|hunk| part(hunk, "state") == "stale") => {
            let (ids, fit) = (hunks.iter().map(|hunk| part(hunk, "id")).collect::<Vec<_>>(), hunks.len());
            let verb = if fit == 1 { "no longer fits" } else { "no longer fit" };
            format!("{proposal} {} {verb}; set aside", ids.join(", "))
        }
        "text" => format!("the text changed: {done}"),
        "recovery" => format!("found after a crash: {done}"),
        by => format!("{by} {done}"),
    }
}

fn state_verb(state: &str) -> &str {
    match state {
        "pending" => "left open",
        "stale" => "set aside",
        state => state,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_decision_is_said_with_its_subject() {
        let hunk =
            |id: &str, state: &str, reason: &str| json!({ "id": id, "state": state, "reason": reason });
        let said = |by: &str, hunks: &[Value]| {
            decision_sentence(by, "partly_applied", "p-0001", &hunks.iter().collect::<Vec<_>>())
        };
        let accepted = [hunk("h1", "accepted", ""), hunk("h2", "accepted", "")];
        assert_eq!(said("person", &accepted[..1]), "you accepted h1");
        assert_eq!(said("policy", &accepted), "the policy accepted h1, h2");
        let mixed = [hunk("h1", "accepted", ""), hunk("h2", "rejected", "wrong name")];
        assert_eq!(
            said("client", &mixed),
            "partly applied by client, and not by you: accepted h1, rejected h2 (“wrong name”)"
        );
        let stale = [hunk("h1", "stale", ""), hunk("h3", "stale", "")];
        assert_eq!(said("text", &stale[..1]), "p-0001 h1 no longer fits; set aside");
        assert_eq!(said("text", &stale), "p-0001 h1, h3 no longer fit; set aside");
    }
}
