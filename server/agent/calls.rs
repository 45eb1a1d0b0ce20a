//! The interpretation of a model's call: the tool, its arguments repaired where that is certain, and whether it only reads.

use serde_json::{Value, json};

use super::constrained;
use crate::base::numbers::format_count;
use crate::hub::{CALL, CallToolParams, FindOperation, ServedFolder};
use crate::model::arguments::{TextCall, calls_in_text, read_arguments, tool_name};
use crate::model::{ModelCall, ModelReply};
use crate::patch::git_files;
use crate::protocol::{Code, Fault, Risk};

/// The tool that ends a turn.
pub(super) const COMPLETE: &str = "task_complete";

/// An interpreted call of the model.
#[derive(Clone, Debug)]
pub(super) struct UnderstoodCall {
    /// The call as it came.
    pub(super) call: ModelCall,
    /// The kind of the call.
    pub(super) act: CallAct,
    /// The tool's dotted name, or the name that the model gave.
    pub(super) tool: String,
    /// The arguments; no object if they could not be read.
    pub(super) arguments: Value,
    /// The repairs, a sentence each.
    pub(super) repairs: Vec<String>,
}

/// The kind of a call.
#[derive(Clone, Debug)]
pub(super) enum CallAct {
    /// It reports that the task is complete.
    Complete,
    /// It looks for tools.
    Find(FindOperation),
    /// It calls a tool, which it may have found first.
    Call {
        is_found: bool,
        /// True if it only reads: such calls run concurrently.
        reads: bool,
    },
    /// It cannot be understood.
    Refuse(Box<Fault>),
}

impl UnderstoodCall {
    /// The reason of the call.
    pub(super) fn call_reason(&self) -> &str {
        self.arguments.get("why").and_then(Value::as_str).unwrap_or_default()
    }

    /// The paths that it names.
    pub(super) fn named_paths(&self) -> Vec<String> {
        let names = ["path", "src", "dst", "cwd", "into_path"];
        let one = names.iter().filter_map(|name| self.arguments.get(name).and_then(Value::as_str));
        one.map(str::to_owned).collect()
    }

    /// The files that it works on, if its arguments name them.
    pub(super) fn affected_files(&self) -> Vec<String> {
        let diff = self.arguments.get("diff").and_then(Value::as_str).unwrap_or_default();
        let of_diff = git_files(diff).into_iter().flat_map(|file| file.old.into_iter().chain(file.new));
        self.named_paths().into_iter().chain(of_diff).collect()
    }

    /// Returns whether it may run concurrently with others.
    pub(super) fn is_read_only(&self) -> bool {
        matches!(self.act, CallAct::Find(_) | CallAct::Refuse(_) | CallAct::Call { reads: true, .. })
    }
}

/// Interprets a call of the model.
pub(super) fn understand_call(folder: &ServedFolder, call: ModelCall) -> UnderstoodCall {
    let resolve = |name: &str| resolve_name(folder, name);
    let (given, spelling) = tool_name(&call.name, &resolve).unwrap_or_else(|| (call.name.clone(), None));
    let read = match read_arguments(&call.arguments, &argument_schema(folder, &given)) {
        Ok(read) => read,
        Err(wrong) => return refuse_call(folder, call, &given, &wrong.to_string()),
    };
    let repaired = spelling.iter().chain(&read.repairs).map(|repair| format!("{given}: {repair}")).collect();
    let arguments = Value::Object(read.value);
    if let Some(operation) = FindOperation::from_name(&given) {
        return UnderstoodCall {
            call,
            act: CallAct::Find(operation),
            tool: given,
            arguments,
            repairs: repaired,
        };
    }
    let meant = UnderstoodCall { call, act: CallAct::Complete, tool: given, arguments, repairs: repaired };
    if meant.tool != CALL {
        return understand_tool_call(folder, meant, false);
    }
    match serde_json::from_value::<CallToolParams>(meant.arguments.clone()) {
        Ok(params) => {
            let (tool_id, arguments) = params.into_call();
            understand_tool_call(folder, UnderstoodCall { tool: tool_id, arguments, ..meant }, true)
        }
        Err(error) => {
            let fault = Fault::new(Code::InvalidArgs, format!("the arguments of {CALL} do not fit: {error}"))
                .with_suggestion("send `tool_id`, and `arguments` as an object by the tool's schema");
            UnderstoodCall { act: CallAct::Refuse(Box::new(fault)), ..meant }
        }
    }
}

