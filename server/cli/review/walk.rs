//! Goes through hunks at a terminal, one by one and line by line.

use std::io::BufRead;

use super::desk::{Decides, Desk};
use super::edit;
use super::key::{HELP, Key, OFFERED};
use crate::cli::palette::Palette;
use crate::cli::print::{TerminalPage, TextLook, visible};
use crate::cli::{answer, review, show};
use crate::protocol::{Act, Fault};

/// Where the lines come from that the person types.
pub(in crate::cli) trait TypedLines {
    /// The next one, without its end; none at the end of the input.
    fn line(&mut self) -> Option<String>;
}

/// Standard input.
#[derive(Debug)]
pub(in crate::cli) struct StandardInput;

impl TypedLines for StandardInput {
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = std::io::stdin().lock().read_line(&mut line).ok()?;
        (length > 0).then(|| line.trim().to_owned())
    }
}

/// The way through the hunks of a desk.
pub(in crate::cli) struct Walk<'a> {
    page: TerminalPage,
    palette: Palette,
    root: &'a str,
    desk: &'a mut Desk,
    lines: &'a mut dyn TypedLines,
}

impl<'a> Walk<'a> {
    pub(in crate::cli) fn new(
        root: &'a str,
        palette: Palette,
        desk: &'a mut Desk,
        lines: &'a mut dyn TypedLines,
    ) -> Self {
        Self { page: TerminalPage::stdout(), palette, root, desk, lines }
    }

    /// Shows each hunk, asks, and sends what is decided. Says whether the person went through to the end.
    ///
    /// # Errors
    /// What the server says to a decision.
    pub(in crate::cli) fn go(mut self, to: &mut dyn Decides) -> Result<bool, Fault> {
        let (mut at, mut headed, mut is_through) = (0, None, true);
        while at < self.desk.steps.len() {
            let proposal = self.desk.steps[at].proposal.clone();
            if headed.as_ref() != Some(&proposal.id) {
                answer::line(&show::heading(self.page, &proposal));
                headed = Some(proposal.id.clone());
            }
            self.show(at);
            let Some(next) = self.answered(at, to)? else {
                is_through = false;
                break;
            };
            at = next;
            // A change that is left is told to its agent.
            if self.desk.steps.get(at).is_none_or(|step| Some(&step.proposal.id) != headed.as_ref()) {
                self.desk.send(to)?;
            }
            self.say_problems();
        }
        self.desk.send(to)?;
        self.say_problems();
        Ok(is_through)
    }

    fn show(&self, at: usize) {
        let step = &self.desk.steps[at];
        let place = (at + 1, self.desk.steps.len());
        review::show(self.page, self.palette, self.root, (step.file(), &step.hunk), place);
    }

    /// Asks about a hunk until it hears what to do. Gives the hunk to go to; none ends the review.
    fn answered(&mut self, at: usize, to: &mut dyn Decides) -> Result<Option<usize>, Fault> {
        loop {
            answer::out(&self.page.paint(TextLook::Bold, &format!("Accept this hunk [{OFFERED}]? ")));
            let Some(line) = self.lines.line() else { return Ok(None) };
            match Key::read(&line) {
                Some(Key::Decide(act)) => return self.decide(&[at], act, None, to).map(Some),
                Some(Key::Because(words)) => {
                    let Some(reason) = self.reason(words) else { continue };
                    return self.decide(&[at], Act::Reject, Some(&reason), to).map(Some);
                }
                Some(Key::Rest(act)) => {
                    let rest = self.desk.rest_of_file(at);
                    return self.decide(&rest, act, None, to).map(Some);
                }
                Some(Key::Edit) => {
                    if let Some(text) = self.edited(at) {
                        self.desk.accept_as(at, text, to)?;
                        return Ok(Some(at + 1));
                    }
                }
                Some(Key::Later) => return Ok(Some(at + 1)),
                Some(Key::Undo) => match self.desk.undo() {
                    Some(at) => return Ok(Some(at)),
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

    /// Gives the hunk to go to.
    fn decide(
        &mut self,
        hunks: &[usize],
        act: Act,
        reason: Option<&str>,
        to: &mut dyn Decides,
    ) -> Result<usize, Fault> {
        self.desk.decide(hunks, act, reason, to)?;
        Ok(hunks.last().map_or(0, |last| last + 1))
    }

    fn say_problems(&mut self) {
        for problem in self.desk.said() {
            answer::note(&format!("wherefore: {}", visible(&problem)));
        }
    }

    /// The lines that the person made of those that a hunk adds; none where it stays as it is.
    fn edited(&self, at: usize) -> Option<String> {
        let step = &self.desk.steps[at];
        match edit::edited(step.file(), &step.hunk) {
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

    /// The words behind the key, or those that are asked for; none where nothing is said, which decides nothing.
    fn reason(&mut self, given: String) -> Option<String> {
        if !given.is_empty() {
            return Some(given);
        }
        answer::out("Why? The agent reads it: ");
        self.lines.line().filter(|words| !words.is_empty())
    }
}
