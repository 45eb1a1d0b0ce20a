//! `wherefore serve`: the server of agents where no editor runs. It ends with its last client.

use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::timeout;

use super::{hub, let_in};
use crate::protocol::Fault;

/// How long it waits for its first client: whoever started it comes at once, or never.
const FIRST: Duration = Duration::from_secs(10);
/// How long it waits for a next one after the last: an agent that starts its server anew finds this one.
const NEXT: Duration = Duration::from_millis(500);

/// Serves a folder until the last client is gone. `ready` is called when it can be reached, or with the fault that
/// keeps it from that.
pub(crate) fn headless(root: String, ready: impl FnOnce(Result<(), &Fault>) + Send + 'static) -> ExitCode {
    super::run(async move {
        let hub = hub();
        let opened = hub.add_root(&root).and_then(|()| let_in(&hub, true));
        let listening = match opened {
            Ok(listening) => listening,
            Err(fault) => {
                ready(Err(&fault));
                return ExitCode::FAILURE;
            }
        };
        ready(Ok(()));
        tokio::select! {
            () = last_leaves(listening.clients()) => {}
            () = told_to_end() => {}
        }
        // From here on nobody finds it; those who found it before and come now are sent to another.
        drop(listening);
        let _ = tokio::task::spawn_blocking(move || hub.close()).await;
        ExitCode::SUCCESS
    })
}

async fn last_leaves(mut clients: watch::Receiver<usize>) {
    if timeout(FIRST, clients.wait_for(|count| *count > 0)).await.is_err() {
        return;
    }
    loop {
        if clients.wait_for(|count| *count == 0).await.is_err() {
            return;
        }
        if timeout(NEXT, clients.wait_for(|count| *count > 0)).await.is_err() {
            return;
        }
    }
}

async fn told_to_end() {
    let signals = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    let [Ok(mut terminate), Ok(mut interrupt)] = signals else { return std::future::pending().await };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
