//! Turns events into spans: one for each call, by the GenAI semantic conventions for tools, and one for the session.

use std::collections::HashMap;

use super::event_fields::{EventFields, HunkFields};
use super::otlp::{KeyValue, Span, SpanEvent, SpanLink, SpanStatus, int_attribute, text_attribute};

/// Calls that are under way, or that a decision may still come for.
const OPEN: usize = 4096;
/// The kind of a span that is made inside of one program.
const INTERNAL: i32 = 1;
/// The status of a span that went wrong.
const ERROR: i32 = 2;

/// Makes the spans of one session.
#[derive(Debug)]
pub(super) struct SpanMaker {
    session: String,
    trace: Vec<u8>,
    /// The session's own span; none if several processes share the session.
    whole: Vec<u8>,
    begun: u64,
    open: HashMap<String, SpanCall>,
    /// The ids of calls that have ended and whose proposals wait, by proposal.
    waiting: HashMap<String, String>,
}

#[derive(Debug)]
struct SpanCall {
    call: EventFields,
    policy: String,
    decision: String,
    by: String,
    events: Vec<SpanEvent>,
}

impl SpanMaker {
    /// The maker of a session in the workspace at `root`; `shared` if processes of the command line share it.
    pub(super) fn new(root: &str, session: &str, shared: bool, now: u64) -> Self {
        let trace = blake3::hash(format!("trace\n{root}\n{session}").as_bytes()).as_bytes()[..16].to_vec();
        let mut maker = Self {
            session: session.to_owned(),
            trace,
            whole: Vec::new(),
            begun: now,
            open: HashMap::new(),
            waiting: HashMap::new(),
        };
        if !shared {
            maker.whole = maker.span_id("");
        }
        maker
    }

