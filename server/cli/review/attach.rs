//! The review as an editor of the folder's server: calls wait for it, and the server notifies it of pending changes.

use std::io::{self, BufReader};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::base::uri::uri_from_path;
use crate::cli::frames;
use crate::cli::mcp::reach::ServerConnector;
use crate::protocol::{AskParams, Fault};
use crate::socket::{ClientGreeting, SpokenProtocol};

/// The time limit for the server's handshake.
const GREETS: Duration = Duration::from_secs(10);

/// The longest time that a question waits for its answer at the server.
const ASKED: Duration = Duration::from_secs(120);

/// A question that the person is asked.
#[derive(Clone, Debug)]
pub(super) struct AskedQuestion {
    id: Value,
    since: Instant,
    pub(super) params: AskParams,
}

/// A message of the server.
#[derive(Debug)]
pub(super) enum WatchEvent {
    /// The pending changes are different now.
    Changed,
    /// The person is asked a question.
    Question(Box<AskedQuestion>),
    /// A call ended, so that its questions need no answers.
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
    /// Attaches to the folder's server, which is started if necessary.
    ///
    /// # Errors
    /// The reason why no server can be started, or does not answer.
    pub(super) fn new(reach: &ServerConnector) -> Result<Self, Fault> {
        let greeting = ClientGreeting { speaks: Some(SpokenProtocol::Lsp), ..ClientGreeting::default() };
        let stream = reach.connect(&greeting)?;
        Self::initialize(stream, reach.root()).map_err(|error| {
            Fault::internal(format!("the server of {} does not answer: {error}", reach.root()))
                .with_suggestion(
                    "`wherefore status` says which server has the folder; start the review again",
                )
        })
    }

    fn initialize(mut stream: UnixStream, root: &str) -> io::Result<Self> {
        let folder = uri_from_path(root);
        let params = json!({
            "processId": null,
            "clientInfo": { "name": "wherefore review", "version": env!("CARGO_PKG_VERSION") },
            "rootUri": folder,
            "workspaceFolders": [{ "uri": folder, "name": "review" }],
            // It has no documents, and takes no edits: those go to another editor, or to the disk.
            "capabilities": { "experimental": { "wherefore": { "hunks": true, "asks": true } } },
        });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        frames::write_frame(&mut stream, &hello)?;
        stream.set_read_timeout(Some(GREETS))?;
        let mut input = BufReader::new(stream.try_clone()?);
        loop {
            let message = frames::read_frame(&mut input)?
                .ok_or_else(|| io::Error::other("it closed the connection"))?;
            if message["id"] == 1 && message.get("method").is_none() {
                break;
            }
        }
        stream.set_read_timeout(None)?;
        frames::write_frame(
            &mut stream,
            &json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }),
        )?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Ok(Some(message)) = frames::read_frame(&mut input) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Ok(Self { stream, messages })
    }

    /// The messages of the server since the last call.
    pub(super) fn take_events(&mut self) -> Vec<WatchEvent> {
        let mut heard = Vec::new();
        loop {
            match self.messages.try_recv() {
                Ok(message) => heard.extend(self.read_event(message)),
                Err(std::sync::mpsc::TryRecvError::Empty) => return heard,
                Err(std::sync::mpsc::TryRecvError::Disconnected) => {
                    heard.push(WatchEvent::Gone);
                    return heard;
                }
            }
        }
    }

    fn read_event(&mut self, mut message: Value) -> Option<WatchEvent> {
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
                Err(_) => self.reject_request(&id),
            },
            ("window/showMessageRequest" | "window/workDoneProgress/create", Some(id)) => {
                self.send_message(&json!({ "jsonrpc": "2.0", "id": id, "result": null }))
            }
            (_, Some(id)) => self.reject_request(&id),
            (_, None) => None,
        }
    }

    /// Answers a question; none declines it.
    pub(super) fn answer_question(
        &mut self,
        question: &AskedQuestion,
        answer: Option<&str>,
    ) -> Option<WatchEvent> {
        self.send_message(&json!({ "jsonrpc": "2.0", "id": question.id, "result": { "answer": answer } }))
    }

    fn reject_request(&mut self, id: &Value) -> Option<WatchEvent> {
        let error = json!({ "code": -32601, "message": "the review does not know that request" });
        self.send_message(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    }

    fn send_message(&mut self, message: &Value) -> Option<WatchEvent> {
        frames::write_frame(&mut self.stream, message).err().map(|_| WatchEvent::Gone)
    }
}

impl Drop for AttachedReview {
    fn drop(&mut self) {
        // The reading thread holds the stream, too.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl AskedQuestion {
    /// Returns whether both are the same question.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id
    }

    /// Returns whether the server has given it up.
    pub(super) fn is_over(&self) -> bool {
        self.since.elapsed() > ASKED
    }
}
