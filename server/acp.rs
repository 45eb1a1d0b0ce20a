//! The door for agents of the Agent Client Protocol: a proxy between any editor and any agent that speak it, and the
//! built-in agent as one ([`run_own`]).
//!
//! Messages are lines of JSON-RPC, in both directions. Each line is passed on as it came, byte for byte, but for the few
//! that the proxy answers itself or changes: the handshake, sessions that begin, turns, and what the agent wants of the
//! editor's files, terminals and permissions. Those few are read as plain JSON and changed member by member, since
//! members that this version does not know have to pass too. The protocol's own crate reads messages into its types, and
//! would drop them.

mod agents;
mod ask;
mod away;
mod change;
mod consent;
mod ends;
mod error;
mod files;
mod granted;
mod handshake;
mod message;
mod modes;
mod own;
mod passing;
mod permission;
mod place;
mod proposed;
mod proxy;
mod said;
mod session;
mod shown;
mod terminal;
mod turns;

#[cfg(test)]
mod tests;

pub use ends::{EndInput, EndOutput, Ends};
pub use error::AcpError;
pub use own::run_own;
pub use proxy::run;

use std::path::Path;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::protocol::{Fault, NativeSettings, Policy};
use crate::requests::Signature;

/// What the proxy is told at its start.
#[derive(Clone, Debug)]
pub struct ProxyOptions {
    /// The path of this program: agents start its tools by it, and their commands are confined by it.
    pub program: String,
    /// The agent's name until it says it itself.
    pub agent: String,
}

/// The servers of the folders that sessions work in, as the proxy reaches them.
pub trait Folders: Send + Sync {
    /// The root of the workspace that a session in `folder` works in.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    fn root(&self, folder: &Path) -> Result<String, Fault>;

    /// The settings for agents' own tools in `root`, which hold where no server can be had too.
    fn settings(&self, root: &str) -> NativeSettings;

    /// What becomes of changes in `root` that no rule names, by the settings.
    fn policy(&self, root: &str) -> Policy;

    /// Sees to it that the server of `root` is there.
    ///
    /// # Errors
    /// Why none can be had.
    fn reach(&self, root: &str) -> BoxFuture<'static, Result<(), Fault>>;

    /// Makes a request of the server of `root`, in the name of an agent's own tool. Dropping the future cancels it.
    /// `looks` says that it changes nothing, and may be made again.
    fn request(
        &self,
        root: &str,
        method: &'static str,
        params: Value,
        looks: bool,
    ) -> BoxFuture<'static, Result<Value, Fault>>;
}

/// Makes a request of the table.
///
/// # Errors
/// What the server says, and what keeps it from being reached.
async fn request<R: Signature>(
    folders: &dyn Folders,
    root: &str,
    params: R::Params,
) -> Result<R::Answer, Fault> {
    let odd = |error: serde_json::Error| Fault::internal(format!("{}: {error}", R::METHOD));
    let params = serde_json::to_value(params).map_err(odd)?;
    let answer = folders.request(root, R::METHOD, params, R::READS).await?;
    serde_json::from_value(answer).map_err(odd)
}
