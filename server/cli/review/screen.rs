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
use super::desk::{Decides, DecisionSum, Desk};
use super::watch::{ReviewWatch, told_to_end};
use crate::cli::backend::RequestTarget;
use crate::cli::palette::Palette;
use crate::protocol::{Act, Code, Fault, Proposal};

/// How long it waits for a key before it looks what the server told.
const LOOKS: Duration = Duration::from_millis(200);

/// A key that comes sooner after a hunk came up by itself was not meant for it.
const SEEN: Duration = Duration::from_millis(400);

/// What the person is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Doing {
    /// Decides on the hunk that is shown.
    Deciding,
    /// Types a reason for the agent.
    Reason(String),
    /// Types what to look for.
    Search(String),
    /// Reads the list of keys.
    Help,
}

/// What a key asks of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Go,
    Edit,
    End,
}

/// The screen of one review.
struct ReviewScreen<'a> {
    root: &'a str,
    palette: Palette,
    desk: Desk,
    /// The hunk that is shown.
    at: usize,
    /// When it came up without a key.
    came: Option<Instant>,
    /// The first row of it that is seen.
    scroll: usize,
    /// Whether the list is shown, where the person said so.
    list: Option<bool>,
    doing: Doing,
    /// What to say at the bottom.
    status: String,
    /// What was looked for last.
    sought: String,
    watch: Option<ReviewWatch>,
    /// What was decided of changes that are not shown any more.
    done: DecisionSum,
    shown: ShownHunk,
}

/// Shows the review until the person ends it. With a watch it stays when nothing waits.
///
/// # Errors
/// That there is no terminal, what the terminal says, and what the server says to a decision at the end.
pub(super) fn run(
    root: &str,
    target: &mut RequestTarget,
    desk: Desk,
    watch: Option<ReviewWatch>,
    mut list: impl FnMut(&mut RequestTarget) -> Result<Vec<Proposal>, Fault>,
) -> Result<(DecisionSum, bool), Fault> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(Fault::new(Code::Unsupported, "the whole screen needs a terminal")
            .suggest("`wherefore review --list` lists what waits, `--accept` and `--reject` decide"));
    }
    // Asked before the terminal is ours: its answer comes by the keys.
    let palette = Palette::stdout();
    let mut screen = ReviewScreen::new(root, palette, desk, watch);
    let end = told_to_end();
    let mut terminal = OwnedTerminal::take()?;
    screen.ring(screen.desk.left().len());
    let mut is_stale = true;
    while !end.load(Ordering::SeqCst) {
        if screen.hears(target) {
            // A server that ended under the question is found again by the watch.
            if let Ok(proposals) = list(target) {
                screen.takes(&proposals);
            }
            is_stale = true;
        }
        if is_stale {
            terminal.0.draw(|frame| draw::all(&mut screen, frame)).map_err(told)?;
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
        match screen.key(key, target) {
            Next::Go => {}
            Next::Edit => {
                // It is given back first: of two in a row, the first one's end would be the second one's too.
                drop(terminal);
                let edited = screen.edit(target);
                terminal = OwnedTerminal::take()?;
                screen.said(edited);
            }
            Next::End => break,
        }
        if screen.is_done() {
            break;
        }
    }
    screen.desk.send(target)?;
    if input::is_gone(Duration::ZERO).unwrap_or(true) {
        // ratatui panics where it cannot say that a terminal is gone.
        std::mem::forget(terminal);
    }
    Ok((screen.sum(), screen.desk.went_well()))
}

fn told(error: io::Error) -> Fault {
    Fault::internal(format!("the terminal: {error}"))
}

/// The terminal while it is ours: given back when this goes, also by a panic.
struct OwnedTerminal(DefaultTerminal);

impl OwnedTerminal {
    fn take() -> Result<Self, Fault> {
        let mut terminal = ratatui::try_init().map_err(told)?;
        terminal.clear().map_err(told)?;
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
    fn new(root: &'a str, palette: Palette, desk: Desk, watch: Option<ReviewWatch>) -> Self {
        let at = desk.next_open(0).unwrap_or(0);
        Self {
            root,
            palette,
            desk,
            at,
            came: None,
            scroll: 0,
            list: None,
            doing: Doing::Deciding,
            status: String::new(),
            sought: String::new(),
            watch,
            done: DecisionSum::default(),
            shown: ShownHunk::default(),
        }
    }

    fn has_questions(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| !watch.questions.is_empty())
    }

