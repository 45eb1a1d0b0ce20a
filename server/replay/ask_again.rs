//! Asks another model what the model of a recorded run was asked, and compares what they call.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use crate::agent::{ComparableCall, RecordedStep, comparable_calls, request_for, with_text_calls};
use crate::hub::ServedFolder;
use crate::model::LanguageModel;
use crate::protocol::Fault;

/// The time that one answer may take.
const TIME: Duration = Duration::from_secs(600);

/// A question, asked again.
#[derive(Clone, Debug, Serialize)]
pub struct RepeatedStep {
    /// The run.
    pub run: String,
    /// The number of the step in the run, from 1.
    pub step: u32,
    /// True where the same tools are called with the same arguments, whatever the reasons.
    pub same: bool,
    /// True where the same tools are called, in any order.
    pub same_tools: bool,
    /// The calls then.
    pub then: Vec<CallMade>,
    /// The calls now.
    pub now: Vec<CallMade>,
    /// The reason why the model gave no answer.
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

/// The outcome of asking another model.
#[derive(Clone, Debug, Serialize)]
pub struct RepeatedQuestions {
    /// The model.
    pub model: String,
    /// The questions, in order.
    pub steps: Vec<RepeatedStep>,
}

/// Asks a model each question of a log; none of its calls is made.
pub async fn ask_again(
    folder: &ServedFolder,
    model: &Arc<dyn LanguageModel>,
    steps: &[RecordedStep],
) -> RepeatedQuestions {
    let mut again = Vec::new();
    for step in steps {
        let then = comparable_calls(folder, &step.calls);
        let request = request_for(&**model, &step.request);
        let asked = tokio::time::timeout(TIME, model.reply(&request, &mut |_| {})).await;
        let (now, error) = match asked {
            Ok(Ok(reply)) => (comparable_calls(folder, &with_text_calls(folder, reply).calls), None),
            Ok(Err(error)) => (Vec::new(), Some(Fault::from(error))),
            Err(_) => (Vec::new(), Some(timeout_fault())),
        };
        let tools = |calls: &[ComparableCall]| {
            let mut tools: Vec<String> = calls.iter().map(|call| call.tool.clone()).collect();
            tools.sort();
            tools
        };
        let is_same = |(then, now): (&ComparableCall, &ComparableCall)| {
            then.tool == now.tool && then.arguments == now.arguments
        };
        let same = error.is_none() && then.len() == now.len() && then.iter().zip(&now).all(is_same);
        let same_tools = error.is_none() && tools(&then) == tools(&now);
        let shown = |calls: Vec<ComparableCall>| {
            let shown = calls.into_iter().map(|ComparableCall { tool, arguments, why }| CallMade {
                tool,
                arguments,
                why,
            });
            shown.collect()
        };
        let (run, step) = (step.run.clone(), step.step);
        again.push(RepeatedStep { run, step, same, same_tools, then: shown(then), now: shown(now), error });
    }
    RepeatedQuestions { model: model.facts().name, steps: again }
}

fn timeout_fault() -> Fault {
    let message = format!("the model did not answer within {} s", TIME.as_secs());
    Fault::new(crate::protocol::Code::Timeout, message).with_suggestion("try a smaller model")
}
