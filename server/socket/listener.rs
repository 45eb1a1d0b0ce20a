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

use super::error::{SocketError, system};
use super::place::{RunningServer, claim, runtime_folder};
use crate::base::envelope::Envelope;
use crate::base::hash;
use crate::base::ids::unique;
use crate::base::lines::{Line, Lines};
use crate::base::random;
use crate::hub::Hub;
use crate::protocol::{Code, Door, Fault, Policy};
use crate::requests::{self, Asker, Signature, Status};

/// Bytes of the longest line that a client may send.
const LONGEST: usize = 64 << 20;

/// Bytes of the longest first line, and how long it may take to come.
const GREETING: u64 = 1 << 20;
const GREETED: Duration = Duration::from_secs(10);

/// How long a server that leaves takes to answer the requests that it took.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Requests of one client that run at one time; it reads no further until one is answered.
const MOST_AT_ONCE: usize = 256;

/// The first line of a connection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Greeting {
    /// The token from the server's file.
    #[serde(default)]
    pub token: String,
    /// What is spoken from then on: nothing for requests a line each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaks: Option<Speaks>,
    /// The folder that an agent works in: an absolute path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// What becomes of an agent's changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Policy>,
    /// Seconds that an agent's change waits for the person, as the agent's entry says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_s: Option<u64>,
    /// Seconds that no call of the agent may take, as the person has told the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_s: Option<u64>,
    /// The way in of the agent's own tools that the requests stand for; the command line where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub door: Option<Door>,
    /// Where agents are to be served over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What those agents show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bearer: Option<String>,
}

/// The languages that a connection may speak beside our own requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Speaks {
    /// The Model Context Protocol.
    Mcp,
    /// Nothing: it keeps an HTTP address open for as long as it lasts, and is told which.
    Http,
    /// The language server protocol.
    Lsp,
}

/// Takes connections that speak another language on.
pub(crate) trait Doors: Send + Sync {
    /// Serves one until it ends.
    fn open(&self, greeting: Greeting, stream: BufReader<UnixStream>) -> BoxFuture<'static, ()>;
}

/// A listening socket. Dropping it removes its files.
#[derive(Debug)]
pub(crate) struct SocketListener {
    path: PathBuf,
    socket: PathBuf,
    tasks: [AbortHandle; 2],
    clients: watch::Receiver<usize>,
    leaving: Leaving,
}

/// The connections that speak our own requests, and the word to them that the server leaves.
#[derive(Clone, Debug, Default)]
struct Leaving {
    word: CancellationToken,
    connections: TaskTracker,
}

impl SocketListener {
    /// How many clients are connected, as it changes.
    pub(crate) fn clients(&self) -> watch::Receiver<usize> {
        self.clients.clone()
    }

