//! The server's side of the socket.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Mutex;
use tokio::task::{AbortHandle, JoinSet};

use super::place::{Server, claim, runtime_folder};
use crate::base::ids::unique;
use crate::hub::Hub;
use crate::protocol::{Code, Door, Fault};

/// Bytes of the longest line that a client may send.
const LONGEST: u64 = 64 << 20;

/// Requests of one client that run at one time; it reads no further until one is answered.
const MOST_AT_ONCE: usize = 256;

/// A listening socket. Dropping it removes its files.
#[derive(Debug)]
pub struct Listening {
    path: PathBuf,
    socket: PathBuf,
    tasks: [AbortHandle; 2],
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
        let _ = std::fs::remove_file(&self.socket);
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Listens for other processes, as the server of the hub's folders, until what it returns is dropped.
///
/// # Errors
/// INTERNAL where the runtime folder cannot be used.
pub fn listen(hub: Hub) -> Result<Listening, Fault> {
    let name = format!("{}-{}", std::process::id(), unique());
    let folder = runtime_folder()?;
    let (path, socket) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.sock")));
    let fault = |error: std::io::Error| Fault::internal(format!("{}: {error}", socket.display()));
    let mut file = claim(&path)?;
    let listener = UnixListener::bind(&socket).map_err(fault)?;
    let token = token()?;
    let mut server = Server {
        pid: std::process::id(),
        roots: hub.roots(),
        socket: socket.display().to_string(),
        token: token.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    write(&mut file, &server).map_err(fault)?;
    let mut roots = hub.watch_roots();
    let announcing = tokio::spawn(async move {
        while roots.changed().await.is_ok() {
            server.roots = roots.borrow_and_update().clone();
            // A reader that comes between sees half a file, takes it for no server, and works on its own.
            let _ = write(&mut file, &server);
        }
    });
    let accepting = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, hub.clone(), token.clone()));
        }
    });
    Ok(Listening { path, socket, tasks: [announcing.abort_handle(), accepting.abort_handle()] })
}

fn write(file: &mut File, server: &Server) -> std::io::Result<()> {
    let json = serde_json::to_vec(server)?;
    file.rewind()?;
    file.write_all(&json)?;
    file.set_len(json.len() as u64)
}

/// 256 bits from the kernel: the token keeps out who can reach the socket but not read the file.
fn token() -> Result<String, Fault> {
    let mut bytes = [0_u8; 32];
    let mut random = File::open("/dev/urandom").map_err(|error| Fault::internal(error.to_string()))?;
    std::io::Read::read_exact(&mut random, &mut bytes).map_err(|error| Fault::internal(error.to_string()))?;
    Ok(crate::base::hash::full(&bytes))
}

/// Talks with one client. When it goes, its calls are cancelled.
async fn serve(stream: UnixStream, hub: Hub, token: String) {
    let (read, write) = stream.into_split();
    let write = Arc::new(Mutex::new(write));
    let mut lines = BufReader::new(read);
    let mut running = JoinSet::new();
    let mut greeted = false;
    loop {
        let mut line = Vec::new();
        match (&mut lines).take(LONGEST).read_until(b'\n', &mut line).await {
            Ok(length) if length > 0 && line.ends_with(b"\n") => {}
            _ => return,
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else { return };
        if !greeted {
            let told = message.get("token").and_then(Value::as_str).unwrap_or_default();
            // Hashes are compared so that the time taken tells nothing of the token.
            greeted = crate::base::hash::full(told.as_bytes()) == crate::base::hash::full(token.as_bytes());
            if !greeted {
                let error = Fault::new(Code::NotAuthorized, "the token is wrong");
                send(&write, &json!({ "error": error })).await;
                return;
            }
            continue;
        }
        while running.len() >= MOST_AT_ONCE {
            running.join_next().await;
        }
        let (hub, write) = (hub.clone(), write.clone());
        running.spawn(async move {
            let method = message.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
            let params = message.get("params").cloned().unwrap_or_default();
            let answer = match hub.request(&method, params, Door::Cli).await {
                Ok(result) => json!({ "id": message.get("id"), "result": result }),
                Err(error) => json!({ "id": message.get("id"), "error": error }),
            };
            send(&write, &answer).await;
        });
        while running.try_join_next().is_some() {}
    }
}

async fn send(write: &Mutex<tokio::net::unix::OwnedWriteHalf>, message: &Value) {
    let mut line = message.to_string();
    line.push('\n');
    // A client that is gone needs no answer.
    let _ = write.lock().await.write_all(line.as_bytes()).await;
}
