//! A client's side of the socket: blocking, one request at a time.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use super::listener::Greeting;
use super::place::{Server, servers};
use crate::protocol::Fault;

/// Connects to a server, and says what is spoken from then on.
///
/// # Errors
/// What keeps the socket from being reached: mostly that the server has just ended.
pub fn enter(server: &Server, greeting: Greeting) -> std::io::Result<UnixStream> {
    let mut stream = UnixStream::connect(&server.socket)?;
    let greeting = json!(Greeting { token: server.token.clone(), ..greeting });
    stream.write_all(format!("{greeting}\n").as_bytes())?;
    Ok(stream)
}

/// A connection to a running server.
#[derive(Debug)]
pub struct Link {
    stream: BufReader<UnixStream>,
    server: Server,
    next: u64,
}

impl Link {
    /// Connects to the server of the folder `root`; nothing where there is none.
    pub fn find(root: &str) -> Option<Self> {
        let serves = |server: &Server| server.roots.iter().any(|served| served == root);
        servers().into_iter().filter(serves).find_map(Self::connect)
    }

    fn connect(server: Server) -> Option<Self> {
        let stream = enter(&server, Greeting::default()).ok()?;
        let mut link = Self { stream: BufReader::new(stream), server, next: 0 };
        // A server that is just ending takes the connection too, and answers nothing.
        link.request("wherefore/status", &Value::Null).ok().map(|_| link)
    }

    /// The server at the other end.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// What the server says; INTERNAL where it went away.
    pub fn request(&mut self, method: &str, params: &Value) -> Result<Value, Fault> {
        self.next += 1;
        let gone = |what: &str| Fault::internal(format!("the running server went away: {what}"));
        let request = json!({ "id": self.next, "method": method, "params": params });
        writeln!(self.stream.get_mut(), "{request}").map_err(|error| gone(&error.to_string()))?;
        let mut line = String::new();
        let length = self.stream.read_line(&mut line).map_err(|error| gone(&error.to_string()))?;
        if length == 0 {
            return Err(gone("it closed the connection"));
        }
        let mut answer: Value = serde_json::from_str(&line).map_err(|error| gone(&error.to_string()))?;
        match answer.get_mut("error").map(Value::take) {
            Some(error) => {
                Err(serde_json::from_value(error).unwrap_or_else(|error| gone(&error.to_string())))
            }
            None => Ok(answer.get_mut("result").map(Value::take).unwrap_or_default()),
        }
    }
}
