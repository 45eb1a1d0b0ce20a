//! The parts of JSON-RPC messages that the proxy reads.

use serde_json::{Value, json};

use super::strict_json::read_unambiguous;
use crate::protocol::{Code, Fault};

/// The code of an error that has only a message.
const INTERNAL: i64 = -32603;
/// The protocol's code for a file that is not there.
const NOT_FOUND: i64 = -32002;
/// The protocol's code for a cancelled request.
const CANCELLED: i64 = -32800;

/// The members of a message.
const MEMBERS: [&str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];

/// A line, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RpcMessage {
    /// It wants an answer.
    Request(RpcRequest),
    /// It wants none.
    Notification {
        /// The method.
        method: String,
        /// Its params.
        params: Value,
    },
    /// The answer to a request.
    Answer {
        /// The request's id.
        id: Value,
        /// The result or the error.
        answer: RpcAnswer,
    },
    /// Several messages in one, which the protocol does not have.
    Batch,
    /// No message of the protocol, or one that readers would interpret differently.
    Other,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcRequest {
    /// Its id, as its sender chose it.
    pub(super) id: Value,
    /// The method.
    pub(super) method: String,
    /// Its params.
    pub(super) params: Value,
}

/// The answer to a request: a result, or an error of JSON-RPC.
pub(super) type RpcAnswer = Result<Value, Value>;

impl RpcMessage {
    /// Reads a line.
    pub(super) fn read(line: &[u8]) -> Self {
        let mut members = match read_unambiguous(line) {
            Ok(Value::Object(members)) => members,
            Ok(Value::Array(_)) => return Self::Batch,
            _ => return Self::Other,
        };
        // Some readers match names without regard to case.
        let is_odd = |name: &String| {
            let known = MEMBERS.iter().find(|known| known.eq_ignore_ascii_case(name));
            known.is_some_and(|known| known != name)
        };
        if members.keys().any(is_odd) {
            return Self::Other;
        }
        let mut take = |name: &str| members.get_mut(name).map(Value::take);
        let (id, params) = (take("id"), take("params").unwrap_or_default());
        match (take("method"), id, take("error"), take("result")) {
            (Some(Value::String(method)), Some(id), None, None) => {
                Self::Request(RpcRequest { id, method, params })
            }
            (Some(Value::String(method)), None, None, None) => Self::Notification { method, params },
            (None, Some(id), Some(error), _) if !error.is_null() => Self::Answer { id, answer: Err(error) },
            (None, Some(id), _, Some(result)) => Self::Answer { id, answer: Ok(result) },
            _ => Self::Other,
        }
    }
}

/// The message of a line as one line for every reader, if some would split it: at a carriage return, or at a line
/// separator of Unicode. None if all readers take it as one line.
pub(super) fn joined_line(line: &[u8]) -> Option<Vec<u8>> {
    let body = line.strip_suffix(b"\r").unwrap_or(line);
    let is_break = |at: usize| match body[at] {
        b'\r' | 0x0b | 0x0c => true,
        0xc2 => body[at..].starts_with("\u{85}".as_bytes()),
        0xe2 => {
            body[at..].starts_with("\u{2028}".as_bytes()) || body[at..].starts_with("\u{2029}".as_bytes())
        }
        _ => false,
    };
    if !(0..body.len()).any(is_break) {
        return None;
    }
    let mut text = read_unambiguous(body).ok()?.to_string();
    for mark in ['\u{85}', '\u{2028}', '\u{2029}'] {
        text = text.replace(mark, &format!("\\u{:04x}", u32::from(mark)));
    }
    Some(text.into_bytes())
}

impl RpcRequest {
    /// A member of its params that is a string.
    pub(super) fn text_param(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }

    /// The request as a message.
    pub(super) fn to_message(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "method": self.method, "params": self.params })
    }
}

/// A notification as a message.
pub(super) fn notification_message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// An answer as a message.
pub(super) fn answer_message(id: &Value, answer: RpcAnswer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

/// An error with words. Agents show their model the message, or the details, or both.
pub(super) fn refusal_error(words: &str) -> Value {
    json!({ "code": INTERNAL, "message": words, "data": { "details": words } })
}

/// The error of a cancelled request.
pub(super) fn cancelled_error(words: &str) -> Value {
    json!({ "code": CANCELLED, "message": words, "data": { "details": words } })
}

/// A fault as an error.
pub(super) fn fault_error(fault: &Fault) -> Value {
    let words = match &fault.suggestion {
        Some(suggestion) => format!("wherefore: {}; {suggestion}", fault.message),
        None => format!("wherefore: {}", fault.message),
    };
    match fault.code {
        Code::Cancelled => cancelled_error(&words),
        _ => refusal_error(&words),
    }
}

/// The error for a file that is not there.
pub(super) fn missing_file_error(path: &str) -> Value {
    json!({ "code": NOT_FOUND, "message": format!("Resource not found: {path}"), "data": { "uri": path } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_is() {
        let asked = |id: Value| {
            RpcMessage::Request(RpcRequest { id, method: "m".to_owned(), params: json!({ "a": 1 }) })
        };
        for (line, message) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#, asked(json!(1))),
            (r#"{"id":"x","method":"m","params":{"a":1}}"#, asked(json!("x"))),
            (r#"{"id":null,"method":"m","params":{"a":1}}"#, asked(Value::Null)),
            (r#"{"method":"m"}"#, RpcMessage::Notification { method: "m".to_owned(), params: Value::Null }),
            (r#"{"id":1,"result":null}"#, RpcMessage::Answer { id: json!(1), answer: Ok(Value::Null) }),
            (
                r#"{"id":1,"error":{"code":1}}"#,
                RpcMessage::Answer { id: json!(1), answer: Err(json!({ "code": 1 })) },
            ),
            (
                r#"{"id":1,"result":2,"error":null}"#,
                RpcMessage::Answer { id: json!(1), answer: Ok(json!(2)) },
            ),
            (r#"{"id":1}"#, RpcMessage::Other),
            (r#"[{"id":1,"method":"m"}]"#, RpcMessage::Batch),
            (r#"{"id":1,"method":"#, RpcMessage::Other),
            ("npm warn something", RpcMessage::Other),
            (r#"{"id":1,"method":"m","result":1}"#, RpcMessage::Other),
            (r#"{"id":1,"method":["m"],"result":1}"#, RpcMessage::Other),
            (r#"{"method":"a","method":"m"}"#, RpcMessage::Other),
            (r#"{"method":"a","Method":"m"}"#, RpcMessage::Other),
            (r#"{"method":"m","params":{"x":"\ud83d"}}"#, RpcMessage::Other),
        ] {
            assert_eq!(RpcMessage::read(line.as_bytes()), message, "{line}");
        }
    }

    #[test]
    fn a_message_is_one_line_for_every_reader() {
        let joined = |line: &str| joined_line(line.as_bytes()).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(joined("{\"a\":\"é — b\"}\r"), None);
        assert_eq!(joined("{\"a\":\r{\"b\":1}\r}").as_deref(), Some(r#"{"a":{"b":1}}"#));
        assert_eq!(joined("{\"a\":\"x\u{2028}y\u{85}\"}").as_deref(), Some(r#"{"a":"x\u2028y\u0085"}"#));
    }
}
