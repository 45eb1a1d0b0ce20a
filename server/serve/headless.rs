//! `wherefore serve`: the server of agents where no editor runs. It ends with its last client.

use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::{hub, let_in};
use crate::protocol::Fault;
use crate::socket::{StartOrder, servers};

/// How long it waits for its first client: whoever started it comes at once, or never.
const FIRST: Duration = Duration::from_secs(10);
/// How long after its start an editor's server may come up that did not see it.
const BESIDE: Duration = Duration::from_secs(5);
/// How often it looks for one.
const LOOK: Duration = Duration::from_millis(200);
/// How long it waits for a next one after the last: an agent that starts its server anew finds this one.
const NEXT: Duration = Duration::from_millis(500);

/// Serves a folder until the last client is gone for `linger`, or for a moment where none is given. `ready` is called when it can be reached, or with the fault that
/// keeps it from that.
pub(crate) fn headless(
    root: String,
    linger: Option<Duration>,
    ready: impl FnOnce(Result<(), &Fault>) + Send + 'static,
) -> ExitCode {
    super::run(move |told| async move {
        let hub = hub();
        let order = StartOrder::starting();
        let opened = hub.add_root(&root).map_err(Fault::from).and_then(|()| let_in(&hub, true));
        drop(order);
        let listening = match opened {
            Ok(listening) => listening,
            Err(fault) => {
                ready(Err(&fault));
                return ExitCode::FAILURE;
            }
        };
        ready(Ok(()));
        tokio::select! {
            () = last_leaves(listening.clients(), linger.unwrap_or(NEXT)) => {}
            () = an_editor_comes(hub.roots()) => {}
            () = told.cancelled() => {}
            () = interrupted() => {}
            never = super::slots(&hub) => match never {},
        }
        // From here on nobody finds it; those who found it before and come now are sent to another.
        listening.leave().await;
        let _ = tokio::task::spawn_blocking(move || hub.close()).await;
        ExitCode::SUCCESS
    })
}

async fn last_leaves(mut clients: watch::Receiver<usize>, linger: Duration) {
    if timeout(FIRST, clients.wait_for(|count| *count > 0)).await.is_err() {
        return;
    }
    loop {
        if clients.wait_for(|count| *count == 0).await.is_err() {
            return;
        }
        if timeout(linger, clients.wait_for(|count| *count > 0)).await.is_err() {
            return;
        }
    }
}

/// An editor's server joins one that is there. Of two that start at the same instant, as after the death of the one before,
/// neither sees the other: then this one gives way, and its agents find the editor's.
async fn an_editor_comes(roots: Vec<String>) {
    let until = Instant::now() + BESIDE;
    while Instant::now() < until {
        sleep(LOOK).await;
        let roots = roots.clone();
        let is_there = move || {
            let serves = |root: &String| roots.contains(root);
            servers().iter().any(|server| !server.headless && server.roots.iter().any(serves))
        };
        if tokio::task::spawn_blocking(is_there).await.unwrap_or(false) {
            return;
        }
    }
    std::future::pending().await
}

async fn interrupted() {
    match signal(SignalKind::interrupt()) {
        Ok(mut interrupt) => drop(interrupt.recv().await),
        Err(_) => std::future::pending().await,
    }
}
