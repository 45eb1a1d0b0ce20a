//! Commands that go on after their call was answered: a development server, a watcher, a long test.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::carrier::Carrier;
use super::error::ExecutionError;
use super::live::LiveCommand;
use super::scrollback::Scrollback;
use crate::base::CallId;
use crate::registry::Call;
use crate::sandbox::{Killer, Report, Running};

/// The most commands that run in the background at once, and the most ended ones that are remembered.
const MOST: usize = 32;

/// The commands in the background of one workspace. All of them end when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Processes(Mutex<BTreeMap<CallId, Arc<Process>>>);

/// A command in the background. The id of the call that started it is its own.
#[derive(Debug)]
pub(crate) struct Process {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// Why it was started.
    pub(crate) why: String,
    /// What it wrote to both streams, as it came.
    pub(crate) output: Scrollback,
    started: Instant,
    killer: Killer,
    state: watch::Receiver<ProcessState>,
}

/// How a command in the background stands.
#[derive(Clone, Debug)]
pub(crate) enum ProcessState {
    /// It runs.
    Runs,
    /// It ended.
    Ended(Report),
    /// It could not be started, or its end is not known: why.
    Failed(String),
}

impl Processes {
    /// Takes a command that a call started.
    ///
    /// # Errors
    /// Where too many run already; the command is ended then.
    pub(crate) fn add(
        &self,
        call: &Call,
        argv: Vec<String>,
        (mut running, carrier): (Running, Option<Carrier>),
        (live, output): (LiveCommand, Scrollback),
    ) -> Result<Arc<Process>, ExecutionError> {
        let mut all = self.0.lock();
        if all.values().filter(|process| process.runs()).count() >= MOST {
            return Err(ExecutionError::TooMany(MOST));
        }
        while all.len() >= 2 * MOST {
            let ended = all.iter().find(|(_, process)| !process.runs()).map(|(id, _)| id.clone());
            ended.into_iter().for_each(|id| drop(all.remove(&id)));
        }
        let killer = running.killer().map_err(ExecutionError::doing("preparing to end the command"))?;
        let streams = [running.take_output(), running.take_errors()].into_iter().flatten();
        let reading = streams.map(|stream| output.follow(stream, live.stream())).collect::<Result<_, _>>()?;
        let (told, state) = watch::channel(ProcessState::Runs);
        tokio::spawn(async move {
            // Nobody may ask any more.
            let _ = told.send(to_its_end(running, reading, live).await);
            drop(carrier);
        });
        let why = call.why().as_str().to_owned();
        let process = Arc::new(Process { argv, why, output, started: Instant::now(), killer, state });
        all.insert(call.id().clone(), process.clone());
        Ok(process)
    }

    /// The command that the call `id` started.
    pub(crate) fn get(&self, id: &CallId) -> Option<Arc<Process>> {
        self.0.lock().get(id).cloned()
    }

    /// All that are remembered, by the calls that started them.
    pub(crate) fn all(&self) -> Vec<(CallId, Arc<Process>)> {
        self.0.lock().iter().map(|(id, process)| (id.clone(), process.clone())).collect()
    }
}

/// Waits until a command is gone and all that it wrote was read.
async fn to_its_end(running: Running, reading: Vec<JoinHandle<()>>, live: LiveCommand) -> ProcessState {
    let ended = tokio::task::spawn_blocking(move || running.wait()).await;
    for reader in reading {
        // No process of the sandbox is left that holds the pipe.
        let _ = reader.await;
    }
    match ended {
        Ok(Ok(report)) => {
            live.end(&report);
            ProcessState::Ended(report)
        }
        Ok(Err(error)) => ProcessState::Failed(error.to_string()),
        Err(_) => ProcessState::Failed(ExecutionError::Lost.to_string()),
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.0.get_mut().values().for_each(|process| process.killer.kill());
    }
}

impl Process {
    /// How it stands.
    pub(crate) fn state(&self) -> ProcessState {
        self.state.borrow().clone()
    }

    /// Whether it runs.
    pub(crate) fn runs(&self) -> bool {
        matches!(*self.state.borrow(), ProcessState::Runs)
    }

    /// Since when it runs, or how long it ran.
    pub(crate) fn age(&self) -> Duration {
        match self.state() {
            ProcessState::Ended(report) => report.duration,
            _ => self.started.elapsed(),
        }
    }

    /// Ends it with all that it started.
    pub(crate) fn kill(&self) {
        self.killer.kill();
    }

    /// Waits until it has ended.
    pub(crate) async fn ended(&self) {
        let mut state = self.state.clone();
        // A task that is gone has nothing to tell any more.
        let _ = state.wait_for(|state| !matches!(state, ProcessState::Runs)).await;
    }
}
