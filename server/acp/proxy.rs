//! Two pumps, one per direction: each line is passed on, changed or answered here.

use std::collections::HashMap;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;

use super::agent_info::agent_info;
use super::ask::EndAsker;
use super::error::AcpError;
use super::forms::{self, MethodHandling};
use super::handshake::{self, EditorAbilities};
use super::line_route::{LineRoute, RequestOutcome};
use super::message::{
    self, RpcAnswer, RpcMessage, RpcRequest, answer_message, cancelled_error, notification_message,
    refusal_error,
};
use super::session::AcpSessions;
use super::streams::{EndInput, EndOutbox, ProxyStreams};
use super::{FolderServers, ProxyOptions, files, modes, permission, terminal, turns, without_server};
use crate::agents::AcpProfile;
use crate::base::hidden::escape_to_line;
use crate::base::lines::{LineDecoder, StreamLine};

/// Bytes of the longest line that is passed on.
const LONGEST: usize = 256 << 20;

/// Characters that are shown of a line that is no message.
const SHOWN: usize = 200;

/// The longest time that an agent's messages are read after its editor has left.
const LAST: Duration = Duration::from_secs(2);

/// The state shared by both directions.
pub(super) struct AcpProxy {
    pub(super) options: ProxyOptions,
    pub(super) folders: Arc<dyn FolderServers>,
    /// Requests of the proxy to the editor.
    pub(super) editor: EndAsker,
    /// Requests of the proxy to the agent.
    pub(super) agent: EndAsker,
    pub(super) sessions: AcpSessions,
    to_editor: EndOutbox,
    to_agent: EndOutbox,
    known: Mutex<KnownPeers>,
    /// Requests of the editor that the agent has not answered.
    open: Mutex<HashMap<String, EditorRequest>>,
    /// The agent's requests that are being worked on, by id.
    running: Mutex<HashMap<String, CancellationToken>>,
}

/// The names and capabilities from the handshake.
#[derive(Clone, Debug, Default)]
struct KnownPeers {
    abilities: EditorAbilities,
    agent: Option<(String, Option<String>)>,
}

/// A request of the editor that the agent has to answer, by the meaning of its answer here.
#[derive(Clone, Debug)]
pub(super) enum EditorRequest {
    /// The answer has the agent's name.
    Initialize,
    /// It begins a session that works in these roots.
    NewSession(Vec<String>),
    /// It ends a turn of that session.
    Prompt(String),
    /// Nothing.
    Other,
}

/// Passes messages on until the editor leaves, or the agent.
///
/// # Errors
/// The reason of its end, unless the editor left.
pub async fn run_proxy(
    ends: ProxyStreams,
    folders: Arc<dyn FolderServers>,
    options: ProxyOptions,
) -> Result<(), AcpError> {
    let (to_editor, to_agent) = (EndOutbox::new(ends.to_editor), EndOutbox::new(ends.to_agent));
    let proxy = Arc::new(AcpProxy {
        options,
        folders,
        editor: EndAsker::new(to_editor.clone()),
        agent: EndAsker::new(to_agent.clone()),
        sessions: AcpSessions::default(),
        to_editor,
        to_agent,
        known: Mutex::default(),
        open: Mutex::default(),
        running: Mutex::default(),
    });
    let mut upward = tokio::spawn(proxy.clone().pump_editor(ends.from_editor));
    let mut work = JoinSet::new();
    let ended = {
        let mut downward = pin!(proxy.pump_agent(ends.from_agent, &mut work));
        tokio::select! {
            ended = &mut downward => match ended {
                Ok(()) => Err(AcpError::AgentEnded),
                Err(error) => Err(AcpError::EditorGone(error)),
            },
            _ = &mut upward => {
                // The agent reads the end of its input, and may send its last messages.
                proxy.to_agent.close_stream().await;
                let _ = timeout(LAST, downward).await;
                Ok(())
            }
        }
    };
    upward.abort();
    // Open requests are cancelled: there is no reader for their answers.
    work.shutdown().await;
    proxy.end_streams().await;
    ended
}

impl AcpProxy {
    /// The agent's name and version.
    pub(super) fn agent_name(&self) -> String {
        match &self.known.lock().agent {
            Some((name, Some(version))) => format!("{name}/{version}"),
            Some((name, None)) => name.clone(),
            None => self.options.agent.clone(),
        }
    }

