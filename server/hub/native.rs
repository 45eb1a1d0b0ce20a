//! An agent's own tool in one folder: its edits become proposals, its reads are held to the rules, its commands go into
//! the sandbox.
//!
//! # Invariants
//!
//! - No edit of an agent's own tool is written where it was not accepted, and its model learns the outcome of each
//!   edit.
//!   Test: `an_agents_own_edit_is_accepted_in_part_and_its_model_is_told`,
//!   `an_edit_that_cannot_be_made_is_told_and_changes_nothing`, `a_decision_made_later_is_told_with_the_next_message`

mod agent_paths;
mod announced_commands;
mod calls;
mod commands;
mod let_through;
mod own_program;
mod searches;
mod served;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::ServedFolder;
use crate::base::WorkspacePath;
use crate::hooks::{NativeAct, NativeAnswer, NativeParams, NativeVerdict, message_texts, outcome_text};
use crate::memory::{HeatTouch, TouchCause};
use crate::ports::Caller;
use crate::protocol::{
    Door, Envelope, Event, NativeOutcome, Origin, PathAccess, Policy, ProposalState, RawCall, Status, Why,
};
use crate::rules::FileOpener;
use crate::workspace::FileKind;
pub(in crate::hub) use announced_commands::AnnouncedCommands;
pub(in crate::hub) use let_through::LetThrough;
pub(crate) use own_program::tighten_judgement;

use calls::EditTranslator;

/// One call of an agent's own tool, in a folder.
pub struct NativeCall<'a> {
    folder: &'a ServedFolder,
    params: &'a NativeParams,
    origin: Origin,
    caller: Option<Arc<dyn Caller>>,
}

impl<'a> NativeCall<'a> {
    /// The call that a hook tells of, which came by `door` from `caller`.
    pub fn new(
        folder: &'a ServedFolder,
        params: &'a NativeParams,
        door: Door,
        caller: Option<Arc<dyn Caller>>,
    ) -> Self {
        let origin = Origin { door, ..params.origin.clone() };
        Self { folder, params, origin, caller }
    }

    /// Answers for it.
    pub async fn answer_call(&self) -> NativeAnswer {
        let params = self.params;
        self.folder.session().presence().record_caller(&self.origin);
        for act in params.beside.iter().filter(|_| !params.after) {
            let one = NativeParams { act: act.clone(), beside: Vec::new(), ..params.clone() };
            let one = NativeCall {
                params: &one,
                origin: self.origin.clone(),
                caller: self.caller.clone(),
                folder: self.folder,
            };
            let answer = Box::pin(one.answer_call()).await;
            if answer.verdict == NativeVerdict::Leave {
                return answer;
            }
        }
        let answer = match &params.act {
            NativeAct::Unread { why } => self.note_unread(why),
            _ if params.after => {
                self.note_unconfined();
                self.take_in().await;
                NativeAnswer::default()
            }
            act if act.is_edit() => self.answer_edit().await,
            NativeAct::Command { script } => self.answer_command(script).await,
            NativeAct::Read { paths } => self.answer_read(paths).await,
            NativeAct::Search { .. } => self.answer_search().await,
            _ => NativeAnswer::default(),
        };
        // Words go to the model with a result, or with a call that is left. Elsewhere they would be lost.
        if !params.after && answer.verdict != NativeVerdict::Leave {
            return answer;
        }
        let settled =
            outcome_text::decision_texts(&self.folder.queue().deliveries().take_deliveries(&self.origin));
        let said = message_texts(&self.folder.session().messages().take_messages(&self.origin));
        let told = answer.told.into_iter().chain(settled).chain(said).collect::<Vec<_>>().join("\n\n");
        NativeAnswer::new(answer.verdict, told)
    }

    /// An edit is drafted and decided on like any call's, and we write what was accepted: the agent's own tool has nothing
    /// left to do. Where the policy is to apply it at once, the agent's tool may do so itself.
    async fn answer_edit(&self) -> NativeAnswer {
        let params = self.params;
        let governance = self.folder.session().workspace().governance();
        let settings = governance.settings();
        // A hook that waits for longer than its agent is ended without an answer.
        let limit = settings.review.wait_s.map_or(params.wait_s, |own| own.min(params.wait_s));
        let until = Instant::now() + Duration::from_secs(limit);
        let settings = settings.native.clone();
        let why = params.why.as_deref().filter(|why| Why::new(why).is_some());
        let is_asked_for = settings.require_why && why.is_none();
        if !is_asked_for && !params.taken_over && self.let_through() {
            let verdict = if params.takes_yes { NativeVerdict::Allow } else { NativeVerdict::Pass };
            return NativeAnswer::new(verdict, "");
        }
        if params.unread {
            return NativeAnswer::new(NativeVerdict::Reason, "");
        }
        if is_asked_for {
            return NativeAnswer::new(NativeVerdict::Leave, outcome_text::missing_reason_text());
        }
        let raw = match EditTranslator::new(self.folder, params.cwd.as_deref()).edit_call(&params.act) {
            Ok(Some(raw)) => raw,
            // Outside of the folder the agent's own rules hold.
            Ok(None) => return NativeAnswer::default(),
            Err(fault) => return NativeAnswer::new(NativeVerdict::Leave, outcome_text::fault_text(&fault)),
        };
        // A read-only agent may change nothing: only a person's yes writes.
        let policy = params.read_only.then_some(Policy::Ask);
        let root = Some(self.folder.root().to_owned());
        let raw = with_why(RawCall { origin: self.origin.clone(), root, policy, ..raw }, why);
        let envelope = self.folder.pipeline().call_tool(raw, self.caller.clone()).await;
        let envelope = self.await_decisions(envelope, until).await;
        let (outcome, words) = outcome_text::edit_outcome(&envelope);
        self.log_native(&envelope, outcome, &words);
        NativeAnswer::new(NativeVerdict::Leave, words)
    }

