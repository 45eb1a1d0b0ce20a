//! Explains why no call can be made of a request. The registry's edge turns it into a fault.

use std::sync::Arc;

use serde_json::{Value, json};
use thiserror::Error;

use super::violations::{Violation, shown_value};
use super::{CompiledTool, UnknownEnvironment};
use crate::catalogue::{DefinitionProblem, ToolAlias};
use crate::protocol::{Code, Fault, Why};

/// The reasons why no call can be made of a request.
#[derive(Debug, Error)]
pub(super) enum UnfitCall {
    /// The arguments are no object, nor text that holds one.
    #[error("the arguments must be an object, or JSON text that holds one; got {got}")]
    NoObject {
        /// The kind of the arguments, in words.
        got: String,
        /// The reason why text is not JSON.
        source: Option<serde_json::Error>,
    },
    /// The arguments hold more than a call may.
    #[error("the arguments hold more than {limit} {what}")]
    TooMuch {
        /// The exceeded quantity.
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
    /// Its `_comments` are no texts.
    #[error(
        "`_comments` holds {got}: it is a text, or an object with a text for each argument that one is about"
    )]
    Comments {
        /// The value with its kind, shortened.
        got: String,
    },
    /// The fault for which the hub or the door refuses the call.
    #[error("{}", .0.message)]
    Barred(Fault),
    /// There is a tool, and the call of it is not right.
    #[error("the call of {}: {error}", tool.name())]
    Call {
        /// The tool.
        tool: Arc<CompiledTool>,
        /// The error.
        error: ToolCallError,
    },
}

/// The reasons why no tool has a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NoTool {
    /// Its definition was refused.
    #[error("there is no tool named {asked:?}: its definition was refused at {}:{}: {} ({})", problem.path, problem.line, problem.message, problem.rule)]
    Refused {
        /// The name.
        asked: String,
        /// The problem of the definition.
        problem: DefinitionProblem,
    },
    /// There are others.
    #[error("there is no tool named {asked:?}{}", missing_text(missing))]
    Unknown {
        /// The name.
        asked: String,
        /// The nearest names that there are.
        near: Vec<String>,
        /// The reasons why all tools of some servers are missing.
        missing: Vec<String>,
    },
}

/// The reasons why tools of servers are missing, as the end of a sentence.
fn missing_text(missing: &[String]) -> String {
    match missing {
        [] => String::new(),
        reasons => format!("; tools of servers are missing: {}", reasons.join("; ")),
    }
}

