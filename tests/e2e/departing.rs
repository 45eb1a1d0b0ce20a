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
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, servers, until, wherefore};
use crate::support::{Editor, Options};

/// The files of a server that is not there, and what listens in its place.
fn stand_in(folder: &Path) -> (UnixListener, File, PathBuf, PathBuf) {
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
    (listener, file, record, socket)
}

/// A stand-in for a server that ends: it answers one request on each connection, and then it is gone.
fn departing(folder: &Path, connections: usize) {
    let (listener, file, record, socket) = stand_in(folder);
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
    // Each look connects again, and its first request shows whether the server lives.
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

/// A stand-in for a server that leaves: it answers the look, and takes no request after it.
fn leaving(folder: &Path) {
    let (listener, file, record, socket) = stand_in(folder);
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        leave(&file, &record, &socket);
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
        let _greeting = lines.next();
        let look: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
        let answers = format!("{}\n{}\n", json!({ "id": look["id"], "result": {} }), json!({ "left": true }));
        stream.write_all(answers.as_bytes()).unwrap();
    });
}

#[test]
fn a_call_that_was_not_taken_is_made_by_whoever_serves_the_folder_then() {
    let folder = place();
    leaving(folder.path());
    let arguments = r#"{"path": "b.txt", "content": "x", "why": "Have a second file to compare with"}"#;
    let output = wherefore(folder.path(), &["call", "fs.write", arguments]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(folder.path().join("work/b.txt")).unwrap(), "x");
}

/// A server that gets a signal while it answers sends the answer first, and takes nothing after it.
#[test]
fn a_server_that_is_told_to_end_answers_what_it_took() {
    let folder = place();
    let mut server =
        wherefore(folder.path(), &["serve", "--root", "."]).stdout(Stdio::null()).spawn().unwrap();
    until("it serves", || !servers(folder.path()).is_empty());
    let served = servers(folder.path()).remove(0);
    let mut stream = UnixStream::connect(served["socket"].as_str().unwrap()).unwrap();
    let arguments = json!({ "cmd": ["sleep", "0.5"], "why": "Wait for as long as a server takes to end" });
    let call = json!({ "tool": "terminal.run", "arguments": arguments });
    let told =
        [json!({ "token": served["token"] }), json!({ "id": 1, "method": "wherefore/call", "params": call })];
    told.iter().for_each(|line| stream.write_all(format!("{line}\n").as_bytes()).unwrap());
    thread::sleep(Duration::from_millis(200));
    kill_process(Pid::from_child(&server), Signal::TERM).unwrap();
    let lines: Vec<Value> =
        BufReader::new(stream).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0]["id"] == 1 && lines[0]["result"].is_object(), "{lines:?}");
    assert_eq!(lines[1], json!({ "left": true }));
    server.wait().unwrap();
    assert!(servers(folder.path()).is_empty());
}

#[test]
fn the_server_of_agents_is_no_child_of_the_agent_that_started_it() {
    let folder = place();
    let mut agent = Agent::start(folder.path(), LEGACY, &[]);
    agent.request("tools/list", json!({})).unwrap();
    let pid = servers(folder.path())[0]["pid"].as_u64().unwrap();
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().to_owned();
    let started = fs::read_to_string(format!("/proc/{parent}/cmdline")).unwrap();
    assert!(!started.contains("wherefore"), "its parent is {parent}: {started:?}");
    agent.leave();
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
