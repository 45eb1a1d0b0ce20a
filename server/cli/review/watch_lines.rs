//! A review that stays, line by line: nothing on the screen moves, as screen readers need it.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::attach::AskedQuestion;
use super::desk::{DecisionSum, Desk};
use super::walk::{TypedLines, Walk};
use super::watch::{ReviewWatch, told_to_end};
use crate::cli::answer;
use crate::cli::backend::RequestTarget;
use crate::cli::palette::Palette;
use crate::cli::print::visible;
use crate::protocol::{Fault, Proposal};

/// How long it waits for a line before it looks what the server told.
const LOOKS: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };

/// Lines from the terminal, between which the server is heard.
struct WatchedInput {
    watch: ReviewWatch,
    end: Arc<AtomicBool>,
    /// What was read and is no whole line yet.
    read: Vec<u8>,
    is_over: bool,
    /// Whether a question is put just now.
    asks: bool,
    /// Whether what waits changed while the person was asked something.
    changed: bool,
}

/// What came first.
enum Heard {
    Line(String),
    Changed,
    Question,
    End,
}

/// Waits, reviews what comes, and waits again, until the person ends it.
///
/// # Errors
/// What the server says to a decision.
pub(super) fn run(
    root: &str,
    target: &mut RequestTarget,
    mut desk: Desk,
    watch: ReviewWatch,
    mut list: impl FnMut(&mut RequestTarget) -> Result<Vec<Proposal>, Fault>,
) -> Result<(DecisionSum, bool), Fault> {
    let palette = Palette::stdout();
    let mut input = WatchedInput {
        watch,
        end: told_to_end(),
        read: Vec::new(),
        is_over: false,
        asks: false,
        changed: true,
    };
    let (mut done, mut went_well) = (DecisionSum::default(), true);
    loop {
        if !desk.left().is_empty() {
            let is_through = Walk::new(root, palette, &mut desk, &mut input).go(target)?;
            done += desk.sum();
            went_well &= desk.went_well();
            if !is_through || input.is_over {
                return Ok((done, went_well));
            }
        }
        answer::line("Nothing new waits. Calls of agents wait for you here; q and Enter end it.");
        let left: Vec<_> = desk.left().iter().map(|at| desk.steps[*at].proposal.id.clone()).collect();
        desk = loop {
            let heard =
                if std::mem::take(&mut input.changed) { Heard::Changed } else { input.next(Some(target)) };
            match heard {
                Heard::End => return Ok((done, went_well)),
                Heard::Line(line) if line == "q" => return Ok((done, went_well)),
                Heard::Question => input.ask(),
                Heard::Line(_) => break Desk::new(&list(target)?, false),
                Heard::Changed => {
                    // What was left for later comes again at a press of Enter.
                    let mut now = list(target).unwrap_or_default();
                    now.retain(|proposal| !left.contains(&proposal.id));
                    if !now.is_empty() {
                        answer::bell();
                        break Desk::new(&now, false);
                    }
                }
            }
        };
    }
}

impl WatchedInput {
    fn next(&mut self, mut target: Option<&mut RequestTarget>) -> Heard {
        loop {
            if self.end.load(Ordering::SeqCst) || self.is_over {
                self.is_over = true;
                return Heard::End;
            }
            if let Some(end) = memchr::memchr(b'\n', &self.read) {
                let line: Vec<u8> = self.read.drain(..=end).collect();
                return Heard::Line(String::from_utf8_lossy(&line).trim().to_owned());
            }
            let changed = self.watch.hear(target.as_deref_mut());
            if !self.asks && !self.watch.questions.is_empty() {
                return Heard::Question;
            }
            if changed {
                return Heard::Changed;
            }
            self.fill();
        }
    }

    /// Reads what the person typed, or waits a moment for it.
    fn fill(&mut self) {
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

    /// Puts the first question to the person.
    fn ask(&mut self) {
        self.asks = true;
        if let Some(question) = self.watch.questions.front().cloned() {
            let answer = self.answer(&question);
            self.watch.answer(&question, answer.as_deref());
        }
        self.asks = false;
    }

    fn answer(&mut self, question: &AskedQuestion) -> Option<String> {
        let params = &question.params;
        answer::bell();
        let who = params.agent.as_deref().unwrap_or("An agent");
        answer::line(&format!("\n{} asks for {}", visible(who), visible(&params.tool)));
        answer::line(&params.text);
        answer::line(&format!("  {}", visible(&params.why)));
        for (at, text) in params.answers.iter().enumerate() {
            answer::line(&format!("  {}  {}", at + 1, visible(text)));
        }
        answer::out("Which? Enter alone turns the question away: ");
        loop {
            match self.next(None) {
                Heard::Line(line) if line.is_empty() => return None,
                Heard::Line(line) => {
                    let chosen = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                    if let Some(answer) = chosen.and_then(|index| params.answers.get(index)) {
                        return Some(answer.clone());
                    }
                    answer::out("The number of an answer, or Enter alone: ");
                }
                Heard::End => return None,
                Heard::Changed => self.changed = true,
                // Another one comes after this one.
                Heard::Question => {}
            }
            if !self.watch.questions.iter().any(|other| other.is_same(question)) {
                answer::line("Nobody waits for that answer any more.");
                return None;
            }
        }
    }
}

impl TypedLines for WatchedInput {
    fn line(&mut self) -> Option<String> {
        loop {
            match self.next(None) {
                Heard::Line(line) => return Some(line),
                Heard::End => return None,
                Heard::Changed => self.changed = true,
                Heard::Question => {
                    self.ask();
                    answer::out("Back to the hunk above [y,n,r,a,d,e,l,u,q,?]: ");
                }
            }
        }
    }
}
