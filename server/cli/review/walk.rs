//! Goes through hunks at a terminal, one by one.

use std::collections::BTreeMap;
use std::io::BufRead;

use super::key::{HELP, Key, OFFERED};
use super::{context, edit};
use crate::cli::backend::RequestTarget;
use crate::cli::print::{TerminalPage, TextLook, visible};
use crate::cli::{answer, show};
use crate::protocol::{Act, DecideParams, Fault, Hunk, Proposal, ProposedFile};
use crate::requests::Decide;
use crate::requests::decide::DecideAnswer;

/// A hunk on the way.
pub(super) struct Step<'a> {
    pub(super) proposal: &'a Proposal,
    pub(super) file: &'a ProposedFile,
    /// As it was listed, and then as each decision on its proposal leaves it: its lines move.
    pub(super) hunk: Hunk,
}

impl Step<'_> {
    fn decision(&self, act: Act, reason: Option<String>) -> DecideParams {
        let (proposal, hunks) = (Some(self.proposal.id.clone()), vec![self.hunk.id.clone()]);
        DecideParams { proposal, hunks, reason, ..DecideParams::all(act) }
    }
}

/// What the last key decided. It is sent with the next one, so that it can be taken back.
struct Held {
    /// The hunk that the key was pressed at.
    at: usize,
    decisions: Vec<(usize, DecideParams)>,
}

/// The way through the hunks.
pub(super) struct Walk<'a> {
    page: TerminalPage,
    root: &'a str,
    steps: Vec<Step<'a>>,
    /// What is decided of each hunk.
    decided: Vec<Option<Act>>,
    held: Option<Held>,
    went_wrong: bool,
}

impl<'a> Walk<'a> {
    pub(super) fn new(root: &'a str, steps: Vec<Step<'a>>) -> Self {
        let decided = steps.iter().map(|_| None).collect();
        Self { page: TerminalPage::stdout(), root, steps, decided, held: None, went_wrong: false }
    }

    /// Shows each hunk, asks, and sends what is decided. Says whether all that was sent was carried out.
    ///
    /// # Errors
    /// What the server says to a decision.
    pub(super) fn go(mut self, backend: &mut RequestTarget) -> Result<bool, Fault> {
        let (mut at, mut headed) = (0, None);
        while at < self.steps.len() {
            let proposal = &self.steps[at].proposal.id;
            if headed != Some(proposal) {
                headed = Some(&self.steps[at].proposal.id);
                let heading = show::heading(self.page, self.steps[at].proposal);
                answer::line(&heading);
            }
            self.show(at);
            let Some(next) = self.answered(at, backend)? else { break };
            at = next;
            // A change that is left is told to its agent.
            if self.steps.get(at).is_none_or(|step| Some(&step.proposal.id) != headed) {
                self.send(backend)?;
            }
        }
        self.send(backend)?;
        self.sum_up();
        Ok(!self.went_wrong)
    }

    fn show(&self, at: usize) {
        let Step { file, hunk, .. } = &self.steps[at];
        let around = context::of(self.root, file, hunk);
        let place = format!("{} of {}  ", at + 1, self.steps.len());
        answer::out(&format!(
            "\n{}{}",
            self.page.paint(TextLook::Bold, &place),
            show::within(self.page, file, hunk, &around)
        ));
    }

    /// Asks about a hunk until it hears what to do. Gives the hunk to go to; none ends the review.
    fn answered(&mut self, at: usize, backend: &mut RequestTarget) -> Result<Option<usize>, Fault> {
        loop {
            answer::out(&self.page.paint(TextLook::Bold, &format!("Accept this hunk [{OFFERED}]? ")));
            let Some(line) = line() else { return Ok(None) };
            match Key::read(&line) {
                Some(Key::Decide(act)) => return self.decide(at, at + 1, act, None, backend).map(Some),
                Some(Key::Because(words)) => {
                    let Some(reason) = reason(words) else { continue };
                    return self.decide(at, at + 1, Act::Reject, Some(reason), backend).map(Some);
                }
                Some(Key::Rest(act)) => {
                    let of = |step: &Step<'_>| (step.proposal.id.clone(), step.file.path.clone());
                    let rest =
                        self.steps[at..].iter().take_while(|step| of(step) == of(&self.steps[at])).count();
                    return self.decide(at, at + rest, act, None, backend).map(Some);
                }
                Some(Key::Edit) => {
                    if let Some(text) = self.edited(at) {
                        return self.accept_as(at, text, backend).map(Some);
                    }
                }
                Some(Key::Later) => return Ok(Some(at + 1)),
                Some(Key::Undo) => match self.held.take() {
                    Some(held) => {
                        held.decisions.iter().for_each(|(index, _)| self.decided[*index] = None);
                        return Ok(Some(held.at));
                    }
                    None => {
                        answer::line("Nothing to take back here; `wherefore undo` takes a whole change back.")
                    }
                },
                Some(Key::Quit) => return Ok(None),
                Some(Key::Split) => {
                    answer::line(HELP.iter().find(|(key, _)| *key == "s").map_or("", |(_, text)| text))
                }
                Some(Key::Help) => self.help(),
                None => answer::line("That is no key; ? lists them."),
            }
        }
    }