    /// Waits for the decisions on what a call left pending.
    async fn await_decisions(&self, envelope: Envelope, until: Instant) -> Envelope {
        let result = envelope.result.as_deref();
        let proposal = result.and_then(|result| result.get("proposal")).and_then(Value::as_str);
        let Some(id) = proposal.filter(|_| envelope.status == Status::Pending) else { return envelope };
        let limit = until.saturating_duration_since(Instant::now());
        let Some(item) = self.folder.queue().store().wait_until_decided(id, limit).await else {
            return envelope;
        };
        if item.proposal().state() == ProposalState::Pending {
            return envelope;
        }
        // A later result would tell of it again where this is not noted: better twice than never.
        let _ = self.folder.queue().deliveries().mark_delivered(id);
        let files = self.folder.session().files().opened_by(FileOpener::Person);
        match self.folder.queue().answer_call(&files, &item) {
            Ok(answer) => {
                let value = serde_json::to_value(answer).unwrap_or_default();
                Envelope { status: Status::Ok, result: Some(Arc::new(value)), ..envelope }
            }
            Err(fault) => Envelope { status: Status::Error, result: None, error: Some(fault), ..envelope },
        }
    }

    /// Logs the outcome of the agent's own call, and the message to its model.
    fn log_native(&self, envelope: &Envelope, outcome: NativeOutcome, told: &str) {
        let event = Event::NativeEdit {
            call_id: envelope.call_id.clone(),
            agent: self.origin.display_name().to_owned(),
            tool: self.origin.tool.clone().unwrap_or_default(),
            outcome,
            told: told.to_owned(),
        };
        // The call and its decisions are in the log already; an answer is not withheld for this line.
        let _ = self.folder.session().log().write_event(event);
    }

    /// Records in the log and the person's status that a call was refused because it could not be parsed.
    fn note_unread(&self, why: &str) -> NativeAnswer {
        let origin = &self.origin;
        let (agent, tool) = (origin.display_name().to_owned(), origin.tool.clone().unwrap_or_default());
        let call = if tool.is_empty() { "a call".to_owned() } else { format!("a call of {tool}") };
        self.folder
            .session()
            .troubles()
            .report_trouble(format!("{call} of {agent} was refused unread: {why}"));
        // The call is refused whether the log takes this line or not.
        let _ = self.folder.session().log().write_event(Event::NativeRefusal {
            agent,
            tool,
            why: why.to_owned(),
        });
        NativeAnswer::default()
    }

    /// Answers a read: it is refused where the rules close the path; where they ask, the person is asked as for any
    /// call. A file that is read warms the working set.
    async fn answer_read(&self, paths: &[String]) -> NativeAnswer {
        let params = self.params;
        let why = params.why.as_deref();
        for asked in paths {
            let Some(path) = agent_paths::path_inside(self.folder.root(), params.cwd.as_deref(), asked)
            else {
                continue;
            };
            if self
                .folder
                .session()
                .files()
                .unasked_files()
                .paths()
                .admit_path(PathAccess::Read, &path)
                .is_ok()
            {
                self.warm_file(&path, why);
                continue;
            }
            let raw = RawCall {
                tool: "fs.read".to_owned(),
                arguments: serde_json::json!({ "path": path, "range": { "start": 1, "end": 1 } }),
                origin: self.origin.clone(),
                root: Some(self.folder.root().to_owned()),
                ..RawCall::default()
            };
            let envelope = self.folder.pipeline().call_tool(with_why(raw, why), self.caller.clone()).await;
            if let Some(fault) = envelope.error.filter(outcome_text::is_refusal) {
                return NativeAnswer::new(NativeVerdict::Leave, outcome_text::fault_text(&fault));
            }
        }
        NativeAnswer::default()
    }

    fn warm_file(&self, path: &WorkspacePath, why: Option<&str>) {
        let stat = self.folder.session().files().unasked_files().stat(path);
        if stat.is_ok_and(|stat| stat.is_some_and(|stat| stat.kind == FileKind::File)) {
            let cause = TouchCause { by: self.origin.display_name(), why: why.unwrap_or(Why::UNSTATED) };
            self.folder.session().memory().touch_file(path.as_str(), HeatTouch::Read, cause);
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
