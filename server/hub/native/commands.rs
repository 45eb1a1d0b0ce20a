//! A command of an agent's own shell: refused by the rules, let into the sandbox by a token, or asked about where the
//! person's settings keep commands out of the sandbox.
//!
//! # Invariants
//!
//! - No command of an agent's own shell runs that the rules refuse, and none is missing in the log.
//!   Test: `a_command_is_refused_confined_or_left_alone`,
//!   `a_command_of_an_agents_shell_is_logged_and_what_it_changed_reviewed`

use std::time::Duration;

use super::NativeCall;
use super::announced_commands::AnnouncedCommand;
use super::own_program::tighten_judgement;
use crate::base::WorkspacePath;
use crate::base::hidden::{escape_lines, escape_to_line};
use crate::hooks::{CommandStep, NativeAnswer, NativeVerdict, outcome_text};
use crate::hub::{CommandPermit, ConfinedCommand};
use crate::protocol::{AskParams, Event, Fault, Unanswered, Why};
use crate::rules::indent_script;
use crate::shell::{CommandVerdict, Judgement};

const ALLOW: &str = "Allow";
const DENY: &str = "Deny";
/// The margin before an agent's time limit once the person was asked: the answer has to arrive before the agent goes on
/// without it.
pub(super) const MARGIN: Duration = Duration::from_secs(5);

