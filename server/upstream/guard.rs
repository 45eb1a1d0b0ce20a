//! Guards a server's process, in a process of its own: however wherefore ends, nothing of the server stays.
//!
//! The guard gets the command to start by a socket, starts it, and learns by the same socket when to end it: by a byte, or by the
//! socket's end, which comes with ours however that was. What a server starts and leaves to itself falls to the guard, since
//! it is their subreaper; so it finds a daemon, too, as its own descendant.
//!
//! # Invariants
//!
//! - No process of a custom server outlives the process that started the server, whatever either does and however
//!   that process ends.
//!   Test: `no_process_of_a_server_stays_however_we_end`, `the_command_line_uses_a_server_and_leaves_none_behind`

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper, wait,
};
use tokio::signal::unix::{SignalKind, signal};

/// The argument that makes this program a guard.
pub(crate) const ARGUMENT: &str = "guard-a-server";
/// The byte that asks a server to end.
pub(crate) const ASK: u8 = b't';
/// The byte that ends it at once.
pub(crate) const KILL: u8 = b'k';

/// The time that a server may take to end after it was asked to.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
/// The time for which processes that a server started may outlive it.
const AFTER: Duration = Duration::from_millis(200);
/// The interval at which processes that are still there are killed again, and the number of times that is tried.
const AGAIN: Duration = Duration::from_millis(10);
const TRIED: Duration = Duration::from_secs(5);
/// A wait without end.
const FOREVER: Duration = Duration::from_secs(u32::MAX as u64);
/// Bytes of the longest description of what is started.
const LONGEST: usize = 8 << 20;

/// True where this program becomes a guard when it is started with [`ARGUMENT`].
static OFFERED: AtomicBool = AtomicBool::new(false);

/// Declares that this program calls [`run_guard`] where it is given [`ARGUMENT`]. Tests and benchmarks do not.
pub(crate) fn offer_guard() {
    OFFERED.store(true, Ordering::Relaxed);
}

/// Returns whether servers are started by a guard.
pub(crate) fn is_offered() -> bool {
    OFFERED.load(Ordering::Relaxed)
}

/// The program to start, with its arguments, environment and folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GuardedStart {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its environment.
    pub env: Vec<(OsString, OsString)>,
    /// The folder that it starts in.
    pub cwd: PathBuf,
}

impl GuardedStart {
    /// The command that starts it, in a group of its own.
    pub(crate) fn to_command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(&self.cwd).process_group(0);
        command
    }

    /// Its words with a NUL behind each: none can hold one.
    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        let count = OsString::from(self.args.len().to_string());
        let env = self.env.iter().flat_map(|(name, value)| [name, value]);
        let words = [self.cwd.as_os_str(), &self.program, &count];
        let words = words.into_iter().chain(self.args.iter().chain(env).map(OsString::as_os_str));
        let mut bytes = Vec::new();
        for word in words {
            if word.as_bytes().contains(&0) {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            bytes.extend_from_slice(word.as_bytes());
            bytes.push(0);
        }
        Ok(bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut words = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0);
        let mut next = || words.next().map(|word| OsString::from_vec(word.to_vec()));
        let (cwd, program) = (next()?.into(), next()?);
        let count: usize = next()?.to_str()?.parse().ok()?;
        let args = (0..count).map(|_| next()).collect::<Option<_>>()?;
        let mut env = Vec::new();
        while let Some(name) = next() {
            env.push((name, next()?));
        }
        Some(Self { program, args, env, cwd })
    }
}

/// Sends a guard at the other end of the socket the program to start, with its standard streams.
///
/// # Errors
/// The errors of the socket; `InvalidInput` for an argument with a NUL in it.
pub(crate) fn hand_over(line: &UnixStream, start: &GuardedStart, streams: [OwnedFd; 3]) -> io::Result<()> {
    let bytes = start.to_bytes()?;
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::InvalidInput)?.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let streams = streams.each_ref().map(AsFd::as_fd);
    control.push(SendAncillaryMessage::ScmRights(&streams));
    sendmsg(line, &[IoSlice::new(&length)], &mut control, SendFlags::NOSIGNAL)?;
    (&*line).write_all(&bytes)
}

