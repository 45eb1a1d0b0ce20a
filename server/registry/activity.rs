//! Activities: the code behind tools, by the types of what they take and answer.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ActivityOutput, CheckedCall, PermittedCall};
use crate::protocol::{CallEffects, Fault, RepositoryChange};
use crate::session::CallScope;

/// The code behind a tool.
pub trait Activity: Send + Sync + 'static {
    /// The arguments. They are read once the tool's schema holds; members that the type lacks, such as `why`, are left
    /// out.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// The answer's value.
    type Output: Serialize + JsonSchema + Send;

    /// Returns the effects of a call, from its arguments alone.
    fn call_effects(&self, input: &Self::Input) -> CallEffects;

    /// The time that a call may run where its arguments say so; else the limit of its tool's definition holds.
    fn time_limit(&self, _input: &Self::Input) -> Option<Duration> {
        None
    }

    /// Checks whether the activity can run here at all. The person is never asked about a call that cannot.
    ///
    /// # Errors
    /// The missing part, and how to go on without it.
    fn ensure_ready(&self, _call: &CheckedCall) -> Result<(), Fault> {
        Ok(())
    }

    /// Notes that the changes of a call, which stood before they were reviewed, are taken in.
    fn note_adopted(&self, _call: &CheckedCall) {}

    /// The desk for its calls' changes of a repository; none if its calls change no repository.
    fn desk(&self) -> Option<Arc<dyn RepositoryDesk>> {
        None
    }

    /// The consent that the person can give to what it runs now, where a project chose that.
    fn consent(&self) -> Option<Arc<dyn ActivityConsent>> {
        None
    }

    /// Runs it.
    fn run_call(
        &self,
        input: Arc<Self::Input>,
        call: &PermittedCall,
        scope: &CallScope,
    ) -> impl Future<Output = Result<ActivityOutput<Self::Output>, Fault>> + Send;
}

/// The place where the commands' changes of a repository wait for a decision.
pub trait RepositoryDesk: Send + Sync {
    /// Returns the waiting changes.
    fn waiting<'a>(&'a self, scope: &'a CallScope) -> BoxFuture<'a, Vec<RepositoryChange>>;

    /// Takes the changes over. Returns a sentence for each reason why it failed.
    fn take<'a>(&'a self, scope: &'a CallScope) -> BoxFuture<'a, Vec<String>>;

    /// Removes the changes. Returns a sentence for each reason why it failed.
    fn discard<'a>(&'a self, scope: &'a CallScope) -> BoxFuture<'a, Vec<String>>;
}

/// The consent of a person to an activity that a project chose.
pub trait ActivityConsent: Send + Sync {
    /// Returns whether it is given.
    fn is_given(&self) -> bool;

    /// Describes what runs then, in a sentence.
    fn describe_subject(&self) -> String;

    /// Describes how long it lasts, in a sentence.
    fn describe_term(&self) -> String;

    /// Keeps it, for this session and later ones.
    ///
    /// # Errors
    /// The error that keeps it from being written. It then holds in this process alone.
    fn keep_consent(&self) -> Result<(), Fault>;
}

/// The input of an activity that takes whatever its tool's schema allows: it reads [`CheckedCall::args`].
#[derive(Debug, serde::Deserialize, JsonSchema)]
pub struct AnyInput {}

/// An activity with erased types: the form in which the registry holds it.
pub trait AnyActivity: Send + Sync {
    /// Reads arguments as the activity's input.
    ///
    /// # Errors
    /// The problem of the arguments, where another tool's schema allowed them.
    fn prepare_call(self: Arc<Self>, args: &Value) -> Result<Arc<dyn PreparedActivity>, serde_json::Error>;

    /// As [`Activity::consent`].
    fn offered_consent(&self) -> Option<Arc<dyn ActivityConsent>>;

    /// The schemas of its input and its output, as their types say.
    #[cfg(test)]
    fn type_schemas(&self) -> (Value, Value);
}

/// An activity with the input of one call.
pub trait PreparedActivity: Send + Sync {
    /// As [`Activity::call_effects`].
    fn call_effects(&self) -> CallEffects;

    /// As [`Activity::time_limit`].
    fn time_limit(&self) -> Option<Duration>;

    /// As [`Activity::ensure_ready`].
    ///
    /// # Errors
    /// As there.
    fn ensure_ready(&self, call: &CheckedCall) -> Result<(), Fault>;

    /// As [`Activity::note_adopted`].
    fn note_adopted(&self, call: &CheckedCall);

    /// As [`Activity::desk`].
    fn desk(&self) -> Option<Arc<dyn RepositoryDesk>>;

    /// As [`Activity::consent`].
    fn consent(&self) -> Option<Arc<dyn ActivityConsent>>;

    /// As [`Activity::run_call`].
    fn run_call<'a>(
        &'a self,
        call: &'a PermittedCall,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ActivityOutput, Fault>>;
}

struct WithInput<A: Activity> {
    activity: Arc<A>,
    input: Arc<A::Input>,
}

impl<A: Activity> AnyActivity for A {
    fn prepare_call(self: Arc<Self>, args: &Value) -> Result<Arc<dyn PreparedActivity>, serde_json::Error> {
        let input = Arc::new(serde::Deserialize::deserialize(args)?);
        Ok(Arc::new(WithInput { activity: self, input }))
    }

    fn offered_consent(&self) -> Option<Arc<dyn ActivityConsent>> {
        self.consent()
    }

    #[cfg(test)]
    fn type_schemas(&self) -> (Value, Value) {
        use schemars::generate::SchemaSettings;
        let settings = || SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let input = settings().for_deserialize().into_generator().into_root_schema_for::<A::Input>();
        let output = settings().for_serialize().into_generator().into_root_schema_for::<A::Output>();
        (input.to_value(), output.to_value())
    }
}

impl<A: Activity> PreparedActivity for WithInput<A> {
    fn call_effects(&self) -> CallEffects {
        self.activity.call_effects(&self.input)
    }

    fn time_limit(&self) -> Option<Duration> {
        self.activity.time_limit(&self.input)
    }

    fn ensure_ready(&self, call: &CheckedCall) -> Result<(), Fault> {
        self.activity.ensure_ready(call)
    }

    fn note_adopted(&self, call: &CheckedCall) {
        self.activity.note_adopted(call);
    }

    fn desk(&self) -> Option<Arc<dyn RepositoryDesk>> {
        self.activity.desk()
    }

    fn consent(&self) -> Option<Arc<dyn ActivityConsent>> {
        self.activity.consent()
    }

    fn run_call<'a>(
        &'a self,
        call: &'a PermittedCall,
        scope: &'a CallScope,
    ) -> BoxFuture<'a, Result<ActivityOutput, Fault>> {
        let run = self.activity.run_call(self.input.clone(), call, scope);
        run.map(|output| output.and_then(ActivityOutput::into_json)).boxed()
    }
}
