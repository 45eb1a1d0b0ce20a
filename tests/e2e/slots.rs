//! The slot of an agent that looks for its editor, as a hostile or a broken client meets it: Claude Code's WebSocket.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::support::agent::{place, until, wherefore};
use crate::support::frame;

const TOKEN: &str = "x-claude-code-ide-authorization";

/// An editor that opens the folder and shows nothing.
struct Quiet(Child);

impl Quiet {
    fn open(folder: &Path) -> Self {
        let mut command = wherefore(folder, &["lsp"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut output = child.stdout.take().unwrap();
        std::thread::spawn(move || std::io::copy(&mut output.by_ref(), &mut std::io::sink()));
        let uri = format!("file://{}", folder.join("work").display());
        let params = json!({
            "processId": std::process::id(), "rootUri": null,
            "capabilities": { "experimental": { "wherefore": { "hunks": true } } },
            "initializationOptions": { "native": { "ide": "claude-code" }, "review": { "wait_s": 1 } },
            "workspaceFolders": [{ "uri": uri, "name": "work" }],
        });
        let mut editor = Self(child);
        editor.says(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
        editor.says(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        editor
    }

    fn says(&mut self, message: &Value) {
        use std::io::Write;
        self.0.stdin.as_mut().unwrap().write_all(&frame(message)).unwrap();
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn locks(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join("home/.claude/ide")).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "lock"))
        .collect()
}

type Socket = WebSocketStream<TcpStream>;

async fn knock(port: &str, headers: &[(&'static str, &str)]) -> Result<Socket, Error> {
    let stream = TcpStream::connect(format!("127.0.0.1:{port}")).await.unwrap();
    let mut request = format!("ws://127.0.0.1:{port}/").into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    client_async(request, stream).await.map(|(socket, _)| socket)
}

async fn send(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).await.unwrap();
}

/// The answer to a request.
async fn answer(socket: &mut Socket, id: u64) -> Value {
    loop {
        let next = tokio::time::timeout(Duration::from_secs(30), socket.next()).await.unwrap();
        let Message::Text(text) = next.unwrap().unwrap() else { continue };
        let message: Value = serde_json::from_str(&text).unwrap();
        if message["id"] == id && message.get("method").is_none() {
            return message;
        }
    }
}

async fn enter(port: &str, token: &str) -> Socket {
    let mut socket = knock(port, &[(TOKEN, token)]).await.unwrap();
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "claude-code", "version": "1" } });
    send(&mut socket, &json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })).await;
    answer(&mut socket, 1).await;
    send(&mut socket, &json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
    send(&mut socket, &json!({ "jsonrpc": "2.0", "method": "ide_connected", "params": { "pid": 1 } })).await;
    socket
}

async fn call(socket: &mut Socket, id: u64, tool: &str, arguments: Value) {
    let params = json!({ "name": tool, "arguments": arguments });
    send(socket, &json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })).await;
}

fn diff(path: &Path, content: &str, tab: &str) -> Value {
    json!({ "old_file_path": path, "new_file_path": path, "new_file_contents": content, "tab_name": tab })
}

