//! What a session log has of each time that a model was asked, to ask another model the same.

use std::collections::HashMap;

use serde_json::Value;

use super::calls;
use super::constrained::{self, Form};
use super::history::call_from_json;
use super::resume::Reader;
use super::short;
use super::surface::offered;
use crate::hub::Folder;
use crate::journal::{Item, Log, Values};
use crate::model::{Model, ModelCall, ModelReply, ModelRequest};
use crate::protocol::{EventType, Fault};

/// One time that a model was asked, and what it called.
#[derive(Clone, Debug)]
pub struct RecordedStep {
    /// The run.
    pub run: String,
    /// Which time in the run it was, from 1.
    pub step: u32,
    /// The model that answered.
    pub model: String,
    /// What it was asked, secrets taken out.
    pub request: ModelRequest,
    /// What it called.
    pub calls: Vec<ModelCall>,
}

/// What a call means, whatever reason it gives and however it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCall {
    /// The tool.
    pub tool: String,
    /// The arguments, without `why`.
    pub arguments: Value,
    /// The reason that it gives.
    pub why: String,
}

/// Each time that a model answered in a log. The tools are those of the folder as it is now, as far as the log names them.
///
/// # Errors
/// Those of the disk.
pub fn recorded_steps(folder: &Folder, log: &Log) -> Result<Vec<RecordedStep>, Fault> {
    let mut offered = offered(folder).tools;
    let finders =
        short::finders().into_iter().filter(|tool| !offered.iter().any(|other| other.name == tool.name));
    offered.extend(finders.collect::<Vec<_>>());
    let mut readers: HashMap<String, Reader> = HashMap::new();
    let mut asked: HashMap<String, ModelRequest> = HashMap::new();
    let mut systems: HashMap<String, String> = HashMap::new();
    let mut steps = Vec::new();
    for item in log.items(Values::Whole)? {
        let Item::Entry(entry) = item? else { continue };
        let text = |key: &str| entry.body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let list = |key: &str| entry.body.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let run = text("run");
        let reader = readers.entry(run.clone()).or_default();
        reader.take(&entry);
        match entry.kind() {
            Some(EventType::ModelInput) => {
                if let Some(system) = entry.body.get("system").and_then(Value::as_str) {
                    systems.insert(run.clone(), system.to_owned());
                }
                let names = list("tools");
                let tools = offered.iter().filter(|tool| names.iter().any(|name| *name == *tool.name));
                let request = ModelRequest {
                    system: systems.get(&run).cloned().unwrap_or_default(),
                    messages: reader.messages().to_vec(),
                    tools: tools.cloned().collect(),
                    ..ModelRequest::default()
                };
                asked.insert(run, request);
            }
            Some(EventType::ModelOutput) if entry.body.get("error").is_none() => {
                let Some(request) = asked.remove(&run) else { continue };
                let number = entry.body.get("step").and_then(Value::as_u64).unwrap_or_default();
                steps.push(RecordedStep {
                    run,
                    step: u32::try_from(number).unwrap_or(u32::MAX),
                    model: text("model"),
                    request,
                    calls: list("calls").iter().filter_map(call_from_json).collect(),
                });
            }
            _ => {}
        }
    }
    Ok(steps)
}

/// What calls mean in a folder.
pub fn plain_calls(folder: &Folder, calls: &[ModelCall]) -> Vec<PlainCall> {
    let plain = |call: &ModelCall| {
        let meant = calls::meant(folder, call.clone());
        let why = meant.why().to_owned();
        let mut arguments = meant.arguments;
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.shift_remove("why");
        }
        PlainCall { tool: meant.tool, arguments, why }
    };
    calls.iter().map(plain).collect()
}

/// The request in the form that a model takes.
pub fn request_for(model: &dyn Model, request: &ModelRequest) -> ModelRequest {
    constrained::fitted(&model.facts(), request.clone(), Form::Whole)
}

/// Takes the calls that stand in the text of an answer as calls.
pub fn with_text_calls(folder: &Folder, mut reply: ModelReply) -> ModelReply {
    calls::take_from_text(folder, &mut reply);
    reply
}
