//! A review that stays: attached to the folder's server, and attached again when that server ends.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::attach::{AskedQuestion, AttachedReview, WatchEvent};
use crate::cli::backend::RequestTarget;
use crate::cli::mcp::reach::ServerConnector;
use crate::protocol::Fault;

/// The pause before it attaches again.
const AGAIN: Duration = Duration::from_secs(1);

/// The watch of one folder.
#[derive(Debug)]
pub(super) struct ReviewWatch {
    reach: ServerConnector,
    attached: Option<AttachedReview>,
    tried: Instant,
    /// The open questions, in order.
    pub(super) questions: VecDeque<AskedQuestion>,
}

impl ReviewWatch {
    /// Attaches to the server.
    ///
    /// # Errors
    /// The reason why it cannot attach.
    pub(super) fn new(reach: ServerConnector) -> Result<Self, Fault> {
        let attached = Some(AttachedReview::new(&reach)?);
        Ok(Self { reach, attached, tried: Instant::now(), questions: VecDeque::new() })
    }

    /// Returns whether it is attached to a server.
    pub(super) fn is_attached(&self) -> bool {
        self.attached.is_some()
    }

    /// Takes the server's messages. Returns whether the pending changes have to be listed again. If the server of
    /// `target` has ended, another one is found.
    pub(super) fn take_events(&mut self, target: Option<&mut RequestTarget>) -> bool {
        self.questions.retain(|question| !question.is_over());
        let Some(attached) = &mut self.attached else {
            return target.is_some_and(|target| self.attach_again(target));
        };
        let mut changed = false;
        for event in attached.take_events() {
            match event {
                WatchEvent::Changed => changed = true,
                WatchEvent::Question(question) => self.questions.push_back(*question),
                WatchEvent::Ended(call) => {
                    self.questions.retain(|question| question.params.call_id.as_str() != call);
                }
                WatchEvent::Gone => {
                    self.attached = None;
                    self.questions.clear();
                    changed = true;
                    break;
                }
            }
        }
        changed
    }

    fn attach_again(&mut self, target: &mut RequestTarget) -> bool {
        if self.tried.elapsed() < AGAIN {
            return false;
        }
        self.tried = Instant::now();
        let Ok(attached) = AttachedReview::new(&self.reach) else { return false };
        let Ok(found) = RequestTarget::open(self.reach.root()) else { return false };
        *target = found;
        self.attached = Some(attached);
        true
    }

    /// Answers a question that is still open; none declines it.
    pub(super) fn answer_question(&mut self, question: &AskedQuestion, answer: Option<&str>) {
        let Some(at) = self.questions.iter().position(|other| other.is_same(question)) else { return };
        self.questions.remove(at);
        if let Some(attached) = &mut self.attached
            && attached.answer_question(question, answer).is_some()
        {
            self.attached = None;
        }
    }
}

/// Returns a flag that is set when the process is to end: by a signal, or because its terminal is gone.
pub(super) fn watch_end_signals() -> Arc<AtomicBool> {
    use tokio::signal::unix::{SignalKind, signal};
    let end = Arc::new(AtomicBool::new(false));
    let told = end.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let kinds = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()];
            let [Ok(mut terminate), Ok(mut hangup), Ok(mut interrupt)] = kinds.map(signal) else { return };
            tokio::select! {
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
                _ = interrupt.recv() => {}
            }
            told.store(true, Ordering::SeqCst);
        });
    });
    end
}
