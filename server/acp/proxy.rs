//! Two pumps, one a direction: each line is passed on, changed or answered here.

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

use super::agents::{Manners, named};
use super::ask::EndAsker;
use super::ends::{EndInput, EndOutbox, Ends};
use super::error::AcpError;
use super::handshake::{self, EditorAbilities};
use super::message::{self, AskedRequest, RpcAnswer, RpcMessage, answer, cancelled, notification, refusal};
use super::passing::{LinePassing, Worked};
use super::session::AcpSessions;
use super::{Folders, ProxyOptions, away, files, modes, permission, terminal, turns};
use crate::base::lines::{Line, Lines};

/// Bytes of the longest line that is passed on.
const LONGEST: usize = 256 << 20;

/// How long an agent is heard after its editor has left.
const LAST: Duration = Duration::from_secs(2);

/// What both directions know.
pub(super) struct Proxy {
    pub(super) options: ProxyOptions,
    pub(super) folders: Arc<dyn Folders>,
    /// Requests of ours to the editor.
    pub(super) editor: EndAsker,
    /// Requests of ours to the agent.
    pub(super) agent: EndAsker,
    pub(super) sessions: AcpSessions,
    to_editor: EndOutbox,
    to_agent: EndOutbox,
    known: Mutex<KnownPeers>,
    /// Requests of the editor that the agent has not answered.
    open: Mutex<HashMap<String, OpenedRequest>>,
    /// What the agent asked for and is being worked on, by its id.
    running: Mutex<HashMap<String, CancellationToken>>,
}

/// What the handshake told.
#[derive(Clone, Debug, Default)]
struct KnownPeers {
    abilities: EditorAbilities,
    agent: Option<(String, Option<String>)>,
}