    /// Takes in what the server told. Says whether what waits is to be listed anew.
    fn hears(&mut self, target: &mut RequestTarget) -> bool {
        let Some(watch) = &mut self.watch else { return false };
        let asked = watch.questions.len();
        let changed = watch.hear(Some(target));
        let asks = watch.questions.len() > asked;
        if asks {
            self.ring(self.desk.left().len());
            self.came = Some(Instant::now());
        }
        changed || asks
    }

    /// Takes what waits now.
    fn takes(&mut self, proposals: &[Proposal]) {
        if self.desk.next_open(0).is_none() {
            self.put_away();
        }
        let (was_empty, before) = (!self.desk.is_open(self.at), self.desk.steps.len());
        let new = self.desk.take(proposals);
        self.shown = ShownHunk::default();
        if was_empty && let Some(next) = self.desk.next_open(before.min(self.at)) {
            self.go(next);
            self.came = Some(Instant::now());
        }
        let waits = self.desk.left().len();
        match new {
            0 => self.title(waits),
            _ => self.ring(waits),
        }
    }

    /// Counts what is decided, and forgets it.
    fn put_away(&mut self) {
        let sum = self.desk.sum();
        self.desk.forget_what_is_over();
        if self.desk.steps.is_empty() {
            self.done += sum;
            self.at = 0;
        }
    }

    fn sum(&self) -> DecisionSum {
        let mut sum = self.done;
        sum += self.desk.sum();
        sum
    }

    /// Rings where something came to a review that stays, and says in the title what waits.
    fn ring(&self, waits: usize) {
        if self.watch.is_some() && (waits > 0 || self.has_questions()) {
            let _ = io::stdout().write_all(b"\x07");
        }
        self.title(waits);
    }

    fn title(&self, waits: usize) {
        let title = match waits {
            0 if self.has_questions() => "wherefore: a question".to_owned(),
            0 => "wherefore: nothing waits".to_owned(),
            1 => "wherefore: 1 hunk waits".to_owned(),
            more => format!("wherefore: {more} hunks wait"),
        };
        let _ = execute!(io::stdout(), SetTitle(title));
    }

    /// Whether the review is over by itself.
    fn is_done(&self) -> bool {
        self.watch.is_none() && self.desk.next_open(0).is_none()
    }

    /// Shows another hunk.
    fn go(&mut self, at: usize) {
        self.at = at;
        self.scroll = 0;
        self.came = None;
        self.shown = ShownHunk::default();
    }

    /// Carries a key's decision out, and goes to the next hunk that waits.
    fn decide(&mut self, hunks: &[usize], act: Act, reason: Option<&str>, to: &mut dyn Decides) {
        let waits: Vec<usize> = hunks.iter().copied().filter(|at| self.desk.is_open(*at)).collect();
        if waits.is_empty() {
            self.status =
                "This hunk is decided; u takes the last key back, `wherefore undo` a whole change".to_owned();
            return;
        }
        let sent = self.desk.decide(&waits, act, reason, to).and_then(|()| self.desk.send_what_is_done(to));
        self.after(sent);
    }

    fn after(&mut self, sent: Result<(), Fault>) {
        self.said(sent.map_err(|fault| fault.message));
        let next = self.desk.next_open(self.at).unwrap_or(self.at);
        self.go(next);
        self.title(self.desk.left().len());
    }

    /// Says how something went.
    fn said(&mut self, outcome: Result<(), String>) {
        let said = self.desk.said().join("; ");
        self.status = outcome.err().unwrap_or(said);
    }

    /// Opens the hunk in the person's editor, and accepts it as it is then.
    fn edit(&mut self, to: &mut dyn Decides) -> Result<(), String> {
        let Some(step) = self.desk.steps.get(self.at).filter(|_| self.desk.is_open(self.at)) else {
            return Err("this hunk is decided".to_owned());
        };
        let text =
            super::edit::edited(step.file(), &step.hunk).map_err(|why| format!("Not edited: {why}"))?;
        let sent = self.desk.accept_as(self.at, text, to).and_then(|()| self.desk.send_what_is_done(to));
        let failed = sent.as_ref().err().map(|fault| fault.message.clone());
        self.after(sent);
        failed.map_or(Ok(()), Err)
    }
}
