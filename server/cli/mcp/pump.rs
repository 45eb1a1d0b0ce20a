//! Passes messages between an agent at the standard streams and the current server of the folder.
//!
//! The server may end while the agent stays: an editor takes its server with it. The pump then finds or starts the next
//! one, repeats the handshake for the agent, sends read-only requests again, and answers each call under way with an
//! error.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::json;

use super::error::ServeError;
use super::line::{MessageLine, answered_id};
use super::reach::ServerConnector;
use super::roots::FoundFolder;
use crate::base::envelope::MessageEnvelope;
use crate::mcp::{self, LONGEST};
use crate::socket::{ClientGreeting, SILENCE, ServerLiveness, SpokenProtocol};

/// Servers that may end, and the time in which; more of them, and something is wrong.
const LOSSES: (usize, Duration) = (5, Duration::from_secs(10));
/// The longest time to wait for answers after the agent has closed its end.
const LAST: Duration = Duration::from_secs(10);
/// The interval at which the pump checks that the agent still reads, and that an ending server has ended.
const LOOK: Duration = Duration::from_millis(50);

/// The state shared by both directions.
#[derive(Default)]
struct PumpState {
    server: Option<Arc<UnixStream>>,
    /// The agent's `initialize` and its `notifications/initialized`, in the era that has them.
    handshake: [Option<Vec<u8>>; 2],
    /// Requests that have no answer yet.
    open: Vec<OpenRequest>,
    /// Requests that were answered for a server that was silent: its own answers come too late.
    given_up: HashSet<String>,
    /// The agent has closed its input.
    closed: bool,
    /// The last answers are not waited for any longer: a server that is found now comes too late.
    has_left: bool,
    /// No further server can be had.
    is_over: bool,
}

/// A request that has no answer yet.
struct OpenRequest {
    id: String,
    /// The message, if it is sent to the next server, too: for a read-only request.
    resend: Option<Vec<u8>>,
    /// True if the request is open until the stream ends.
    lasts: bool,
}

#[derive(Default)]
struct SharedPump {
    state: Mutex<PumpState>,
    changed: Condvar,
}

impl SharedPump {
    fn lock(&self) -> MutexGuard<'_, PumpState> {
        self.state.lock()
    }
}

/// Serves the agent until it leaves. If the folder was found by the client's roots, the handshake was answered already.
///
/// # Errors
/// The reason why no server can be started.
pub(super) fn pump_messages(reach: &ServerConnector, found: Option<FoundFolder>) -> Result<(), ServeError> {
    let shared = Arc::new(SharedPump::default());
    let mut losses: Vec<Instant> = Vec::new();
    let (mut stream, input) = match found {
        Some(FoundFolder { handshake, input, .. }) => {
            shared.lock().handshake = handshake.map(Some);
            (next_server(reach, &shared, &mut losses)?, input)
        }
        None => (Arc::new(connect_server(reach)?), Vec::new()),
    };
    shared.lock().server = Some(stream.clone());
    let upward = shared.clone();
    std::thread::spawn(move || {
        upward_to_server(&upward, input);
        drain_and_leave(&upward);
    });
    loop {
        downward_to_agent(&stream, &shared)?;
        if shared.lock().closed {
            return Ok(());
        }
        stream = match next_server(reach, &shared, &mut losses) {
            _ if shared.lock().has_left => return Ok(()),
            Ok(next) => next,
            Err(error) => {
                shared.lock().is_over = true;
                shared.changed.notify_all();
                return Err(error);
            }
        };
    }
}

/// The next server, with the handshake repeated. A server that ends during the handshake is skipped.
///
/// # Errors
/// INTERNAL where there is none, where too many ended, or where the agent reads no more.
fn next_server(
    reach: &ServerConnector,
    shared: &SharedPump,
    losses: &mut Vec<Instant>,
) -> Result<Arc<UnixStream>, ServeError> {
    loop {
        losses.retain(|loss| loss.elapsed() < LOSSES.1);
        losses.push(Instant::now());
        if losses.len() > LOSSES.0 {
            return Err(ServeError::Losses(losses.len()));
        }
        if let Some(server) = adopt_server(connect_server(reach)?, shared)? {
            return Ok(server);
        }
        std::thread::sleep(LOOK);
    }
}

