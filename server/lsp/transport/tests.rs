//! The transport over pipes in memory, with a scripted service.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::notification::LogMessage;
use tower_lsp::ls_types::*;
use tower_lsp::{Client, LanguageServer, LspService};

use super::*;

struct Mock {
    client: Client,
    opened: AtomicUsize,
}

impl LanguageServer for Mock {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, _: DidOpenTextDocumentParams) {
        self.opened.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

impl Mock {
    async fn echo(&self, params: Value) -> Result<Value> {
        Ok(params)
    }

    async fn opened(&self, _: Value) -> Result<usize> {
        Ok(self.opened.load(Ordering::SeqCst))
    }

    async fn panic(&self, _: Value) -> Result<Value> {
        panic!("as asked")
    }

    async fn panics(&self, _: Value) {
        panic!("as asked")
    }

    async fn wait(&self, _: Value) -> Result<Value> {
        std::future::pending().await
    }

    async fn log(&self, _: Value) -> Result<Value> {
        for index in 0..3 {
            let message = index.to_string();
            self.client
                .send_notification::<LogMessage>(LogMessageParams { typ: MessageType::LOG, message })
                .await;
        }
        Ok(json!("logged"))
    }
}

/// A client at the other end of a pipe.
struct Peer {
    to: Option<DuplexStream>,
    from: DuplexStream,
    server: JoinHandle<TransportEnd>,
}

impl Peer {
    fn raw(room: usize) -> Self {
        let (service, socket) = LspService::build(|client| Mock { client, opened: AtomicUsize::new(0) })
            .custom_method("echo", Mock::echo)
            .custom_method("opened", Mock::opened)
            .custom_method("panic", Mock::panic)
            .custom_method("panics", Mock::panics)
            .custom_method("wait", Mock::wait)
            .custom_method("log", Mock::log)
            .finish();
        let (to, input) = tokio::io::duplex(room);
        let (output, from) = tokio::io::duplex(room);
        let server = tokio::spawn(serve_transport(input, output, service, socket, std::future::pending()));
        Self { to: Some(to), from, server }
    }

    async fn new() -> Self {
        let mut peer = Self::raw(1 << 16);
        peer.request(json!("start"), "initialize", json!({ "capabilities": {} })).await;
        assert_eq!(
            peer.receive().await,
            json!({ "jsonrpc": "2.0", "id": "start", "result": { "capabilities": {} } })
        );
        peer
    }

