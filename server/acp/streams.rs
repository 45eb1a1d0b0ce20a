//! The two ends of the proxy: streams to read from them, and writers of lines to them.

use std::io;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

/// Bytes to be read from an end.
pub type EndInput = Box<dyn AsyncRead + Send + Unpin>;
/// A stream for bytes to an end.
pub type EndOutput = Box<dyn AsyncWrite + Send + Unpin>;

/// The streams of an editor and of an agent.
pub struct ProxyStreams {
    /// The stream from the editor.
    pub from_editor: EndInput,
    /// The stream to the editor.
    pub to_editor: EndOutput,
    /// The stream from the agent.
    pub from_agent: EndInput,
    /// The stream to the agent.
    pub to_agent: EndOutput,
}

/// Writes lines to an end, each whole. Clones write to the same end.
#[derive(Clone)]
pub(super) struct EndOutbox(Arc<Mutex<Option<EndOutput>>>);

impl EndOutbox {
    /// Lines to that stream.
    pub(super) fn new(output: EndOutput) -> Self {
        Self(Arc::new(Mutex::new(Some(output))))
    }

    /// Writes a line; `line` is without its end.
    ///
    /// # Errors
    /// The error of the stream; BrokenPipe if it is closed.
    pub(super) async fn write_line(&self, line: &[u8]) -> io::Result<()> {
        let mut guard = self.0.lock().await;
        let output = guard.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        output.write_all(line).await?;
        output.write_all(b"\n").await?;
        output.flush().await
    }

    /// Writes a message. If the end does not read any more, the reader of that end detects it.
    pub(super) async fn send_message(&self, message: &Value) {
        let _ = self.write_line(message.to_string().as_bytes()).await;
    }

    /// Closes the stream, so that the end reads its end of file.
    pub(super) async fn close_stream(&self) {
        if let Some(mut output) = self.0.lock().await.take() {
            let _ = output.shutdown().await;
        }
    }
}
