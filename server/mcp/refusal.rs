//! The answers to texts that are no messages, by their ids if those can be read.

use rmcp::ErrorData;
use rmcp::model::RequestId;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::LONGEST;
use crate::base::envelope::{MAX_NESTING, MessageEnvelope};
use crate::protocol::{Code, Fault};

/// An error, and the id of its request; none if no id could be read.
pub(super) struct ProtocolRefusal {
    pub(super) id: Option<RequestId>,
    pub(super) error: ErrorData,
}

impl ProtocolRefusal {
    /// Makes a refusal of the message whose beginning was read.
    fn of(envelope: &MessageEnvelope, error: ErrorData) -> Self {
        let id = envelope.request_id().and_then(|id| serde_json::from_value(id).ok());
        Self { id, error }
    }

    /// The message as it is sent outside of the crate's transport.
    pub(super) fn to_message(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error })
    }
}

/// The answer to a message beyond [`LONGEST`].
pub(super) fn too_long_refusal(envelope: &MessageEnvelope) -> ProtocolRefusal {
    let what = format!("a message has at most {LONGEST} bytes; this one is longer and was not taken");
    ProtocolRefusal::of(envelope, invalid_error(envelope, what))
}

/// The reason why a text cannot be read as JSON; none if it can.
pub(super) fn unreadable_refusal(text: &[u8]) -> Option<ProtocolRefusal> {
    if let Err(error) = serde_json::from_slice::<&RawValue>(text) {
        let error = ErrorData::parse_error(format!("the message is not JSON: {error}"), None);
        return Some(ProtocolRefusal::of(&MessageEnvelope::from_text(text), error));
    }
    let envelope = MessageEnvelope::from_text(text);
    envelope.is_too_deep().then(|| {
        let what = format!(
            "a message is nested at most {MAX_NESTING} levels deep; this one is deeper and was not taken"
        );
        ProtocolRefusal::of(&envelope, invalid_error(&envelope, what))
    })
}

/// The answer to JSON that is no message.
pub(super) fn no_message_refusal(text: &[u8]) -> ProtocolRefusal {
    ProtocolRefusal::of(
        &MessageEnvelope::from_text(text),
        ErrorData::invalid_request("this is JSON, but not a message of the protocol", None),
    )
}

/// A message without a readable id could as well be no JSON.
fn invalid_error(envelope: &MessageEnvelope, what: String) -> ErrorData {
    match envelope.request_id() {
        Some(_) => ErrorData::invalid_request(what, None),
        None => ErrorData::parse_error(what, None),
    }
}

/// The error for an unknown tool. Clients show a model only the message, so the message includes the suggestion.
pub(super) fn unknown_tool(fault: &Fault, data: Value) -> Option<ErrorData> {
    (fault.code == Code::ToolNotFound).then(|| {
        let text = |at: &str| data.pointer(at).and_then(Value::as_str).map(str::to_owned);
        let names = data.get("hints").and_then(Value::as_array).into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Value::as_str).collect();
        let mut message = text("/message").unwrap_or_default();
        if !names.is_empty() {
            message.push_str(&format!("; nearest: {}", names.join(", ")));
        }
        if let Some(suggestion) = text("/suggestion") {
            message.push_str(&format!(". {suggestion}"));
        }
        ErrorData::invalid_params(message, Some(data))
    })
}

/// Refuses a cursor: every list is one page, so no cursor is ever valid.
///
/// # Errors
/// Invalid params if there is a cursor.
pub(super) fn refuse_cursor(cursor: Option<&str>) -> Result<(), ErrorData> {
    match cursor {
        None => Ok(()),
        Some(cursor) => {
            let shown: String = cursor.chars().take(100).collect();
            let data =
                json!({ "suggestion": "send the request without `cursor`: the list comes as one page" });
            Err(ErrorData::invalid_params(format!("{shown:?} is no cursor of this server's"), Some(data)))
        }
    }
}
