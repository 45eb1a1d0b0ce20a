//! A server at the other end of two pipes, spoken to as a client would, without more work than that takes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// The framing of messages.
#[derive(Clone, Copy, PartialEq)]
enum Wire {
    /// `Content-Length` headers, as the Language Server Protocol has them.
    Headers,
    /// A line each, as the Model Context Protocol has them; with the name of the tool that reads a file, and whether it
    /// takes a path below the root and a reason.
    Lines(&'static str, bool),
}

/// A running server.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    wire: Wire,
    body: Vec<u8>,
}

impl Peer {
    /// `wherefore lsp`, not yet initialized.
    pub(crate) fn spawn() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
        Self::start(command.arg("lsp"), Wire::Headers)
    }

    /// `wherefore lsp` on `root`; `plugin` is true for a wherefore plugin, which renders hunks itself.
    pub(crate) fn wherefore(root: &Path, plugin: bool) -> Self {
        let mut peer = Self::spawn();
        peer.initialize(root, plugin);
        peer
    }

    /// Starts it with all of its own files below `home`.
    pub(crate) fn at_home(root: &Path, home: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.arg("lsp").env("HOME", home).env("XDG_RUNTIME_DIR", home);
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
            command.env_remove(name);
        }
        let mut peer = Self::start(&mut command, Wire::Headers);
        peer.initialize(root, false);
        peer
    }

    /// The npm server on `root`; nothing where it is not installed.
    pub(crate) fn npm(root: &Path) -> Option<Self> {
        const PLACE: &str = ".e2e/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(PLACE);
        if !script.exists() {
            return None;
        }
        let mut command = Command::new("node");
        command.arg(script).arg(root).stderr(Stdio::null());
        Some(Self::shaken(&mut command, Wire::Lines("read_text_file", false)))
    }

    /// `wherefore mcp` on `root`: the way of an agent, through the socket to a server of its own.
    pub(crate) fn agent(root: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
        Self::shaken(command.arg("mcp").arg("--root").arg(root), Wire::Lines("fs_read", true))
    }

    fn shaken(command: &mut Command, wire: Wire) -> Self {
        let mut peer = Self::start(command, wire);
        let client = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        peer.send(&frame(wire, Some(0), "initialize", &client));
        peer.answer();
        peer.send(&frame(wire, None, "notifications/initialized", &json!({})));
        peer
    }

    fn start(command: &mut Command, wire: Wire) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::with_capacity(256 << 10, child.stdout.take().unwrap());
        Self { child, input, output, wire, body: Vec::new() }
    }

    /// Sends `initialize`, waits for its answer, and sends `initialized`.
    pub(crate) fn initialize(&mut self, root: &Path, plugin: bool) {
        let uri = format!("file://{}", root.display());
        let params = json!({
            "processId": std::process::id(),
            "rootUri": uri,
            "workspaceFolders": [{ "uri": uri, "name": "bench" }],
            "capabilities": { "experimental": { "wherefore": { "hunks": plugin, "save": plugin } } },
        });
        self.send(&frame(self.wire, Some(0), "initialize", &params));
        self.answer();
        self.send(&frame(self.wire, None, "initialized", &json!({})));
    }

    /// A request, ready to be sent.
    pub(crate) fn request(&self, id: usize, method: &str, params: &Value) -> Vec<u8> {
        frame(self.wire, Some(id), method, params)
    }

    /// The request that reads the file `name` in `root`, as this server takes it.
    pub(crate) fn read(&self, id: usize, root: &Path, name: &str) -> Vec<u8> {
        let why = "See how retries are counted before the limit changes";
        let reasoned = json!({ "path": name, "why": why });
        let (method, params) = match self.wire {
            Wire::Headers => ("wherefore/call", json!({ "tool": "fs.read", "arguments": reasoned })),
            Wire::Lines(tool, true) => ("tools/call", json!({ "name": tool, "arguments": reasoned })),
            Wire::Lines(tool, false) => {
                ("tools/call", json!({ "name": tool, "arguments": { "path": root.join(name) } }))
            }
        };
        self.request(id, method, &params)
    }

    /// Sends bytes.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
    }

    /// The next answer; what the server sends of itself is passed over.
    pub(crate) fn answer(&mut self) -> &[u8] {
        loop {
            self.message();
            let head = &self.body[..self.body.len().min(80)];
            if !contains(head, b"\"method\"") {
                return &self.body;
            }
        }
    }

    /// Returns whether more input has arrived already.
    pub(crate) fn has_more(&self) -> bool {
        !self.output.buffer().is_empty()
    }

    /// Bytes resident, in KiB.
    pub(crate) fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Processor time used so far, of all its threads; in steps of 10 ms.
    pub(crate) fn busy(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        // The name in parentheses may hold anything; user and system time are the 12th and 13th numbers after it.
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(ticks * 10)
    }

    /// Stops it where it is.
    pub(crate) fn hold(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub(crate) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    fn message(&mut self) {
        self.body.clear();
        if self.wire != Wire::Headers {
            self.output.read_until(b'\n', &mut self.body).unwrap();
            assert!(!self.body.is_empty(), "the server ended");
            return;
        }
        let mut length = 0;
        loop {
            self.body.clear();
            self.output.read_until(b'\n', &mut self.body).unwrap();
            let line = std::str::from_utf8(&self.body).unwrap();
            assert!(!line.is_empty(), "the server ended");
            match line.strip_prefix("Content-Length: ") {
                Some(value) => length = value.trim().parse().unwrap(),
                None if line == "\r\n" => break,
                None => {}
            }
        }
        self.body.resize(length, 0);
        self.output.read_exact(&mut self.body).unwrap();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn frame(wire: Wire, id: Option<usize>, method: &str, params: &Value) -> Vec<u8> {
    let mut message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
    if let Some(id) = id {
        message["id"] = id.into();
    }
    match wire {
        Wire::Headers => {
            let body = message.to_string();
            format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
        }
        Wire::Lines(..) => format!("{message}\n").into_bytes(),
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
