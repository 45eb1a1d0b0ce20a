//! A scripted model on loopback: it speaks the agents' protocols, follows a script, and records its requests.

mod anthropic;
mod chat;
mod gemini;
mod responses;

use std::io::{BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http;

/// The longest time that an agent may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The next move of the model.
#[derive(Clone, Debug)]
pub(crate) enum Move {
    /// Calls a tool, by the name that the server gave it: the agent's own prefix is found in what it sent.
    Call(&'static str, Value),
    /// Answers with a text, which ends the agent's run.
    Say(&'static str),
}

/// A request of the agent, in the parts that scripts read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turn {
    /// Names of the tools that the model may call.
    pub tools: Vec<String>,
    /// The results of its calls so far, as text, the last one last.
    pub results: Vec<String>,
    /// All of it, as it came.
    pub request: String,
}

impl Turn {
    /// The result of the last call.
    pub(crate) fn last(&self) -> &str {
        self.results.last().map_or("", String::as_str)
    }

    /// The JSON in the last result, whatever the agent put around it.
    pub(crate) fn answer(&self) -> Value {
        let start = self.last().find('{').unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(&self.last()[start..]).into_iter();
        values.next().and_then(Result::ok).unwrap_or_default()
    }

    /// The value under `key` in the last result, however deep.
    pub(crate) fn value(&self, key: &str) -> Value {
        fn find(value: &Value, key: &str) -> Option<Value> {
            match value {
                Value::Object(fields) => {
                    let inner = || fields.values().find_map(|value| find(value, key));
                    fields.get(key).cloned().or_else(inner)
                }
                Value::Array(items) => items.iter().find_map(|value| find(value, key)),
                _ => None,
            }
        }
        find(&self.answer(), key).unwrap_or_default()
    }

    /// The agent's own name for a tool: what it listed, or else what it would have called it had it listed the tool. Claude Code
    /// does not list all tools of its own, which alone begin with a capital.
    fn name_of(&self, tool: &str) -> String {
        if tool.starts_with(char::is_uppercase) {
            return tool.to_owned();
        }
        let same = |name: &&String| name.as_str() == tool || name.ends_with(&format!("_{tool}"));
        self.tools.iter().find(same).cloned().unwrap_or_else(|| format!("mcp__wherefore__{tool}"))
    }
}

/// A script: the next move, by what the agent sent last.
pub(crate) type Script = Box<dyn FnMut(&Turn) -> Move + Send>;

/// A protocol between agents and models.
struct Dialect {
    /// Returns whether a path belongs to its requests.
    is_path: fn(&str) -> bool,
    /// Reads a request.
    read: fn(&Value) -> Turn,
    /// Writes an answer: the model's `count`th move, as JSON, or as an event stream where the request or its path wants one.
    write: fn(&Asked, &Move, usize) -> String,
}

const DIALECTS: [Dialect; 4] = [anthropic::DIALECT, responses::DIALECT, chat::DIALECT, gemini::DIALECT];

/// A request that is to be answered.
struct Asked<'a> {
    path: &'a str,
    body: &'a Value,
    turn: &'a Turn,
}

impl Asked<'_> {
    fn streams(&self) -> bool {
        self.body["stream"] == true || self.path.contains("alt=sse")
    }
}

/// The running model. Its thread ends with the test's process.
pub(crate) struct Model {
    /// The address it listens at, without a path.
    pub url: String,
    state: Arc<State>,
}

struct State {
    script: Mutex<Script>,
    turns: Mutex<Vec<Turn>>,
}

impl Model {
    /// Starts one that plays `script`.
    pub(crate) fn start(script: impl FnMut(&Turn) -> Move + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State { script: Mutex::new(Box::new(script)), turns: Mutex::default() });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = shared.clone();
                thread::spawn(move || serve(stream, &state));
            }
        });
        Self { url, state }
    }

    /// Every turn so far.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        self.state.turns.lock().unwrap().clone()
    }

    /// Waits for a turn whose last result holds `text`.
    pub(crate) fn expect(&self, text: &str) -> Turn {
        let start = Instant::now();
        loop {
            if let Some(turn) = self.turns().into_iter().find(|turn| turn.last().contains(text)) {
                return turn;
            }
            assert!(
                start.elapsed() < PATIENCE,
                "the model was not sent {text:?}, but {:#?}",
                self.turns().last()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}

fn serve(mut stream: TcpStream, state: &State) -> Option<()> {
    let request = http::read(&mut BufReader::new(stream.try_clone().ok()?))?;
    let body = serde_json::from_slice(&request.body).unwrap_or_default();
    let (kind, text) = answer(&request.path, &body, state);
    let text = if request.method == "HEAD" { String::new() } else { text };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes())).ok()
}

/// The answer: its content type and its text.
fn answer(path: &str, body: &Value, state: &State) -> (&'static str, String) {
    let plain = path.split('?').next().unwrap_or_default();
    let Some(dialect) = DIALECTS.iter().find(|dialect| (dialect.is_path)(plain)) else {
        // Token counts, lists of models, telemetry: anything that is JSON will do.
        let counted = r#"{"input_tokens":10,"totalTokens":10,"data":[],"models":[]}"#;
        return ("application/json", counted.to_owned());
    };
    let turn = Turn { request: body.to_string(), ..(dialect.read)(body) };
    let asked = Asked { path, body, turn: &turn };
    let kind = if asked.streams() { "text/event-stream" } else { "application/json" };
    // Agents also ask for titles and summaries, with no tools: that is not a turn of the script's.
    if turn.tools.is_empty() {
        return (kind, (dialect.write)(&asked, &Move::Say("a title"), 0));
    }
    let count = {
        let mut turns = state.turns.lock().unwrap();
        turns.push(turn.clone());
        turns.len()
    };
    // A script may wait for a person: nothing else is locked meanwhile.
    let next = (state.script.lock().unwrap())(&turn);
    (kind, (dialect.write)(&asked, &next, count))
}

/// A server-sent event, with a name if it has one.
fn event(name: Option<&str>, data: &Value) -> String {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {data}\n\n")
}

/// The text of a result, which is a string, or parts with a text each, or something else as JSON.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let text = |part: &Value| part["text"].as_str().map_or_else(|| part.to_string(), str::to_owned);
            parts.iter().map(text).collect::<Vec<_>>().join("\n")
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
