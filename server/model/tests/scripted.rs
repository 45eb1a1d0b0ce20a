//! A server of models that plays a script: it notes each request and answers with chunks, pauses, and a chosen end.
//!
//! It needs the standard library alone, so that any test can include it: `#[path = "…/server/model/tests/scripted.rs"]`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Its method and path, such as `POST /v1/messages`.
    pub line: String,
    /// Its headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// Its body; null if it is no JSON.
    pub body: Value,
}

impl Seen {
    /// A header's value, or nothing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }
}

/// A step of an answer.
#[derive(Clone, Debug)]
pub enum Step {
    /// Bytes, sent at once as one chunk.
    Send(Vec<u8>),
    /// A pause.
    Wait(Duration),
    /// The connection breaks off.
    Drop,
    /// Nothing comes any more; the connection stays.
    Hang,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Played {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(&'static str, String)>,
    /// The further steps.
    pub steps: Vec<Step>,
}

impl Played {
    /// A stream of these chunks.
    pub fn stream(kind: &str, chunks: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        let steps = chunks.into_iter().map(|chunk| Step::Send(chunk.into())).collect();
        Self { status: 200, headers: vec![("content-type", kind.to_owned())], steps }
    }

    /// Server-sent events with this data, each in a chunk of its own.
    pub fn events(data: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let event = |data: &str| format!("data: {data}\n\n");
        Self::stream("text/event-stream", data.into_iter().map(|data| event(data.as_ref())))
    }

    /// A whole body with a status.
    pub fn body(status: u16, kind: &str, text: &str) -> Self {
        Self { status, ..Self::stream(kind, [text.as_bytes().to_vec()]) }
    }

    /// Returns the answer with another header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// Returns the answer with another step.
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

/// The server. It ends with the test's process.
#[derive(Clone, Debug)]
pub struct Scripted {
    /// Its address, as `http://127.0.0.1:PORT`.
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Scripted {
    /// Starts one that answers by a script: the number of the request, and the request.
    pub fn start(script: impl Fn(usize, &Seen) -> Played + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (noted, script) = (seen.clone(), Arc::new(script));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (noted, script) = (noted.clone(), script.clone());
                thread::spawn(move || serve(&stream, &noted, &*script));
            }
        });
        Self { url, seen }
    }

    /// The requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("no test failed in it").clone()
    }
}

fn serve(
    stream: &TcpStream,
    noted: &Mutex<Vec<Seen>>,
    script: &dyn Fn(usize, &Seen) -> Played,
) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let line = format!("{} {}", words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, length)| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let seen = Seen { line, headers, body: serde_json::from_slice(&body).unwrap_or_default() };
    let number = {
        let mut noted = noted.lock().ok()?;
        noted.push(seen.clone());
        noted.len() - 1
    };
    play(stream, &script(number, &seen))
}

fn play(mut stream: &TcpStream, played: &Played) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut head =
        format!("HTTP/1.1 {} Scripted\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", played.status);
    for (name, value) in &played.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    for step in &played.steps {
        match step {
            Step::Send(bytes) if bytes.is_empty() => {}
            Step::Send(bytes) => {
                let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
                chunk.extend_from_slice(bytes);
                chunk.extend_from_slice(b"\r\n");
                stream.write_all(&chunk).ok()?;
            }
            Step::Wait(pause) => thread::sleep(*pause),
            Step::Drop => return None,
            // The other end lets go.
            Step::Hang => drop(stream.read(&mut [0])),
        }
    }
    stream.write_all(b"0\r\n\r\n").ok()
}
