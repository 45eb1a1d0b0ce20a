//! What the slots of all agents say alike: of themselves, of their tools, and of a call that they refuse.

use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, JsonObject, ListToolsResult, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Value, json};

use super::announce;
use crate::protocol::IdeSlot;

/// A refusal, in words for the agent.
pub(super) fn refused(why: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why)])
}

/// Tools of those names, with texts as their arguments.
pub(super) fn tools(listed: &[(&'static str, &[&str], &'static str)]) -> ListToolsResult {
    let tool = |(name, members, words): &(&'static str, &[&str], &'static str)| {
        let members: JsonObject =
            members.iter().map(|member| ((*member).to_owned(), json!({ "type": "string" }))).collect();
        let schema = JsonObject::from_iter([
            ("type".to_owned(), json!("object")),
            ("properties".to_owned(), Value::Object(members)),
        ]);
        Tool::new(*name, *words, schema)
    };
    ListToolsResult::with_all_items(listed.iter().map(tool).collect())
}

/// What a slot says of itself.
pub(super) fn config() -> ServerConfig {
    let own = Implementation::new(announce::NAME, env!("CARGO_PKG_VERSION"));
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(own)
}

/// The agent behind a request, by the name of its slot and its own version: some clients give a name of their library.
pub(super) fn agent(context: &RequestContext<RoleServer>, slot: IdeSlot) -> Option<String> {
    let client = context.client_info()?;
    let version: String = client.version.chars().filter(|c| !c.is_control()).take(100).collect();
    Some(format!("{}/{version}", slot.name()))
}
