//! The server's side of the socket.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::codec::FramedRead;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::error::{SocketError, system_error};
use super::rule_questions::TerminalClient;
use super::running_server::{RunningServer, claim_file, runtime_folder};
use crate::base::envelope::MessageEnvelope;
use crate::base::hash;
use crate::base::ids::unique_word;
use crate::base::lines::{LineDecoder, StreamLine};
use crate::base::random;
use crate::hub::Hub;
use crate::ports::Caller;
use crate::protocol::{Code, Door, Fault, Policy};
use crate::requests::{self, Asker, Signature, Status};

/// Bytes of the longest line that a client may send.
const LONGEST: usize = 64 << 20;

/// Bytes of the longest first line, and how long it may take to come.
const GREETING: u64 = 1 << 20;
const GREETED: Duration = Duration::from_secs(10);

/// The longest time in which a leaving server answers the requests that it took.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Requests of one client that run at one time; it reads no further until one is answered.
const MOST_AT_ONCE: usize = 256;

/// The first line of a connection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ClientGreeting {
    /// The token from the server's file.
    #[serde(default)]
    pub token: String,
    /// The protocol from then on; `None` for requests a line each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaks: Option<SpokenProtocol>,
    /// The folder that an agent works in: an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The policy for an agent's changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Seconds that an agent's change waits for the person, from the agent's entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_s: Option<u64>,
    /// Seconds that no call of the agent may take, by the person's setting for the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_s: Option<u64>,
    /// The environment that an agent's calls run in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The way in of the agent's own tools that the requests stand for; the command line where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// True where a person at the client's terminal answers the questions of the rules about its calls.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asks: bool,
    /// The address at which agents are to be served over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The bearer token of those agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
}

/// The protocols that a connection may use instead of requests a line each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SpokenProtocol {
    /// The Model Context Protocol.
    Mcp,
    /// Nothing: it keeps an HTTP address open for as long as it lasts, and receives that address.
    Http,
    /// The language server protocol.
    Lsp,
}

/// Takes connections that speak another language on.
pub(crate) trait ConnectionHandler: Send + Sync {
    /// Serves one until it ends.
    fn serve_connection(
        &self,
        greeting: ClientGreeting,
        stream: BufReader<UnixStream>,
    ) -> BoxFuture<'static, ()>;
}

/// A listening socket. Dropping it removes its files.
#[derive(Debug)]
pub(crate) struct SocketListener {
    path: PathBuf,
    socket: PathBuf,
    tasks: [AbortHandle; 2],
    clients: watch::Receiver<usize>,
    leaving: LeaveSignal,
}

/// The connections that speak our own requests, and the word to them that the server leaves.
#[derive(Clone, Debug, Default)]
struct LeaveSignal {
    word: CancellationToken,
    connections: TaskTracker,
}

impl SocketListener {
    /// Returns the number of connected clients, as it changes.
    pub(crate) fn clients(&self) -> watch::Receiver<usize> {
        self.clients.clone()
    }

    /// Takes no more connections. The requests that were taken are answered, for a second at most; the clients are
    /// informed that the others were not taken.
    pub(crate) async fn shut_down(self) {
        let LeaveSignal { word, connections } = self.leaving.clone();
        drop(self);
        word.cancel();
        connections.close();
        let _ = timeout(LAST_ANSWERS, connections.wait()).await;
    }
}

impl Drop for SocketListener {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        let _ = std::fs::remove_file(&self.socket);
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Listens for other processes, as the server of the hub's folders, until what it returns is dropped. `headless` is
/// true if no editor started it.
///
/// # Errors
/// INTERNAL if the runtime folder cannot be used.
pub(crate) fn listen_socket(
    hub: Hub,
    doors: Arc<dyn ConnectionHandler>,
    headless: bool,
) -> Result<SocketListener, SocketError> {
    let name = format!("{}-{}", std::process::id(), unique_word());
    let folder = runtime_folder()?;
    let (path, socket) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.sock")));
    let mut file = claim_file(&path)?;
    let listener = UnixListener::bind(&socket).map_err(system_error(&socket))?;
    // It keeps out who can reach the socket but not read the file.
    let token = random::random_token()?;
    let mut server = RunningServer {
        pid: std::process::id(),
        roots: hub.roots(),
        socket: socket.display().to_string(),
        token: token.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        headless,
    };
    write_description(&mut file, &server).map_err(system_error(&socket))?;
    let mut roots = hub.watch_roots();
    let announcing = tokio::spawn(async move {
        while roots.changed().await.is_ok() {
            server.roots = roots.borrow_and_update().clone();
            // A reader that comes between sees half a file, takes it for no server, and works on its own.
            let _ = write_description(&mut file, &server);
        }
    });
    let (count, clients) = watch::channel(0);
    let leaving = LeaveSignal::default();
    let left_by = leaving.clone();
    let accepting = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.send_modify(|count| *count += 1);
            let left = DepartedClient(count.clone());
            let (hub, doors, token, leaving) = (hub.clone(), doors.clone(), token.clone(), leaving.clone());
            tokio::spawn(async move {
                let _left = left;
                greet_client(stream, hub, &*doors, &token, leaving).await;
            });
        }
    });
    let tasks = [announcing.abort_handle(), accepting.abort_handle()];
    Ok(SocketListener { path, socket, tasks, clients, leaving: left_by })
}

/// Counts a client off when it is gone.
struct DepartedClient(watch::Sender<usize>);