/// Takes calls out of the text of an answer that has no native ones; returns the repairs, a sentence each.
pub(super) fn take_from_text(folder: &ServedFolder, reply: &mut ModelReply) -> Vec<String> {
    if !reply.calls.is_empty() || constrained::take_constrained(reply) {
        return Vec::new();
    }
    let found = calls_in_text(&reply.text, &|name| resolve_name(folder, name));
    if found.calls.is_empty() {
        return Vec::new();
    }
    let mut repaired =
        vec![format!("{} stood in the text of the answer", format_count(found.calls.len() as u64, "call"))];
    reply.text = found.prose;
    for TextCall { name, arguments, repairs } in found.calls {
        repaired.extend(repairs.iter().map(|repair| format!("{name}: {repair}")));
        // A server accepts no dots in the names of the calls in a request.
        reply.calls.push(ModelCall { name: name.replace('.', "_"), arguments, ..ModelCall::default() });
    }
    repaired
}

/// The tool or the operation of a name or an alias.
pub(super) fn resolve_name(folder: &ServedFolder, name: &str) -> Option<String> {
    if FindOperation::from_name(name).is_some() || name == CALL {
        return Some(name.to_owned());
    }
    let tool = folder.toolbox().registry().find_tool(name)?;
    // An alias stays: its arguments have other names.
    let is_alias = tool.def().aliases.iter().any(|alias| alias.name == name);
    Some(if is_alias { name.to_owned() } else { tool.name().to_owned() })
}

/// The schema that arguments are read by; of an alias, whose arguments have other names, none.
fn argument_schema(folder: &ServedFolder, name: &str) -> Value {
    if let Some(operation) = FindOperation::from_name(name) {
        return operation.schema();
    }
    let tool = folder.toolbox().registry().find_tool(name).filter(|tool| tool.name() == name);
    tool.map(|tool| tool.def().input_schema.clone()).unwrap_or_else(|| json!({}))
}

fn understand_tool_call(folder: &ServedFolder, mut meant: UnderstoodCall, is_found: bool) -> UnderstoodCall {
    let registry = folder.toolbox().registry();
    let found = registry.find_tool(&meant.tool);
    let reads = found.as_ref().is_some_and(|tool| tool.def().risk == Risk::Read);
    if let Some(tool) = found
        && tool.def().aliases.iter().all(|alias| alias.name != meant.tool)
    {
        meant.tool = tool.name().to_owned();
    }
    // A missing tool is refused with the nearest names by the pipeline, like for any agent.
    meant.act = match meant.tool == COMPLETE {
        true => CallAct::Complete,
        false => CallAct::Call { is_found, reads },
    };
    meant
}

fn refuse_call(folder: &ServedFolder, call: ModelCall, given: &str, wrong: &str) -> UnderstoodCall {
    let tool = folder.toolbox().registry().find_tool(given);
    let mut fault =
        Fault::new(Code::InvalidArgs, format!("the arguments of {given} cannot be read: {wrong}"))
            .with_suggestion("send the arguments as one JSON object, by the schema in `details`");
    if let Some(tool) = &tool {
        fault = fault.with_details(json!({ "args_schema": tool.def().input_schema }));
    }
    let tool = tool.map_or_else(|| given.to_owned(), |tool| tool.name().to_owned());
    let arguments = Value::String(call.arguments.clone());
    UnderstoodCall { call, act: CallAct::Refuse(Box::new(fault)), tool, arguments, repairs: Vec::new() }
}
