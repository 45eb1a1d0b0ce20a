//! A test agent: `wherefore mcp` over standard streams, a message a line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::wire::PATIENCE;

/// The version of each era.
pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

/// An agent at work in `FOLDER/work`, with the runtime folder `FOLDER/run`.
pub(crate) struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    unread: Vec<Value>,
    next: u64,
    /// The metadata of each request in the later era; none in the earlier one.
    meta: Option<Value>,
}

/// A folder for an agent alone, with what it works on.
pub(crate) fn place() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["work", "work/.git", "home", "run"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("work/a.txt"), "one\ntwo\nthree\n").unwrap();
    folder
}

/// The program, as it runs in that folder.
pub(crate) fn wherefore(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    command.args(args).current_dir(folder.join("work"));
    command.env("HOME", folder.join("home"));
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    command.env("XDG_RUNTIME_DIR", folder.join("run"));
    command
}

/// The servers that the runtime folder knows.
pub(crate) fn servers(folder: &Path) -> Vec<Value> {
    let entries = std::fs::read_dir(folder.join("run/wherefore")).into_iter().flatten().flatten();
    let files =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|ext| ext == "json"));
    files.filter_map(|path| serde_json::from_slice(&std::fs::read(path).ok()?).ok()).collect()
}

/// Waits until something holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < PATIENCE, "{what}: not after {PATIENCE:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

impl Agent {
    /// Starts one, and shakes hands in the earlier era.
    pub(crate) fn start(folder: &Path, version: &str, args: &[&str]) -> Self {
        Self::named(folder, "test-agent", version, args, json!({}))
    }

    /// Starts an agent with a name and capabilities.
    pub(crate) fn named(
        folder: &Path,
        name: &str,
        version: &str,
        args: &[&str],
        capabilities: Value,
    ) -> Self {
        let mut command = wherefore(folder, &["mcp"]);
        command.args(args);
        Self::run(command, name, version, capabilities)
    }

    /// Starts an agent by a command of its own.
    pub(crate) fn run(mut command: Command, name: &str, version: &str, capabilities: Value) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, messages) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let client = json!({ "name": name, "version": "1.0" });
        let meta = (version == MODERN).then(|| {
            json!({
                "io.modelcontextprotocol/protocolVersion": version,
                "io.modelcontextprotocol/clientInfo": client,
                "io.modelcontextprotocol/clientCapabilities": capabilities,
            })
        });
        let stdin = child.stdin.take();
        let mut agent = Self { child, stdin, messages, unread: Vec::new(), next: 0, meta };
        if version != MODERN {
            let params =
                json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": client });
            let answer = agent.request("initialize", params).unwrap();
            assert_eq!(answer["protocolVersion"], version);
            agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        agent
    }

    /// Sends a message as it is.
    pub(crate) fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    /// Sends a line as it is.
    pub(crate) fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdin.flush()).unwrap();
    }

    /// Waits for the error of that code that answers a request; one with no id, for null.
    pub(crate) fn error_of(&mut self, id: &Value, code: i64) -> Value {
        self.find(|message| message["id"] == *id && message["error"]["code"] == code)["error"].clone()
    }

    /// Sends a request; its id.
    pub(crate) fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(Value::Object(meta)) = &self.meta {
            let given = params["_meta"].as_object().cloned().unwrap_or_default();
            params["_meta"] = meta.clone().into_iter().chain(given).collect();
        }
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// Waits for the answer to a request: its result, or its error.
    pub(crate) fn finish(&mut self, id: u64) -> Result<Value, Value> {
        let answer = self.find(|message| message["id"] == id && message.get("method").is_none());
        answer.get("result").cloned().ok_or_else(|| answer["error"].clone())
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params);
        self.finish(id)
    }

    /// Waits for a notification, or a request of the server's.
    pub(crate) fn expect(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method)
    }

    /// Begins a tool call.
    pub(crate) fn begin_call(&mut self, tool: &str, arguments: Value) -> u64 {
        self.begin("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Waits for the end of a tool call: what it answers, and whether that is a fault.
    pub(crate) fn finish_call(&mut self, id: u64) -> (Value, bool) {
        let result = self.finish(id).unwrap();
        let content: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        let structured = result.get("structuredContent");
        assert_eq!(structured, (result["isError"] != true).then_some(&content), "the text says the same");
        assert_eq!(result.get("resultType").is_some(), self.meta.is_some(), "{result}");
        (content, result["isError"] == true)
    }

    /// Calls a tool; its answer must be no fault.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin_call(tool, arguments);
        let (content, fault) = self.finish_call(id);
        assert!(!fault, "{content:#}");
        content
    }

    /// Calls a tool that answers a fault.
    pub(crate) fn fault(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.begin_call(tool, arguments);
        let (content, fault) = self.finish_call(id);
        assert!(fault, "{content:#}");
        content["error"].clone()
    }

    /// Closes its end and waits for the process.
    pub(crate) fn leave(mut self) {
        self.stdin = None;
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}");
    }

    fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.unread.iter().position(&wanted) {
                return self.unread.remove(at);
            }
            let message = self.messages.recv_timeout(PATIENCE);
            self.unread.push(message.unwrap_or_else(|error| panic!("{error}; unread: {:#?}", self.unread)));
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
