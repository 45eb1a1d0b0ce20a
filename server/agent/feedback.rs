//! What the model and the person are told of a call that ended.

use serde_json::Value;

use crate::base::hidden::in_line;
use crate::base::json;
use crate::hub::told;
use crate::protocol::{Envelope, Status};

/// The least bytes of a result that the model gets, however small its context is.
const LEAST: usize = 2000;
/// Characters of a summary.
const SUMMARY: usize = 160;

/// A result as the model gets it: all that the answer holds, and what is left of that within so many bytes.
pub(super) fn for_model(envelope: &Envelope, names: impl FnOnce() -> Vec<String>, most: usize) -> String {
    cut(json::text(&told(envelope, names)), most)
}

/// The text within so many bytes, with a word on what is gone.
pub(super) fn cut(mut text: String, most: usize) -> String {
    let most = most.max(LEAST);
    if text.len() <= most {
        return text;
    }
    let at = head(&text, most).len();
    let gone = text.len() - at;
    text.truncate(at);
    text.push_str(&format!(
        "… [{gone} further bytes did not fit; ask for less, as a range of lines or fewer results]"
    ));
    text
}

/// As much of the beginning of a text as so many bytes hold.
pub(super) fn head(text: &str, most: usize) -> &str {
    let at = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..at]
}

/// What came of a call, in a line for the person.
pub(super) fn summary(envelope: &Envelope) -> String {
    let text = match (&envelope.error, envelope.result.as_deref()) {
        (Some(fault), _) => fault.message.clone(),
        (None, Some(result)) => of_result(envelope.status, result),
        (None, None) => String::new(),
    };
    let line = in_line(&text);
    match line.char_indices().nth(SUMMARY) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.into_owned(),
    }
}

fn of_result(status: Status, result: &Value) -> String {
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    let number = |key: &str| result.get(key).and_then(Value::as_i64);
    let hunks = result.get("hunks").and_then(Value::as_array);
    match (status, hunks, text("status")) {
        (Status::Latent, ..) => "the model is to fill the output".to_owned(),
        (_, Some(hunks), Some(stands)) => {
            let reasons = hunks.iter().filter_map(|hunk| hunk.get("reason").and_then(Value::as_str));
            let reasons: Vec<&str> = reasons.collect();
            let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
            format!("{}{why}", stands.replace('_', " "))
        }
        _ => match (number("exit_code"), text("signal")) {
            (Some(code), _) => format!("exit code {code}"),
            (None, Some(signal)) => format!("ended by {signal}"),
            (None, None) => "done".to_owned(),
        },
    }
}

/// The proposal that a call's change became.
pub(super) fn proposal(envelope: &Envelope) -> Option<&str> {
    envelope.result.as_ref()?.get("proposal")?.as_str()
}

/// The path that a call changed, and the hash of its text since, where the change stands.
pub(super) fn changed(envelope: &Envelope) -> Option<(&str, &str)> {
    let result = envelope.result.as_ref()?;
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    matches!(text("status"), Some("applied" | "partly_applied")).then_some(())?;
    Some((text("path")?, text("hash")?))
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
        assert!(for_model(&envelope, Vec::new, 0).contains("keep the name"));
        assert_eq!(summary(&envelope), "rejected: keep the name");
        assert_eq!(changed(&envelope), None);
        let applied = answered(json!({ "status": "applied", "path": "a", "hunks": [], "hash": "x" }));
        assert_eq!(changed(&applied), Some(("a", "x")));
    }

    #[test]
    fn a_long_result_is_cut_between_characters_and_says_so() {
        let text = cut("ü".repeat(3000), 2001);
        assert!(
            text.starts_with(&"ü".repeat(1000)) && text.contains("4000 further bytes"),
            "{}",
            &text[1990..]
        );
        assert_eq!(cut("short".to_owned(), 0), "short");
    }

    #[test]
    fn a_fault_is_told_as_it_is() {
        let envelope = fault_envelope("c-0001".into(), Fault::internal("broken\nin two"));
        assert!(for_model(&envelope, Vec::new, 0).contains("\"code\":\"INTERNAL\""));
        assert_eq!(summary(&envelope), "broken\\u{a}in two");
    }
}
