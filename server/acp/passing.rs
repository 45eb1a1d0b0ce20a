//! What becomes of a line that came, and of a request in it.

use serde_json::Value;

use super::message::RpcAnswer;

/// What becomes of a line.
pub(super) enum LinePassing {
    /// It is passed on as it came.
    Unchanged,
    /// This is passed on instead.
    Changed(Value),
    /// It is not passed on.
    Taken,
}

/// What becomes of a request of the agent.
pub(super) enum Worked {
    /// It is answered here.
    Answered(RpcAnswer),
    /// The editor answers it.
    Passed,
    /// The editor answers it, with these params.
    Changed(Value),
}
