//! The calls in flight on a connection: to whom its progress, its log and its questions belong.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use rmcp::model::{ProgressNotificationParam, ProgressToken, RequestId};

use tokio::sync::watch;

use super::remote::cut;
use crate::base::hidden::shown;
use crate::protocol::Fault;
use crate::session::Scope;

/// Notices of progress kept that came before their call was known.
const EARLY: usize = 32;
/// Bytes of a message of progress.
const MESSAGE: usize = 400;

/// The calls in flight.
#[derive(Debug, Default)]
pub(super) struct Flights(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    next: u64,
    flying: BTreeMap<u64, Flight>,
    early: VecDeque<ProgressNotificationParam>,
}

#[derive(Debug)]
struct Flight {
    scope: Scope,
    /// What its caller was asked so far.
    asked: u32,
    /// Why it is to end before it is answered.
    stop: watch::Sender<Option<Fault>>,
    /// Of its request, once that was sent.
    sent: Option<(RequestId, ProgressToken)>,
}

/// A call in flight until this is dropped.
#[derive(Debug)]
pub(super) struct Aloft {
    flights: Arc<Flights>,
    key: u64,
    stopped: watch::Receiver<Option<Fault>>,
}

impl Flights {
    /// Takes a call in.
    pub(super) fn begin(self: &Arc<Self>, scope: &Scope) -> Aloft {
        let mut inner = self.lock();
        inner.next += 1;
        let key = inner.next;
        let (stop, stopped) = watch::channel(None);
        inner.flying.insert(key, Flight { scope: scope.clone(), asked: 0, stop, sent: None });
        Aloft { flights: self.clone(), key, stopped }
    }

    /// The scope of the call that a request of the server's belongs to: the one named, else the only one.
    pub(super) fn meant(&self, request: Option<&RequestId>) -> Option<Scope> {
        self.lock().meant(request).map(|(_, flight)| flight.scope.clone())
    }

    /// The call that a question of the server's belongs to: its number, its scope, and how often it was asked before.
    pub(super) fn asks(&self, request: Option<&RequestId>) -> Option<(u64, Scope, u32)> {
        let mut inner = self.lock();
        let key = inner.meant(request)?.0;
        let flight = inner.flying.get_mut(&key)?;
        flight.asked += 1;
        Some((key, flight.scope.clone(), flight.asked))
    }

    /// Ends a call before it is answered.
    pub(super) fn stop(&self, key: u64, fault: Fault) {
        if let Some(flight) = self.lock().flying.get(&key) {
            flight.stop.send_replace(Some(fault));
        }
    }

    /// Hands progress on.
    pub(super) fn progress(&self, progress: ProgressNotificationParam) {
        let mut inner = self.lock();
        let same =
            |flight: &&Flight| flight.sent.as_ref().is_some_and(|sent| sent.1 == progress.progress_token);
        match inner.flying.values().find(same).map(|flight| flight.scope.clone()) {
            Some(scope) => {
                drop(inner);
                tell(&scope, &progress);
            }
            None => {
                if inner.early.len() == EARLY {
                    inner.early.pop_front();
                }
                inner.early.push_back(progress);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock()
    }
}

impl Inner {
    fn meant(&self, request: Option<&RequestId>) -> Option<(u64, &Flight)> {
        let named = |flight: &Flight| flight.sent.as_ref().is_some_and(|sent| Some(&sent.0) == request);
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

impl Aloft {
    /// Waits until it is to end before it is answered; for ever where it is not.
    pub(super) async fn stopped(&self) -> Fault {
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

    /// Its request went out under these. Progress that was faster is told now.
    pub(super) fn sent(&self, id: RequestId, token: ProgressToken) {
        let mut inner = self.flights.lock();
        let (early, rest) = inner.early.drain(..).partition(|progress| progress.progress_token == token);
        inner.early = rest;
        let early: VecDeque<ProgressNotificationParam> = early;
        let Some(flight) = inner.flying.get_mut(&self.key) else { return };
        flight.sent = Some((id, token));
        let scope = flight.scope.clone();
        drop(inner);
        early.iter().for_each(|progress| tell(&scope, progress));
    }
}

impl Drop for Aloft {
    fn drop(&mut self) {
        self.flights.lock().flying.remove(&self.key);
    }
}

fn tell(scope: &Scope, progress: &ProgressNotificationParam) {
    let part = progress.total.filter(|total| *total > 0.0).map(|total| progress.progress / total * 100.0);
    let percentage = part.map(|part| part.clamp(0.0, 100.0) as u32);
    let message = progress.message.as_deref().unwrap_or_default();
    scope.progress(&cut(&shown(message), MESSAGE), percentage);
}
