//! A permitted call runs within its limits.

use std::time::Duration;

use futures::FutureExt;

use crate::protocol::{Code, Fault};
use crate::registry::{ActivityOutput, PermittedCall};
use crate::session::CallScope;

/// Runs the activity. A panic in it is a fault of the call, not the end of the process.
///
/// # Errors
/// The error of the activity, TIMEOUT past the limit of the call or of the definition, INTERNAL after a panic.
pub(super) async fn execute_call(call: &PermittedCall, scope: &CallScope) -> Result<ActivityOutput, Fault> {
    let Some(activity) = call.call().activity().cloned() else {
        return Err(Fault::internal("a latent call has nothing to run"));
    };
    let defined = Duration::from_millis(call.call().tool().def().sandbox.timeout_ms);
    let limit = activity.time_limit().unwrap_or(defined);
    let run = std::panic::AssertUnwindSafe(activity.run_call(call, scope)).catch_unwind();
    match tokio::time::timeout(limit, run).await {
        Ok(Ok(output)) => output,
        Ok(Err(_)) => {
            Err(Fault::internal(format!("{} failed by an error of ours", call.call().tool().name())))
        }
        Err(_) => {
            scope.cancel_token().cancel();
            Err(Fault::new(
                Code::Timeout,
                format!("{} took longer than {} ms", call.call().tool().name(), limit.as_millis()),
            )
            .with_suggestion("ask for less at a time: a narrower scope, a smaller range"))
        }
    }
}
