//! A client's side of the socket: blocking.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::marker::PhantomData;
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::error::LinkError;
use super::listener::ClientGreeting;
use super::liveness::{SILENCE, ServerLiveness, check_running, connect_in_time};
use super::rule_questions::{AnswerLine, QuestionLine};
use super::running_server::{RunningServer, running_servers};
use crate::protocol::{AskParams, Unanswered};
use crate::requests::{Signature, Status};

/// Connects to a server, and sends the greeting, which names the protocol.
///
/// # Errors
/// The error of reaching the socket: mostly that the server has just ended, or is stopped.
pub(crate) fn connect_to(server: &RunningServer, greeting: ClientGreeting) -> std::io::Result<UnixStream> {
    check_running(server)
        .map_err(|silent| std::io::Error::other(format!("{silent}; {}", silent.advice())))?;
    let mut stream = connect_in_time(&server.socket)?;
    let greeting = json!(ClientGreeting { token: server.token.clone(), ..greeting });
    stream.write_all(format!("{greeting}\n").as_bytes())?;
    Ok(stream)
}

/// A connection to a running server.
#[derive(Debug)]
pub(crate) struct ServerLink {
    stream: BufReader<UnixStream>,
    next: u64,
    /// Answers that came while another was waited for.
    early: HashMap<u64, Value>,
    /// Asks the person at this process's terminal.
    asks: Option<RuleAsker>,
}

/// Puts a question of the rules to the person at this process's terminal.
pub(crate) type RuleAsker = fn(&AskParams) -> Result<String, Unanswered>;

/// A request that was sent.
#[derive(Debug)]
pub(crate) struct SentRequest<R> {
    id: u64,
    request: PhantomData<R>,
}

impl ServerLink {
    /// Connects to the server of the folder `root`; `None` if there is none.
    ///
    /// # Errors
    /// Fails if there is one that answers nothing.
    pub(crate) fn find(root: &str) -> Result<Option<Self>, LinkError> {
        Self::find_asking(root, None)
    }

    /// Connects as [`ServerLink::find`]; `asks` answers the questions of the rules about the requests of this connection.
    ///
    /// # Errors
    /// As [`ServerLink::find`].
    pub(crate) fn find_asking(root: &str, asks: Option<RuleAsker>) -> Result<Option<Self>, LinkError> {
        let serves = |server: &RunningServer| server.roots.iter().any(|served| served == root);
        let mut silent = None;
        for server in running_servers().into_iter().filter(serves) {
            match Self::connect(&server, asks) {
                Ok(Some(link)) => return Ok(Some(link)),
                Ok(None) => {}
                Err(error) => silent = Some(error),
            }
        }
        silent.map_or(Ok(None), Err)
    }

    /// Speaks over a connection that was let in.
    pub(crate) fn from_stream(stream: UnixStream) -> Self {
        // If this cannot be set, the client waits for a stopped server.
        let _ = stream.set_read_timeout(Some(SILENCE)).and_then(|()| stream.set_write_timeout(Some(SILENCE)));
        Self { stream: BufReader::new(stream), next: 0, early: HashMap::new(), asks: None }
    }

