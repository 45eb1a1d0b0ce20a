//! The demo's course: the calls, the review, what is on the disk, the undo, the log.

use std::fs;
use std::io;
use std::time::Instant;

use serde_json::json;

use super::check::Ledger;
use super::decide::{Decider, Decision};
use super::editor::DemoEditor;
use super::end;
use super::project::Project;
use super::recording::{RecordedCall, recording};
use super::show;
use crate::cli::palette::Palette;
use crate::cli::print::TerminalPage;
use crate::cli::review;
use crate::cli::review::desk::{Decides, Desk};
use crate::cli::review::walk::{StandardInput, Walk};
use crate::protocol::{Code, DecideParams, Door, Envelope, Fault, Hunk, Origin, Proposal, RawCall, Status};
use crate::requests::decide::DecideAnswer;
use crate::requests::log::LogParams;
use crate::requests::undo::UndoParams;
use crate::requests::{Decide, Log, Undo};

/// One run of the demo.
#[derive(Debug)]
pub(super) struct Play {
    page: TerminalPage,
    project: Project,
    decider: Decider,
    /// Whether the copy stays, with its log.
    keep: bool,
    ledger: Ledger,
    /// The call that changed files, for the undo.
    changed: Option<String>,
    /// Whether all that was checked so far is as it should be.
    right: bool,
}

impl Play {
    /// A run that has not begun.
    pub(super) fn new(project: Project, decider: Decider, keep: bool) -> Self {
        let (page, ledger) = (TerminalPage::stdout(), Ledger::default());
        Self { page, project, decider, keep, ledger, changed: None, right: true }
    }

    /// Plays it to its end; whether everything is as it was decided.
    ///
    /// # Errors
    /// What the system, the terminal or the server says.
    pub(super) fn run(mut self) -> io::Result<bool> {
        let recording = recording(&self.project).map_err(|reason| {
            // Nothing was shown yet that could be looked at: the copy goes.
            let _ = fs::remove_dir_all(&self.project.folder);
            io::Error::other(reason)
        })?;
        show::begin(self.page, &self.project, &recording)?;
        let mut editor = DemoEditor::start(&self.project)?;
        for (at, step) in recording.steps.iter().enumerate() {
            self.step(&mut editor, &recording.agent, at + 1, step)?;
        }
        self.compare(&editor)?;
        self.undo(&mut editor)?;
        self.end(editor)?;
        Ok(self.right)
    }

    /// Makes one call of the agent's and checks how it ends.
    fn step(
        &mut self,
        editor: &mut DemoEditor,
        agent: &str,
        number: usize,
        step: &RecordedCall,
    ) -> io::Result<()> {
        show::call(self.page, number, &step.tool, &step.arguments)?;
        let origin = Origin { agent: Some(agent.to_owned()), ..Origin::door(Door::Lsp) };
        let arguments = step.arguments.clone();
        let call = RawCall { tool: step.tool.clone(), arguments, origin, ..RawCall::default() };
        let start = Instant::now();
        let mut reviewed = 0;
        let answer = editor.call(&call, |editor, proposal| {
            reviewed += proposal.hunks().count();
            self.review(editor, &proposal)
        })?;
        show::answer(self.page, &step.tool, &answer, (reviewed == 0).then(|| start.elapsed()))?;
        if reviewed > 0 {
            self.changed = Some(answer.call_id.to_string());
            let answer = self.decided(editor, number, &call, answer)?;
            return self.check_answer(&answer);
        }
        let code = answer.error.map(|fault| fault.code);
        match code == step.expect {
            true => Ok(()),
            false => {
                let (expected, found) = (show::ending(step.expect), show::ending(code));
                self.check(false, &format!("the call should end with {expected}, but ended with {found}"))
            }
        }
    }

    /// The answer with the decisions in it. A person who took longer than a call waits has decided by now: the agent
    /// asks once more.
    fn decided(
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
        show::call(self.page, number, &tool, &arguments)?;
        let answer = editor.call(&RawCall { tool, arguments, ..call.clone() }, |_, _| Ok(()))?;
        show::answer(self.page, "review.wait", &answer, None)?;
        Ok(answer)
    }

    /// Has each hunk of a proposal decided, by the screens of `wherefore review`.
    fn review(&mut self, editor: &mut DemoEditor, proposal: &Proposal) -> io::Result<()> {
        for file in &proposal.files {
            self.ledger.open(&self.project.root, file.path.as_str(), &file.uri)?;
            editor.open(&file.uri, &self.project.root.join(file.path.as_str()))?;
        }
        self.page.line("")?;
        let root = self.project.root.to_string_lossy().into_owned();
        let problems = match self.decider.asks() {
            true => by_hand(&root, proposal, &mut DemoDesk { editor, proposal, ledger: &mut self.ledger })?,
            false => self.by_rule(&root, proposal, editor)?,
        };
        problems.iter().try_for_each(|problem| self.check(false, problem))?;
        self.page.line("")
    }