/// The error of a call of a tool.
#[derive(Debug, Error)]
pub(super) enum ToolCallError {
    /// It has no reason.
    #[error("it {lack}")]
    NoWhy {
        /// The missing part: `has no why`.
        lack: &'static str,
        /// The other violations.
        violations: Vec<Violation>,
    },
    /// Its reason has no substance, and the settings ask for one.
    #[error("the `why` is refused: {remark}")]
    EmptyWhy {
        /// The reason.
        why: Why,
        /// The remark on the reason.
        remark: String,
    },
    /// Its arguments break the schema.
    #[error("{}", violations_text(violations))]
    Arguments {
        /// The name that it was called by, where that has arguments of its own.
        alias: Option<ToolAlias>,
        /// The violations.
        violations: Vec<Violation>,
    },
    /// It asks for an activity that is not the tool's.
    #[error("`_activity` is {got}")]
    Activity {
        /// The activity that it asks for.
        got: String,
        /// The tool's own; empty where no code runs it.
        own: String,
    },
    /// It brings an output for a tool that code runs.
    #[error("the `_output` is not taken: {activity} runs the tool")]
    OutputOfCode {
        /// The activity.
        activity: String,
        /// The output that it brings.
        got: String,
    },
    /// The code behind the tool takes other arguments than its definition.
    #[error("{activity} does not take these arguments")]
    Misfit {
        /// The activity.
        activity: String,
        /// The error of reading them.
        source: serde_json::Error,
    },
    /// The model filled an output that breaks the schema.
    #[error("the `_output`: {}", violations_text(violations))]
    Output {
        /// The violations.
        violations: Vec<Violation>,
    },
    /// There is no such environment.
    #[error(transparent)]
    Environment(#[from] UnknownEnvironment),
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

impl From<UnfitCall> for Fault {
    fn from(unfit: UnfitCall) -> Self {
        let message = unfit.to_string();
        match unfit {
            UnfitCall::NoObject { .. } => Self::new(Code::InvalidArgs, message).with_suggestion(
                "send the arguments as a JSON object, as {\"path\": \"src/main.rs\", \"why\": \"…\"}",
            ),
            UnfitCall::TooMuch { .. } => {
                Self::new(Code::QuotaExceeded, message).with_suggestion("make several smaller calls")
            }
            UnfitCall::NoTool(none) => none.into(),
            UnfitCall::TwoTools { .. } => Self::new(Code::InvalidArgs, message)
                .with_suggestion("name one tool, and leave `_tool` out of the arguments"),
            UnfitCall::Comments { .. } => Self::new(Code::InvalidArgs, message)
                .with_suggestion("write {\"_comments\": {\"path\": \"…\"}}, or leave it out"),
            UnfitCall::Barred(fault) => fault,
            UnfitCall::Call { tool, error } => of_call(&tool, error),
        }
    }
}

impl From<NoTool> for Fault {
    fn from(none: NoTool) -> Self {
        let fault = Self::new(Code::ToolNotFound, none.to_string());
        match none {
            NoTool::Refused { problem: DefinitionProblem { path, line, rule, .. }, .. } => fault
                .with_suggestion("ask the person to mend that line; the file is read again when it changes")
                .with_details(json!({ "path": path, "line": line, "rule": rule })),
            NoTool::Unknown { near, asked, .. } => match near.first().cloned() {
                Some(first) => fault
                    .with_suggestion(format!("call {first}, or another of the names in `hints`"))
                    .with_near_names(near)
                    .with_next_action(json!({ "tool": "expand_tool", "arguments": { "tool_id": first } })),
                None => {
                    let query = asked.replace(['.', '_', '-'], " ");
                    fault
                        .with_suggestion("search for a tool by what it is to do: search_tool_by_category, or `wherefore tools search`")
                        .with_next_action(json!({ "tool": "search_tool_by_category", "arguments": { "query": query.trim() } }))
                }
            },
        }
    }
}

fn of_call(tool: &CompiledTool, error: ToolCallError) -> Fault {
    let name = tool.name();
    match error {
        ToolCallError::NoWhy { lack, violations } => no_why(tool, lack, violations),
        ToolCallError::EmptyWhy { why, remark } => empty_why(tool, &why, remark),
        ToolCallError::Arguments { alias, violations } => arguments_fault(tool, alias, &violations),
        ToolCallError::Activity { got, own } => {
            let runs = if own.is_empty() { "no code runs it".to_owned() } else { format!("{own} runs it") };
            let message = format!("`_activity` is {got}, and {name} says otherwise: {runs}");
            Fault::new(Code::InvalidArgs, message).with_suggestion(
                "leave `_activity` out; the tool's definition says what runs it, and no call does",
            )
        }
        ToolCallError::OutputOfCode { activity, got } => {
            let message = format!("{name} takes no `_output`: {activity} runs it and gives its result");
            let violation = Violation {
                pointer: "/_output".to_owned(),
                expected: "nothing".to_owned(),
                got,
                message: message.clone(),
            };
            Fault::new(Code::InvalidArgs, message)
                .with_suggestion(
                    "send the call again without `_output`; only a tool that no code runs takes one",
                )
                .with_details(json!({ "violations": [violation] }))
        }
        ToolCallError::Misfit { activity, source } => Fault::new(
            Code::InvalidArgs,
            format!("{name} runs {activity}, which does not take these arguments: {source}"),
        )
        .with_suggestion(format!(
            "ask the person to give {name} the `input_schema` of {activity}, or call {activity} itself"
        )),
        ToolCallError::Output { mut violations } => {
            for violation in &mut violations {
                violation.pointer.insert_str(0, "/_output");
            }
            Fault::new(
                Code::InvalidArgs,
                format!("the `_output` of {name}: {}", violations_text(&violations)),
            )
            .with_suggestion(
                "send the call again with an `_output` that is valid by the schema in `details.schema`",
            )
            .with_details(json!({ "violations": violations, "schema": tool.def().output_schema }))
        }
        ToolCallError::Environment(unknown) => unknown.into(),
        ToolCallError::Schema(broken) => broken.into(),
    }
}

fn no_why(tool: &CompiledTool, lack: &str, mut violations: Vec<Violation>) -> Fault {
    violations.retain(|violation| violation.pointer != "/why");
    let fault =
        Fault::new(Code::MissingWhy, format!("the call of {} {lack}", tool.name())).with_suggestion(format!(
            "send the call again with a `why`: one sentence on what you want to accomplish, as {}",
            json!(example_why(tool)),
        ));
    if violations.is_empty() { fault } else { fault.with_details(json!({ "violations": violations })) }
}

fn empty_why(tool: &CompiledTool, why: &Why, remark: String) -> Fault {
    let message = format!("the `why` of {} is refused: {remark}", tool.name());
    let violation = Violation {
        pointer: "/why".to_owned(),
        expected: "a sentence on what the call is to accomplish".to_owned(),
        got: shown_value(&json!(why.as_str())),
        message: remark,
    };
    Fault::new(Code::InvalidArgs, message)
        .with_suggestion(format!("send the call again with a `why` like {}", json!(example_why(tool))))
        .with_details(json!({ "violations": [violation] }))
}

fn example_why(tool: &CompiledTool) -> &str {
    let first = tool.def().examples.first().map(|example| example.why.as_str());
    first.unwrap_or("Find where YAML Jazz is defined to understand its principles")
}

fn arguments_fault(tool: &CompiledTool, alias: Option<ToolAlias>, violations: &[Violation]) -> Fault {
    let fault = Fault::new(Code::InvalidArgs, format!("{}: {}", tool.name(), violations_text(violations)))
        .with_suggestion(format!("send the call again; {}", arguments_text(tool)))
        .with_details(json!({ "violations": violations }));
    match alias {
        Some(alias) => {
            let pairs = alias.args.iter().map(|(theirs, own)| format!("`{theirs}` is `{own}`"));
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            fault.with_hints([format!("{} stands for {}, where {pairs}", alias.name, tool.name())])
        }
        None => fault,
    }
}

fn violations_text(violations: &[Violation]) -> String {
    let messages: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    match messages.as_slice() {
        [one] => (*one).to_owned(),
        many => format!("{} things are wrong: {}", many.len(), many.join("; ")),
    }
}

/// The arguments that there are.
fn arguments_text(tool: &CompiledTool) -> String {
    let required = tool.def().input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &&str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let (must, may): (Vec<&str>, Vec<&str>) = tool.def().argument_names().partition(is_required);
    let may = if may.is_empty() { String::new() } else { format!(", and may have {}", may.join(", ")) };
    format!("it must have {}{may}", must.join(", "))
}
