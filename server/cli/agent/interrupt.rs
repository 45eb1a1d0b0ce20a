//! Ctrl+C while the agent works: the first cancels its turn, the next one ends the run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::signal::unix::{SignalKind, signal};

use crate::cli::mcp::reach::Reach;
use crate::protocol::{AgentCancelParams, Fault};
use crate::requests::AgentCancel;
use crate::socket::{Greeting, ServerLink};

/// The exit code of a process that Ctrl+C ended.
pub(super) const INTERRUPTED: u8 = 130;

/// What the person interrupted.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupts {
    count: Arc<AtomicU32>,
    /// Whether the person is asked something just now: Ctrl+C ends the run then.
    asks: Arc<AtomicBool>,
}

impl Interrupts {
    /// A turn begins: nothing of it was interrupted.
    pub(super) fn forget(&self) {
        self.count.store(0, Ordering::SeqCst);
    }

    /// Does something in which the person is asked.
    pub(super) fn asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.asks.store(true, Ordering::SeqCst);
        let answer = ask();
        self.asks.store(false, Ordering::SeqCst);
        answer
    }
}

/// Listens for Ctrl+C from now on.
///
/// # Errors
/// What keeps it from being heard.
pub(super) fn watch(reach: Reach, run: String) -> Result<Interrupts, Fault> {
    let internal = |error: std::io::Error| Fault::internal(error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(internal)?;
    let interrupts = Interrupts::default();
    let seen = interrupts.clone();
    let listen = move || {
        runtime.block_on(async {
            let Ok(mut pressed) = signal(SignalKind::interrupt()) else { return };
            while pressed.recv().await.is_some() {
                let count = seen.count.fetch_add(1, Ordering::SeqCst) + 1;
                let ends = count > 1 || seen.asks.load(Ordering::SeqCst);
                // Whether that reached the server or not, a further Ctrl+C ends this process.
                cancel(&reach, &run, ends);
                if ends {
                    std::process::exit(i32::from(INTERRUPTED));
                }
            }
        });
    };
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(listen).map_err(internal)?;
    Ok(interrupts)
}

fn cancel(reach: &Reach, run: &str, end: bool) {
    let Ok(stream) = reach.connect(&Greeting::default()) else { return };
    let params = AgentCancelParams { run: run.to_owned(), end };
    let _ = ServerLink::over(stream).ask::<AgentCancel>(&params);
}
