//! The calls of one answer: those that only read run at the same time, the others one after the other, in their order.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::caller::RunCaller;
use super::calls::{Act, Meant};
use super::feedback;
use crate::base::CallId;
use crate::hub::{AgentRun, ClientFiles, Folder, Look, Operation, fault_object};
use crate::model::ModelMessage;
use crate::pipeline::fault_envelope;
use crate::ports::Caller;
use crate::protocol::{
    AgentHappening, Code, Envelope, ExpandToolParams, Fault, ListToolsParams, Origin, RawCall,
    SearchNodesParams, SearchToolsParams, Status,
};

/// Calls that run at the same time.
const TOGETHER: usize = 8;

/// What the calls of a run go through.
#[derive(Clone, Debug)]
pub(super) struct Hands {
    pub(super) folder: Arc<Folder>,
    pub(super) run: Arc<AgentRun>,
    /// The files of the run's client, where it hands them over.
    pub(super) files: Option<Arc<ClientFiles>>,
    pub(super) origin: Origin,
    /// Bytes of a result that the model gets.
    pub(super) most: usize,
}

/// A call that ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) meant: Meant,
    /// What the model is told.
    pub(super) text: String,
    pub(super) failed: bool,
    /// The path that it changed, and a hash of the text since.
    pub(super) changed: Option<(String, String)>,
    /// Whether a person rejected some of it.
    pub(super) rejected: bool,
    /// Whether it was to change a file that was like that already.
    pub(super) unchanged: bool,
}

impl Ended {
    /// The result as a message.
    pub(super) fn message(&self) -> ModelMessage {
        ModelMessage::ToolResult {
            call_id: self.meant.call.id.clone(),
            name: self.meant.call.name.clone(),
            text: self.text.clone(),
            failed: self.failed,
        }
    }
}

impl Hands {
    /// Makes calls; gives them in their order.
    pub(super) async fn make(&self, calls: Vec<Meant>) -> Vec<Ended> {
        let mut ended = Vec::with_capacity(calls.len());
        let mut group: Vec<Meant> = Vec::new();
        for call in calls {
            if call.reads() {
                group.push(call);
                continue;
            }
            ended.extend(self.together(std::mem::take(&mut group)).await);
            ended.push(self.one(call).await);
        }
        ended.extend(self.together(group).await);
        ended
    }

    async fn together(&self, group: Vec<Meant>) -> Vec<Ended> {
        if group.is_empty() {
            return Vec::new();
        }
        stream::iter(group.into_iter().map(|call| self.one(call))).buffered(TOGETHER).collect().await
    }

    /// Makes one call, and tells of it.
    async fn one(&self, meant: Meant) -> Ended {
        self.run.tell(AgentHappening::Call {
            call: meant.call.id.clone(),
            tool: meant.tool.clone(),
            why: meant.why().to_owned(),
            paths: meant.paths(),
        });
        let origin = Origin { call: Some(meant.call.id.clone()), ..self.origin.clone() };
        let envelope = match &meant.act {
            Act::Refuse(fault) => fault_envelope(CallId::default(), (**fault).clone()),
            Act::Find(operation) => {
                return self
                    .found(meant.clone(), self.find(*operation, meant.arguments.clone(), origin).await);
            }
            Act::Complete => self.call(&meant, origin, false).await,
            Act::Call { is_found, .. } => self.call(&meant, origin, *is_found).await,
        };
        self.ended(meant, &envelope)
    }

    async fn call(&self, meant: &Meant, origin: Origin, is_found: bool) -> Envelope {
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
                false => self.folder.pipeline().call(raw, caller).await,
            }
        };
        match &self.files {
            Some(files) => files.during(&meant.files(), call).await,
            None => call.await,
        }
    }

    fn ended(&self, meant: Meant, envelope: &Envelope) -> Ended {
        let names = || self.folder.tools().into_iter().map(|tool| tool.name).collect();
        let proposal = feedback::proposal(envelope);
        self.run.tell(AgentHappening::Result {
            call: meant.call.id.clone(),
            call_id: envelope.call_id.clone(),
            tool: meant.tool.clone(),
            status: envelope.status,
            summary: feedback::summary(envelope),
            proposal: proposal.map(Into::into),
        });
        let text = feedback::for_model(envelope, names, self.most);
        let changed = feedback::changed(envelope).map(|(path, hash)| (path.to_owned(), hash.to_owned()));
        let stands = envelope.result.as_ref().and_then(|result| result.get("status")).and_then(Value::as_str);
        let rejected = proposal.is_some() && matches!(stands, Some("rejected" | "partly_applied"));
        let unchanged = stands == Some("unchanged");
        Ended { text, failed: envelope.error.is_some(), changed, rejected, unchanged, meant }
    }

    fn found(&self, meant: Meant, answer: Result<Value, Fault>) -> Ended {
        let (status, text, summary) = match &answer {
            Ok(answer) => (Status::Ok, answer.to_string(), "found".to_owned()),
            Err(fault) => {
                (Status::Error, Value::Object(fault_object(fault)).to_string(), fault.message.clone())
            }
        };
        self.run.tell(AgentHappening::Result {
            call: meant.call.id.clone(),
            call_id: CallId::default(),
            tool: meant.tool.clone(),
            status,
            summary,
            proposal: None,
        });
        let text = feedback::cut(text, self.most);
        Ended { text, failed: answer.is_err(), changed: None, rejected: false, unchanged: false, meant }
    }

    /// Answers an operation that finds tools.
    async fn find(&self, operation: Operation, arguments: Value, origin: Origin) -> Result<Value, Fault> {
        let folder = self.folder.clone();
        match operation {
            Operation::List => {
                let params: ListToolsParams = read(arguments)?;
                let look = Look::begin(folder, params.query.as_deref(), origin).await;
                let answer = look.directory.list(&params, look.similarity());
                written(look.end(operation.name(), &params, answer, |answer| &answer.tools)?)
            }
            Operation::SearchNodes => {
                let params: SearchNodesParams = read(arguments)?;
                let look = Look::begin(folder, Some(&params.query), origin).await;
                let answer = Ok::<_, Fault>(look.directory.search_nodes(&params, look.similarity()));
                written(look.end(operation.name(), &params, answer, |_| &[])?)
            }
            Operation::SearchTools => {
                let params: SearchToolsParams = read(arguments)?;
                let look = Look::begin(folder, Some(&params.query), origin).await;
                let answer = look.directory.search(&params, look.similarity());
                written(look.end(operation.name(), &params, answer, |answer| &answer.results)?)
            }
            Operation::Expand => {
                let params: ExpandToolParams = read(arguments)?;
                written(self.folder.expand_tool(&params, &origin)?)
            }
        }
    }
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Fault> {
    serde_json::from_value(arguments).map_err(|error| {
        Fault::new(Code::InvalidArgs, format!("the arguments do not fit the input schema: {error}"))
            .suggest("send arguments that fit the input schema of the operation")
    })
}

fn written(answer: impl Serialize) -> Result<Value, Fault> {
    serde_json::to_value(answer).map_err(|error| Fault::internal(error.to_string()))
}
