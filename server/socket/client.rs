//! A client's side of the socket: blocking.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::marker::PhantomData;
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::error::LinkError;
use super::listener::Greeting;
use super::place::{RunningServer, servers};
use crate::requests::{Signature, Status};

/// Connects to a server, and says what is spoken from then on.
///
/// # Errors
/// What keeps the socket from being reached: mostly that the server has just ended.
pub(crate) fn enter(server: &RunningServer, greeting: Greeting) -> std::io::Result<UnixStream> {
    let mut stream = UnixStream::connect(&server.socket)?;
    let greeting = json!(Greeting { token: server.token.clone(), ..greeting });
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
}

/// A request that was sent.
#[derive(Debug)]
pub(crate) struct Sent<R> {
    id: u64,
    request: PhantomData<R>,
}

impl ServerLink {
    /// Connects to the server of the folder `root`; nothing where there is none.
    pub(crate) fn find(root: &str) -> Option<Self> {
        let serves = |server: &RunningServer| server.roots.iter().any(|served| served == root);
        servers().into_iter().filter(serves).find_map(|server| Self::connect(&server))
    }

    /// Speaks over a connection that was let in.
    pub(crate) fn over(stream: UnixStream) -> Self {
        Self { stream: BufReader::new(stream), next: 0, early: HashMap::new() }
    }

    fn connect(server: &RunningServer) -> Option<Self> {
        let mut link = Self::over(enter(server, Greeting::default()).ok()?);
        // A server that is just ending takes the connection too, and answers nothing. What one of another version answers
        // need not be read.
        link.request(Status::METHOD, &Value::Null).ok().map(|_| link)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// What the server says; INTERNAL where it went away, or its answer cannot be read.
    pub(crate) fn ask<R: Signature>(&mut self, params: &R::Params) -> Result<R::Answer, LinkError> {
        let sent = self.send::<R>(params)?;
        self.answer(&sent)
    }

    /// Sends a request.
    ///
    /// # Errors
    /// INTERNAL where the server went away.
    pub(crate) fn send<R: Signature>(&mut self, params: &R::Params) -> Result<Sent<R>, LinkError> {
        let params = serde_json::to_value(params).map_err(LinkError::Params)?;
        let id = self.write(R::METHOD, &params)?;
        Ok(Sent { id, request: PhantomData })
    }

    /// Waits for the answer to a request that was sent.
    ///
    /// # Errors
    /// As [`ServerLink::ask`].
    pub(crate) fn answer<R: Signature>(&mut self, sent: &Sent<R>) -> Result<R::Answer, LinkError> {
        let odd = |source| LinkError::Answer { method: R::METHOD, source };
        serde_json::from_value(self.result(sent.id)?).map_err(odd)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, LinkError> {
        let id = self.write(method, params)?;
        self.result(id)
    }

    fn result(&mut self, id: u64) -> Result<Value, LinkError> {
        let mut answer = self.read(id)?;
        match answer.get_mut("error").map(Value::take) {
            Some(error) => {
                Err(serde_json::from_value(error).map_or_else(LinkError::Fault, LinkError::Answered))
            }
            None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
        }
    }

    /// Writes a request, and gives its id.
    fn write(&mut self, method: &str, params: &Value) -> Result<u64, LinkError> {
        self.next += 1;
        let request = json!({ "id": self.next, "method": method, "params": params });
        // In one piece: a value that is written as it is formatted reaches the server in dozens.
        match self.stream.get_mut().write_all(format!("{request}\n").as_bytes()) {
            Ok(()) => Ok(self.next),
            // What the server said last can be read still.
            Err(error) => Err(self.read(self.next).err().unwrap_or(LinkError::Gone(error))),
        }
    }

    /// Reads lines up to the answer to a request.
    fn read(&mut self, id: u64) -> Result<Value, LinkError> {
        if let Some(answer) = self.early.remove(&id) {
            return Ok(answer);
        }
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line).map_err(LinkError::Gone)? == 0 {
                return Err(LinkError::Gone(std::io::Error::other("it closed the connection")));
            }
            let answer: Value = serde_json::from_str(&line).map_err(|error| LinkError::Gone(error.into()))?;
            if answer.get("left").is_some() {
                return Err(LinkError::Left);
            }
            match answer.get("id").and_then(Value::as_u64) {
                Some(other) if other != id => drop(self.early.insert(other, answer)),
                _ => return Ok(answer),
            }
        }
    }
}
