//! JSON-RPC messages: read with error handling, and written.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use crate::base::envelope::MessageEnvelope;
use crate::base::{json, surrogates};

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClientMessage {
    /// Wants an answer.
    Request {
        /// A string, a whole number or null; it is returned unchanged.
        id: Value,
        /// The method.
        method: String,
        /// The params.
        params: Option<Value>,
    },
    /// Wants none.
    Notification {
        /// The method.
        method: String,
        /// The params.
        params: Option<Value>,
    },
    /// The answer to a request of the server.
    Response(Response),
}

/// The answer to a malformed body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MessageRefusal {
    /// The id of the message, null if it has no usable one.
    pub id: Value,
    /// The problem.
    pub error: Error,
    /// True if it is no JSON at all, so that its length may be wrong, too.
    pub is_torn: bool,
}

#[derive(Deserialize)]
struct RawMessage<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "some_even_if_null")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "some_even_if_null")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "some_even_if_null")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// A null counts as present, unlike a missing member.
fn some_even_if_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// Reads a body.
///
/// # Errors
/// The error to answer.
pub(crate) fn parse_message(body: &[u8]) -> Result<ClientMessage, MessageRefusal> {
    let text =
        std::str::from_utf8(body).map_err(|error| torn_refusal(body, format!("not UTF-8: {error}")))?;
    if !text.trim_ascii_start().starts_with('{') {
        return Err(no_object_refusal(text));
    }
    let raw: RawMessage<'_> = serde_json::from_str(text).map_err(|error| match error.is_data() {
        true => message_refusal(Value::Null, ErrorCode::InvalidRequest, format!("not a message: {error}")),
        false => torn_refusal(body, format!("not JSON: {error}")),
    })?;
    let id = raw.id.map(read_id);
    let known = || id.clone().flatten().unwrap_or(Value::Null);
    let invalid = |what: &str| Err(message_refusal(known(), ErrorCode::InvalidRequest, what));
    if raw.jsonrpc.and_then(string_text).as_deref() != Some("2.0") {
        return invalid("`jsonrpc` is not \"2.0\"");
    }
    let Some(method) = raw.method else {
        return match (raw.result, raw.error) {
            (None, None) => invalid("neither a request nor a response: `method` is missing"),
            (result, error) => client_response(&known(), result, error),
        };
    };
    let Some(method) = string_text(method) else {
        return invalid("`method` is not a string");
    };
    match id {
        None => {
            let params = raw.params.map(|params| read_or_mend(params.get())).transpose();
            let params = params.map_err(|error| bad_json_refusal(Value::Null, &error))?;
            Ok(ClientMessage::Notification { method: method.into_owned(), params })
        }
        Some(None) => invalid("`id` is neither a string nor a whole number"),
        Some(Some(id)) => {
            let params = raw.params.map(|params| serde_json::from_str(params.get())).transpose();
            let params = params.map_err(|error| bad_json_refusal(id.clone(), &error))?;
            Ok(ClientMessage::Request { id, method: method.into_owned(), params })
        }
    }
}

/// The text of a string; nothing for another value.
fn string_text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    match inner.contains('\\') {
        true => serde_json::from_str(raw.get()).ok().map(Cow::Owned),
        false => Some(Cow::Borrowed(inner)),
    }
}

fn message_refusal(id: Value, code: ErrorCode, what: impl Into<String>) -> MessageRefusal {
    let mut error = Error::new(code);
    error.message = what.into().into();
    MessageRefusal { id, error, is_torn: false }
}

fn bad_json_refusal(id: Value, error: &serde_json::Error) -> MessageRefusal {
    message_refusal(id, ErrorCode::ParseError, format!("not JSON: {error}"))
}

fn torn_refusal(body: &[u8], what: String) -> MessageRefusal {
    let id = MessageEnvelope::from_text(body).request_id().unwrap_or_default();
    MessageRefusal { is_torn: true, ..message_refusal(id, ErrorCode::ParseError, what) }
}

/// A body that is JSON but no object is an invalid request.
fn no_object_refusal(text: &str) -> MessageRefusal {
    match serde_json::from_str::<&RawValue>(text) {
        Err(error) => torn_refusal(text.as_bytes(), format!("not JSON: {error}")),
        Ok(raw) if raw.get().starts_with('[') => message_refusal(
            Value::Null,
            ErrorCode::InvalidRequest,
            "a batch of messages; send them one by one",
        ),
        Ok(_) => message_refusal(Value::Null, ErrorCode::InvalidRequest, "not a message: no object"),
    }
}

/// An id that can be answered to.
fn read_id(raw: &RawValue) -> Option<Value> {
    match serde_json::from_str(raw.get()).ok()? {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => None,
        id @ (Value::Null | Value::Number(_) | Value::String(_)) => Some(id),
        _ => None,
    }
}

/// An answer to a request of the server; if it holds both a result and an error, the error counts.
fn client_response(
    id: &Value,
    result: Option<&RawValue>,
    error: Option<&RawValue>,
) -> Result<ClientMessage, MessageRefusal> {
    let id = match id {
        Value::Number(number) => number.as_i64().map_or(Id::Null, Id::Number),
        Value::String(text) => Id::String(text.clone()),
        _ => Id::Null,
    };
    let read = |raw: &RawValue| read_or_mend(raw.get()).unwrap_or_default();
    Ok(ClientMessage::Response(match (error.map(read), result.map(read)) {
        (Some(error), _) => Response::from_error(id, read_error(&error)),
        (None, result) => Response::from_ok(id, result.unwrap_or_default()),
    }))
}

fn read_error(error: &Value) -> Error {
    let code = error["code"].as_i64().unwrap_or(ErrorCode::InternalError.code());
    let message = error["message"].as_str().unwrap_or("the client said no more").to_owned();
    Error { code: ErrorCode::from(code), message: message.into(), data: error.get("data").cloned() }
}

/// Reads a value whose strings may hold an unpaired surrogate: only that is replaced by a replacement character, which
/// has the same length in UTF-16.
fn read_or_mend(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match surrogates::replace_halves(text) {
        Some(whole) => serde_json::from_str(&whole),
        None => Err(error),
    })
}

/// An answer, framed.
pub(crate) fn frame_answer(id: &Value, outcome: &Result<Value, Error>) -> Vec<u8> {
    // Space for a small file and its escapes, so that most answers are never reallocated.
    let mut body = Vec::with_capacity(8 << 10);
    body.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    json::write_value(&mut body, id);
    match outcome {
        Ok(result) => {
            body.extend_from_slice(br#","result":"#);
            json::write_value(&mut body, result);
        }
        Err(error) => {
            body.extend_from_slice(br#","error":"#);
            body.append(&mut serialize_message(error));
        }
    }
    body.push(b'}');
    frame_body(&body)
}

/// Any message, framed.
pub(crate) fn frame_message(message: &impl Serialize) -> Vec<u8> {
    frame_body(&serialize_message(message))
}

fn serialize_message(message: &impl Serialize) -> Vec<u8> {
    // A `Value` always serialises: its keys are strings.
    serde_json::to_vec(message).unwrap_or_default()
}

fn frame_body(body: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 32);
    framed.extend_from_slice(b"Content-Length: ");
    framed.extend_from_slice(body.len().to_string().as_bytes());
    framed.extend_from_slice(b"\r\n\r\n");
    framed.extend_from_slice(body);
    framed
}

#[cfg(test)]
mod tests;
