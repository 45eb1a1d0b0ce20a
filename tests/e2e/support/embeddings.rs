//! A test model: OpenAI's interface for embeddings on the loopback, with a vector for each meaning that it knows.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The behaviour of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Answers,
    /// It takes requests, and answers them once it behaves otherwise.
    Waits,
    /// It takes requests and never answers.
    Hangs,
    /// Its answers are no vectors.
    Rambles,
    /// It goes in the middle of an answer.
    Breaks,
}

/// Its requests: the `authorization` header and the texts.
type Asked = Arc<Mutex<Vec<(Option<String>, Vec<String>)>>>;

/// A model that listens until the test ends.
pub(crate) struct Model {
    pub url: String,
    pub behaviour: Arc<Mutex<Behaviour>>,
    asked: Asked,
}

impl Model {
    /// Texts that hold one of the same words point into the same direction; all others into one of their own.
    pub(crate) fn start(meanings: &'static [&'static [&'static str]]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let behaviour = Arc::new(Mutex::new(Behaviour::Answers));
        let asked = Asked::default();
        let (acts, notes) = (behaviour.clone(), asked.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (acts, notes) = (acts.clone(), notes.clone());
                thread::spawn(move || while answer(&stream, meanings, &acts, &notes).is_some() {});
            }
        });
        Self { url, behaviour, asked }
    }

    /// Makes the person's settings in `FOLDER/home` name it.
    pub(crate) fn set(&self, folder: &Path, wait_ms: u64) {
        set(folder, &self.url, wait_ms);
    }

    /// The texts that it was asked for so far.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.asked.lock().unwrap().iter().flat_map(|(_, texts)| texts.clone()).collect()
    }

    /// The `authorization` headers of all requests so far.
    pub(crate) fn keys(&self) -> Vec<Option<String>> {
        self.asked.lock().unwrap().iter().map(|(key, _)| key.clone()).collect()
    }
}

/// Makes the person's settings in `FOLDER/home` name the endpoint at `url`.
pub(crate) fn set(folder: &Path, url: &str, wait_ms: u64) {
    let embeddings = format!("url = \"{url}\"\nmodel = \"test-model\"\nwait_ms = {wait_ms}\n");
    write(folder, &(embeddings + "key_env = \"TEST_MODEL_KEY\"\n"));
}

/// Writes the settings of embeddings to the person's settings in `FOLDER/home`.
pub(crate) fn write(folder: &Path, embeddings: &str) {
    let place = folder.join("home/.config/wherefore");
    std::fs::create_dir_all(&place).unwrap();
    let settings = format!("[discovery]\nsurface = \"discovery\"\n[embeddings]\n{embeddings}");
    std::fs::write(place.join("config.toml"), settings).unwrap();
}

/// Answers one request; nothing once the other end is gone.
fn answer(
    mut stream: &TcpStream,
    meanings: &[&[&str]],
    behaviour: &Mutex<Behaviour>,
    asked: &Mutex<Vec<(Option<String>, Vec<String>)>>,
) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut key) = (0, None);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?
            }
            Some((name, value)) if name.eq_ignore_ascii_case("authorization") => key = Some(value.to_owned()),
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["model"], "test-model");
    let texts: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap();
    asked.lock().unwrap().push((key, texts.clone()));
    let mut now = *behaviour.lock().unwrap();
    while now == Behaviour::Waits {
        thread::sleep(Duration::from_millis(5));
        now = *behaviour.lock().unwrap();
    }
    let text = match now {
        Behaviour::Answers | Behaviour::Breaks => {
            let vectors: Vec<Value> =
                texts.iter().map(|text| json!({ "embedding": vector(text, meanings) })).collect();
            json!({ "object": "list", "data": vectors }).to_string()
        }
        Behaviour::Rambles => "{\"data\": \"of course!\"}".to_owned(),
        Behaviour::Waits | Behaviour::Hangs => loop {
            thread::park();
        },
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        text.len()
    );
    if now == Behaviour::Breaks {
        stream.write_all((head + &text[..text.len() / 2]).as_bytes()).ok()?;
        // The connection ends with the thread that has it.
        return None;
    }
    stream.write_all((head + &text).as_bytes()).ok()
}

fn vector(text: &str, meanings: &[&[&str]]) -> Vec<f32> {
    let found = meanings.iter().position(|words| words.iter().any(|word| text.contains(word)));
    let mut vector = vec![0.0; 64];
    // A text without a known meaning points away from all meanings, and hardly to others of its kind.
    let own = text.bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    vector[found.unwrap_or(meanings.len() + own % (64 - meanings.len()))] = 1.0;
    vector
}
