//! The answer to a call as an agent gets it: everything in `structuredContent`, the same as text in `content`.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::protocol::{Envelope, Fault};

/// Under which name a result that is no object stands: earlier versions of the protocol take only objects.
pub const RESULT: &str = "result";

/// The answer to a call.
pub fn of(envelope: &Envelope) -> CallToolResult {
    let mut content = match (&envelope.error, &envelope.result) {
        (Some(fault), _) => fault_object(fault),
        (None, Some(result)) => match &**result {
            Value::Object(members) => members.clone(),
            other => Map::from_iter([(RESULT.to_owned(), other.clone())]),
        },
        (None, None) => Map::new(),
    };
    // What the agent should know beside the result. A result's own member of that name comes first.
    if envelope.truncated {
        content.entry("truncated").or_insert(json!(true));
    }
    if let Some(rest) = &envelope.rest {
        content.entry("rest").or_insert(json!(rest));
    }
    if !envelope.warnings.is_empty() {
        content.entry("warnings").or_insert(json!(envelope.warnings));
    }
    if !envelope.decisions.is_empty() {
        content.entry("decisions").or_insert(json!(envelope.decisions));
    }
    let mut result = finish(content, envelope.error.is_some());
    let blocks: Vec<ContentBlock> =
        envelope.blocks.iter().filter_map(|block| serde_json::from_value(block.clone()).ok()).collect();
    if !blocks.is_empty() {
        let beside = !envelope.warnings.is_empty() || !envelope.decisions.is_empty() || envelope.truncated;
        let text = std::mem::replace(&mut result.content, blocks);
        result.content.extend(text.into_iter().filter(|_| beside));
    }
    result
}

/// The answer to an operation that finds tools.
pub fn of_operation(answer: Result<impl Serialize, Fault>) -> CallToolResult {
    match answer.map(|answer| serde_json::to_value(answer).unwrap_or_default()) {
        Ok(Value::Object(content)) => finish(content, false),
        Ok(other) => finish(Map::from_iter([(RESULT.to_owned(), other)]), false),
        Err(fault) => finish(fault_object(&fault), true),
    }
}

fn fault_object(fault: &Fault) -> Map<String, Value> {
    Map::from_iter([("error".to_owned(), json!(fault))])
}

fn finish(content: Map<String, Value>, is_error: bool) -> CallToolResult {
    let content = Value::Object(content);
    match is_error {
        true => CallToolResult::structured_error(content),
        false => CallToolResult::structured(content),
    }
}
