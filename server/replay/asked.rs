//! Asks another model what the model of a recorded run was asked, and compares what they call.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::agent::{PlainCall, RecordedStep, plain_calls, request_for, with_text_calls};
use crate::hub::Folder;
use crate::model::Model;
use crate::protocol::Fault;

/// How long one answer may take.
const TIME: Duration = Duration::from_secs(600);

/// One question, asked again.
#[derive(Clone, Debug, Serialize)]
pub struct StepAgain {
    /// The run.
    pub run: String,
    /// Which time in the run it was, from 1.
    pub step: u32,
    /// Whether the same tools are called with the same arguments, whatever the reasons.
    pub same: bool,
    /// Whether the same tools are called, in any order.
    pub same_tools: bool,
    /// What was called then.
    pub then: Vec<CallMade>,
    /// What is called now.
    pub now: Vec<CallMade>,
    /// Why the model gave no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

/// A call, as a report shows it.
#[derive(Clone, Debug, Serialize)]
pub struct CallMade {
    /// The tool.
    pub tool: String,
    /// The arguments, without `why`.
    pub arguments: Value,
    /// The reason that it gives.
    pub why: String,
}

/// What came of asking another model.
#[derive(Clone, Debug, Serialize)]
pub struct AskedAgain {
    /// The model.
    pub model: String,
    /// The questions, in order.
    pub steps: Vec<StepAgain>,
}

/// Asks a model each question of a log; none of its calls is made.
pub async fn ask_again(folder: &Folder, model: &Arc<dyn Model>, steps: &[RecordedStep]) -> AskedAgain {
    let mut again = Vec::new();
    for step in steps {
        let then = plain_calls(folder, &step.calls);
        let request = request_for(&**model, &step.request);
        let asked = tokio::time::timeout(TIME, model.reply(&request, &mut |_| {})).await;
        let (now, error) = match asked {
            Ok(Ok(reply)) => (plain_calls(folder, &with_text_calls(folder, reply).calls), None),
            Ok(Err(error)) => (Vec::new(), Some(Fault::from(error))),
            Err(_) => (Vec::new(), Some(late())),
        };
        let tools = |calls: &[PlainCall]| {
            let mut tools: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
            tools.sort();
            tools
        };
        let is_same =
            |(then, now): (&PlainCall, &PlainCall)| then.tool == now.tool && then.arguments == now.arguments;
        let same = error.is_none() && then.len() == now.len() && then.iter().zip(&now).all(is_same);
        let same_tools = error.is_none() && tools(&then) == tools(&now);
        let shown = |calls: Vec<PlainCall>| {
            let shown =
                calls.into_iter().map(|PlainCall { tool, arguments, why }| CallMade { tool, arguments, why });
            shown.collect()
        };
        let (run, step) = (step.run.clone(), step.step);
        again.push(StepAgain { run, step, same, same_tools, then: shown(then), now: shown(now), error });
    }
    AskedAgain { model: model.facts().name, steps: again }
}

fn late() -> Fault {
    let message = format!("the model did not answer within {} s", TIME.as_secs());
    Fault::new(crate::protocol::Code::Timeout, message).suggest("try a smaller model")
}
