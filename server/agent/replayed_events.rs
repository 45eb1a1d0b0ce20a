//! An earlier conversation, replayed as events.

use std::collections::HashSet;

use serde_json::Value;

use super::calls;
use super::initial_context::FILES;
use super::resume::read_conversation;
use super::turn::NUDGE;
use crate::base::CallId;
use crate::base::hidden::escape_to_line;
use crate::hub::ServedFolder;
use crate::model::ModelMessage;
use crate::protocol::{AgentEnd, AgentHappening, Fault, Status};

/// Characters of a result that are shown.
const RESULT: usize = 400;

/// The events of a run, from the log: the person's messages, the model's, its calls and their results.
///
/// # Errors
/// NOT_FOUND if no log has the run; the error of reading the log.
pub fn replayed_events(folder: &ServedFolder, run: &str) -> Result<Vec<AgentHappening>, Fault> {
    let mut told = Vec::new();
    let mut completing = HashSet::new();
    for message in read_conversation(folder, run)?.messages {
        match message {
            ModelMessage::User { text } if text == NUDGE => {}
            ModelMessage::User { text } => {
                // The files that were sent with the first message are not the person's words.
                let words = text.split_once(&format!("\n\n{FILES}")).map_or(&*text, |(words, _)| words);
                let (task, model) = (words.to_owned(), String::new());
                told.push(AgentHappening::Began { task, model, resumes: None });
            }
            ModelMessage::Assistant { text, calls, .. } => {
                if !text.trim().is_empty() {
                    told.push(AgentHappening::Text { text });
                }
                for call in calls {
                    let meant = calls::understand_call(folder, call);
                    if meant.tool == calls::COMPLETE {
                        completing.insert(meant.call.id.clone());
                        let text = meant.arguments.get("summary").and_then(Value::as_str);
                        let (end, text) = (AgentEnd::Complete, text.unwrap_or_default().to_owned());
                        told.push(AgentHappening::Ended { end, text, fault: None, pending: Vec::new() });
                        continue;
                    }
                    told.push(AgentHappening::Call {
                        call: meant.call.id.clone(),
                        tool: meant.tool.clone(),
                        why: meant.call_reason().to_owned(),
                        paths: meant.named_paths(),
                    });
                }
            }
            ModelMessage::ToolResult { call_id, .. } if completing.contains(&call_id) => {}
            ModelMessage::ToolResult { call_id, name, text, failed } => told.push(AgentHappening::Result {
                call: call_id,
                call_id: CallId::default(),
                tool: name,
                status: if failed { Status::Error } else { Status::Ok },
                failed,
                summary: escape_to_line(&result_summary(&text).chars().take(RESULT).collect::<String>())
                    .into_owned(),
                proposal: None,
            }),
        }
    }
    Ok(told)
}

/// The result of a call, from the text for the model: the outcome of a change, the error, or the text itself.
fn result_summary(told: &str) -> String {
    let Ok(result) = serde_json::from_str::<Value>(told) else { return told.to_owned() };
    let text = |place: &str| result.pointer(place).and_then(Value::as_str).map(|text| text.replace('_', " "));
    let fault = result.pointer("/error/message").and_then(Value::as_str).map(str::to_owned);
    let reasons = result.get("hunks").and_then(Value::as_array).into_iter().flatten();
    let reasons: Vec<&str> = reasons.filter_map(|hunk| hunk.get("reason").and_then(Value::as_str)).collect();
    fault
        .or_else(|| {
            text("/status").map(|status| match reasons.is_empty() {
                true => status,
                false => format!("{status}: {}", reasons.join("; ")),
            })
        })
        .unwrap_or_else(|| "done".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_told_in_few_words() {
        for (told, expected) in [
            (r#"{"content":"a lot","lines":3}"#, "done"),
            (r#"{"status":"partly_applied","hunks":[{"id":"h1"},{"reason":"no"}]}"#, "partly applied: no"),
            (r#"{"error":{"code":"NOT_FOUND","message":"there is no a_b"}}"#, "there is no a_b"),
            ("The run ended.", "The run ended."),
        ] {
            assert_eq!(result_summary(told), expected, "{told}");
        }
    }
}