impl Drop for DepartedClient {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

fn write_description(file: &mut File, server: &RunningServer) -> std::io::Result<()> {
    let json = serde_json::to_vec(server)?;
    file.rewind()?;
    file.write_all(&json)?;
    file.set_len(json.len() as u64)
}

/// Lets one client in, and serves it in the language that it speaks.
async fn greet_client(
    stream: UnixStream,
    hub: Hub,
    doors: &dyn ConnectionHandler,
    token: &str,
    leaving: LeaveSignal,
) {
    let mut stream = BufReader::new(stream);
    // Who is let in by nothing else holds the server up for no longer than this.
    let Ok(Some(line)) = timeout(GREETED, read_greeting(&mut stream)).await else { return };
    let greeting = match serde_json::from_slice::<ClientGreeting>(&line) {
        Ok(greeting) => greeting,
        Err(error) => {
            let error = unreadable_line(&MessageEnvelope::from_text(&line), &error.to_string());
            let _ = stream.write_all(format!("{error}\n").as_bytes()).await;
            return;
        }
    };
    // Hashes are compared so that the duration reveals nothing of the token.
    if hash::full_hash(greeting.token.as_bytes()) != hash::full_hash(token.as_bytes()) {
        let error = Fault::new(Code::NotAuthorized, "the token is wrong");
        let _ = stream.write_all(format!("{}\n", json!({ "error": error })).as_bytes()).await;
        return;
    }
    match (greeting.speaks, greeting.door.unwrap_or_default()) {
        (Some(_), _) => doors.serve_connection(greeting, stream).await,
        (None, door) if door == Door::Cli || door.is_native() => {
            let asks = greeting.asks && door == Door::Cli;
            leaving.connections.track_future(serve_client(stream, hub, (door, asks), leaving.word)).await;
        }
        (None, door) => {
            let message = format!("requests do not come by the door {door:?}");
            let error =
                Fault::new(Code::InvalidArgs, message).with_suggestion("leave `door` out of the greeting");
            let _ = stream.write_all(format!("{}\n", json!({ "error": error })).as_bytes()).await;
        }
    }
}

/// The first line; nothing at the end of the stream, or if it is too long.
async fn read_greeting(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    match stream.take(GREETING).read_until(b'\n', &mut line).await {
        Ok(length) if length > 0 && line.ends_with(b"\n") => Some(line),
        _ => None,
    }
}

/// The answer to a line that is no request, by its id if that can be read.
fn unreadable_line(envelope: &MessageEnvelope, why: &str) -> Value {
    let form = json!({ "id": 1, "method": Status::METHOD, "params": {} });
    let error = Fault::new(Code::InvalidArgs, format!("the line is not a request: {why}"))
        .with_suggestion(format!("write {form} on one line"));
    json!({ "id": envelope.request_id(), "error": error })
}

/// Answers the requests of one client, whose door is given, and whether its person can be asked. When it goes, its calls are
/// cancelled. When the server leaves, the requests that it took are answered first.
async fn serve_client(
    stream: BufReader<UnixStream>,
    hub: Hub,
    (door, asks): (Door, bool),
    leaving: CancellationToken,
) {
    let (lines, write) = tokio::io::split(stream);
    let write = Arc::new(Mutex::new(write));
    let person = asks.then(|| TerminalClient::new(write.clone()));
    let mut lines = FramedRead::new(lines, LineDecoder::new(LONGEST));
    let mut running = JoinSet::new();
    loop {
        let line = tokio::select! {
            biased;
            () = leaving.cancelled() => break,
            line = lines.next() => line,
        };
        let Some(Ok(line)) = line else { return };
        let read = match &line {
            StreamLine::Whole(line) if line.trim_ascii().is_empty() => continue,
            StreamLine::Whole(line) => serde_json::from_slice::<Value>(line)
                .map_err(|error| unreadable_line(&MessageEnvelope::from_text(line), &error.to_string())),
            StreamLine::TooLong(envelope) => {
                Err(unreadable_line(envelope, &format!("it has more than {LONGEST} bytes")))
            }
        };
        let message = match read {
            Ok(message) => message,
            Err(error) => {
                let _ = write.lock().await.write_all(format!("{error}\n").as_bytes()).await;
                continue;
            }
        };
        if let Some(person) = &person
            && message.get("answers").is_some()
        {
            match serde_json::from_value(message) {
                Ok(answer) => person.take_answer(answer),
                Err(error) => tracing::warn!("an answer of a terminal cannot be read: {error}"),
            }
            continue;
        }
        while running.len() >= MOST_AT_ONCE {
            running.join_next().await;
        }
        let (hub, write) = (hub.clone(), write.clone());
        let caller = person.clone().map(|person| person as Arc<dyn Caller>);
        let asker = Asker { caller, ..Asker::from_door(door) };
        running.spawn(async move {
            let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
            let params = message.get("params").cloned().unwrap_or_default();
            let answer = match requests::answer_method(&hub, &method, params, asker).await {
                Ok(result) => json!({ "id": message.get("id"), "result": result }),
                Err(error) => json!({ "id": message.get("id"), "error": error }),
            };
            let mut line = answer.to_string();
            line.push('\n');
            // A client that is gone needs no answer.
            let _ = write.lock().await.write_all(line.as_bytes()).await;
        });
        while running.try_join_next().is_some() {}
    }
    while running.join_next().await.is_some() {}
    let _ = write.lock().await.write_all(format!("{}\n", json!({ "left": true })).as_bytes()).await;
}
