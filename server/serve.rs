//! The processes that serve: the editor's language server, and the server for agents without an editor.

mod doors;
mod editor;
mod headless;
mod join;

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use editor::run_editor_server;
pub(crate) use headless::run_headless;

use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::base::person;
use crate::hub::{Hub, HubOptions};
use crate::mcp::StateSeal;
use crate::ports::NoEditor;
use crate::protocol::Fault;
use crate::sandbox::SandboxLauncher;
use crate::socket::{SocketListener, listen_socket};

const WORKERS: usize = 2;
const STACK: usize = 1 << 20;
/// The longest time that a server may take to end after a signal.
const LAST: Duration = Duration::from_secs(2);

/// Runs a server to its end. It gets a token that is cancelled by a signal to end.
fn run_server<S: Future<Output = ExitCode> + Send + 'static>(
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
    // On a worker, so that the reader and its tasks run on one thread, without a wake-up between them.
    let told = CancellationToken::new();
    let code = runtime.block_on(run_until_terminated(runtime.spawn(server(told.clone())), told));
    // A call that is deep in a system call does not hold up the end.
    runtime.shutdown_background();
    code
}

/// The exit code of a server. After a signal it answers the requests that it took, and removes its files.
async fn run_until_terminated(mut server: JoinHandle<ExitCode>, word: CancellationToken) -> ExitCode {
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

/// A hub with no folder and no editor yet, whose tools run in `environment` where one is chosen.
fn new_hub(environment: Option<String>) -> Hub {
    Hub::new(HubOptions {
        editor: Arc::new(NoEditor),
        shared_log: false,
        state: person::state_dir(),
        launcher: SandboxLauncher::own().with_ready_helper(),
        environment,
    })
}

/// Lets other processes in.
fn open_socket(hub: &Hub, headless: bool) -> Result<SocketListener, Fault> {
    let doors = doors::DoorSet { hub: hub.clone(), seal: Arc::new(StateSeal::new()?) };
    Ok(listen_socket(hub.clone(), Arc::new(doors), headless)?)
}
