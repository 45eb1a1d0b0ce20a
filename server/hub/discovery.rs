//! The operations that find tools in a folder, and the trail that they leave.

use std::sync::Arc;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use super::trail::ToolExpansion;
use super::{FindOperation, ServedFolder};
use crate::base::{CallId, hash};
use crate::catalogue::ToolDef;
use crate::catalogue::discovery::ToolDirectory;
use crate::ports::Caller;
use crate::protocol::{
    CallContext, Code, Envelope, Event, ExpandToolAnswer, ExpandToolParams, Fault, ListNodeAnswer,
    ListNodeParams, MAX_LIMIT, Origin, RawCall, RequireExpand, SearchNodesAnswer, SearchNodesParams,
    SearchToolsAnswer, SearchToolsParams, Status, ToolPointer,
};
use crate::registry::{CompiledTool, ask_for_output};

impl ServedFolder {
    /// All that a call of a tool needs.
    ///
    /// # Errors
    /// TOOL_NOT_FOUND, with the nearest names.
    pub fn expand_tool(&self, params: &ExpandToolParams, origin: &Origin) -> Result<ExpandToolAnswer, Fault> {
        let registry = self.toolbox().registry();
        let operation = DiscoveryOperation { name: "expand_tool", origin, began: Instant::now() };
        let found = registry.find_tool(&params.tool_id).ok_or_else(|| registry.not_found(&params.tool_id));
        let answer = found.map(|tool| (expansion_answer(self, &tool), definition_hash(tool.def())));
        let (follows, expanded) = match &answer {
            Ok((answer, _)) => {
                (self.trail().finding_call(&origin.delivery_key(), &answer.tool_id), Ok(answer))
            }
            Err(fault) => (None, Err(fault)),
        };
        if let Some(call_id) = operation.log_operation(self, params, follows, expanded)
            && let Ok((answer, hash)) = &answer
        {
            let expansion = ToolExpansion { call_id, hash: hash.clone() };
            self.trail().note_expanded(&origin.delivery_key(), &answer.tool_id, expansion);
        }
        answer.map(|(answer, _)| answer)
    }

    /// Notes in the log that an operation was refused before it looked at anything.
    pub fn note_refused(&self, name: &str, params: &Value, fault: &Fault, origin: &Origin) {
        let operation = DiscoveryOperation { name, origin, began: Instant::now() };
        let _ = operation.log_operation(self, params, None, Err::<&(), _>(fault));
    }

    /// Takes a call of a tool that was found through these operations through the pipeline. One that the agent never
    /// expanded, or that has changed since, is warned of or refused, as the setting `discovery.require_expand` decides; if its
    /// arguments are wrong, the fault brings the schema.
    pub async fn call_found(&self, raw: RawCall, caller: Option<Arc<dyn Caller>>) -> Envelope {
        // A call that is filled by the Tool Protocol names its tool among the arguments.
        let inner = raw.arguments.get("_tool").and_then(Value::as_str).filter(|_| raw.tool.is_empty());
        let Some(tool) = self.toolbox().registry().find_tool(inner.unwrap_or(&raw.tool)) else {
            return self.pipeline().call_tool(raw, caller).await;
        };
        let (agent, def) = (raw.origin.delivery_key(), tool.def());
        let expansion = self.trail().last_expansion(&agent, &def.name);
        let known = expansion.as_ref().is_some_and(|expansion| expansion.hash == definition_hash(def));
        let follows = expansion
            .as_ref()
            .map(|known| known.call_id.clone())
            .or(self.trail().finding_call(&agent, &def.name));
        let expand = json!({ "tool": "expand_tool", "arguments": { "tool_id": def.name } });
        let lack = match (known, expansion) {
            (true, _) => None,
            (false, Some(_)) => Some(format!("{} has changed since it was expanded", def.name)),
            (false, None) => Some(format!("{} was not expanded in this session", def.name)),
        };
        let mut lead = CallContext { follows, ..CallContext::default() };
        match (lack, self.session().workspace().settings().discovery.require_expand) {
            (None, _) | (_, RequireExpand::Off) => {}
            (Some(lack), RequireExpand::Warn) => {
                lead.warning = Some(format!("{lack}: expand_tool shows its arguments before they are sent"));
            }
            (Some(lack), RequireExpand::Refuse) => {
                lead.refusal = Some(
                    Fault::new(Code::InvalidArgs, format!("{lack} (discovery.require_expand)"))
                        .with_suggestion(
                            "check the arguments by `details.args_schema`, then make the call again",
                        )
                        .with_next_action(expand.clone()),
                );
            }
        }
        let mut envelope = self.pipeline().call_tool(RawCall { lead, ..raw }, caller).await;
        if !known
            && let Some(fault) = &mut envelope.error
            && matches!(fault.code, Code::InvalidArgs | Code::MissingWhy)
        {
            // The schema is shown now.
            fault.next_action = Some(expand);
            let details = fault.details.get_or_insert_with(|| json!({}));
            if let Some(details) = details.as_object_mut() {
                details.insert("version".to_owned(), json!(def.version));
                details.insert("args_schema".to_owned(), def.input_schema.clone());
            }
            let expansion = ToolExpansion { call_id: envelope.call_id.clone(), hash: definition_hash(def) };
            self.trail().note_expanded(&agent, &def.name, expansion);
        }
        envelope
    }
}

