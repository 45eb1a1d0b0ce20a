//! Messages of JSON-RPC, as far as the proxy reads them.

use serde_json::{Value, json};

use crate::protocol::{Code, Fault};

/// The code of an error that says no more than its words.
const INTERNAL: i64 = -32603;
/// The protocol's code for a file that is not there.
const NOT_FOUND: i64 = -32002;
/// The protocol's code for a request that was given up.
const CANCELLED: i64 = -32800;

/// A line, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RpcMessage {
    /// It wants an answer.
    Request(AskedRequest),
    /// It wants none.
    Notification {
        /// What it tells.
        method: String,
        /// Its params.
        params: Value,
    },
    /// The answer to a request.
    Answered {
        /// The request's id.
        id: Value,
        /// What it was answered: a result, or an error.
        answer: RpcAnswer,
    },
    /// Several messages in one, which the protocol does not have.
    Batch,
    /// No message of the protocol.
    Other,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AskedRequest {
    /// Its id, as its sender chose it.
    pub(super) id: Value,
    /// What is wanted.
    pub(super) method: String,
    /// Its params.
    pub(super) params: Value,
}

/// What a request is answered: a result, or an error as JSON-RPC has it.
pub(super) type RpcAnswer = Result<Value, Value>;

impl RpcMessage {
    /// Reads a line.
    pub(super) fn read(line: &[u8]) -> Self {
        let mut members = match serde_json::from_slice(line) {
            Ok(Value::Object(members)) => members,
            Ok(Value::Array(_)) => return Self::Batch,
            _ => return Self::Other,
        };
        let mut take = |name: &str| members.get_mut(name).map(Value::take);
        let method = take("method").and_then(|method| method.as_str().map(str::to_owned));
        let (id, params) = (take("id"), take("params").unwrap_or_default());
        match (method, id, take("error"), take("result")) {
            (Some(method), Some(id), _, _) => Self::Request(AskedRequest { id, method, params }),
            (Some(method), None, _, _) => Self::Notification { method, params },
            (None, Some(id), Some(error), _) if !error.is_null() => Self::Answered { id, answer: Err(error) },
            (None, Some(id), _, Some(result)) => Self::Answered { id, answer: Ok(result) },
            _ => Self::Other,
        }
    }
}

impl AskedRequest {
    /// A member of its params that is a string.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }

    /// The request as a message.
    pub(super) fn message(&self) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.id, "method": self.method, "params": self.params })
    }
}

/// A notification as a message.
pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// An answer as a message.
pub(super) fn answer(id: &Value, answer: RpcAnswer) -> Value {
    match answer {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
    }
}

/// An error with words. Agents show their model the message, or the details, or both.
pub(super) fn refusal(words: &str) -> Value {
    json!({ "code": INTERNAL, "message": words, "data": { "details": words } })
}

/// The error of a request that was given up.
pub(super) fn cancelled(words: &str) -> Value {
    json!({ "code": CANCELLED, "message": words, "data": { "details": words } })
}

/// A fault as an error.
pub(super) fn fault(fault: &Fault) -> Value {
    let words = match &fault.suggestion {
        Some(suggestion) => format!("wherefore: {}; {suggestion}", fault.message),
        None => format!("wherefore: {}", fault.message),
    };
    match fault.code {
        Code::Cancelled => cancelled(&words),
        _ => refusal(&words),
    }
}

/// The error for a file that is not there.
pub(super) fn no_file(path: &str) -> Value {
    json!({ "code": NOT_FOUND, "message": format!("Resource not found: {path}"), "data": { "uri": path } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_is() {
        let asked = |id: Value| {
            RpcMessage::Request(AskedRequest { id, method: "m".to_owned(), params: json!({ "a": 1 }) })
        };
        for (line, message) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}"#, asked(json!(1))),
            (r#"{"id":"x","method":"m","params":{"a":1}}"#, asked(json!("x"))),
            (r#"{"id":null,"method":"m","params":{"a":1}}"#, asked(Value::Null)),
            (r#"{"method":"m"}"#, RpcMessage::Notification { method: "m".to_owned(), params: Value::Null }),
            (r#"{"id":1,"result":null}"#, RpcMessage::Answered { id: json!(1), answer: Ok(Value::Null) }),
            (
                r#"{"id":1,"error":{"code":1}}"#,
                RpcMessage::Answered { id: json!(1), answer: Err(json!({ "code": 1 })) },
            ),
            (
                r#"{"id":1,"result":2,"error":null}"#,
                RpcMessage::Answered { id: json!(1), answer: Ok(json!(2)) },
            ),
            (r#"{"id":1}"#, RpcMessage::Other),
            (r#"[{"id":1,"method":"m"}]"#, RpcMessage::Batch),
            (r#"{"id":1,"method":"#, RpcMessage::Other),
            ("npm warn something", RpcMessage::Other),
        ] {
            assert_eq!(RpcMessage::read(line.as_bytes()), message, "{line}");
        }
    }
}
