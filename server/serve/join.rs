//! An editor whose folder already has a server for agents joins that server.

use std::io::Cursor;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::{Context, Poll};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, Chain, ReadBuf};
use tokio::net::UnixStream;

use crate::base::uri;
use crate::lsp::stdio;
use crate::socket::{ClientGreeting, RunningServer, SpokenProtocol, connect_to, running_servers};

/// Bytes of the longest first message that is parsed.
const LONGEST: usize = 8 << 20;

type EditorInput = Box<dyn AsyncRead + Send + Unpin>;

/// The bytes that were read already, followed by the rest of the stream.
pub(super) struct ReplayedInput(Chain<Cursor<Vec<u8>>, EditorInput>);

impl ReplayedInput {
    /// A stream that begins with `first`.
    pub(super) fn new(first: Vec<u8>, rest: EditorInput) -> Self {
        Self(Cursor::new(first).chain(rest))
    }
}

impl AsyncRead for ReplayedInput {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, to)
    }
}

/// Reads the first message, and perhaps more; less if it is malformed.
pub(super) async fn first_message(input: &mut EditorInput) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 << 10);
    while !is_message_whole(&bytes) && bytes.len() < LONGEST {
        match input.read_buf(&mut bytes).await {
            Ok(read) if read > 0 => {}
            _ => break,
        }
    }
    bytes
}

/// The body of the first message, possibly incomplete, and its length.
fn message_body(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let end = memchr::memmem::find(bytes, b"\r\n\r\n")?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let length = header.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })?;
    Some((&bytes[end + 4..], length))
}

/// Returns whether the first message is complete, or never will be.
fn is_message_whole(bytes: &[u8]) -> bool {
    match message_body(bytes) {
        Some((body, length)) => body.len() >= length,
        None => memchr::memmem::find(bytes, b"\r\n\r\n").is_some(),
    }
}

/// Finds a running headless server of this version that serves the one folder named in an `initialize`, which is given as a
/// message of the Language Server Protocol with its header.
pub(super) fn find_headless_server(first_message: &[u8]) -> Option<RunningServer> {
    let (body, length) = message_body(first_message)?;
    let message: Value = serde_json::from_slice(body.get(..length)?).ok()?;
    let params = message.get("params").filter(|_| message["method"] == "initialize")?;
    let uri = match params.get("workspaceFolders").and_then(Value::as_array) {
        Some(folders) if folders.len() == 1 => folders[0].get("uri"),
        Some(folders) if folders.len() > 1 => return None,
        _ => params.get("rootUri"),
    };
    let root = std::fs::canonicalize(uri::path_from_uri(uri?.as_str()?)?).ok()?;
    let joins = |server: &RunningServer| {
        server.headless
            && server.version == env!("CARGO_PKG_VERSION")
            && server.roots.iter().any(|served| root == std::path::Path::new(served))
    };
    running_servers().into_iter().find(joins)
}

/// Passes bytes between the editor and a server until one of them ends; none if the server has just ended.
pub(super) async fn pass_on(
    server: &RunningServer,
    first: &[u8],
    input: &mut EditorInput,
    orphaned: impl Future<Output = ()>,
) -> Option<ExitCode> {
    let greeting = ClientGreeting { speaks: Some(SpokenProtocol::Lsp), ..ClientGreeting::default() };
    let stream = connect_to(server, greeting).ok()?;
    stream.set_nonblocking(true).ok()?;
    let mut stream = UnixStream::from_std(stream).ok()?;
    stream.write_all(first).await.ok()?;
    let (mut from, mut to) = stream.split();
    let mut output = stdio::open_output();
    let left = tokio::select! {
        // After an error the server closed first, as it does after `exit`, while the editor still sent an answer.
        copied = tokio::io::copy(input, &mut to) => copied.is_ok(),
        _ = tokio::io::copy(&mut from, &mut output) => return Some(ExitCode::SUCCESS),
        () = orphaned => return Some(ExitCode::FAILURE),
    };
    // Requests under way are still answered.
    let _ = to.shutdown().await;
    let _ = tokio::io::copy(&mut from, &mut output).await;
    Some(if left { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
