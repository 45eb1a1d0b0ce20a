//! Whether a call's reason, arguments and activity are right.

use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::Meta;
use super::reason::{self, Remark};
use super::unfit::CallError;
use super::violations::shown;
use super::{Activities, AnyActivity, PreparedActivity, Tool};
use crate::catalogue::Alias;
use crate::protocol::{Effects, Why, WhySettings};

/// What a call is beside its arguments, once it is right.
#[derive(Clone)]
pub(super) struct Judged {
    pub(super) why: Why,
    pub(super) warnings: Vec<String>,
    pub(super) activity: Option<Arc<dyn PreparedActivity>>,
    pub(super) activity_name: String,
    pub(super) effects: Effects,
    pub(super) output: Option<Value>,
}

/// A call that is judged.
pub(super) struct AskedCall<'a> {
    pub(super) tool: &'a Tool,
    /// The alias that it was called by.
    pub(super) alias: Option<&'a Alias>,
    pub(super) args: &'a Value,
    pub(super) meta: Meta,
    /// Whether an agent's own tool did it: its words are not held to what a `why` has to say.
    pub(super) is_native: bool,
}

impl AskedCall<'_> {
    /// Judges it.
    pub(super) fn judge(self, activities: &Activities, settings: &WhySettings) -> Result<Judged, CallError> {
        let Self { tool, args, .. } = self;
        let why = self.why()?;
        let mut warnings = Vec::new();
        let remarks = if self.is_native { Vec::new() } else { reason::remarks(&why, tool, args) };
        for remark in remarks {
            match remark {
                Remark::Empty(remark) if settings.strict => return Err(CallError::EmptyWhy { why, remark }),
                Remark::Empty(remark) | Remark::Form(remark) => warnings.push(remark),
            }
        }
        let (activity_name, activity) = choose(tool, self.meta.activity.as_ref(), activities)?;
        let activity = match activity {
            Some(activity) => Some(activity.prepare(args).map_err(|source| {
                let activity = activity_name.clone();
                CallError::Misfit { activity, source }
            })?),
            None => None,
        };
        let effects = activity.as_ref().map_or_else(Effects::default, |activity| activity.effects());
        let output = match (self.meta.output, &activity) {
            (Some(_), Some(_)) => {
                warnings.push(format!("`_output` was not used: code runs {}", tool.name()));
                None
            }
            (Some(output), None) => Some(filled(tool, output)?),
            (None, _) => None,
        };
        Ok(Judged { why, warnings, activity, activity_name, effects, output })
    }

    /// The reason, where that and the arguments are right.
    fn why(&self) -> Result<Why, CallError> {
        let violations = self.tool.check_input(self.args)?;
        let lack = match self.args.get("why") {
            None | Some(Value::Null) => "has no `why`",
            Some(Value::String(text)) => match Why::new(text) {
                Some(why) if violations.is_empty() => return Ok(why),
                Some(_) => return Err(self.invalid(violations)),
                None => "has a `why` that says nothing",
            },
            // The schema's check says so.
            Some(_) => return Err(self.invalid(violations)),
        };
        Err(CallError::NoWhy { lack, violations })
    }

    fn invalid(&self, violations: Vec<super::Violation>) -> CallError {
        let alias = self.alias.filter(|alias| !alias.args.is_empty()).cloned();
        CallError::Arguments { alias, violations }
    }
}

/// The activity: the call's own wish, then the definition's, then the one of the tool's name; else latent.
///
/// A call may ask for nothing but the tool's own activity, a variant of it (`NAME@VARIANT`) or none: with
/// another tool's code behind it, a call would not be what the policies for its tool and the log say it is.
fn choose(
    tool: &Tool,
    asked: Option<&Value>,
    activities: &Activities,
) -> Result<(String, Option<Arc<dyn AnyActivity>>), CallError> {
    let own = tool.def().activity.as_deref().unwrap_or(tool.name());
    let other = |got: &Value| CallError::Activity { got: shown(got), own: own.to_owned() };
    let name = match asked {
        None | Some(Value::Null) => own,
        Some(Value::String(name)) => name,
        Some(got) => return Err(other(got)),
    };
    let activity = if name.is_empty() { None } else { activities.get(name) };
    let variant = name.strip_prefix(tool.name()).is_some_and(|rest| rest.starts_with('@'));
    let fits = name == own || name == tool.name() || name.is_empty() || (variant && activity.is_some());
    if !fits {
        return Err(other(&json!(name)));
    }
    Ok(match activity {
        Some(activity) => (name.to_owned(), Some(activity)),
        None => (String::new(), None),
    })
}

/// The output of a latent call that the model filled.
fn filled(tool: &Tool, output: Value) -> Result<Value, CallError> {
    let violations = tool.check_output(&output)?;
    if violations.is_empty() { Ok(output) } else { Err(CallError::Output { violations }) }
}

#[cfg(test)]
mod tests;
