//! A client's side of the socket: blocking, one request at a time.

use std::io::{BufRead, BufReader, Write};
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
}

impl ServerLink {
    /// Connects to the server of the folder `root`; nothing where there is none.
    pub(crate) fn find(root: &str) -> Option<Self> {
        let serves = |server: &RunningServer| server.roots.iter().any(|served| served == root);
        servers().into_iter().filter(serves).find_map(|server| Self::connect(&server))
    }

    fn connect(server: &RunningServer) -> Option<Self> {
        let stream = enter(server, Greeting::default()).ok()?;
        let mut link = Self { stream: BufReader::new(stream), next: 0 };
        // A server that is just ending takes the connection too, and answers nothing. What one of another version answers
        // need not be read.
        link.request(Status::METHOD, &Value::Null).ok().map(|_| link)
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// What the server says; INTERNAL where it went away, or its answer cannot be read.
    pub(crate) fn ask<R: Signature>(&mut self, params: &R::Params) -> Result<R::Answer, LinkError> {
        let params = serde_json::to_value(params).map_err(LinkError::Params)?;
        let odd = |source| LinkError::Answer { method: R::METHOD, source };
        serde_json::from_value(self.request(R::METHOD, &params)?).map_err(odd)
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, LinkError> {
        let mut answer = self.exchange(method, params).map_err(LinkError::Gone)?;
        match answer.get_mut("error").map(Value::take) {
            Some(error) => {
                Err(serde_json::from_value(error).map_or_else(LinkError::Fault, LinkError::Answered))
            }
            None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
        }
    }

    /// Writes a request, and reads the line that answers it.
    fn exchange(&mut self, method: &str, params: &Value) -> std::io::Result<Value> {
        self.next += 1;
        let request = json!({ "id": self.next, "method": method, "params": params });
        writeln!(self.stream.get_mut(), "{request}")?;
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(std::io::Error::other("it closed the connection"));
        }
        Ok(serde_json::from_str(&line)?)
    }
}
