//! The processes that serve: the editor's language server, and the server of agents where no editor runs.

mod doors;
mod editor;
mod headless;
mod join;

use std::future::Future;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) use editor::editor;
pub(crate) use headless::headless;

use crate::base::person;
use crate::hub::{Hub, HubOptions};
use crate::mcp::Seal;
use crate::ports::NoEditor;
use crate::protocol::Fault;
use crate::sandbox::Launcher;
use crate::socket::{SocketListener, listen};

const WORKERS: usize = 2;
const STACK: usize = 1 << 20;

/// Runs a server to its end.
fn run(server: impl Future<Output = ExitCode> + Send + 'static) -> ExitCode {
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
    let code = runtime.block_on(runtime.spawn(server)).unwrap_or(ExitCode::FAILURE);
    // A call that is deep in a system call does not hold up the end.
    runtime.shutdown_background();
    code
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

/// Lets other processes in.
fn let_in(hub: &Hub, headless: bool) -> Result<SocketListener, Fault> {
    let doors = doors::Entrance { hub: hub.clone(), seal: Arc::new(Seal::new()?) };
    Ok(listen(hub.clone(), Arc::new(doors), headless)?)
}
