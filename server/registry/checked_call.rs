//! A call that was checked, and a call that may run: types that only the right maker can make.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::call_judgement::CallJudgement;
use super::{CompiledTool, PreparedActivity};
use crate::base::CallId;
use crate::protocol::{CallEffects, Code, Fault, Origin, Policy, Why, WithoutOverlay};
use crate::rules::{AllowedSubject, Effectful};

/// A call of a tool with valid arguments and a reason. Only [`super::ToolRegistry::resolve_call`] makes one.
#[derive(Clone)]
pub struct CheckedCall {
    pub(super) id: CallId,
    pub(super) tool: Arc<CompiledTool>,
    pub(super) args: Value,
    pub(super) judged: CallJudgement,
    pub(super) origin: Origin,
    pub(super) comments: BTreeMap<String, String>,
    pub(super) follows: Option<CallId>,
    pub(super) policy: Option<Policy>,
    pub(super) root: Option<String>,
}

impl CheckedCall {
    /// Its id in the session log.
    pub fn id(&self) -> &CallId {
        &self.id
    }

    /// The tool.
    pub fn tool(&self) -> &Arc<CompiledTool> {
        &self.tool
    }

    /// The arguments, by the tool's own names, `why` among them and the meta fields taken out.
    pub fn args(&self) -> &Map<String, Value> {
        static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
        self.args.as_object().unwrap_or(&NONE)
    }

    /// A string among the arguments.
    pub fn text_argument(&self, name: &str) -> Option<&str> {
        self.args.get(name).and_then(Value::as_str)
    }

    /// The reason.
    pub fn why(&self) -> &Why {
        &self.judged.why
    }

    /// Returns the origin of the call.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The model's comments on its own arguments, by path.
    pub fn comments(&self) -> &BTreeMap<String, String> {
        &self.comments
    }

    /// The call whose answer led to it.
    pub fn leading_call(&self) -> Option<&CallId> {
        self.follows.as_ref()
    }

    /// The review policy asked for.
    pub fn policy(&self) -> Option<Policy> {
        self.policy
    }

    /// The workspace folder asked for.
    pub fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// The advice to the caller for its next call.
    pub fn warnings(&self) -> &[String] {
        &self.judged.warnings
    }

    /// The code that runs it, with its input; nothing means latent.
    pub fn activity(&self) -> Option<&Arc<dyn PreparedActivity>> {
        self.judged.activity.as_ref()
    }

    /// The activity's name; empty means latent.
    pub fn activity_name(&self) -> &str {
        &self.judged.activity_name
    }

    /// The environment with its activity in words, if that activity replaces the one of the tool's definition.
    pub fn environment(&self) -> Option<&str> {
        self.judged.environment.as_deref()
    }

    /// The output that the model filled for a latent call, valid by the tool's output schema.
    pub fn filled_output(&self) -> Option<&Value> {
        self.judged.output.as_ref()
    }

    /// The effects that it will have; none for a latent call.
    pub fn effects(&self) -> &CallEffects {
        &self.judged.effects
    }

    /// Checks that its tool can run here at all.
    ///
    /// # Errors
    /// As [`super::Activity::ensure_ready`].
    pub(crate) fn ensure_ready(&self) -> Result<(), Fault> {
        self.judged.activity.as_ref().map_or(Ok(()), |activity| activity.ensure_ready(self))
    }
}

impl CheckedCall {
    /// Returns the call as the settings treat a command whose changes cannot be kept apart.
    ///
    /// # Errors
    /// PERMISSION_DENIED where they refuse it.
    pub(crate) fn settle_unlayered(mut self, how: WithoutOverlay) -> Result<Self, Fault> {
        if !self.judged.effects.unlayered {
            return Ok(self);
        }
        if how == WithoutOverlay::Refuse {
            let message = "`[sandbox] without_overlay = \"refuse\"`: what a command changes cannot be kept apart on this machine";
            return Err(Fault::new(Code::PermissionDenied, message).with_suggestion(
                "change files by the other tools, call terminal.run with `effects: \"none\"` for what only reads, or ask the \
                 person to run `wherefore doctor`, which says how to get namespaces",
            ));
        }
        self.judged.effects.confined = how == WithoutOverlay::Afterwards;
        Ok(self)
    }
}

impl Effectful for CheckedCall {
    fn declared_effects(&self) -> &CallEffects {
        self.effects()
    }
}

impl fmt::Debug for CheckedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("id", &self.id)
            .field("tool", &self.tool.name())
            .field("args", &self.args)
            .field("activity", &self.judged.activity_name)
            .finish_non_exhaustive()
    }
}

/// A call that the rules let run: what activities take. The rules alone make one, from the effects that the call
/// declares, and `pipeline/permit.rs` alone asks them to.
///
/// ```compile_fail,E0451
/// # use wherefore::registry::{CheckedCall, PermittedCall};
/// fn forge(call: CheckedCall, other: PermittedCall) -> PermittedCall {
///     PermittedCall { subject: call, grant: other.grant().clone() }
/// }
/// ```
pub type PermittedCall = AllowedSubject<CheckedCall>;

impl PermittedCall {
    /// The call.
    pub fn call(&self) -> &CheckedCall {
        self.subject()
    }
}
