//! The activity of an environment that cannot run: it refuses each call, so that no other code runs in its place.

use std::sync::Arc;

use serde_json::Value;

use crate::protocol::{CallEffects, Code, Fault};
use crate::registry::{Activity, ActivityOutput, AnyInput, CheckedCall, PermittedCall};
use crate::session::CallScope;

/// The activity in place of a named one that cannot run.
pub(super) struct UnusableActivity {
    pub(super) environment: String,
    /// The reason why it cannot run.
    pub(super) wrong: String,
    /// The place that names it.
    pub(super) place: String,
}

impl Activity for UnusableActivity {
    type Input = AnyInput;
    type Output = Value;

    fn call_effects(&self, _: &AnyInput) -> CallEffects {
        CallEffects::default()
    }

    fn ensure_ready(&self, call: &CheckedCall) -> Result<(), Fault> {
        let (tool, Self { environment, wrong, place }) = (call.tool().name(), self);
        let message = format!("nothing runs {tool} in the environment {environment}: {wrong}");
        Err(Fault::new(Code::Unsupported, message)
            .with_suggestion(format!("ask the person to mend what {place} says of it")))
    }

    async fn run_call(
        &self,
        _: Arc<AnyInput>,
        call: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        Err(self.ensure_ready(call.call()).err().unwrap_or_else(|| Fault::internal("nothing runs the tool")))
    }
}
