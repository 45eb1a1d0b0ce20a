//! Messages of an agent, a line each, over a stream. The crate's own transport tries each of some twenty kinds of
//! request in turn, and escapes text byte by byte; here a tool call, which is nearly all that agents send, is read
//! directly, and text is escaped many bytes at a time.

use std::io;
use std::sync::Arc;

use futures::StreamExt;
use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, GetMeta, JsonRpcMessage,
    JsonRpcVersion2_0, RequestId,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{JsonRpcMessageCodec, JsonRpcMessageCodecError};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::Mutex;
use tokio_util::bytes::{Bytes, BytesMut};
use tokio_util::codec::{Decoder, FramedRead};

use super::LONGEST;
use super::refusal::{self, ProtocolRefusal};
use crate::base::lines::{LineDecoder as Cut, StreamLine};
use crate::base::{json, surrogates};

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A stream of messages in both directions.
pub(super) struct MessageStream<R, W> {
    lines: FramedRead<R, Cut>,
    /// Nothing once it is closed.
    output: Arc<Mutex<Option<W>>>,
}

impl<R: AsyncRead, W> MessageStream<R, W> {
    /// Messages that come from `input` and go to `output`. A line beyond [`LONGEST`] is answered, and read no further.
    pub(super) fn new(input: R, output: W) -> Self {
        Self { lines: FramedRead::new(input, Cut::new(LONGEST)), output: Arc::new(Mutex::new(Some(output))) }
    }
}

