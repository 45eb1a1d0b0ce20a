//! The language-server door, and our own transport under it.

pub mod backend;
mod calls;
pub mod codec;
mod commands;
pub mod content;
pub mod ext;
pub mod features;
pub mod guard;
mod hunks;
mod initialize;
pub mod message;
pub mod outbox;
pub mod outgoing;
pub mod parent;
mod requests;
mod review;
pub mod stdio;
mod sync;
pub mod texts;
pub mod transport;
pub mod uri;

use std::process::ExitCode;
use std::time::Duration;

use crate::hub::Hub;
use crate::socket::listen;
use transport::{End, Reason};

const WORKERS: usize = 2;
const STACK: usize = 1 << 20;
/// How long the end may take where the client did not ask for `shutdown` first.
const LAST: Duration = Duration::from_millis(400);

/// Serves the client at the standard streams until it leaves: code 0 after `shutdown`, else 1.
///
/// `client` is the client's process, where the command line names it; `initialize` may too.
pub fn serve(client: Option<u32>) -> ExitCode {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(WORKERS).thread_stack_size(STACK).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!("the runtime does not start: {error}");
            return ExitCode::FAILURE;
        }
    };
    // On a worker: the reader and what it starts then run on one thread, with no wake-up between them.
    let serving = runtime.spawn(serve_stdio(client));
    let code = runtime.block_on(serving).unwrap_or(ExitCode::FAILURE);
    // A call that is deep in a system call does not hold up the end.
    runtime.shutdown_background();
    code
}

async fn serve_stdio(client: Option<u32>) -> ExitCode {
    let (parent, orphaned) = parent::watch(client);
    let (service, socket, hub) = backend::service(parent);
    // Without it only this client reaches the server; that is worth a word, not a refusal to serve.
    let listening = listen(hub.clone()).inspect_err(|fault| tracing::warn!("{}", fault.message));
    let end = transport::serve(stdio::input(), stdio::output(), service, socket, orphaned).await;
    drop(listening);
    leave(&hub, end).await
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
