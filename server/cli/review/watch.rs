//! A review that stays: attached to the folder's server, found again where that server ends.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::attach::{AskedQuestion, AttachedReview, WatchEvent};
use crate::cli::backend::RequestTarget;
use crate::cli::mcp::reach::Reach;
use crate::protocol::Fault;

/// How long it waits before it attaches again.
const AGAIN: Duration = Duration::from_secs(1);

/// The watch of one folder.
#[derive(Debug)]
pub(super) struct ReviewWatch {
    reach: Reach,
    attached: Option<AttachedReview>,
    tried: Instant,
    /// What the person is asked, in order.
    pub(super) questions: VecDeque<AskedQuestion>,
}

impl ReviewWatch {
    /// Attaches.
    ///
    /// # Errors
    /// What keeps it from that.
    pub(super) fn new(reach: Reach) -> Result<Self, Fault> {
        let attached = Some(AttachedReview::new(&reach)?);
        Ok(Self { reach, attached, tried: Instant::now(), questions: VecDeque::new() })
    }

    /// Whether a server is there.
    pub(super) fn is_attached(&self) -> bool {
        self.attached.is_some()
    }

    /// Takes in what the server told. Says whether what waits is to be listed anew. With a target of requests it is found anew
    /// where its server ended.
    pub(super) fn hear(&mut self, target: Option<&mut RequestTarget>) -> bool {
        self.questions.retain(|question| !question.is_over());
        let Some(attached) = &mut self.attached else {
            return target.is_some_and(|target| self.attach_again(target));
        };
        let mut changed = false;
        for event in attached.heard() {
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

    /// Answers a question that still waits; none turns it away.
    pub(super) fn answer(&mut self, question: &AskedQuestion, answer: Option<&str>) {
        let Some(at) = self.questions.iter().position(|other| other.is_same(question)) else { return };
        self.questions.remove(at);
        if let Some(attached) = &mut self.attached
            && attached.answer(question, answer).is_some()
        {
            self.attached = None;
        }
    }
}

/// Whether the process was told to end: by a signal, or because its terminal is gone.
pub(super) fn told_to_end() -> Arc<AtomicBool> {
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
