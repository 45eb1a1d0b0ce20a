//! What is answered to a text that is no message, by its id where that can be read.

use rmcp::ErrorData;
use rmcp::model::RequestId;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::LONGEST;
use crate::base::envelope::{DEEPEST, Envelope};
use crate::protocol::{Code, Fault};

/// An error with the request that it is for; with none where no id could be read.
pub(super) struct ProtocolRefusal {
    pub(super) id: Option<RequestId>,
    pub(super) error: ErrorData,
}

impl ProtocolRefusal {
    /// What was read of the message that it is about says which one that is.
    fn of(envelope: &Envelope, error: ErrorData) -> Self {
        let id = envelope.request_id().and_then(|id| serde_json::from_value(id).ok());
        Self { id, error }
    }

    /// As it is sent where there is nobody but us to write it.
    pub(super) fn body(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error })
    }
}

/// The answer to a message beyond [`LONGEST`].
pub(super) fn too_long(envelope: &Envelope) -> ProtocolRefusal {
    let what = format!("a message has at most {LONGEST} bytes; this one is longer and was not taken");
    ProtocolRefusal::of(envelope, invalid(envelope, what))
}

/// What keeps a text from being read as JSON, where something does.
pub(super) fn unreadable(text: &[u8]) -> Option<ProtocolRefusal> {
    if let Err(error) = serde_json::from_slice::<&RawValue>(text) {
        let error = ErrorData::parse_error(format!("the message is not JSON: {error}"), None);
        return Some(ProtocolRefusal::of(&Envelope::of(text), error));
    }
    let envelope = Envelope::of(text);
    envelope.is_too_deep().then(|| {
        let what = format!(
            "a message is nested at most {DEEPEST} levels deep; this one is deeper and was not taken"
        );
        ProtocolRefusal::of(&envelope, invalid(&envelope, what))
    })
}

/// The answer to JSON that is no message.
pub(super) fn no_message(text: &[u8]) -> ProtocolRefusal {
    ProtocolRefusal::of(
        &Envelope::of(text),
        ErrorData::invalid_request("this is JSON, but not a message of the protocol", None),
    )
}

/// A message that cannot be answered by its id could as well be no JSON.
fn invalid(envelope: &Envelope, what: String) -> ErrorData {
    match envelope.request_id() {
        Some(_) => ErrorData::invalid_request(what, None),
        None => ErrorData::parse_error(what, None),
    }
}

/// A tool that there is not. Clients show a model the message alone: what it can do stands there too.
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

/// Every list comes as one page, so no cursor of ours is ever a valid one.
///
/// # Errors
/// Invalid params where there is one.
pub(super) fn no_cursor(cursor: Option<&str>) -> Result<(), ErrorData> {
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