impl NativeCall<'_> {
    /// A command that the rules refuse is not run; any other runs in the sandbox, where that is how the person wants it: by the
    /// agent's shell, or at the server.
    pub(super) async fn answer_command(&self, script: &str) -> NativeAnswer {
        let (params, origin) = (self.params, &self.origin);
        if let Some(claim) = &params.claim {
            let command = ConfinedCommand::from_script(&claim.script);
            return match self.folder.command_tokens().check_token(&claim.token, &command, origin) {
                Ok(()) => NativeAnswer::default(),
                Err(error) => {
                    NativeAnswer::new(NativeVerdict::Leave, outcome_text::fault_text(&error.into()))
                }
            };
        }
        let governance = self.folder.session().workspace().governance();
        if !governance.settings().native.confine {
            // Its hook asked, and it was judged then.
            if params.step == CommandStep::Begun {
                return NativeAnswer::default();
            }
            let judgement = governance.rules().judge_unconfined_script(script);
            let judgement = tighten_judgement(judgement, self.folder.root(), params.cwd.as_deref());
            return match judgement.verdict {
                CommandVerdict::Allow => NativeAnswer::default(),
                CommandVerdict::Deny => refusal_answer(&judgement),
                CommandVerdict::Ask => self.ask_unconfined(script, &judgement).await,
            };
        }
        let judgement = governance.rules().judge_script(script);
        if judgement.verdict == CommandVerdict::Deny {
            // The text begins like a command line of wherefore, and is not exactly one.
            return match script.contains("sandbox") && script.contains("--token=") {
                true => NativeAnswer::new(NativeVerdict::Leave, outcome_text::altered_claim_text()),
                false => refusal_answer(&judgement),
            };
        }
        if params.served {
            // The reason is read before the command runs: agents write it a moment late.
            return match params.unread {
                true => NativeAnswer::new(NativeVerdict::Reason, ""),
                false => self.serve_command(script).await,
            };
        }
        if params.step == CommandStep::Announced && self.folder.announced_commands().are_asked_for(origin) {
            return self.announce_command(script);
        }
        let announced = match params.step {
            CommandStep::Begun => self.folder.announced_commands().take_command(script, origin),
            _ => None,
        };
        let AnnouncedCommand { origin, why } =
            announced.unwrap_or_else(|| AnnouncedCommand { origin: origin.clone(), why: None });
        let permit = CommandPermit { origin, is_allowed: false, why };
        match self.folder.command_tokens().issue_token(&ConfinedCommand::from_script(script), permit) {
            Ok(token) => NativeAnswer::confine(token),
            Err(error) => {
                NativeAnswer::new(NativeVerdict::Leave, outcome_text::fault_text(&Fault::from(error)))
            }
        }
    }

    /// Reports in the person's status that a command was announced and ran outside of the sandbox. The next ones of its
    /// session are rewritten.
    pub(super) fn note_unconfined(&self) {
        let (params, origin) = (self.params, &self.origin);
        if params.step == CommandStep::Announced && self.folder.announced_commands().end_call(origin) {
            self.folder.session().troubles().report_trouble(format!(
                "a command of {} ran outside of the sandbox: its shell did not ask for the confined one. Start it anew",
                origin.display_name()
            ));
        }
    }

    /// Lets the agent go on with a command that its shell asks for once more: it is confined then, whatever happens in
    /// between.
    fn announce_command(&self, script: &str) -> NativeAnswer {
        let (params, origin) = (self.params, &self.origin);
        if params.unread {
            return NativeAnswer::new(NativeVerdict::Reason, "");
        }
        let command = AnnouncedCommand { origin: origin.clone(), why: params.why.clone() };
        self.folder.announced_commands().push(script, command);
        NativeAnswer::new(NativeVerdict::Allow, "")
    }

    /// Asks the person about a command that runs outside of the sandbox: in their editor where one is there, else by the
    /// agent.
    async fn ask_unconfined(&self, script: &str, judgement: &Judgement) -> NativeAnswer {
        let reason = outcome_text::unconfined_question(judgement);
        if !self.folder.session().editor().attached() {
            return NativeAnswer::new(NativeVerdict::Ask, reason);
        }
        match self.ask_in_editor(script, judgement).await {
            Ok(Ok(true)) => NativeAnswer::default(),
            Ok(answer) => {
                let cause =
                    answer.err().map_or_else(|| "the person said no".to_owned(), Unanswered::to_clause);
                NativeAnswer::new(NativeVerdict::Leave, outcome_text::not_allowed_text(&reason, &cause))
            }
            Err(fault) => NativeAnswer::new(NativeVerdict::Leave, outcome_text::fault_text(&fault)),
        }
    }

    /// Asks the person at the editor whether the command may run; returns why there is no answer otherwise. The log
    /// keeps the answer.
    async fn ask_in_editor(
        &self,
        script: &str,
        judgement: &Judgement,
    ) -> Result<Result<bool, Unanswered>, Fault> {
        let (params, origin) = (self.params, &self.origin);
        let session = self.folder.session();
        let call_id = session.log().next_call()?;
        let tool = origin.tool.clone().unwrap_or_else(|| "shell".to_owned());
        let why = params.why.clone().unwrap_or_else(|| Why::UNSTATED.to_owned());
        let rule = rule_reason(judgement);
        let question = AskParams {
            root: session.workspace().uri(&WorkspacePath::root()),
            session: session.log().id().to_owned(),
            call_id: call_id.clone(),
            text: format!(
                "{}: {}\n{}",
                escape_to_line(&tool),
                escape_to_line(&why),
                escape_lines(&outside_question(script, &rule))
            ),
            tool,
            why,
            agent: origin.agent.clone(),
            answers: vec![ALLOW.to_owned(), DENY.to_owned()],
        };
        let patience = Duration::from_secs(params.wait_s).saturating_sub(MARGIN);
        let answer = tokio::time::timeout(patience, session.editor().ask(question)).await;
        let answer = answer.unwrap_or(Err(Unanswered::Late)).map(|answer| answer == ALLOW);
        let (granted, unanswered) = (answer == Ok(true), answer.err());
        let rule = format!("{rule}, for {} outside of the sandbox: {script}", origin.display_name());
        let event = Event::UserApproval { call_id, rule, granted, unanswered, by_client: false };
        session.log().write_event(event)?;
        Ok(answer)
    }
}

/// Returns the question for a command outside of the sandbox; a script of several lines follows below it.
fn outside_question(script: &str, rule: &str) -> String {
    match script.trim_end() {
        lines if lines.contains('\n') => {
            format!("run the script below outside of the sandbox\n{rule}\n{}", indent_script(lines))
        }
        line => format!("run this outside of the sandbox: {line}\n{rule}"),
    }
}

fn refusal_answer(judgement: &Judgement) -> NativeAnswer {
    NativeAnswer::new(NativeVerdict::Leave, outcome_text::refused_command_text(judgement))
}

fn rule_reason(judgement: &Judgement) -> String {
    let (rule, why) = (judgement.rule.as_deref(), judgement.why.as_deref());
    format!("{} ({})", rule.unwrap_or("asked-command"), why.unwrap_or("a rule wants it asked about"))
}
