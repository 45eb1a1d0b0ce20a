//! An endpoint and a scripted server at the other end of it.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::net::TcpListener;

use super::*;
use crate::check_settings;
use crate::protocol::{Code, Fault, VectorStoreSettings};

const SECRET: &str = "sk-a-secret-that-nobody-shows";

/// A request: its path, its bearer key, its body.
type Seen = Arc<Mutex<Vec<(String, Option<String>, Value)>>>;

/// The answer to the request of a number: a status, a header, a body.
type Answer = (u16, Option<(&'static str, &'static str)>, String);

/// A server that answers by a script. Its URL, and what it was asked.
async fn serve(script: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static) -> (String, Seen) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (seen, script) = (Seen::default(), Arc::new(script));
    let noted = seen.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (noted, script) = (noted.clone(), script.clone());
            let answer = move |request: hyper::Request<Incoming>| {
                let (noted, script) = (noted.clone(), script.clone());
                async move {
                    let (head, body) = request.into_parts();
                    let body = body.collect().await.unwrap().to_bytes();
                    let body: Value = serde_json::from_slice(&body).unwrap();
                    let key = head.headers.get("authorization").map(|key| key.to_str().unwrap().to_owned());
                    let count = {
                        let mut noted = noted.lock();
                        noted.push((head.uri.to_string(), key, body.clone()));
                        noted.len() - 1
                    };
                    let (status, header, text) = script(count, &body);
                    let mut answer = hyper::Response::builder().status(status);
                    if let Some((name, value)) = header {
                        answer = answer.header(name, value);
                    }
                    Ok::<_, Infallible>(answer.body(Full::new(Bytes::from(text))).unwrap())
                }
            };
            let connection = hyper::server::conn::http1::Builder::new();
            tokio::spawn(connection.serve_connection(TokioIo::new(stream), service_fn(answer)));
        }
    });
    (url, seen)
}

/// Vectors of `[position, 1]` for each text.
fn vectors(body: &Value) -> String {
    let count = body["input"].as_array().unwrap().len();
    let data: Vec<Value> = (0..count).map(|n| json!({ "index": n, "embedding": [n, 1] })).collect();
    json!({ "data": data }).to_string()
}

fn settings(url: &str) -> EmbeddingSettings {
    EmbeddingSettings { url: url.to_owned(), model: "m".to_owned(), ..EmbeddingSettings::default() }
}

fn endpoint(url: &str) -> EmbeddingEndpoint {
    let key = read_key("KEY", Some(format!("{SECRET}\n"))).unwrap();
    EmbeddingEndpoint { key: Some(key), ..EmbeddingEndpoint::new(&settings(url)).unwrap() }
}

#[tokio::test]
async fn texts_go_in_batches_and_vectors_come_in_their_order() {
    let (url, seen) = serve(|_, body| (200, None, vectors(body))).await;
    let endpoint = endpoint(&format!("{url}/?api-version=1"));
    let texts = (0..150).map(|n| if n == 7 { "ü".repeat(9_000) } else { n.to_string() }).collect();
    let found = endpoint.embed_texts(texts).await.unwrap();
    assert_eq!((found.len(), &found[70], &found[149]), (150, &vec![6.0, 1.0], &vec![21.0, 1.0]));
    assert!(endpoint.embed_texts(Vec::new()).await.unwrap().is_empty());

    let seen = seen.lock();
    assert_eq!(seen.len(), 3);
    for (path, key, body) in &*seen {
        assert_eq!(path, "/v1/embeddings?api-version=1");
        assert_eq!(key.as_deref(), Some(&*format!("Bearer {SECRET}")));
        assert_eq!(body["model"], "m");
        let longest = body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().len()).max();
        assert!(longest.unwrap() <= TEXT);
    }
}

#[tokio::test]
async fn one_that_is_busy_is_asked_again() {
    let (url, seen) = serve(|count, body| match count {
        0 => (429, Some(("retry-after", "0")), "{}".to_owned()),
        1 => (503, Some(("retry-after", "0")), "{}".to_owned()),
        _ => (200, None, vectors(body)),
    })
    .await;
    assert_eq!(endpoint(&url).embed_texts(vec!["a".to_owned()]).await.unwrap().len(), 1);
    assert_eq!(seen.lock().len(), 3);
}

