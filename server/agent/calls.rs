//! What the model means by a call: the tool, its arguments repaired where that is certain, and whether it only reads.

use serde_json::{Value, json};

use super::constrained;
use crate::base::numbers::counted;
use crate::hub::{CALL, CallToolParams, Folder, Operation};
use crate::model::arguments::{TextCall, calls_in_text, read_arguments, tool_name};
use crate::model::{ModelCall, ModelReply};
use crate::patch::git_files;
use crate::protocol::{Code, Fault, Risk};

/// The tool that ends a turn.
pub(super) const COMPLETE: &str = "task_complete";

/// A call of the model's, understood.
#[derive(Clone, Debug)]
pub(super) struct Meant {
    /// The call as it came.
    pub(super) call: ModelCall,
    /// What it is.
    pub(super) act: Act,
    /// The tool's dotted name, or the name that the model gave.
    pub(super) tool: String,
    /// The arguments; what could not be read is no object.
    pub(super) arguments: Value,
    /// What was repaired, a sentence each.
    pub(super) repaired: Vec<String>,
}

/// What a call is.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// It says that the task is done.
    Complete,
    /// It looks for tools.
    Find(Operation),
    /// It calls a tool, which it may have found first.
    Call {
        is_found: bool,
        /// Whether it only reads: such calls run at the same time.
        reads: bool,
    },
    /// It cannot be understood.
    Refuse(Box<Fault>),
}

impl Meant {
    /// The reason that the call gives.
    pub(super) fn why(&self) -> &str {
        self.arguments.get("why").and_then(Value::as_str).unwrap_or_default()
    }

    /// The paths that it names.
    pub(super) fn paths(&self) -> Vec<String> {
        let names = ["path", "src", "dst", "cwd", "into_path"];
        let one = names.iter().filter_map(|name| self.arguments.get(name).and_then(Value::as_str));
        one.map(str::to_owned).collect()
    }

    /// The files that it works on, as far as its arguments name them.
    pub(super) fn files(&self) -> Vec<String> {
        let diff = self.arguments.get("diff").and_then(Value::as_str).unwrap_or_default();
        let of_diff = git_files(diff).into_iter().flat_map(|file| file.old.into_iter().chain(file.new));
        self.paths().into_iter().chain(of_diff).collect()
    }

    /// Whether it may run beside others.
    pub(super) fn reads(&self) -> bool {
        matches!(self.act, Act::Find(_) | Act::Refuse(_) | Act::Call { reads: true, .. })
    }
}

/// What the model means by a call.
pub(super) fn meant(folder: &Folder, call: ModelCall) -> Meant {
    let resolve = |name: &str| resolve(folder, name);
    let (given, spelling) = tool_name(&call.name, &resolve).unwrap_or_else(|| (call.name.clone(), None));
    let read = match read_arguments(&call.arguments, &schema(folder, &given)) {
        Ok(read) => read,
        Err(wrong) => return refused(folder, call, &given, &wrong.to_string()),
    };
    let repaired = spelling.iter().chain(&read.repairs).map(|repair| format!("{given}: {repair}")).collect();
    let arguments = Value::Object(read.value);
    if let Some(operation) = Operation::named(&given) {
        return Meant { call, act: Act::Find(operation), tool: given, arguments, repaired };
    }
    let meant = Meant { call, act: Act::Complete, tool: given, arguments, repaired };
    if meant.tool != CALL {
        return of_tool(folder, meant, false);
    }
    match serde_json::from_value::<CallToolParams>(meant.arguments.clone()) {
        Ok(CallToolParams { tool_id, arguments }) => {
            of_tool(folder, Meant { tool: tool_id, arguments: arguments.into(), ..meant }, true)
        }
        Err(error) => {
            let fault = Fault::new(Code::InvalidArgs, format!("the arguments of {CALL} do not fit: {error}"))
                .suggest("send `tool_id`, and `arguments` as an object by the tool's schema");
            Meant { act: Act::Refuse(Box::new(fault)), ..meant }
        }
    }
}

/// Takes the calls that stand in the text of an answer with no native ones as calls; what was repaired, a sentence each.
pub(super) fn take_from_text(folder: &Folder, reply: &mut ModelReply) -> Vec<String> {
    if !reply.calls.is_empty() || constrained::take(reply) {
        return Vec::new();
    }
    let found = calls_in_text(&reply.text, &|name| resolve(folder, name));
    if found.calls.is_empty() {
        return Vec::new();
    }
    let mut repaired =
        vec![format!("{} stood in the text of the answer", counted(found.calls.len() as u64, "call"))];
    reply.text = found.prose;
    for TextCall { name, arguments, repairs } in found.calls {
        repaired.extend(repairs.iter().map(|repair| format!("{name}: {repair}")));
        // A server takes no dots in the names of the calls that it is sent back.
        reply.calls.push(ModelCall { name: name.replace('.', "_"), arguments, ..ModelCall::default() });
    }
    repaired
}

/// The tool or the operation that a name or an alias means.
pub(super) fn resolve(folder: &Folder, name: &str) -> Option<String> {
    if Operation::named(name).is_some() || name == CALL {
        return Some(name.to_owned());
    }
    let tool = folder.registry().find(name)?;
    // An alias stays: its arguments have other names.
    let is_alias = tool.def().aliases.iter().any(|alias| alias.name == name);
    Some(if is_alias { name.to_owned() } else { tool.name().to_owned() })
}

/// The schema that arguments are read by; of an alias, whose arguments have other names, none.
fn schema(folder: &Folder, name: &str) -> Value {
    if let Some(operation) = Operation::named(name) {
        return operation.schema();
    }
    let tool = folder.registry().find(name).filter(|tool| tool.name() == name);
    tool.map(|tool| tool.def().input_schema.clone()).unwrap_or_else(|| json!({}))
}

fn of_tool(folder: &Folder, mut meant: Meant, is_found: bool) -> Meant {
    let registry = folder.registry();
    let found = registry.find(&meant.tool);
    let reads = found.as_ref().is_some_and(|tool| tool.def().risk == Risk::Read);
    if let Some(tool) = found
        && tool.def().aliases.iter().all(|alias| alias.name != meant.tool)
    {
        meant.tool = tool.name().to_owned();
    }
    // One that does not exist is refused with the nearest names by the way of every call.
    meant.act = match meant.tool == COMPLETE {
        true => Act::Complete,
        false => Act::Call { is_found, reads },
    };
    meant
}

fn refused(folder: &Folder, call: ModelCall, given: &str, wrong: &str) -> Meant {
    let tool = folder.registry().find(given);
    let mut fault =
        Fault::new(Code::InvalidArgs, format!("the arguments of {given} cannot be read: {wrong}"))
            .suggest("send the arguments as one JSON object, by the schema in `details`");
    if let Some(tool) = &tool {
        fault = fault.detail(json!({ "args_schema": tool.def().input_schema }));
    }
    let tool = tool.map_or_else(|| given.to_owned(), |tool| tool.name().to_owned());
    let arguments = Value::String(call.arguments.clone());
    Meant { call, act: Act::Refuse(Box::new(fault)), tool, arguments, repaired: Vec::new() }
}
