//! The origin of a call: the agent's name and version, and the ids that it sent along.

use std::collections::BTreeMap;

use hyper::http::request::Parts;
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use crate::protocol::{Door, Origin};

/// Ids that are kept of one call, and characters of each.
const IDS: usize = 8;
const LENGTH: usize = 200;

/// The names of a client's own id of a tool call, in `_meta`: the part after the last `/`, ignoring case.
const CALL_IDS: [&str; 5] = ["tooluseid", "tool_use_id", "callid", "call_id", "toolcallid"];

/// The origin of a request that came over a connection of that name; over HTTP, of the session in its header.
pub(super) fn call_origin(context: &RequestContext<RoleServer>, connection: Option<&str>) -> Origin {
    let header = context.extensions.get::<Parts>().and_then(|parts| parts.headers.get("mcp-session-id"));
    let session = connection.or_else(|| header.and_then(|header| header.to_str().ok()));
    let client = context.client_info();
    let name = |name: &str| name.chars().filter(|c| !c.is_control()).take(LENGTH).collect::<String>();
    let agent = client.map_or_else(
        || "unnamed".to_owned(),
        |client| format!("{}/{}", name(&client.name), name(&client.version)),
    );
    let mut ids = BTreeMap::new();
    let mut call = None;
    for (key, value) in context.meta.iter() {
        // The protocol's own entries are no ids, except for the trace.
        if key == "progressToken" || key.starts_with("io.modelcontextprotocol/") {
            continue;
        }
        let Some(text) = id_text(value) else { continue };
        let last = key.rsplit('/').next().unwrap_or(key).to_lowercase();
        if call.is_none() && CALL_IDS.contains(&last.as_str()) {
            call = Some(text);
        } else if ids.len() < IDS {
            ids.insert(key.chars().take(LENGTH).collect(), text);
        }
    }
    let call = call.unwrap_or_else(|| context.id.to_string());
    Origin {
        door: Door::Mcp,
        agent: Some(agent),
        session: session.map(str::to_owned),
        call: Some(call),
        tool: None,
        ids,
    }
}

/// The text of an id, which is a short text or a number; none for anything else.
fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() && text.chars().count() <= LENGTH => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
