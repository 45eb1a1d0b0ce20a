//! The output of a command on its way to the editors, while the command runs: in pieces that are bounded in size and number.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::scrollback::Scrollback;
use super::terminal_text::TerminalText;
use crate::protocol::LARGEST_OUTPUT;
use crate::sandbox::{Limit, Report, signal_name};
use crate::session::{CommandEnd, CommandFeed};

/// The time between two pieces, at least.
const PAUSE: Duration = Duration::from_millis(60);
/// How soon an editor that comes later is told of a command in the background.
const LATE: Duration = Duration::from_millis(500);

/// A command that editors are told of, until this is dropped at the latest.
#[derive(Debug)]
pub(crate) struct LiveCommand {
    live: Arc<Live>,
    telling: AbortHandle,
    began: Instant,
}

/// A stream of a command that editors are told of.
#[derive(Debug)]
pub(crate) struct LiveStream {
    live: Arc<Live>,
    text: TerminalText,
}

#[derive(Debug)]
struct Live {
    feed: CommandFeed,
    /// What a command in the background wrote so far, for editors that come later.
    kept: Option<Scrollback>,
    waiting: Mutex<WaitingOutput>,
    more: Notify,
}

/// Output that the editors were not told of yet.
#[derive(Debug, Default)]
struct WaitingOutput {
    text: String,
    /// Bytes that came after the text.
    left_out: u64,
    /// Whether something happened that nobody was told of, because no editor was there.
    is_behind: bool,
    ended: bool,
}

impl LiveCommand {
    /// Tells that a command started, and from now on of its output. What is `kept` of it an editor is told that comes later.
    pub(crate) fn start(feed: CommandFeed, kept: Option<Scrollback>) -> Self {
        feed.started();
        let waiting = WaitingOutput { is_behind: !feed.is_heard(), ..WaitingOutput::default() };
        let live = Arc::new(Live { feed, kept, waiting: Mutex::new(waiting), more: Notify::new() });
        let telling = tokio::spawn(tell(live.clone())).abort_handle();
        Self { live, telling, began: Instant::now() }
    }

    /// A stream of the command.
    pub(crate) fn stream(&self) -> LiveStream {
        LiveStream { live: self.live.clone(), text: TerminalText::default() }
    }

    /// Tells how the command ended, after all that it wrote.
    pub(crate) fn end(self, report: &Report) {
        let duration_ms = u64::try_from(report.duration.as_millis()).unwrap_or(u64::MAX);
        let outcome = outcome(report);
        self.live.end(CommandEnd { outcome, exit_code: report.exit_code, duration_ms });
    }
}

impl Drop for LiveCommand {
    fn drop(&mut self) {
        self.telling.abort();
        let duration_ms = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let outcome = "it did not run to its end".to_owned();
        self.live.end(CommandEnd { outcome, exit_code: None, duration_ms });
    }
}

impl LiveStream {
    /// Takes what was read from the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let mut waiting = self.live.waiting.lock();
        if !self.live.feed.is_heard() {
            self.text = TerminalText::default();
            waiting.is_behind = true;
            return;
        }
        if self.live.catch_up(&mut waiting) {
            // These bytes were kept, and are among what is told now.
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

impl Live {
    fn flush(&self, waiting: &mut WaitingOutput) {
        let (text, left_out) = (std::mem::take(&mut waiting.text), std::mem::take(&mut waiting.left_out));
        if !text.is_empty() || left_out > 0 {
            self.feed.output(text, left_out);
        }
    }

    /// Begins anew for an editor that came while a command runs whose output is kept: with its start, and what it wrote
    /// last. Whether it did.
    fn catch_up(&self, waiting: &mut WaitingOutput) -> bool {
        let Some(kept) = self.kept.as_ref().filter(|_| waiting.is_behind && self.feed.is_heard()) else {
            return false;
        };
        waiting.is_behind = false;
        self.feed.started();
        (waiting.text, waiting.left_out) = (String::new(), 0);
        TerminalText::default().push(&kept.last(LARGEST_OUTPUT), &mut waiting.text);
        true
    }

    /// Tells the rest, and the end; once.
    fn end(&self, end: CommandEnd) {
        let mut waiting = self.waiting.lock();
        if !std::mem::replace(&mut waiting.ended, true) {
            self.flush(&mut waiting);
            self.feed.ended(end);
        }
    }
}

async fn tell(live: Arc<Live>) {
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
            live.flush(&mut waiting);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// How a command ended, in words.
pub(crate) fn outcome(report: &Report) -> String {
    let limit = |limit| match limit {
        Limit::Wall => "time",
        Limit::Cpu => "processor time",
        Limit::Memory => "memory",
        Limit::Processes => "processes",
        Limit::Disk => "disk space",
    };
    match report {
        Report { limit: Some(reached), .. } => format!("ended by its limit of {}", limit(*reached)),
        Report { killed: true, .. } => "cancelled".to_owned(),
        Report { exit_code: Some(code), .. } => format!("exit code {code}"),
        Report { signal: Some(signal), .. } => format!("ended by {}", signal_name(*signal)),
        _ => "ended".to_owned(),
    }
}