    /// Holds a decision on hunks, and sends the one that was held before. Gives the hunk to go to.
    fn decide(
        &mut self,
        from: usize,
        to: usize,
        act: Act,
        reason: Option<String>,
        backend: &mut RequestTarget,
    ) -> Result<usize, Fault> {
        let decisions =
            (from..to).map(|index| (index, self.steps[index].decision(act, reason.clone()))).collect();
        self.hold(Held { at: from, decisions }, backend)?;
        Ok(to)
    }

    fn accept_as(&mut self, at: usize, text: String, backend: &mut RequestTarget) -> Result<usize, Fault> {
        let texts = BTreeMap::from([(self.steps[at].hunk.id.clone(), text)]);
        let decision = DecideParams { texts, ..self.steps[at].decision(Act::Accept, None) };
        self.hold(Held { at, decisions: vec![(at, decision)] }, backend)?;
        Ok(at + 1)
    }

    fn hold(&mut self, held: Held, backend: &mut RequestTarget) -> Result<(), Fault> {
        self.send(backend)?;
        held.decisions.iter().for_each(|(index, decision)| self.decided[*index] = Some(decision.act));
        self.held = Some(held);
        Ok(())
    }

    /// Sends what is held.
    fn send(&mut self, backend: &mut RequestTarget) -> Result<(), Fault> {
        for (index, decision) in self.held.take().into_iter().flat_map(|held| held.decisions) {
            let DecideAnswer { proposals, problems } = backend.ask::<Decide>(decision)?;
            self.follow(&proposals);
            if !problems.is_empty() {
                self.decided[index] = None;
                self.went_wrong = true;
            }
            problems.iter().for_each(|problem| answer::note(&format!("wherefore: {}", visible(problem))));
        }
        Ok(())
    }

    /// Takes hunks as they stand now.
    fn follow(&mut self, proposals: &[Proposal]) {
        for Step { proposal, hunk, .. } in &mut self.steps {
            let now = proposals.iter().filter(|each| each.id == proposal.id).flat_map(Proposal::hunks);
            if let Some(now) = now.into_iter().find(|each| each.id == hunk.id) {
                *hunk = now.clone();
            }
        }
    }

    /// The lines that the person made of those that a hunk adds; none where it stays as it is.
    fn edited(&self, at: usize) -> Option<String> {
        let Step { file, hunk, .. } = &self.steps[at];
        match edit::edited(file, hunk) {
            Ok(text) => Some(text),
            Err(why) => {
                answer::line(&format!("Not edited: {}", visible(&why)));
                None
            }
        }
    }

    fn help(&self) {
        for (keys, does) in HELP {
            answer::line(&format!("  {}  {does}", self.page.paint(TextLook::Bold, &format!("{keys:7}"))));
        }
    }

    fn sum_up(&self) {
        let of = |act| self.decided.iter().filter(|decided| **decided == act).count();
        let (accepted, rejected, left) = (of(Some(Act::Accept)), of(Some(Act::Reject)), of(None));
        let left = if left > 0 { format!(", {left} left waiting") } else { String::new() };
        answer::line(&format!("\n{accepted} accepted, {rejected} rejected{left}."));
    }
}

/// The words behind the key, or those that are asked for; none where nothing is said, which decides nothing.
fn reason(given: String) -> Option<String> {
    if !given.is_empty() {
        return Some(given);
    }
    answer::out("Why? The agent reads it: ");
    line().filter(|words| !words.is_empty())
}

/// A line from the terminal; none at the end of the input.
fn line() -> Option<String> {
    let mut line = String::new();
    let length = std::io::stdin().lock().read_line(&mut line).ok()?;
    (length > 0).then(|| line.trim().to_owned())
}
