//! Tells what happens: to our plugins as it is, to other clients as messages and diagnostics.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tower_lsp::ls_types::notification::PublishDiagnostics;
use tower_lsp::ls_types::{MessageType, PublishDiagnosticsParams, Uri};

use super::background::ShownWork;
use super::queue::Next;
use super::rate::Rate;
use super::{Outbox, SOON, bounded};
use crate::base::uri;
use crate::lsp::ext::{
    AgentTold, CommandTold, ContentParams, ContentRefresh, DidCall, DidFinish, ProposalChanged, Proposed,
    SlotChanged, WorkingSetChanged,
};
use crate::lsp::label::label;
use crate::protocol::{CallNotice, FinishNotice, Notice, NotifySettings, Proposal, ShowCalls};

const REFRESH: Duration = Duration::from_secs(1);

impl Outbox {
    /// Tells what is queued, for as long as the client is there.
    pub(super) async fn run(self: Arc<Self>) {
        let mut rate = Rate::default();
        let mut shown = ShownWork::default();
        let mut refreshed = tokio::time::Instant::now();
        let mut grown = false;
        loop {
            if !rate.is_folding() {
                self.folding.store(false, Ordering::Relaxed);
            }
            tokio::select! {
                next = self.queue.next() => {
                    grown |= matches!(&next, Next::Notice(notice) if matches!(**notice, Notice::Finish(_)));
                    match next {
                        Next::Notice(notice) if self.features().hunks => self.forward(*notice, &mut shown).await,
                        Next::Notice(notice) => self.show(*notice, &mut rate, &mut shown).await,
                        Next::Lost(count) => rate.fold(count),
                    }
                }
                folded = rate.folded() => {
                    let calls = folded + self.queue.counted();
                    self.say(MessageType::INFO, format!("wherefore: {calls} more calls")).await;
                }
                () = tokio::time::sleep_until(refreshed + REFRESH), if grown && self.queue.is_empty() => {
                    (grown, refreshed) = (false, tokio::time::Instant::now());
                    self.refresh_contents().await;
                }
            }
        }
    }

    /// A proposal as diagnostics and lenses.
    pub(super) async fn show_hunks(&self, proposal: Proposal) {
        if self.features().hunks {
            return;
        }
        for uri in self.board.set_proposal(proposal, &self.documents) {
            self.publish(&uri).await;
        }
        if self.features().lens_refresh && !self.mute.load(Ordering::Relaxed) {
            self.refreshed(bounded(SOON, self.client.code_lens_refresh()).await);
        }
    }

    /// Publishes what stands at a document now.
    pub(super) async fn publish(&self, uri: &str) {
        let diagnostics = self.board.diagnostics(uri, &self.documents, self.features().encoding);
        let version = self.documents.get(uri).map(|document| document.version);
        if let Ok(uri) = Uri::from_str(uri) {
            self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version }).await;
        }
    }

    async fn forward(&self, notice: Notice, shown: &mut ShownWork) {
        match notice {
            Notice::Call(call) => self.notify::<DidCall>(call).await,
            Notice::Finish(finish) => self.notify::<DidFinish>(finish).await,
            Notice::Proposed(proposal) => self.notify::<Proposed>(proposal).await,
            Notice::Changed(proposal) => self.notify::<ProposalChanged>(proposal).await,
            // It closes the document when it hears that the proposal is accepted.
            Notice::Removed(_) => {}
            Notice::Command(command) => self.notify::<CommandTold>(command).await,
            Notice::Agent(event) => self.notify::<AgentTold>(event).await,
            Notice::Slot(slot) => self.notify::<SlotChanged>(slot).await,
            Notice::WorkingSet => self.notify::<WorkingSetChanged>(()).await,
            Notice::Background(work) => self.show_work(work, shown).await,
            Notice::Trouble(text) => self.say(MessageType::WARNING, format!("wherefore: {text}")).await,
        }
    }

    async fn show(&self, notice: Notice, rate: &mut Rate, shown: &mut ShownWork) {
        let settings = self.settings.lock().clone();
        let message = match notice {
            Notice::Call(call) => of_call(&call, &settings).map(|text| (MessageType::INFO, text)),
            Notice::Finish(finish) => of_fault(&finish, &settings).map(|text| (MessageType::WARNING, text)),
            Notice::Proposed(proposal) | Notice::Changed(proposal) => {
                self.show_hunks(proposal).await;
                None
            }
            Notice::Command(command) => {
                self.notify::<CommandTold>(command).await;
                None
            }
            Notice::Agent(event) => {
                self.notify::<AgentTold>(event).await;
                None
            }
            // Other clients set no variables of terminals.
            Notice::Slot(_) | Notice::WorkingSet => None,
            Notice::Trouble(text) => {
                return self.say(MessageType::WARNING, format!("wherefore: {text}")).await;
            }
            // It was closed meanwhile by an editor that sees by itself that its file is gone.
            Notice::Removed(uri) if self.documents.get(&uri).is_none() => None,
            Notice::Removed(uri) => {
                let name = uri::path_of(&uri).unwrap_or(uri);
                let text =
                    format!("wherefore: {name} was removed; saving the document that shows it makes it anew");
                Some((MessageType::WARNING, text))
            }
            Notice::Background(work) => {
                self.show_work(work, shown).await;
                None
            }
        };
        let Some((kind, text)) = message else { return };
        if rate.admit(settings.per_second) {
            self.say(kind, text).await;
        } else {
            self.folding.store(settings.show == ShowCalls::All, Ordering::Relaxed);
        }
    }

    async fn refresh_contents(&self) {
        if !self.features().content || self.mute.load(Ordering::Relaxed) {
            return;
        }
        let uris: BTreeSet<_> = self.contents.lock().clone();
        for uri in uris {
            self.refreshed(self.ask_for::<ContentRefresh>(SOON, ContentParams { uri }).await);
        }
    }

    /// A client that does not answer to a refresh is not asked again: it would hold up what it is told.
    fn refreshed<T>(&self, answer: Result<T, String>) {
        if let Err(error) = answer {
            tracing::info!("not refreshed from here on: {error}");
            self.mute.store(true, Ordering::Relaxed);
        }
    }
}

fn of_call(call: &CallNotice, settings: &NotifySettings) -> Option<String> {
    let shown = match settings.show {
        ShowCalls::All => true,
        ShowCalls::Writes => call.writes,
        ShowCalls::None => false,
    };
    let subject = if call.paths.is_empty() { String::new() } else { format!(" {}", call.paths.join(", ")) };
    shown.then(|| label(&format!("{}{subject}: {}", call.tool, call.why)))
}

fn of_fault(finish: &FinishNotice, settings: &NotifySettings) -> Option<String> {
    let fault = finish.error.as_ref().filter(|_| settings.show != ShowCalls::None)?;
    Some(format!("{} failed: {}", label(&finish.tool), fault.message))
}
