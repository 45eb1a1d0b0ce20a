//! The server's process and the frames that come out of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// The longest time that any step may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The longest time in which a server ends that has to, on a busy machine: less than the ten seconds after which one without a
/// client ends by itself.
pub(crate) const PROMPT: Duration = Duration::from_secs(9);

/// A running server, with a thread that reads its messages.
pub(crate) struct Wire {
    pub child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
}

/// A message as the base protocol frames it.
pub(crate) fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

impl Wire {
    pub(crate) fn start(configure: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.env("XDG_STATE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
        configure(&mut command);
        let mut child = command.spawn().unwrap();
        let (sender, messages) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || read_all(stdout, |message| drop(sender.send(message))));
        Self { stdin: child.stdin.take(), child, messages }
    }

    /// Sends bytes as they are. A server that is gone is noticed when it is read from.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        if let Some(stdin) = &mut self.stdin {
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    /// Sends from a thread of its own, for what is larger than a pipe.
    pub(crate) fn send_beside(&mut self, bytes: Vec<u8>) -> thread::JoinHandle<ChildStdin> {
        let mut stdin = self.stdin.take().unwrap();
        thread::spawn(move || {
            stdin.write_all(&bytes).unwrap();
            stdin
        })
    }

    pub(crate) fn resume(&mut self, sending: thread::JoinHandle<ChildStdin>) {
        self.stdin = Some(sending.join().unwrap());
    }

    /// Closes the server's input.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// The next message, or nothing once the server closed its output.
    pub(crate) fn receive(&self) -> Option<Value> {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server said nothing for {PATIENCE:?}"),
        }
    }

    /// The next message within `wait`.
    pub(crate) fn try_receive(&self, wait: Duration) -> Option<Value> {
        self.messages.recv_timeout(wait).ok()
    }

    /// Waits for the process's end, which must come within [`PROMPT`].
    pub(crate) fn wait_for_end(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < PROMPT, "the server lives on after {PROMPT:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_all(mut stdout: BufReader<ChildStdout>, mut each: impl FnMut(Value)) {
    loop {
        let mut length = None;
        loop {
            let mut line = String::new();
            if stdout.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line == "\r\n" {
                break;
            }
            length = line.strip_prefix("Content-Length: ").and_then(|value| value.trim_end().parse().ok());
            assert!(length.is_some(), "no header: {line:?}");
        }
        let mut body = vec![0; length.unwrap()];
        if stdout.read_exact(&mut body).is_err() {
            return;
        }
        each(serde_json::from_slice(&body).unwrap());
    }
}
