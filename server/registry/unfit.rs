//! Why no call can be made of what came. The registry's edge turns it into a fault.

use std::sync::Arc;

use serde_json::{Value, json};
use thiserror::Error;

use super::Tool;
use super::violations::{Violation, shown};
use crate::catalogue::{Alias, Problem};
use crate::protocol::{Code, Fault, Why};

/// Why no call can be made of what came.
#[derive(Debug, Error)]
pub(super) enum Unfit {
    /// The arguments are no object, nor text that holds one.
    #[error("the arguments must be an object, or JSON text that holds one; got {got}")]
    NoObject {
        /// What they are, in words.
        got: String,
        /// Why text is not JSON.
        source: Option<serde_json::Error>,
    },
    /// The arguments hold more than a call may.
    #[error("the arguments hold more than {limit} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The most there may be.
        limit: usize,
    },
    /// No tool has the name.
    #[error(transparent)]
    NoTool(#[from] NoTool),
    /// `_tool` names another tool than the call.
    #[error("the call names {called}, but `_tool` names {inner}")]
    TwoTools {
        /// The tool that the call names.
        called: String,
        /// The one that `_tool` names.
        inner: String,
    },
    /// What hub or door hold against it.
    #[error("{}", .0.message)]
    Barred(Fault),
    /// There is a tool, and the call of it is not right.
    #[error("the call of {}: {error}", tool.name())]
    Call {
        /// The tool.
        tool: Arc<Tool>,
        /// What is not right.
        error: CallError,
    },
}

/// Why no tool has a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NoTool {
    /// Its definition was refused.
    #[error("there is no tool named {asked:?}: its definition was refused at {}:{}: {} ({})", problem.path, problem.line, problem.message, problem.rule)]
    Refused {
        /// The name.
        asked: String,
        /// What is wrong with the definition.
        problem: Problem,
    },
    /// There are others.
    #[error("there is no tool named {asked:?}")]
    Unknown {
        /// The name.
        asked: String,
        /// The nearest names that there are.
        near: Vec<String>,
        /// Some names that there are.
        known: Vec<String>,
        /// Whether there are more.
        more: bool,
    },
}