    /// The behaviour of the agent with edits.
    pub(super) fn agent_profile(&self) -> AcpProfile {
        let known = self.known.lock();
        AcpProfile::of(known.agent.as_ref().map_or(&self.options.agent, |(name, _)| name))
    }

    /// The capabilities of the editor.
    pub(super) fn editor_abilities(&self) -> EditorAbilities {
        self.known.lock().abilities
    }

    /// Takes the lines of the editor, until its end.
    async fn pump_editor(self: Arc<Self>, input: EndInput) {
        let mut lines = FramedRead::new(input, LineDecoder::new(LONGEST));
        while let Some(Ok(line)) = lines.next().await {
            let line = match line {
                StreamLine::Whole(line) => line,
                StreamLine::TooLong(envelope) => {
                    self.refuse_long(envelope.request_id(), &self.to_editor).await;
                    continue;
                }
            };
            let message = RpcMessage::read(&line);
            // The other direction detects that the agent has gone.
            let _ = match self.handle_editor_message(message).await {
                LineRoute::Unchanged => self.to_agent.write_line(&line).await,
                LineRoute::Changed(message) => self.to_agent.write_line(message.to_string().as_bytes()).await,
                LineRoute::Consumed => Ok(()),
            };
        }
    }

    /// Takes the lines of the agent, until its end.
    ///
    /// # Errors
    /// An error where the editor reads no more.
    async fn pump_agent(self: &Arc<Self>, input: EndInput, work: &mut JoinSet<()>) -> io::Result<()> {
        let mut lines = FramedRead::new(input, LineDecoder::new(LONGEST));
        while let Some(Ok(line)) = lines.next().await {
            while work.try_join_next().is_some() {}
            let line = match line {
                StreamLine::Whole(line) => line,
                StreamLine::TooLong(envelope) => {
                    self.refuse_long(envelope.request_id(), &self.to_agent).await;
                    continue;
                }
            };
            let message = RpcMessage::read(&line);
            if message == RpcMessage::Other {
                self.refuse_unread(&line).await;
                continue;
            }
            match self.handle_agent_message(message, work).await {
                LineRoute::Unchanged => match message::joined_line(&line) {
                    Some(joined) => self.to_editor.write_line(&joined).await?,
                    None => self.to_editor.write_line(&line).await?,
                },
                LineRoute::Changed(message) => {
                    self.to_editor.write_line(message.to_string().as_bytes()).await?
                }
                LineRoute::Consumed => {}
            }
        }
        Ok(())
    }

    async fn refuse_long(&self, id: Option<Value>, sender: &EndOutbox) {
        let words = format!("wherefore: the message is longer than {LONGEST} bytes and was not passed on");
        if let Some(id) = id {
            sender.send_message(&answer_message(&id, Err(refusal_error(&words)))).await;
        }
    }

    /// Answers a malformed line of the agent. It does not reach the editor, whose own reader may take it as a message.
    async fn refuse_unread(&self, line: &[u8]) {
        let shown: String = String::from_utf8_lossy(line).chars().take(SHOWN).collect();
        let shown = escape_to_line(&shown);
        if line.trim_ascii().is_empty() {
            return;
        }
        tracing::warn!("a line of the agent is no message of the protocol and was not passed on: {shown}");
        // Other lines are the output of programs, which expect no answer.
        if line.trim_ascii_start().starts_with(b"{") {
            let words =
                format!("wherefore: this is no message of the protocol and was not passed on: {shown}");
            self.to_agent.send_message(&answer_message(&Value::Null, Err(refusal_error(&words)))).await;
        }
    }

    async fn handle_editor_message(self: &Arc<Self>, message: RpcMessage) -> LineRoute {
        match message {
            RpcMessage::Answer { id, answer } => match self.editor.take_answer(&id, answer) {
                Some(_) => LineRoute::Unchanged,
                None => LineRoute::Consumed,
            },
            RpcMessage::Request(asked) => self.handle_editor_request(asked).await,
            RpcMessage::Notification { method, params } => match method.as_str() {
                "session/cancel" => {
                    turns::cancel_turn(self, &params);
                    LineRoute::Unchanged
                }
                "$/cancel_request" => match turns::follow_up_of(self, &params) {
                    Some(params) => LineRoute::Changed(notification_message(&method, params)),
                    None => LineRoute::Unchanged,
                },
                _ => LineRoute::Unchanged,
            },
            RpcMessage::Batch | RpcMessage::Other => LineRoute::Unchanged,
        }
    }

