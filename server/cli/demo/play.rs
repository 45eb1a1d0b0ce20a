//! The course of the demo: the calls, the review, the files on the disk, the undo, the log.

use std::fs;
use std::io;
use std::time::Instant;

use serde_json::json;

use super::check::ReviewLedger;
use super::decide::{DemoDecision, HunkDecider};
use super::editor::DemoEditor;
use super::end;
use super::project::DemoProject;
use super::recording::{DemoStep, load_recording};
use super::show;
use crate::cli::palette::DiffPalette;
use crate::cli::print::TerminalPage;
use crate::cli::review;
use crate::cli::review::desk::{DecisionTarget, ReviewSession};
use crate::cli::review::walk::{HunkWalk, StandardInput};
use crate::protocol::{Code, DecideParams, Door, Envelope, Fault, Hunk, Origin, Proposal, RawCall, Status};
use crate::requests::decide::DecideAnswer;
use crate::requests::log::LogParams;
use crate::requests::undo::UndoParams;
use crate::requests::{Decide, Log, Undo};

/// A run of the demo.
#[derive(Debug)]
pub(super) struct DemoPlay {
    page: TerminalPage,
    project: DemoProject,
    decider: HunkDecider,
    /// True if the copy stays, with its log.
    keep: bool,
    ledger: ReviewLedger,
    /// The call that changed files, for the undo.
    changed: Option<String>,
    /// True if every check so far succeeded.
    is_right: bool,
}

impl DemoPlay {
    /// A run that has not begun.
    pub(super) fn new(project: DemoProject, decider: HunkDecider, keep: bool) -> Self {
        let (page, ledger) = (TerminalPage::stdout(), ReviewLedger::default());
        Self { page, project, decider, keep, ledger, changed: None, is_right: true }
    }

    /// Plays the demo to its end; returns whether everything matches the decisions.
    ///
    /// # Errors
    /// The error of the system, the terminal or the server.
    pub(super) fn run_demo(mut self) -> io::Result<bool> {
        let recording = load_recording(&self.project).map_err(|reason| {
            // Nothing was shown yet that could be looked at: the copy goes.
            let _ = fs::remove_dir_all(&self.project.folder);
            io::Error::other(reason)
        })?;
        show::show_start(self.page, &self.project, &recording)?;
        let mut editor = DemoEditor::start(&self.project)?;
        for (at, step) in recording.steps.iter().enumerate() {
            self.run_step(&mut editor, &recording.agent, at + 1, step)?;
        }
        self.compare_files(&editor)?;
        self.undo_change(&mut editor)?;
        self.end_demo(editor)?;
        Ok(self.is_right)
    }

    /// Makes one call of the agent's and checks how it ends.
    fn run_step(
        &mut self,
        editor: &mut DemoEditor,
        agent: &str,
        number: usize,
        step: &DemoStep,
    ) -> io::Result<()> {
        show::show_call(self.page, number, &step.tool, &step.arguments)?;
        let origin = Origin { agent: Some(agent.to_owned()), ..Origin::from_door(Door::Lsp) };
        let arguments = step.arguments.clone();
        let call = RawCall { tool: step.tool.clone(), arguments, origin, ..RawCall::default() };
        let start = Instant::now();
        let mut reviewed = 0;
        let answer = editor.call_tool(&call, |editor, proposal| {
            reviewed += proposal.hunks().count();
            self.review_proposal(editor, &proposal)
        })?;
        show::show_answer(self.page, &step.tool, &answer, (reviewed == 0).then(|| start.elapsed()))?;
        if reviewed > 0 {
            self.changed = Some(answer.call_id.to_string());
            let answer = self.await_decision(editor, number, &call, answer)?;
            return self.check_answer(&answer);
        }
        let code = answer.error.map(|fault| fault.code);
        match code == step.expect {
            true => Ok(()),
            false => {
                let (expected, found) = (show::describe_end(step.expect), show::describe_end(code));
                self.check_result(
                    false,
                    &format!("the call should end with {expected}, but ended with {found}"),
                )
            }
        }
    }

