//! Sends notices: to wherefore plugins as they are, to other clients as messages and diagnostics.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tower_lsp::ls_types::notification::PublishDiagnostics;
use tower_lsp::ls_types::{MessageType, PublishDiagnosticsParams, Uri};

use super::background::ProgressOfWork;
use super::queue::NextNotice;
use super::rate::MessageRate;
use super::{EditorOutbox, SOON};
use crate::base::numbers::format_count;
use crate::base::uri;
use crate::lsp::ext::{
    AgentTold, CommandTold, ContentParams, ContentRefresh, DidCall, DidFinish, HeldElsewhereChanged,
    ProposalChanged, Proposed, WorkingSetChanged,
};
use crate::lsp::label::label_text;
use crate::protocol::{CallNotice, EditorNotice, FinishNotice, NotifySettings, Proposal, ShowCalls};

const REFRESH: Duration = Duration::from_secs(1);

impl EditorOutbox {
    /// Sends the queued notices while the client is connected.
    pub(super) async fn run_telling(self: Arc<Self>) {
        let mut rate = MessageRate::default();
        let mut shown = ProgressOfWork::default();
        let mut refreshed = tokio::time::Instant::now();
        let mut grown = false;
        loop {
            if !rate.is_folding() {
                self.folding.store(false, Ordering::Relaxed);
            }
            tokio::select! {
                next = self.queue.next_notice() => {
                    grown |= matches!(&next, NextNotice::Notice(notice) if matches!(**notice, EditorNotice::Finish(_)));
                    match next {
                        NextNotice::Notice(notice) if self.client.features().hunks => self.forward_notice(*notice, &mut shown).await,
                        NextNotice::Notice(notice) => self.show_notice(*notice, &mut rate, &mut shown).await,
                        NextNotice::Lost(count) => rate.fold_lost(count),
                    }
                }
                folded = rate.take_folded() => {
                    let calls = (folded + self.queue.take_call_count()).saturating_sub(rate.take_named_count());
                    if calls > 0 {
                        let calls = format_count(calls, "more call");
                        self.client.show_message(MessageType::INFO, format!("wherefore: {calls}")).await;
                    }
                }
                () = tokio::time::sleep_until(refreshed + REFRESH), if grown && self.queue.is_empty() => {
                    (grown, refreshed) = (false, tokio::time::Instant::now());
                    self.refresh_contents().await;
                }
            }
        }
    }

    /// Shows a proposal as diagnostics and lenses.
    pub(super) async fn show_hunks(&self, proposal: Proposal) {
        if self.client.features().hunks {
            return;
        }
        for uri in self.board.set_proposal(proposal, &self.documents) {
            self.publish_diagnostics(&uri).await;
        }
        if self.client.features().lens_refresh && !self.ignores_refresh.load(Ordering::Relaxed) {
            self.note_refresh(self.client.refresh_lenses().await);
        }
    }

    /// Publishes the current diagnostics of a document.
    pub(super) async fn publish_diagnostics(&self, uri: &str) {
        let diagnostics = self.board.diagnostics_of(uri, &self.documents, self.client.features().encoding);
        let version = self.documents.get(uri).map(|document| document.version);
        if let Ok(uri) = Uri::from_str(uri) {
            self.client
                .send_notification::<PublishDiagnostics>(PublishDiagnosticsParams {
                    uri,
                    diagnostics,
                    version,
                })
                .await;
        }
    }

    async fn forward_notice(&self, notice: EditorNotice, shown: &mut ProgressOfWork) {
        match notice {
            EditorNotice::Call(call) => self.client.send_notification::<DidCall>(call).await,
            EditorNotice::Finish(finish) => self.client.send_notification::<DidFinish>(finish).await,
            EditorNotice::Proposed(proposal) => self.client.send_notification::<Proposed>(proposal).await,
            EditorNotice::Changed(proposal) => {
                self.client.send_notification::<ProposalChanged>(proposal).await
            }
            // The client closes the document itself when the proposal is accepted.
            EditorNotice::Removed(_) => {}
            EditorNotice::Command(command) => self.client.send_notification::<CommandTold>(command).await,
            EditorNotice::Agent(event) => self.client.send_notification::<AgentTold>(event).await,
            EditorNotice::HeldElsewhere => self.client.send_notification::<HeldElsewhereChanged>(()).await,
            EditorNotice::WorkingSet => self.client.send_notification::<WorkingSetChanged>(()).await,
            EditorNotice::Background(work) => shown.show_work(&self.client, work).await,
            EditorNotice::Trouble(text) => {
                self.client.show_message(MessageType::WARNING, format!("wherefore: {text}")).await
            }
        }
    }

