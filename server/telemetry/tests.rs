//! Exports to collectors that take spans, refuse them, hang, or are not there.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use prost::Message;
use serde_json::{Value, json};

use super::otlp::{ExportRequest, OneValue, Span};
use super::queue::EventQueue;
use super::*;
use crate::journal::{LogObserver, LoggedEvent};
use crate::protocol::TelemetrySettings;

/// A collector that answers each request with the next of these statuses, and the last one from then on; 0 never answers.
fn collector(statuses: &'static [u16]) -> (String, Receiver<ExportRequest>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (send, requests) = channel();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for (at, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let body = read(&mut stream);
            let status = statuses.get(at).or(statuses.last()).copied().unwrap_or(200);
            if status == 0 {
                held.push(stream);
                continue;
            }
            let answer = format!(
                "HTTP/1.1 {status} X\r\ncontent-length: 0\r\nretry-after: 0\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(answer.as_bytes()).unwrap();
            if status == 200 && send.send(ExportRequest::decode(body.as_slice()).unwrap()).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

fn read(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let count = stream.read(&mut piece).unwrap();
        bytes.extend_from_slice(&piece[..count]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        assert!(
            head.starts_with("post /v1/traces ") && head.contains("content-type: application/x-protobuf"),
            "{head}"
        );
        let length: usize =
            head.split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
        if bytes.len() >= end + 4 + length {
            return bytes.split_off(end + 4);
        }
    }
}

fn settings(endpoint: &str) -> TelemetrySettings {
    TelemetrySettings { endpoint: endpoint.to_owned(), ..TelemetrySettings::default() }
}

fn hear(exporter: &TelemetryExporter, event: Value) {
    let Value::Object(mut fields) = event else { panic!("{event} is no event") };
    let kind = fields.shift_remove("type").unwrap().as_str().unwrap().to_owned();
    exporter.observe_event(LoggedEvent { kind, fields, ..LoggedEvent::default() });
}

/// A call whose change is accepted in part.
fn change(exporter: &TelemetryExporter, id: &str) {
    let args = json!({ "path": "secret/a.rs", "why": "Name the limit" });
    let origin = json!({ "door": "mcp", "agent": "claude-code/2.1", "session": "s-3" });
    hear(
        exporter,
        json!({ "type": "tool_call", "call_id": id, "tool": "fs.patch", "origin": origin, "args": args }),
    );
    let proposal = format!("p-{id}");
    hear(
        exporter,
        json!({ "type": "proposal", "call_id": id, "proposal": proposal, "policy": "ask", "hunks": [] }),
    );
    let hunks = json!([
        { "id": "h1", "path": "secret/a.rs", "state": "accepted" },
        { "id": "h2", "path": "secret/a.rs", "state": "rejected", "reason": "Keep it" },
    ]);
    let decision = json!({ "type": "decision", "call_id": id, "proposal": proposal, "by": "person", "hunks": hunks, "status": "partly_applied" });
    hear(exporter, decision);
    hear(
        exporter,
        json!({ "type": "tool_result", "call_id": id, "tool": "fs.patch", "status": "ok", "duration_ms": 12.5, "result": {} }),
    );
}

fn spans(request: &ExportRequest) -> Vec<Span> {
    request.resource_spans.iter().flat_map(|one| &one.scope_spans).flat_map(|one| one.spans.clone()).collect()
}

fn attribute(span: &Span, key: &str) -> String {
    let found = span.attributes.iter().find(|attribute| attribute.key == key);
    match found.and_then(|attribute| attribute.value.as_ref()?.value.clone()) {
        Some(OneValue::Text(text)) => text,
        Some(other) => format!("{other:?}"),
        None => String::new(),
    }
}

#[test]
fn a_call_is_a_span_with_its_why_and_its_decisions() {
    let (url, requests) = collector(&[200]);
    let exporter = start_export(&settings(&url), "/srv/x/team", "20261124-1", false).unwrap();
    change(&exporter, "c-0001");
    hear(&exporter, json!({ "type": "tool_call", "call_id": "c-0002", "tool": "fs.read", "args": {} }));
    let error = json!({ "code": "PERMISSION_DENIED", "message": "secret/b.rs" });
    hear(
        &exporter,
        json!({ "type": "tool_error", "call_id": "c-0002", "tool": "fs.read", "error": error, "duration_ms": 1.0 }),
    );
    let late = json!([{ "id": "h1", "state": "accepted" }]);
    hear(
        &exporter,
        json!({ "type": "decision", "call_id": "c-0001", "proposal": "p", "by": "person", "hunks": late, "status": "applied" }),
    );
    hear(&exporter, json!({ "type": "session_end", "totals": {} }));
    exporter.close();
    let request = requests.recv_timeout(Duration::from_secs(5)).unwrap();
    let spans = spans(&request);
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(
        names,
        ["execute_tool fs.patch", "execute_tool fs.read", "wherefore.decision", "wherefore.session"]
    );
    let [patch, refused, later, session] = spans.as_slice() else { panic!("{spans:?}") };
    for (key, value) in [
        ("gen_ai.operation.name", "execute_tool"),
        ("gen_ai.tool.name", "fs.patch"),
        ("gen_ai.tool.call.id", "c-0001"),
        ("gen_ai.agent.name", "claude-code"),
        ("gen_ai.agent.version", "2.1"),
        ("gen_ai.conversation.id", "s-3"),
        ("wherefore.why", "Name the limit"),
        ("wherefore.decision", "partly_applied"),
        ("wherefore.decision.by", "person"),
    ] {
        assert_eq!(attribute(patch, key), value, "{key}");
    }
    assert_eq!(
        (patch.events.len(), patch.end_time_unix_nano - patch.start_time_unix_nano >= 12_500_000),
        (2, true)
    );
    assert_eq!(
        (attribute(refused, "error.type").as_str(), refused.status.as_ref().unwrap().code),
        ("PERMISSION_DENIED", 2)
    );
    assert_eq!((&later.links[0].span_id, later.events.len()), (&patch.span_id, 1));
    assert!(spans.iter().all(|span| span.trace_id == patch.trace_id && span.trace_id.len() == 16));
    assert!(patch.parent_span_id == session.span_id && session.parent_span_id.is_empty());
    // Paths are not sent without a setting: not even in a fault's message.
    assert!(!format!("{request:?}").contains("secret"), "{request:?}");
    assert_eq!(exporter.counts(), TelemetryCounts { sent: 4, dropped: 0, lost: 0 });
}

#[test]
fn what_the_person_sets_is_sent_and_no_more() {
    let (url, requests) = collector(&[200]);
    let all = TelemetrySettings { whys: false, paths: true, ..settings(&url) };
    let exporter = start_export(&all, "/srv/x/team", "s", true).unwrap();
    change(&exporter, "c-0001");
    exporter.close();
    let request = requests.recv_timeout(Duration::from_secs(5)).unwrap();
    let said = format!("{request:?}");
    assert!(said.contains("secret/a.rs") && said.contains("\"team\"") && !said.contains("/srv/x"), "{said}");
    assert!(!said.contains("Name the limit") && !said.contains("Keep it"), "{said}");
}

#[test]
fn a_busy_collector_is_asked_again() {
    let (url, requests) = collector(&[503, 500, 200]);
    let exporter = start_export(&settings(&url), "/w", "s", true).unwrap();
    change(&exporter, "c-0001");
    assert_eq!(spans(&requests.recv_timeout(Duration::from_secs(10)).unwrap()).len(), 1);
}

#[test]
fn no_call_waits_for_a_collector_and_the_end_waits_a_moment() {
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (what, url) in
        [("dead", format!("http://{dead}")), ("hangs", collector(&[0]).0), ("refuses", collector(&[400]).0)]
    {
        let exporter = start_export(&settings(&url), "/w", "s", true).unwrap();
        let since = Instant::now();
        for number in 0..20_000 {
            let call = json!({ "type": "tool_call", "call_id": format!("c-{number}"), "tool": "fs.read", "args": {} });
            hear(&exporter, call);
        }
        // Nothing waits: the queue takes what it holds, the rest is dropped and counted.
        assert!(since.elapsed() < Duration::from_secs(30), "{what}: {:?}", since.elapsed());
        change(&exporter, "c-last");
        let since = Instant::now();
        exporter.close();
        assert!(since.elapsed() < Duration::from_secs(15), "{what}: {:?}", since.elapsed());
        assert_eq!(exporter.counts().sent, 0, "{what}");
    }
}

#[test]
fn an_endpoint_is_https_or_on_this_machine() {
    for (endpoint, expected) in [
        ("http://127.0.0.1:4318", Ok("http://127.0.0.1:4318/v1/traces")),
        ("https://otel.example/api/", Ok("https://otel.example/api/v1/traces")),
        ("https://otel.example/v1/traces", Ok("https://otel.example/v1/traces")),
        ("http://otel.example:4318", Err("plain http to otel.example")),
        ("https://me:pw@otel.example", Err("holds a password")),
        ("ftp://x", Err("no http:// or https:// URL")),
        ("", Err("no http:// or https:// URL")),
    ] {
        let found =
            check_endpoint(&settings(endpoint)).map(|url| url.to_string()).map_err(|error| error.to_string());
        match expected {
            Ok(url) => assert_eq!(found.as_deref(), Ok(url), "{endpoint}"),
            Err(part) => {
                assert!(found.as_ref().is_err_and(|error| error.contains(part)), "{endpoint}: {found:?}")
            }
        }
    }
    let named = |name: &str| TelemetrySettings {
        headers_env: Some(name.to_owned()),
        ..settings("http://127.0.0.1:1")
    };
    assert_eq!(check_endpoint(&named("authorization=x")).unwrap_err(), TelemetryError::Variable);
    let missing = start_export(&named("WHEREFORE_NO_SUCH_HEADERS"), "/w", "s", true).unwrap_err();
    assert_eq!(missing.to_string(), "the environment variable WHEREFORE_NO_SUCH_HEADERS is not set");
}

#[test]
fn what_waits_is_bounded_in_number_and_in_bytes() {
    let put = |bytes: usize| {
        let queue = EventQueue::default();
        let event = || LoggedEvent { bytes, ..LoggedEvent::default() };
        let taken = (0..10_000).take_while(|_| queue.put(event(), 0)).count();
        queue.close();
        assert!(!queue.put(event(), 0), "closed");
        taken
    };
    assert_eq!((put(1), put(8 << 20)), (4096, 2));
}
