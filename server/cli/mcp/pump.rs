//! Passes messages between an agent at the standard streams and the folder's server, whichever that is just now.
//!
//! The server may end while the agent stays: an editor takes its server with it. The pump then finds or starts the
//! next one, repeats the handshake in the agent's name, sends again what only looks, and says of each call under way
//! that its answer is lost.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use super::error::ServeError;
use super::line::{Line, answered};
use super::reach::Reach;
use crate::base::envelope::Envelope;
use crate::mcp::{self, LONGEST};
use crate::socket::{Greeting, Speaks};

/// Servers that may end, and the time in which; more of them, and something is wrong.
const LOSSES: (usize, Duration) = (5, Duration::from_secs(10));
/// How long answers are waited for once the agent has closed its end.
const LAST: Duration = Duration::from_secs(10);
/// How often it is looked whether the agent still reads, and whether a server that is ending has ended.
const LOOK: Duration = Duration::from_millis(50);

/// What both directions know.
#[derive(Default)]
struct PumpState {
    server: Option<Arc<UnixStream>>,
    /// The agent's `initialize` and its `notifications/initialized`, in the era that has them.
    handshake: [Option<Vec<u8>>; 2],
    /// Requests that have no answer yet.
    open: Vec<Open>,
    /// The agent sends no more.
    closed: bool,
    /// It is not waited for any answer either: a server that is found now comes too late.
    left: bool,
    /// No further server is to be had.
    over: bool,
}

/// A request that has no answer yet.
struct Open {
    id: String,
    /// The message, where the next server gets it too: a request that only looks.
    again: Option<Vec<u8>>,
    /// Whether its answer comes with its end alone.
    lasts: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<PumpState>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, PumpState> {
        self.state.lock()
    }
}

/// Serves the agent until it leaves.
///
/// # Errors
/// What keeps a server from starting.
pub(super) fn pump(reach: Reach) -> Result<(), ServeError> {
    let shared = Arc::new(Shared::default());
    let mut stream = Arc::new(connect(&reach)?);
    shared.lock().server = Some(stream.clone());
    let upward = shared.clone();
    std::thread::spawn(move || {
        upward_to_server(&upward);
        leave(&upward);
    });
    let mut losses: Vec<Instant> = Vec::new();
    loop {
        downward_to_agent(&stream, &shared)?;
        if shared.lock().closed {
            return Ok(());
        }
        stream = match next(&reach, &shared, &mut losses) {
            _ if shared.lock().left => return Ok(()),
            Ok(next) => next,
            Err(error) => {
                shared.lock().over = true;
                shared.changed.notify_all();
                return Err(error);
            }
        };
    }
}

/// The next server, made the agent's. One that ends under the handshake is passed over, as it was just ending.
///
/// # Errors
/// INTERNAL where there is none, where too many ended, or where the agent reads no more.
fn next(reach: &Reach, shared: &Shared, losses: &mut Vec<Instant>) -> Result<Arc<UnixStream>, ServeError> {
    loop {
        losses.retain(|loss| loss.elapsed() < LOSSES.1);
        losses.push(Instant::now());
        if losses.len() > LOSSES.0 {
            return Err(ServeError::Losses(losses.len()));
        }
        if let Some(server) = take_up(connect(reach)?, shared)? {
            return Ok(server);
        }
        std::thread::sleep(LOOK);
    }
}

fn connect(reach: &Reach) -> Result<UnixStream, ServeError> {
    reach.connect(&Greeting { speaks: Some(Speaks::Mcp), ..Greeting::default() })
}

/// Sends what the agent writes, until it closes its end.
fn upward_to_server(shared: &Shared) {
    let mut agent = BufReader::with_capacity(64 << 10, std::io::stdin().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut agent).take(LONGEST as u64).read_until(b'\n', &mut line) {
            Ok(length) if length > 0 => {}
            _ => return,
        }
        if !line.ends_with(b"\n") {
            if line.len() == LONGEST {
                refuse(&line, &mut agent);
                continue;
            }
            line.push(b'\n');
        }
        note(&line, &mut shared.lock());
        loop {
            let mut state = shared.lock();
            if state.over {
                return;
            }
            let Some(server) = state.server.clone() else {
                // The other direction finds the next one.
                shared.changed.wait_for(&mut state, LOOK);
                continue;
            };
            drop(state);
            if (&*server).write_all(&line).is_ok() {
                break;
            }
            state = shared.lock();
            state.server = None;
            // What was in the pipe to a server that is gone is said to be lost; what never got there is sent again.
            let read = Line::read(&line);
            state.open.retain(|open| read.request() != Some(&open.id));
            note(&line, &mut state);
        }
    }
}

/// Passes over a message that is too long, and says so.
fn refuse(begun: &[u8], agent: &mut impl BufRead) {
    let mut envelope = Envelope::of(begun);
    while let Ok(more @ [_, ..]) = agent.fill_buf() {
        let end = memchr::memchr(b'\n', more);
        let passed = end.unwrap_or(more.len());
        envelope.feed(&more[..passed]);
        agent.consume(end.map_or(passed, |end| end + 1));
        if end.is_some() {
            break;
        }
    }
    let answer = mcp::too_long(&envelope);
    // An agent that reads no more is found out by the other direction.
    let _ = std::io::stdout().lock().write_all(format!("{answer}\n").as_bytes());
}

