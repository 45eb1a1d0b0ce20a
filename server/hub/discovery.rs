//! What the operations that find tools do in a folder, and the trail that they leave.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use super::Folder;
use super::trail::Expansion;
use crate::base::{CallId, hash};
use crate::catalogue::ToolDef;
use crate::catalogue::discovery::Directory;
use crate::embed::EmbedError;
use crate::ports::Caller;
use crate::protocol::{
    Code, Envelope, Event, ExpandToolAnswer, ExpandToolParams, Fault, Lead, Origin, RawCall, RequireExpand,
    Status, ToolPointer,
};

impl Folder {
    /// Has the vectors of its tools made that are missing, so that a search need not do without; `told` hears how
    /// many of how many are. Does nothing where no model is set.
    ///
    /// # Errors
    /// What the model says.
    pub async fn embed_tools(&self, told: impl FnMut(usize, usize) + Send) -> Result<(), EmbedError> {
        self.toolbox().similarity().fill(&self.directory(), told).await
    }

    /// All that a call of a tool needs.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, with the nearest names.
    pub fn expand_tool(&self, params: &ExpandToolParams, origin: &Origin) -> Result<ExpandToolAnswer, Fault> {
        let registry = self.registry();
        let operation = DiscoveryOperation { name: "expand_tool", origin, began: Instant::now() };
        let found = registry.find(&params.tool_id).ok_or_else(|| registry.not_found(&params.tool_id));
        let answer = found.map(|tool| (expand(self, tool.def()), mark(tool.def())));
        let (follows, expanded) = match &answer {
            Ok((answer, _)) => (self.trail().finding(&origin.addressee(), &answer.tool_id), Ok(answer)),
            Err(fault) => (None, Err(fault)),
        };
        if let Some(call_id) = operation.note(self, params, follows, expanded)
            && let Ok((answer, hash)) = &answer
        {
            let expansion = Expansion { call_id, hash: hash.clone() };
            self.trail().expanded(&origin.addressee(), &answer.tool_id, expansion);
        }
        answer.map(|(answer, _)| answer)
    }

    /// Takes a call of a tool that was found through these operations through the pipeline. One that the agent never
    /// expanded, or that has changed since, is warned of or refused, as `discovery.require_expand` says; where its
    /// arguments are wrong, the fault brings the schema.
    pub async fn call_found(&self, raw: RawCall, caller: Option<Arc<dyn Caller>>) -> Envelope {
        let Some(tool) = self.registry().find(&raw.tool) else {
            return self.pipeline().call(raw, caller).await;
        };
        let (agent, def) = (raw.origin.addressee(), tool.def());
        let expansion = self.trail().expansion(&agent, &def.name);
        let known = expansion.as_ref().is_some_and(|expansion| expansion.hash == mark(def));
        let follows =
            expansion.as_ref().map(|known| known.call_id.clone()).or(self.trail().finding(&agent, &def.name));
        let schema = json!({
            "tool": "call_tool",
            "tool_id": def.name,
            "version": def.version,
            "args_schema": def.input_schema,
        });
        let lack = match (known, expansion) {
            (true, _) => None,
            (false, Some(_)) => Some(format!("{} has changed since it was expanded", def.name)),
            (false, None) => Some(format!("{} was not expanded in this session", def.name)),
        };
        let mut lead = Lead { follows, ..Lead::default() };
        match (lack, self.session().workspace().settings().discovery.require_expand) {
            (None, _) | (_, RequireExpand::Off) => {}
            (Some(lack), RequireExpand::Warn) => {
                lead.warning = Some(format!("{lack}: expand_tool shows its arguments before they are sent"));
            }
            (Some(lack), RequireExpand::Refuse) => {
                lead.bar = Some(
                    Fault::new(Code::InvalidArgs, format!("{lack} (discovery.require_expand)"))
                        .suggest(
                            "check the arguments by the schema in `next_action`, then make the call again",
                        )
                        .next(schema.clone()),
                );
            }
        }
        let mut envelope = self.pipeline().call(RawCall { lead, ..raw }, caller).await;
        if !known && let Some(fault) = &mut envelope.error {
            if fault.next_action.is_none() && matches!(fault.code, Code::InvalidArgs | Code::MissingWhy) {
                fault.next_action = Some(schema);
            }
            if fault.next_action.is_some() {
                // The schema was shown now.
                let expansion = Expansion { call_id: envelope.call_id.clone(), hash: mark(def) };
                self.trail().expanded(&agent, &def.name, expansion);
            }
        }
        envelope
    }
}

