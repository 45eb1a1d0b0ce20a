//! The transport over a process's standard streams: one message a line, neither line nor flood without end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::model::{CustomResult, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::health::ConnectionHealth;
use super::process::ServerProcess;

/// Bytes of the longest line.
const LINE: usize = 16 << 20;
/// Lines that are no messages before the server is given up.
const RUBBISH: usize = 1000;
/// Messages read a second, where they are not answers: a server that sends more waits.
const PACE: u32 = 1000;
/// The time that it may take to end by itself once its input is closed.
const GRACE: Duration = Duration::from_secs(1);

/// The two streams of a server.
pub(super) struct StdioTransport {
    reader: BufReader<ChildStdout>,
    line: Vec<u8>,
    writer: Arc<Mutex<Option<ChildStdin>>>,
    process: ServerProcess,
    health: Arc<ConnectionHealth>,
    /// Set once the handshake is over: results are handed on as they are from then on.
    raw: Arc<AtomicBool>,
    rubbish: usize,
    window: Instant,
    count: u32,
    over: bool,
}

impl StdioTransport {
    /// The transport of a process.
    pub(super) fn new(
        process: ServerProcess,
        stdin: ChildStdin,
        stdout: ChildStdout,
        health: Arc<ConnectionHealth>,
    ) -> Self {
        health.set_words(process.stderr_tail().clone());
        Self {
            reader: BufReader::with_capacity(64 << 10, stdout),
            line: Vec::new(),
            writer: Arc::new(Mutex::new(Some(stdin))),
            process,
            health,
            raw: Arc::default(),
            rubbish: 0,
            window: Instant::now(),
            count: 0,
            over: false,
        }
    }

    /// The flag that is set once the handshake is over.
    pub(super) fn raw_flag(&self) -> &Arc<AtomicBool> {
        &self.raw
    }

    /// The next line; nothing at the end. May be dropped and asked again at any time: what was read is kept.
    async fn next_line(&mut self) -> Option<()> {
        loop {
            let available = match self.reader.fill_buf().await {
                Ok([]) | Err(_) => return None,
                Ok(available) => available,
            };
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            if self.line.len() + taken > LINE {
                self.health.note_end(format!("it sent a line of more than {LINE} bytes"));
                return None;
            }
            self.line.extend_from_slice(&available[..taken]);
            self.reader.consume(taken);
            if end.is_some() {
                return Some(());
            }
        }
    }

    /// Waits where too much came in this second. Asking again after being dropped waits for the same moment.
    async fn wait_pace(&mut self) {
        if self.count > PACE {
            tokio::time::sleep_until(self.window + Duration::from_secs(1)).await;
            self.count = 0;
        }
        if self.count == 0 || self.window.elapsed() > Duration::from_secs(1) {
            self.window = Instant::now();
            self.count = 0;
        }
    }
}

/// A line as a message; nothing where it is none.
fn parse_message(line: &[u8], raw: bool) -> Option<ServerJsonRpcMessage> {
    let mut value: Value = serde_json::from_slice(line).ok()?;
    if raw && value.get("method").is_none() && value.get("result").is_some() {
        // The requester checks the shape of an answer: a wrong one must not look like none.
        let id: RequestId = serde_json::from_value(value.get_mut("id")?.take()).ok()?;
        let result = value.get_mut("result")?.take();
        return Some(JsonRpcMessage::response(ServerResult::CustomResult(CustomResult::new(result)), id));
    }
    serde_json::from_value(value).ok()
}

impl Transport<RoleClient> for StdioTransport {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let writer = self.writer.clone();
        async move {
            let mut bytes = serde_json::to_vec(&item)?;
            bytes.push(b'\n');
            let mut writer = writer.lock().await;
            let closed = || std::io::Error::from(std::io::ErrorKind::NotConnected);
            let stream = writer.as_mut().ok_or_else(closed)?;
            stream.write_all(&bytes).await?;
            stream.flush().await
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            self.wait_pace().await;
            if self.over || self.next_line().await.is_none() {
                self.over = true;
                let end = self.process.wait_ended().await;
                self.health.note_end(end);
                return None;
            }
            let line = std::mem::take(&mut self.line);
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            match parse_message(text, self.raw.load(Ordering::Relaxed)) {
                Some(message) => {
                    let answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
                    self.count += u32::from(!answer);
                    return Some(message);
                }
                None => {
                    self.health.note_rubbish(text);
                    self.rubbish += 1;
                    self.count += 1;
                    if self.rubbish > RUBBISH {
                        self.health.note_end(format!("it wrote {RUBBISH} lines that are no messages"));
                        self.over = true;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // The end of its input asks a server to end; a writer that is stuck does not delay that.
        if let Ok(mut writer) = tokio::time::timeout(GRACE, self.writer.lock()).await {
            writer.take();
        }
        if !self.over {
            self.over = true;
            let mut rest = tokio::io::sink();
            match tokio::time::timeout(GRACE, tokio::io::copy(&mut self.reader, &mut rest)).await {
                Ok(_) => drop(self.process.wait_ended().await),
                Err(_) => self.process.end_gracefully().await,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_of_any_shape_is_one() {
        for (line, raw, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"tools":5}}"#,
                true,
                r#"{"jsonrpc":"2.0","id":1,"result":{"tools":5}}"#,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":7}"#, true, r#"{"jsonrpc":"2.0","id":1,"result":7}"#),
            (
                r#"{"jsonrpc":"2.0","method":"x","params":{}}"#,
                true,
                r#"{"jsonrpc":"2.0","method":"x","params":{}}"#,
            ),
            (r#"Listening on stdio"#, true, ""),
            (r#"[1,2]"#, false, ""),
            (r#"{"jsonrpc":"2.0","id":{},"result":{}}"#, true, ""),
        ] {
            let read = parse_message(line.as_bytes(), raw);
            let text = read.map(|message| serde_json::to_string(&message).unwrap()).unwrap_or_default();
            assert_eq!(text, expected, "{line}");
        }
    }
}