    fn connect(server: &RunningServer, asks: Option<RuleAsker>) -> Result<Option<Self>, LinkError> {
        check_running(server).map_err(LinkError::Silent)?;
        let greeting = ClientGreeting { asks: asks.is_some(), ..ClientGreeting::default() };
        let Ok(stream) = connect_to(server, greeting) else { return Ok(None) };
        let mut link = Self { asks, ..Self::from_stream(stream) };
        // A server that is just ending takes the connection too, and answers nothing. What one of another version answers
        // need not be read.
        match link.request_raw(Status::METHOD, &Value::Null) {
            Ok(_) => Ok(Some(link)),
            Err(error @ LinkError::Silent(_)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// The server's error; INTERNAL if it went away, or its answer cannot be read.
    pub(crate) fn ask<R: Signature>(&mut self, params: &R::Params) -> Result<R::Answer, LinkError> {
        let sent = self.send::<R>(params)?;
        self.wait_answer(&sent)
    }

    /// Sends a request.
    ///
    /// # Errors
    /// INTERNAL if the server went away.
    pub(crate) fn send<R: Signature>(&mut self, params: &R::Params) -> Result<SentRequest<R>, LinkError> {
        let params = serde_json::to_value(params).map_err(LinkError::Params)?;
        let id = self.write_request(R::METHOD, &params)?;
        Ok(SentRequest { id, request: PhantomData })
    }

    /// Waits for the answer to a request that was sent.
    ///
    /// # Errors
    /// As [`ServerLink::ask`].
    pub(crate) fn wait_answer<R: Signature>(
        &mut self,
        sent: &SentRequest<R>,
    ) -> Result<R::Answer, LinkError> {
        let odd = |source| LinkError::Answer { method: R::METHOD, source };
        serde_json::from_value(self.wait_result(sent.id)?).map_err(odd)
    }

    fn request_raw(&mut self, method: &str, params: &Value) -> Result<Value, LinkError> {
        let id = self.write_request(method, params)?;
        self.wait_result(id)
    }

    fn wait_result(&mut self, id: u64) -> Result<Value, LinkError> {
        let mut answer = self.read_answer(id)?;
        match answer.get_mut("error").map(Value::take) {
            Some(error) => {
                Err(serde_json::from_value(error).map_or_else(LinkError::Fault, LinkError::Answered))
            }
            None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
        }
    }

    /// Writes a request, and gives its id.
    fn write_request(&mut self, method: &str, params: &Value) -> Result<u64, LinkError> {
        self.next += 1;
        let request = json!({ "id": self.next, "method": method, "params": params });
        // In one piece: a value that is written as it is formatted reaches the server in dozens.
        match self.write_all(format!("{request}\n").as_bytes()) {
            Ok(()) => Ok(self.next),
            // The last answer of the server can be read still.
            Err(error) => Err(self.read_answer(self.next).err().unwrap_or(LinkError::Gone(error))),
        }
    }

    /// Writes all of it, as long as the server works.
    fn write_all(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        let mut liveness = ServerLiveness::default();
        while !bytes.is_empty() {
            match self.stream.get_mut().write(bytes) {
                Ok(0) => return Err(std::io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = bytes.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_pause(&error) => {
                    liveness.check_server(self.stream.get_ref()).map_err(std::io::Error::other)?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads a line, as long as the server works.
    fn read_line(&mut self) -> Result<Vec<u8>, LinkError> {
        let (mut line, mut liveness) = (Vec::new(), ServerLiveness::default());
        loop {
            match self.stream.read_until(b'\n', &mut line) {
                Ok(_) => return Ok(line),
                Err(error) if is_pause(&error) => {
                    liveness.check_server(self.stream.get_ref()).map_err(LinkError::Silent)?;
                }
                Err(error) => return Err(LinkError::Gone(error)),
            }
        }
    }

    /// Puts a question of the server's to the person, and sends their answer.
    fn answer_question(&mut self, asks: RuleAsker, line: Value) -> Result<(), LinkError> {
        let line: QuestionLine =
            serde_json::from_value(line).map_err(|error| LinkError::Gone(error.into()))?;
        let answer = json!(AnswerLine { answers: line.asks, answer: asks(&line.question) });
        self.write_all(format!("{answer}\n").as_bytes()).map_err(LinkError::Gone)
    }

    /// Reads lines up to the answer to a request.
    fn read_answer(&mut self, id: u64) -> Result<Value, LinkError> {
        if let Some(answer) = self.early.remove(&id) {
            return Ok(answer);
        }
        loop {
            let line = self.read_line()?;
            if line.is_empty() {
                return Err(LinkError::Gone(std::io::Error::other("it closed the connection")));
            }
            let answer: Value =
                serde_json::from_slice(&line).map_err(|error| LinkError::Gone(error.into()))?;
            if answer.get("left").is_some() {
                return Err(LinkError::Left);
            }
            if let (Some(asks), true) = (self.asks, answer.get("asks").is_some()) {
                self.answer_question(asks, answer)?;
                continue;
            }
            match answer.get("id").and_then(Value::as_u64) {
                Some(other) if other != id => drop(self.early.insert(other, answer)),
                _ => return Ok(answer),
            }
        }
    }
}

/// Returns whether nothing came, or could be sent, for a while.
fn is_pause(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
