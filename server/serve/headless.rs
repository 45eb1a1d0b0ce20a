//! `wherefore serve`: the server of agents where no editor runs. It ends with its last client.
//!
//! # Invariants
//!
//! - No headless server outlives its last client, however that one ended.
//!   Test: `a_thousand_killed_agents_leave_no_server`

use std::process::ExitCode;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use super::{new_hub, open_socket};
use crate::hub::Hub;
use crate::protocol::Fault;
use crate::socket::{StartOrder, running_servers};

/// The longest time that it waits for its first client: the process that started it connects at once, or never.
const FIRST: Duration = Duration::from_secs(10);
/// The time after its start in which an editor's server may appear that did not find it.
const BESIDE: Duration = Duration::from_secs(5);
/// The interval at which it looks for such a server.
const LOOK: Duration = Duration::from_millis(200);
/// The time that it waits for another client after the last: an agent that restarts its server finds this one.
const NEXT: Duration = Duration::from_millis(500);

/// Serves a folder until the last client has been gone for `linger`, or for a moment by default. `ready` is called when
/// the server can be reached, or with the fault that prevents it.
pub(crate) fn run_headless(
    root: String,
    linger: Option<Duration>,
    environment: Option<String>,
    ready: impl FnOnce(Result<(), &Fault>) + Send + 'static,
) -> ExitCode {
    super::run_server(move |told| async move {
        let hub = new_hub(environment);
        let order = StartOrder::for_start();
        let opened = hub.add_root(&root).map_err(Fault::from).and_then(|()| open_socket(&hub, true));
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
            () = wait_for_last_client(&hub, listening.clients(), linger.unwrap_or(NEXT)) => {}
            () = wait_for_editor(hub.roots()) => {}
            () = told.cancelled() => {}
            () = wait_for_interrupt() => {}
        }
        // From here on new clients do not find it; clients that found it before are sent to another server.
        listening.shut_down().await;
        let _ = tokio::task::spawn_blocking(move || hub.close()).await;
        ExitCode::SUCCESS
    })
}

/// Returns when the last client has been gone for `linger`, and no command with a sandbox token is expected: only this
/// server knows the token.
async fn wait_for_last_client(hub: &Hub, mut clients: watch::Receiver<usize>, linger: Duration) {
    if timeout(FIRST, clients.wait_for(|count| *count > 0)).await.is_err() {
        return;
    }
    loop {
        if clients.wait_for(|count| *count == 0).await.is_err() {
            return;
        }
        let is_awaited = || hub.folders().iter().any(|folder| folder.command_tokens().has_pending());
        let linger = if is_awaited() { linger.max(NEXT) } else { linger };
        if timeout(linger, clients.wait_for(|count| *count > 0)).await.is_err() && !is_awaited() {
            return;
        }
    }
}

/// An editor's server joins a server that exists. If both start at the same time, for example after the end of an
/// earlier one, neither sees the other: then this one gives way, and its agents find the editor's.
async fn wait_for_editor(roots: Vec<String>) {
    let until = Instant::now() + BESIDE;
    while Instant::now() < until {
        sleep(LOOK).await;
        let roots = roots.clone();
        let is_there = move || {
            let serves = |root: &String| roots.contains(root);
            running_servers().iter().any(|server| !server.headless && server.roots.iter().any(serves))
        };
        if tokio::task::spawn_blocking(is_there).await.unwrap_or(false) {
            return;
        }
    }
    std::future::pending().await
}

async fn wait_for_interrupt() {
    match signal(SignalKind::interrupt()) {
        Ok(mut interrupt) => drop(interrupt.recv().await),
        Err(_) => std::future::pending().await,
    }
}
