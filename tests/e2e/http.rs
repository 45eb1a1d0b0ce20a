//! The HTTP door: the token, the address, and pages of other sites.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{MODERN, place, servers, until, wherefore};

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
