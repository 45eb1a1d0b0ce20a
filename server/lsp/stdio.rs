//! Standard input and output without a thread between them and the runtime, where they are pipes or sockets.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;

/// Standard input. Call it inside the runtime.
pub(crate) fn open_input() -> Box<dyn AsyncRead + Send + Unpin> {
    match open_channel(std::io::stdin().as_fd()) {
        Some(StdioChannel::Pipe(file)) => match pipe::Receiver::from_file(file) {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        Some(StdioChannel::Socket(socket)) => Box::new(socket),
        None => Box::new(tokio::io::stdin()),
    }
}

/// Standard output. Call it inside the runtime.
pub(crate) fn open_output() -> Box<dyn AsyncWrite + Send + Unpin> {
    match open_channel(std::io::stdout().as_fd()) {
        Some(StdioChannel::Pipe(file)) => match pipe::Sender::from_file(file) {
            Ok(pipe) => Box::new(pipe),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        Some(StdioChannel::Socket(socket)) => Box::new(socket),
        None => Box::new(tokio::io::stdout()),
    }
}

enum StdioChannel {
    Pipe(File),
    Socket(tokio::net::UnixStream),
}

fn open_channel(fd: BorrowedFd<'_>) -> Option<StdioChannel> {
    let fd: OwnedFd = fd.try_clone_to_owned().ok()?;
    let file = File::from(fd);
    let kind = file.metadata().ok()?.file_type();
    if kind.is_fifo() {
        return Some(StdioChannel::Pipe(file));
    }
    if !kind.is_socket() {
        return None;
    }
    let socket = UnixStream::from(OwnedFd::from(file));
    socket.local_addr().ok()?;
    socket.set_nonblocking(true).ok()?;
    tokio::net::UnixStream::from_std(socket).ok().map(StdioChannel::Socket)
}