    /// Shows each hunk, and sends what the rule says to it.
    fn by_rule(
        &mut self,
        root: &str,
        proposal: &Proposal,
        editor: &mut DemoEditor,
    ) -> io::Result<Vec<String>> {
        let (palette, count) = (Palette::stdout(), proposal.hunks().count());
        let (mut number, mut problems) = (0, Vec::new());
        for file in &proposal.files {
            for hunk in &file.hunks {
                number += 1;
                review::show(self.page, palette, root, (file, hunk), (number, count));
                let Decision { act, reason } = self.decider.next(self.page)?;
                let (proposal, ledger) = (proposal, &mut self.ledger);
                let mut desk = DemoDesk { editor: &mut *editor, proposal, ledger };
                let decision = DecideParams {
                    proposal: Some(proposal.id.clone()),
                    hunks: vec![hunk.id.clone()],
                    reason,
                    ..DecideParams::all(act)
                };
                problems.extend(desk.decide(decision).map_err(told)?.problems);
            }
        }
        Ok(problems)
    }

    /// Checks what the agent is told of its change.
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
        self.check(told == expected, &word)
    }

    /// Compares the disk and the editor with what was decided, and shows the difference that was made.
    fn compare(&mut self, editor: &DemoEditor) -> io::Result<()> {
        self.right &=
            end::on_disk(self.page, &self.project.root, &self.ledger, |outcome| editor.text(outcome.uri))?;
        Ok(())
    }

    /// Takes the change back and compares again.
    fn undo(&mut self, editor: &mut DemoEditor) -> io::Result<()> {
        let accepted: usize = self.ledger.outcomes().map(|outcome| outcome.accepted).sum();
        let Some(call) = self.changed.clone().filter(|_| accepted > 0) else { return Ok(()) };
        show::heading(self.page, &format!("Undo of {call}"))?;
        let answer = editor.ask::<Undo>(&UndoParams { call: Some(call), root: None })?;
        let mut findings = Vec::new();
        for outcome in self.ledger.outcomes() {
            let disk = fs::read_to_string(self.project.root.join(outcome.path))?;
            let shown = editor.text(outcome.uri).unwrap_or(outcome.before);
            let same = disk == outcome.before && shown == outcome.before;
            findings.push((same, format!("{} is as it was, byte for byte", outcome.path)));
        }
        findings.push((!answer.paths.is_empty(), format!("{} would bring the change back", answer.undo_id)));
        findings.into_iter().try_for_each(|(same, text)| self.check(same, &text))
    }

    /// Ends the server, says where the log is, and has its chain checked as anyone can.
    fn end(&mut self, mut editor: DemoEditor) -> io::Result<()> {
        let path = editor.ask::<Log>(&LogParams::default())?.path;
        let ended = editor.end()?;
        self.right &= end::log(self.page, &self.project.root, Some(path.as_str()).filter(|_| self.keep))?;
        match ended {
            true => Ok(()),
            false => self.check(false, "the server did not end as it should"),
        }
    }

    /// Shows something that was checked, and keeps whether all was right.
    fn check(&mut self, right: bool, text: &str) -> io::Result<()> {
        self.right &= right;
        show::checked(self.page, right, text)
    }
}

/// Asks the person about each hunk. What they leave is rejected, so that the agent goes on.
fn by_hand(root: &str, proposal: &Proposal, to: &mut DemoDesk<'_>) -> io::Result<Vec<String>> {
    let mut desk = Desk::new(std::slice::from_ref(proposal), false);
    Walk::new(root, Palette::stdout(), &mut desk, &mut StandardInput).go(to).map_err(told)?;
    desk.reject_what_is_left("the person ended the review", to).map_err(told)?;
    crate::cli::answer::line(&format!("\n{}", desk.sum()));
    Ok(Vec::new())
}

fn told(fault: Fault) -> io::Error {
    io::Error::other(fault.message)
}

/// The demo's editor, which carries decisions out, and keeps them for the check at the end.
struct DemoDesk<'a> {
    editor: &'a mut DemoEditor,
    proposal: &'a Proposal,
    ledger: &'a mut Ledger,
}

impl Decides for DemoDesk<'_> {
    fn decide(&mut self, decision: DecideParams) -> Result<DecideAnswer, Fault> {
        for file in &self.proposal.files {
            for hunk in file.hunks.iter().filter(|hunk| decision.hunks.contains(&hunk.id)) {
                let edited = decision.texts.get(&hunk.id);
                let new = edited.map(|text| text.split_inclusive('\n').map(str::to_owned).collect());
                let hunk = Hunk { new: new.unwrap_or_else(|| hunk.new.clone()), ..hunk.clone() };
                let said = Decision { act: decision.act, reason: decision.reason.clone() };
                self.ledger.decided(file.path.as_str(), &hunk, &said);
            }
        }
        self.editor.ask::<Decide>(&decision).map_err(|error| Fault::internal(error.to_string()))
    }
}
