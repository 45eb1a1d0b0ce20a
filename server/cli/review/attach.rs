//! The review as an editor of the folder's server: calls wait for it, and it hears of what waits.

use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::base::uri::uri_of;
use crate::cli::frames;
use crate::cli::mcp::reach::Reach;
use crate::protocol::{AskParams, Fault};
use crate::socket::{Greeting, Speaks};

/// How long the server may take to greet.
const GREETS: Duration = Duration::from_secs(10);

/// How long a question waits for its answer at the server.
const ASKED: Duration = Duration::from_secs(120);

/// A question that the person is asked.
#[derive(Clone, Debug)]
pub(super) struct AskedQuestion {
    id: Value,
    since: Instant,
    pub(super) params: AskParams,
}

/// What the server told.
#[derive(Debug)]
pub(super) enum WatchEvent {
    /// Something waits, or does not wait any more.
    Changed,
    /// The person is asked.
    Question(Box<AskedQuestion>),
    /// A call ended: nobody waits for an answer to its questions.
    Ended(String),
    /// The server is gone.
    Gone,
}

/// The connection, for as long as the review is attached.
#[derive(Debug)]
pub(super) struct AttachedReview {
    stream: UnixStream,
    messages: Receiver<Value>,
}

impl AttachedReview {
    /// Attaches to the folder's server, which is started where there is none.
    ///
    /// # Errors
    /// What keeps a server from starting or from answering.
    pub(super) fn new(reach: &Reach) -> Result<Self, Fault> {
        let greeting = Greeting { speaks: Some(Speaks::Lsp), ..Greeting::default() };
        let stream = reach.connect(&greeting)?;
        Self::greet(stream, reach.root()).map_err(|error| {
            Fault::internal(format!("the server of {} does not answer: {error}", reach.root()))
                .suggest("`wherefore status` says which server has the folder; start the review again")
        })
    }

    fn greet(mut stream: UnixStream, root: &str) -> io::Result<Self> {
        let folder = uri_of(root);
        let params = json!({
            "processId": null,
            "clientInfo": { "name": "wherefore review", "version": env!("CARGO_PKG_VERSION") },
            "rootUri": folder,
            "workspaceFolders": [{ "uri": folder, "name": "review" }],
            // It has no documents, and takes no edits: those go to an editor that does, or to the disk.
            "capabilities": { "experimental": { "wherefore": { "hunks": true, "asks": true } } },
        });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        frames::write(&mut stream, &hello)?;
        stream.set_read_timeout(Some(GREETS))?;
        let mut input = BufReader::new(stream.try_clone()?);
        loop {
            let message =
                frames::read(&mut input)?.ok_or_else(|| io::Error::other("it closed the connection"))?;
            if message["id"] == 1 && message.get("method").is_none() {
                break;
            }
        }
        stream.set_read_timeout(None)?;
        frames::write(&mut stream, &json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }))?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(message)) = frames::read(&mut input) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Ok(Self { stream, messages })
    }

    /// What the server told since this was asked last.
    pub(super) fn heard(&mut self) -> Vec<WatchEvent> {
        let mut heard = Vec::new();
        loop {
            match self.messages.try_recv() {
                Ok(message) => heard.extend(self.event(message)),
                Err(std::sync::mpsc::TryRecvError::Empty) => return heard,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    heard.push(WatchEvent::Gone);
                    return heard;
                }
            }
        }
    }

    fn event(&mut self, mut message: Value) -> Option<WatchEvent> {
        let params = message["params"].take();
        let id = message.get("id").cloned();
        match (message["method"].as_str()?, id) {
            ("wherefore/proposal" | "wherefore/proposalChanged", None) => Some(WatchEvent::Changed),
            ("wherefore/didFinish", None) => Some(WatchEvent::Ended(params["call_id"].as_str()?.to_owned())),
            ("wherefore/ask", Some(id)) => match serde_json::from_value(params) {
                Ok(params) => {
                    let question = AskedQuestion { id, since: Instant::now(), params };
                    Some(WatchEvent::Question(Box::new(question)))
                }
                Err(_) => self.turn_away(&id),
            },
            ("window/showMessageRequest" | "window/workDoneProgress/create", Some(id)) => {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }))
            }
            (_, Some(id)) => self.turn_away(&id),
            (_, None) => None,
        }
    }

    /// Answers a question; none turns it away.
    pub(super) fn answer(&mut self, question: &AskedQuestion, answer: Option<&str>) -> Option<WatchEvent> {
        self.send(&json!({ "jsonrpc": "2.0", "id": question.id, "result": { "answer": answer } }))
    }

    fn turn_away(&mut self, id: &Value) -> Option<WatchEvent> {
        let error = json!({ "code": -32601, "message": "the review does not know that request" });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    }

    fn send(&mut self, message: &Value) -> Option<WatchEvent> {
        frames::write(&mut self.stream, message).err().map(|_| WatchEvent::Gone)
    }
}

impl Drop for AttachedReview {
    fn drop(&mut self) {
        // The thread that reads holds the stream too.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl AskedQuestion {
    /// Whether both are one question.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Whether the server has given it up.
    pub(super) fn is_over(&self) -> bool {
        self.since.elapsed() > ASKED
    }
}