fn connect_server(reach: &ServerConnector) -> Result<UnixStream, ServeError> {
    reach.connect(&ClientGreeting { speaks: Some(SpokenProtocol::Mcp), ..ClientGreeting::default() })
}

/// Sends the agent's messages to the server, those in `before` first, until the agent closes its end.
fn upward_to_server(shared: &SharedPump, before: Vec<u8>) {
    let input = Cursor::new(before).chain(std::io::stdin().lock());
    let mut agent = BufReader::with_capacity(64 << 10, input);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut agent).take(LONGEST as u64).read_until(b'\n', &mut line) {
            Ok(length) if length > 0 => {}
            _ => return,
        }
        if !line.ends_with(b"\n") {
            if line.len() == LONGEST {
                refuse_message(&line, &mut agent);
                continue;
            }
            line.push(b'\n');
        }
        note_message(&line, &mut shared.lock());
        loop {
            let mut state = shared.lock();
            if state.is_over {
                return;
            }
            let Some(server) = state.server.clone() else {
                // The other direction finds the next server.
                shared.changed.wait_for(&mut state, LOOK);
                continue;
            };
            drop(state);
            if (&*server).write_all(&line).is_ok() {
                break;
            }
            state = shared.lock();
            state.server = None;
            // A request that was written to a server that has gone is reported as lost; one that was not written is sent again.
            let read = MessageLine::read(&line);
            state.open.retain(|open| read.request_id() != Some(&open.id));
            note_message(&line, &mut state);
        }
    }
}

/// Skips a message that is too long, and answers with an error.
fn refuse_message(begun: &[u8], agent: &mut impl BufRead) {
    let mut envelope = MessageEnvelope::from_text(begun);
    while let Ok(more @ [_, ..]) = agent.fill_buf() {
        let end = memchr::memchr(b'\n', more);
        let passed = end.unwrap_or(more.len());
        envelope.feed(&more[..passed]);
        agent.consume(end.map_or(passed, |end| end + 1));
        if end.is_some() {
            break;
        }
    }
    let answer = mcp::too_long_answer(&envelope);
    // The other direction detects that the agent has stopped reading.
    let _ = std::io::stdout().lock().write_all(format!("{answer}\n").as_bytes());
}

/// Records the parts of a message that the next server needs.
fn note_message(line: &[u8], state: &mut PumpState) {
    let message = MessageLine::read(line);
    match message.method.as_deref() {
        Some("initialize") => state.handshake[0] = Some(line.to_vec()),
        Some("notifications/initialized") => state.handshake[1] = Some(line.to_vec()),
        _ => {}
    }
    if let Some(id) = message.cancelled_id() {
        // A cancelled request gets no answer.
        state.open.retain(|open| open.id != id);
    }
    if let Some(id) = message.request_id() {
        let method = message.method.as_deref().unwrap_or_default();
        // The handshake is repeated separately; a call may have had effects.
        let looks = !matches!(method, "initialize" | "tools/call");
        let (id, again) = (id.to_owned(), looks.then(|| line.to_vec()));
        state.open.push(OpenRequest { id, resend: again, lasts: method == "subscriptions/listen" });
    }
}

/// Passes the server's messages to the agent, until the server's end.
///
/// # Errors
/// INTERNAL where the agent reads no more.
fn downward_to_agent(stream: &UnixStream, shared: &SharedPump) -> Result<(), ServeError> {
    let mut server = BufReader::with_capacity(64 << 10, stream);
    let (mut line, mut liveness) = (Vec::new(), ServerLiveness::default());
    // If this fails, a stopped server is waited for.
    let _ = stream.set_read_timeout(Some(SILENCE));
    loop {
        match server.read_until(b'\n', &mut line) {
            Ok(_) if line.ends_with(b"\n") => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                answer_for_silent(stream, shared, &mut liveness)?;
                continue;
            }
            _ => return Ok(()),
        }
        let line = std::mem::take(&mut line);
        liveness = ServerLiveness::default();
        if let Some(id) = answered_id(&line) {
            let mut state = shared.lock();
            state.open.retain(|open| open.id != id);
            if state.given_up.remove(id) {
                continue;
            }
        }
        let mut agent = std::io::stdout().lock();
        agent.write_all(&line).and_then(|()| agent.flush()).map_err(ServeError::AgentGone)?;
    }
}