#[tokio::test]
async fn what_goes_wrong_is_said_and_the_key_is_not() {
    let echo = format!("{{\"error\":{{\"message\":\"wrong: {SECRET}\\u202e\"}}}}");
    let cases = [
        (
            500,
            Some(("retry-after", "0")),
            echo.clone(),
            Code::Internal,
            "500 Internal Server Error: wrong: …",
        ),
        (429, Some(("retry-after", "3600")), "later".to_owned(), Code::QuotaExceeded, "429"),
        (400, None, echo.clone(), Code::Internal, "wrong: …\\u{202e}"),
        (401, None, echo.clone(), Code::NotAuthorized, "401 Unauthorized"),
        (404, None, "{\"error\":\"no model m\"}".to_owned(), Code::NotFound, "no model m"),
        (302, Some(("location", "http://127.0.0.1:1/")), String::new(), Code::Unsupported, "302 Found"),
        (200, None, "{\"data\":[]}".to_owned(), Code::Internal, "0 vectors to 1 texts"),
        (200, None, "<html>".to_owned(), Code::Internal, "no JSON"),
        (200, None, " ".repeat(LARGEST + 1), Code::Internal, "more than"),
    ];
    for (status, header, text, code, expected) in cases {
        let (url, _) = serve(move |_, _| (status, header, text.clone())).await;
        let error = endpoint(&url).embed_texts(vec!["a".to_owned()]).await.unwrap_err();
        assert!(!format!("{error:?}").contains(SECRET), "{error:?}");
        let fault = Fault::from(error);
        assert_eq!(fault.code, code, "{fault:?}");
        assert!(fault.message.contains(expected) && fault.message.contains(&url), "{fault:?}");
        assert!(!format!("{fault:?}").contains(SECRET), "{fault:?}");
    }
    let away = endpoint("http://127.0.0.1:1/v1?key=hidden");
    let error = away.embed_texts(vec!["a".to_owned()]).await.unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
    assert!(!format!("{error} {error:?}").contains("hidden"), "{error:?}");
    assert!(!format!("{away:?}").contains(SECRET));
}

#[tokio::test]
async fn vectors_of_different_lengths_are_refused() {
    let (url, _) = serve(|_, body| {
        let data = json!([{ "embedding": [1] }, { "embedding": [1, 2] }]);
        assert_eq!(body["input"], json!(["a", "-"]), "a text of nothing is sent as a dash");
        (200, None, json!({ "data": data }).to_string())
    })
    .await;
    let error = endpoint(&url).embed_texts(vec!["a".to_owned(), " ".to_owned()]).await.unwrap_err();
    assert!(error.to_string().contains("vectors of 1 and of 2 numbers"), "{error:?}");
}

#[test]
fn what_is_wrong_with_the_settings_is_said() {
    let cases = [
        ("http://127.0.0.1:11434/v1", "m", ""),
        ("http://localhost/v1/", "m", ""),
        ("https://models.example/v1?a=b", "m", ""),
        ("http://models.example/v1", "m", "plain http to models.example"),
        ("http://192.168.0.7/v1", "m", "plain http"),
        ("https://user:word@models.example/v1", "m", "holds a password"),
        ("file:///v1", "m", "neither http nor https"),
        ("models", "m", "neither http nor https"),
        ("", "m", "no `url`"),
        ("http://127.0.0.1/v1", " ", "no `model`"),
    ];
    for (url, model, expected) in cases {
        let settings = EmbeddingSettings { model: model.to_owned(), ..settings(url) };
        let said = check_settings(&settings).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(said.is_empty(), expected.is_empty(), "{url}: {said}");
        assert!(said.contains(expected) && !said.contains("word@"), "{url}: {said}");
    }
    let key_env =
        |name: &str| EmbeddingSettings { key_env: Some(name.to_owned()), ..settings("http://127.0.0.1/v1") };
    assert_eq!(check_settings(&key_env("")), Err(SettingsError::KeyVariable));
    let store = |name: &str| {
        let store = VectorStoreSettings { postgres_env: name.to_owned(), model: None };
        EmbeddingSettings { store: Some(store), ..settings("http://127.0.0.1/v1") }
    };
    assert!(check_settings(&store("VECTORS_URL")).is_ok());
    let said = check_settings(&store("postgres://me:word@db/team")).unwrap_err().to_string();
    assert!(said.contains("the URL stands in that variable") && !said.contains("word"), "{said}");
    let error = EmbeddingEndpoint::new(&key_env("WHEREFORE_NO_SUCH")).unwrap_err();
    assert!(error.to_string().contains("WHEREFORE_NO_SUCH"), "{error:?}");
    let error = read_key("KEY", Some("a\nb".to_owned())).err().unwrap();
    assert!(!format!("{error:?}").contains("a\nb") && error.to_string().contains("KEY"), "{error:?}");
}