    async fn handle_editor_request(self: &Arc<Self>, mut asked: RpcRequest) -> LineRoute {
        let mut passing = LineRoute::Unchanged;
        let opened = match asked.method.as_str() {
            "initialize" => {
                self.known.lock().abilities = handshake::announce_files(&mut asked.params);
                passing = LineRoute::Changed(asked.to_message());
                EditorRequest::Initialize
            }
            "session/set_mode" => {
                if let Some(session) = asked.text_param("sessionId") {
                    self.sessions
                        .with_session(session, |session| session.modes.set_mode(asked.text_param("modeId")));
                }
                EditorRequest::Other
            }
            "session/prompt" => {
                if let Some(warning) = modes::mode_warning(self, &asked) {
                    self.to_editor.send_message(&warning).await;
                }
                if turns::begin_turn(self, &mut asked) {
                    passing = LineRoute::Changed(asked.to_message());
                }
                let session = asked.text_param("sessionId").map(str::to_owned);
                session.map_or(EditorRequest::Other, EditorRequest::Prompt)
            }
            method if method.starts_with("session/") => {
                match handshake::prepare_session(self, &mut asked.params) {
                    None => EditorRequest::Other,
                    Some(Err(fault)) => {
                        self.to_editor
                            .send_message(&answer_message(&asked.id, Err(message::fault_error(&fault))))
                            .await;
                        return LineRoute::Consumed;
                    }
                    Some(Ok(roots)) => {
                        passing = LineRoute::Changed(asked.to_message());
                        if let Some(session) = asked.text_param("sessionId") {
                            self.sessions.with_session(session, |session| session.roots = roots.clone());
                        }
                        EditorRequest::NewSession(roots)
                    }
                }
            }
            _ => EditorRequest::Other,
        };
        self.open.lock().insert(asked.id.to_string(), opened);
        passing
    }

    async fn handle_agent_message(
        self: &Arc<Self>,
        message: RpcMessage,
        work: &mut JoinSet<()>,
    ) -> LineRoute {
        match message {
            RpcMessage::Answer { id, answer } => match self.agent.take_answer(&id, answer) {
                Some(answer) => self.handle_agent_answer(&id, answer, work),
                None => LineRoute::Consumed,
            },
            RpcMessage::Request(asked) => self.handle_agent_request(asked, work).await,
            // The protocol requires an id for these: an editor that accepts them without one would act without a review.
            RpcMessage::Notification { method, .. } if forms::reaches_editor(&method) => {
                let words = format!("wherefore: {method} needs an id; nothing was done");
                self.to_agent.send_message(&answer_message(&Value::Null, Err(refusal_error(&words)))).await;
                LineRoute::Consumed
            }
            RpcMessage::Notification { method, params } => {
                if method == "session/update"
                    && let (Some(session), Some(update)) =
                        (params.get("sessionId").and_then(Value::as_str), params.get("update"))
                {
                    self.sessions.with_session(session, |session| {
                        session.words.take_update(update);
                        session.shown_diffs.take_update(update);
                        session.modes.take_update(update);
                    });
                }
                let given_up = params.get("requestId").filter(|_| method == "$/cancel_request");
                match given_up.and_then(|id| self.running.lock().remove(&id.to_string())) {
                    Some(cancel) => {
                        cancel.cancel();
                        LineRoute::Consumed
                    }
                    None => LineRoute::Unchanged,
                }
            }
            // An editor that accepts a batch would act without a review.
            RpcMessage::Batch => {
                let words = "wherefore: the protocol has no batches; send each message in a line of its own";
                self.to_agent.send_message(&answer_message(&Value::Null, Err(refusal_error(words)))).await;
                LineRoute::Consumed
            }
            RpcMessage::Other => LineRoute::Unchanged,
        }
    }

