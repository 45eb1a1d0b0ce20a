//! The kept records grow with the files, and not with the calls.

use wherefore_base::HunkId;
use wherefore_protocol::ChangeKind;

use super::kept::Kept;
use super::path;
use crate::record::{DecidedHunk, DecisionRecord, EditedRecord, LineRecord, StepRecord};
use crate::{LineProvenance, WrittenBy};

const CALLS: usize = 20_000;
const FILES: usize = 2_500;

/// A call that replaces one line of a file, with its decision.
fn call(lines: &mut LineProvenance, kept: &Kept, number: usize, name: &str, (before, after): (&str, &str)) {
    let call = || format!("c-{number}").as_str().into();
    let hunk = || HunkId::from("h1");
    lines.apply_record(LineRecord::Step(StepRecord {
        session: "s".to_owned(),
        call: call(),
        undoes: None,
        path: path(name),
        from: None,
        kind: ChangeKind::Edit,
        before: Some(kept.put(before)),
        after: Some(kept.put(after)),
        hunks: vec![hunk()],
        spans: Vec::new(),
        outside: false,
        back: false,
    }));
    if number.is_multiple_of(3) {
        let accepted = after.lines().map(|line| (crate::line_hash(line), WrittenBy::Agent)).collect();
        let edited = EditedRecord { session: "s".to_owned(), call: call(), hunk: hunk(), lines: accepted };
        lines.apply_record(LineRecord::Edited(edited));
    }
    lines.apply_record(LineRecord::Decision(DecisionRecord {
        session: "s".to_owned(),
        call: call(),
        tool: "fs.edit".to_owned(),
        agent: None,
        why: format!("Measure what is kept of call {number}"),
        by: "policy".to_owned(),
        time: "2026-01-01T00:00:00Z".to_owned(),
        hunks: vec![DecidedHunk { id: hunk(), state: "accepted".to_owned(), reason: None }],
    }));
    lines.settle_but(4, kept);
}

#[test]
fn what_is_kept_does_not_grow_with_the_calls() {
    let (mut lines, kept) = (LineProvenance::default(), Kept::default());
    *kept.path.borrow_mut() = "f0".to_owned();
    let text = |stamp: &str| {
        format!("fn first() {{ the_line_that_was_there(1) }}\n{stamp}\nfn last_of_all() {{}}\n")
    };
    let mut now = text("fn call() { from_the_beginning(0) }");
    let mut most = (0, 0);
    for number in 0..CALLS {
        let next = text(&format!("fn call() {{ number_{number}() }}"));
        call(&mut lines, &kept, number, "f0", (&now, &next));
        now = next;
        most = (most.0.max(lines.calls.len()), most.1.max(lines.origins.len()));
    }
    assert!(most.0 < CALLS / 4 && most.1 < CALLS / 4, "{most:?} calls and origins were kept");
    assert!(lines.files.values_mut().all(|file| file.history.marks().count() <= 1_000));
    // The remaining line is that of the last call, with its decision.
    let marks = lines.marks_for(&path("f0"), &now, None, &kept);
    let origin = lines.origin(marks[1].origin.unwrap()).unwrap().clone();
    assert_eq!((marks[0].by, marks[1].by), (WrittenBy::Earlier, WrittenBy::Agent));
    assert_eq!(origin.call.to_string(), format!("c-{}", CALLS - 1));
    assert!(lines.decision(&origin).is_some_and(|decision| decision.why.contains(&(CALLS - 1).to_string())));
}

#[test]
fn what_is_kept_does_not_grow_with_files_that_are_gone() {
    let (mut lines, kept) = (LineProvenance::default(), Kept::default());
    *kept.path.borrow_mut() = "f0".to_owned();
    call(
        &mut lines,
        &kept,
        0,
        "f0",
        ("one line that stays here\n", "one line that stays here\nof an agent\n"),
    );
    for number in 1..FILES {
        call(
            &mut lines,
            &kept,
            number,
            &format!("gone/{number}"),
            ("", &format!("a line of file {number}\n")),
        );
    }
    assert!(lines.files.len() <= FILES / 2, "{} files are kept", lines.files.len());
    let marks = lines.marks_for(&path("f0"), "one line that stays here\nof an agent\n", None, &kept);
    let origin = lines.origin(marks[1].origin.unwrap()).unwrap().clone();
    assert_eq!(origin.call.to_string(), "c-0");
    assert!(lines.decision(&origin).is_some(), "a line that stands has its decision, however old");
}