    /// Lets nobody in any more. The requests that were taken are answered, for a second at most; the clients are told that
    /// the others were not taken.
    pub(crate) async fn leave(self) {
        let Leaving { word, connections } = self.leaving.clone();
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

/// Listens for other processes, as the server of the hub's folders, until what it returns is dropped. `headless` says
/// that no editor started it.
///
/// # Errors
/// INTERNAL where the runtime folder cannot be used.
pub(crate) fn listen(hub: Hub, doors: Arc<dyn Doors>, headless: bool) -> Result<SocketListener, SocketError> {
    let name = format!("{}-{}", std::process::id(), unique());
    let folder = runtime_folder()?;
    let (path, socket) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.sock")));
    let mut file = claim(&path)?;
    let listener = UnixListener::bind(&socket).map_err(system(&socket))?;
    // It keeps out who can reach the socket but not read the file.
    let token = random::token()?;
    let mut server = RunningServer {
        pid: std::process::id(),
        roots: hub.roots(),
        socket: socket.display().to_string(),
        token: token.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        headless,
    };
    write(&mut file, &server).map_err(system(&socket))?;
    let mut roots = hub.watch_roots();
    let announcing = tokio::spawn(async move {
        while roots.changed().await.is_ok() {
            server.roots = roots.borrow_and_update().clone();
            // A reader that comes between sees half a file, takes it for no server, and works on its own.
            let _ = write(&mut file, &server);
        }
    });
    let (count, clients) = watch::channel(0);
    let leaving = Leaving::default();
    let left_by = leaving.clone();
    let accepting = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            count.send_modify(|count| *count += 1);
            let left = DepartedClient(count.clone());
            let (hub, doors, token, leaving) = (hub.clone(), doors.clone(), token.clone(), leaving.clone());
            tokio::spawn(async move {
                let _left = left;
                greet(stream, hub, &*doors, &token, leaving).await;
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

fn write(file: &mut File, server: &RunningServer) -> std::io::Result<()> {
    let json = serde_json::to_vec(server)?;
    file.rewind()?;
    file.write_all(&json)?;
    file.set_len(json.len() as u64)
}

/// Lets one client in, and serves it in the language that it speaks.
async fn greet(stream: UnixStream, hub: Hub, doors: &dyn Doors, token: &str, leaving: Leaving) {
    let mut stream = BufReader::new(stream);
    // Who is let in by nothing else holds the server up for no longer than this.
    let Ok(Some(line)) = timeout(GREETED, line(&mut stream)).await else { return };
    let greeting = match serde_json::from_slice::<Greeting>(&line) {
        Ok(greeting) => greeting,
        Err(error) => {
            let error = unreadable(&Envelope::of(&line), &error.to_string());
            let _ = stream.write_all(format!("{error}\n").as_bytes()).await;
            return;
        }
    };
    // Hashes are compared so that the time taken tells nothing of the token.
    if hash::full(greeting.token.as_bytes()) != hash::full(token.as_bytes()) {
        let error = Fault::new(Code::NotAuthorized, "the token is wrong");
        let _ = stream.write_all(format!("{}\n", json!({ "error": error })).as_bytes()).await;
        return;
    }
    match (greeting.speaks, greeting.door.unwrap_or_default()) {
        (Some(_), _) => doors.open(greeting, stream).await,
        (None, door) if door == Door::Cli || door.is_native() => {
            leaving.connections.track_future(serve(stream, hub, door, leaving.word)).await;
        }
        (None, door) => {
            let message = format!("requests do not come by the door {door:?}");
            let error = Fault::new(Code::InvalidArgs, message).suggest("leave `door` out of the greeting");
            let _ = stream.write_all(format!("{}\n", json!({ "error": error })).as_bytes()).await;
        }
    }
}

/// The first line; nothing at the end of the stream, or where it is too long.
async fn line(stream: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    match stream.take(GREETING).read_until(b'\n', &mut line).await {
        Ok(length) if length > 0 && line.ends_with(b"\n") => Some(line),
        _ => None,
    }
}

/// The answer to a line that is no request, by its id where that can be read.
fn unreadable(envelope: &Envelope, why: &str) -> Value {
    let form = json!({ "id": 1, "method": Status::METHOD, "params": {} });
    let error = Fault::new(Code::InvalidArgs, format!("the line is not a request: {why}"))
        .suggest(format!("write {form} on one line"));
    json!({ "id": envelope.request_id(), "error": error })
}

/// Answers the requests of one client. When it goes, its calls are cancelled. When the server leaves, the requests that it
/// took are answered first.
async fn serve(stream: BufReader<UnixStream>, hub: Hub, door: Door, leaving: CancellationToken) {
    let (lines, write) = tokio::io::split(stream);
    let write = Arc::new(Mutex::new(write));
    let mut lines = FramedRead::new(lines, Lines::new(LONGEST));
    let mut running = JoinSet::new();
    loop {
        let line = tokio::select! {
            biased;
            () = leaving.cancelled() => break,
            line = lines.next() => line,
        };
        let Some(Ok(line)) = line else { return };
        let read = match &line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => serde_json::from_slice::<Value>(line)
                .map_err(|error| unreadable(&Envelope::of(line), &error.to_string())),
            Line::TooLong(envelope) => {
                Err(unreadable(envelope, &format!("it has more than {LONGEST} bytes")))
            }
        };
        let message = match read {
            Ok(message) => message,
            Err(error) => {
                let _ = write.lock().await.write_all(format!("{error}\n").as_bytes()).await;
                continue;
            }
        };
        while running.len() >= MOST_AT_ONCE {
            running.join_next().await;
        }
        let (hub, write) = (hub.clone(), write.clone());
        running.spawn(async move {
            let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
            let params = message.get("params").cloned().unwrap_or_default();
            let answer = match requests::answer(&hub, &method, params, Asker::door(door)).await {
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
