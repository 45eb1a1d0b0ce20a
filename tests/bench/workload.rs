//! The files to read and their log entries: the same for every benchmark.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use wherefore::base::CallId;
use wherefore::base::clock::SystemClock;
use wherefore::journal::{Journal, JournalOptions, LogKeeper};
use wherefore::protocol::{Door, Event, LogSettings, Origin, Status};

/// Bytes of the file that is read.
pub(crate) const SIZE: usize = 4096;

/// Source text of [`SIZE`] bytes; each number has its own.
pub(crate) fn source(number: usize) -> String {
    let mut text = format!("//! Part {number} of the retry queue.\n\n");
    for line in 0.. {
        let next = format!(
            "    let attempt_{line} = queue.attempt({line}, limits.at(\"step-{line}\"))?; // see §{line}\n"
        );
        if text.len() + next.len() > SIZE {
            break;
        }
        text.push_str(&next);
    }
    text.push_str(&"/".repeat(SIZE - text.len() - 1));
    text.push('\n');
    text
}

/// A session log in the folder `dir`, with the settings that a user has who set none.
pub(crate) fn journal(dir: &Path) -> Journal {
    let (folder, root) = (dir.to_owned(), dir.to_str().unwrap());
    Journal::open(JournalOptions {
        session: "bench".to_owned(),
        root: root.to_owned(),
        folder: Box::new(move || Ok(OwnedFd::from(File::open(&folder).unwrap()))),
        settings: LogSettings::default(),
        clock: Arc::new(SystemClock),
        keeper: LogKeeper::open(Some(&dir.join("state")), "/w/bench"),
    })
    .unwrap()
}

/// The two events of a read: the call before it ran, and its result with the text read.
pub(crate) fn events(number: usize, content: &str) -> (Event, Event) {
    let call_id = CallId::from(format!("c-{number}"));
    let tool = "fs.read".to_owned();
    let why = "See how retries are counted before the limit changes";
    let args = json!({ "path": "src/queue.rs", "why": why });
    let Value::Object(args) = args else { unreachable!() };
    let call = Event::ToolCall {
        call_id: call_id.clone(),
        origin: Origin::from_door(Door::Lsp),
        tool: tool.clone(),
        args,
        follows: None,
        environment: None,
        warnings: Vec::new(),
    };
    let result = json!({
        "content": content,
        "lines": 49,
        "truncated": false,
        "start": 1,
        "end": 49,
        "encoding": "utf-8",
        "eol": "lf",
        "size": content.len(),
        "hash": "b3:0123456789abcdef",
    });
    let result = Arc::new(result);
    (
        call,
        Event::ToolResult { call_id, tool, status: Status::Ok, result, activity: None, duration_ms: 0.123 },
    )
}
