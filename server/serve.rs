//! The processes that serve: the editor's language server, and the server of agents where no editor runs.

mod doors;
mod editor;
mod headless;
mod join;

use std::convert::Infallible;
use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use editor::editor;
pub(crate) use headless::headless;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::base::person;
use crate::hub::{Hub, HubOptions};
use crate::ide;
use crate::mcp::Seal;
use crate::ports::NoEditor;
use crate::protocol::Fault;
use crate::sandbox::Launcher;
use crate::socket::{SocketListener, listen};

const WORKERS: usize = 2;
const STACK: usize = 1 << 20;
/// How long a server may take to end once the system tells it to.
const LAST: Duration = Duration::from_secs(2);

/// Runs a server to its end. It is given the word that the system tells it to end.
fn run<S: Future<Output = ExitCode> + Send + 'static>(
    server: impl FnOnce(CancellationToken) -> S,
) -> ExitCode {
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
    let told = CancellationToken::new();
    let code = runtime.block_on(until_told_to_end(runtime.spawn(server(told.clone())), told));
    // A call that is deep in a system call does not hold up the end.
    runtime.shutdown_background();
    code
}

/// The code of a server that ends. One that the system tells to end answers what it took, and takes its files away.
async fn until_told_to_end(mut server: JoinHandle<ExitCode>, word: CancellationToken) -> ExitCode {
    let Ok(mut told) = signal(SignalKind::terminate()) else {
        return server.await.unwrap_or(ExitCode::FAILURE);
    };
    tokio::select! {
        code = &mut server => code.unwrap_or(ExitCode::FAILURE),
        _ = told.recv() => {
            word.cancel();
            if tokio::time::timeout(LAST, &mut server).await.is_err() {
                server.abort();
                let _ = tokio::time::timeout(LAST, server).await;
            }
            ExitCode::FAILURE
        }
    }
}

/// A hub with no folder and no editor yet.
fn hub() -> Hub {
    Hub::new(HubOptions {
        editor: Arc::new(NoEditor),
        shared_log: false,
        state: person::state(),
        launcher: Launcher::own().ready(),
    })
}

/// Keeps the slots for agents that look for their editor, until it is dropped.
async fn slots(hub: &Hub) -> Infallible {
    ide::serve(hub).await;
    std::future::pending().await
}

/// Lets other processes in.
fn let_in(hub: &Hub, headless: bool) -> Result<SocketListener, Fault> {
    let doors = doors::Entrance { hub: hub.clone(), seal: Arc::new(Seal::new()?) };
    Ok(listen(hub.clone(), Arc::new(doors), headless)?)
}
