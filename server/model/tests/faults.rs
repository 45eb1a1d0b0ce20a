//! Servers that fail: what is said, what is tried again, what ends in bounds.

use std::time::{Duration, Instant};

use serde_json::json;

use super::scripted::{Played, Scripted, Step};
use super::{SECRET, asked, chat, client, request};
use crate::bounds::AnswerBounds;
use crate::protocol::{Fault, ModelApi};
use crate::{ModelErrorKind as Kind, StopReason};

const APIS: [ModelApi; 4] = [ModelApi::Chat, ModelApi::Responses, ModelApi::Messages, ModelApi::Ollama];

fn words(text: &str) -> Vec<String> {
    chat(&[json!({ "content": text })], "stop")
}

#[tokio::test]
async fn each_interface_tells_what_went_wrong_and_never_the_key() {
    let echo = json!({ "error": { "message": format!("wrong: {SECRET}") } }).to_string();
    let cases = [
        (401, "application/json", echo.clone(), Kind::KeyRefused, "401"),
        (400, "application/json", echo.clone(), Kind::BadRequest, "wrong: …"),
        (
            400,
            "application/json",
            json!({ "error": { "code": "context_length_exceeded", "message": "too long" } }).to_string(),
            Kind::ContextTooLong,
            "too long",
        ),
        (
            400,
            "application/json",
            json!({ "error": "the request exceeds the available context size" }).to_string(),
            Kind::ContextTooLong,
            "available context",
        ),
        (
            400,
            "application/json",
            json!({ "error": "m does not support tools" }).to_string(),
            Kind::Unsupported,
            "tools",
        ),
        (
            404,
            "application/json",
            json!({ "error": "model 'm' not found" }).to_string(),
            Kind::UnknownModel,
            "not found",
        ),
        (429, "application/json", "{}".to_owned(), Kind::RateLimited { retry_after: None }, "429"),
        (500, "text/html", "<html>broken</html>".to_owned(), Kind::Overloaded, "a web page"),
        (
            529,
            "application/json",
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } })
                .to_string(),
            Kind::Overloaded,
            "Overloaded",
        ),
        (302, "text/plain", String::new(), Kind::Settings, "302"),
        (200, "text/html", "<html>a proxy's page</html>".to_owned(), Kind::Unsupported, "a web page"),
        (200, "text/event-stream", String::new(), Kind::BadAnswer, ""),
        (200, "text/event-stream", "data: {\"x\"\n\n".to_owned(), Kind::BadAnswer, ""),
    ];
    for (status, kind, body, expected, part) in cases {
        for api in APIS {
            let body = body.clone();
            let server = Scripted::start(move |_, _| Played::body(status, kind, &body));
            let error = asked(&client(&server, api), &request()).await.0.unwrap_err();
            assert_eq!(error.kind, expected, "{api:?} {status}: {error:?}");
            assert!(error.message.contains(part) && error.message.contains(&server.url), "{error:?}");
            assert!(!format!("{error:?}").contains(SECRET) && !error.advice.is_empty(), "{error:?}");
            let tries = if error.is_retryable() { 4 } else { 1 };
            assert_eq!(server.seen().len(), tries, "{api:?} {status}: {error:?}");
            assert!(Fault::from(error).suggestion.is_some());
        }
    }
    let server = Scripted::start(|_, _| Played::events(words("")));
    assert!(!format!("{:?}", client(&server, ModelApi::Chat)).contains(SECRET));
}

#[tokio::test]
async fn a_busy_server_is_asked_again_when_it_says() {
    let server = Scripted::start(|number, _| match number {
        0 => Played::body(429, "application/json", "{}").header("retry-after", "0.2"),
        1 => Played::body(503, "text/plain", "busy"),
        2 => Played::events([words("")[0].as_str()]).then(Step::Drop),
        _ => Played::events(words("Hi.")),
    });
    let began = Instant::now();
    assert_eq!(asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap().text, "Hi.");
    assert!(began.elapsed() >= Duration::from_millis(200), "{:?}", began.elapsed());

    let server =
        Scripted::start(|_, _| Played::body(429, "application/json", "{}").header("retry-after", "3600"));
    let error = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap_err();
    assert_eq!(error.kind, Kind::RateLimited { retry_after: Some(Duration::from_secs(3600)) });
    assert_eq!(server.seen().len(), 1, "nobody waits an hour");
}

