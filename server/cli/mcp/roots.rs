//! The folder of an agent that was started in the home folder or in `/`: a root that its client names.
//!
//! No server is there to answer before the folder is known, so the handshake is answered here. The server that is found
//! then gets it repeated.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ServeError;
use super::reach::ServerConnector;
use crate::base::uri::path_from_uri;
use crate::mcp::{self, LONGEST};
use crate::protocol::{Fault, Policy};

/// The longest time that requests wait for the client's answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The id of the `roots/list` request.
const ASKED: &str = "wherefore-roots";

/// A folder that was found, with the agent's messages so far.
pub(super) struct FoundFolder {
    pub(super) reach: ServerConnector,
    /// The agent's `initialize` and its `notifications/initialized`, already answered.
    pub(super) handshake: [Vec<u8>; 2],
    /// Later messages of the agent, not answered yet.
    pub(super) input: Vec<u8>,
}

/// A conversation with a client whose folder is not known.
struct RootsDialog {
    policy: Option<Policy>,
    /// The reason why no folder is served.
    reason: Fault,
    input: AgentInput,
    initialize: Vec<u8>,
    initialized: Vec<u8>,
    /// The deadline for the client's answer, until which requests are held back.
    until: Option<Instant>,
    held_requests: Vec<Vec<u8>>,
}

/// The members of a client's message that are read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RootsMessage {
    id: Option<Value>,
    method: Option<String>,
    params: Value,
    result: Value,
}

/// Asks the agent's client for its roots, and answers its messages meanwhile. None if the agent leaves before a root
/// can be served.
///
/// # Errors
/// The agent reads no more.
pub(super) fn find_by_roots(
    reason: Fault,
    policy: Option<Policy>,
) -> Result<Option<FoundFolder>, ServeError> {
    let dialog = RootsDialog {
        policy,
        reason,
        input: AgentInput::default(),
        initialize: Vec::new(),
        initialized: Vec::new(),
        until: None,
        held_requests: Vec::new(),
    };
    dialog.run_dialog()
}

impl RootsDialog {
    fn run_dialog(mut self) -> Result<Option<FoundFolder>, ServeError> {
        loop {
            let line = match self.input.read_line(self.until) {
                InputEvent::Line(line) => line,
                InputEvent::Late => {
                    self.refuse_held()?;
                    continue;
                }
                InputEvent::End => return Ok(None),
            };
            let Ok(message) = serde_json::from_slice::<RootsMessage>(&line) else {
                send_message(
                    &json!({ "id": null, "error": { "code": -32700, "message": "this is not JSON" } }),
                )?;
                continue;
            };
            if let Some(reach) = self.take_message(message, line)? {
                let Self { initialize, initialized, held_requests: held, input, .. } = self;
                let input = held.into_iter().chain([input.read]).flatten().collect();
                return Ok(Some(FoundFolder { reach, handshake: [initialize, initialized], input }));
            }
        }
    }

    /// Answers a message, or keeps it for the server. Returns the way to the folder when that is known.
    fn take_message(
        &mut self,
        message: RootsMessage,
        line: Vec<u8>,
    ) -> Result<Option<ServerConnector>, ServeError> {
        let RootsMessage { id, method, params, result } = message;
        match (method.as_deref(), id) {
            (Some("initialize"), Some(id)) => self.answer_handshake(&id, params, line)?,
            (Some("ping"), Some(id)) => send_message(&json!({ "id": id, "result": {} }))?,
            (Some("notifications/initialized"), None) => {
                self.initialized = line;
                self.ask_for_roots()?;
            }
            (Some("notifications/roots/list_changed"), None) => self.ask_for_roots()?,
            (Some("notifications/cancelled"), None) => {
                let cancelled = &params["requestId"];
                self.held_requests.retain(|held| id_of(held).as_ref() != Some(cancelled));
            }
            (Some(_), Some(id)) if self.until.is_none() => self.refuse_request(&id)?,
            (Some(_), Some(_)) => self.held_requests.push(line),
            (None, Some(Value::String(id))) if id == ASKED => {
                if let Some(reach) = self.choose_root(&result) {
                    return Ok(Some(reach));
                }
                self.refuse_held()?;
            }
            _ => {}
        }
        Ok(None)
    }