fn waiting(folder: &Path) -> Vec<String> {
    let output = wherefore(folder, &["review", "--list", "--json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let ids = listed.as_array().into_iter().flatten().filter_map(|item| item["id"].as_str());
    ids.map(str::to_owned).collect()
}

fn decide(folder: &Path, choices: &[&[&str]]) {
    until("a change waits", || !waiting(folder).is_empty());
    let id = waiting(folder).pop().unwrap();
    for choice in choices {
        let output = wherefore(folder, &[&["review", id.as_str()], *choice].concat()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

fn texts(answer: &Value) -> Vec<&str> {
    let content = answer["result"]["content"].as_array().into_iter().flatten();
    content.filter_map(|part| part["text"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_lets_in_who_shows_its_token_and_writes_what_is_accepted() {
    let folder = place();
    let folder = folder.path();
    let editor = Quiet::open(folder);
    until("the slot is announced", || !locks(folder).is_empty());
    let lock = locks(folder).pop().unwrap();
    let content: Value = serde_json::from_slice(&std::fs::read(&lock).unwrap()).unwrap();
    let (port, token) = (lock.file_stem().unwrap().to_str().unwrap(), content["authToken"].as_str().unwrap());

    for headers in [&[][..], &[(TOKEN, "wrong")], &[(TOKEN, token), ("origin", "http://a.example")]] {
        let refused = knock(port, headers).await;
        assert!(matches!(&refused, Err(Error::Http(answer)) if answer.status() == 401), "{refused:?}");
    }

    let mut socket = enter(port, token).await;
    socket.send(Message::text("{\"jsonrpc\": \"2.0\", \"id\": 7, ")).await.unwrap();
    let outside = folder.join("home/other.txt");
    call(&mut socket, 2, "openDiff", diff(&outside, "x", "outside")).await;
    assert_eq!(answer(&mut socket, 2).await["result"]["isError"], true);
    call(&mut socket, 3, "openDiff", diff(&folder.join("work/.env"), "KEY=1\n", "closed")).await;
    assert_eq!(texts(&answer(&mut socket, 3).await), ["DIFF_REJECTED", "closed"]);

    // Accepted in part; the agent writes what it is told.
    let path = folder.join("work/a.txt");
    let text = || std::fs::read_to_string(&path).unwrap();
    let before = std::fs::metadata(&path).unwrap().modified().unwrap();
    call(&mut socket, 4, "openDiff", diff(&path, "ONE\ntwo\nTHREE\n", "half")).await;
    decide(folder, &[&["--accept", "h1"], &["--reject", "h2"]]);
    let told = answer(&mut socket, 4).await;
    assert_eq!(texts(&told), ["FILE_SAVED", "ONE\ntwo\nthree\n"]);
    assert_eq!(text(), "one\ntwo\nthree\n", "the agent finds the file that it read");
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), before);
    std::fs::write(&path, "ONE\ntwo\nthree\n").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(wherefore(folder, &["undo"]).output().unwrap().status.success());
    assert_eq!(text(), "one\ntwo\nthree\n");

    // An agent that dies with the answer: what was accepted is written all the same.
    call(&mut socket, 5, "openDiff", diff(&path, "one\nTWO\nthree\n", "dies")).await;
    decide(folder, &[&["--accept", "h1"]]);
    assert_eq!(texts(&answer(&mut socket, 5).await)[0], "FILE_SAVED");
    until("what was accepted is written", || text() == "one\nTWO\nthree\n");

    // Given up: nothing waits on, and nothing was written.
    call(&mut socket, 6, "openDiff", diff(&path, "1\n2\n3\n", "gone")).await;
    until("a change waits", || !waiting(folder).is_empty());
    call(&mut socket, 8, "close_tab", json!({ "tab_name": "gone" })).await;
    assert_eq!(texts(&answer(&mut socket, 6).await), ["DIFF_REJECTED", "gone"]);
    until("nothing waits", || waiting(folder).is_empty());

    // Another agent, killed while its change waits.
    let mut other = enter(port, token).await;
    call(&mut other, 2, "openDiff", diff(&path, "killed\n", "half")).await;
    until("a change waits", || !waiting(folder).is_empty());
    drop(other);
    until("nothing waits", || waiting(folder).is_empty());
    assert_eq!(text(), "one\nTWO\nthree\n");

    // The server is killed before the agent has written: its announcement is swept by the next one, which writes.
    let mut last = enter(port, token).await;
    call(&mut last, 2, "openDiff", diff(&path, "one\nTWO\nTHREE\n", "last")).await;
    decide(folder, &[&["--accept", "h1"]]);
    assert_eq!(texts(&answer(&mut last, 2).await)[0], "FILE_SAVED");
    assert_eq!(text(), "one\nTWO\nthree\n");
    drop(editor);
    assert!(lock.exists());
    let next = Quiet::open(folder);
    until("only the next one is announced", || locks(folder).len() == 1 && !lock.exists());
    let pid = next.0.id().to_string();
    assert!(std::process::Command::new("kill").arg(pid).status().unwrap().success());
    until("nothing is announced", || locks(folder).is_empty());
    assert_eq!(text(), "one\nTWO\nTHREE\n");
    assert!(wherefore(folder, &["undo"]).output().unwrap().status.success());
    assert_eq!(text(), "one\nTWO\nthree\n");
}

#[test]
fn where_reasons_are_wanted_no_slot_opens_and_status_says_why() {
    let folder = place();
    let folder = folder.path();
    let slot = || {
        let output = wherefore(folder, &["status"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().find(|line| line.starts_with("  slot")).unwrap_or_default().to_owned()
    };
    let settings = folder.join("work/.wherefore/config.toml");
    std::fs::create_dir(settings.parent().unwrap()).unwrap();
    std::fs::write(&settings, "[native]\nrequire_why = true\n").unwrap();
    let _editor = Quiet::open(folder);
    until("status tells why", || slot().contains("finds no editor here; `require_why` wants a reason"));
    assert!(locks(folder).is_empty());
    std::fs::write(&settings, "").unwrap();
    until("the slot is announced", || !locks(folder).is_empty());
    let lock = locks(folder).pop().unwrap().display().to_string();
    until("status names its file", || slot().contains(&lock));
    let doctor = wherefore(folder, &["doctor"]).output().unwrap();
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    assert!(doctor.contains(&format!("claude-code finds its editor by {lock}")), "{doctor}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_given_up_at_once_waits_no_more() {
    let folder = place();
    let folder = folder.path();
    let _editor = Quiet::open(folder);
    until("the slot is announced", || !locks(folder).is_empty());
    let lock = locks(folder).pop().unwrap();
    let content: Value = serde_json::from_slice(&std::fs::read(&lock).unwrap()).unwrap();
    let port = lock.file_stem().unwrap().to_str().unwrap();
    let mut socket = enter(port, content["authToken"].as_str().unwrap()).await;
    let path = folder.join("work/a.txt");
    for (id, patience) in [(10, 0), (20, 1), (30, 20)] {
        call(&mut socket, id, "openDiff", diff(&path, &format!("{id}\n"), "soon")).await;
        tokio::time::sleep(Duration::from_millis(patience)).await;
        call(&mut socket, id + 1, "close_tab", json!({ "tab_name": "soon" })).await;
        assert_eq!(texts(&answer(&mut socket, id).await), ["DIFF_REJECTED", "soon"]);
        std::thread::sleep(Duration::from_millis(500));
        assert_eq!(waiting(folder), [""; 0], "given up after {patience} ms");
    }

    // Of two under one name the first is given up for the second.
    call(&mut socket, 40, "openDiff", diff(&path, "first\n", "same")).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    call(&mut socket, 41, "openDiff", diff(&path, "second\n", "same")).await;
    assert_eq!(texts(&answer(&mut socket, 40).await), ["DIFF_REJECTED", "same"]);
    until("the second waits alone", || waiting(folder).len() == 1);
    call(&mut socket, 42, "close_tab", json!({ "tab_name": "same" })).await;
    assert_eq!(texts(&answer(&mut socket, 41).await), ["DIFF_REJECTED", "same"]);
    until("nothing waits", || waiting(folder).is_empty());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "one\ntwo\nthree\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slot_names_no_document_that_the_rules_close() {
    let folder = place();
    let folder = folder.path();
    let mut editor = Quiet::open(folder);
    for name in ["a.txt", ".env"] {
        let uri = format!("file://{}", folder.join("work").join(name).display());
        let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "KEY=1\n" });
        let params = json!({ "textDocument": document });
        editor.says(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    }
    until("the slot is announced", || !locks(folder).is_empty());
    let lock = locks(folder).pop().unwrap();
    let content: Value = serde_json::from_slice(&std::fs::read(&lock).unwrap()).unwrap();
    let port = lock.file_stem().unwrap().to_str().unwrap();
    let mut socket = enter(port, content["authToken"].as_str().unwrap()).await;
    call(&mut socket, 2, "getOpenEditors", json!({})).await;
    let open = answer(&mut socket, 2).await.to_string();
    assert!(open.contains("a.txt") && !open.contains(".env"), "{open}");
    let path = folder.join("work/.env");
    call(&mut socket, 3, "checkDocumentDirty", json!({ "filePath": path })).await;
    let dirty = answer(&mut socket, 3).await.to_string();
    assert!(dirty.contains("Document not open"), "{dirty}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_editor_read_again_is_nothing_unsaved() {
    let folder = place();
    let folder = folder.path();
    let mut editor = Quiet::open(folder);
    let path = folder.join("work/a.txt");
    let uri = format!("file://{}", path.display());
    let document = json!({ "uri": uri, "languageId": "text", "version": 1, "text": "one\ntwo\nthree\n" });
    let opened = json!({ "textDocument": document });
    editor.says(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": opened }));
    let changed =
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": "other\n" }] });
    editor.says(&json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": changed }));
    until("the slot is announced", || !locks(folder).is_empty());
    let lock = locks(folder).pop().unwrap();
    let content: Value = serde_json::from_slice(&std::fs::read(&lock).unwrap()).unwrap();
    let port = lock.file_stem().unwrap().to_str().unwrap();
    let mut socket = enter(port, content["authToken"].as_str().unwrap()).await;

    call(&mut socket, 2, "openDiff", diff(&path, "another\n", "unsaved")).await;
    let refused = answer(&mut socket, 2).await["result"].to_string();
    assert!(refused.contains("unsaved changes"), "{refused}");
    std::fs::write(&path, "other\n").unwrap();
    call(&mut socket, 3, "openDiff", diff(&path, "another\n", "saved")).await;
    until("a change waits", || !waiting(folder).is_empty());
}

#[test]
fn a_project_opens_no_slot() {
    let folder = place();
    let folder = folder.path();
    std::fs::create_dir(folder.join("work/.wherefore")).unwrap();
    std::fs::write(folder.join("work/.wherefore/config.toml"), "[native]\nide = \"off\"\n").unwrap();
    let _editor = Quiet::open(folder);
    until("the folder is served", || !crate::support::agent::servers(folder).is_empty());
    std::thread::sleep(Duration::from_millis(500));
    assert!(locks(folder).is_empty(), "a project may turn it off");
}
