//! The faults of servers: each names the server, what happened, and what to do.

use std::time::Duration;

use rmcp::model::ErrorCode;
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;

use super::health::Health;
use super::remote::cut;
use crate::base::hidden::shown;
use crate::base::http;
use crate::protocol::{Code, Fault};

/// Bytes of a server's own words in a fault.
const WORDS: usize = 2000;

/// A server's own words, bounded and with nothing hidden.
pub(super) fn words(text: &str) -> String {
    cut(&shown(text.trim()), WORDS)
}

/// A server that could not be used, for a reason that may pass.
fn failed(message: String) -> Fault {
    Fault { recoverable: true, ..Fault::internal(message) }
}

/// An answer that is not what it should be.
pub(super) fn odd(server: &str, what: &str, why: &str) -> Fault {
    failed(format!("{server} answered wrongly: {what}: {}", words(why)))
        .suggest(format!("go on without {server}, and tell the person that it does not keep to the protocol"))
}

/// The server asks something, and the caller cannot be asked.
pub(super) fn nobody_to_ask(server: &str) -> Fault {
    Fault::new(
        Code::Unsupported,
        format!("{server} asks for more before it goes on, and this caller cannot be asked"),
    )
    .suggest("make the call from a client that answers elicitation and sampling")
}

/// A call failed on the way, or the server says no.
pub(super) fn of_service(server: &str, error: &ServiceError, health: &Health) -> Fault {
    match error {
        ServiceError::McpError(error) => {
            let message = format!("{server}: {}", words(&error.message));
            match error.code {
                ErrorCode::INVALID_PARAMS => Fault::new(Code::InvalidArgs, message)
                    .suggest("read what the server says and send the call again with other arguments"),
                ErrorCode::METHOD_NOT_FOUND | ErrorCode::RESOURCE_NOT_FOUND => {
                    Fault::new(Code::NotFound, message)
                        .suggest(format!("look at the tools of {server} again: they may have changed"))
                }
                _ => failed(message).suggest("read what the server says; another call may do"),
            }
        }
        ServiceError::TransportClosed => lost(server, health),
        other => {
            let why = match other {
                ServiceError::TransportSend(error) => chain(&*error.error),
                other => other.to_string(),
            };
            failed(format!("{server} cannot be reached: {}", words(&why))).suggest(format!(
                "try again in a moment; if it stays so, ask the person to look at mcp_servers.{server}"
            ))
        }
    }
}

/// The connection went away under a call.
pub(super) fn lost(server: &str, health: &Health) -> Fault {
    let why = health.said().unwrap_or_else(|| "the connection was closed".to_owned());
    failed(format!("{server} went away during the call: {}", words(&why))).suggest(format!(
        "make the call again: {server} is started anew; whether this one took effect is not known"
    ))
}

/// The connection went away by itself.
pub(super) fn crashed(server: &str, health: &Health) -> Fault {
    let why = health.said().unwrap_or_else(|| "the connection was closed".to_owned());
    failed(format!("{server} is gone: {}", words(&why))).suggest(mend(server))
}

/// The handshake failed.
pub(super) fn of_handshake(server: &str, error: &ClientInitializeError, health: &Health) -> Fault {
    let why = match error {
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => chain(&*error.error),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        ClientInitializeError::ExpectedInitResult(_) | ClientInitializeError::ExpectedInitResponse(_) => {
            "its answer to `initialize` is none".to_owned()
        }
        other => other.to_string(),
    };
    let said = health.said().map(|said| format!("; {said}")).unwrap_or_default();
    failed(format!("{server} does not start: {}", words(&format!("{why}{said}")))).suggest(mend(server))
}

/// It took too long to start.
pub(super) fn slow_start(server: &str, limit: Duration, health: &Health) -> Fault {
    let said = health.said().map(|said| format!("; {}", words(&said))).unwrap_or_default();
    let message = format!("{server} was not ready within {} ms{said}", limit.as_millis());
    Fault::new(Code::Timeout, message).suggest(mend(server))
}

/// It is not tried again yet.
pub(super) fn waiting(before: &Fault, server: &str, left: Duration) -> Fault {
    let message =
        format!("{}; it is started again in {:.1} s at the earliest", before.message, left.as_secs_f64());
    Fault { message, ..before.clone() }
        .suggest(format!("go on without {server}, or call again after that time"))
}

/// A call took too long.
pub(super) fn slow_call(server: &str, tool: &str, limit: Duration) -> Fault {
    let message = format!(
        "{server} did not answer the call of {tool} within {} ms; it was told to stop",
        limit.as_millis()
    );
    Fault::new(Code::Timeout, message)
        .suggest("ask for less at a time; the person can set `timeout_ms` of the server or the tool")
}

fn mend(server: &str) -> String {
    format!("go on without {server}, and ask the person to look at mcp_servers.{server} in the settings")
}

/// The error of an HTTP request under another; its own text names the URL, which may hold a secret.
fn of_request<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a reqwest::Error> {
    match error.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
        Some(StreamableHttpError::Client(inner)) => Some(inner),
        _ => error.downcast_ref(),
    }
}

/// Whether an error says that nobody listens at the other end.
pub(super) fn is_unreachable(error: &(dyn std::error::Error + 'static)) -> bool {
    of_request(error).is_some_and(|error| error.is_connect() || error.is_request())
}

/// An error with those under it, which say what really happened.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    match of_request(error) {
        Some(request) => http::why(request),
        None => http::with_sources(error.to_string(), error),
    }
}