/// Receives the start from the socket, with the streams of the server.
fn receive_start(line: impl AsFd, mut rest: impl Read) -> Option<(GuardedStart, [OwnedFd; 3])> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(line, &mut [IoSliceMut::new(&mut length)], &mut control, RecvFlags::CMSG_CLOEXEC).ok()?;
    let mut streams = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            streams.extend(rights);
        }
    }
    rest.read_exact(&mut length[received.bytes..]).ok()?;
    let length = usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= LONGEST)?;
    let mut bytes = vec![0; length];
    rest.read_exact(&mut bytes).ok()?;
    Some((GuardedStart::from_bytes(&bytes)?, streams.try_into().ok()?))
}

/// An event for the guard.
enum GuardEvent {
    /// The server itself has ended.
    Ended(WaitStatus),
    /// Nothing is left of it.
    Empty,
    /// It is to end.
    Ask,
    /// It is to end at once.
    Kill,
}

/// Guards one server until nothing is left of it, and ends as it ended. Standard input is the socket.
pub(crate) fn run_guard() -> ExitCode {
    outlive_signals();
    let input = io::stdin();
    // Its lock would buffer what is read.
    let Ok(mut line) = input.as_fd().try_clone_to_owned().map(UnixStream::from) else {
        return ExitCode::FAILURE;
    };
    let Some((start, [stdin, stdout, stderr])) =
        line.try_clone().ok().and_then(|rest| receive_start(&line, rest))
    else {
        return ExitCode::FAILURE;
    };
    // On a kernel without this call daemons escape; all other processes do not.
    let _ = set_child_subreaper(Some(getpid()));
    let spawned = start
        .to_command()
        .stdin(Stdio::from(stdin))
        .stdout(Stdio::from(stdout))
        .stderr(Stdio::from(stderr))
        .spawn();
    let errno = spawned.as_ref().map_or_else(|error| error.raw_os_error().unwrap_or(-1), |_| 0);
    let told = line.write_all(&errno.to_le_bytes());
    let Ok(child) = spawned else { return ExitCode::FAILURE };
    let Some(server) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
        return ExitCode::FAILURE;
    };
    let (events, heard) = channel();
    if told.is_err() {
        // The receiver is gone.
        let _ = events.send(GuardEvent::Kill);
    }
    let reaped = events.clone();
    std::thread::spawn(move || reap_children(server, &reaped));
    std::thread::spawn(move || listen_commands(line, &events));
    end_as(outlast_server(&heard))
}

/// Waits until nothing is left of the server, and ends it where that is asked for; how it ended.
fn outlast_server(heard: &Receiver<GuardEvent>) -> Option<WaitStatus> {
    let mut ended = None;
    let mut ending: Option<Instant> = None;
    let mut tried: Option<Instant> = None;
    loop {
        let wait = ending.map_or(FOREVER, |at| at.saturating_duration_since(Instant::now()));
        let grace = match heard.recv_timeout(wait) {
            Ok(GuardEvent::Empty) | Err(RecvTimeoutError::Disconnected) => return ended,
            Ok(GuardEvent::Ended(status)) => {
                ended = Some(status);
                AFTER
            }
            Ok(GuardEvent::Ask) => GRACE,
            Ok(GuardEvent::Kill) => Duration::ZERO,
            Err(RecvTimeoutError::Timeout) => {
                signal_all(Signal::KILL);
                if tried.get_or_insert_with(Instant::now).elapsed() > TRIED {
                    return ended;
                }
                ending = Some(Instant::now() + AGAIN);
                continue;
            }
        };
        if !grace.is_zero() && tried.is_none() {
            signal_all(Signal::TERM);
        }
        let at = Instant::now() + grace;
        ending = Some(ending.map_or(at, |before| before.min(at)));
    }
}

