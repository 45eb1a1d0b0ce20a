//! The real proxy between an editor and an agent whose lines a test writes and reads.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::PATIENCE;
use crate::support::agent::{place, until, wherefore};

pub(super) const FIVE: &str = "one\ntwo\nthree\nfour\nfive\n";
pub(super) const LOUD: &str = "ONE\ntwo\nTHREE\nfour\nFIVE\n";

/// An end of the proxy.
pub(super) struct AcpPeer {
    lines: Receiver<Value>,
    out: Option<Box<dyn Write>>,
}

impl AcpPeer {
    fn new(from: impl Read + Send + 'static, to: impl Write + 'static) -> Self {
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(from).lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap_or(Value::String(line))).is_err() {
                    return;
                }
            }
        });
        Self { lines, out: Some(Box::new(to)) }
    }

    pub(super) fn line(&mut self, line: &str) {
        let out = self.out.as_mut().unwrap();
        out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush()).unwrap();
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.line(&message.to_string());
    }

    pub(super) fn ask(&mut self, id: u32, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }

    pub(super) fn answer(&mut self, asked: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }));
    }

    pub(super) fn choose(&mut self, asked: &Value, option: &str) {
        self.answer(asked, json!({ "outcome": { "outcome": "selected", "optionId": option } }));
    }

    pub(super) fn hear(&mut self) -> Value {
        self.lines.recv_timeout(PATIENCE).expect("nothing came")
    }

    /// Reads messages up to one of that method.
    pub(super) fn hear_of(&mut self, method: &str) -> Value {
        let message = self.hear();
        assert_eq!(message["method"], method, "{message:#}");
        message
    }

    /// Nothing comes for that long.
    pub(super) fn is_silent(&mut self, wait: Duration) {
        assert_eq!(self.lines.recv_timeout(wait), Err(RecvTimeoutError::Timeout));
    }

    pub(super) fn leave(&mut self) {
        self.out = None;
    }
}

/// A session `s` in `FOLDER/work`, with a file `a.txt`.
pub(super) struct AcpScene {
    pub(super) editor: AcpPeer,
    pub(super) agent: AcpPeer,
    proxy: Child,
    folder: TempDir,
}

/// The agent: it prints its process id, and then the messages that the test writes for it.
const AGENT: &str = "echo $$ > ../agent.pid; cat > ../from-proxy & exec cat < ../to-proxy";

