//! The calls in flight on a connection: to whom its progress, its log and its questions belong.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{ProgressNotificationParam, ProgressToken, RequestId};

use tokio::sync::watch;

use super::remote::cut_text;
use crate::base::hidden::escape_hidden;
use crate::protocol::Fault;
use crate::session::CallScope;

/// Notices of progress kept that came before their call was known.
const EARLY: usize = 32;
/// Bytes of a message of progress.
const MESSAGE: usize = 400;

/// The calls in flight.
#[derive(Debug, Default)]
pub(super) struct CallsInFlight(Mutex<FlightState>);

#[derive(Debug, Default)]
struct FlightState {
    next: u64,
    flying: BTreeMap<u64, FlyingCall>,
    early: VecDeque<ProgressNotificationParam>,
}

#[derive(Debug)]
struct FlyingCall {
    scope: CallScope,
    /// The number of questions to its caller so far.
    asked: u32,
    /// The reason why it is to end before it is answered.
    stop: watch::Sender<Option<Fault>>,
    /// Of its request, once that was sent.
    sent: Option<(RequestId, ProgressToken)>,
}

/// A call in flight until this is dropped.
#[derive(Debug)]
pub(super) struct FlightGuard {
    flights: Arc<CallsInFlight>,
    key: u64,
    stopped: watch::Receiver<Option<Fault>>,
}

impl CallsInFlight {
    /// Takes a call in.
    pub(super) fn begin_call(self: &Arc<Self>, scope: &CallScope) -> FlightGuard {
        let mut inner = self.lock_state();
        inner.next += 1;
        let key = inner.next;
        let (stop, stopped) = watch::channel(None);
        inner.flying.insert(key, FlyingCall { scope: scope.clone(), asked: 0, stop, sent: None });
        FlightGuard { flights: self.clone(), key, stopped }
    }

    /// The scope of the call that a request of the server's belongs to: the one named, else the only one.
    pub(super) fn scope_of(&self, request: Option<&RequestId>) -> Option<CallScope> {
        self.lock_state().find_call(request).map(|(_, flight)| flight.scope.clone())
    }

    /// The call that a question of the server's belongs to: its number, its scope, and how often it was asked before.
    pub(super) fn count_question(&self, request: Option<&RequestId>) -> Option<(u64, CallScope, u32)> {
        let mut inner = self.lock_state();
        let key = inner.find_call(request)?.0;
        let flight = inner.flying.get_mut(&key)?;
        flight.asked += 1;
        Some((key, flight.scope.clone(), flight.asked))
    }

    /// Ends a call before it is answered.
    pub(super) fn stop_call(&self, key: u64, fault: Fault) {
        if let Some(flight) = self.lock_state().flying.get(&key) {
            flight.stop.send_replace(Some(fault));
        }
    }

    /// Hands progress on.
    pub(super) fn pass_progress(&self, progress: ProgressNotificationParam) {
        let mut inner = self.lock_state();
        let same =
            |flight: &&FlyingCall| flight.sent.as_ref().is_some_and(|sent| sent.1 == progress.progress_token);
        match inner.flying.values().find(same).map(|flight| flight.scope.clone()) {
            Some(scope) => {
                drop(inner);
                report_progress(&scope, &progress);
            }
            None => {
                if inner.early.len() == EARLY {
                    inner.early.pop_front();
                }
                inner.early.push_back(progress);
            }
        }
    }

    fn lock_state(&self) -> MutexGuard<'_, FlightState> {
        self.0.lock()
    }
}

impl FlightState {
    fn find_call(&self, request: Option<&RequestId>) -> Option<(u64, &FlyingCall)> {
        let named = |flight: &FlyingCall| flight.sent.as_ref().is_some_and(|sent| Some(&sent.0) == request);
        let all = || self.flying.iter().map(|(key, flight)| (*key, flight));
        if let Some(found) = all().find(|(_, flight)| named(flight)) {
            return Some(found);
        }
        // A server may be faster than we are in noting what we sent.
        let mut may = all().filter(|(_, flight)| request.is_none() || flight.sent.is_none());
        let only = may.next()?;
        may.next().is_none().then_some(only)
    }
}

impl FlightGuard {
    /// Waits until it is to end before it is answered; for ever where it is not.
    pub(super) async fn wait_stopped(&self) -> Fault {
        let mut stopped = self.stopped.clone();
        let fault = match stopped.wait_for(Option::is_some).await {
            Ok(fault) => fault.clone(),
            Err(_) => None,
        };
        match fault {
            Some(fault) => fault,
            None => std::future::pending().await,
        }
    }

    /// Notes the ids of its sent request. Progress that came earlier is passed on now.
    pub(super) fn mark_sent(&self, id: RequestId, token: ProgressToken) {
        let mut inner = self.flights.lock_state();
        let (early, rest) = inner.early.drain(..).partition(|progress| progress.progress_token == token);
        inner.early = rest;
        let early: VecDeque<ProgressNotificationParam> = early;
        let Some(flight) = inner.flying.get_mut(&self.key) else { return };
        flight.sent = Some((id, token));
        let scope = flight.scope.clone();
        drop(inner);
        early.iter().for_each(|progress| report_progress(&scope, progress));
    }
}

impl Drop for FlightGuard {
    fn drop(&mut self) {
        self.flights.lock_state().flying.remove(&self.key);
    }
}

fn report_progress(scope: &CallScope, progress: &ProgressNotificationParam) {
    let part = progress.total.filter(|total| *total > 0.0).map(|total| progress.progress / total * 100.0);
    let percentage = part.map(|part| part.clamp(0.0, 100.0) as u32);
    let message = progress.message.as_deref().unwrap_or_default();
    scope.report_progress(&cut_text(&escape_hidden(message), MESSAGE), percentage);
}