fn expansion_answer(folder: &ServedFolder, tool: &CompiledTool) -> ExpandToolAnswer {
    let def = tool.def();
    let mut args_schema = def.input_schema.clone();
    if folder.toolbox().registry().activity_of(tool, None).is_empty() {
        ask_for_output(&mut args_schema, def.output_schema.as_ref());
    }
    ExpandToolAnswer {
        tool_id: def.name.clone(),
        path: folder.toolbox().directory().path_of(&def.name),
        summary: def.summary.clone(),
        args_schema,
        result_schema: def.output_schema.clone(),
        version: def.version,
        examples: json!(def.examples),
        sandbox: json!(def.sandbox),
        risk: def.risk,
    }
}

/// Returns the hash of the parts of a definition that a caller has to know.
fn definition_hash(def: &ToolDef) -> String {
    hash::short_hash(format!("{}\n{}", def.version, def.input_schema).as_bytes())
}

/// An operation that looks through a folder's tools.
#[derive(Debug)]
pub struct ToolLookup {
    folder: Arc<ServedFolder>,
    directory: Arc<ToolDirectory>,
    similarity: Option<Vec<f32>>,
    origin: Origin,
    began: Instant,
}

impl ToolLookup {
    /// Lists a node of the catalogue.
    ///
    /// # Errors
    /// UNKNOWN_PATH, STALE for an old cursor.
    pub async fn list_node(
        folder: Arc<ServedFolder>,
        params: &ListNodeParams,
        origin: Origin,
    ) -> Result<ListNodeAnswer, Fault> {
        let look = Self::begin_lookup(folder, params.query.as_deref(), origin).await;
        let answer = look.directory.list_node(params, look.similarity());
        look.finish_lookup(FindOperation::List, params, answer, |answer| &answer.tools)
    }

    /// Finds the nodes that may hold what a request asks for.
    ///
    /// # Errors
    /// INVALID_ARGS for a limit that is out of bounds.
    pub async fn search_nodes(
        folder: Arc<ServedFolder>,
        params: &SearchNodesParams,
        origin: Origin,
    ) -> Result<SearchNodesAnswer, Fault> {
        let look = Self::begin_lookup(folder, Some(&params.query), origin).await;
        let answer = look.directory.search_nodes(params, look.similarity());
        look.finish_lookup(FindOperation::SearchNodes, params, answer, |_| &[])
    }

    /// Finds the tools under a node that answer a request.
    ///
    /// # Errors
    /// UNKNOWN_PATH, NO_MATCH_IN_CATEGORY, STALE for an old cursor.
    pub async fn search_tools(
        folder: Arc<ServedFolder>,
        params: &SearchToolsParams,
        origin: Origin,
    ) -> Result<SearchToolsAnswer, Fault> {
        let look = Self::begin_lookup(folder, Some(&params.query), origin).await;
        let answer = look.directory.search_tools(params, look.similarity());
        look.finish_lookup(FindOperation::SearchTools, params, answer, |answer| &answer.results)
    }

    /// Waits a moment for the similarity of the tools to the request, where a model is there to compute it.
    async fn begin_lookup(folder: Arc<ServedFolder>, request: Option<&str>, origin: Origin) -> Self {
        let began = Instant::now();
        let directory = folder.toolbox().directory();
        let similarity =
            folder.toolbox().similarity().cosines_of(request.unwrap_or_default(), &directory).await;
        Self { folder, directory, similarity, origin, began }
    }

    /// The cosine similarity of the request to each tool, where it is known.
    fn similarity(&self) -> Option<&[f32]> {
        self.similarity.as_deref()
    }

    /// Notes the operation in the log and remembers the tools that it found, where an agent asked for it.
    ///
    /// # Errors
    /// As the answer's.
    fn finish_lookup<A: Serialize>(
        &self,
        operation: FindOperation,
        params: &impl Serialize,
        answer: Result<A, impl Into<Fault>>,
        found: fn(&A) -> &[ToolPointer],
    ) -> Result<A, Fault> {
        let (Self { folder, origin, began, .. }, name) = (self, operation.name());
        let operation = DiscoveryOperation { name, origin, began: *began };
        let answer = answer.map_err(|error| {
            let mut fault: Fault = error.into();
            fault.next_action.get_or_insert_with(|| first_page(name, params));
            fault
        });
        let call_id = operation.log_operation(folder, params, None, answer.as_ref());
        if let (Some(call_id), Ok(answer)) = (call_id, &answer) {
            folder.trail().note_found(
                &origin.delivery_key(),
                &call_id,
                found(answer).iter().map(|tool| tool.tool_id.as_str()),
            );
        }
        answer
    }
}

/// The same operation from its first page on, with a limit that a page has.
fn first_page(name: &str, params: &impl Serialize) -> Value {
    let mut arguments = serde_json::to_value(params).unwrap_or_default();
    if let Some(members) = arguments.as_object_mut() {
        members.retain(|name, value| !["root", "cursor"].contains(&name.as_str()) && !value.is_null());
        if let Some(limit) = members.get_mut("limit") {
            *limit = json!(limit.as_u64().map_or(MAX_LIMIT as u64, |limit| limit.clamp(1, MAX_LIMIT as u64)));
        }
    }
    json!({ "tool": name, "arguments": arguments })
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
    fn log_operation<A: Serialize>(
        self,
        folder: &ServedFolder,
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
            environment: None,
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
        session.log().post_event(call).and_then(|_| session.log().post_event(end)).ok()?;
        Some(call_id)
    }
}
