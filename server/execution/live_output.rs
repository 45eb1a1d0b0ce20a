//! The output of a command on its way to the editors, while the command runs: in pieces that are bounded in size and number.
//!
//! # Invariants
//!
//! - No escape sequence of a command but a color reaches an editor's terminal, and no flood of output an editor.
//!   Test: `colors_stay_and_all_else_that_acts_goes`, `a_flood_is_told_in_few_pieces_and_counted`,
//!   `a_flood_of_output_waits_as_one_notice_between_its_start_and_its_end`

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::scrollback::Scrollback;
use super::terminal_text::TerminalText;
use crate::protocol::LARGEST_OUTPUT;
use crate::sandbox::{LimitKind, RunReport, signal_name};
use crate::session::{CommandFeed, CommandFeedEnd};

/// The time between two pieces, at least.
const PAUSE: Duration = Duration::from_millis(60);
/// The delay before an editor that attaches later gets the output of a command in the background.
const LATE: Duration = Duration::from_millis(500);

/// A command that editors are notified of, until this is dropped at the latest.
#[derive(Debug)]
pub(crate) struct LiveCommand {
    live: Arc<LiveFeed>,
    feed_task: AbortHandle,
    began: Instant,
}

/// A stream of a command that editors are notified of.
#[derive(Debug)]
pub(crate) struct LiveStream {
    live: Arc<LiveFeed>,
    text: TerminalText,
}

#[derive(Debug)]
struct LiveFeed {
    feed: CommandFeed,
    /// The earlier output of a command in the background, for editors that attach later.
    kept: Option<Scrollback>,
    waiting: Mutex<WaitingOutput>,
    more: Notify,
}

/// Output that was not sent to the editors yet.
#[derive(Debug, Default)]
struct WaitingOutput {
    text: String,
    /// Bytes that came after the text.
    left_out: u64,
    /// Set where an event was not sent because no editor was attached.
    is_behind: bool,
    ended: bool,
}

impl LiveCommand {
    /// Notifies editors that a command started, and from now on of its output. An editor that attaches later gets the
    /// `kept` output.
    pub(crate) fn start_feed(feed: CommandFeed, kept: Option<Scrollback>) -> Self {
        feed.notify_started();
        let waiting = WaitingOutput { is_behind: !feed.has_audience(), ..WaitingOutput::default() };
        let live = Arc::new(LiveFeed { feed, kept, waiting: Mutex::new(waiting), more: Notify::new() });
        let telling = tokio::spawn(feed_editors(live.clone())).abort_handle();
        Self { live, feed_task: telling, began: Instant::now() }
    }

    /// A stream of the command.
    pub(crate) fn new_stream(&self) -> LiveStream {
        LiveStream { live: self.live.clone(), text: TerminalText::default() }
    }

    /// Notifies editors of the command's end, after all of its output.
    pub(crate) fn report_end(self, report: &RunReport) {
        let duration_ms = u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX);
        let outcome = outcome_text(report);
        self.live.end_feed(CommandFeedEnd { outcome, exit_code: report.exit_code, duration_ms });
    }
}

impl Drop for LiveCommand {
    fn drop(&mut self) {
        self.feed_task.abort();
        let duration_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let outcome = "it did not run to its end".to_owned();
        self.live.end_feed(CommandFeedEnd { outcome, exit_code: None, duration_ms });
    }
}

impl LiveStream {
    /// Takes what was read from the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut waiting = self.live.waiting.lock();
        if !self.live.feed.has_audience() {
            self.text = TerminalText::default();
            waiting.is_behind = true;
            return;
        }
        if self.live.catch_up(&mut waiting) {
            // These bytes were kept, and are part of the output that is sent now.
            self.live.more.notify_one();
            return;
        }
        let room = if waiting.left_out == 0 { LARGEST_OUTPUT.saturating_sub(waiting.text.len()) } else { 0 };
        let (fits, over) = bytes.split_at(room.min(bytes.len()));
        self.text.push(fits, &mut waiting.text);
        if !over.is_empty() {
            // The rest of a sequence that is left out begins the next piece, as harmless text.
            self.text = TerminalText::default();
            waiting.left_out += over.len() as u64;
        }
        drop(waiting);
        self.live.more.notify_one();
    }
}

impl LiveFeed {
    fn flush_waiting(&self, waiting: &mut WaitingOutput) {
        let (text, left_out) = (std::mem::take(&mut waiting.text), std::mem::take(&mut waiting.left_out));
        if !text.is_empty() || left_out > 0 {
            self.feed.notify_output(text, left_out);
        }
    }

    /// Starts over for an editor that attached while a command with kept output runs: sends its start, and its last
    /// output. Returns whether it did.
    fn catch_up(&self, waiting: &mut WaitingOutput) -> bool {
        let Some(kept) = self.kept.as_ref().filter(|_| waiting.is_behind && self.feed.has_audience()) else {
            return false;
        };
        waiting.is_behind = false;
        self.feed.notify_started();
        (waiting.text, waiting.left_out) = (String::new(), 0);
        TerminalText::default().push(&kept.last_bytes(LARGEST_OUTPUT), &mut waiting.text);
        true
    }

    /// Sends the rest, and the end; once.
    fn end_feed(&self, end: CommandFeedEnd) {
        let mut waiting = self.waiting.lock();
        if !std::mem::replace(&mut waiting.ended, true) {
            self.flush_waiting(&mut waiting);
            self.feed.notify_ended(end);
        }
    }
}

async fn feed_editors(live: Arc<LiveFeed>) {
    loop {
        tokio::select! {
            () = live.more.notified() => {}
            () = tokio::time::sleep(LATE), if live.kept.is_some() => {}
        }
        {
            let mut waiting = live.waiting.lock();
            if waiting.ended {
                return;
            }
            live.catch_up(&mut waiting);
            live.flush_waiting(&mut waiting);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Describes in words how a command ended.
pub(crate) fn outcome_text(report: &RunReport) -> String {
    let limit = |limit| match limit {
        LimitKind::Wall => "time",
        LimitKind::Cpu => "processor time",
        LimitKind::Memory => "memory",
        LimitKind::Processes => "processes",
        LimitKind::Disk => "disk space",
    };
    match report {
        RunReport { limit: Some(reached), .. } => format!("ended by its limit of {}", limit(*reached)),
        RunReport { killed: true, .. } => "cancelled".to_owned(),
        RunReport { exit_code: Some(code), .. } => format!("exit code {code}"),
        RunReport { signal: Some(signal), .. } => format!("ended by {}", signal_name(*signal)),
        _ => "ended".to_owned(),
    }
}
