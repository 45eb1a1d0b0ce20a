//! The activity of a tool that answers the same whatever it is asked: a stand-in for code that is not to run.

use std::sync::Arc;

use serde_json::Value;

use super::{Activity, ActivityOutput, AnyInput, PermittedCall};
use crate::protocol::{CallEffects, Fault};
use crate::session::CallScope;

/// An answer that is the same for every call.
pub(crate) struct FixedAnswer(pub(crate) Value);

impl Activity for FixedAnswer {
    type Input = AnyInput;
    type Output = Value;

    fn call_effects(&self, _: &AnyInput) -> CallEffects {
        CallEffects::default()
    }

    async fn run_call(
        &self,
        _: Arc<AnyInput>,
        call: &PermittedCall,
        _: &CallScope,
    ) -> Result<ActivityOutput, Fault> {
        let call = call.call();
        let place = call.environment().map_or_else(String::new, |environment| format!(" ({environment})"));
        let warning = format!("{}{place} answers every call with the same: nothing ran", call.tool().name());
        Ok(ActivityOutput { warnings: vec![warning], ..ActivityOutput::from_value(self.0.clone()) })
    }
}
