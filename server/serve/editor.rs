//! `wherefore lsp`: the server that an editor starts.

use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{hub, join, let_in};
use crate::hub::Hub;
use crate::lsp::{self, End, Reason, parent, stdio};

/// How long the end may take where the client did not ask for `shutdown` first.
const LAST: Duration = Duration::from_millis(400);

/// Serves the client at the standard streams until it leaves: code 0 after `shutdown`, else 1. Where agents work in
/// its folder already, the server that they have takes it in: then this process only passes bytes on.
///
/// `client` is the client's process, where the command line names it; `initialize` may too.
pub(crate) fn editor(client: Option<u32>) -> ExitCode {
    super::run(move |told| serve(client, told))
}

async fn serve(client: Option<u32>, told: CancellationToken) -> ExitCode {
    let (parent, orphaned) = parent::watch(client);
    let mut input = stdio::input();
    let first = join::first_message(&mut input).await;
    let mut orphaned = pin!(orphaned);
    if let Some(server) = join::server_of(&first) {
        let passed = join::pass_on(&server, &first, &mut input, orphaned.as_mut());
        let passed = tokio::select! {
            passed = passed => passed,
            () = told.cancelled() => Some(ExitCode::FAILURE),
        };
        if let Some(code) = passed {
            return code;
        }
    }
    alone(join::Replayed::new(first, input), parent, orphaned, told).await
}

async fn alone(
    input: join::Replayed,
    parent: parent::Client,
    orphaned: impl Future<Output = ()>,
    told: CancellationToken,
) -> ExitCode {
    let hub = hub();
    // Without it only this client reaches the server; that is worth a word, not a refusal to serve.
    let listening = let_in(&hub, false).inspect_err(|fault| tracing::warn!("{}", fault.message));
    let connection = lsp::ClientConnection { input, output: stdio::output(), parent, orphaned };
    let end = tokio::select! {
        end = lsp::serve(&hub, true, connection) => Some(end),
        () = told.cancelled() => None,
        never = super::slots(&hub) => match never {},
    };
    if let Ok(listening) = listening {
        listening.leave().await;
    }
    match end {
        Some(end) => leave(&hub, end).await,
        None => ExitCode::FAILURE,
    }
}

async fn leave(hub: &Hub, end: End) -> ExitCode {
    if end.reason != Reason::Exit {
        tracing::info!("leaving: {:?}", end.reason);
    }
    if !end.shut_down {
        let hub = hub.clone();
        let _ = tokio::time::timeout(LAST, tokio::task::spawn_blocking(move || hub.close())).await;
    }
    if end.shut_down { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
