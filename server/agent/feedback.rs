//! The results of a call for the model and the person.

use serde_json::Value;

use crate::base::hidden::escape_to_line;
use crate::base::json;
use crate::hub::model_result;
use crate::protocol::{ChangeAnswer, ChangeStatus, Envelope, RunEnding, Status};

/// The least bytes of a result that the model gets, however small its context is.
const LEAST: usize = 2000;
/// Characters of a summary.
const SUMMARY: usize = 160;

/// A result for the model: all that the answer holds, cut to a number of bytes.
pub(super) fn result_for_model(
    envelope: &Envelope,
    names: impl FnOnce() -> Vec<String>,
    most: usize,
) -> String {
    cut_text(json::to_json_text(&model_result(envelope, names)), most)
}

/// The text cut to a number of bytes, with a note on the rest.
pub(super) fn cut_text(mut text: String, most: usize) -> String {
    let most = most.max(LEAST);
    if text.len() <= most {
        return text;
    }
    let at = text_head(&text, most).len();
    let gone = text.len() - at;
    text.truncate(at);
    text.push_str(&format!(
        "… [{gone} further bytes did not fit; ask for less, as a range of lines or fewer results]"
    ));
    text
}

/// The beginning of a text, up to a number of bytes.
pub(super) fn text_head(text: &str, most: usize) -> &str {
    let at = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..at]
}

/// The result of a call, in a line for the person.
pub(super) fn call_summary(envelope: &Envelope) -> String {
    let text = match (&envelope.error, envelope.result.as_deref()) {
        (Some(fault), _) => fault.message.clone(),
        (None, Some(_)) if envelope.latent && envelope.status == Status::Ok => {
            "no code ran: the model filled the output".to_owned()
        }
        (None, Some(result)) => result_summary(envelope.status, result),
        (None, None) => String::new(),
    };
    let line = escape_to_line(&text);
    match line.char_indices().nth(SUMMARY) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into_owned(),
    }
}

/// Returns whether a call failed, or the command that it ran.
pub(super) fn has_failed(envelope: &Envelope) -> bool {
    envelope.error.is_some() || envelope.result.as_deref().and_then(RunEnding::failure_words).is_some()
}

fn result_summary(status: Status, result: &Value) -> String {
    if status == Status::Latent {
        return "the model is to fill the output".to_owned();
    }
    let command = command_summary(result);
    let change = ChangeAnswer::from_result(result);
    match (command, change) {
        (Some(command), Some(change)) if change.status != ChangeStatus::Unchanged => {
            format!("{}; {command}", change_summary(&change))
        }
        (Some(command), _) => command,
        (None, Some(change)) => change_summary(&change),
        (None, None) => "done".to_owned(),
    }
}

/// The state of a change, and the reasons of decisions on it.
fn change_summary(change: &ChangeAnswer) -> String {
    let (state, reasons) = (change.status.words(), change.reasons());
    if reasons.is_empty() { state.to_owned() } else { format!("{state}: {}", reasons.join("; ")) }
}

/// The end of a command and the last line of its output; none if the result is no command's.
fn command_summary(result: &Value) -> Option<String> {
    let RunEnding { words, failed } = RunEnding::from_result(result)?;
    let ending =
        words.strip_prefix("exit code ").map_or_else(|| words.clone(), |code| format!("exit {code}"));
    let last_line = |key: &str| {
        let text = result.get(key).and_then(Value::as_str).unwrap_or_default();
        text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
    };
    let streams = if failed { ["stderr", "stdout"] } else { ["stdout", "stderr"] };
    Some(match streams.into_iter().find_map(last_line) {
        Some(line) => format!("{ending}: {line}"),
        None => ending,
    })
}

/// The path that a call changed, and the hash of its new text, if the change is in place.
pub(super) fn changed_path(change: ChangeAnswer) -> Option<(String, String)> {
    change.status.is_written().then_some(())?;
    Some((change.path?, change.hash?))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::pipeline::fault_envelope;
    use crate::protocol::Fault;

    fn answered(result: Value) -> Envelope {
        let fault = fault_envelope("c-0001".into(), Fault::internal("broken"));
        Envelope { status: Status::Ok, error: None, result: Some(Arc::new(result)), ..fault }
    }

    #[test]
    fn a_persons_reason_reaches_the_model_and_the_line() {
        let hunks = json!([{ "id": "h1", "state": "rejected", "line": 1, "reason": "keep the name" }]);
        let envelope = answered(json!({ "status": "rejected", "path": "a", "hunks": hunks, "hash": "x" }));
        assert!(result_for_model(&envelope, Vec::new, 0).contains("keep the name"));
        assert_eq!(call_summary(&envelope), "rejected: keep the name");
        let changed = |envelope| ChangeAnswer::from_envelope(envelope).and_then(changed_path);
        assert_eq!(changed(&envelope), None);
        let applied = answered(json!({ "status": "applied", "path": "a", "hunks": [], "hash": "x" }));
        assert_eq!(changed(&applied), Some(("a".to_owned(), "x".to_owned())));
    }

    #[test]
    fn a_command_is_told_by_its_end_and_its_last_line() {
        let command = |status: &str, code: i64, stderr: &str| {
            let result = json!({
                "status": status, "hunks": [], "exit_code": code, "stdout": "9\n10\n", "stderr": stderr, "sandbox": "x",
            });
            call_summary(&answered(result))
        };
        assert_eq!(command("unchanged", 0, ""), "exit 0: 10");
        assert_eq!(command("applied", 0, "a warning\n"), "applied; exit 0: 10");
        assert_eq!(command("unchanged", 2, "no such file\n"), "exit 2: no such file");
        assert_eq!(call_summary(&answered(json!({ "status": "unchanged", "hunks": [] }))), "unchanged");
    }

    #[test]
    fn a_long_result_is_cut_between_characters_and_says_so() {
        let text = cut_text("ü".repeat(3000), 2001);
        assert!(
            text.starts_with(&"ü".repeat(1000)) && text.contains("4000 further bytes"),
            "{}",
            &text[1990..]
        );
        assert_eq!(cut_text("short".to_owned(), 0), "short");
    }

    #[test]
    fn a_fault_is_told_as_it_is() {
        let envelope = fault_envelope("c-0001".into(), Fault::internal("broken\nin two"));
        assert!(result_for_model(&envelope, Vec::new, 0).contains("\"code\":\"INTERNAL\""));
        assert_eq!(call_summary(&envelope), "broken\\u{a}in two");
    }
}
