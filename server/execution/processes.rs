//! Commands that go on after their call was answered: a development server, a watcher, a long test.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::HeldLayers;
use super::connections::ConnectionCarrier;
use super::error::ExecutionError;
use super::live_output::LiveCommand;
use super::scrollback::Scrollback;
use crate::base::CallId;
use crate::registry::CheckedCall;
use crate::sandbox::{CommandKiller, RunReport, RunningCommand};

/// The most commands that run in the background at once, and the most ended ones that are remembered.
const MOST: usize = 32;

/// The commands in the background of one workspace. All of them end when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct BackgroundCommands(Mutex<BTreeMap<CallId, Arc<BackgroundCommand>>>);

/// A command in the background. The id of the call that started it is its own.
#[derive(Debug)]
pub(crate) struct BackgroundCommand {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// The reason why it was started.
    pub(crate) why: String,
    /// The output of both streams, as it came.
    pub(crate) output: Scrollback,
    started: Instant,
    killer: CommandKiller,
    state: watch::Receiver<ProcessState>,
}

/// The state of a command in the background.
#[derive(Clone, Debug)]
pub(crate) enum ProcessState {
    /// It runs.
    Runs,
    /// It ended.
    Ended(RunReport),
    /// It could not be started, or its end is not known: why.
    Failed(String),
}

impl BackgroundCommands {
    /// Takes a command that a call started.
    ///
    /// # Errors
    /// Fails where too many run already; the command is ended then.
    pub(crate) fn add_command(
        &self,
        call: &CheckedCall,
        argv: Vec<String>,
        (mut running, held): (RunningCommand, (Option<ConnectionCarrier>, HeldLayers)),
        (live, output): (LiveCommand, Scrollback),
    ) -> Result<Arc<BackgroundCommand>, ExecutionError> {
        let mut all = self.0.lock();
        if all.values().filter(|process| process.is_running()).count() >= MOST {
            return Err(ExecutionError::TooMany(MOST));
        }
        while all.len() >= 2 * MOST {
            let ended = all.iter().find(|(_, process)| !process.is_running()).map(|(id, _)| id.clone());
            ended.into_iter().for_each(|id| drop(all.remove(&id)));
        }
        let killer = running.killer().map_err(ExecutionError::while_doing("preparing to end the command"))?;
        let streams = [running.take_output(), running.take_errors()].into_iter().flatten();
        let reading = streams
            .map(|stream| output.follow_stream(stream, live.new_stream()))
            .collect::<Result<_, _>>()?;
        let (told, state) = watch::channel(ProcessState::Runs);
        tokio::spawn(async move {
            // The receiver may be gone.
            let _ = told.send(run_to_completion(running, reading, live).await);
            drop(held);
        });
        let why = call.why().as_str().to_owned();
        let process =
            Arc::new(BackgroundCommand { argv, why, output, started: Instant::now(), killer, state });
        all.insert(call.id().clone(), process.clone());
        Ok(process)
    }

    /// The command that the call `id` started.
    pub(crate) fn get(&self, id: &CallId) -> Option<Arc<BackgroundCommand>> {
        self.0.lock().get(id).cloned()
    }

    /// All that are remembered, by the calls that started them.
    pub(crate) fn all(&self) -> Vec<(CallId, Arc<BackgroundCommand>)> {
        self.0.lock().iter().map(|(id, process)| (id.clone(), process.clone())).collect()
    }
}

/// Waits until a command is gone and all that it wrote was read.
async fn run_to_completion(
    running: RunningCommand,
    reading: Vec<JoinHandle<()>>,
    live: LiveCommand,
) -> ProcessState {
    let ended = tokio::task::spawn_blocking(move || running.wait()).await;
    for reader in reading {
        // No process of the sandbox is left that holds the pipe.
        let _ = reader.await;
    }
    match ended {
        Ok(Ok(report)) => {
            live.report_end(&report);
            ProcessState::Ended(report)
        }
        Ok(Err(error)) => ProcessState::Failed(error.to_string()),
        Err(_) => ProcessState::Failed(ExecutionError::Lost.to_string()),
    }
}

impl Drop for BackgroundCommands {
    fn drop(&mut self) {
        self.0.get_mut().values().for_each(|process| process.killer.kill());
    }
}

impl BackgroundCommand {
    /// Returns the command's state.
    pub(crate) fn state(&self) -> ProcessState {
        self.state.borrow().clone()
    }

    /// Returns whether it runs.
    pub(crate) fn is_running(&self) -> bool {
        matches!(*self.state.borrow(), ProcessState::Runs)
    }

    /// Since when it runs, or how long it ran.
    pub(crate) fn run_time(&self) -> Duration {
        match self.state() {
            ProcessState::Ended(report) => report.duration,
            _ => self.started.elapsed(),
        }
    }

    /// Ends it with all that it started.
    pub(crate) fn kill(&self) {
        self.killer.kill();
    }

    /// The inodes of the sockets that its processes have open.
    pub(crate) fn open_sockets(&self) -> BTreeSet<u64> {
        self.killer.open_sockets()
    }

    /// Waits until it has ended.
    pub(crate) async fn wait_ended(&self) {
        let mut state = self.state.clone();
        // A task that is gone has nothing to tell any more.
        let _ = state.wait_for(|state| !matches!(state, ProcessState::Runs)).await;
    }
}
