//! The form of an answer: the types in a request's `Accept`, and streams for clients of earlier versions.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Frame};
use hyper::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use hyper::{Response, StatusCode};

use super::{Body, plain_response};

const JSON: &str = "application/json";
const STREAM: &str = "text/event-stream";
/// The `Accept` value that the crate's service requires of each client.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// The form in which a message is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResponseForm {
    /// A stream of events: the notifications of a call, then its answer.
    Stream,
    /// The answer alone, as JSON.
    Json,
}

impl ResponseForm {
    /// The form that a request accepts; a stream before JSON. None if it accepts neither. A request without the header
    /// accepts both.
    pub(super) fn accepted_form(headers: &HeaderMap) -> Option<Self> {
        let mut listed = headers.get_all(ACCEPT).iter().peekable();
        if listed.peek().is_none() {
            return Some(Self::Stream);
        }
        let ranges: Vec<&str> =
            listed.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).collect();
        let takes = |kind: &str| {
            // The most exact range counts.
            let any = format!("{}/*", kind.split('/').next().unwrap_or_default());
            let quality = |range: &str| ranges.iter().find_map(|listed| has_weight(listed, range));
            quality(kind).or_else(|| quality(&any)).or_else(|| quality("*/*")).unwrap_or(false)
        };
        match (takes(STREAM), takes(JSON)) {
            (true, _) => Some(Self::Stream),
            (false, true) => Some(Self::Json),
            (false, false) => None,
        }
    }

    /// Replaces what the request accepts by what the crate's service requires.
    pub(super) fn accept_both(headers: &mut HeaderMap) {
        headers.insert(ACCEPT, BOTH);
    }
}

/// The answer to a request that takes neither form.
pub(super) fn not_acceptable() -> Response<Body> {
    plain_response(
        StatusCode::NOT_ACCEPTABLE,
        "answers are application/json or text/event-stream: accept one of them",
    )
}

/// Returns whether a listed range has a weight above 0; none if it is another range.
fn has_weight(listed: &str, range: &str) -> Option<bool> {
    let mut parts = listed.split(';').map(str::trim);
    if !parts.next()?.eq_ignore_ascii_case(range) {
        return None;
    }
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    Some(weight.is_none_or(|weight| weight.trim().parse::<f32>().is_ok_and(|weight| weight > 0.0)))
}

/// The answer in JSON for a client that accepts no stream: the last message of the stream. The notifications before it
/// are dropped.
pub(super) async fn collect_answer(response: Response<Body>) -> Response<Body> {
    let is_stream = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(STREAM.as_bytes()));
    if !is_stream {
        return response;
    }
    let (mut parts, mut body) = response.into_parts();
    let mut read = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        let Ok(data) = frame.into_data() else { continue };
        read.extend_from_slice(&data);
        while let Some((event, rest)) = split_event(&read) {
            let (message, rest) = (event_data(event), rest.to_vec());
            if let Some(message) = message.filter(|message| is_answer(message)) {
                parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
                [CONTENT_LENGTH, TRANSFER_ENCODING].iter().for_each(|name| drop(parts.headers.remove(name)));
                return Response::from_parts(parts, Full::new(Bytes::from(message)).boxed());
            }
            read = rest;
        }
    }
    plain_response(StatusCode::INTERNAL_SERVER_ERROR, "the session ended before the answer")
}

/// The first complete event of a stream, and the rest.
fn split_event(read: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = read.windows(2).position(|pair| pair == b"\n\n")?;
    Some((&read[..end], &read[end + 2..]))
}

/// The data of an event; none if it has no data, or data that is no text.
fn event_data(event: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(event).ok()?;
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let data = data.map(|data| data.strip_prefix(' ').unwrap_or(data)).collect::<Vec<_>>().join("\n");
    (!data.is_empty()).then_some(data)
}

/// Returns whether a message answers a request: it has a result or an error, and no method.
fn is_answer(message: &str) -> bool {
    let message: serde_json::Value = serde_json::from_str(message).unwrap_or_default();
    message.get("method").is_none() && (message.get("result").is_some() || message.get("error").is_some())
}

/// A stream without the events that only give an id to resume by: a client of a version before 2025-11-25 reads the data
/// of each event as a message, and they have none.
pub(super) fn drop_priming(response: Response<Body>) -> Response<Body> {
    response.map(|body| body.map_frame(without_priming).boxed())
}

/// An event without data leaves an empty frame, which is not sent. The crate makes a frame of each event.
fn without_priming(frame: Frame<Bytes>) -> Frame<Bytes> {
    match frame.into_data() {
        Ok(data) if is_priming(&data) => Frame::data(Bytes::new()),
        Ok(data) => Frame::data(data),
        Err(frame) => frame,
    }
}

fn is_priming(event: &[u8]) -> bool {
    let resumes = |line: &[u8]| line.starts_with(b"id:") || line.starts_with(b"retry:");
    event_data(event).is_none() && event.split(|byte| *byte == b'\n').any(resumes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_accept_gets_a_form_that_it_names() {
        let form = |accept: &[&'static str]| {
            let headers = accept.iter().map(|value| (ACCEPT, HeaderValue::from_static(value))).collect();
            ResponseForm::accepted_form(&headers)
        };
        let (stream, json) = (Some(ResponseForm::Stream), Some(ResponseForm::Json));
        for (accept, expected) in [
            (&[][..], stream),
            (&["*/*"], stream),
            (&["application/json, text/event-stream"], stream),
            (&["application/json", "text/event-stream"], stream),
            (&["text/event-stream"], stream),
            (&["text/*;q=0.5"], stream),
            (&["application/json"], json),
            (&["Application/JSON; charset=utf-8"], json),
            (&["application/*"], json),
            (&["*/*, text/event-stream;q=0"], json),
            (&["text/html"], None),
            (&["text/event-stream;q=0, application/json;q=0.0"], None),
        ] {
            assert_eq!(form(accept), expected, "{accept:?}");
        }
    }

    #[test]
    fn what_only_primes_is_told_from_what_says_something() {
        for (event, expected) in [
            ("data: \nid: 0/1\nretry: 3000\n\n", true),
            ("id: 0\nretry: 3000\n\n", true),
            ("data: {\"id\":1}\nid: 1\n\n", false),
            (":\n\n", false),
        ] {
            assert_eq!(is_priming(event.as_bytes()), expected, "{event:?}");
        }
        assert_eq!(split_event(b"data: 1\n\nda"), Some((&b"data: 1"[..], &b"da"[..])));
        assert!(is_answer(r#"{"id":1,"result":{}}"#) && !is_answer(r#"{"id":1,"method":"ping"}"#));
    }
}
