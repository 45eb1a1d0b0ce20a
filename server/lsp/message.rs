//! JSON-RPC messages: read with all that can be wrong with them, and written.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Response};

use crate::base::envelope::Envelope;
use crate::base::json;

/// A message from the client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ClientMessage {
    /// Wants an answer.
    Request {
        /// A string, a whole number or null; goes back as it came.
        id: Value,
        /// What is asked.
        method: String,
        /// With what.
        params: Option<Value>,
    },
    /// Wants none.
    Notification {
        /// What happened.
        method: String,
        /// With what.
        params: Option<Value>,
    },
    /// Answers a request of ours.
    Response(Response),
}

/// What is answered to a body that is no message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MessageRefusal {
    /// The id it carries, null where it has no usable one.
    pub id: Value,
    /// What is wrong.
    pub error: Error,
    /// Whether it is no JSON at all, so that its length is in doubt too.
    pub torn: bool,
}

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// A null is there, unlike what is not.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    Deserialize::deserialize(deserializer).map(Some)
}

/// Reads a body.
///
/// # Errors
/// What to answer to it.
pub(crate) fn parse(body: &[u8]) -> Result<ClientMessage, MessageRefusal> {
    let text = std::str::from_utf8(body).map_err(|error| torn(body, format!("not UTF-8: {error}")))?;
    if !text.trim_ascii_start().starts_with('{') {
        return Err(no_object(text));
    }
    let raw: Raw<'_> = serde_json::from_str(text).map_err(|error| match error.is_data() {
        true => refusal(Value::Null, ErrorCode::InvalidRequest, format!("not a message: {error}")),
        false => torn(body, format!("not JSON: {error}")),
    })?;
    let id = raw.id.map(read_id);
    let known = || id.clone().flatten().unwrap_or(Value::Null);
    let invalid = |what: &str| Err(refusal(known(), ErrorCode::InvalidRequest, what));
    if raw.jsonrpc.and_then(string).as_deref() != Some("2.0") {
        return invalid("`jsonrpc` is not \"2.0\"");
    }
    let Some(method) = raw.method else {
        return match (raw.result, raw.error) {
            (None, None) => invalid("neither a request nor a response: `method` is missing"),
            (result, error) => response(&known(), result, error),
        };
    };
    let Some(method) = string(method) else {
        return invalid("`method` is not a string");
    };
    match id {
        None => {
            let params = raw.params.map(|params| read_or_mend(params.get())).transpose();
            let params = params.map_err(|error| bad_json(Value::Null, &error))?;
            Ok(ClientMessage::Notification { method: method.into_owned(), params })
        }
        Some(None) => invalid("`id` is neither a string nor a whole number"),
        Some(Some(id)) => {
            let params = raw.params.map(|params| serde_json::from_str(params.get())).transpose();
            let params = params.map_err(|error| bad_json(id.clone(), &error))?;
            Ok(ClientMessage::Request { id, method: method.into_owned(), params })
        }
    }
}

/// The text of a string; nothing for another value.
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    match inner.contains('\\') {
        true => serde_json::from_str(raw.get()).ok().map(Cow::Owned),
        false => Some(Cow::Borrowed(inner)),
    }
}

fn refusal(id: Value, code: ErrorCode, what: impl Into<String>) -> MessageRefusal {
    let mut error = Error::new(code);
    error.message = what.into().into();
    MessageRefusal { id, error, torn: false }
}

fn bad_json(id: Value, error: &serde_json::Error) -> MessageRefusal {
    refusal(id, ErrorCode::ParseError, format!("not JSON: {error}"))
}

fn torn(body: &[u8], what: String) -> MessageRefusal {
    let id = Envelope::of(body).request_id().unwrap_or_default();
    MessageRefusal { torn: true, ..refusal(id, ErrorCode::ParseError, what) }
}

/// A body that is JSON but no object is an invalid request.
fn no_object(text: &str) -> MessageRefusal {
    match serde_json::from_str::<&RawValue>(text) {
        Err(error) => torn(text.as_bytes(), format!("not JSON: {error}")),
        Ok(raw) if raw.get().starts_with('[') => {
            refusal(Value::Null, ErrorCode::InvalidRequest, "a batch of messages; send them one by one")
        }
        Ok(_) => refusal(Value::Null, ErrorCode::InvalidRequest, "not a message: no object"),
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

/// An answer to us; where it holds both a result and an error, the error counts.
fn response(
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

/// Reads a value whose strings may hold half a surrogate pair: nothing else would be lost with it, so the half
/// becomes a replacement character, which counts as much in UTF-16.
fn read_or_mend(text: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| serde_json::from_str(&mend(text)).map_err(|_| error))
}

/// `text` with every escaped half of a surrogate pair replaced.
fn mend(text: &str) -> String {
    let unit = |at: usize| {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(step) = text[at..].find('\\') {
        out.push_str(&text[at..at + step]);
        at += step;
        let length = match unit(at) {
            Some(0xd800..=0xdbff) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => 12,
            Some(0xd800..=0xdfff) => {
                out.push_str("\\ufffd");
                at += 6;
                continue;
            }
            _ => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&text[at..at + length]);
        at += length;
    }
    out.push_str(&text[at..]);
    out
}

/// An answer, framed.
pub(crate) fn answer(id: &Value, outcome: &Result<Value, Error>) -> Vec<u8> {
    // Room for a small file and its escapes, so that most answers are never moved.
    let mut body = Vec::with_capacity(8 << 10);
    body.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    json::write(&mut body, id);
    match outcome {
        Ok(result) => {
            body.extend_from_slice(br#","result":"#);
            json::write(&mut body, result);
        }
        Err(error) => {
            body.extend_from_slice(br#","error":"#);
            body.append(&mut serialized(error));
        }
    }
    body.push(b'}');
    framed(&body)
}

/// Any message, framed.
pub(crate) fn frame(message: &impl Serialize) -> Vec<u8> {
    framed(&serialized(message))
}

fn serialized(message: &impl Serialize) -> Vec<u8> {
    // A `Value` and what holds one always serialises: its keys are strings.
    serde_json::to_vec(message).unwrap_or_default()
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(body.len() + 32);
    framed.extend_from_slice(b"Content-Length: ");
    framed.extend_from_slice(body.len().to_string().as_bytes());
    framed.extend_from_slice(b"\r\n\r\n");
    framed.extend_from_slice(body);
    framed
}

#[cfg(test)]
mod tests;
