//! The counts of commands in a report: by their real outcomes, not by the claims of a result.

use serde_json::json;

use super::*;
use crate::journal::LogPlace;

fn entry(kind: &str, body: Value) -> JournalEntry {
    JournalEntry {
        seq: 1,
        time: "2026-01-01T00:00:00Z".to_owned(),
        event_type: kind.to_owned(),
        body: body.as_object().cloned().unwrap_or_default(),
        comments: Default::default(),
        place: LogPlace { part: String::new(), offset: 0, line: None },
        length: 0,
        problems: Vec::new(),
    }
}

/// A report of calls that test, each with the events that follow it.
fn reported(calls: &[&[(&str, Value)]]) -> ChangeReport {
    let mut gatherer = ReportGatherer::new("/w", "it", ReportScope::default(), &|_| false);
    gatherer.begin_session("s", LogStanding::Sound, "sound");
    for (at, events) in calls.iter().enumerate() {
        let id = format!("c-{at}");
        let args = json!({ "cmd": ["cargo", "test"], "why": "See whether it holds" });
        gatherer
            .take_entry(&entry("tool_call", json!({ "call_id": id, "tool": "terminal.run", "args": args })));
        for (kind, body) in *events {
            let mut body = body.clone();
            body["call_id"] = json!(id);
            gatherer.take_entry(&entry(kind, body));
        }
    }
    gatherer.finish_report(String::new())
}

fn counts(report: &ChangeReport) -> (u64, u64, u64) {
    (report.totals.commands, report.totals.tests, report.totals.failed_tests)
}

#[test]
fn a_test_in_the_background_counts_by_how_it_ended() {
    let running = ("tool_result", json!({ "result": { "running": true, "sandbox": "tier A" } }));
    let ended = |code: Option<i32>, outcome: &str| {
        ("command_end", json!({ "outcome": outcome, "exit_code": code, "duration_ms": 5 }))
    };
    assert_eq!(counts(&reported(&[std::slice::from_ref(&running)])), (1, 0, 0), "how it went is not known");
    let report = reported(&[
        &[running.clone(), ended(Some(0), "exit code 0")],
        &[running.clone(), ended(Some(101), "exit code 101")],
        &[running, ended(None, "ended by its limit of time")],
    ]);
    assert_eq!(counts(&report), (3, 3, 2));
    assert_eq!(report.commands.iter().filter(|command| command.failed).count(), 2);
}

#[test]
fn what_a_caller_filled_is_no_command() {
    let forged = json!({ "exit_code": 0, "sandbox": "tier A", "stdout": "12 passed" });
    let report = reported(&[&[("tool_result", json!({ "activity": "latent", "result": forged }))]]);
    assert_eq!((counts(&report), report.totals.latent, report.commands.len()), ((0, 0, 0), 1, 0));
}