#[tokio::test]
async fn nothing_is_asked_again_behind_the_first_piece() {
    let broken: [(&str, Vec<Step>); 3] =
        [("dropped", vec![Step::Drop]), ("ended", vec![]), ("silent", vec![Step::Hang])];
    for (name, steps) in broken {
        let server = Scripted::start(move |_, _| {
            let mut played = Played::events([words("Half")[0].as_str()]);
            played.steps.extend(steps.clone());
            played
        });
        let began = Instant::now();
        let (answer, pieces) = asked(&client(&server, ModelApi::Chat), &request()).await;
        let expected = if name == "silent" { Kind::Timeout } else { Kind::BadAnswer };
        assert_eq!(answer.unwrap_err().kind, expected, "{name}");
        assert_eq!((pieces.len(), server.seen().len()), (1, 1), "{name}");
        assert!(began.elapsed() < Duration::from_secs(20), "{name}");
    }
    for (api, cut) in [
        (ModelApi::Ollama, "{\"message\":{\"content\":\"Half\"},\"done\":false}\n"),
        (
            ModelApi::Messages,
            "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Half\"}}\n\n",
        ),
        (ModelApi::Responses, "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Half\"}\n\n"),
    ] {
        let server = Scripted::start(move |_, _| Played::stream("text/event-stream", [cut]));
        let (answer, pieces) = asked(&client(&server, api), &request()).await;
        assert_eq!((answer.unwrap_err().kind, pieces.len()), (Kind::BadAnswer, 1), "{api:?}");
    }
}