/// Answers the requests under way if the server is alive but silent.
///
/// # Errors
/// INTERNAL where the agent reads no more.
fn answer_for_silent(
    stream: &UnixStream,
    shared: &SharedPump,
    liveness: &mut ServerLiveness,
) -> Result<(), ServeError> {
    if shared.lock().open.iter().all(|open| open.lasts) {
        return Ok(());
    }
    let Err(silent) = liveness.check_server(stream) else { return Ok(()) };
    let mut state = shared.lock();
    let (open, lasting) = std::mem::take(&mut state.open).into_iter().partition(|open| !open.lasts);
    state.open = lasting;
    let open: Vec<OpenRequest> = open;
    state.given_up.extend(open.iter().map(|open| open.id.clone()));
    drop(state);
    let message = format!(
        "{silent}: {}; what was asked of it may take effect once it goes on, so look at the files before you make the \
         call again",
        silent.advice()
    );
    let mut agent = std::io::stdout().lock();
    for OpenRequest { id, .. } in open {
        agent.write_all(lost_answer(&id, &message).as_bytes()).map_err(ServeError::AgentGone)?;
    }
    agent.flush().map_err(ServeError::AgentGone)
}

/// The answer to a request whose server cannot answer any more.
fn lost_answer(id: &str, message: &str) -> String {
    let error = json!({ "code": -32603, "message": message });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}\n")
}

/// Makes a server the agent's: repeats the handshake, and answers the requests under way with an error. None if the
/// server ends meanwhile.
fn adopt_server(mut server: UnixStream, shared: &SharedPump) -> Result<Option<Arc<UnixStream>>, ServeError> {
    let mut state = shared.lock();
    let first = state.handshake[0]
        .as_deref()
        .and_then(|line| MessageLine::read(line).request_id().map(str::to_owned));
    let greeted = !state.open.iter().any(|open| Some(&open.id) == first.as_ref());
    if repeat_state(&mut server, &state, greeted).is_err() {
        return Ok(None);
    }
    let mut agent = std::io::stdout().lock();
    let open = std::mem::take(&mut state.open);
    for open in open {
        if open.resend.is_some() || Some(&open.id) == first.as_ref() {
            state.open.push(open);
            continue;
        }
        let id = open.id;
        let message = "the server ended while this was under way, as an editor's does with its editor; what came of \
                       it stands in the session log: look at the files, then make the call again if need be";
        agent.write_all(lost_answer(&id, message).as_bytes()).map_err(ServeError::AgentGone)?;
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

/// Repeats the handshake and the read-only requests to a server that replaces the last one.
fn repeat_state(server: &mut UnixStream, state: &PumpState, greeted: bool) -> std::io::Result<()> {
    let [initialize, initialized] = &state.handshake;
    if let Some(initialize) = initialize {
        server.write_all(initialize)?;
        // An agent that waits for this answer gets it; an agent that has one does not get a second.
        if greeted {
            skip_line(server)?;
        }
    }
    if let Some(initialized) = initialized {
        server.write_all(initialized)?;
    }
    state.open.iter().filter_map(|open| open.resend.as_ref()).try_for_each(|line| server.write_all(line))
}

/// Reads one line, byte by byte, so that the following bytes are left for others to read.
fn skip_line(server: &mut UnixStream) -> std::io::Result<()> {
    let mut byte = [0];
    while byte != *b"\n" {
        server.read_exact(&mut byte)?;
    }
    Ok(())
}

/// Waits for the answers under way after the agent has closed its end, while it still reads.
fn drain_and_leave(shared: &SharedPump) {
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
    state.has_left = true;
    if let Some(server) = &state.server {
        let _ = server.shutdown(Shutdown::Both);
    }
}

/// Returns whether standard output still has a reader.
fn agent_reads() -> bool {
    let stdout = std::io::stdout();
    let mut ends = [PollFd::from_borrowed_fd(stdout.as_fd(), PollFlags::empty())];
    let polled = poll(&mut ends, Some(&Timespec::default()));
    polled.is_err() || !ends[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