    /// Answers the handshake, or refuses a client that has no roots.
    fn answer_handshake(&mut self, id: &Value, params: Value, line: Vec<u8>) -> Result<(), ServeError> {
        if params["capabilities"]["roots"].is_null() {
            return self.refuse_request(id);
        }
        match mcp::greet_before_roots(params) {
            Ok(result) => {
                self.initialize = line;
                send_message(&json!({ "id": id, "result": result }))
            }
            Err(error) => send_message(&json!({ "id": id, "error": error })),
        }
    }

    fn ask_for_roots(&mut self) -> Result<(), ServeError> {
        if self.initialize.is_empty() {
            return Ok(());
        }
        self.until = Some(Instant::now() + PATIENCE);
        send_message(&json!({ "id": ASKED, "method": "roots/list" }))
    }

    /// The first root of the client's that can be served.
    fn choose_root(&mut self, result: &Value) -> Option<ServerConnector> {
        let roots = result["roots"].as_array().into_iter().flatten();
        let paths = roots.filter_map(|root| path_from_uri(root["uri"].as_str()?));
        let mut reasons = paths.map(|path| ServerConnector::nearest(Path::new(&path), self.policy));
        reasons.find_map(|reach| reach.ok())
    }

    fn refuse_request(&self, id: &Value) -> Result<(), ServeError> {
        let Fault { message, suggestion, .. } = &self.reason;
        let message = format!("{message}: {}", suggestion.as_deref().unwrap_or_default());
        send_message(&json!({ "id": id, "error": { "code": -32603, "message": message } }))
    }

    fn refuse_held(&mut self) -> Result<(), ServeError> {
        self.until = None;
        let held = std::mem::take(&mut self.held_requests);
        held.iter().filter_map(|line| id_of(line)).try_for_each(|id| self.refuse_request(&id))
    }
}

fn id_of(line: &[u8]) -> Option<Value> {
    serde_json::from_slice::<RootsMessage>(line).ok()?.id
}

fn send_message(message: &Value) -> Result<(), ServeError> {
    let mut line = json!({ "jsonrpc": "2.0" });
    if let (Some(line), Some(members)) = (line.as_object_mut(), message.as_object()) {
        line.extend(members.clone());
    }
    let mut agent = std::io::stdout().lock();
    agent
        .write_all(format!("{line}\n").as_bytes())
        .and_then(|()| agent.flush())
        .map_err(ServeError::AgentGone)
}

/// The agent's lines at standard input, read without std's buffer, so that the remaining bytes can be passed on.
#[derive(Default)]
struct AgentInput {
    read: Vec<u8>,
}

enum InputEvent {
    Line(Vec<u8>),
    /// Nothing came in time.
    Late,
    End,
}

impl AgentInput {
    fn read_line(&mut self, until: Option<Instant>) -> InputEvent {
        let stdin = rustix::stdio::stdin();
        let mut buffer = vec![0; 64 << 10];
        loop {
            if let Some(end) = memchr::memchr(b'\n', &self.read) {
                let rest = self.read.split_off(end + 1);
                return InputEvent::Line(std::mem::replace(&mut self.read, rest));
            }
            let left = until.map(|until| until.saturating_duration_since(Instant::now()));
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            let mut ends = [PollFd::new(&stdin, PollFlags::IN)];
            match poll(&mut ends, timeout.as_ref()) {
                Ok(0) => return InputEvent::Late,
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return InputEvent::End,
            }
            match rustix::io::read(stdin, &mut buffer) {
                Ok(length) if length > 0 && self.read.len() < LONGEST => {
                    self.read.extend_from_slice(&buffer[..length]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => return InputEvent::End,
            }
        }
    }
}
