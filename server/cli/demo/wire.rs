//! The demo's end of the wire: a server process, messages to it, messages from it.

use std::io::{self, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::frames;

/// The longest time that a message from the server may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest time that the server may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// A server that runs, and the two ends of its pipes.
#[derive(Debug)]
pub(super) struct ServerWire {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last_id: i64,
}

impl ServerWire {
    /// Starts this very program as a language server in `root`. Its settings are looked for in `config`, so
    /// that the person's own do not change the demo.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn start(root: &Path, config: &Path) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("lsp")
            .current_dir(root)
            .env("XDG_CONFIG_HOME", config)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let (sender, messages) = channel();
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(|| io::Error::other("the server has no output"))?;
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(message)) = frames::read_frame(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, input, messages, last_id: 0 })
    }

    /// Sends a request and returns its id.
    ///
    /// # Errors
    /// The error of the pipe.
    pub(super) fn send_request(&mut self, method: &str, params: &Value) -> io::Result<i64> {
        self.last_id += 1;
        let id = self.last_id;
        self.send_message(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The error of the pipe.
    pub(super) fn send_notification(&mut self, method: &str, params: &Value) -> io::Result<()> {
        self.send_message(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    /// Answers a request of the server's.
    ///
    /// # Errors
    /// The error of the pipe.
    pub(super) fn send_answer(&mut self, id: &Value, outcome: Result<Value, &str>) -> io::Result<()> {
        self.send_message(&match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(message) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": message}})
            }
        })
    }

    /// The next message from the server.
    ///
    /// # Errors
    /// When it is silent for too long, or gone.
    pub(super) fn next_message(&mut self) -> io::Result<Value> {
        self.messages.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => io::Error::new(
                io::ErrorKind::TimedOut,
                format!("the server said nothing for {} s", PATIENCE.as_secs()),
            ),
            RecvTimeoutError::Disconnected => io::Error::other("the server ended in the middle of the demo"),
        })
    }

    /// Waits until the server has ended after `exit`; returns whether it ended by itself and successfully.
    ///
    /// # Errors
    /// The error of the system.
    pub(super) fn end_server(&mut self) -> io::Result<bool> {
        self.send_notification("exit", &Value::Null)?;
        self.input = None;
        let start = Instant::now();
        while start.elapsed() < FAREWELL {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status.success());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(false)
    }

    /// Writes one framed message.
    fn send_message(&mut self, message: &Value) -> io::Result<()> {
        let gone = || io::Error::other("the server was told to end");
        let input = self.input.as_mut().ok_or_else(gone)?;
        // A pipe that broke means that the server died: not to be mistaken for a reader of our output who has gone.
        let sent = frames::write_frame(input, message);
        sent.map_err(|error| io::Error::other(format!("the server does not listen: {error}")))
    }
}

impl Drop for ServerWire {
    fn drop(&mut self) {
        // Fails only where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
