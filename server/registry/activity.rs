//! Activities: the code behind tools, by the types of what they take and answer.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Call, Output, Permitted};
use crate::protocol::{Effects, Fault};
use crate::session::Scope;

/// The code behind a tool.
pub trait Activity: Send + Sync + 'static {
    /// The arguments. They are read once the tool's schema holds; members that the type lacks, such as `why`, are left
    /// out.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The answer's value.
    type Output: Serialize + JsonSchema + Send;

    /// What a call will touch, from its arguments alone.
    fn effects(&self, input: &Self::Input) -> Effects;

    /// How long a call may run where its arguments say so; else the limit of its tool's definition holds.
    fn limit(&self, _input: &Self::Input) -> Option<Duration> {
        None
    }

    /// Whether it can run here at all. Nobody is asked about a call that cannot.
    ///
    /// # Errors
    /// What is missing, and how to go on without it.
    fn ready(&self, _call: &Call) -> Result<(), Fault> {
        Ok(())
    }

    /// Runs it.
    fn run(
        &self,
        input: Arc<Self::Input>,
        call: &Permitted,
        scope: &Scope,
    ) -> impl Future<Output = Result<Output<Self::Output>, Fault>> + Send;
}

/// The input of an activity that takes whatever its tool's schema allows: it reads [`Call::args`].
#[derive(Debug, serde::Deserialize, JsonSchema)]
pub struct AnyInput {}

/// An activity whose types are not told: how the registry holds it.
pub trait AnyActivity: Send + Sync {
    /// Reads arguments as the activity's input.
    ///
    /// # Errors
    /// What is wrong with them, where another tool's schema allowed them.
    fn prepare(self: Arc<Self>, args: &Value) -> Result<Arc<dyn PreparedActivity>, serde_json::Error>;

    /// The schemas of its input and its output, as their types say.
    #[cfg(test)]
    fn schemas(&self) -> (Value, Value);
}

/// An activity with the input of one call.
pub trait PreparedActivity: Send + Sync {
    /// As [`Activity::effects`].
    fn effects(&self) -> Effects;

    /// As [`Activity::limit`].
    fn limit(&self) -> Option<Duration>;

    /// As [`Activity::ready`].
    ///
    /// # Errors
    /// As there.
    fn ready(&self, call: &Call) -> Result<(), Fault>;

    /// As [`Activity::run`].
    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>>;
}

struct WithInput<A: Activity> {
    activity: Arc<A>,
    input: Arc<A::Input>,
}

impl<A: Activity> AnyActivity for A {
    fn prepare(self: Arc<Self>, args: &Value) -> Result<Arc<dyn PreparedActivity>, serde_json::Error> {
        let input = Arc::new(serde::Deserialize::deserialize(args)?);
        Ok(Arc::new(WithInput { activity: self, input }))
    }

    #[cfg(test)]
    fn schemas(&self) -> (Value, Value) {
        use schemars::generate::SchemaSettings;
        let settings = || SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let input = settings().for_deserialize().into_generator().into_root_schema_for::<A::Input>();
        let output = settings().for_serialize().into_generator().into_root_schema_for::<A::Output>();
        (input.to_value(), output.to_value())
    }
}

impl<A: Activity> PreparedActivity for WithInput<A> {
    fn effects(&self) -> Effects {
        self.activity.effects(&self.input)
    }

    fn limit(&self) -> Option<Duration> {
        self.activity.limit(&self.input)
    }

    fn ready(&self, call: &Call) -> Result<(), Fault> {
        self.activity.ready(call)
    }

    fn run<'a>(&'a self, call: &'a Permitted, scope: &'a Scope) -> BoxFuture<'a, Result<Output, Fault>> {
        let run = self.activity.run(self.input.clone(), call, scope);
        run.map(|output| output.and_then(Output::erased)).boxed()
    }
}
