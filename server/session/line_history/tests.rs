//! Typing is recorded outside of the editor's events, and in their order.

use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::base::clock::SystemClock;
use crate::base::hash;
use crate::base::position::{PositionEncoding, TextPosition};
use crate::ports::NoEditor;
use crate::provenance::StepRecord;
use crate::session::{SessionOptions, WorkspaceSession};
use crate::workspace::TextChange;

/// The time limit of a thread that waits for nothing.
const LIMIT: Duration = Duration::from_secs(30);

const TEXTS: [&str; 4] =
    ["zero\nlast\n", "zero\nagent\nlast\n", "zero\nagent\ntyped\nlast\n", "zero\nagent 2\ntyped\nlast\n"];

fn path() -> WorkspacePath {
    WorkspacePath::from_relative("a.txt").unwrap()
}

fn step(session: &WorkspaceSession, call: &str, at: usize) -> LineRecord {
    let kept = |text: &str| {
        session.workspace().state().put_object(text.as_bytes()).unwrap();
        Some(hash::short_hash(text.as_bytes()))
    };
    LineRecord::Step(StepRecord {
        session: "s1".to_owned(),
        call: call.into(),
        undoes: None,
        path: path(),
        from: None,
        kind: ChangeKind::Edit,
        before: kept(TEXTS[at]),
        after: kept(TEXTS[at + 1]),
        hunks: Vec::new(),
        spans: Vec::new(),
        outside: false,
        back: false,
    })
}

/// The kinds of the records that are kept, in their order.
fn recorded(session: &WorkspaceSession) -> Vec<String> {
    let bytes = session.workspace().state().read_from(RECORDS, 0, PIECE).unwrap().unwrap_or_default();
    let record = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        record["record"].as_str().unwrap().to_owned()
    };
    std::str::from_utf8(&bytes).unwrap().lines().map(record).collect()
}

/// A session in which an agent wrote a line, and a person typed one below it.
fn typed_below(folder: &tempfile::TempDir) -> WorkspaceSession {
    let work = folder.path().join("work");
    std::fs::create_dir(&work).unwrap();
    let file = work.join("a.txt");
    std::fs::write(&file, TEXTS[1]).unwrap();
    let options = SessionOptions {
        editor: Arc::new(NoEditor),
        documents: Arc::default(),
        clock: Arc::new(SystemClock),
        shared_log: true,
        state: Some(folder.path().join("state")),
    };
    let session = WorkspaceSession::open(work.to_str().unwrap(), options).unwrap();
    session.line_history().add_record(&step(&session, "c1", 0));
    let at = TextPosition { line: 2, character: 0 };
    let changes = vec![TextChange { range: Some((at, at)), text: "typed\n".to_owned() }];
    let edits = TextEdits { changes, encoding: PositionEncoding::Utf16 };
    session.line_history().note_typing(
        &path(),
        &TEXTS[1].to_owned().into(),
        &edits,
        &TEXTS[2].to_owned().into(),
    );
    std::fs::write(&file, TEXTS[2]).unwrap();
    session
}

#[test]
fn a_save_waits_for_no_record_and_what_was_typed_stands_before_the_step_that_follows() {
    let folder = tempfile::tempdir().unwrap();
    let session = typed_below(&folder);
    let (told, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        // Readers of the records are blocked while this is held.
        let reading = session.line_history().records.read.lock();
        let session = &session;
        scope.spawn(move || {
            session.line_history().keep_typed(&path());
            told.send(()).unwrap();
        });
        let is_back = heard.recv_timeout(LIMIT).is_ok();
        let at_the_save = recorded(session);
        let next = step(session, "c2", 2);
        let step = scope.spawn(move || session.line_history().add_record(&next));
        drop(reading);
        assert!(is_back, "the save waits for the records");
        assert_eq!(at_the_save, ["step"]);
        step.join().unwrap();
    });
    assert_eq!(recorded(&session), ["step", "typed", "step"]);
    let known = session.line_history().known_lines(&path(), TEXTS[3]);
    let by: Vec<_> = known.marks.iter().map(|mark| mark.by).collect();
    use crate::provenance::WrittenBy::{Agent, Earlier, Human};
    assert_eq!(by, [Earlier, Agent, Human, Earlier]);
}

#[test]
fn what_was_typed_is_recorded_before_the_session_ends() {
    let folder = tempfile::tempdir().unwrap();
    let session = typed_below(&folder);
    session.line_history().keep_typed(&path());
    session.close();
    assert_eq!(recorded(&session), ["step", "typed"]);
}
