//! The recorded model requests of a session log, to send them to another model.

use std::collections::HashMap;

use serde_json::Value;

use super::calls;
use super::constrained::{self, AnswerStyle};
use super::history::call_from_json;
use super::resume::ConversationReader;
use super::short_prompt;
use super::surface::offered_tools;
use crate::hub::ServedFolder;
use crate::journal::{LogItem, LogReader, ValueMode};
use crate::model::{LanguageModel, ModelCall, ModelReply, ModelRequest};
use crate::protocol::{EventType, Fault};

/// A recorded request to a model, and the calls that it made.
#[derive(Clone, Debug)]
pub struct RecordedStep {
    /// The run.
    pub run: String,
    /// The number of the request in the run, from 1.
    pub step: u32,
    /// The model that answered.
    pub model: String,
    /// The request, with secrets redacted.
    pub request: ModelRequest,
    /// The calls of the answer.
    pub calls: Vec<ModelCall>,
}

/// The meaning of a call, without its wording.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparableCall {
    /// The tool.
    pub tool: String,
    /// The arguments, without `why`.
    pub arguments: Value,
    /// The reason of the call.
    pub why: String,
}

/// The recorded requests that a model answered. Their tools are those of the current folder, if the log names them.
///
/// # Errors
/// The errors of the disk.
pub fn recorded_steps(folder: &ServedFolder, log: &LogReader) -> Result<Vec<RecordedStep>, Fault> {
    let mut offered = offered_tools(folder).tools;
    let finders = short_prompt::finder_tools()
        .into_iter()
        .filter(|tool| !offered.iter().any(|other| other.name == tool.name));
    offered.extend(finders.collect::<Vec<_>>());
    let mut readers: HashMap<String, ConversationReader> = HashMap::new();
    let mut asked: HashMap<String, ModelRequest> = HashMap::new();
    let mut systems: HashMap<String, String> = HashMap::new();
    let mut steps = Vec::new();
    for item in log.items(ValueMode::Whole)? {
        let LogItem::Entry(entry) = item? else { continue };
        let text = |key: &str| entry.body.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let list = |key: &str| entry.body.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let run = text("run");
        let reader = readers.entry(run.clone()).or_default();
        reader.take_entry(&entry);
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

/// The comparable forms of calls in a folder.
pub fn comparable_calls(folder: &ServedFolder, calls: &[ModelCall]) -> Vec<ComparableCall> {
    let plain = |call: &ModelCall| {
        let meant = calls::understand_call(folder, call.clone());
        let why = meant.call_reason().to_owned();
        let mut arguments = meant.arguments;
        if let Some(arguments) = arguments.as_object_mut() {
            arguments.shift_remove("why");
        }
        ComparableCall { tool: meant.tool, arguments, why }
    };
    calls.iter().map(plain).collect()
}

/// The request in the form that a model takes.
pub fn request_for(model: &dyn LanguageModel, request: &ModelRequest) -> ModelRequest {
    constrained::fit_request(&model.facts(), request.clone(), AnswerStyle::Whole)
}

/// Takes the calls in the text of an answer as calls.
pub fn with_text_calls(folder: &ServedFolder, mut reply: ModelReply) -> ModelReply {
    calls::take_from_text(folder, &mut reply);
    reply
}
