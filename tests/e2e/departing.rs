//! A server that is just ending takes a connection and a request still, and answers no more: who came to it goes on.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, servers, until, wherefore};
use crate::support::{Editor, Options};

/// Stands in for a server as it ends: connections it answers one request of each, and then it is gone.
fn departing(folder: &Path, connections: usize) {
    let home = folder.join("run/wherefore");
    fs::DirBuilder::new().mode(0o700).create(&home).unwrap();
    let (socket, record) = (home.join("1.sock"), home.join("1.json"));
    let listener = UnixListener::bind(&socket).unwrap();
    let file = File::create(&record).unwrap();
    flock(&file, FlockOperation::LockExclusive).unwrap();
    let root = fs::canonicalize(folder.join("work")).unwrap();
    let served = json!({
        "pid": std::process::id(), "roots": [root], "socket": socket, "token": "t", "version": "0", "headless": false
    });
    fs::write(&record, served.to_string()).unwrap();
    thread::spawn(move || {
        for number in 1..=connections {
            let (stream, _) = listener.accept().unwrap();
            if number == connections {
                leave(&file, &record, &socket);
            }
            answer_one(&stream, number == 1);
        }
    });
}

fn leave(_held: &File, record: &PathBuf, socket: &PathBuf) {
    fs::remove_file(record).unwrap();
    fs::remove_file(socket).unwrap();
}

/// Answers the first request after the greeting, reads the next one, and hangs up. A handshake is answered where it is
/// the `first`.
fn answer_one(mut stream: &UnixStream, first: bool) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let _greeting = lines.next();
    let request: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    let result = match request["method"].as_str() {
        Some("initialize") if !first => return,
        Some("initialize") => json!({
            "protocolVersion": LEGACY, "capabilities": {}, "serverInfo": { "name": "departing", "version": "0" }
        }),
        _ => json!({}),
    };
    let answer = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result });
    stream.write_all(format!("{answer}\n").as_bytes()).unwrap();
    lines.next();
}

#[test]
fn a_command_asks_whoever_serves_the_folder_then() {
    let folder = place();
    // Each look connects anew, and its first request finds out whether the server lives.
    departing(folder.path(), 2);
    let output = wherefore(folder.path(), &["status", "--json"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let status: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(status["workspaces"][0]["pending_hunks"], 0, "{status}");
}

#[test]
fn a_call_that_may_have_been_made_is_not_made_again() {
    let folder = place();
    departing(folder.path(), 1);
    let arguments = r#"{"path": "b.txt", "content": "x", "why": "Have a second file to compare with"}"#;
    let output = wherefore(folder.path(), &["call", "fs.write", arguments]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("ended during the request"), "{output:?}");
    assert!(!folder.path().join("work/b.txt").exists());
}

#[test]
fn an_agent_goes_on_with_the_server_after_those_that_end() {
    let folder = place();
    departing(folder.path(), 3);
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    let read = json!({ "path": "a.txt", "why": "Learn the numbers before one is changed" });
    let mut answer = agent.request("tools/list", json!({}));
    assert!(answer.as_ref().is_ok_and(|list| !list["tools"].as_array().unwrap().is_empty()), "{answer:?}");
    answer = agent.request("tools/call", json!({ "name": "fs_read", "arguments": read }));
    assert_eq!(answer.unwrap()["structuredContent"]["lines"], 3);
    assert!(servers(folder.path()).iter().all(|server| server["headless"] == true));
    agent.leave();
}

/// As after the death of the server before, when the editor and an agent start the next one at the same instant.
#[test]
fn a_server_of_agents_gives_way_to_an_editors_that_did_not_see_it() {
    let editor = Editor::connect(&Options::default());
    let mut server =
        wherefore(editor.folder.path(), &["serve", "--root", "."]).stdout(Stdio::null()).spawn().unwrap();
    let since = Instant::now();
    until("it has ended", || server.try_wait().unwrap().is_some());
    assert!(since.elapsed() < Duration::from_secs(9), "without a client it ends after ten seconds anyhow");
    let left = servers(editor.folder.path());
    assert!(left.len() == 1 && left[0]["headless"] == false, "{left:?}");
}
