//! The HTTP door: the token, the address, and pages of other sites.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{LEGACY, MODERN, place, servers, until, wherefore};

struct Http {
    child: Child,
    address: String,
    token: String,
}

impl Http {
    fn open(folder: &Path, token: &str) -> Self {
        let mut command = wherefore(folder, &["mcp", "--http", "127.0.0.1:0"]);
        let command = command.env("WHEREFORE_MCP_TOKEN", token).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let address = said["url"].as_str().unwrap().strip_prefix("http://").unwrap();
        let address = address.strip_suffix("/mcp").unwrap().to_owned();
        Self { child, address, token: said["token"].as_str().unwrap().to_owned() }
    }

    /// Posts a request of the later era: the status, and what comes back.
    fn post(&self, headers: &[(&str, &str)], method: &str, params: Value) -> (u16, String) {
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientInfo": { "name": "web", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let name = params["name"].as_str().unwrap_or_default();
        let mut head =
            format!("POST /mcp HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n", body.len());
        let common = [
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", method),
            ("Mcp-Name", name),
        ];
        let given = |name: &str| headers.iter().any(|(given, _)| *given == name);
        if !given("Host") {
            head += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in common.iter().chain(headers).filter(|(_, value)| !value.is_empty()) {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_wants_the_token_and_no_page_of_another_site() {
    let folder = place();
    let http = Http::open(folder.path(), "");
    let bearer = format!("Bearer {}", http.token);
    let call = || json!({ "name": "fs_read", "arguments": { "path": "a.txt", "why": "Find out which number the report begins with" } });
    let local = format!("http://{}", http.address);
    for (headers, status) in [
        (vec![("Authorization", bearer.as_str())], 200),
        (vec![("Authorization", bearer.as_str()), ("Origin", local.as_str())], 200),
        (vec![], 401),
        (vec![("Authorization", "Bearer 0123456789abcdef")], 401),
        (vec![("Authorization", http.token.as_str())], 401),
        (vec![("Authorization", bearer.as_str()), ("Origin", "http://evil.example")], 403),
        (vec![("Authorization", bearer.as_str()), ("Origin", "null")], 403),
        (vec![("Authorization", bearer.as_str()), ("Host", "evil.example")], 403),
    ] {
        let (got, answer) = http.post(&headers, "tools/call", call());
        assert_eq!(got, status, "{headers:?}: {answer}");
        assert!(!answer.to_lowercase().contains("access-control-allow"), "{answer}");
        assert_eq!(status == 200, answer.contains("one\\\\ntwo"), "{answer}");
    }
    drop(http);
    until("the server ends with its last client", || servers(folder.path()).is_empty());
}

#[test]
fn the_token_may_be_chosen_and_the_address_is_this_machines() {
    let folder = place();
    let http = Http::open(folder.path(), "a-token-of-my-own-choice");
    assert_eq!(http.token, "a-token-of-my-own-choice");
    for (address, token) in
        [("0.0.0.0:0", ""), ("example.com:80", ""), ("127.0.0.1", ""), ("127.0.0.1:0", "short")]
    {
        let mut command = wherefore(folder.path(), &["mcp", "--http", address]);
        let output = command.env("WHEREFORE_MCP_TOKEN", token).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{address}");
        assert!(String::from_utf8_lossy(&output.stderr).len() > 10, "{output:?}");
    }
    let taken = wherefore(folder.path(), &["mcp", "--http", &http.address]).output().unwrap();
    assert_eq!(taken.status.code(), Some(1));
}

impl Http {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The head of a request of the earlier era.
    fn head(&self, method: &str, length: usize, more: &str) -> String {
        let accept = "Accept: application/json, text/event-stream\r\n";
        let accept = if more.contains("Accept: ") || more.contains("X-No-Accept: ") { "" } else { accept };
        format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             {accept}Content-Length: {length}\r\n{more}\r\n",
            self.address, self.token
        )
    }

    /// Posts a text in the earlier era: the status, the session, and what comes back.
    fn send(&self, text: &str, more: &str) -> (u16, Option<String>, String) {
        let mut stream = self.connect();
        let head = self.head("POST", text.len(), &format!("Connection: close\r\n{more}"));
        stream.write_all(head.as_bytes()).unwrap();
        // A message that is too long is answered before it has arrived completely.
        let _ = stream.write_all(text.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        let session = answer
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("mcp-session-id: ").map(str::to_owned));
        (status, session, answer)
    }

    /// Begins a session: its id.
    fn begin(&self) -> String {
        let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "web", "version": "1" } });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        let (status, session, answer) = self.send(&hello.to_string(), "");
        assert_eq!(status, 200, "{answer}");
        session.expect("a session")
    }
}

#[test]
fn what_is_no_message_is_answered_by_its_id() {
    let folder = place();
    let http = Http::open(folder.path(), "");
    let deep = "[".repeat(5000) + &"]".repeat(5000);
    let long = "x".repeat(65 << 20);
    for (text, status, id, code) in [
        (
            format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"tools/list","params":{deep}}}"#),
            400,
            json!("deep"),
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"a"#.to_owned(), 400, json!(7), -32700),
        ("no JSON at all".to_owned(), 400, Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":8}"#.to_owned(), 400, Value::Null, -32600),
        (
            format!(r#"{{"jsonrpc":"2.0","id":"long","method":"tools/list","params":"{long}"}}"#),
            413,
            json!("long"),
            -32600,
        ),
    ] {
        let (got, _, answer) = http.send(&text, "");
        assert_eq!(got, status, "{answer}");
        let error: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(code)), "{error}");
    }
    http.begin();
}

