//! Hostile input: whatever is sent, the error that the protocol names comes back and the next request is
//! answered.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Editor, Options, PROMPT, Wire, frame};

/// An answer that is expected: its id and its error's code.
type Answers = &'static [(&'static str, i64)];

fn framed(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

/// Checks that the server answers a request. Returns the messages before the answer.
fn probe(editor: &mut Editor) -> Vec<Value> {
    let id = editor.begin("wherefore/status", Value::Null);
    let status = editor.finish(&id).expect("the next request is answered");
    assert_eq!(status["pid"], editor.wire.child.id());
    editor.drain(Duration::ZERO)
}

fn answers(messages: &[Value]) -> Vec<(String, i64)> {
    let answer = |message: &Value| Some((message["id"].to_string(), message["error"]["code"].as_i64()?));
    messages.iter().filter_map(answer).collect()
}

fn check(editor: &mut Editor, bytes: &[u8], expected: Answers) {
    editor.wire.send(bytes);
    let mut got = answers(&probe(editor));
    // Requests run side by side: the probe's answer may come first.
    let start = Instant::now();
    while got.len() < expected.len() && start.elapsed() < Duration::from_secs(10) {
        got.extend(answers(&editor.drain(Duration::from_millis(5))));
    }
    let expected: Vec<_> = expected.iter().map(|(id, code)| ((*id).to_owned(), *code)).collect();
    assert_eq!(got, expected, "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(200)]));
}

const GARBLED: Answers = &[("null", -32700)];

#[test]
fn bytes_that_are_no_frames() {
    let mut editor = Editor::connect(&Options::default());
    probe(&mut editor);
    for bytes in [
        b"junk".as_slice(),
        b"\xff\xfe\x00\x01",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"shutdown\"}\r\n",
        b"Content-Length: 107374182400\r\n\r\n",
        b"Content-Length: 107374182400\r\n\r\n{\"jsonrpc\":\"2.0\",",
        b"Content-Length: 99999999999999999999999999999\r\n\r\n",
        b"Content-Length: 5000\r\n\r\n{}",
        b"Content-Length: -1\r\n\r\n{}",
        b"Content-Length: x\r\n\r\n{}",
        b"Content-Length:\r\n\r\n{}",
        b"Content-Length: 0\r\n\r\n",
        b"Content-Length: 3\r\n\r\n{}",
        b"Content-Length: 1\r\n\r\n{}",
        b"Content-Length: 4\r\n\r\n\"\xe2\x82",
        b"Content-Type: application/vscode-jsonrpc\r\n\r\n{}",
        b"Content-Length: 20\r\n",
        b"Content-Le",
        b"\r\n\r\nContent-Length: 2\r\nno header\r\n\r\n{}",
    ] {
        check(&mut editor, bytes, GARBLED);
    }
    check(&mut editor, b"\r\n \n", &[]);
}

#[test]
fn bodies_that_are_no_messages() {
    let mut editor = Editor::connect(&Options::default());
    probe(&mut editor);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"wherefore/list","params":{deep}}}"#);
    let cases: &[(&[u8], Answers)] = &[
        (b"{", GARBLED),
        (b"", GARBLED),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xff\"}", &[("1", -32700)]),
        (b"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\xe2\x82\"}}", GARBLED),
        (br#"{"jsonrpc":"2.0","id":1,"method":"x"}}"#, &[("1", -32700)]),
        (b"[]", &[("null", -32600)]),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"wherefore/status"}]"#, &[("null", -32600)]),
        (b"42", &[("null", -32600)]),
        (b"null", &[("null", -32600)]),
        (b"{}", &[("null", -32600)]),
        (br#"{"id":1,"method":"wherefore/status"}"#, &[("1", -32600)]),
        (br#"{"jsonrpc":"1.0","id":"a","method":"wherefore/status"}"#, &[("\"a\"", -32600)]),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#, &[("1", -32600)]),
        (br#"{"jsonrpc":"2.0","id":1.5,"method":"wherefore/status"}"#, &[("null", -32600)]),
        (br#"{"jsonrpc":"2.0","id":{},"method":"wherefore/status"}"#, &[("null", -32600)]),
        (br#"{"jsonrpc":"2.0","id":true,"method":"wherefore/status"}"#, &[("null", -32600)]),
        (br#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":"\udead"}}"#, &[("\"x\"", -32700)]),
        (deep.as_bytes(), &[("7", -32700)]),
        (br#"{"jsonrpc":"2.0","id":-9,"method":"no/such"}"#, &[("-9", -32601)]),
        (br#"{"jsonrpc":"2.0","id":"$","method":"$/such"}"#, &[("\"$\"", -32601)]),
        (br#"{"jsonrpc":"2.0","id":null,"method":"no/such"}"#, GARBLED_NULL),
        (br#"{"jsonrpc":"2.0","id":9223372036854775807,"method":"no/such"}"#, &[("9223372036854775807", -32601)]),
        (br#"{"jsonrpc":"2.0","method":"no/such"}"#, &[]),
        (br#"{"jsonrpc":"2.0","method":"$/such","params":5}"#, &[]),
        (br#"{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"a":1}}"#, &[]),
        (br#"{"jsonrpc":"2.0","id":1,"method":"textDocument/codeLens","params":5}"#, &[("1", -32602)]),
        (br#"{"jsonrpc":"2.0","id":1,"method":"textDocument/codeLens"}"#, &[("1", -32602)]),
        (br#"{"jsonrpc":"2.0","id":1,"method":"wherefore/call","params":{}}"#, &[("1", -32602)]),
        (br#"{"jsonrpc":"2.0","id":1,"method":"wherefore/decide","params":{"act":"eat"}}"#, &[("1", -32602)]),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"rm"}}"#,
            &[("1", -32602)],
        ),
        (
            br#"{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"wherefore.accept","arguments":[{}]}}"#,
            &[("1", -32602)],
        ),
        (br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#, &[("1", -32600)]),
        (br#"{"jsonrpc":"2.0","id":1,"method":"exit"}"#, &[("1", -32600)]),
        (br#"{"jsonrpc":"2.0","method":"shutdown"}"#, &[]),
        (br#"{"jsonrpc":"2.0","id":77,"result":{}}"#, &[]),
        (br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}"#, &[]),
        (br#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12345}}"#, &[]),
        (br#"{"jsonrpc":"2.0","method":"$/cancelRequest"}"#, &[]),
    ];
    for (body, expected) in cases {
        check(&mut editor, &framed(body), expected);
    }
}

const GARBLED_NULL: Answers = &[("null", -32601)];

#[test]
fn before_initialize_and_after_shutdown() {
    let options = Options::default();
    let mut editor = Editor::unconnected(&options);
    for method in ["wherefore/status", "no/such", "shutdown", "textDocument/codeLens"] {
        assert_eq!(editor.request(method, Value::Null).unwrap_err()["code"], -32002, "{method}");
    }
    editor.notify("textDocument/didOpen", json!({}));
    assert_eq!(editor.request("initialize", json!({ "capabilities": 1 })).unwrap_err()["code"], -32602);
    editor.initialize(&options);
    probe(&mut editor);
    editor.request("shutdown", Value::Null).unwrap();
    for method in ["wherefore/status", "no/such", "shutdown", "initialize"] {
        assert_eq!(editor.request(method, Value::Null).unwrap_err()["code"], -32600, "{method}");
    }
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wire.wait_for_end().code(), Some(0));
}

#[test]
fn exit_ends_it_with_stdin_open() {
    let mut editor = Editor::connect(&Options::default());
    probe(&mut editor);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wire.wait_for_end().code(), Some(1));
    let mut editor = Editor::unconnected(&Options::default());
    editor.notify("exit", Value::Null);
    assert_eq!(editor.wire.wait_for_end().code(), Some(1));
}

#[test]
fn duplicate_ids_and_many_requests_at_once() {
    let mut editor = Editor::connect(&Options::default());
    probe(&mut editor);
    let mut bytes = Vec::new();
    for id in 0..10_000 {
        let request =
            json!({ "jsonrpc": "2.0", "id": format!("n{id}"), "method": "wherefore/list", "params": {} });
        bytes.extend(frame(&request));
    }
    let sending = editor.wire.send_beside(bytes);
    for id in 0..10_000 {
        editor.finish(&json!(format!("n{id}"))).unwrap();
    }
    editor.wire.resume(sending);
    assert_eq!(probe(&mut editor), [Value::Null; 0]);
    // Of two requests with one id at least one is answered, and the server goes on.
    let request = frame(&json!({ "jsonrpc": "2.0", "id": "twice", "method": "wherefore/status" }));
    editor.wire.send(&[request.as_slice(), &request].concat());
    for message in probe(&mut editor) {
        assert_eq!(message["id"], "twice");
    }
    editor.drain(Duration::from_millis(200));
}

#[test]
fn ten_megabytes_of_params() {
    let mut editor = Editor::connect(&Options::default());
    probe(&mut editor);
    let params = json!({ "root": "x".repeat(10 << 20) });
    for method in ["wherefore/listTools", "wherefore/list"] {
        let id = json!(method);
        let bytes = frame(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let sending = editor.wire.send_beside(bytes);
        // There are no tools in a folder that is not open, and no nodes to choose from.
        let answer = editor.finish(&id);
        assert_eq!(answer.is_ok(), method == "wherefore/listTools");
        let fault = answer.err().map_or(0, |fault| fault.to_string().len());
        assert!(fault < 2_000, "a fault of {fault} bytes");
        editor.wire.resume(sending);
    }
    probe(&mut editor);
}

#[test]
fn half_closed_pipes() {
    // The server's input ends: what was asked is answered, then it goes.
    let mut editor = Editor::connect(&Options::default());
    probe(&mut editor);
    let ids: Vec<_> = (0..100).map(|_| editor.begin("wherefore/status", Value::Null)).collect();
    editor.wire.close();
    for id in ids {
        editor.finish(&id).unwrap();
    }
    assert_eq!(editor.wire.wait_for_end().code(), Some(1));

    // Nobody reads the server's output: it notices when it writes.
    let mut child = Command::new(env!("CARGO_BIN_EXE_wherefore"))
        .arg("lsp")
        .env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let request = frame(
        &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
    );
    std::io::Write::write_all(&mut stdin, &request).unwrap();
    let start = Instant::now();
    let status = child.wait().unwrap();
    assert!(start.elapsed() < PROMPT, "{:?}", start.elapsed());
    assert_eq!(status.code(), Some(1));
}

#[test]
fn a_dead_client_ends_it() {
    let mut client = Command::new("sleep").arg("60").spawn().unwrap();
    let mut wire = Wire::start(|_| {});
    let params = json!({ "processId": client.id(), "rootUri": null, "capabilities": {} });
    wire.send(&frame(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })));
    assert_eq!(wire.receive().unwrap()["id"], 1);
    assert!(wire.child.try_wait().unwrap().is_none());
    client.kill().unwrap();
    client.wait().unwrap();
    assert_eq!(wire.wait_for_end().code(), Some(1));
}

#[test]
fn the_tokens_of_the_protocol_are_no_unknown_members_and_others_are_refused() {
    let mut editor = Editor::connect(&Options::default());
    let tokens = json!({ "workDoneToken": "t-1", "partialResultToken": 5 });
    for method in ["wherefore/proposals", "wherefore/list", "wherefore/status", "wherefore/log"] {
        assert!(editor.request(method, json!({ "workDoneToken": "t", "unknown": 1 })).is_err(), "{method}");
        let answer = editor.request(method, tokens.clone());
        let is_read = answer.as_ref().err().is_none_or(|error| error["code"] != -32602);
        assert!(is_read, "{method}: {answer:?}");
    }
    let mut call =
        json!({ "tool": "fs.ls", "arguments": { "path": ".", "why": "See what the folder holds" } });
    call.as_object_mut().unwrap().extend(tokens.as_object().unwrap().clone());
    assert_eq!(editor.request("wherefore/call", call.clone()).unwrap()["status"], "ok");
    call["argumnts"] = json!({});
    let error = editor.request("wherefore/call", call).unwrap_err();
    assert_eq!(error["message"], "`argumnts` is no member: did you mean `arguments`?");
    let accept = json!({ "command": "wherefore.acceptAll", "arguments": [{ "hunk": "h1" }] });
    let error = editor.request("workspace/executeCommand", accept).unwrap_err();
    assert_eq!(error["message"], "`hunk` is no member: did you mean `hunks`?");
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn corpus(uri: &str) -> Vec<Vec<u8>> {
    let document = json!({ "uri": uri, "version": 1 });
    let start = json!({ "line": 0, "character": 0 });
    let change =
        json!({ "range": { "start": start, "end": { "line": 1, "character": 3 } }, "text": "ü😀\r\n" });
    [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "wherefore/status", "params": null }),
        json!({ "jsonrpc": "2.0", "id": "ü", "method": "wherefore/list", "params": {} }),
        json!({ "jsonrpc": "2.0", "id": -3, "method": "wherefore/proposals", "params": { "all": true } }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "textDocument/codeLens", "params": { "textDocument": { "uri": uri } } }),
        json!({ "jsonrpc": "2.0", "id": 5, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "id": 6, "method": "workspace/executeCommand",
            "params": { "command": "wherefore.status", "arguments": [{}] } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument":
            { "uri": uri, "languageId": "rust", "version": 1, "text": "fn main() {}\nlet s = \"\\u{1}\";\n" } } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didChange",
            "params": { "textDocument": document, "contentChanges": [change] } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didSave", "params": { "textDocument": { "uri": uri } } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didClose", "params": { "textDocument": { "uri": uri } } }),
        json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1 } }),
        json!({ "jsonrpc": "2.0", "id": 3, "result": [null] }),
        json!({ "jsonrpc": "2.0", "id": 3, "error": { "code": -1, "message": "no" } }),
    ]
    .iter()
    .map(frame)
    .collect()
}

fn mutate(random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        match random.below(7) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.below(256) as u8,
            2 => drop(bytes.remove(at)),
            3 => bytes.insert(at, *b"{}[]\",:\\\r\n09-\xff\xe2".get(random.below(15)).unwrap()),
            4 => bytes.truncate(at.max(1)),
            5 => {
                let other = &corpus[random.below(corpus.len())];
                bytes.extend_from_slice(&other[random.below(other.len())..]);
            }
            _ => {
                let end = at + random.below(bytes.len() - at);
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
    bytes
}

/// The seed is WHEREFORE_SEED where that is set.
#[test]
fn a_hundred_thousand_mutated_messages() {
    let seed = std::env::var("WHEREFORE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0x5eed);
    let mut random = Random(seed);
    let mut editor = Editor::connect(&Options::default());
    let corpus = corpus(&editor.uri("fuzz.rs"));
    probe(&mut editor);
    let start = Instant::now();
    for round in 0..200 {
        let bytes: Vec<_> = (0..500).flat_map(|_| mutate(&mut random, &corpus)).collect();
        let sending = editor.wire.send_beside(bytes);
        // The answers are read while the requests are sent, or both sides would wait for each other.
        while !sending.is_finished() {
            editor.drain(Duration::from_millis(1));
        }
        editor.wire.resume(sending);
        let id = json!(format!("probe {round}"));
        editor.wire.send(&frame(&json!({ "jsonrpc": "2.0", "id": id, "method": "wherefore/status" })));
        editor.finish(&id).unwrap_or_else(|error| panic!("seed {seed}, round {round}: {error}"));
        editor.drain(Duration::ZERO);
    }
    let took = start.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    editor.drain(Duration::from_millis(300));
}