#[tokio::test]
async fn errors_within_a_stream_are_heard() {
    let limit = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } })
        .to_string();
    let failed = json!({ "type": "response.failed", "response": { "error": { "code": "server_error", "message": "broke" } } });
    let long =
        json!({ "error": { "message": "this exceeds the maximum context length of 4096" } }).to_string();
    for (api, event, expected) in [
        (ModelApi::Messages, format!("event: error\ndata: {limit}\n\n"), Kind::Overloaded),
        (ModelApi::Responses, format!("data: {failed}\n\n"), Kind::Overloaded),
        (ModelApi::Chat, format!("data: {long}\n\n"), Kind::ContextTooLong),
        (ModelApi::Ollama, "{\"error\":\"model 'm' not found\"}\n".to_owned(), Kind::UnknownModel),
    ] {
        let server = Scripted::start(move |_, _| Played::stream("text/event-stream", [event.clone()]));
        let error = asked(&client(&server, api), &request()).await.0.unwrap_err();
        assert_eq!(error.kind, expected, "{api:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_stream_is_read_wherever_it_is_cut() {
    let text = "Grüße, 世界 🦀";
    let mut lines = String::from(": keep-alive\r\n\r\nid: 1\r\nretry: 5\r\nevent: message\r\n");
    for (at, event) in words(text).iter().enumerate() {
        let end = ["\r\n", "\n", "\r"][at % 3];
        lines.push_str(&format!("data:{event}{end}{end}: a comment{end}"));
    }
    for size in [1, 2, 3, 7, lines.len()] {
        let chunks: Vec<Vec<u8>> = lines.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        let server = Scripted::start(move |_, _| Played::stream("text/event-stream", chunks.clone()));
        let answer = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap();
        assert_eq!((&*answer.text, answer.stop), (text, StopReason::End), "{size}");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced_in_words_and_refused_in_arguments() {
    let event = |delta: &str| [b"data: {\"choices\":[{\"delta\":", delta.as_bytes(), b"}]}\n\n"].concat();
    let spoilt = |delta: &str| {
        let mut bytes = event(delta);
        let at = bytes.iter().position(|byte| *byte == b'?').unwrap();
        bytes[at] = 0xff;
        bytes
    };
    let said = spoilt("{\"content\":\"a?b\"}");
    let half = event("{\"content\":\"\\ud83d\"}");
    let done = b"data: [DONE]\n\n".to_vec();
    let server = Scripted::start(move |_, _| {
        Played::stream("text/event-stream", [said.clone(), half.clone(), done.clone()])
    });
    let answer = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap();
    assert_eq!(answer.text, "a\u{fffd}b\u{fffd}");

    let call =
        spoilt("{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{?}\"}}]}");
    let server = Scripted::start(move |_, _| Played::stream("text/event-stream", [call.clone()]));
    let error = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap_err();
    assert!(error.kind == Kind::BadAnswer && error.message.contains("UTF-8"), "{error:?}");
}

#[tokio::test]
async fn what_does_not_end_ends_in_bounds() {
    let part = "x".repeat(64 << 10);
    let arguments =
        json!({ "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "x", "arguments": part } }] });
    for (delta, expected) in [
        (arguments, "arguments of a call"),
        (json!({ "reasoning_content": part }), "thinking"),
        (json!({ "content": part }), "text"),
    ] {
        let events = vec![chat(&[delta], "stop")[0].clone(); 5 << 4];
        let server = Scripted::start(move |_, _| Played::events(&events));
        let error = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap_err();
        assert!(error.kind == Kind::TooLarge && error.message.contains(expected), "{error:?}");
    }
    let endless = vec!["y".repeat(64 << 10); 5 << 4];
    let server = Scripted::start(move |_, _| Played::stream("text/event-stream", endless.clone()));
    let error = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap_err();
    assert!(error.kind == Kind::TooLarge && error.message.contains("a line"), "{error:?}");

    let many: Vec<_> =
        (0..100).map(|n| json!({ "tool_calls": [{ "index": n, "function": { "name": "x" } }] })).collect();
    let events = chat(&many, "tool_calls");
    let server = Scripted::start(move |_, _| Played::events(&events));
    let answer = asked(&client(&server, ModelApi::Chat), &request()).await.0.unwrap();
    let ids: std::collections::HashSet<_> = answer.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), 100, "many calls are the caller's to judge");
}

#[tokio::test]
async fn a_server_that_hangs_or_is_not_there_is_told() {
    let server = Scripted::start(|_, _| Played::events([""; 0]).then(Step::Hang));
    let mut slow = client(&server, ModelApi::Chat);
    slow.server.bounds = AnswerBounds { idle: Duration::from_millis(100), tries: 2, ..slow.server.bounds };
    assert_eq!(asked(&slow, &request()).await.0.unwrap_err().kind, Kind::Timeout);

    let mut away = client(&server, ModelApi::Chat);
    away.server = crate::server::ModelServer::new(
        crate::server::check_url("http://127.0.0.1:1/v1").unwrap(),
        None,
        AnswerBounds::default(),
    )
    .unwrap();
    let error = asked(&away, &request()).await.0.unwrap_err();
    assert!(error.kind == Kind::Absent && error.advice.contains("start that server"), "{error:?}");
}

#[tokio::test]
async fn signs_of_life_alone_are_not_waited_for_without_end() {
    let ping = json!({ "type": "ping" }).to_string();
    let empty = chat(&[json!({ "content": "" })], "stop")[0].clone();
    for (api, kind, sign) in [
        (ModelApi::Chat, "text/event-stream", ": ping\n\n".to_owned()),
        (ModelApi::Chat, "text/event-stream", format!("data: {empty}\n\n")),
        (ModelApi::Chat, "application/json", "\n".to_owned()),
        (ModelApi::Messages, "text/event-stream", format!("event: ping\ndata: {ping}\n\n")),
        (ModelApi::Ollama, "application/x-ndjson", "\n".to_owned()),
    ] {
        let signs = [Step::Send(sign.into_bytes()), Step::Wait(Duration::from_millis(20))];
        let steps: Vec<Step> = std::iter::repeat_n(signs, 3_000).flatten().collect();
        let played = Played { status: 200, headers: vec![("content-type", kind.to_owned())], steps };
        let server = Scripted::start(move |_, _| played.clone());
        let mut lively = client(&server, api);
        lively.facts.lock().context_tokens = Some(4_096);
        let bounds = lively.server.bounds;
        lively.server.bounds =
            AnswerBounds { idle: Duration::from_millis(200), lively: 2, tries: 1, ..bounds };
        let error = asked(&lively, &request()).await.0.unwrap_err();
        assert!(error.kind == Kind::Timeout && error.message.contains("signs of life"), "{kind}: {error:?}");
    }
}

#[tokio::test]
async fn a_request_ends_with_its_future() {
    let server = Scripted::start(|_, _| Played::events([words("Half")[0].as_str()]).then(Step::Hang));
    let client = client(&server, ModelApi::Chat);
    let request = request();
    let mut came = 0;
    let mut take = |_| came += 1;
    let asked = crate::LanguageModel::reply(&client, &request, &mut take);
    assert!(tokio::time::timeout(Duration::from_millis(150), asked).await.is_err());
    assert_eq!(came, 1);
}
