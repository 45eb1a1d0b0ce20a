//! Ctrl+C while the agent works: the first cancels its turn, the next one ends the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::mcp::reach::ServerConnector;
use crate::protocol::{AgentCancelParams, Fault};
use crate::requests::AgentCancel;
use crate::socket::{ClientGreeting, ServerLink};

/// The exit code of a process that Ctrl+C ended.
pub(super) const INTERRUPTED: u8 = 130;

/// The number of times that the person pressed Ctrl+C in this turn.
#[derive(Clone, Debug, Default)]
pub(super) struct InterruptState {
    count: Arc<AtomicU32>,
    /// True while the person is asked something: Ctrl+C then ends the run.
    is_asking: Arc<AtomicBool>,
}

impl InterruptState {
    /// Resets the count at the start of a turn.
    pub(super) fn reset_count(&self) {
        self.count.store(0, Ordering::SeqCst);
    }

    /// Runs `ask`, during which the person is asked something.
    pub(super) fn while_asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.is_asking.store(true, Ordering::SeqCst);
        let answer = ask();
        self.is_asking.store(false, Ordering::SeqCst);
        answer
    }
}

/// Listens for Ctrl+C from now on.
///
/// # Errors
/// The reason why the signal cannot be received.
pub(super) fn watch_interrupts(reach: ServerConnector, run: String) -> Result<InterruptState, Fault> {
    let internal = |error: std::io::Error| Fault::internal(error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(internal)?;
    let interrupts = InterruptState::default();
    let seen = interrupts.clone();
    let listen = move || {
        runtime.block_on(async {
            let Ok(mut pressed) = signal(SignalKind::interrupt()) else { return };
            while pressed.recv().await.is_some() {
                let count = seen.count.fetch_add(1, Ordering::SeqCst) + 1;
                let ends = count > 1 || seen.is_asking.load(Ordering::SeqCst);
                // The process ends at a further Ctrl+C, even if the cancellation did not reach the server.
                cancel_run(&reach, &run, ends);
                if ends {
                    std::process::exit(i32::from(INTERRUPTED));
                }
            }
        });
    };
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(listen).map_err(internal)?;
    Ok(interrupts)
}

fn cancel_run(reach: &ServerConnector, run: &str, end: bool) {
    let Ok(stream) = reach.connect(&ClientGreeting::default()) else { return };
    let params = AgentCancelParams { run: run.to_owned(), end };
    let _ = ServerLink::from_stream(stream).ask::<AgentCancel>(&params);
}