    fn handle_agent_answer(
        self: &Arc<Self>,
        id: &Value,
        answer: RpcAnswer,
        work: &mut JoinSet<()>,
    ) -> LineRoute {
        let opened = self.open.lock().remove(&id.to_string());
        match (opened, answer) {
            (Some(EditorRequest::Initialize), Ok(result)) => self.known.lock().agent = agent_info(&result),
            (Some(EditorRequest::NewSession(roots)), Ok(result)) => {
                if let Some(session) = result.get("sessionId").and_then(Value::as_str) {
                    self.sessions.with_session(session, |session| {
                        session.roots = roots;
                        session.modes.read_first_answer(&result);
                    });
                }
            }
            (Some(EditorRequest::Prompt(session)), answer) => {
                if let Some(notes) = turns::notes_at_end(self, &session, &answer) {
                    self.open.lock().insert(id.to_string(), EditorRequest::Other);
                    work.spawn(turns::run_follow_up(self.clone(), session, id.clone(), notes));
                    return LineRoute::Consumed;
                }
            }
            _ => {}
        }
        LineRoute::Unchanged
    }

    /// Sends the editor the answer to its request.
    pub(super) async fn answer_editor(&self, id: &Value, result: RpcAnswer) {
        self.open.lock().remove(&id.to_string());
        self.to_editor.send_message(&answer_message(id, result)).await;
    }

    /// Works on a request of the agent to the editor, unless it is for the editor only.
    async fn handle_agent_request(
        self: &Arc<Self>,
        mut asked: RpcRequest,
        work: &mut JoinSet<()>,
    ) -> LineRoute {
        let is_formed = match forms::method_handling(&asked.method) {
            MethodHandling::PassOn => return LineRoute::Unchanged,
            MethodHandling::Permission if !permission::has_change(self, &mut asked) => {
                return LineRoute::Unchanged;
            }
            MethodHandling::Refuse => Err(refusal_error(&format!(
                "wherefore: {} is no method of the protocol that wherefore knows; nothing was done",
                asked.method
            ))),
            MethodHandling::Judge | MethodHandling::Permission => forms::check_form(&asked),
        };
        if let Err(error) = is_formed {
            self.to_agent.send_message(&answer_message(&asked.id, Err(error))).await;
            return LineRoute::Consumed;
        }
        let turn = asked
            .text_param("sessionId")
            .map(|id| self.sessions.with_session(id, |session| session.cancel.clone()));
        let cancel = turn.unwrap_or_default().child_token();
        let key = asked.id.to_string();
        self.running.lock().insert(key.clone(), cancel.clone());
        let proxy = self.clone();
        work.spawn(async move {
            if let Some(result) = proxy.handle_locally(&asked, &cancel).await {
                proxy.to_agent.send_message(&answer_message(&asked.id, result)).await;
            }
            proxy.running.lock().remove(&key);
        });
        LineRoute::Consumed
    }

    /// The answer for the agent; none if the editor answers.
    async fn handle_locally(
        self: &Arc<Self>,
        asked: &RpcRequest,
        cancel: &CancellationToken,
    ) -> Option<RpcAnswer> {
        let worked = async {
            if let Some(worked) = without_server::answer_without_server(self, asked).await {
                return worked;
            }
            match asked.method.as_str() {
                "fs/write_text_file" => files::write_file(self, asked, cancel).await,
                "fs/read_text_file" => files::read_file(self, asked).await,
                "terminal/create" => terminal::create_terminal(self, asked).await,
                _ => permission::decide_permission(self, asked, cancel).await,
            }
        };
        let worked = match asked.method.as_str() {
            // These check for the end of the turn themselves.
            "fs/write_text_file" | "session/request_permission" => worked.await,
            _ => tokio::select! {
                worked = worked => worked,
                () = cancel.cancelled() => RequestOutcome::Answered(Err(cancelled_error("wherefore: the turn was cancelled"))),
            },
        };
        match worked {
            RequestOutcome::Answered(answer) => Some(answer),
            RequestOutcome::Passed => {
                self.to_editor.send_message(&asked.to_message()).await;
                None
            }
            RequestOutcome::Changed(params) => {
                let changed = RpcRequest { params, ..asked.clone() };
                self.to_editor.send_message(&changed.to_message()).await;
                None
            }
        }
    }

    /// Ends both streams, and answers the editor's open requests.
    async fn end_streams(&self) {
        self.editor.drop_open();
        self.agent.drop_open();
        let open: Vec<String> = self.open.lock().drain().map(|(id, _)| id).collect();
        for id in open.iter().filter_map(|id| serde_json::from_str(id).ok()) {
            self.to_editor
                .send_message(&answer_message(&id, Err(refusal_error("wherefore: the agent ended"))))
                .await;
        }
        self.to_agent.close_stream().await;
        self.to_editor.close_stream().await;
    }
}