    /// A span's id: the same for the same call, so that a later decision can name it.
    fn span_id(&self, call: &str) -> Vec<u8> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.trace).update(call.as_bytes());
        hasher.finalize().as_bytes()[..8].to_vec()
    }

    /// Takes an event in; gives the span that it completes.
    pub(super) fn take_event(&mut self, heard: EventFields) -> Option<Span> {
        match heard.kind.as_str() {
            "tool_call" => {
                if self.open.len() < OPEN {
                    let id = heard.call.clone();
                    let (policy, decision, by, events) = Default::default();
                    self.open.insert(id, SpanCall { call: heard, policy, decision, by, events });
                }
                None
            }
            "proposal" => {
                let call = self.open.get_mut(&heard.call)?;
                call.policy = heard.policy;
                if self.waiting.len() < OPEN {
                    self.waiting.insert(heard.proposal, heard.call);
                }
                None
            }
            "decision" => self.take_decision(&heard),
            "undo" => Some(self.linked_span("wherefore.undo", &heard, Vec::new())),
            "tool_result" | "tool_error" => self.ended_span(&heard),
            _ => None,
        }
    }

    fn take_decision(&mut self, heard: &EventFields) -> Option<Span> {
        let events = heard.hunks.iter().map(|hunk| hunk_event(hunk, &heard.by, heard.at));
        if let Some(call) = self.open.get_mut(&heard.call) {
            call.events.extend(events);
            (call.decision, call.by) = (heard.status.clone(), heard.by.clone());
            return None;
        }
        let events = events.collect();
        if heard.status != "pending" {
            self.waiting.remove(&heard.proposal);
        }
        Some(self.linked_span("wherefore.decision", heard, events))
    }

    /// Returns a span of a decision on a call after it ended, linked to the call's.
    fn linked_span(&self, name: &str, heard: &EventFields, events: Vec<SpanEvent>) -> Span {
        let mut attributes = vec![
            text_attribute("wherefore.session", &*self.session),
            text_attribute("gen_ai.tool.call.id", &*heard.call),
        ];
        let given = [
            ("wherefore.proposal", &heard.proposal),
            ("wherefore.decision", &heard.status),
            ("wherefore.decision.by", &heard.by),
        ];
        add_attributes(&mut attributes, &given);
        let link = SpanLink { trace_id: self.trace.clone(), span_id: self.span_id(&heard.call) };
        Span {
            trace_id: self.trace.clone(),
            span_id: self.span_id(&format!("{name}\n{}\n{}", heard.call, heard.at)),
            parent_span_id: self.whole.clone(),
            name: name.to_owned(),
            kind: INTERNAL,
            start_time_unix_nano: heard.at,
            end_time_unix_nano: heard.at,
            attributes,
            events,
            links: vec![link],
            status: None,
        }
    }

    fn ended_span(&mut self, heard: &EventFields) -> Option<Span> {
        let SpanCall { call, policy, decision, by, events } = self.open.remove(&heard.call)?;
        let (agent, version) = call.agent.split_once('/').unwrap_or((&call.agent, ""));
        let conversation = if call.agent_session.is_empty() { &self.session } else { &call.agent_session };
        let mut attributes = vec![
            text_attribute("gen_ai.operation.name", "execute_tool"),
            text_attribute("gen_ai.tool.name", &*call.tool),
            text_attribute("gen_ai.tool.type", "function"),
            text_attribute("gen_ai.tool.call.id", &*call.call),
            text_attribute("gen_ai.conversation.id", &**conversation),
            text_attribute("wherefore.session", &*self.session),
        ];
        let (agent, version) = (agent.to_owned(), version.to_owned());
        let given = [
            ("gen_ai.agent.name", &agent),
            ("gen_ai.agent.version", &version),
            ("error.type", &heard.code),
            ("wherefore.door", &call.door),
            ("wherefore.own_tool", &call.own_tool),
            ("wherefore.why", &call.why),
            ("wherefore.path", &call.path),
            ("wherefore.status", &heard.status),
            ("wherefore.activity", &heard.activity),
            ("wherefore.policy", &policy),
            ("wherefore.decision", &decision),
            ("wherefore.decision.by", &by),
        ];
        add_attributes(&mut attributes, &given);
        attributes.extend(heard.exit_code.map(|code| int_attribute("process.exit.code", code)));
        // Before the log has a call its arguments are checked: the duration is the whole.
        let took = (heard.duration_ms.max(0.0) * 1e6) as u64;
        let status =
            (!heard.code.is_empty()).then(|| SpanStatus { message: heard.code.clone(), code: ERROR });
        Some(Span {
            trace_id: self.trace.clone(),
            span_id: self.span_id(&call.call),
            parent_span_id: self.whole.clone(),
            name: format!("execute_tool {}", call.tool),
            kind: INTERNAL,
            start_time_unix_nano: heard.at.saturating_sub(took).min(call.at),
            end_time_unix_nano: heard.at,
            attributes,
            events,
            links: Vec::new(),
            status,
        })
    }

    /// The session's own span, once no event follows.
    pub(super) fn finish_session(&self, at: u64) -> Option<Span> {
        (!self.whole.is_empty()).then(|| self.session_span(at))
    }

    fn session_span(&self, at: u64) -> Span {
        Span {
            trace_id: self.trace.clone(),
            span_id: self.whole.clone(),
            parent_span_id: Vec::new(),
            name: "wherefore.session".to_owned(),
            kind: INTERNAL,
            start_time_unix_nano: self.begun,
            end_time_unix_nano: at,
            attributes: vec![text_attribute("wherefore.session", &*self.session)],
            events: Vec::new(),
            links: Vec::new(),
            status: None,
        }
    }
}

/// Adds the attributes that have a value.
fn add_attributes(attributes: &mut Vec<KeyValue>, given: &[(&str, &String)]) {
    let there = given.iter().filter(|(_, value)| !value.is_empty());
    attributes.extend(there.map(|(key, value)| text_attribute(key, value.as_str())));
}

/// Returns the decision on a hunk, as an event of its call's span.
fn hunk_event(hunk: &HunkFields, by: &str, at: u64) -> SpanEvent {
    let mut attributes = vec![
        text_attribute("wherefore.hunk", &*hunk.id),
        text_attribute("wherefore.hunk.state", &*hunk.state),
    ];
    let by = by.to_owned();
    let given = [
        ("wherefore.decision.by", &by),
        ("wherefore.path", &hunk.path),
        ("wherefore.decision.reason", &hunk.reason),
    ];
    add_attributes(&mut attributes, &given);
    SpanEvent { time_unix_nano: at, name: "wherefore.decision".to_owned(), attributes }
}
