//! The reasons why the proxy ends before its editor does.

use std::io;

use thiserror::Error;

use crate::protocol::Fault;

/// The reason why the proxy ends.
#[derive(Debug, Error)]
pub enum AcpError {
    /// The agent ended while its editor was still there.
    #[error("the agent ended")]
    AgentEnded,
    /// The editor reads no more.
    #[error("the editor closed its end: {0}")]
    EditorGone(#[source] io::Error),
}

impl From<AcpError> for Fault {
    fn from(error: AcpError) -> Self {
        Self::internal(error.to_string())
    }
}
