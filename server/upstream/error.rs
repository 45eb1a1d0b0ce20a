//! The errors of a server of the Model Context Protocol. Each names the server, and becomes a fault in the answer to a
//! call.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ErrorCode;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::health::ConnectionHealth;
use super::remote::cut_text;
use crate::base::hidden::escape_hidden;
use crate::embed::http;
use crate::protocol::{Code, Fault};

/// Bytes of a server's own words in an error.
const WORDS: usize = 2000;

/// The reasons why a server could not be used. `server` is its name in the settings.
#[derive(Clone, Debug, thiserror::Error)]
pub(super) enum UpstreamError {
    /// The server breaks the protocol.
    #[error("{server} answered wrongly: {what}: {why}")]
    Protocol { server: String, what: String, why: String },
    /// The server asks the person a question, and the client cannot ask them.
    #[error("{server} asks the person a question, and this client cannot ask them")]
    NobodyToAsk { server: String },
    /// The server answered with an error of the protocol.
    #[error("{server}: {said}")]
    Refused { server: String, code: ErrorCode, said: String },
    /// The server cannot be reached.
    #[error("{server} cannot be reached: {why}")]
    Unreachable { server: String, why: String },
    /// The connection ended during a call.
    #[error("{server} went away during the call: {why}")]
    Lost { server: String, why: String },
    /// The connection ended between calls.
    #[error("{server} is gone: {why}")]
    Crashed { server: String, why: String },
    /// The server's program or its handshake failed.
    #[error("{server} does not start: {why}")]
    Handshake { server: String, why: String },
    /// The server took too long to start.
    #[error("{server} was not ready within {} ms{said}", limit.as_millis())]
    SlowStart { server: String, limit: Duration, said: String },
    /// A start failed a moment ago, and the next one is not due.
    #[error("{before}; it is started again in {:.1} s at the earliest", left.as_secs_f64())]
    Waiting { before: Box<UpstreamError>, left: Duration },
    /// A call took too long.
    #[error("{server} did not answer the call of {tool} within {} ms; it was told to stop", limit.as_millis())]
    SlowCall { server: String, tool: String, limit: Duration },
    /// The settings have changed, and the server with them.
    #[error("{server} is no longer used: the settings have changed")]
    Replaced { server: String },
    /// The person has not consented to the server as it is set now.
    #[error("this project names the server {server}, and the person has not consented to it")]
    Unconsented { server: String },
    /// Files that the server runs changed since the person consented.
    #[error("{server} runs files that changed since the person consented: {files}")]
    FilesChanged { server: String, files: String },
    /// The description or a schema of a tool changed since the person consented.
    #[error("the tool {tool} of {server} {change}")]
    ToolChanged { server: String, tool: String, change: &'static str },
    /// The project defines a tool over a server of the person's.
    #[error(
        "this project defines {tool} over the person's server {server}, and the person has not consented"
    )]
    DefinedOver { server: String, tool: String },
    /// The settings name a variable of the environment that is not set.
    #[error("{server} needs the environment variable {variable}, which is not set")]
    NoVariable { server: String, variable: String },
    /// The settings name an invalid header.
    #[error("{server} has a header that HTTP cannot carry: {header:?}")]
    BadHeader { server: String, header: String },
    /// The system does not start the program.
    #[error("{server} cannot be started: {program:?}: {source}")]
    Start { server: String, program: String, source: Arc<io::Error> },
    /// The sandbox that the server is to run in cannot be built.
    #[error("{server} is not started: {}", fault.message)]
    Confinement { server: String, fault: Box<Fault> },
    /// An error inside wherefore.
    #[error("{server}: {why}")]
    Internal { server: String, why: String },
    /// The call was ended, or its caller's answer failed.
    #[error(transparent)]
    Call(#[from] Fault),
}

impl UpstreamError {
    /// An answer that breaks the protocol.
    pub(super) fn protocol_error(server: &str, what: impl Into<String>, why: &str) -> Self {
        Self::Protocol { server: server.to_owned(), what: what.into(), why: server_words(why) }
    }

