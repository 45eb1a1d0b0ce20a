//! The calls of one answer: those that only read run concurrently, the others one after the other, in their order.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use serde_json::Value;

use super::caller::RunCaller;
use super::calls::{CallAct, UnderstoodCall};
use super::feedback;
use crate::base::CallId;
use crate::hub::{AgentRun, ClientFiles, ServedFolder, fault_object};
use crate::model::ModelMessage;
use crate::pipeline::fault_envelope;
use crate::ports::Caller;
use crate::protocol::{AgentHappening, ChangeAnswer, ChangeStatus, Envelope, Fault, Origin, RawCall, Status};

/// The number of calls that run concurrently.
const TOGETHER: usize = 8;

/// The means to make the calls of a run.
#[derive(Clone, Debug)]
pub(super) struct CallMaker {
    pub(super) folder: Arc<ServedFolder>,
    pub(super) run: Arc<AgentRun>,
    /// The files of the run's client, if it shares them.
    pub(super) files: Option<Arc<ClientFiles>>,
    pub(super) origin: Origin,
    /// Bytes of a result that the model gets.
    pub(super) most: usize,
}

/// A call that ended.
#[derive(Debug)]
pub(super) struct EndedCall {
    pub(super) meant: UnderstoodCall,
    /// The text for the model.
    pub(super) text: String,
    pub(super) is_failed: bool,
    /// The path that it changed, and a hash of the new text.
    pub(super) changed_text: Option<(String, String)>,
    /// True if a person rejected part of it.
    pub(super) has_rejection: bool,
    /// True if its change was in place already.
    pub(super) unchanged: bool,
}

impl EndedCall {
    /// The result as a message.
    pub(super) fn result_message(&self) -> ModelMessage {
        ModelMessage::ToolResult {
            call_id: self.meant.call.id.clone(),
            name: self.meant.call.name.clone(),
            text: self.text.clone(),
            failed: self.is_failed,
        }
    }
}

impl CallMaker {
    /// Makes calls; returns their results in order.
    pub(super) async fn make_calls(&self, calls: Vec<UnderstoodCall>) -> Vec<EndedCall> {
        let mut ended = Vec::with_capacity(calls.len());
        let mut group: Vec<UnderstoodCall> = Vec::new();
        for call in calls {
            if call.is_read_only() {
                group.push(call);
                continue;
            }
            ended.extend(self.make_together(std::mem::take(&mut group)).await);
            ended.push(self.make_call(call).await);
        }
        ended.extend(self.make_together(group).await);
        ended
    }

    async fn make_together(&self, group: Vec<UnderstoodCall>) -> Vec<EndedCall> {
        if group.is_empty() {
            return Vec::new();
        }
        stream::iter(group.into_iter().map(|call| self.make_call(call))).buffered(TOGETHER).collect().await
    }

    /// Makes one call, and reports it.
    async fn make_call(&self, meant: UnderstoodCall) -> EndedCall {
        self.run.record_event(AgentHappening::Call {
            call: meant.call.id.clone(),
            tool: meant.tool.clone(),
            why: meant.call_reason().to_owned(),
            paths: meant.named_paths(),
        });
        let origin = Origin { call: Some(meant.call.id.clone()), ..self.origin.clone() };
        let envelope = match &meant.act {
            CallAct::Refuse(fault) => fault_envelope(CallId::default(), (**fault).clone()),
            CallAct::Find(operation) => {
                return self.ended_operation(
                    meant.clone(),
                    operation.answer_operation(&self.folder, meant.arguments.clone(), origin).await,
                );
            }
            CallAct::Complete => self.call_tool(&meant, origin, false).await,
            CallAct::Call { is_found, .. } => self.call_tool(&meant, origin, *is_found).await,
        };
        self.ended_call(meant, &envelope)
    }

    async fn call_tool(&self, meant: &UnderstoodCall, origin: Origin, is_found: bool) -> Envelope {
        let caller: Option<Arc<dyn Caller>> = Some(Arc::new(RunCaller(self.run.clone())));
        let raw = RawCall {
            tool: meant.tool.clone(),
            arguments: meant.arguments.clone(),
            origin,
            policy: self.run.policy(),
            root: Some(self.folder.root().to_owned()),
            ..RawCall::default()
        };
        let call = async {
            match is_found {
                true => self.folder.call_found(raw, caller).await,
                false => self.folder.pipeline().call_tool(raw, caller).await,
            }
        };
        match &self.files {
            Some(files) => files.run_with_files(&meant.affected_files(), call).await,
            None => call.await,
        }
    }

    fn ended_call(&self, meant: UnderstoodCall, envelope: &Envelope) -> EndedCall {
        let names =
            || self.folder.toolbox().registry().tool_summaries().into_iter().map(|tool| tool.name).collect();
        let change = ChangeAnswer::from_envelope(envelope);
        self.run.record_event(AgentHappening::Result {
            call: meant.call.id.clone(),
            call_id: envelope.call_id.clone(),
            tool: meant.tool.clone(),
            status: envelope.status,
            summary: feedback::call_summary(envelope),
            failed: feedback::has_failed(envelope),
            proposal: change.as_ref().and_then(|change| change.proposal.as_deref()).map(Into::into),
        });
        let text = feedback::result_for_model(envelope, names, self.most);
        let status = change.as_ref().map(|change| change.status);
        EndedCall {
            text,
            is_failed: envelope.error.is_some(),
            changed_text: change.and_then(feedback::changed_path),
            has_rejection: matches!(status, Some(ChangeStatus::Rejected | ChangeStatus::PartlyApplied)),
            unchanged: status == Some(ChangeStatus::Unchanged),
            meant,
        }
    }

    fn ended_operation(&self, meant: UnderstoodCall, answer: Result<Value, Fault>) -> EndedCall {
        let (status, text, summary) = match &answer {
            Ok(answer) => (Status::Ok, answer.to_string(), "found".to_owned()),
            Err(fault) => {
                (Status::Error, Value::Object(fault_object(fault)).to_string(), fault.message.clone())
            }
        };
        self.run.record_event(AgentHappening::Result {
            call: meant.call.id.clone(),
            call_id: CallId::default(),
            tool: meant.tool.clone(),
            status,
            summary,
            failed: answer.is_err(),
            proposal: None,
        });
        let text = feedback::cut_text(text, self.most);
        EndedCall {
            text,
            is_failed: answer.is_err(),
            changed_text: None,
            has_rejection: false,
            unchanged: false,
            meant,
        }
    }
}
