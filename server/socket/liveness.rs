//! The check that the server at the other end of a socket still works: a stopped one takes connections and answers nothing.
//!
//! # Invariants
//!
//! - No wait is without an end: for a server that is stopped, for one of a model's that only sends signs of life, for
//!   a conversation that is a pipe.
//!   Test: `a_server_that_is_stopped_is_told_of_and_not_waited_for`,
//!   `signs_of_life_alone_are_not_waited_for_without_end`, `a_conversation_that_is_a_pipe_is_not_waited_for`

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde_json::json;
use thiserror::Error;

use super::listener::ClientGreeting;
use super::running_server::{RunningServer, running_servers};
use crate::requests::{Signature, Status};

/// The time without data from a server after which it is checked.
pub(crate) const SILENCE: Duration = Duration::from_secs(3);
/// The interval at which a silent server is asked whether it answers at all.
const PROBED: Duration = Duration::from_secs(30);
/// The longest time of that answer, on a busy machine.
const ANSWERED: Duration = Duration::from_secs(20);
/// The longest time until a connection is taken: a server that takes none has a full queue at some time.
const LET_IN: Duration = Duration::from_secs(10);
/// The number of times in a row that a process has to be stopped, and the pause between: a debugger stops one for
/// moments.
const SEEN: (u32, Duration) = (4, Duration::from_millis(100));

/// The reason why a server answers nothing although it has not ended.
#[derive(Debug, Error)]
pub(crate) enum SilentServer {
    /// Its process is stopped.
    #[error("the server, process {0}, is stopped and answers nothing")]
    Stopped(u32),
    /// It did not answer in time.
    #[error("the server, process {0}, does not answer")]
    Mute(u32),
}

impl SilentServer {
    /// Returns advice on how to go on.
    pub(crate) fn advice(&self) -> String {
        let (Self::Stopped(pid) | Self::Mute(pid)) = self;
        match self {
            Self::Stopped(_) => {
                format!("let it go on with `kill -CONT {pid}`, or end it with `kill -KILL {pid}`")
            }
            Self::Mute(_) => format!("end it with `kill {pid}`: the next call starts another one"),
        }
    }
}

/// A look at the server behind a connection, as long as nothing comes from there.
#[derive(Debug)]
pub(crate) struct ServerLiveness {
    probed: Instant,
}

impl Default for ServerLiveness {
    fn default() -> Self {
        Self { probed: Instant::now() }
    }
}

impl ServerLiveness {
    /// Checks whether the server of a stream works. If it has ended, the stream itself ends.
    ///
    /// # Errors
    /// Why it answers nothing.
    pub(crate) fn check_server(&mut self, stream: &UnixStream) -> Result<(), SilentServer> {
        let address = stream.peer_addr().ok();
        let path = address.as_ref().and_then(|address| address.as_pathname()?.to_str());
        let Some(server) = running_servers().into_iter().find(|server| Some(&*server.socket) == path) else {
            return Ok(());
        };
        check_running(&server)?;
        if self.probed.elapsed() >= PROBED {
            let answered = probe_server(&server);
            self.probed = Instant::now();
            return answered;
        }
        Ok(())
    }
}

/// Looks whether the process of a server runs.
///
/// # Errors
/// [`SilentServer::Stopped`]
pub(super) fn check_running(server: &RunningServer) -> Result<(), SilentServer> {
    for _ in 1..SEEN.0 {
        if !is_stopped(server.pid) {
            return Ok(());
        }
        std::thread::sleep(SEEN.1);
    }
    if is_stopped(server.pid) { Err(SilentServer::Stopped(server.pid)) } else { Ok(()) }
}

/// Returns whether a process is stopped, by a signal or a debugger.
fn is_stopped(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The name before it may hold anything.
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.trim_start().chars().next());
    matches!(state, Some('T' | 't'))
}

/// Connects to a socket, as long as that may take.
///
/// # Errors
/// The error of reaching it; [`std::io::ErrorKind::TimedOut`] if it takes no connection.
pub(super) fn connect_in_time(path: &str) -> std::io::Result<UnixStream> {
    let address = SocketAddrUnix::new(path)?;
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let since = Instant::now();
    loop {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
        match connect(&socket, &address) {
            Ok(()) => {
                let stream = UnixStream::from(socket);
                stream.set_nonblocking(false)?;
                return Ok(stream);
            }
            Err(rustix::io::Errno::AGAIN) if since.elapsed() < LET_IN => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(rustix::io::Errno::AGAIN) => {
                return Err(std::io::Error::new(std::io::ErrorKind::TimedOut, "it lets nobody in"));
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Asks a server for its status over another connection.
fn probe_server(server: &RunningServer) -> Result<(), SilentServer> {
    let silent = || SilentServer::Mute(server.pid);
    let timed_out = |error: &std::io::Error| {
        matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
    };
    let ask = || -> std::io::Result<()> {
        let mut stream = connect_in_time(&server.socket)?;
        stream.set_read_timeout(Some(ANSWERED))?;
        stream.set_write_timeout(Some(ANSWERED))?;
        let greeting = json!(ClientGreeting { token: server.token.clone(), ..ClientGreeting::default() });
        let request = json!({ "id": 1, "method": Status::METHOD, "params": null });
        stream.write_all(format!("{greeting}\n{request}\n").as_bytes())?;
        let mut first = Vec::new();
        BufReader::new(stream).read_until(b'\n', &mut first).map(drop)
    };
    match ask() {
        Err(error) if timed_out(&error) => Err(silent()),
        // It has ended, or its queue of connections is gone: the awaited answer shows that.
        _ => Ok(()),
    }
}