    /// The answer with the decisions in it. If the person took longer than the call waits, the agent waits again with
    /// `review.wait`.
    fn await_decision(
        &mut self,
        editor: &mut DemoEditor,
        number: usize,
        call: &RawCall,
        answer: Envelope,
    ) -> io::Result<Envelope> {
        let proposal = answer.result.as_ref().map(|result| result["proposal"].clone());
        let Some(proposal) = proposal.filter(|_| answer.status == Status::Pending) else { return Ok(answer) };
        let tool = "review.wait".to_owned();
        let why = "Learn what the person decided before going on with what they kept";
        let arguments = json!({"proposal": proposal, "why": why});
        show::show_call(self.page, number, &tool, &arguments)?;
        let answer = editor.call_tool(&RawCall { tool, arguments, ..call.clone() }, |_, _| Ok(()))?;
        show::show_answer(self.page, "review.wait", &answer, None)?;
        Ok(answer)
    }

    /// Asks for a decision on each hunk of a proposal, with the prompts of `wherefore review`.
    fn review_proposal(&mut self, editor: &mut DemoEditor, proposal: &Proposal) -> io::Result<()> {
        for file in &proposal.files {
            self.ledger.add_file(&self.project.root, file.path.as_str(), &file.uri)?;
            editor.open_file(&file.uri, &self.project.root.join(file.path.as_str()))?;
        }
        self.page.write_line("")?;
        let root = self.project.root.to_string_lossy().into_owned();
        let problems = match self.decider.has_person() {
            true => review_by_hand(
                &root,
                proposal,
                &mut DemoDecider { editor, proposal, ledger: &mut self.ledger },
            )?,
            false => self.by_rule(&root, proposal, editor)?,
        };
        problems.iter().try_for_each(|problem| self.check_result(false, problem))?;
        self.page.write_line("")
    }

    /// Shows each hunk, and sends the decision of the rule.
    fn by_rule(
        &mut self,
        root: &str,
        proposal: &Proposal,
        editor: &mut DemoEditor,
    ) -> io::Result<Vec<String>> {
        let (palette, count) = (DiffPalette::stdout(), proposal.hunks().count());
        let (mut number, mut problems) = (0, Vec::new());
        for file in &proposal.files {
            for hunk in &file.hunks {
                number += 1;
                review::show_hunk(self.page, palette, root, (file, hunk), (number, count));
                let DemoDecision { act, reason } = self.decider.decide_hunk(self.page)?;
                let (proposal, ledger) = (proposal, &mut self.ledger);
                let mut desk = DemoDecider { editor: &mut *editor, proposal, ledger };
                let decision = DecideParams {
                    proposal: Some(proposal.id.clone()),
                    hunks: vec![hunk.id.clone()],
                    reason,
                    ..DecideParams::all(act)
                };
                problems.extend(desk.send_decision(decision).map_err(fault_error)?.problems);
            }
        }
        Ok(problems)
    }

    /// Checks the answer that the agent gets for its change.
    fn check_answer(&mut self, answer: &Envelope) -> io::Result<()> {
        let (accepted, rejected) = self
            .ledger
            .outcomes()
            .fold((0, 0), |(yes, no), outcome| (yes + outcome.accepted, no + outcome.rejected));
        let expected = match (accepted, rejected) {
            (_, 0) => "applied",
            (0, _) => "rejected",
            _ => "partly_applied",
        };
        let told = match (&answer.error, &answer.result) {
            (Some(fault), _) if fault.code == Code::Rejected => "rejected",
            (None, Some(result)) => result["status"].as_str().unwrap_or("nothing"),
            _ => "nothing",
        };
        let word = match told == expected {
            true => format!("the agent is told: {accepted} accepted, {rejected} rejected"),
            false => format!("the agent is told `{told}`, not `{expected}`"),
        };
        self.check_result(told == expected, &word)
    }

