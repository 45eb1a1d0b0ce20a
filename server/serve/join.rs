//! An editor whose folder agents work in already joins the server that they have.

use std::io::Cursor;
use std::pin::Pin;
use std::process::ExitCode;
use std::task::{Context, Poll};

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, Chain, ReadBuf};
use tokio::net::UnixStream;

use crate::base::uri;
use crate::lsp::stdio;
use crate::socket::{Greeting, RunningServer, Speaks, enter, servers};

/// Bytes of the longest first message that is looked into.
const LONGEST: usize = 8 << 20;

type Input = Box<dyn AsyncRead + Send + Unpin>;

/// What was read already, and then the rest.
pub(super) struct Replayed(Chain<Cursor<Vec<u8>>, Input>);

impl Replayed {
    /// A stream that begins with `first`.
    pub(super) fn new(first: Vec<u8>, rest: Input) -> Self {
        Self(Cursor::new(first).chain(rest))
    }
}

impl AsyncRead for Replayed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, to)
    }
}

/// The bytes of the first message, and perhaps some of what follows it; less where there is none that can be read.
pub(super) async fn first_message(input: &mut Input) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 << 10);
    while !whole(&bytes) && bytes.len() < LONGEST {
        match input.read_buf(&mut bytes).await {
            Ok(read) if read > 0 => {}
            _ => break,
        }
    }
    bytes
}

/// The body of the message that the bytes begin with, as far as it is there, and its length.
fn body(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let end = memchr::memmem::find(bytes, b"\r\n\r\n")?;
    let header = std::str::from_utf8(&bytes[..end]).ok()?;
    let length = header.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })?;
    Some((&bytes[end + 4..], length))
}

/// Whether the first message is there, or can never be.
fn whole(bytes: &[u8]) -> bool {
    match body(bytes) {
        Some((body, length)) => body.len() >= length,
        None => memchr::memmem::find(bytes, b"\r\n\r\n").is_some(),
    }
}

/// The server that agents have in the one folder that an `initialize` names.
pub(super) fn server_of(first: &[u8]) -> Option<RunningServer> {
    let (body, length) = body(first)?;
    let message: Value = serde_json::from_slice(body.get(..length)?).ok()?;
    let params = message.get("params").filter(|_| message["method"] == "initialize")?;
    let uri = match params.get("workspaceFolders").and_then(Value::as_array) {
        Some(folders) if folders.len() == 1 => folders[0].get("uri"),
        Some(folders) if folders.len() > 1 => return None,
        _ => params.get("rootUri"),
    };
    let root = std::fs::canonicalize(uri::path_of(uri?.as_str()?)?).ok()?;
    let joins = |server: &RunningServer| {
        server.headless
            && server.version == env!("CARGO_PKG_VERSION")
            && server.roots.iter().any(|served| root == std::path::Path::new(served))
    };
    servers().into_iter().find(joins)
}

/// Passes bytes between the editor and a server until one of them ends; nothing where the server has just ended.
pub(super) async fn pass_on(
    server: &RunningServer,
    first: &[u8],
    input: &mut Input,
    orphaned: impl Future<Output = ()>,
) -> Option<ExitCode> {
    let greeting = Greeting { speaks: Some(Speaks::Lsp), ..Greeting::default() };
    let stream = enter(server, greeting).ok()?;
    stream.set_nonblocking(true).ok()?;
    let mut stream = UnixStream::from_std(stream).ok()?;
    stream.write_all(first).await.ok()?;
    let (mut from, mut to) = stream.split();
    let mut output = stdio::output();
    let left = tokio::select! {
        // An error: the server let go first, as it does after `exit`, and the editor still had an answer for it.
        copied = tokio::io::copy(input, &mut to) => copied.is_ok(),
        _ = tokio::io::copy(&mut from, &mut output) => return Some(ExitCode::SUCCESS),
        () = orphaned => return Some(ExitCode::FAILURE),
    };
    // What is under way is answered still.
    let _ = to.shutdown().await;
    let _ = tokio::io::copy(&mut from, &mut output).await;
    Some(if left { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
