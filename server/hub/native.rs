//! An agent's own tool in one folder: its edits become proposals, its reads are held to the rules, its commands go into
//! the sandbox.

mod calls;
mod places;
mod searches;
mod slot;
mod through;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Folder;
use crate::base::WorkspacePath;
use crate::memory::{Cause, HeatTouch};
use crate::native::{NativeAct, NativeAnswer, NativeParams, NativeVerdict, said, told};
use crate::ports::Caller;
use crate::protocol::{
    Access, Door, Envelope, Event, NativeOutcome, Origin, ProposalState, RawCall, Status, Why,
};
use crate::review;
use crate::rules::Opener;
use crate::shell::CommandVerdict;
use crate::workspace::FileKind;
pub use slot::{ShownChange, ShownOutcome};
pub(in crate::hub) use through::LetThrough;

impl Folder {
    /// Answers for a call of an agent's own tool.
    pub async fn native(
        &self,
        params: &NativeParams,
        door: Door,
        caller: Option<Arc<dyn Caller>>,
    ) -> NativeAnswer {
        let origin = Origin { door, ..params.origin.clone() };
        self.session().presence().hear(&origin);
        let answer = match &params.act {
            _ if params.after => {
                self.take_in(params, &origin).await;
                NativeAnswer::default()
            }
            act if act.edits() => self.native_edit(params, &origin, caller).await,
            NativeAct::Command { script } => self.native_command(script),
            NativeAct::Read { paths } => self.native_read(params, &origin, paths, caller).await,
            NativeAct::Search { .. } => self.native_search(params, &origin, caller).await,
            _ => NativeAnswer::default(),
        };
        // Words go to the model with a result, or with a call that is left. Elsewhere they would be lost.
        if !params.after && answer.verdict != NativeVerdict::Leave {
            return answer;
        }
        let settled = told::settled(&self.queue().deliveries(&origin));
        let said = said(&self.session().messages().take(&origin));
        let told = answer.told.into_iter().chain(settled).chain(said).collect::<Vec<_>>().join("\n\n");
        NativeAnswer::new(answer.verdict, told)
    }

    /// An edit is drafted and decided on like any call's, and we write what was accepted: the agent's own tool has nothing
    /// left to do. Where the policy is to apply it at once, the agent's tool may do so itself.
    async fn native_edit(
        &self,
        params: &NativeParams,
        origin: &Origin,
        caller: Option<Arc<dyn Caller>>,
    ) -> NativeAnswer {
        let until = Instant::now() + Duration::from_secs(params.wait_s);
        let settings = self.session().workspace().governance().settings().native.clone();
        let why = params.why.as_deref().filter(|why| Why::new(why).is_some());
        let is_asked_for = settings.require_why && why.is_none();
        if !is_asked_for && self.let_through(params) {
            return NativeAnswer::default();
        }
        if params.unread {
            return NativeAnswer::new(NativeVerdict::Reason, "");
        }
        if is_asked_for {
            return NativeAnswer::new(NativeVerdict::Leave, told::no_why());
        }
        let raw = match self.edit_call(params) {
            Ok(Some(raw)) => raw,
            // Outside of the folder the agent's own rules hold.
            Ok(None) => return NativeAnswer::default(),
            Err(fault) => return NativeAnswer::new(NativeVerdict::Leave, told::refused(&fault)),
        };
        let raw =
            with_why(RawCall { origin: origin.clone(), root: Some(self.root().to_owned()), ..raw }, why);
        let envelope = self.pipeline().call(raw, caller).await;
        let envelope = self.decided(envelope, until).await;
        let (outcome, words) = told::edited(&envelope);
        self.log_native(&envelope, origin, outcome, &words);
        NativeAnswer::new(NativeVerdict::Leave, words)
    }