impl AcpScene {
    pub(super) fn start() -> Self {
        let folder = place();
        fs::write(folder.path().join("work/a.txt"), FIVE).unwrap();
        for name in ["from-proxy", "to-proxy"] {
            assert!(Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
        }
        // A background job of a shell has no standard input by default.
        let script = AGENT.replace("cat >", "cat <&3 >");
        let mut command =
            wherefore(folder.path(), &["acp", "--", "sh", "-c", &format!("exec 3<&0; {script}")]);
        let mut proxy =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let editor = AcpPeer::new(proxy.stdout.take().unwrap(), proxy.stdin.take().unwrap());
        let from = File::open(folder.path().join("from-proxy")).unwrap();
        let to = File::options().write(true).open(folder.path().join("to-proxy")).unwrap();
        let mut scene = Self { editor, agent: AcpPeer::new(from, to), proxy, folder };
        scene.editor.ask(
            0,
            "initialize",
            json!({ "protocolVersion": 1, "clientCapabilities": { "terminal": true } }),
        );
        let asked = scene.agent.hear_of("initialize");
        let info = json!({ "protocolVersion": 1, "agentInfo": { "name": "someone", "version": "1" } });
        scene.agent.answer(&asked, info);
        scene.editor.hear();
        let work = scene.work();
        scene.session(1, "s", &work);
        scene
    }

    /// A session begins.
    pub(super) fn session(&mut self, id: u32, name: &str, folder: &Path) {
        self.editor.ask(id, "session/new", json!({ "cwd": folder, "mcpServers": [] }));
        let asked = self.agent.hear_of("session/new");
        self.agent.answer(&asked, json!({ "sessionId": name }));
        self.editor.hear();
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(self.work().join("a.txt")).unwrap()
    }

    pub(super) fn run(&self, args: &[&str]) -> Output {
        wherefore(self.folder(), args).output().unwrap()
    }

    /// The proposals that wait.
    pub(super) fn waiting(&self) -> Vec<Value> {
        let listed = self.run(&["review", "--list", "--json"]);
        serde_json::from_slice(&listed.stdout).unwrap_or_default()
    }

    /// The events of the latest session.
    pub(super) fn log(&self) -> Vec<Value> {
        let text = String::from_utf8(self.run(&["log", "--format", "json"]).stdout).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The agent sends a text.
    pub(super) fn says(&mut self, text: &str) {
        let content = json!({ "type": "text", "text": text });
        let update = json!({ "sessionUpdate": "agent_message_chunk", "content": content });
        self.agent
            .send(&json!({ "method": "session/update", "params": { "sessionId": "s", "update": update } }));
        self.editor.hear_of("session/update");
    }

    /// The agent writes `a.txt`.
    pub(super) fn write(&mut self, id: u32, content: &str) {
        let path = self.work().join("a.txt");
        self.agent.ask(
            id,
            "fs/write_text_file",
            json!({ "sessionId": "s", "path": path, "content": content }),
        );
    }

    /// The editor opens the terminal that it is asked for.
    pub(super) fn terminal(&mut self) -> EditorTerminal {
        let asked = self.editor.hear_of("terminal/create");
        let args: Vec<&str> =
            asked["params"]["args"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(asked["params"]["command"], env!("CARGO_BIN_EXE_wherefore"), "{asked:#}");
        let mut command = wherefore(self.folder(), &args);
        let output = self.folder().join("terminal.log");
        let file = File::create(&output).unwrap();
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        EditorTerminal { child: command.spawn().unwrap(), output }
    }

    fn agent_id(&self) -> String {
        fs::read_to_string(self.folder().join("agent.pid")).unwrap().trim().to_owned()
    }

    pub(super) fn kill_agent(&self) {
        assert!(Command::new("kill").args(["-9", &self.agent_id()]).status().unwrap().success());
    }

    pub(super) fn agent_runs(&self) -> bool {
        Path::new("/proc").join(self.agent_id()).exists()
    }

    /// Processes that sleep in this workspace.
    pub(super) fn sleepers(&self) -> Vec<PathBuf> {
        let work = self.work().canonicalize().unwrap();
        let entries = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        let sleeps = |path: &PathBuf| {
            fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == work)
                && fs::read_to_string(path.join("comm")).is_ok_and(|name| name.trim() == "sleep")
        };
        entries.filter(sleeps).collect()
    }

    /// The exit code of the proxy, at its end.
    pub(super) fn code(&mut self) -> Option<i32> {
        ended(&mut self.proxy)
    }
}

impl Drop for AcpScene {
    fn drop(&mut self) {
        let _ = self.proxy.kill();
        let _ = self.proxy.wait();
    }
}

/// A terminal of the editor.
pub(super) struct EditorTerminal {
    child: Child,
    output: PathBuf,
}

impl EditorTerminal {
    /// The output in it.
    pub(super) fn output(&self) -> String {
        fs::read_to_string(&self.output).unwrap()
    }

    pub(super) fn hears(&self, text: &str) {
        until(text, || self.output().contains(text));
    }

    /// `terminal/kill`, as the hardest editors do it.
    pub(super) fn kill(&mut self) {
        self.child.kill().unwrap();
    }

    /// The exit code, at its end.
    pub(super) fn code(&mut self) -> Option<i32> {
        ended(&mut self.child)
    }
}

fn ended(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return status.code(),
            None => assert!(start.elapsed() < PATIENCE, "it does not end"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}
