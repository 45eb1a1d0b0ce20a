//! Judges a call's reason, arguments and activity.

use std::sync::Arc;

use serde_json::Value;

use super::activities::ChosenActivity;
use super::arguments::CallMeta;
use super::reason::{self, ReasonRemark};
use super::unfit_call::ToolCallError;
use super::violations::shown_value;
use super::{Activities, CompiledTool, PreparedActivity};
use crate::catalogue::ToolAlias;
use crate::protocol::{CallEffects, Why, WhySettings};

/// The checked parts of a call in addition to its arguments.
#[derive(Clone)]
pub(super) struct CallJudgement {
    pub(super) why: Why,
    pub(super) warnings: Vec<String>,
    pub(super) activity: Option<Arc<dyn PreparedActivity>>,
    pub(super) activity_name: String,
    /// The environment with its activity in words, where that runs the tool in place of the definition's.
    pub(super) environment: Option<String>,
    pub(super) effects: CallEffects,
    pub(super) output: Option<Value>,
}

/// A call that is judged.
pub(super) struct AskedCall<'a> {
    pub(super) tool: &'a CompiledTool,
    /// The alias that it was called by.
    pub(super) alias: Option<&'a ToolAlias>,
    pub(super) args: &'a Value,
    pub(super) meta: CallMeta,
    /// The environment that the call names.
    pub(super) environment: Option<&'a str>,
    /// True for a call of an agent's own tool: its words need not meet the rules of a `why`.
    pub(super) is_native: bool,
}

impl AskedCall<'_> {
    /// Judges it.
    pub(super) fn judge_arguments(
        self,
        activities: &Activities,
        settings: &WhySettings,
    ) -> Result<CallJudgement, ToolCallError> {
        let Self { tool, args, .. } = self;
        let why = self.check_reason()?;
        let mut warnings = Vec::new();
        let remarks = if self.is_native { Vec::new() } else { reason::reason_remarks(&why, tool, args) };
        for remark in remarks {
            match remark {
                ReasonRemark::Empty(remark) if settings.strict => {
                    return Err(ToolCallError::EmptyWhy { why, remark });
                }
                ReasonRemark::Empty(remark) | ReasonRemark::Form(remark) => warnings.push(remark),
            }
        }
        let chosen = activities.choose(tool, self.environment)?;
        check_stated(self.meta.activity.as_ref(), &chosen.name)?;
        let ChosenActivity { name: activity_name, code, environment, warning } = chosen;
        warnings.extend(warning);
        let activity = match code {
            Some(activity) => Some(activity.prepare_call(args).map_err(|source| {
                let activity = activity_name.clone();
                ToolCallError::Misfit { activity, source }
            })?),
            None => None,
        };
        let effects = activity.as_ref().map_or_else(CallEffects::default, |activity| activity.call_effects());
        let output = match (self.meta.output, &activity) {
            (Some(output), None) => Some(check_filled(tool, output)?),
            (Some(output), Some(_)) if !output.is_null() => {
                return Err(ToolCallError::OutputOfCode {
                    activity: activity_name,
                    got: shown_value(&output),
                });
            }
            (_, _) => None,
        };
        Ok(CallJudgement { why, warnings, activity, activity_name, environment, effects, output })
    }

    /// The reason, where that and the arguments are right.
    fn check_reason(&self) -> Result<Why, ToolCallError> {
        let violations = self.tool.check_input(self.args)?;
        let lack = match self.args.get("why") {
            None | Some(Value::Null) => "has no `why`",
            Some(Value::String(text)) => match Why::new(text) {
                Some(why) if violations.is_empty() => return Ok(why),
                Some(_) => return Err(self.argument_error(violations)),
                None => "has a `why` that says nothing",
            },
            // The schema's check reports it.
            Some(_) => return Err(self.argument_error(violations)),
        };
        Err(ToolCallError::NoWhy { lack, violations })
    }

    fn argument_error(&self, violations: Vec<super::Violation>) -> ToolCallError {
        let alias = self.alias.filter(|alias| !alias.args.is_empty()).cloned();
        ToolCallError::Arguments { alias, violations }
    }
}

/// Refuses a call that states another activity than the one that runs its tool.
///
/// A call may state it, as a composed schema does, and not choose it: with another tool's code behind it, or with none, a
/// call would not be what the rules for its tool and the log say it is.
fn check_stated(stated: Option<&Value>, own: &str) -> Result<(), ToolCallError> {
    match stated {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(stated)) if stated == own => Ok(()),
        Some(got) => Err(ToolCallError::Activity { got: shown_value(got), own: own.to_owned() }),
    }
}

/// The output of a latent call that the model filled.
fn check_filled(tool: &CompiledTool, output: Value) -> Result<Value, ToolCallError> {
    let violations = tool.check_output(&output)?;
    if violations.is_empty() { Ok(output) } else { Err(ToolCallError::Output { violations }) }
}

#[cfg(test)]
mod tests;
