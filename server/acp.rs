//! The door for agents of the Agent Client Protocol: a proxy between any editor and any agent that speak it, and the
//! built-in agent as one ([`run_own`]).
//!
//! Messages are lines of JSON-RPC, in both directions. Each line is passed on as it came, byte for byte, but for the few
//! that the proxy answers itself or changes: the handshake, sessions that begin, turns, and what the agent wants of the
//! editor's files, terminals and permissions. Those few are read as plain JSON and changed member by member, since
//! members that this version does not know have to pass too. The protocol's own crate reads messages into its types, and
//! would drop them.
//!
//! # Invariants
//!
//! - No agent behind the proxy of the Agent Client Protocol writes what was not accepted, or is left without an
//!   answer.
//!   Test: `a_write_is_decided_part_by_part_and_exactly_that_is_written`,
//!   `a_cancelled_turn_writes_nothing_and_answers_all`,
//!   `what_the_rules_close_and_what_lies_outside_is_neither_read_nor_written`,
//!   `an_agent_that_dies_leaves_no_request_of_its_editor_open`
//! - No message that the proxy need not touch is changed on its way.
//!   Test: `what_is_not_ours_passes_byte_for_byte`
//! - No line of an agent reaches its editor that readers may take for different messages, and no request for the
//!   editor's files or terminals in a form that is not judged.
//!   Test: `nothing_that_is_not_understood_reaches_the_editor`,
//!   `one_message_of_an_agent_is_one_line_for_every_editor`
//! - No yes of an agent's client to what a rule asks about holds for more than its call, or counts as the person's in
//!   the log.
//!   Test: `what_a_rule_asks_about_is_asked_in_the_agent_where_no_editor_is`

mod agent_info;
mod agent_words;
mod ask;
mod change;
mod consent;
mod error;
mod files;
mod forms;
mod granted_changes;
mod handshake;
mod line_route;
mod message;
mod modes;
mod native_change;
mod own;
mod path_place;
mod permission;
mod proxy;
mod session;
mod shown_diffs;
mod streams;
mod strict_json;
mod terminal;
mod turns;
mod without_server;

#[cfg(test)]
mod tests;

pub use error::AcpError;
pub use own::run_own;
pub use proxy::run_proxy;
pub use streams::{EndInput, EndOutput, ProxyStreams};

use std::path::Path;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::protocol::{Fault, NativeSettings, Policy};
use crate::requests::Signature;

/// The options of the proxy.
#[derive(Clone, Debug)]
pub struct ProxyOptions {
    /// The path of this program: agents start its tools by it, and their commands are confined by it.
    pub program: String,
    /// The agent's name until the agent gives its own.
    pub agent: String,
}

/// The servers of the folders that sessions work in, as the proxy reaches them.
pub trait FolderServers: Send + Sync {
    /// The root of the workspace that a session in `folder` works in.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    fn workspace_root(&self, folder: &Path) -> Result<String, Fault>;

    /// The settings for agents' own tools in `root`, which also apply if no server can be had.
    fn native_settings(&self, root: &str) -> NativeSettings;

    /// The policy for changes in `root` that no rule names, by the settings.
    fn change_policy(&self, root: &str) -> Policy;

    /// Ensures that the server of `root` is running.
    ///
    /// # Errors
    /// The reason why no server can be had.
    fn ensure_server(&self, root: &str) -> BoxFuture<'static, Result<(), Fault>>;

    /// Makes a request to the server of `root`, for an agent's own tool. Dropping the future cancels it. `looks` is
    /// true if the request changes nothing, and may be repeated.
    fn send_request(
        &self,
        root: &str,
        method: &'static str,
        params: Value,
        looks: bool,
    ) -> BoxFuture<'static, Result<Value, Fault>>;
}

/// Makes a typed request.
///
/// # Errors
/// The fault of the server, or the reason why it cannot be reached.
async fn send_request<R: Signature>(
    folders: &dyn FolderServers,
    root: &str,
    params: R::Params,
) -> Result<R::Answer, Fault> {
    let odd = |error: serde_json::Error| Fault::internal(format!("{}: {error}", R::METHOD));
    let params = serde_json::to_value(params).map_err(odd)?;
    let answer = folders.send_request(root, R::METHOD, params, R::READS).await?;
    serde_json::from_value(answer).map_err(odd)
}
