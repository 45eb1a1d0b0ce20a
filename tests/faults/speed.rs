//! A log of 100,000 events opens and takes the next one without being read.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use wherefore::base::CallId;
use wherefore::base::clock::{Clock, SystemClock};
use wherefore::journal::{Journal, JournalOptions, LogKeeper};
use wherefore::protocol::{Door, Event, LogSettings, Origin};

use crate::support::{BINARY, Project, run, with_why};

/// Events in the long log.
const EVENTS: u32 = 100_000;
/// Bytes that a call may read or write more for it: the log's last block and the pages around it.
const MORE: u64 = 256 << 10;

/// Bytes that a call reads and writes, by the kernel's own count.
fn bytes_of_a_call(project: &Project) -> (u64, u64) {
    let arguments = with_why(&json!({ "path": "." })).to_string();
    let mut command = project.command("sh");
    let script = "\"$@\" >/dev/null && cat /proc/$$/io";
    command.args(["-c", script, "sh", BINARY, "call", "fs.ls", &arguments, "--root"]).arg(project.root());
    let ran = run(&mut command, b"");
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let text = String::from_utf8(ran.out).unwrap();
    let count = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    };
    (count("rchar:"), count("wchar:"))
}

fn event(at: u32) -> Event {
    let args: Map<String, Value> = Map::from_iter([("path".to_owned(), json!("src/a.rs"))]);
    let (call_id, tool) = (CallId::from(format!("c-{:04}", at / 2 + 1)), "fs.read".to_owned());
    match at % 2 {
        0 => Event::ToolCall {
            call_id,
            origin: Origin::from_door(Door::Cli),
            tool,
            args,
            follows: None,
            environment: None,
            warnings: Vec::new(),
        },
        _ => Event::ToolResult {
            call_id,
            tool,
            status: wherefore::protocol::Status::Ok,
            result: Arc::new(json!("fine")),
            activity: None,
            duration_ms: 1.0,
        },
    }
}

#[test]
fn a_long_log_costs_no_more_than_a_short_one() {
    let project = Project::new(&[("a.txt", "a\n")]);
    project.is_well("the first call");
    let short = bytes_of_a_call(&project);
    let sessions = project.path(".wherefore/sessions");
    let session = std::fs::read_dir(&sessions).unwrap().next().unwrap().unwrap();
    let name = session.file_name().into_string().unwrap();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (folder, root) = (session.path(), project.root().display().to_string());
    let keeper = LogKeeper::open(Some(&project.beside("home/.local/state/wherefore")), &root);
    let journal = Journal::open(JournalOptions {
        session: name,
        root,
        folder: Box::new(move || Ok(std::fs::File::open(&folder).unwrap().into())),
        settings: LogSettings::default(),
        clock,
        keeper,
    })
    .unwrap();
    for at in 0..EVENTS {
        journal.append(event(at)).unwrap();
    }
    drop(journal);
    let length = std::fs::metadata(session.path().join("session-log.md")).unwrap().len();
    assert!(length > 20 << 20, "the log has {length} bytes");
    let long = bytes_of_a_call(&project);
    let more = |long: u64, short: u64| long.saturating_sub(short);
    assert!(more(long.0, short.0) < MORE, "{short:?} bytes read and written, {long:?} with the long log");
    assert!(more(long.1, short.1) < MORE, "{short:?} bytes read and written, {long:?} with the long log");
}