    async fn bytes(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    async fn send(&mut self, message: Value) {
        self.bytes(&message::frame_message(&message)).await;
    }

    async fn request(&mut self, id: Value, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    async fn receive(&mut self) -> Value {
        timeout(Duration::from_secs(60), read(&mut self.from)).await.unwrap()
    }

    async fn check(&mut self, expected: Value) {
        let mut message = self.receive().await;
        message.as_object_mut().unwrap().remove("jsonrpc");
        if let Some(error) = message.get_mut("error").and_then(Value::as_object_mut) {
            error.retain(|key, _| key == "code");
        }
        assert_eq!(message, expected);
    }

    async fn end(self) -> TransportEnd {
        timeout(Duration::from_secs(20), self.server).await.unwrap().unwrap()
    }
}

async fn read(from: &mut DuplexStream) -> Value {
    let mut header = Vec::new();
    while !header.ends_with(b"\r\n\r\n") {
        header.push(from.read_u8().await.unwrap());
    }
    let length = String::from_utf8(header).unwrap();
    let length = length.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
    let mut body = vec![0; length];
    from.read_exact(&mut body).await.unwrap();
    serde_json::from_slice(&body).unwrap()
}

fn error(id: Value, code: i64) -> Value {
    json!({ "id": id, "error": { "code": code } })
}

#[tokio::test]
async fn phases() {
    let mut peer = Peer::raw(1 << 16);
    for method in ["echo", "shutdown", "unknown", "$/unknown"] {
        peer.request(json!(1), method, Value::Null).await;
        peer.check(error(json!(1), -32002)).await;
    }
    peer.request(json!(1), "initialize", json!({ "capabilities": 5 })).await;
    peer.check(error(json!(1), -32602)).await;
    peer.notify("initialize", json!({ "capabilities": {} })).await;
    peer.notify("shutdown", Value::Null).await;
    peer.request(json!(1), "initialize", json!({ "capabilities": {} })).await;
    peer.check(json!({ "id": 1, "result": { "capabilities": {} } })).await;
    peer.request(json!(2), "initialize", json!({ "capabilities": {} })).await;
    peer.check(error(json!(2), -32600)).await;
    peer.request(json!(3), "exit", Value::Null).await;
    peer.check(error(json!(3), -32600)).await;
    peer.notify("shutdown", Value::Null).await;
    for (method, code) in [("unknown", -32601), ("$/unknown", -32601), ("textDocument/didOpen", -32600)] {
        peer.request(json!(4), method, Value::Null).await;
        peer.check(error(json!(4), code)).await;
    }
    peer.notify("unknown", Value::Null).await;
    peer.request(json!(5), "shutdown", json!({})).await;
    peer.check(json!({ "id": 5, "result": null })).await;
    peer.request(json!(6), "echo", Value::Null).await;
    peer.check(error(json!(6), -32600)).await;
    peer.notify("exit", Value::Null).await;
    assert_eq!(peer.end().await, TransportEnd { reason: EndReason::Exit, shut_down: true });
}

#[tokio::test]
async fn ids_go_back_as_they_came() {
    let mut peer = Peer::new().await;
    for id in [json!(0), json!(-5), json!(i64::MIN), json!(u64::MAX), json!(""), json!("ü\n"), Value::Null] {
        peer.request(id.clone(), "echo", json!(7)).await;
        peer.check(json!({ "id": id, "result": 7 })).await;
        peer.request(id.clone(), "wait", json!({})).await;
        peer.request(id.clone(), "echo", json!(7)).await;
        peer.check(error(id.clone(), -32600)).await;
        peer.notify("$/cancelRequest", json!({ "id": id })).await;
        peer.check(error(id, -32800)).await;
    }
    peer.notify("$/cancelRequest", json!({ "id": 99 })).await;
    peer.notify("$/cancelRequest", json!("nonsense")).await;
    peer.request(json!(1), "echo", json!([])).await;
    peer.check(json!({ "id": 1, "result": [] })).await;
}

#[tokio::test]
async fn a_panic_is_an_answer() {
    let mut peer = Peer::new().await;
    for _ in 0..2 {
        peer.request(json!(1), "panic", json!({})).await;
        peer.check(error(json!(1), -32603)).await;
        peer.notify("panics", json!({})).await;
    }
    peer.request(json!(1), "echo", json!("alive")).await;
    peer.check(json!({ "id": 1, "result": "alive" })).await;
}

#[tokio::test]
async fn wire_order_is_state_order() {
    let mut peer = Peer::new().await;
    let document = json!({ "uri": "file:///a", "languageId": "", "version": 1, "text": "" });
    for count in 1..50 {
        peer.notify("textDocument/didOpen", json!({ "textDocument": document })).await;
        peer.request(json!(count), "opened", json!({})).await;
        peer.check(json!({ "id": count, "result": count })).await;
    }
}

#[tokio::test]
async fn what_a_handler_sends_comes_before_its_answer() {
    let mut peer = Peer::new().await;
    for id in 0..20 {
        peer.request(json!(id), "log", json!({})).await;
        for index in 0..3 {
            let params = json!({ "type": 4, "message": index.to_string() });
            peer.check(json!({ "method": "window/logMessage", "params": params })).await;
        }
        peer.check(json!({ "id": id, "result": "logged" })).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_at_once() {
    let mut peer = Peer::new().await;
    let mut to = peer.to.take().unwrap();
    let writing = tokio::spawn(async move {
        for id in 0..10_000 {
            let request = json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": id });
            to.write_all(&message::frame_message(&request)).await.unwrap();
        }
        to
    });
    let mut answered = vec![false; 10_000];
    for _ in 0..10_000 {
        let answer = peer.receive().await;
        assert_eq!(answer["id"], answer["result"]);
        let id = answer["id"].as_u64().unwrap() as usize;
        assert!(!std::mem::replace(&mut answered[id], true));
    }
    drop(writing.await.unwrap());
    assert_eq!(peer.end().await, TransportEnd { reason: EndReason::StreamClosed, shut_down: false });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_is_not_read_from() {
    let mut peer = Peer::new().await;
    let large = "y".repeat(1 << 20);
    let mut sent = 0;
    loop {
        let frame = message::frame_message(
            &json!({ "jsonrpc": "2.0", "id": sent, "method": "echo", "params": large }),
        );
        let write = peer.to.as_mut().unwrap().write_all(&frame);
        if timeout(Duration::from_millis(500), write).await.is_err() {
            break;
        }
        sent += frame.len();
        assert!(sent < 4 * outgoing::QUEUE_LIMIT, "nothing stops it");
    }
    // A read that a time-out interrupted leaves the stream in the middle of a frame: reading goes on.
    let Peer { to, mut from, server } = peer;
    drop(to);
    let mut read = 0;
    while let Ok(Ok(bytes @ 1..)) = timeout(Duration::from_secs(3), from.read(&mut vec![0; 1 << 16])).await {
        read += bytes;
    }
    assert!(read >= sent / 2, "{read} of {sent}");
    assert_eq!(server.await.unwrap().reason, EndReason::StreamClosed);
}

#[tokio::test]
async fn ends() {
    let mut peer = Peer::new().await;
    peer.request(json!(1), "wait", json!({})).await;
    peer.notify("exit", Value::Null).await;
    peer.check(error(json!(1), -32800)).await;
    assert_eq!(peer.end().await, TransportEnd { reason: EndReason::Exit, shut_down: false });

    let mut peer = Peer::new().await;
    peer.request(json!(1), "echo", json!(1)).await;
    drop(peer.to.take());
    peer.check(json!({ "id": 1, "result": 1 })).await;
    assert_eq!(peer.end().await, TransportEnd { reason: EndReason::StreamClosed, shut_down: false });

    let Peer { to, from, server } = Peer::new().await;
    drop(from);
    let mut to = to.unwrap();
    let request =
        message::frame_message(&json!({ "jsonrpc": "2.0", "id": 1, "method": "echo", "params": 1 }));
    to.write_all(&request).await.unwrap();
    let end = timeout(Duration::from_secs(20), server).await.unwrap().unwrap();
    assert_eq!(end, TransportEnd { reason: EndReason::ClientNotReading, shut_down: false });
}

#[tokio::test]
async fn broken_bytes_are_answered_and_left_behind() {
    let mut peer = Peer::new().await;
    for bad in [
        "junk".as_bytes(),
        b"Content-Length: 5\r\n\r\n{\"a\":true}",
        b"Content-Length: 2\r\n\r\n\xe2\x82",
        b"Content-Length: 107374182400\r\n\r\n",
    ] {
        peer.bytes(bad).await;
        peer.request(json!(1), "echo", json!(1)).await;
        peer.check(error(Value::Null, -32700)).await;
        peer.check(json!({ "id": 1, "result": 1 })).await;
    }
    peer.send(json!([{ "jsonrpc": "2.0", "id": 1, "method": "echo" }])).await;
    peer.check(error(Value::Null, -32600)).await;
    peer.send(json!({ "jsonrpc": "2.0", "id": 77, "result": null })).await;
    peer.request(json!(1), "echo", json!("x".repeat(10 << 20))).await;
    assert_eq!(peer.receive().await["result"].as_str().unwrap().len(), 10 << 20);
}
