//! The two ends of the proxy: what is read from them, and what is written to them one line at a time.

use std::io;
use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;

/// Bytes to be read from an end.
pub type EndInput = Box<dyn AsyncRead + Send + Unpin>;
/// Where bytes to an end are written.
pub type EndOutput = Box<dyn AsyncWrite + Send + Unpin>;

/// The streams of an editor and of an agent.
pub struct Ends {
    /// What the editor sends.
    pub from_editor: EndInput,
    /// What the editor reads.
    pub to_editor: EndOutput,
    /// What the agent sends.
    pub from_agent: EndInput,
    /// What the agent reads.
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
    /// What the stream says; BrokenPipe once it is closed.
    pub(super) async fn line(&self, line: &[u8]) -> io::Result<()> {
        let mut guard = self.0.lock().await;
        let output = guard.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::BrokenPipe))?;
        output.write_all(line).await?;
        output.write_all(b"\n").await?;
        output.flush().await
    }

    /// Writes a message. An end that reads no more is found out by whoever reads from it.
    pub(super) async fn send(&self, message: &Value) {
        let _ = self.line(message.to_string().as_bytes()).await;
    }

    /// Closes the stream: its end reads that nothing more comes.
    pub(super) async fn close(&self) {
        if let Some(mut output) = self.0.lock().await.take() {
            let _ = output.shutdown().await;
        }
    }
}
