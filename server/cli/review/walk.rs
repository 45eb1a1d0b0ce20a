//! Goes through hunks at a terminal, one by one and line by line.

use std::io::BufRead;

use super::desk::{DecisionTarget, ReviewSession};
use super::edit;
use super::key::{HELP, OFFERED, ReviewKey};
use crate::cli::palette::DiffPalette;
use crate::cli::print::{TerminalPage, TextLook, visible_line};
use crate::cli::{answer, review, show};
use crate::protocol::{Act, Fault};

/// The source of the lines that the person types.
pub(in crate::cli) trait LineInput {
    /// The next one, without its end; none at the end of the input.
    fn next_line(&mut self) -> Option<String>;
}

/// Standard input.
#[derive(Debug)]
pub(in crate::cli) struct StandardInput;

impl LineInput for StandardInput {
    fn next_line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = std::io::stdin().lock().read_line(&mut line).ok()?;
        (length > 0).then(|| line.trim().to_owned())
    }
}

/// The way through the hunks of a desk.
pub(in crate::cli) struct HunkWalk<'a> {
    page: TerminalPage,
    palette: DiffPalette,
    root: &'a str,
    desk: &'a mut ReviewSession,
    lines: &'a mut dyn LineInput,
}

impl<'a> HunkWalk<'a> {
    pub(in crate::cli) fn new(
        root: &'a str,
        palette: DiffPalette,
        desk: &'a mut ReviewSession,
        lines: &'a mut dyn LineInput,
    ) -> Self {
        Self { page: TerminalPage::stdout(), palette, root, desk, lines }
    }

    /// Shows each hunk, asks, and sends the decisions. Returns whether the person went through to the end.
    ///
    /// # Errors
    /// The error of the server for a decision.
    pub(in crate::cli) fn go_through(mut self, to: &mut dyn DecisionTarget) -> Result<bool, Fault> {
        let (mut at, mut headed, mut is_through) = (0, None, true);
        while at < self.desk.steps.len() {
            let proposal = self.desk.steps[at].proposal.clone();
            if headed.as_ref() != Some(&proposal.id) {
                answer::write_line(&show::proposal_heading(self.page, &proposal));
                headed = Some(proposal.id.clone());
            }
            self.show_step(at);
            let Some(next) = self.ask_until_decided(at, to)? else {
                is_through = false;
                break;
            };
            at = next;
            // The agent of a finished change gets the decision at once.
            if self.desk.steps.get(at).is_none_or(|step| Some(&step.proposal.id) != headed.as_ref()) {
                self.desk.send_held(to)?;
            }
            self.say_problems();
        }
        self.desk.send_held(to)?;
        self.say_problems();
        Ok(is_through)
    }

    fn show_step(&self, at: usize) {
        let step = &self.desk.steps[at];
        let place = (at + 1, self.desk.steps.len());
        review::show_hunk(self.page, self.palette, self.root, (step.file(), &step.hunk), place);
    }

    /// Asks about a hunk until there is a decision. Returns the next hunk; none ends the review.
    fn ask_until_decided(&mut self, at: usize, to: &mut dyn DecisionTarget) -> Result<Option<usize>, Fault> {
        loop {
            answer::write_text(&self.page.paint(TextLook::Bold, &format!("Accept this hunk [{OFFERED}]? ")));
            let Some(line) = self.lines.next_line() else { return Ok(None) };
            match ReviewKey::read(&line) {
                Some(ReviewKey::Decide(act)) => {
                    return self.decide_and_advance(&[at], act, None, to).map(Some);
                }
                Some(ReviewKey::Because(words)) => {
                    let Some(reason) = self.ask_for_reason(words) else { continue };
                    return self.decide_and_advance(&[at], Act::Reject, Some(&reason), to).map(Some);
                }
                Some(ReviewKey::Rest(act)) => {
                    let rest = self.desk.open_in_file(at);
                    return self.decide_and_advance(&rest, act, None, to).map(Some);
                }
                Some(ReviewKey::Edit) => {
                    if let Some(text) = self.edit_step(at) {
                        self.desk.accept_as(at, text, to)?;
                        return Ok(Some(at + 1));
                    }
                }
                Some(ReviewKey::Later) => return Ok(Some(at + 1)),
                Some(ReviewKey::Undo) => match self.desk.undo_held() {
                    Some(at) => return Ok(Some(at)),
                    None => answer::write_line(
                        "Nothing to take back here; `wherefore undo` takes a whole change back.",
                    ),
                },
                Some(ReviewKey::Quit) => return Ok(None),
                Some(ReviewKey::Split) => {
                    answer::write_line(HELP.iter().find(|(key, _)| *key == "s").map_or("", |(_, text)| text))
                }
                Some(ReviewKey::Help) => self.print_help(),
                None => answer::write_line("That is no key; ? lists them."),
            }
        }
    }

    /// Decides, and returns the next hunk.
    fn decide_and_advance(
        &mut self,
        hunks: &[usize],
        act: Act,
        reason: Option<&str>,
        to: &mut dyn DecisionTarget,
    ) -> Result<usize, Fault> {
        self.desk.hold_decision(hunks, act, reason, to)?;
        Ok(hunks.last().map_or(0, |last| last + 1))
    }

    fn say_problems(&mut self) {
        for problem in self.desk.take_messages() {
            answer::write_note(&format!("wherefore: {}", visible_line(&problem)));
        }
    }

    /// The person's edit of the lines that a hunk adds; none if it stays unchanged.
    fn edit_step(&self, at: usize) -> Option<String> {
        let step = &self.desk.steps[at];
        match edit::edit_hunk(step.file(), &step.hunk) {
            Ok(text) => Some(text),
            Err(why) => {
                answer::write_line(&format!("Not edited: {}", visible_line(&why)));
                None
            }
        }
    }

    fn print_help(&self) {
        for (keys, does) in HELP {
            answer::write_line(&format!(
                "  {}  {does}",
                self.page.paint(TextLook::Bold, &format!("{keys:7}"))
            ));
        }
    }

    /// The words given with the key, or else those that the person types now; none if they type nothing, which decides nothing.
    fn ask_for_reason(&mut self, given: String) -> Option<String> {
        if !given.is_empty() {
            return Some(given);
        }
        answer::write_text("Why? The agent reads it: ");
        self.lines.next_line().filter(|words| !words.is_empty())
    }
}