impl<R, W> Transport<RoleServer> for MessageStream<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (line, output) = (message_line(&message), self.output.clone());
        async move {
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line?).await?;
            output.flush().await
        }
    }

    // Dropping the future loses nothing: a line that has come is returned at once.
    async fn receive(&mut self) -> Option<Received> {
        loop {
            let read = match self.lines.next().await?.ok()? {
                StreamLine::Whole(line) => read_line(line),
                StreamLine::TooLong(envelope) => ReadOutcome::Wrong(refusal::too_long_refusal(&envelope)),
            };
            match read {
                ReadOutcome::Message(message) => return Some(*message),
                ReadOutcome::Nothing => {}
                ReadOutcome::Wrong(ProtocolRefusal { id, error }) => {
                    drop(tokio::spawn(self.send(Sent::error(error, id))))
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}

enum ReadOutcome {
    Message(Box<Received>),
    /// A message that needs no answer: an unknown notification, or an empty line.
    Nothing,
    /// A malformed message.
    Wrong(ProtocolRefusal),
}

#[derive(Deserialize)]
struct CallMessage {
    #[serde(rename = "jsonrpc")]
    _version: JsonRpcVersion2_0,
    id: RequestId,
    #[serde(rename = "method")]
    _method: CallToolRequestMethod,
    params: CallToolRequestParams,
}

fn read_line(line: Bytes) -> ReadOutcome {
    if let Ok(CallMessage { id, mut params, .. }) = serde_json::from_slice(&line) {
        let meta = params.meta.take();
        let mut request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        if let Some(meta) = meta {
            *request.get_meta_mut() = meta;
        }
        return ReadOutcome::Message(Box::new(JsonRpcMessage::request(request, id)));
    }
    let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
    if text.is_empty() {
        return ReadOutcome::Nothing;
    }
    if let Some(refusal) = refusal::unreadable_refusal(text) {
        return ReadOutcome::Wrong(refusal);
    }
    // Other messages, and faulty calls, are left to the crate. It looks for the line's end.
    let mut whole = BytesMut::from(text);
    whole.extend_from_slice(b"\n");
    match JsonRpcMessageCodec::<Received>::default().decode(&mut whole) {
        Ok(Some(message)) => ReadOutcome::Message(Box::new(message)),
        Ok(None) | Err(JsonRpcMessageCodecError::MaxLineLengthExceeded) => ReadOutcome::Nothing,
        // JavaScript accepts an unpaired surrogate, which this reader does not: only that character is replaced.
        Err(_) => match std::str::from_utf8(text).ok().and_then(surrogates::replace_halves) {
            Some(mended) => read_line(Bytes::from(mended)),
            None => ReadOutcome::Wrong(refusal::no_message_refusal(text)),
        },
    }
}

fn message_line(message: &Sent) -> io::Result<Vec<u8>> {
    let message = serde_json::to_value(message)?;
    // Room for a small file, twice, and its escapes.
    let mut line = Vec::with_capacity(16 << 10);
    json::write_value(&mut line, &message);
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CallToolResult, ContentBlock, ServerResult};
    use serde_json::{Value, json};
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

    use super::*;

    fn message(line: &str) -> Option<Received> {
        match read_line(Bytes::copy_from_slice(line.as_bytes())) {
            ReadOutcome::Message(message) => Some(*message),
            _ => None,
        }
    }

    /// The line as the crate reads it.
    fn theirs(line: &str) -> Option<Received> {
        JsonRpcMessageCodec::<Received>::default().decode(&mut BytesMut::from(&*format!("{line}\n"))).ok()?
    }

    #[test]
    fn a_call_is_read_as_the_crate_reads_it() {
        let whole = r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"fs_read","arguments":{"path":"a","n":[1.5,null]},
            "_meta":{"progressToken":7,"x/y":{"z":1}},"inputResponses":{},"requestState":"s","task":{"ttl":1}}}"#;
        let lines = [
            &*whole.replace('\n', ""),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs_read"}}"#,
            r#"{"params":{"arguments":{},"name":"a"},"method":"tools/call","id":1,"jsonrpc":"2.0","more":1} "#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs_read","arguments":null,"_meta":null}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs_read","arguments":"text"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","name":"b"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ];
        for line in lines {
            let (ours, theirs) = (message(line), theirs(line));
            let shown = |read: Option<Received>| {
                let Some(JsonRpcMessage::Request(mut request)) = read else { return format!("{read:?}") };
                let meta = std::mem::take(request.request.get_meta_mut());
                format!("{} {:?} {}", request.id, meta, json!(request.request))
            };
            assert_eq!(shown(ours), shown(theirs), "{line}");
        }
        let cut = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"x":"\ud83d cut"}}}"#;
        let Some(JsonRpcMessage::Request(request)) = message(cut) else {
            panic!("half a character ends a call")
        };
        assert!(json!(request.request).to_string().contains("\u{fffd} cut"), "{:?}", request.request);
        let Some(JsonRpcMessage::Request(mut request)) = message(lines[0]) else { panic!() };
        assert_eq!(request.request.get_meta_mut().get("x/y"), Some(&json!({ "z": 1 })));
        assert!(matches!(request.request, ClientRequest::CallToolRequest(_)));
    }

    #[tokio::test]
    async fn what_is_no_message_ends_nothing() {
        let ping = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}";
        let mut input =
            format!("\u{feff}{ping}\r\n\n \nnot JSON\n[]\n{{\"method\":\"textDocument/x\"}}\n").into_bytes();
        input.extend_from_slice(b"{\"\xff\":1}\n");
        input.extend_from_slice(format!("{{\"id\":1}}\n{ping}\n{{\"jsonrpc\":").as_bytes());
        let (output, mut written) = tokio::io::duplex(1 << 10);
        let mut lines = MessageStream::new(input.as_slice(), output);
        for _ in 0..2 {
            assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Request(_))));
        }
        assert!(lines.receive().await.is_none());
        // The malformed JSON, and the list and the message without a version.
        let mut errors = BufReader::new(&mut written).lines();
        let mut codes = Vec::new();
        for _ in 0..5 {
            let error: Value = serde_json::from_str(&errors.next_line().await.unwrap().unwrap()).unwrap();
            codes.push(error["error"]["code"].as_i64().unwrap());
        }
        codes.sort_unstable();
        assert_eq!(codes, [-32700, -32700, -32700, -32600, -32600]);
        lines.close().await.unwrap();
        assert_eq!(errors.next_line().await.unwrap(), None);
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_answered_by_its_id() {
        let deep = format!(
            r#"{{"id":"d","jsonrpc":"2.0","method":"x","params":{}{}}}"#,
            "[".repeat(500),
            "]".repeat(500)
        );
        let torn = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"#;
        let long = format!(r#"{{"jsonrpc":"2.0","method":"m","params":"{}","id":4}}"#, "x".repeat(LONGEST));
        let ping = r#"{"jsonrpc":"2.0","id":5,"method":"ping"}"#;
        let input = format!("{deep}\n{torn}\n{long}\n{ping}\n").into_bytes();
        let (output, written) = tokio::io::duplex(1 << 12);
        let mut lines = MessageStream::new(input.as_slice(), output);
        assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Request(_))), "it goes on");
        let mut errors = BufReader::new(written).lines();
        let mut found = Vec::new();
        for _ in 0..3 {
            let error: Value = serde_json::from_str(&errors.next_line().await.unwrap().unwrap()).unwrap();
            found.push(format!("{} {}", error["id"], error["error"]["code"]));
        }
        found.sort();
        assert_eq!(found, [r#""d" -32600"#, "3 -32700", "4 -32600"]);
    }

    #[tokio::test]
    async fn a_line_holds_what_the_crate_would_write() {
        let mut result = CallToolResult::success(vec![ContentBlock::text("a\n\"b\" \u{1}é")]);
        result.structured_content = Some(json!({ "text": "a\nb", "n": 1.5 }));
        let message = || Sent::response(ServerResult::CallToolResult(result.clone()), RequestId::Number(3));
        let (output, mut written) = tokio::io::duplex(1 << 10);
        let mut lines = MessageStream::new(tokio::io::empty(), output);
        lines.send(message()).await.unwrap();
        lines.close().await.unwrap();
        assert_eq!(lines.send(message()).await.unwrap_err().kind(), io::ErrorKind::NotConnected);
        let mut line = String::new();
        written.read_to_string(&mut line).await.unwrap();
        assert_eq!(line.matches('\n').count(), 1);
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), json!(message()));
    }
}
