//! A review that stays, line by line: nothing on the screen moves, which screen readers need.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::attach::AskedQuestion;
use super::desk::{DecisionSum, ReviewSession};
use super::walk::{HunkWalk, LineInput};
use super::watch::{ReviewWatch, watch_end_signals};
use crate::cli::answer;
use crate::cli::backend::RequestTarget;
use crate::cli::palette::DiffPalette;
use crate::cli::print::visible_line;
use crate::protocol::{Fault, Proposal};

/// The longest time to wait for a line before the server's messages are read.
const LOOKS: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Lines from the terminal, with the server's messages read in between.
struct WatchedInput {
    watch: ReviewWatch,
    end: Arc<AtomicBool>,
    /// Bytes of a line that is not complete yet.
    read: Vec<u8>,
    is_over: bool,
    /// True while a question is asked.
    asks: bool,
    /// True if the pending changes changed while the person was asked something.
    changed: bool,
}

/// The first input to arrive.
enum ReviewInput {
    Line(String),
    Changed,
    Question,
    End,
}

/// Waits, reviews new changes, and waits again, until the person ends it.
///
/// # Errors
/// The error of the server for a decision.
pub(super) fn run_lines(
    root: &str,
    target: &mut RequestTarget,
    mut desk: ReviewSession,
    watch: ReviewWatch,
    mut list: impl FnMut(&mut RequestTarget) -> Result<Vec<Proposal>, Fault>,
) -> Result<(DecisionSum, bool), Fault> {
    let palette = DiffPalette::stdout();
    let mut input = WatchedInput {
        watch,
        end: watch_end_signals(),
        read: Vec::new(),
        is_over: false,
        asks: false,
        changed: true,
    };
    let (mut done, mut went_well) = (DecisionSum::default(), true);
    loop {
        if !desk.open_steps().is_empty() {
            let is_through = HunkWalk::new(root, palette, &mut desk, &mut input).go_through(target)?;
            done += desk.decision_sum();
            went_well &= desk.went_well();
            if !is_through || input.is_over {
                return Ok((done, went_well));
            }
        }
        answer::write_line("Nothing new waits. Calls of agents wait for you here; q and Enter end it.");
        let left: Vec<_> = desk.open_steps().iter().map(|at| desk.steps[*at].proposal.id.clone()).collect();
        desk = loop {
            let heard = if std::mem::take(&mut input.changed) {
                ReviewInput::Changed
            } else {
                input.next_input(Some(target))
            };
            match heard {
                ReviewInput::End => return Ok((done, went_well)),
                ReviewInput::Line(line) if line == "q" => return Ok((done, went_well)),
                ReviewInput::Question => input.ask_question(),
                ReviewInput::Line(_) => break ReviewSession::new(&list(target)?, false),
                ReviewInput::Changed => {
                    // Hunks that were left for later come again when the person presses Enter.
                    let mut now = list(target).unwrap_or_default();
                    now.retain(|proposal| !left.contains(&proposal.id));
                    if !now.is_empty() {
                        answer::ring_bell();
                        break ReviewSession::new(&now, false);
                    }
                }
            }
        };
    }
}

impl WatchedInput {
    fn next_input(&mut self, mut target: Option<&mut RequestTarget>) -> ReviewInput {
        loop {
            if self.end.load(Ordering::SeqCst) || self.is_over {
                self.is_over = true;
                return ReviewInput::End;
            }
            if let Some(end) = memchr::memchr(b'\n', &self.read) {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return ReviewInput::Line(String::from_utf8_lossy(&line).trim().to_owned());
            }
            let changed = self.watch.take_events(target.as_deref_mut());
            if !self.asks && !self.watch.questions.is_empty() {
                return ReviewInput::Question;
            }
            if changed {
                return ReviewInput::Changed;
            }
            self.read_input();
        }
    }

    /// Reads what the person typed, or waits a moment for it.
    fn read_input(&mut self) {
        let stdin = io::stdin();
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut ready, Some(&LOOKS)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return,
            Ok(_) => {}
            Err(_) => self.is_over = true,
        }
        let mut bytes = [0; 1024];
        match rustix::io::read(stdin.as_fd(), &mut bytes) {
            Ok(length) if length > 0 => self.read.extend_from_slice(&bytes[..length]),
            Err(rustix::io::Errno::INTR) => {}
            _ => self.is_over = true,
        }
    }

    /// Asks the person the first question.
    fn ask_question(&mut self) {
        self.asks = true;
        if let Some(question) = self.watch.questions.front().cloned() {
            let answer = self.read_answer(&question);
            self.watch.answer_question(&question, answer.as_deref());
        }
        self.asks = false;
    }

    fn read_answer(&mut self, question: &AskedQuestion) -> Option<String> {
        let params = &question.params;
        answer::ring_bell();
        let who = params.agent.as_deref().unwrap_or("An agent");
        answer::write_line(&format!("\n{} asks for {}", visible_line(who), visible_line(&params.tool)));
        answer::write_line(&params.text);
        answer::write_line(&format!("  {}", visible_line(&params.why)));
        for (at, text) in params.answers.iter().enumerate() {
            answer::write_line(&format!("  {}  {}", at + 1, visible_line(text)));
        }
        answer::write_text("Which? Enter alone refuses this time: ");
        loop {
            match self.next_input(None) {
                ReviewInput::Line(line) if line.is_empty() => return None,
                ReviewInput::Line(line) => {
                    let chosen = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                    if let Some(answer) = chosen.and_then(|index| params.answers.get(index)) {
                        return Some(answer.clone());
                    }
                    answer::write_text("The number of an answer, or Enter alone: ");
                }
                ReviewInput::End => return None,
                ReviewInput::Changed => self.changed = true,
                // Another question is asked after this one.
                ReviewInput::Question => {}
            }
            if !self.watch.questions.iter().any(|other| other.is_same(question)) {
                answer::write_line("Nobody waits for that answer any more.");
                return None;
            }
        }
    }
}

impl LineInput for WatchedInput {
    fn next_line(&mut self) -> Option<String> {
        loop {
            match self.next_input(None) {
                ReviewInput::Line(line) => return Some(line),
                ReviewInput::End => return None,
                ReviewInput::Changed => self.changed = true,
                ReviewInput::Question => {
                    self.ask_question();
                    answer::write_text("Back to the hunk above [y,n,r,a,d,e,l,u,q,?]: ");
                }
            }
        }
    }
}
