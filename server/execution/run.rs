//! One run of a command: planned, started, listened to, ended.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

use super::capture::Capture;
use super::error::ExecutionError;
use super::live::{LiveCommand, LiveStream};
use crate::sandbox::{Killer, Report, Running};
use crate::session::Scope;

/// How often a caller hears how far a command is.
const TOLD: Duration = Duration::from_millis(100);
/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// What came of a run.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    /// Its standard output.
    pub(crate) output: Capture,
    /// Its standard error.
    pub(crate) errors: Capture,
    /// How it ended.
    pub(crate) report: Report,
}

/// The streams of which callers and editors hear while a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watched {
    /// The standard error first, then the standard output.
    Both,
    /// The standard error: the output is for a program to read.
    Errors,
}

type Shared = Arc<Mutex<Capture>>;

/// Waits until a command and all that it started are gone. Its caller hears how far it is, and ends it by cancelling; editors
/// hear of it where it is `live`.
///
/// # Errors
/// Where the sandbox was not built, or the system refuses to read its output.
pub(crate) async fn to_its_end(
    scope: &Scope,
    mut running: Running,
    live: Option<LiveCommand>,
    input: Option<Vec<u8>>,
    watched: Watched,
) -> Result<RunOutcome, ExecutionError> {
    let (output, errors) = (Shared::default(), Shared::default());
    let stream = || live.as_ref().map(LiveCommand::stream);
    let reading = [
        listen(running.take_output(), output.clone(), stream().filter(|_| watched == Watched::Both))?,
        listen(running.take_errors(), errors.clone(), stream())?,
    ];
    feed(running.take_input(), input);
    let killer = running.killer().map_err(ExecutionError::doing("preparing to end the command"))?;
    let waiting = tokio::task::spawn_blocking(move || running.wait());
    let streams: &[&Shared] = match watched {
        Watched::Both => &[&errors, &output],
        Watched::Errors => &[&errors],
    };
    let report = attend(scope, waiting, &killer, streams).await;
    for reader in reading {
        // The pipes are at their end: no process of the sandbox is left that holds them.
        let _ = reader.await;
    }
    let report = report??;
    live.into_iter().for_each(|live| live.end(&report));
    Ok(RunOutcome { output: taken(&output), errors: taken(&errors), report })
}

async fn attend<T>(
    scope: &Scope,
    mut waiting: JoinHandle<T>,
    killer: &Killer,
    streams: &[&Shared],
) -> Result<T, ExecutionError> {
    let mut tick = tokio::time::interval(TOLD);
    let mut killed = false;
    loop {
        tokio::select! {
            ended = &mut waiting => return ended.map_err(|_| ExecutionError::Lost),
            () = scope.cancel().cancelled(), if !killed => {
                killer.kill();
                killed = true;
            }
            _ = tick.tick() => {
                let fresh: Vec<String> = streams.iter().filter_map(|stream| stream.lock().fresh()).collect();
                if !fresh.is_empty() {
                    scope.progress(&fresh.join("\n"), None);
                }
            }
        }
    }
}

/// Reads a stream to its end.
fn listen(
    stream: Option<OwnedFd>,
    into: Shared,
    mut live: Option<LiveStream>,
) -> Result<JoinHandle<()>, ExecutionError> {
    let reader = stream.map(pipe::Receiver::from_owned_fd).transpose();
    let reader = reader.map_err(ExecutionError::doing("reading what the command writes"))?;
    Ok(tokio::spawn(async move {
        let Some(mut reader) = reader else { return };
        let mut chunk = vec![0; CHUNK];
        while let Ok(read @ 1..) = reader.read(&mut chunk).await {
            let read = chunk.get(..read).unwrap_or_default();
            into.lock().push(read);
            live.iter_mut().for_each(|live| live.push(read));
        }
    }))
}

/// Writes a command's standard input, as fast as it reads it.
fn feed(stream: Option<OwnedFd>, input: Option<Vec<u8>>) {
    let (Some(stream), Some(input)) = (stream, input) else { return };
    tokio::task::spawn_blocking(move || {
        // A command that does not read its input to the end is none of our business.
        let _ = std::fs::File::from(stream).write_all(&input);
    });
}

fn taken(stream: &Shared) -> Capture {
    std::mem::take(&mut *stream.lock())
}