#[test]
fn requests_that_do_not_come_and_answers_that_nobody_reads_end() {
    let folder = place();
    std::fs::write(folder.path().join("work/large.txt"), "0123456789abcde\n".repeat(1 << 20)).unwrap();
    let http = Http::open(folder.path(), "");
    let began = std::time::Instant::now();
    let mut half_head = http.connect();
    half_head.write_all(b"POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: ").unwrap();
    let mut half_body = http.connect();
    half_body.write_all((http.head("POST", 1000, "") + "{\"jsonrpc\":").as_bytes()).unwrap();
    let mut unread = http.connect();
    let session = format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: {LEGACY}\r\n", http.begin());
    let arguments =
        json!({ "path": "large.txt", "limit": 2_000_000, "why": "Hold more than a socket takes at once" });
    let params = json!({ "name": "fs_read", "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string();
    unread.write_all((http.head("POST", call.len(), &session) + &call).as_bytes()).unwrap();

    let mut answer = String::new();
    let _ = half_head.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains("408"), "{answer}");
    answer.clear();
    half_body.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    std::thread::sleep(Duration::from_secs(20).saturating_sub(began.elapsed()));
    let mut rest = Vec::new();
    let ended = unread.read_to_end(&mut rest);
    let text = String::from_utf8_lossy(&rest);
    let whole = text.contains("\"structuredContent\"") && text.trim_end().ends_with('0');
    assert!(ended.is_err() || !whole, "an answer that was left unread came whole: {} bytes", rest.len());
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    http.begin();
}

#[test]
fn sessions_that_nobody_ends_make_room() {
    let folder = place();
    let http = Http::open(folder.path(), "");
    let sessions: Vec<String> = (0..70).map(|_| http.begin()).collect();
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }).to_string();
    let status = |session: &String| {
        http.send(&ping, &format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {LEGACY}\r\n")).0
    };
    assert_eq!(status(&sessions[0]), 404, "the one not used for longest is gone");
    assert_eq!(status(&sessions[69]), 200);
    assert_eq!(status(&sessions[40]), 200);
}

/// The handshake of a session in a version.
fn hello(version: &str) -> String {
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "web", "version": "1" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }).to_string()
}

#[test]
fn any_accept_that_names_a_form_of_ours_is_answered_in_it() {
    let folder = place();
    let http = Http::open(folder.path(), "");
    for (accept, kind) in [
        ("X-No-Accept: 1\r\n", "text/event-stream"),
        ("Accept: */*\r\n", "text/event-stream"),
        ("Accept: text/event-stream\r\n", "text/event-stream"),
        ("Accept: application/json\r\n", "application/json"),
    ] {
        let (status, session, answer) = http.send(&hello(LEGACY), accept);
        assert_eq!(status, 200, "{accept} {answer}");
        let names_kind = |answer: &str| answer.to_lowercase().contains(&format!("content-type: {kind}"));
        assert!(names_kind(&answer), "{accept} {answer}");
        let session = session.expect("a session");
        let more = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: {LEGACY}\r\n{accept}");
        let started = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(http.send(&started.to_string(), &more).0, 202, "{accept}");
        let arguments = json!({ "path": "a.txt", "why": "Find the first word of the list" });
        let call = json!({
            "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "fs_read", "arguments": arguments },
        });
        let (status, _, answer) = http.send(&call.to_string(), &more);
        assert!(status == 200 && names_kind(&answer) && answer.contains("one"), "{accept} {answer}");
        if kind == "application/json" {
            let body = answer.split_once("\r\n\r\n").unwrap().1;
            let body = &body[body.find('{').unwrap()..=body.rfind('}').unwrap()];
            assert_eq!(serde_json::from_str::<Value>(body).unwrap()["id"], 2, "{answer}");
        }
    }
    let (status, _, answer) = http.send(&hello(LEGACY), "Accept: text/html\r\n");
    assert!(status == 406 && answer.contains("application/json or text/event-stream"), "{answer}");
}

#[test]
fn streams_are_primed_from_the_version_on_that_knows_it() {
    let folder = place();
    let http = Http::open(folder.path(), "");
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }).to_string();
    for (version, is_primed) in [("2025-03-26", false), ("2025-06-18", false), ("2025-11-25", true)] {
        let (_, session, begun) = http.send(&hello(version), "");
        let more = format!("Mcp-Session-Id: {}\r\nMCP-Protocol-Version: {version}\r\n", session.unwrap());
        let (status, _, pong) = http.send(&ping, &more);
        assert_eq!(status, 200, "{pong}");
        for answer in [begun, pong] {
            assert_eq!(answer.contains("retry:"), is_primed, "{version} {answer}");
            assert!(answer.contains("\"result\""), "{answer}");
        }
    }
}
