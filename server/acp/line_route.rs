//! The route of an incoming line, and the outcome of a request in it.

use serde_json::Value;

use super::message::RpcAnswer;

/// The route of a line.
pub(super) enum LineRoute {
    /// It is passed on as it came.
    Unchanged,
    /// This is passed on instead.
    Changed(Value),
    /// It is not passed on.
    Consumed,
}

/// The outcome of a request of the agent.
pub(super) enum RequestOutcome {
    /// It is answered here.
    Answered(RpcAnswer),
    /// The editor answers it.
    Passed,
    /// The editor answers it, with these params.
    Changed(Value),
}