/// Remembers what the next server would have to know of a message.
fn note(line: &[u8], state: &mut PumpState) {
    let message = Line::read(line);
    match message.method.as_deref() {
        Some("initialize") => state.handshake[0] = Some(line.to_vec()),
        Some("notifications/initialized") => state.handshake[1] = Some(line.to_vec()),
        _ => {}
    }
    if let Some(id) = message.cancelled() {
        // It is not answered.
        state.open.retain(|open| open.id != id);
    }
    if let Some(id) = message.request() {
        let method = message.method.as_deref().unwrap_or_default();
        // The handshake is repeated by itself; a call may have done its work.
        let looks = !matches!(method, "initialize" | "tools/call");
        let (id, again) = (id.to_owned(), looks.then(|| line.to_vec()));
        state.open.push(Open { id, again, lasts: method == "subscriptions/listen" });
    }
}

/// Hands what the server says to the agent, until the server's end.
///
/// # Errors
/// INTERNAL where the agent reads no more.
fn downward_to_agent(stream: &UnixStream, shared: &Shared) -> Result<(), ServeError> {
    let mut server = BufReader::with_capacity(64 << 10, stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match server.read_until(b'\n', &mut line) {
            Ok(length) if length > 0 && line.ends_with(b"\n") => {}
            _ => return Ok(()),
        }
        if let Some(id) = answered(&line) {
            shared.lock().open.retain(|open| open.id != id);
        }
        let mut agent = std::io::stdout().lock();
        agent.write_all(&line).and_then(|()| agent.flush()).map_err(ServeError::AgentGone)?;
    }
}

/// Makes a server the agent's: the handshake is repeated, what was under way is said to be lost. Nothing where the
/// server ends meanwhile.
fn take_up(mut server: UnixStream, shared: &Shared) -> Result<Option<Arc<UnixStream>>, ServeError> {
    let mut state = shared.lock();
    let first = state.handshake[0].as_deref().and_then(|line| Line::read(line).request().map(str::to_owned));
    let greeted = !state.open.iter().any(|open| Some(&open.id) == first.as_ref());
    if repeat(&mut server, &state, greeted).is_err() {
        return Ok(None);
    }
    let mut agent = std::io::stdout().lock();
    let open = std::mem::take(&mut state.open);
    for open in open {
        if open.again.is_some() || Some(&open.id) == first.as_ref() {
            state.open.push(open);
            continue;
        }
        let id = open.id;
        let message = "the server ended while this was under way, as an editor's does with its editor; what came of \
                       it stands in the session log: look at the files, then make the call again if need be";
        let error = json!({ "code": -32603, "message": message });
        let lost = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n");
        agent.write_all(lost.as_bytes()).map_err(ServeError::AgentGone)?;
    }
    if greeted && state.handshake[1].is_some() {
        let changed = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        agent.write_all(format!("{changed}\n").as_bytes()).map_err(ServeError::AgentGone)?;
    }
    agent.flush().map_err(ServeError::AgentGone)?;
    let server = Arc::new(server);
    state.server = Some(server.clone());
    shared.changed.notify_all();
    Ok(Some(server))
}

/// Repeats to a server what it has to know: the handshake, and the requests that it answers in the last one's place.
fn repeat(server: &mut UnixStream, state: &PumpState, greeted: bool) -> std::io::Result<()> {
    let [initialize, initialized] = &state.handshake;
    if let Some(initialize) = initialize {
        server.write_all(initialize)?;
        // An agent that waits for this answer gets it; one that has it already does not get it twice.
        if greeted {
            skip_line(server)?;
        }
    }
    if let Some(initialized) = initialized {
        server.write_all(initialized)?;
    }
    state.open.iter().filter_map(|open| open.again.as_ref()).try_for_each(|line| server.write_all(line))
}

/// Reads one line, byte by byte: what follows it is left for others to read.
fn skip_line(server: &mut UnixStream) -> std::io::Result<()> {
    let mut byte = [0];
    while byte != *b"\n" {
        server.read_exact(&mut byte)?;
    }
    Ok(())
}

/// The agent has closed its end: what is under way is answered still, as long as it reads.
fn leave(shared: &Shared) {
    shared.lock().closed = true;
    let since = Instant::now();
    while since.elapsed() < LAST && agent_reads() {
        let state = shared.lock();
        if state.open.iter().all(|open| open.lasts) {
            break;
        }
        drop(state);
        std::thread::sleep(LOOK);
    }
    let mut state = shared.lock();
    state.left = true;
    if let Some(server) = &state.server {
        let _ = server.shutdown(Shutdown::Both);
    }
}

/// Whether anybody has the other end of standard output.
fn agent_reads() -> bool {
    let stdout = std::io::stdout();
    let mut ends = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
    let polled = poll(&mut ends, Some(&Timespec::default()));
    polled.is_err() || !ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