/// What is not right with the call of a tool.
#[derive(Debug, Error)]
pub(super) enum CallError {
    /// It has no reason.
    #[error("it {lack}")]
    NoWhy {
        /// What it lacks: `has no why`.
        lack: &'static str,
        /// What else is wrong.
        violations: Vec<Violation>,
    },
    /// Its reason says nothing, and the settings want one that does.
    #[error("the `why` is refused: {remark}")]
    EmptyWhy {
        /// The reason.
        why: Why,
        /// What is wrong with it.
        remark: String,
    },
    /// Its arguments break the schema.
    #[error("{}", said(violations))]
    Arguments {
        /// The name that it was called by, where that has arguments of its own.
        alias: Option<Alias>,
        /// What is wrong.
        violations: Vec<Violation>,
    },
    /// It asks for an activity that is not the tool's.
    #[error("`_activity` is {got}")]
    Activity {
        /// What it asks for.
        got: String,
        /// The tool's own.
        own: String,
    },
    /// The code behind the tool takes other arguments than its definition.
    #[error("{activity} does not take these arguments")]
    Misfit {
        /// The activity.
        activity: String,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The model filled an output that breaks the schema.
    #[error("the `_output`: {}", said(violations))]
    Output {
        /// What is wrong.
        violations: Vec<Violation>,
    },
    /// A schema of the tool is broken.
    #[error(transparent)]
    Schema(#[from] BrokenSchema),
}

/// A schema that does not compile, which the loader rules out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the {which} schema of {tool} is broken at {pointer:?}: {error}")]
pub struct BrokenSchema {
    pub(super) which: &'static str,
    pub(super) tool: String,
    pub(super) pointer: String,
    pub(super) error: String,
}

impl From<BrokenSchema> for Fault {
    fn from(broken: BrokenSchema) -> Self {
        Self::internal(broken.to_string())
    }
}

impl From<Unfit> for Fault {
    fn from(unfit: Unfit) -> Self {
        let message = unfit.to_string();
        match unfit {
            Unfit::NoObject { .. } => Self::new(Code::InvalidArgs, message).suggest(
                "send the arguments as a JSON object, as {\"path\": \"src/main.rs\", \"why\": \"…\"}",
            ),
            Unfit::TooMuch { .. } => {
                Self::new(Code::QuotaExceeded, message).suggest("make several smaller calls")
            }
            Unfit::NoTool(none) => none.into(),
            Unfit::TwoTools { .. } => Self::new(Code::InvalidArgs, message)
                .suggest("name one tool, and leave `_tool` out of the arguments"),
            Unfit::Barred(fault) => fault,
            Unfit::Call { tool, error } => of_call(&tool, error),
        }
    }
}

impl From<NoTool> for Fault {
    fn from(none: NoTool) -> Self {
        let fault = Self::new(Code::ToolNotFound, none.to_string());
        match none {
            NoTool::Refused { problem: Problem { path, line, rule, .. }, .. } => fault
                .suggest("ask the person to mend that line; the file is read again when it changes")
                .detail(json!({ "path": path, "line": line, "rule": rule })),
            NoTool::Unknown { near, known, more, .. } => match near.first() {
                Some(first) => {
                    fault.suggest(format!("call {first}, or another of the names in `hints`")).near(near)
                }
                None => {
                    let more = if more { ", or search for another" } else { "" };
                    fault.suggest(format!("call one of {}{more}", known.join(", ")))
                }
            },
        }
    }
}

fn of_call(tool: &Tool, error: CallError) -> Fault {
    let name = tool.name();
    match error {
        CallError::NoWhy { lack, violations } => no_why(tool, lack, violations),
        CallError::EmptyWhy { why, remark } => empty_why(tool, &why, remark),
        CallError::Arguments { alias, violations } => arguments(tool, alias, &violations),
        CallError::Activity { got, own } => {
            Fault::new(Code::InvalidArgs, format!("`_activity` is {got}, which is no activity of {name}"))
                .suggest(format!(
                    "leave `_activity` out to run {own}, or send \"\" to fill `_output` yourself"
                ))
        }
        CallError::Misfit { activity, source } => Fault::new(
            Code::InvalidArgs,
            format!("{name} runs {activity}, which does not take these arguments: {source}"),
        )
        .suggest(format!(
            "ask the person to give {name} the `input_schema` of {activity}, or call {activity} itself"
        )),
        CallError::Output { mut violations } => {
            for violation in &mut violations {
                violation.pointer.insert_str(0, "/_output");
            }
            Fault::new(Code::InvalidArgs, format!("the `_output` of {name}: {}", said(&violations)))
                .suggest(
                    "send the call again with an `_output` that is valid by the schema in `details.schema`",
                )
                .detail(json!({ "violations": violations, "schema": tool.def().output_schema }))
        }
        CallError::Schema(broken) => broken.into(),
    }
}

fn no_why(tool: &Tool, lack: &str, mut violations: Vec<Violation>) -> Fault {
    violations.retain(|violation| violation.pointer != "/why");
    let fault = Fault::new(Code::MissingWhy, format!("the call of {} {lack}", tool.name())).suggest(format!(
        "send the call again with a `why`: one sentence on what you want to accomplish, as {}",
        json!(example_why(tool)),
    ));
    if violations.is_empty() { fault } else { fault.detail(json!({ "violations": violations })) }
}

fn empty_why(tool: &Tool, why: &Why, remark: String) -> Fault {
    let message = format!("the `why` of {} is refused: {remark}", tool.name());
    let violation = Violation {
        pointer: "/why".to_owned(),
        expected: "a sentence on what the call is to accomplish".to_owned(),
        got: shown(&json!(why.as_str())),
        message: remark,
    };
    Fault::new(Code::InvalidArgs, message)
        .suggest(format!("send the call again with a `why` like {}", json!(example_why(tool))))
        .detail(json!({ "violations": [violation] }))
}

fn example_why(tool: &Tool) -> &str {
    let first = tool.def().examples.first().map(|example| example.why.as_str());
    first.unwrap_or("Find where YAML Jazz is defined to understand its principles")
}

fn arguments(tool: &Tool, alias: Option<Alias>, violations: &[Violation]) -> Fault {
    let fault = Fault::new(Code::InvalidArgs, format!("{}: {}", tool.name(), said(violations)))
        .suggest(format!("send the call again; {}", takes(tool)))
        .detail(json!({ "violations": violations }));
    match alias {
        Some(alias) => {
            let pairs = alias.args.iter().map(|(theirs, own)| format!("`{theirs}` is `{own}`"));
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            fault.hint([format!("{} stands for {}, where {pairs}", alias.name, tool.name())])
        }
        None => fault,
    }
}

fn said(violations: &[Violation]) -> String {
    let messages: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    match messages.as_slice() {
        [one] => (*one).to_owned(),
        many => format!("{} things are wrong: {}", many.len(), many.join("; ")),
    }
}

/// The arguments that there are.
fn takes(tool: &Tool) -> String {
    let required = tool.def().input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &&str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let (must, may): (Vec<&str>, Vec<&str>) = tool.def().argument_names().partition(is_required);
    let may = if may.is_empty() { String::new() } else { format!(", and may have {}", may.join(", ")) };
    format!("it must have {}{may}", must.join(", "))
}