    /// Compares the disk and the editor with the decisions, and shows the diff.
    fn compare_files(&mut self, editor: &DemoEditor) -> io::Result<()> {
        self.is_right &= end::compare_disk(self.page, &self.project.root, &self.ledger, |outcome| {
            editor.document_text(outcome.uri)
        })?;
        Ok(())
    }

    /// Takes the change back and compares again.
    fn undo_change(&mut self, editor: &mut DemoEditor) -> io::Result<()> {
        let accepted: usize = self.ledger.outcomes().map(|outcome| outcome.accepted).sum();
        let Some(call) = self.changed.clone().filter(|_| accepted > 0) else { return Ok(()) };
        show::show_heading(self.page, &format!("Undo of {call}"))?;
        let answer = editor.ask::<Undo>(&UndoParams { call: Some(call), root: None })?;
        let mut findings = Vec::new();
        for outcome in self.ledger.outcomes() {
            let disk = fs::read_to_string(self.project.root.join(outcome.path))?;
            let shown = editor.document_text(outcome.uri).unwrap_or(outcome.before);
            let same = disk == outcome.before && shown == outcome.before;
            findings.push((same, format!("{} is as it was, byte for byte", outcome.path)));
        }
        findings.push((!answer.paths.is_empty(), format!("{} would bring the change back", answer.undo_id)));
        findings.into_iter().try_for_each(|(same, text)| self.check_result(same, &text))
    }

    /// Ends the server, prints the log's path, and verifies the log's hash chain.
    fn end_demo(&mut self, mut editor: DemoEditor) -> io::Result<()> {
        let path = editor.ask::<Log>(&LogParams::default())?.path;
        let ended = editor.end_server()?;
        self.is_right &=
            end::verify_log(self.page, &self.project.root, Some(path.as_str()).filter(|_| self.keep))?;
        match ended {
            true => Ok(()),
            false => self.check_result(false, "the server did not end as it should"),
        }
    }

    /// Prints the result of a check, and records a failure.
    fn check_result(&mut self, right: bool, text: &str) -> io::Result<()> {
        self.is_right &= right;
        show::show_check(self.page, right, text)
    }
}

/// Asks the person about each hunk. Hunks that they skip are rejected, so that the agent goes on.
fn review_by_hand(root: &str, proposal: &Proposal, to: &mut DemoDecider<'_>) -> io::Result<Vec<String>> {
    let mut desk = ReviewSession::new(std::slice::from_ref(proposal), false);
    HunkWalk::new(root, DiffPalette::stdout(), &mut desk, &mut StandardInput)
        .go_through(to)
        .map_err(fault_error)?;
    desk.reject_open("the person ended the review", to).map_err(fault_error)?;
    crate::cli::answer::write_line(&format!("\n{}", desk.decision_sum()));
    Ok(Vec::new())
}

fn fault_error(fault: Fault) -> io::Error {
    io::Error::other(fault.message)
}

/// The demo's editor, which carries decisions out, and keeps them for the check at the end.
struct DemoDecider<'a> {
    editor: &'a mut DemoEditor,
    proposal: &'a Proposal,
    ledger: &'a mut ReviewLedger,
}

impl DecisionTarget for DemoDecider<'_> {
    fn send_decision(&mut self, decision: DecideParams) -> Result<DecideAnswer, Fault> {
        for file in &self.proposal.files {
            for hunk in file.hunks.iter().filter(|hunk| decision.hunks.contains(&hunk.id)) {
                let edited = decision.texts.get(&hunk.id);
                let new = edited.map(|text| text.split_inclusive('\n').map(str::to_owned).collect());
                let hunk = Hunk { new: new.unwrap_or_else(|| hunk.new.clone()), ..hunk.clone() };
                let said = DemoDecision { act: decision.act, reason: decision.reason.clone() };
                self.ledger.add_decision(file.path.as_str(), &hunk, &said);
            }
        }
        self.editor.ask::<Decide>(&decision).map_err(|error| Fault::internal(error.to_string()))
    }
}
