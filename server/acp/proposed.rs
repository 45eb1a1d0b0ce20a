//! A change of an agent's own tool, on its way through the pipeline: proposed, decided, told.

use std::pin::pin;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::change::ChangeQuestion;
use super::proxy::Proxy;
use super::request;
use crate::base::blocking;
use crate::native::{ChangeStanding, said, told};
use crate::protocol::{Code, Door, Envelope, Fault, Origin, RawCall, Why};
use crate::requests::{Call, Signature, Status};

/// Seconds that one waiting for decisions lasts; another follows it.
const WAITING_S: u64 = 300;

/// What stands for an act of the agent's own tools.
#[derive(Clone, Debug)]
pub(super) struct NativeCall {
    /// The session that it is made in.
    pub(super) session: String,
    /// The root of its workspace.
    pub(super) root: String,
    /// The agent's own tool.
    pub(super) native: String,
    /// The agent's own id of its call, where it gave one.
    pub(super) id: Option<String>,
}

impl NativeCall {
    /// Calls a tool of ours that changes nothing: where the server ends under it, the next one is asked.
    ///
    /// # Errors
    /// What keeps a server from being reached.
    pub(super) async fn look(&self, proxy: &Proxy, tool: &str, args: Value) -> Result<Envelope, Fault> {
        self.call(proxy, tool, args, true).await
    }

    /// Whether the change has no reason, where the person wants one.
    pub(super) fn lacks_why(&self, proxy: &Proxy) -> bool {
        let said = proxy.sessions.with(&self.session, |session| session.said.last_sentence());
        let has_why = said.as_deref().is_some_and(|said| Why::new(said).is_some());
        !has_why && blocking(|| proxy.folders.settings(&self.root).require_why)
    }

    /// Calls one of our tools for it. What was decided on earlier changes meanwhile is kept for the agent.
    async fn call(&self, proxy: &Proxy, tool: &str, args: Value, looks: bool) -> Result<Envelope, Fault> {
        let mut arguments = match args {
            Value::Object(arguments) => arguments,
            _ => Map::new(),
        };
        let why = proxy.sessions.with(&self.session, |session| session.said.last_sentence());
        if let Some(why) = why {
            arguments.insert("why".to_owned(), json!(why));
        }
        let origin = Origin {
            agent: Some(proxy.agent_name()),
            session: Some(self.session.clone()),
            call: self.id.clone(),
            tool: Some(self.native.clone()),
            ..Origin::door(Door::Acp)
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
        let answer = proxy.folders.request(&self.root, Call::METHOD, params, looks).await?;
        let envelope = Envelope::deserialize(answer).map_err(odd)?;
        let notes = told::settled(&envelope.decisions).into_iter().chain(said(&envelope.messages));
        proxy.sessions.with(&self.session, |session| session.notes.extend(notes));
        Ok(envelope)
    }

    /// Proposes a change, and waits until it is decided: in the editor that is attached to the folder's server, by
    /// `wherefore review`, or, where no editor is attached, in the agent's own editor.
    ///
    /// # Errors
    /// Why nothing was changed, beside a decision: the rules, a wrong path, a server that ended; CANCELLED once the turn
    /// is.
    pub(super) async fn propose(
        &self,
        proxy: &Arc<Proxy>,
        tool: &str,
        args: Value,
        cancel: &CancellationToken,
    ) -> Result<ChangeStanding, Fault> {
        let decided = async {
            let standing = standing(self.call(proxy, tool, args, false).await?)?;
            match standing.proposal.clone().filter(|_| standing.is_pending()) {
                Some(proposal) => self.decided(proxy, &proposal).await,
                None => Ok(standing),
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

    /// Whether an editor that shows proposals is attached to the folder's server.
    async fn is_reviewed(&self, proxy: &Proxy) -> bool {
        request::<Status>(&*proxy.folders, &self.root, ()).await.is_ok_and(|status| status.editor)
    }

    /// Waits until a proposal is decided, wherever that is.
    async fn decided(&self, proxy: &Arc<Proxy>, proposal: &str) -> Result<ChangeStanding, Fault> {
        let mut is_asked = !self.is_reviewed(proxy).await;
        let (folders, editor) = (&*proxy.folders, &proxy.editor);
        let question = ChangeQuestion { folders, editor, session: &self.session, root: &self.root };
        let mut asking = pin!(question.ask(proposal));
        loop {
            let mut waiting = pin!(self.wait(proxy, proposal));
            let standing = loop {
                tokio::select! {
                    standing = &mut waiting => break standing?,
                    () = &mut asking, if is_asked => is_asked = false,
                }
            };
            if !standing.is_pending() {
                return Ok(standing);
            }
        }
    }

    async fn wait(&self, proxy: &Proxy, proposal: &str) -> Result<ChangeStanding, Fault> {
        let args = json!({ "proposal": proposal, "timeout_s": WAITING_S });
        standing(self.look(proxy, "review.wait", args).await?)
    }
}

/// How a change stands by the answer of a call. That nobody accepted any of it is a standing too.
fn standing(envelope: Envelope) -> Result<ChangeStanding, Fault> {
    match (envelope.result, envelope.error) {
        (_, Some(fault)) => {
            match fault.details.as_ref().filter(|_| matches!(fault.code, Code::Rejected | Code::Stale)) {
                Some(details) if details.get("status").is_some() => Ok(ChangeStanding::read(details)),
                _ => Err(fault),
            }
        }
        (Some(result), None) => Ok(ChangeStanding::read(&result)),
        (None, None) => Ok(ChangeStanding::default()),
    }
}