fn expand(folder: &Folder, def: &ToolDef) -> ExpandToolAnswer {
    ExpandToolAnswer {
        tool_id: def.name.clone(),
        path: folder.directory().path_of(&def.name),
        summary: def.summary.clone(),
        args_schema: def.input_schema.clone(),
        result_schema: def.output_schema.clone(),
        version: def.version,
        examples: json!(def.examples),
        sandbox: json!(def.sandbox),
        risk: def.risk,
    }
}

/// What a definition is, as far as a caller has to know it.
fn mark(def: &ToolDef) -> String {
    hash::short(format!("{}\n{}", def.version, def.input_schema).as_bytes())
}

/// An operation that looks through a folder's tools.
#[derive(Debug)]
pub struct Look {
    folder: Arc<Folder>,
    /// The tools.
    pub directory: Arc<Directory>,
    similarity: Option<Vec<f32>>,
    origin: Origin,
    began: Instant,
}

impl Look {
    /// Waits a moment for the similarity of the tools to the request, where a model is there to compute it.
    pub async fn begin(folder: Arc<Folder>, request: Option<&str>, origin: Origin) -> Self {
        let began = Instant::now();
        let directory = folder.directory();
        let similarity = folder.toolbox().similarity().of(request.unwrap_or_default(), &directory).await;
        Self { folder, directory, similarity, origin, began }
    }

    /// The cosine similarity of the request to each tool, where it is known.
    pub fn similarity(&self) -> Option<&[f32]> {
        self.similarity.as_deref()
    }

    /// Where an agent asked for it, notes it in the log and remembers what it found.
    ///
    /// # Errors
    /// Those of the answer.
    pub fn end<A: Serialize>(
        &self,
        name: &str,
        params: &impl Serialize,
        answer: Result<A, impl Into<Fault>>,
        found: fn(&A) -> &[ToolPointer],
    ) -> Result<A, Fault> {
        let Self { folder, origin, began, .. } = self;
        let operation = DiscoveryOperation { name, origin, began: *began };
        let answer = answer.map_err(Into::into);
        let call_id = operation.note(folder, params, None, answer.as_ref());
        if let (Some(call_id), Ok(answer)) = (call_id, &answer) {
            folder.trail().found(
                &origin.addressee(),
                &call_id,
                found(answer).iter().map(|tool| tool.tool_id.as_str()),
            );
        }
        answer
    }
}

/// An operation that finds tools, as the log has it.
struct DiscoveryOperation<'a> {
    name: &'a str,
    origin: &'a Origin,
    began: Instant,
}

impl DiscoveryOperation<'_> {
    /// Writes it to the log, where it is an agent's: a person who browses leaves no trace. That the log cannot be written
    /// does not keep a tool from being found; the call that comes of it will say so.
    fn note<A: Serialize>(
        self,
        folder: &Folder,
        params: &impl Serialize,
        follows: Option<CallId>,
        answer: Result<&A, &Fault>,
    ) -> Option<CallId> {
        self.origin.agent.as_ref()?;
        let session = folder.session();
        let call_id = session.begin_call(self.origin).ok()?;
        let Ok(Value::Object(mut args)) = serde_json::to_value(params) else { return None };
        args.retain(|name, value| name != "root" && !value.is_null());
        let call = Event::ToolCall {
            call_id: call_id.clone(),
            origin: self.origin.clone(),
            tool: self.name.to_owned(),
            args,
            follows,
            warnings: Vec::new(),
        };
        let (tool, duration_ms) = (self.name.to_owned(), self.began.elapsed().as_secs_f64() * 1000.0);
        let end = match answer {
            Ok(answer) => Event::ToolResult {
                call_id: call_id.clone(),
                tool,
                status: Status::Ok,
                result: Arc::new(serde_json::to_value(answer).unwrap_or_default()),
                activity: None,
                duration_ms,
            },
            Err(fault) => {
                Event::ToolError { call_id: call_id.clone(), tool, error: fault.clone(), duration_ms }
            }
        };
        session.log().post(call).and_then(|_| session.log().post(end)).ok()?;
        Some(call_id)
    }
}