/// Signals to end are not for the guard: it has to outlive the server.
fn outlive_signals() {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else { return };
    let _inside = runtime.enter();
    // A handler that does nothing stays when its runtime is gone.
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup(), SignalKind::quit()] {
        let _ = signal(kind);
    }
}

/// Waits for every process that ends below this one, until there is none.
fn reap_children(server: Pid, events: &Sender<GuardEvent>) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == server => drop(events.send(GuardEvent::Ended(status))),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return drop(events.send(GuardEvent::Empty)),
        }
    }
}

/// Reads requests to end the server, until the end of the socket.
fn listen_commands(mut line: UnixStream, events: &Sender<GuardEvent>) {
    let mut byte = [0];
    loop {
        let event = match line.read(&mut byte) {
            Ok(0) => GuardEvent::Ask,
            Ok(_) if byte[0] == KILL => GuardEvent::Kill,
            Ok(_) => GuardEvent::Ask,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => GuardEvent::Ask,
        };
        let over = byte[0] == 0 || matches!(event, GuardEvent::Kill);
        if events.send(event).is_err() || over {
            return;
        }
        byte = [0];
    }
}

fn signal_all(signal: Signal) {
    for pid in list_descendants() {
        let _ = kill_process(pid, signal);
    }
}

/// Every process below this one, those above before those below them.
fn list_descendants() -> Vec<Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let parents: Vec<(i32, i32)> = pids.filter_map(|pid| Some((pid, parent_of(pid)?))).collect();
    let mut found = vec![getpid().as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(above) = found.get(at).copied() {
        let below = parents.iter().filter(|(pid, parent)| *parent == above && !found.contains(pid));
        let below: Vec<i32> = below.map(|(pid, _)| *pid).collect();
        found.extend(below);
        at += 1;
    }
    found.into_iter().skip(1).filter_map(Pid::from_raw).collect()
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name before it may hold anything, brackets too.
    let rest = stat.get(stat.iter().rposition(|byte| *byte == b')')? + 1..)?;
    OsStr::from_bytes(rest).to_str()?.split_whitespace().nth(1)?.parse().ok()
}

/// Ends this process as the server ended.
fn end_as(ended: Option<WaitStatus>) -> ExitCode {
    let code = ended.and_then(WaitStatus::exit_status);
    if let Some(number) = ended.and_then(WaitStatus::terminating_signal) {
        if let Some(signal) = Signal::from_named_raw(number) {
            let _ = kill_process(getpid(), signal);
        }
        return ExitCode::from(u8::try_from(128 + number).unwrap_or(u8::MAX));
    }
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_started_comes_over_whole() {
        let start = GuardedStart {
            program: "/bin/echo".into(),
            args: vec!["".into(), "a b\n".into(), OsString::from_vec(vec![0xff, b'x'])],
            env: vec![("A".into(), "".into()), ("B".into(), "c=d".into())],
            cwd: "/tmp".into(),
        };
        let (ours, theirs) = UnixStream::pair().unwrap();
        let null = || OwnedFd::from(std::fs::File::open("/dev/null").unwrap());
        hand_over(&ours, &start, [null(), null(), null()]).unwrap();
        let (read, _) = receive_start(&theirs, theirs.try_clone().unwrap()).unwrap();
        assert_eq!(read, start);
        let broken = GuardedStart { args: vec!["a\0b".into()], ..start };
        assert!(hand_over(&ours, &broken, [null(), null(), null()]).is_err());
        assert_eq!(GuardedStart::from_bytes(b"\0"), None);
        assert_eq!(GuardedStart::from_bytes(b"/\0x\x009\0"), None);
    }

    #[test]
    fn children_are_found() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).unwrap();
        assert!(list_descendants().contains(&pid));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
