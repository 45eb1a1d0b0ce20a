//! A change of an agent's own tool, on its way through the pipeline: proposed, decided, reported.

use std::pin::pin;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::change::ChangeQuestion;
use super::proxy::AcpProxy;
use super::send_request;
use crate::base::run_blocking;
use crate::hooks::{message_texts, outcome_text};
use crate::protocol::{ChangeAnswer, ChangeStatus, Code, Door, Envelope, Fault, Origin, RawCall, Why};
use crate::requests::{Call, Signature, Status};

/// Seconds of one wait for decisions; another wait follows it.
const WAITING_S: u64 = 300;

/// A call of an agent's own tool.
#[derive(Clone, Debug)]
pub(super) struct AcpToolCall {
    /// The session that it is made in.
    pub(super) session: String,
    /// The root of its workspace.
    pub(super) root: String,
    /// The agent's own tool.
    pub(super) native: String,
    /// The agent's own id of its call, if it gave one.
    pub(super) id: Option<String>,
}

impl AcpToolCall {
    /// Calls a read-only tool of wherefore: if the server ends meanwhile, the next one is asked.
    ///
    /// # Errors
    /// The reason why a server cannot be reached.
    pub(super) async fn call_read_only(
        &self,
        proxy: &AcpProxy,
        tool: &str,
        args: Value,
    ) -> Result<Envelope, Fault> {
        self.call_tool(proxy, tool, args, true).await
    }

    /// Returns whether the change lacks a reason that the person requires.
    pub(super) fn lacks_why(&self, proxy: &AcpProxy) -> bool {
        let said = proxy.sessions.with_session(&self.session, |session| session.words.last_sentence());
        let has_why = said.as_deref().is_some_and(|said| Why::new(said).is_some());
        !has_why && run_blocking(|| proxy.folders.native_settings(&self.root).require_why)
    }

    /// Calls a tool of wherefore for it. Decisions on earlier changes are kept for the agent.
    async fn call_tool(
        &self,
        proxy: &AcpProxy,
        tool: &str,
        args: Value,
        looks: bool,
    ) -> Result<Envelope, Fault> {
        let mut arguments = match args {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let why = proxy.sessions.with_session(&self.session, |session| session.words.last_sentence());
        if let Some(why) = why {
            arguments.insert("why".to_owned(), json!(why));
        }
        let origin = Origin {
            agent: Some(proxy.agent_name()),
            session: Some(self.session.clone()),
            call: self.id.clone(),
            tool: Some(self.native.clone()),
            ..Origin::from_door(Door::Acp)
        };
        let arguments = Value::Object(arguments);
        let raw = RawCall {
            tool: tool.to_owned(),
            arguments,
            origin,
            root: Some(self.root.clone()),
            ..RawCall::default()
        };
        let odd = |error: serde_json::Error| Fault::internal(format!("{}: {error}", Call::METHOD));
        let params = serde_json::to_value(raw).map_err(odd)?;
        let answer = proxy.folders.send_request(&self.root, Call::METHOD, params, looks).await?;
        let envelope = Envelope::deserialize(answer).map_err(odd)?;
        let notes = outcome_text::decision_texts(&envelope.decisions)
            .into_iter()
            .chain(message_texts(&envelope.messages));
        proxy.sessions.with_session(&self.session, |session| session.notes.extend(notes));
        Ok(envelope)
    }

    /// Proposes a change, and waits until it is decided: in the editor that is attached to the folder's server, by
    /// `wherefore review`, or, if no editor is attached, in the agent's own editor.
    ///
    /// # Errors
    /// The reason why nothing was changed, other than a decision: the rules, a wrong path, a server that ended;
    /// CANCELLED if the turn is.
    pub(super) async fn propose_change(
        &self,
        proxy: &Arc<AcpProxy>,
        tool: &str,
        args: Value,
        cancel: &CancellationToken,
    ) -> Result<ChangeAnswer, Fault> {
        let decided = async {
            let answer = change_answer(self.call_tool(proxy, tool, args, false).await?)?;
            match answer.proposal.clone().filter(|_| answer.status == ChangeStatus::Pending) {
                Some(proposal) => self.await_decision(proxy, &proposal).await,
                None => Ok(answer),
            }
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Fault::new(
                Code::Cancelled,
                "the turn was cancelled; what nobody decided of the change stays open for review",
            )),
            decided = decided => decided,
        }
    }

    /// Returns whether an editor that shows proposals is attached to the folder's server.
    async fn is_reviewed(&self, proxy: &AcpProxy) -> bool {
        send_request::<Status>(&*proxy.folders, &self.root, ()).await.is_ok_and(|status| status.editor)
    }

    /// Waits until a proposal is decided, wherever that is.
    async fn await_decision(&self, proxy: &Arc<AcpProxy>, proposal: &str) -> Result<ChangeAnswer, Fault> {
        let mut is_asked = !self.is_reviewed(proxy).await;
        let (folders, editor) = (&*proxy.folders, &proxy.editor);
        let question = ChangeQuestion { folders, editor, session: &self.session, root: &self.root };
        let mut asking = pin!(question.ask_and_decide(proposal));
        loop {
            let mut waiting = pin!(self.wait_for_decision(proxy, proposal));
            let answer = loop {
                tokio::select! {
                    answer = &mut waiting => break answer?,
                    () = &mut asking, if is_asked => is_asked = false,
                }
            };
            if answer.status != ChangeStatus::Pending {
                return Ok(answer);
            }
        }
    }

    async fn wait_for_decision(&self, proxy: &AcpProxy, proposal: &str) -> Result<ChangeAnswer, Fault> {
        let args = json!({ "proposal": proposal, "timeout_s": WAITING_S });
        change_answer(self.call_read_only(proxy, "review.wait", args).await?)
    }
}

/// The answer about the change of a call. A rejection of all its hunks is one, too.
fn change_answer(envelope: Envelope) -> Result<ChangeAnswer, Fault> {
    let answer = ChangeAnswer::from_envelope(&envelope);
    match (answer, envelope.error) {
        (Some(answer), None) => Ok(answer),
        (Some(answer), Some(fault)) if matches!(fault.code, Code::Rejected | Code::Stale) => Ok(answer),
        (_, Some(fault)) => Err(fault),
        (None, None) => Err(Fault::internal("the answer to the change cannot be read")),
    }
}
