//! `wherefore lsp`: the server that an editor starts.

use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{join, new_hub, open_socket};
use crate::hub::Hub;
use crate::lsp::{self, EndReason, TransportEnd, parent, stdio};

/// The time limit for the end if the client did not request `shutdown` first.
const LAST: Duration = Duration::from_millis(400);

/// Serves the client at the standard streams until it leaves: exit code 0 after `shutdown`, otherwise 1. If agents
/// already have a server for its folder, this process only passes bytes to that server.
///
/// `client` is the client's process, where the command line names it; `initialize` may too.
/// `environment` is the one that tools run in, where the command line or `WHEREFORE_ENV` names one.
pub(crate) fn run_editor_server(client: Option<u32>, environment: Option<String>) -> ExitCode {
    super::run_server(move |told| serve_editor_client(client, environment, told))
}

async fn serve_editor_client(
    client: Option<u32>,
    environment: Option<String>,
    told: CancellationToken,
) -> ExitCode {
    let (parent, orphaned) = parent::watch_client(client);
    let mut input = stdio::open_input();
    let first = join::first_message(&mut input).await;
    let mut orphaned = pin!(orphaned);
    if let Some(server) = join::find_headless_server(&first) {
        if let Some(name) = &environment {
            tracing::warn!(
                "the server that runs already keeps its environment, and not {name}: `wherefore env` switches it"
            );
        }
        let passed = join::pass_on(&server, &first, &mut input, orphaned.as_mut());
        let passed = tokio::select! {
            passed = passed => passed,
            () = told.cancelled() => Some(ExitCode::FAILURE),
        };
        if let Some(code) = passed {
            return code;
        }
    }
    serve_alone(new_hub(environment), join::ReplayedInput::new(first, input), parent, orphaned, told).await
}

async fn serve_alone(
    hub: Hub,
    input: join::ReplayedInput,
    parent: parent::ClientProcess,
    orphaned: impl Future<Output = ()>,
    told: CancellationToken,
) -> ExitCode {
    // Without it only this client reaches the server; that is worth a warning, not a refusal to serve.
    let listening = open_socket(&hub, false).inspect_err(|fault| tracing::warn!("{}", fault.message));
    let connection =
        lsp::ClientConnection { input, output: stdio::open_output(), parent, client_gone: orphaned };
    let end = tokio::select! {
        end = lsp::serve_client(&hub, true, connection) => Some(end),
        () = told.cancelled() => None,
    };
    if let Ok(listening) = listening {
        listening.shut_down().await;
    }
    match end {
        Some(end) => leave_hub(&hub, end).await,
        None => ExitCode::FAILURE,
    }
}

async fn leave_hub(hub: &Hub, end: TransportEnd) -> ExitCode {
    if end.reason != EndReason::Exit {
        tracing::info!("leaving: {:?}", end.reason);
    }
    if !end.shut_down {
        let hub = hub.clone();
        let _ = tokio::time::timeout(LAST, tokio::task::spawn_blocking(move || hub.close())).await;
    }
    if end.shut_down { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
