//! From a server's result to ours: structured content as it is, other content as text, errors as faults.

use serde_json::{Value, json};

use super::error::{UpstreamError, server_words};
use crate::base::hidden::escape_hidden;
use crate::protocol::{Code, Fault};
use crate::registry::{ActivityOutput, CompiledTool};

/// Bytes of images, sounds and the like that one result holds.
const MEDIA: usize = 8 << 20;
/// Content blocks that one result holds.
const BLOCKS: usize = 1000;

/// The output of a call, held to the tool's output schema; texts of more than `limit` bytes are cut.
///
/// # Errors
/// The server's own error; INTERNAL, with each violation, where its answer breaks the schema; QUOTA_EXCEEDED where
/// structured content is too large.
pub(super) fn call_output(
    server: &str,
    tool: &CompiledTool,
    result: Value,
    limit: usize,
) -> Result<ActivityOutput, Fault> {
    let Value::Object(mut result) = result else {
        return Err(protocol_fault(server, format!("the result of {}", tool.name()), "it is no object"));
    };
    let structured = result.shift_remove("structuredContent").filter(|value| !value.is_null());
    let blocks = match result.shift_remove("content") {
        Some(Value::Array(blocks)) => blocks,
        None if structured.is_some() => Vec::new(),
        _ => {
            return Err(protocol_fault(
                server,
                format!("the result of {}", tool.name()),
                "it has no `content`",
            ));
        }
    };
    let mut cutter = ResultCutter { text: limit, media: MEDIA, truncated: false };
    let kept: Vec<Value> = blocks.iter().take(BLOCKS).filter_map(|block| cutter.cut_block(block)).collect();
    cutter.truncated |= blocks.len() > BLOCKS;
    let text = join_text(&kept);
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return Err(failure_fault(server, tool, &text, structured));
    }
    let wanted = tool.def().output_schema.is_some();
    // Servers that are older than structured content send it as text.
    let parsed =
        || (wanted && blocks.len() == 1).then(|| serde_json::from_str::<Value>(&text).ok()).flatten();
    if let Some(value) = structured.or_else(parsed) {
        return structured_output(server, tool, value, kept, limit);
    }
    let value = json!({ "text": text, "media": kept.iter().filter_map(describe_medium).collect::<Vec<_>>() });
    check_output(server, tool, &value)?;
    let rest = cutter
        .truncated
        .then(|| format!("{server} sent more than limits.output_bytes; ask it for less at a time"));
    Ok(ActivityOutput {
        truncated: cutter.truncated,
        rest,
        blocks: kept,
        ..ActivityOutput::from_value(value)
    })
}

/// Structured content: whole or not at all, since a part of it keeps to no schema.
fn structured_output(
    server: &str,
    tool: &CompiledTool,
    value: Value,
    kept: Vec<Value>,
    limit: usize,
) -> Result<ActivityOutput, Fault> {
    let size = value.to_string().len();
    if size > limit {
        let message =
            format!("{} of {server} answered {size} bytes; limits.output_bytes is {limit}", tool.name());
        return Err(Fault::new(Code::QuotaExceeded, message)
            .with_suggestion("ask for less at a time: a narrower scope, a smaller page"));
    }
    check_output(server, tool, &value)?;
    // A content block that a model cannot read out of the value is shown in addition.
    let more = kept.iter().any(|block| describe_medium(block).is_some());
    let blocks = if more { kept } else { Vec::new() };
    Ok(ActivityOutput { blocks, ..ActivityOutput::from_value(value) })
}

fn check_output(server: &str, tool: &CompiledTool, value: &Value) -> Result<(), Fault> {
    let violations = tool.check_output(value)?;
    if violations.is_empty() {
        return Ok(());
    }
    let all: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    let what = format!("the result of {} breaks its output schema", tool.name());
    Err(protocol_fault(server, what, &all.join("; ")).with_details(json!({
        "violations": violations,
        "schema": tool.def().output_schema,
    })))
}

fn protocol_fault(server: &str, what: String, why: &str) -> Fault {
    UpstreamError::protocol_error(server, what, why).into()
}

fn failure_fault(server: &str, tool: &CompiledTool, text: &str, structured: Option<Value>) -> Fault {
    let said = if text.trim().is_empty() { "it gives no reason" } else { text };
    let message = format!("{server}: {} failed: {}", tool.name(), server_words(said));
    let fault = Fault { recoverable: true, ..Fault::internal(message) }
        .with_suggestion("read what the server says and call again with other arguments, or go another way");
    match structured {
        Some(value) if value.to_string().len() < 4096 => fault.with_details(value),
        _ => fault,
    }
}

/// The remaining bounds of one result.
struct ResultCutter {
    text: usize,
    media: usize,
    truncated: bool,
}

impl ResultCutter {
    /// Cuts a content block to the remaining bounds; nothing for a value that is none.
    fn cut_block(&mut self, block: &Value) -> Option<Value> {
        let kind = block.get("type")?.as_str()?;
        if kind == "text" {
            let text = block.get("text")?.as_str()?;
            let mut kept = block.clone();
            if text.len() > self.text {
                kept["text"] = json!(text[..text.floor_char_boundary(self.text)]);
                self.truncated = true;
            }
            self.text = self.text.saturating_sub(text.len());
            return Some(kept);
        }
        let size = block.to_string().len();
        match self.media.checked_sub(size) {
            Some(left) => {
                self.media = left;
                Some(block.clone())
            }
            None => {
                self.truncated = true;
                Some(
                    json!({ "type": "text", "text": format!("[{} of {size} bytes left out]", escape_hidden(kind)) }),
                )
            }
        }
    }
}

