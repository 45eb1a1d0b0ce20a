//! What the model means by a call: the tool, its arguments repaired where that is certain, and whether it only reads.

use serde_json::{Map, Value};

use crate::hub::{CALL, CallToolParams, Folder, Operation};
use crate::model::ModelCall;
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

    /// Whether it may run beside others.
    pub(super) fn reads(&self) -> bool {
        matches!(self.act, Act::Find(_) | Act::Refuse(_) | Act::Call { reads: true, .. })
    }
}

/// What the model means by a call.
pub(super) fn meant(folder: &Folder, call: ModelCall) -> Meant {
    let given = call.name.clone();
    let (arguments, repaired) = match read(&call.arguments) {
        Ok(read) => read,
        Err(wrong) => return refused(folder, call, &given, &wrong),
    };
    if let Some(operation) = Operation::named(&given) {
        return Meant { call, act: Act::Find(operation), tool: given, arguments, repaired };
    }
    if given == CALL {
        let params: Result<CallToolParams, _> = serde_json::from_value(arguments.clone());
        return match params {
            Ok(CallToolParams { tool_id, arguments }) => of_tool(
                folder,
                Meant { call, act: Act::Complete, tool: tool_id, arguments: arguments.into(), repaired },
                true,
            ),
            Err(error) => {
                let fault =
                    Fault::new(Code::InvalidArgs, format!("the arguments of {CALL} do not fit: {error}"))
                        .suggest("send `tool_id`, and `arguments` as an object by the tool's schema");
                Meant { call, act: Act::Refuse(Box::new(fault)), tool: given, arguments, repaired }
            }
        };
    }
    of_tool(folder, Meant { call, act: Act::Complete, tool: given, arguments, repaired }, false)
}

/// The arguments, and what was repaired in them.
fn read(text: &str) -> Result<(Value, Vec<String>), String> {
    if text.trim().is_empty() {
        return Ok((Value::Object(Map::new()), Vec::new()));
    }
    serde_json::from_str(text).map(|value| (value, Vec::new())).map_err(|error| error.to_string())
}

fn of_tool(folder: &Folder, mut meant: Meant, is_found: bool) -> Meant {
    let registry = folder.registry();
    let found = registry.find(&meant.tool);
    let reads = found.as_ref().is_some_and(|tool| tool.def().risk == Risk::Read);
    if let Some(tool) = found {
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
        fault = fault.detail(serde_json::json!({ "args_schema": tool.def().input_schema }));
    }
    let tool = tool.map_or_else(|| given.to_owned(), |tool| tool.name().to_owned());
    let arguments = Value::String(call.arguments.clone());
    Meant { call, act: Act::Refuse(Box::new(fault)), tool, arguments, repaired: Vec::new() }
}
