//! The review on the whole screen: files and hunks at the left, the hunk at the right, why on top, the keys at the bottom.

mod draw;
mod input;
mod keys;
mod rows;

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::SetTitle;

use self::rows::ShownHunk;
use super::desk::{DecisionSum, DecisionTarget, ReviewSession};
use super::watch::{ReviewWatch, watch_end_signals};
use crate::cli::backend::RequestTarget;
use crate::cli::palette::DiffPalette;
use crate::protocol::{Act, Code, Fault, Proposal};

/// The longest time to wait for a key before the server's messages are read.
const LOOKS: Duration = Duration::from_millis(200);

/// The time for which keys are ignored after a hunk appeared by itself: they were pressed for the hunk before.
const SEEN: Duration = Duration::from_millis(400);

/// The mode of the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ScreenMode {
    /// Deciding on the hunk that is shown.
    Deciding,
    /// Typing a reason for the agent.
    Reason(String),
    /// Typing a search text.
    Search(String),
    /// Reading the list of keys.
    Help,
}

/// The effect of a key on the main loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyOutcome {
    Go,
    Edit,
    End,
}

/// The screen of one review.
struct ReviewScreen<'a> {
    root: &'a str,
    palette: DiffPalette,
    desk: ReviewSession,
    /// The hunk that is shown.
    at: usize,
    /// The time at which it appeared without a key.
    came: Option<Instant>,
    /// The first row of it that is visible.
    scroll: usize,
    /// Set to whether the list is shown, if the person chose that.
    list: Option<bool>,
    doing: ScreenMode,
    /// The message at the bottom.
    status: String,
    /// The last search text.
    last_search: String,
    watch: Option<ReviewWatch>,
    /// The counts of decisions on changes that are not shown any more.
    done: DecisionSum,
    shown: ShownHunk,
}

/// Shows the review until the person ends it. With a watch it stays when nothing waits.
///
/// # Errors
/// An error where there is no terminal, the error of the terminal, and that of the server for a decision at the end.
pub(super) fn run_screen(
    root: &str,
    target: &mut RequestTarget,
    desk: ReviewSession,
    watch: Option<ReviewWatch>,
    mut list: impl FnMut(&mut RequestTarget) -> Result<Vec<Proposal>, Fault>,
) -> Result<(DecisionSum, bool), Fault> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Fault::new(Code::Unsupported, "the whole screen needs a terminal").with_suggestion(
            "`wherefore review --list` lists what waits, `--accept` and `--reject` decide",
        ));
    }
    // The terminal is asked before it is in raw mode: its answer comes like keys.
    let palette = DiffPalette::stdout();
    let mut screen = ReviewScreen::new(root, palette, desk, watch);
    let end = watch_end_signals();
    let mut terminal = OwnedTerminal::acquire()?;
    screen.ring_and_title(screen.desk.open_steps().len());
    let mut is_stale = true;
    while !end.load(Ordering::SeqCst) {
        if screen.take_events(target) {
            // If the server ended during the question, the watch finds it again.
            if let Ok(proposals) = list(target) {
                screen.take_proposals(&proposals);
            }
            is_stale = true;
        }
        if is_stale {
            terminal.0.draw(|frame| draw::draw_screen(&mut screen, frame)).map_err(terminal_fault)?;
        }
        is_stale = screen.watch.is_some() && screen.has_questions();
        let event = match input::next_event(LOOKS) {
            Ok(None) => continue,
            Ok(Some(event)) => event,
            // The terminal is gone.
            Err(_) => break,
        };
        is_stale = true;
        let Event::Key(key) = event else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match screen.handle_key(key, target) {
            KeyOutcome::Go => {}
            KeyOutcome::Edit => {
                // The old terminal is restored first: otherwise its end would restore the new one, too.
                drop(terminal);
                let edited = screen.edit_hunk(target);
                terminal = OwnedTerminal::acquire()?;
                screen.set_status(edited);
            }
            KeyOutcome::End => break,
        }
        if screen.is_done() {
            break;
        }
    }
    screen.desk.send_held(target)?;
    if input::is_gone(Duration::ZERO).unwrap_or(true) {
        // ratatui panics if it cannot report that a terminal is gone.
        std::mem::forget(terminal);
    }
    Ok((screen.total_sum(), screen.desk.went_well()))
}

fn terminal_fault(error: io::Error) -> Fault {
    Fault::internal(format!("the terminal: {error}"))
}

/// The terminal in raw mode: restored on drop, also after a panic.
struct OwnedTerminal(DefaultTerminal);

impl OwnedTerminal {
    fn acquire() -> Result<Self, Fault> {
        let mut terminal = ratatui::try_init().map_err(terminal_fault)?;
        terminal.clear().map_err(terminal_fault)?;
        Ok(Self(terminal))
    }
}

impl Drop for OwnedTerminal {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), SetTitle(""));
        // A terminal that is gone takes nothing.
        let _ = ratatui::try_restore();
    }
}