fn join_text(blocks: &[Value]) -> String {
    let text = |block: &Value| {
        let own = block.get("text").or_else(|| block.get("resource")?.get("text"))?;
        own.as_str().map(str::to_owned)
    };
    blocks.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// Describes a block that is more than text: its type, its kind, and its size.
fn describe_medium(block: &Value) -> Option<Value> {
    let kind = block.get("type")?.as_str().filter(|kind| *kind != "text")?;
    let inside = block.get("resource").unwrap_or(block);
    let data = ["data", "blob", "text"].iter().find_map(|key| inside.get(*key)?.as_str());
    let mut medium = json!({ "type": kind, "bytes": data.map_or(0, str::len) });
    if let Some(mime) = inside.get("mimeType").and_then(Value::as_str) {
        medium["mime_type"] = json!(mime);
    }
    if let Some(uri) = inside.get("uri").and_then(Value::as_str) {
        medium["uri"] = json!(uri);
    }
    Some(medium)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::protocol::McpServer;
    use crate::registry::{Activities, ToolRegistry};
    use crate::upstream::import::import_definition;
    use crate::upstream::remote::RemoteTool;

    fn tool(schema: Option<Value>) -> Arc<CompiledTool> {
        let mut listed = json!({ "name": "t" });
        if let Some(schema) = schema {
            listed["outputSchema"] = schema;
        }
        let remote = RemoteTool::from_listing(&listed).unwrap();
        let def = import_definition("srv", &McpServer::default(), "srv.t", &remote).unwrap();
        ToolRegistry::new(vec![def], Arc::new(Activities::default())).find_tool("srv.t").unwrap()
    }

    fn of(schema: Option<Value>, result: Value) -> Result<(Value, bool, usize), Fault> {
        let ActivityOutput { value, truncated, blocks, .. } = call_output("srv", &tool(schema), result, 100)?;
        Ok((value, truncated, blocks.len()))
    }

    fn number() -> Option<Value> {
        Some(json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] }))
    }

    #[test]
    fn content_becomes_text_and_structured_content_stays() {
        let content = json!({ "content": [
            { "type": "text", "text": "a" },
            { "type": "image", "data": "AAAA", "mimeType": "image/png" },
            { "type": "resource", "resource": { "uri": "x:1", "text": "b" } },
        ] });
        let media = json!([
            { "type": "image", "bytes": 4, "mime_type": "image/png" },
            { "type": "resource", "bytes": 1, "uri": "x:1" },
        ]);
        assert_eq!(of(None, content).unwrap(), (json!({ "text": "a\nb", "media": media }), false, 3));
        let both = json!({ "content": [{ "type": "text", "text": "{}" }], "structuredContent": { "n": 1 } });
        assert_eq!(of(number(), both).unwrap(), (json!({ "n": 1 }), false, 0));
        let text = json!({ "content": [{ "type": "text", "text": "{\"n\": 2}" }] });
        assert_eq!(of(number(), text).unwrap(), (json!({ "n": 2 }), false, 0));
    }

    #[test]
    fn wrong_answers_are_named_with_every_violation() {
        for (schema, result, expected) in [
            (number(), json!({ "content": [], "structuredContent": { "n": "x" } }), "expected an integer"),
            (number(), json!({ "content": [{ "type": "text", "text": "hello" }] }), "`n` is missing"),
            (None, json!({ "contents": [] }), "no `content`"),
            (None, json!([1]), "no object"),
            (
                None,
                json!({ "content": [{ "type": "text", "text": "no \u{202e}disk" }], "isError": true }),
                "no \\u{202e}disk",
            ),
            (
                None,
                json!({ "content": [], "structuredContent": "x".repeat(200) }),
                "limits.output_bytes is 100",
            ),
        ] {
            let fault = of(schema, result).unwrap_err();
            assert!(fault.message.contains(expected) && fault.message.contains("srv"), "{fault:?}");
            assert!(fault.recoverable && fault.suggestion.is_some(), "{fault:?}");
        }
        let fault = of(number(), json!({ "content": [], "structuredContent": { "n": "x" } })).unwrap_err();
        assert_eq!(fault.details.unwrap()["violations"][0]["pointer"], "/n");
    }

    #[test]
    fn what_is_too_long_is_cut() {
        let text = |length: usize| json!({ "type": "text", "text": "ü".repeat(length) });
        let (value, truncated, _) = of(None, json!({ "content": [text(40), text(40)] })).unwrap();
        assert_eq!(value["text"].as_str().unwrap().chars().filter(|c| *c == 'ü').count(), 50);
        assert!(truncated);
        let image = json!({ "type": "image", "data": "A".repeat(9 << 20), "mimeType": "image/png" });
        let (value, truncated, blocks) = of(None, json!({ "content": [image] })).unwrap();
        assert!(truncated && blocks == 1 && value["text"].as_str().unwrap().contains("left out"), "{value}");
    }
}
