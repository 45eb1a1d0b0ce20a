//! A run of a command: planned, started, read, ended.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::task::JoinHandle;

use super::capture::StreamCapture;
use super::error::ExecutionError;
use super::live_output::{LiveCommand, LiveStream};
use crate::sandbox::{CommandKiller, RunReport, RunningCommand};
use crate::session::CallScope;

/// The interval at which a caller gets progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct RunOutcome {
    /// Its standard output.
    pub(crate) output: StreamCapture,
    /// Its standard error.
    pub(crate) errors: StreamCapture,
    /// The report of its end.
    pub(crate) report: RunReport,
}

/// The streams of which callers and editors hear while a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchedStreams {
    /// The standard error first, then the standard output.
    Both,
    /// The standard error: the output is for a program to read.
    Errors,
}

type SharedCapture = Arc<Mutex<StreamCapture>>;

/// Waits until a command and all that it started are gone. Its caller gets progress, and ends it by cancelling; editors
/// get the output where it is `live`.
///
/// # Errors
/// Fails where the sandbox was not built, or the system refuses to read its output.
pub(crate) async fn run_to_completion(
    scope: &CallScope,
    mut running: RunningCommand,
    live: Option<LiveCommand>,
    input: Option<Vec<u8>>,
    watched: WatchedStreams,
) -> Result<RunOutcome, ExecutionError> {
    let (output, errors) = (SharedCapture::default(), SharedCapture::default());
    let stream = || live.as_ref().map(LiveCommand::new_stream);
    let reading = [
        read_stream(
            running.take_output(),
            output.clone(),
            stream().filter(|_| watched == WatchedStreams::Both),
        )?,
        read_stream(running.take_errors(), errors.clone(), stream())?,
    ];
    feed_input(running.take_input(), input);
    let killer = running.killer().map_err(ExecutionError::while_doing("preparing to end the command"))?;
    let waiting = tokio::task::spawn_blocking(move || running.wait());
    let streams: &[&SharedCapture] = match watched {
        WatchedStreams::Both => &[&errors, &output],
        WatchedStreams::Errors => &[&errors],
    };
    let report = attend_command(scope, waiting, &killer, streams).await;
    for reader in reading {
        // The pipes are at their end: no process of the sandbox is left that holds them.
        let _ = reader.await;
    }
    let report = report??;
    live.into_iter().for_each(|live| live.report_end(&report));
    Ok(RunOutcome { output: take_capture(&output), errors: take_capture(&errors), report })
}

async fn attend_command<T>(
    scope: &CallScope,
    mut waiting: JoinHandle<T>,
    killer: &CommandKiller,
    streams: &[&SharedCapture],
) -> Result<T, ExecutionError> {
    let mut tick = tokio::time::interval(PROGRESS_INTERVAL);
    let mut killed = false;
    loop {
        tokio::select! {
            ended = &mut waiting => return ended.map_err(|_| ExecutionError::Lost),
            () = scope.cancel_token().cancelled(), if !killed => {
                killer.kill();
                killed = true;
            }
            _ = tick.tick() => {
                let fresh: Vec<String> = streams.iter().filter_map(|stream| stream.lock().take_fresh_lines()).collect();
                if !fresh.is_empty() {
                    scope.report_progress(&fresh.join("\n"), None);
                }
            }
        }
    }
}

/// Reads a stream to its end.
fn read_stream(
    stream: Option<OwnedFd>,
    into: SharedCapture,
    mut live: Option<LiveStream>,
) -> Result<JoinHandle<()>, ExecutionError> {
    let reader = stream.map(pipe::Receiver::from_owned_fd).transpose();
    let reader = reader.map_err(ExecutionError::while_doing("reading what the command writes"))?;
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
fn feed_input(stream: Option<OwnedFd>, input: Option<Vec<u8>>) {
    let (Some(stream), Some(input)) = (stream, input) else { return };
    tokio::task::spawn_blocking(move || {
        // A command that does not read its input to the end is none of our business.
        let _ = std::fs::File::from(stream).write_all(&input);
    });
}

fn take_capture(stream: &SharedCapture) -> StreamCapture {
    std::mem::take(&mut *stream.lock())
}