    /// Waits for the decisions on what a call left pending.
    async fn decided(&self, envelope: Envelope, until: Instant) -> Envelope {
        let result = envelope.result.as_deref();
        let proposal = result.and_then(|result| result.get("proposal")).and_then(Value::as_str);
        let Some(id) = proposal.filter(|_| envelope.status == Status::Pending) else { return envelope };
        let limit = until.saturating_duration_since(Instant::now());
        let Some(item) = self.queue().wait(id, limit).await else { return envelope };
        if item.proposal().state() == ProposalState::Pending {
            return envelope;
        }
        // A later result would tell of it again where this is not noted: better twice than never.
        let _ = self.queue().told(id);
        let files = self.session().files().opened_by(Opener::Person);
        match review::answer(self.queue(), &files, &item) {
            Ok(answer) => {
                let value = serde_json::to_value(answer).unwrap_or_default();
                Envelope { status: Status::Ok, result: Some(Arc::new(value)), ..envelope }
            }
            Err(fault) => Envelope { status: Status::Error, result: None, error: Some(fault), ..envelope },
        }
    }

    /// The log says what became of the agent's own call, and what its model was told.
    fn log_native(&self, envelope: &Envelope, origin: &Origin, outcome: NativeOutcome, told: &str) {
        let event = Event::NativeEdit {
            call_id: envelope.call_id.clone(),
            agent: origin.who().to_owned(),
            tool: origin.tool.clone().unwrap_or_default(),
            outcome,
            told: told.to_owned(),
        };
        // The call and its decisions are in the log already; an answer is not withheld for this line.
        let _ = self.session().log().write(event);
    }

    /// A command that the rules refuse is not run; any other runs in the sandbox, where that is how the person wants it.
    fn native_command(&self, script: &str) -> NativeAnswer {
        let governance = self.session().workspace().governance();
        let judgement = governance.rules().judge_script(script);
        match judgement.verdict {
            CommandVerdict::Deny => {
                NativeAnswer::new(NativeVerdict::Leave, told::refused_command(&judgement))
            }
            _ if governance.settings().native.confine => NativeAnswer::new(NativeVerdict::Confine, ""),
            _ => NativeAnswer::default(),
        }
    }

    /// A read of what the rules close is refused; where they ask, the person is asked as for a call of ours. What is read
    /// warms the working set.
    async fn native_read(
        &self,
        params: &NativeParams,
        origin: &Origin,
        paths: &[String],
        caller: Option<Arc<dyn Caller>>,
    ) -> NativeAnswer {
        let why = params.why.as_deref();
        for asked in paths {
            let Some(path) = places::inside(self.root(), params.cwd.as_deref(), asked) else { continue };
            if self.session().files().unasked().admit(Access::Read, &path).is_ok() {
                self.warm(&path, origin, why);
                continue;
            }
            let raw = RawCall {
                tool: "fs.read".to_owned(),
                arguments: serde_json::json!({ "path": path, "range": { "start": 1, "end": 1 } }),
                origin: origin.clone(),
                root: Some(self.root().to_owned()),
                ..RawCall::default()
            };
            let envelope = self.pipeline().call(with_why(raw, why), caller.clone()).await;
            if let Some(fault) = envelope.error.filter(told::is_refusal) {
                return NativeAnswer::new(NativeVerdict::Leave, told::refused(&fault));
            }
        }
        NativeAnswer::default()
    }

    fn warm(&self, path: &WorkspacePath, origin: &Origin, why: Option<&str>) {
        let stat = self.session().files().unasked().stat(path);
        if stat.is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::File)) {
            let cause = Cause { by: origin.who(), why: why.unwrap_or(Why::UNSTATED) };
            self.session().memory().touch(path.as_str(), HeatTouch::Read, cause);
        }
    }
}

fn with_why(raw: RawCall, why: Option<&str>) -> RawCall {
    let mut raw = raw;
    if let (Some(arguments), Some(why)) = (raw.arguments.as_object_mut(), why) {
        arguments.insert("why".to_owned(), Value::from(why));
    }
    raw
}