    async fn show_notice(&self, notice: EditorNotice, rate: &mut MessageRate, shown: &mut ProgressOfWork) {
        let settings = self.settings.lock().clone();
        // A person has to hear of each change and each fault.
        let folds = matches!(&notice, EditorNotice::Call(call) if !call.writes);
        let mut folded_call = None;
        let message = match notice {
            EditorNotice::Call(call) => call_text(&call, &settings).map(|text| {
                folded_call = Some(call);
                (MessageType::INFO, text)
            }),
            EditorNotice::Finish(finish) => fault_text(&finish, &settings).map(|text| {
                // Its call was to be one of "4 more calls": it is named with its reason.
                let call = self.queue.take_folded_call(&finish.call_id);
                let call = call.and_then(|call| call_text(&call, &settings));
                call.iter().for_each(|_| rate.count_named());
                let text = call.map_or(text.clone(), |call| format!("{text} ({call})"));
                (MessageType::WARNING, text)
            }),
            EditorNotice::Proposed(proposal) | EditorNotice::Changed(proposal) => {
                self.show_hunks(proposal).await;
                None
            }
            EditorNotice::Command(command) => {
                self.client.send_notification::<CommandTold>(command).await;
                None
            }
            EditorNotice::Agent(event) => {
                self.client.send_notification::<AgentTold>(event).await;
                None
            }
            EditorNotice::HeldElsewhere | EditorNotice::WorkingSet => None,
            EditorNotice::Trouble(text) => {
                return self.client.show_message(MessageType::WARNING, format!("wherefore: {text}")).await;
            }
            // An editor that noticed the removal itself has closed it meanwhile.
            EditorNotice::Removed(uri) if self.documents.get(&uri).is_none() => None,
            EditorNotice::Removed(uri) => {
                let name = uri::path_from_uri(&uri).unwrap_or(uri);
                let text =
                    format!("wherefore: {name} was removed; saving the document that shows it makes it anew");
                Some((MessageType::WARNING, text))
            }
            EditorNotice::Background(work) => {
                shown.show_work(&self.client, work).await;
                None
            }
        };
        let Some((kind, text)) = message else { return };
        if !folds || rate.admit_message(settings.per_second) {
            self.client.show_message(kind, text).await;
        } else {
            folded_call.into_iter().for_each(|call| self.queue.remember_folded(call));
            self.folding.store(settings.show == ShowCalls::All, Ordering::Relaxed);
        }
    }

    async fn refresh_contents(&self) {
        if !self.client.features().content || self.ignores_refresh.load(Ordering::Relaxed) {
            return;
        }
        let uris: BTreeSet<_> = self.contents.lock().clone();
        for uri in uris {
            self.note_refresh(
                self.client.send_bounded_request::<ContentRefresh>(SOON, ContentParams { uri }).await,
            );
        }
    }

    /// Stops refreshing if the client does not answer a refresh: it would delay the notices.
    fn note_refresh<T>(&self, answer: Result<T, String>) {
        if let Err(error) = answer {
            tracing::info!("not refreshed from here on: {error}");
            self.ignores_refresh.store(true, Ordering::Relaxed);
        }
    }
}

fn call_text(call: &CallNotice, settings: &NotifySettings) -> Option<String> {
    let shown = match settings.show {
        ShowCalls::All => true,
        ShowCalls::Writes => call.writes,
        ShowCalls::None => false,
    };
    let subject = if call.paths.is_empty() { String::new() } else { format!(" {}", call.paths.join(", ")) };
    shown.then(|| label_text(&format!("{}{subject}: {}", call.tool, call.why)))
}

/// The text of a fault; also of a failed command if every call is shown: many failures are answers, as a search's.
fn fault_text(finish: &FinishNotice, settings: &NotifySettings) -> Option<String> {
    let tool = label_text(&finish.tool);
    match (&finish.error, &finish.failure, settings.show) {
        (_, _, ShowCalls::None) => None,
        (Some(fault), ..) => Some(format!("{tool} failed: {}", fault.message)),
        (None, Some(failure), ShowCalls::All) => Some(format!("{tool} failed: {}", label_text(failure))),
        (None, ..) => None,
    }
}