    /// A request failed on the way, or the server answered it with an error.
    pub(super) fn of_service(server: &str, error: &ServiceError, health: &ConnectionHealth) -> Self {
        let server = server.to_owned();
        match error {
            ServiceError::McpError(error) => {
                Self::Refused { server, code: error.code, said: server_words(&error.message) }
            }
            ServiceError::TransportClosed => Self::lost_in_call(&server, health),
            ServiceError::TransportSend(error) => {
                Self::Unreachable { server, why: server_words(&error_chain(&*error.error)) }
            }
            other => Self::Unreachable { server, why: server_words(&other.to_string()) },
        }
    }

    /// The connection ended during a call.
    pub(super) fn lost_in_call(server: &str, health: &ConnectionHealth) -> Self {
        Self::Lost { server: server.to_owned(), why: end_reason(health) }
    }

    /// The connection ended by itself.
    pub(super) fn lost_between_calls(server: &str, health: &ConnectionHealth) -> Self {
        Self::Crashed { server: server.to_owned(), why: end_reason(health) }
    }

    /// The handshake failed.
    pub(super) fn of_handshake(
        server: &str,
        error: &ClientInitializeError,
        health: &ConnectionHealth,
    ) -> Self {
        let why = match error {
            ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
            ClientInitializeError::TransportError { error, .. } => error_chain(&*error.error),
            ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
            ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
                "its answer to `initialize` breaks the protocol".to_owned()
            }
            other => other.to_string(),
        };
        let said = health.describe_end().map(|said| format!("; {said}")).unwrap_or_default();
        Self::Handshake { server: server.to_owned(), why: server_words(&format!("{why}{said}")) }
    }

    /// The server took too long to start.
    pub(super) fn slow_start(server: &str, limit: Duration, health: &ConnectionHealth) -> Self {
        let said = health.describe_end().map(|said| format!("; {}", server_words(&said))).unwrap_or_default();
        Self::SlowStart { server: server.to_owned(), limit, said }
    }

    fn server_name(&self) -> &str {
        match self {
            Self::Protocol { server, .. }
            | Self::NobodyToAsk { server }
            | Self::Refused { server, .. }
            | Self::Unreachable { server, .. }
            | Self::Lost { server, .. }
            | Self::Crashed { server, .. }
            | Self::Handshake { server, .. }
            | Self::SlowStart { server, .. }
            | Self::SlowCall { server, .. }
            | Self::Replaced { server }
            | Self::Unconsented { server }
            | Self::FilesChanged { server, .. }
            | Self::ToolChanged { server, .. }
            | Self::DefinedOver { server, .. }
            | Self::NoVariable { server, .. }
            | Self::BadHeader { server, .. }
            | Self::Start { server, .. }
            | Self::Confinement { server, .. }
            | Self::Internal { server, .. } => server,
            Self::Waiting { before, .. } => before.server_name(),
            Self::Call(_) => "the server",
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::NobodyToAsk { .. } => Code::Unsupported,
            Self::Refused { code: ErrorCode::INVALID_PARAMS, .. } | Self::BadHeader { .. } => {
                Code::InvalidArgs
            }
            Self::Refused { code: ErrorCode::METHOD_NOT_FOUND | ErrorCode::RESOURCE_NOT_FOUND, .. }
            | Self::NoVariable { .. } => Code::NotFound,
            Self::SlowStart { .. } | Self::SlowCall { .. } => Code::Timeout,
            Self::Replaced { .. } => Code::Cancelled,
            Self::Unconsented { .. }
            | Self::FilesChanged { .. }
            | Self::ToolChanged { .. }
            | Self::DefinedOver { .. } => Code::NotAuthorized,
            Self::Start { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => Code::NotFound,
                io::ErrorKind::PermissionDenied => Code::PermissionDenied,
                _ => Code::Internal,
            },
            Self::Waiting { before, .. } => before.code(),
            Self::Call(fault) => fault.code,
            Self::Confinement { fault, .. } => fault.code,
            _ => Code::Internal,
        }
    }

    /// Returns whether the reason may pass, so that another call may succeed.
    fn may_pass(&self) -> bool {
        match self {
            Self::Protocol { .. }
            | Self::Refused { .. }
            | Self::Unreachable { .. }
            | Self::Lost { .. }
            | Self::Crashed { .. }
            | Self::Handshake { .. } => true,
            Self::Waiting { before, .. } => before.may_pass(),
            _ => false,
        }
    }

    /// The act to take next, where there is one.
    fn suggestion(&self) -> Option<String> {
        let server = self.server_name();
        Some(match self {
            Self::Protocol { .. } => {
                format!("go on without {server}, and tell the person that it does not keep to the protocol")
            }
            Self::NobodyToAsk { .. } => {
                "make the call from a client that answers elicitation and sampling".to_owned()
            }
            Self::Refused { .. } => match self.code() {
                Code::InvalidArgs => {
                    "read what the server says and send the call again with other arguments".to_owned()
                }
                Code::NotFound => format!("look at the tools of {server} again: they may have changed"),
                _ => "read what the server says; another call may succeed".to_owned(),
            },
            Self::Unreachable { .. } => format!(
                "try again in a moment; if that fails too, ask the person to check mcp_servers.{server}"
            ),
            Self::Lost { .. } => {
                format!("make the call again: {server} is started anew; this call may have taken effect")
            }
            Self::Crashed { .. } | Self::Handshake { .. } | Self::SlowStart { .. } => format!(
                "go on without {server}, and ask the person to check mcp_servers.{server} in the settings"
            ),
            Self::Waiting { .. } => format!("go on without {server}, or call again after that time"),
            Self::SlowCall { .. } => {
                "ask for less at a time; the person can set `timeout_ms` of the server or the tool".to_owned()
            }
            Self::Replaced { .. } => "list the tools again".to_owned(),
            Self::Unconsented { .. } | Self::FilesChanged { .. } | Self::DefinedOver { .. } => {
                format!(
                    "go on without it, or ask the person to look at it with `wherefore consent`; `wherefore consent --yes \
                     {server}` consents"
                )
            }
            Self::ToolChanged { .. } => {
                format!(
                    "go on without it, or ask the person to look at what changed with `wherefore consent`; `wherefore \
                     consent --yes {server}` consents"
                )
            }
            Self::NoVariable { variable, .. } => format!(
                "ask the person to set {variable} where wherefore is started, or to correct mcp_servers.{server}"
            ),
            Self::BadHeader { .. } => format!("ask the person to correct `headers` of mcp_servers.{server}"),
            Self::Start { program, .. } => format!(
                "ask the person to install {program:?} or to correct `command` and `cwd` of mcp_servers.{server}"
            ),
            Self::Confinement { fault, .. } => return fault.suggestion.clone(),
            Self::Internal { .. } | Self::Call(_) => return None,
        })
    }
}