impl<'a> ReviewScreen<'a> {
    fn new(root: &'a str, palette: DiffPalette, desk: ReviewSession, watch: Option<ReviewWatch>) -> Self {
        let at = desk.next_open(0).unwrap_or(0);
        Self {
            root,
            palette,
            desk,
            at,
            came: None,
            scroll: 0,
            list: None,
            doing: ScreenMode::Deciding,
            status: String::new(),
            last_search: String::new(),
            watch,
            done: DecisionSum::default(),
            shown: ShownHunk::default(),
        }
    }

    fn has_questions(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| !watch.questions.is_empty())
    }

    /// Takes the server's messages. Returns whether the pending changes have to be listed again.
    fn take_events(&mut self, target: &mut RequestTarget) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        let asked = watch.questions.len();
        let changed = watch.take_events(Some(target));
        let asks = watch.questions.len() > asked;
        if asks {
            self.ring_and_title(self.desk.open_steps().len());
            self.came = Some(Instant::now());
        }
        changed || asks
    }

    /// Takes the pending proposals.
    fn take_proposals(&mut self, proposals: &[Proposal]) {
        if self.desk.next_open(0).is_none() {
            self.clear_decided();
        }
        let (was_empty, before) = (!self.desk.is_open(self.at), self.desk.steps.len());
        let new = self.desk.take_proposals(proposals);
        self.shown = ShownHunk::default();
        if was_empty && let Some(next) = self.desk.next_open(before.min(self.at)) {
            self.show_hunk(next);
            self.came = Some(Instant::now());
        }
        let waits = self.desk.open_steps().len();
        match new {
            0 => self.set_title(waits),
            _ => self.ring_and_title(waits),
        }
    }

    /// Counts the decided changes, and removes them.
    fn clear_decided(&mut self) {
        let sum = self.desk.decision_sum();
        self.desk.forget_if_over();
        if self.desk.steps.is_empty() {
            self.done += sum;
            self.at = 0;
        }
    }

    fn total_sum(&self) -> DecisionSum {
        let mut sum = self.done;
        sum += self.desk.decision_sum();
        sum
    }

    /// Rings the bell if something came to a review that stays, and shows the number of open hunks in the title.
    fn ring_and_title(&self, waits: usize) {
        if self.watch.is_some() && (waits > 0 || self.has_questions()) {
            let _ = io::stdout().write_all(b"\x07");
        }
        self.set_title(waits);
    }

    fn set_title(&self, waits: usize) {
        let title = match waits {
            0 if self.has_questions() => "wherefore: a question".to_owned(),
            0 => "wherefore: nothing waits".to_owned(),
            1 => "wherefore: 1 hunk waits".to_owned(),
            more => format!("wherefore: {more} hunks wait"),
        };
        let _ = execute!(io::stdout(), SetTitle(title));
    }

    /// Returns whether the review ends by itself.
    fn is_done(&self) -> bool {
        self.watch.is_none() && self.desk.next_open(0).is_none()
    }

    /// Shows another hunk.
    fn show_hunk(&mut self, at: usize) {
        self.at = at;
        self.scroll = 0;
        self.came = None;
        self.shown = ShownHunk::default();
    }

    /// Carries out the decision of a key, and goes to the next open hunk.
    fn decide_and_go_on(
        &mut self,
        hunks: &[usize],
        act: Act,
        reason: Option<&str>,
        to: &mut dyn DecisionTarget,
    ) {
        let waits: Vec<usize> = hunks.iter().copied().filter(|at| self.desk.is_open(*at)).collect();
        if waits.is_empty() {
            self.status =
                "This hunk is decided; u takes the last key back, `wherefore undo` a whole change".to_owned();
            return;
        }
        let sent =
            self.desk.hold_decision(&waits, act, reason, to).and_then(|()| self.desk.send_if_complete(to));
        self.go_on(sent);
    }

    fn go_on(&mut self, sent: Result<(), Fault>) {
        self.set_status(sent.map_err(|fault| fault.message));
        let next = self.desk.next_open(self.at).unwrap_or(self.at);
        self.show_hunk(next);
        self.set_title(self.desk.open_steps().len());
    }

    /// Sets the status line to the outcome.
    fn set_status(&mut self, outcome: Result<(), String>) {
        let said = self.desk.take_messages().join("; ");
        self.status = outcome.err().unwrap_or(said);
    }

    /// Opens the hunk in the person's editor, and accepts the result.
    fn edit_hunk(&mut self, to: &mut dyn DecisionTarget) -> Result<(), String> {
        let Some(step) = self.desk.steps.get(self.at).filter(|_| self.desk.is_open(self.at)) else {
            return Err("this hunk is decided".to_owned());
        };
        let text =
            super::edit::edit_hunk(step.file(), &step.hunk).map_err(|why| format!("Not edited: {why}"))?;
        let sent = self.desk.accept_as(self.at, text, to).and_then(|()| self.desk.send_if_complete(to));
        let failed = sent.as_ref().err().map(|fault| fault.message.clone());
        self.go_on(sent);
        failed.map_or(Ok(()), Err)
    }
}