/// A request of the editor that is with the agent, by what its answer means here.
#[derive(Clone, Debug)]
pub(super) enum OpenedRequest {
    /// It tells the agent's name.
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
/// How it ended where not by the editor's leave.
pub async fn run(ends: Ends, folders: Arc<dyn Folders>, options: ProxyOptions) -> Result<(), AcpError> {
    let (to_editor, to_agent) = (EndOutbox::new(ends.to_editor), EndOutbox::new(ends.to_agent));
    let proxy = Arc::new(Proxy {
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
    let mut upward = tokio::spawn(proxy.clone().hear_editor(ends.from_editor));
    let mut work = JoinSet::new();
    let ended = {
        let mut downward = pin!(proxy.hear_agent(ends.from_agent, &mut work));
        tokio::select! {
            ended = &mut downward => match ended {
                Ok(()) => Err(AcpError::AgentEnded),
                Err(error) => Err(AcpError::EditorGone(error)),
            },
            _ = &mut upward => {
                // The agent reads that its editor has left, and may say its last.
                proxy.to_agent.close().await;
                let _ = timeout(LAST, downward).await;
                Ok(())
            }
        }
    };
    upward.abort();
    // What is open is given up: nobody hears its answer.
    work.shutdown().await;
    proxy.end().await;
    ended
}

impl Proxy {
    /// The agent's name and version.
    pub(super) fn agent_name(&self) -> String {
        match &self.known.lock().agent {
            Some((name, Some(version))) => format!("{name}/{version}"),
            Some((name, None)) => name.clone(),
            None => self.options.agent.clone(),
        }
    }

    /// How the agent goes about its edits.
    pub(super) fn manners(&self) -> Manners {
        let known = self.known.lock();
        Manners::of(known.agent.as_ref().map_or(&self.options.agent, |(name, _)| name))
    }

    /// What the editor can do itself.
    pub(super) fn abilities(&self) -> EditorAbilities {
        self.known.lock().abilities
    }

    /// Takes the lines of the editor, until its end.
    async fn hear_editor(self: Arc<Self>, input: EndInput) {
        let mut lines = FramedRead::new(input, Lines::new(LONGEST));
        while let Some(Ok(line)) = lines.next().await {
            let line = match line {
                Line::Whole(line) => line,
                Line::TooLong(envelope) => {
                    self.refuse_long(envelope.request_id(), &self.to_editor).await;
                    continue;
                }
            };
            let message = RpcMessage::read(&line);
            // An agent that is gone is found out by the other direction.
            let _ = match self.heard_from_editor(message).await {
                LinePassing::Unchanged => self.to_agent.line(&line).await,
                LinePassing::Changed(message) => self.to_agent.line(message.to_string().as_bytes()).await,
                LinePassing::Taken => Ok(()),
            };
        }
    }

    /// Takes the lines of the agent, until its end.
    ///
    /// # Errors
    /// Where the editor reads no more.
    async fn hear_agent(self: &Arc<Self>, input: EndInput, work: &mut JoinSet<()>) -> io::Result<()> {
        let mut lines = FramedRead::new(input, Lines::new(LONGEST));
        while let Some(Ok(line)) = lines.next().await {
            while work.try_join_next().is_some() {}
            let line = match line {
                Line::Whole(line) => line,
                Line::TooLong(envelope) => {
                    self.refuse_long(envelope.request_id(), &self.to_agent).await;
                    continue;
                }
            };
            match self.heard_from_agent(RpcMessage::read(&line), work).await {
                LinePassing::Unchanged => self.to_editor.line(&line).await?,
                LinePassing::Changed(message) => self.to_editor.line(message.to_string().as_bytes()).await?,
                LinePassing::Taken => {}
            }
        }
        Ok(())
    }

    async fn refuse_long(&self, id: Option<Value>, sender: &EndOutbox) {
        let words = format!("wherefore: the message is longer than {LONGEST} bytes and was not passed on");
        if let Some(id) = id {
            sender.send(&answer(&id, Err(refusal(&words)))).await;
        }
    }

    async fn heard_from_editor(self: &Arc<Self>, message: RpcMessage) -> LinePassing {
        match message {
            RpcMessage::Answered { id, answer } => match self.editor.take(&id, answer) {
                Some(_) => LinePassing::Unchanged,
                None => LinePassing::Taken,
            },
            RpcMessage::Request(asked) => self.asked_by_editor(asked).await,
            RpcMessage::Notification { method, params } => match method.as_str() {
                "session/cancel" => {
                    turns::cancel(self, &params);
                    LinePassing::Unchanged
                }
                "$/cancel_request" => match turns::follow_up_of(self, &params) {
                    Some(params) => LinePassing::Changed(notification(&method, params)),
                    None => LinePassing::Unchanged,
                },
                _ => LinePassing::Unchanged,
            },
            RpcMessage::Batch | RpcMessage::Other => LinePassing::Unchanged,
        }
    }

    async fn asked_by_editor(self: &Arc<Self>, mut asked: AskedRequest) -> LinePassing {
        let mut passing = LinePassing::Unchanged;
        let opened = match asked.method.as_str() {
            "initialize" => {
                self.known.lock().abilities = handshake::announce(&mut asked.params);
                passing = LinePassing::Changed(asked.message());
                OpenedRequest::Initialize
            }
            "session/set_mode" => {
                if let Some(session) = asked.text("sessionId") {
                    self.sessions.with(session, |session| session.modes.set(asked.text("modeId")));
                }
                OpenedRequest::Other
            }
            "session/prompt" => {
                if let Some(warning) = modes::warning(self, &asked) {
                    self.to_editor.send(&warning).await;
                }
                if turns::begin(self, &mut asked) {
                    passing = LinePassing::Changed(asked.message());
                }
                let session = asked.text("sessionId").map(str::to_owned);
                session.map_or(OpenedRequest::Other, OpenedRequest::Prompt)
            }
            method if method.starts_with("session/") => match handshake::begin(self, &mut asked.params) {
                None => OpenedRequest::Other,
                Some(Err(fault)) => {
                    self.to_editor.send(&answer(&asked.id, Err(message::fault(&fault)))).await;
                    return LinePassing::Taken;
                }
                Some(Ok(roots)) => {
                    passing = LinePassing::Changed(asked.message());
                    if let Some(session) = asked.text("sessionId") {
                        self.sessions.with(session, |session| session.roots = roots.clone());
                    }
                    OpenedRequest::NewSession(roots)
                }
            },
            _ => OpenedRequest::Other,
        };
        self.open.lock().insert(asked.id.to_string(), opened);
        passing
    }

    async fn heard_from_agent(self: &Arc<Self>, message: RpcMessage, work: &mut JoinSet<()>) -> LinePassing {
        match message {
            RpcMessage::Answered { id, answer } => match self.agent.take(&id, answer) {
                Some(answer) => self.answered_by_agent(&id, answer, work),
                None => LinePassing::Taken,
            },
            RpcMessage::Request(asked) => self.asked_by_agent(asked, work),
            RpcMessage::Notification { method, params } => {
                if method == "session/update"
                    && let (Some(session), Some(update)) =
                        (params.get("sessionId").and_then(Value::as_str), params.get("update"))
                {
                    self.sessions.with(session, |session| {
                        session.said.hear(update);
                        session.shown.hear(update);
                        session.modes.hear(update);
                    });
                }
                let given_up = params.get("requestId").filter(|_| method == "$/cancel_request");
                match given_up.and_then(|id| self.running.lock().remove(&id.to_string())) {
                    Some(cancel) => {
                        cancel.cancel();
                        LinePassing::Taken
                    }
                    None => LinePassing::Unchanged,
                }
            }
            // An editor that takes one would do what nobody looked at.
            RpcMessage::Batch => {
                let words = "wherefore: the protocol has no batches; send each message in a line of its own";
                self.to_agent.send(&answer(&Value::Null, Err(refusal(words)))).await;
                LinePassing::Taken
            }
            RpcMessage::Other => LinePassing::Unchanged,
        }
    }

    fn answered_by_agent(
        self: &Arc<Self>,
        id: &Value,
        answer: RpcAnswer,
        work: &mut JoinSet<()>,
    ) -> LinePassing {
        let opened = self.open.lock().remove(&id.to_string());
        match (opened, answer) {
            (Some(OpenedRequest::Initialize), Ok(result)) => self.known.lock().agent = named(&result),
            (Some(OpenedRequest::NewSession(roots)), Ok(result)) => {
                if let Some(session) = result.get("sessionId").and_then(Value::as_str) {
                    self.sessions.with(session, |session| {
                        session.roots = roots;
                        session.modes.begin(&result);
                    });
                }
            }
            (Some(OpenedRequest::Prompt(session)), answer) => {
                if let Some(notes) = turns::notes_at_end(self, &session, &answer) {
                    self.open.lock().insert(id.to_string(), OpenedRequest::Other);
                    work.spawn(turns::follow_up(self.clone(), session, id.clone(), notes));
                    return LinePassing::Taken;
                }
            }
            _ => {}
        }
        LinePassing::Unchanged
    }

    /// The editor's request has its answer.
    pub(super) async fn answer_editor(&self, id: &Value, result: RpcAnswer) {
        self.open.lock().remove(&id.to_string());
        self.to_editor.send(&answer(id, result)).await;
    }

    /// Works on what the agent wants of the editor, where that is not for the editor alone.
    fn asked_by_agent(self: &Arc<Self>, mut asked: AskedRequest, work: &mut JoinSet<()>) -> LinePassing {
        let is_ours = match asked.method.as_str() {
            "fs/write_text_file" | "fs/read_text_file" | "terminal/create" => true,
            "session/request_permission" => permission::has_change(self, &mut asked),
            _ => false,
        };
        if !is_ours {
            return LinePassing::Unchanged;
        }
        let turn = asked.text("sessionId").map(|id| self.sessions.with(id, |session| session.cancel.clone()));
        let cancel = turn.unwrap_or_default().child_token();
        let key = asked.id.to_string();
        self.running.lock().insert(key.clone(), cancel.clone());
        let proxy = self.clone();
        work.spawn(async move {
            if let Some(result) = proxy.work_on(&asked, &cancel).await {
                proxy.to_agent.send(&answer(&asked.id, result)).await;
            }
            proxy.running.lock().remove(&key);
        });
        LinePassing::Taken
    }

    /// The answer for the agent; none where the editor gives it.
    async fn work_on(
        self: &Arc<Self>,
        asked: &AskedRequest,
        cancel: &CancellationToken,
    ) -> Option<RpcAnswer> {
        let worked = async {
            if let Some(worked) = away::answered(self, asked).await {
                return worked;
            }
            match asked.method.as_str() {
                "fs/write_text_file" => files::write(self, asked, cancel).await,
                "fs/read_text_file" => files::read(self, asked).await,
                "terminal/create" => terminal::create(self, asked).await,
                _ => permission::decide(self, asked, cancel).await,
            }
        };
        let worked = match asked.method.as_str() {
            // They look at the turn's end themselves.
            "fs/write_text_file" | "session/request_permission" => worked.await,
            _ => tokio::select! {
                worked = worked => worked,
                () = cancel.cancelled() => Worked::Answered(Err(cancelled("wherefore: the turn was cancelled"))),
            },
        };
        match worked {
            Worked::Answered(answer) => Some(answer),
            Worked::Passed => {
                self.to_editor.send(&asked.message()).await;
                None
            }
            Worked::Changed(params) => {
                let changed = AskedRequest { params, ..asked.clone() };
                self.to_editor.send(&changed.message()).await;
                None
            }
        }
    }

    /// Tells each end that nothing more comes: what the editor waits for is answered.
    async fn end(&self) {
        self.editor.end();
        self.agent.end();
        let open: Vec<String> = self.open.lock().drain().map(|(id, _)| id).collect();
        for id in open.iter().filter_map(|id| serde_json::from_str(id).ok()) {
            self.to_editor.send(&answer(&id, Err(refusal("wherefore: the agent ended")))).await;
        }
        self.to_agent.close().await;
        self.to_editor.close().await;
    }
}