impl From<UpstreamError> for Fault {
    fn from(error: UpstreamError) -> Self {
        if let UpstreamError::Call(fault) = error {
            return fault;
        }
        let hints = match &error {
            UpstreamError::Confinement { fault, .. } => fault.hints.clone(),
            _ => Vec::new(),
        };
        let fault = Self::new(error.code(), error.to_string()).with_hints(hints);
        let recoverable = fault.recoverable || error.may_pass();
        Self { recoverable, suggestion: error.suggestion(), ..fault }
    }
}

fn end_reason(health: &ConnectionHealth) -> String {
    server_words(&health.describe_end().unwrap_or_else(|| "the connection was closed".to_owned()))
}

/// The error of an HTTP request under another; its own text names the URL, which may hold a secret.
fn of_request<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a reqwest::Error> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(inner)) => Some(inner),
        _ => error.downcast_ref(),
    }
}

/// Returns whether an error means that nothing listens at the other end.
pub(super) fn is_unreachable(error: &(dyn std::error::Error + 'static)) -> bool {
    of_request(error).is_some_and(|error| error.is_connect() || error.is_request())
}

/// An error with those under it, which say what really happened.
fn error_chain(error: &(dyn std::error::Error + 'static)) -> String {
    match of_request(error) {
        Some(request) => http::failure_reason(request),
        None => http::with_sources(error.to_string(), error),
    }
}

/// A server's own words, cut to a limit, with hidden characters shown.
pub(super) fn server_words(text: &str) -> String {
    cut_text(&escape_hidden(text.trim()), WORDS)
}
