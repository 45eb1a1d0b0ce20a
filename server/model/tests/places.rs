//! Servers on this machine, and what a model's name means.

use std::time::{Duration, Instant};

use serde_json::json;

use super::scripted::{Played, Scripted, Step};
use crate::protocol::{ModelApi, ModelSettings};
use crate::{LocalServer, ModelErrorKind as Kind, find_servers, open_model};

fn port(server: &Scripted) -> u16 {
    server.url.rsplit(':').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn servers_of_this_machine_are_told_apart_quickly() {
    let listing = |path: &'static str, body: serde_json::Value| {
        let body = body.to_string();
        Scripted::start(move |_, seen| match seen.line == format!("GET {path}") {
            true => Played::body(200, "application/json", &body),
            false => Played::body(404, "application/json", "{}"),
        })
    };
    let ollama = listing(
        "/api/tags",
        json!({ "models": [{ "name": "qwen3:8b" }, { "name": "nomic-embed-text:latest" }] }),
    );
    let llama = listing("/v1/models", json!({ "data": [{ "id": "m.gguf", "owned_by": "llamacpp" }] }));
    let vllm = listing("/v1/models", json!({ "data": [{ "id": "a/b", "owned_by": "vllm" }] }));
    let page = Scripted::start(|_, _| Played::body(200, "text/html", "<html></html>"));
    let slow = Scripted::start(|_, _| Played::events([""; 0]).then(Step::Hang));
    let ports = [&ollama, &llama, &vllm, &page, &slow].map(port);
    let began = Instant::now();
    let found = find_servers(&[ports[0], ports[1], ports[2], ports[3], ports[4], 1]).await;
    // The bound itself is 280 ms; a busy machine is given more, and what hangs would take a minute.
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let server = |provider: &str, api, url: String, model: &str| LocalServer {
        provider: provider.to_owned(),
        api,
        url: url.replace("localhost", "127.0.0.1"),
        models: vec![model.to_owned()],
    };
    let expected = [
        server("ollama", ModelApi::Ollama, ollama.url.clone(), "qwen3:8b"),
        server("llama.cpp", ModelApi::Chat, format!("{}/v1", llama.url), "m.gguf"),
        server("vllm", ModelApi::Chat, format!("{}/v1", vllm.url), "a/b"),
    ];
    assert_eq!(found, expected);
}

#[tokio::test]
async fn facts_come_from_the_server() {
    let server = Scripted::start(|_, seen| {
        match &*seen.line {
        "GET /v1/models" => Played::body(200, "application/json", &json!({ "data": [
            { "id": "other", "max_model_len": 1 },
            { "id": "m", "context_length": 9000, "pricing": { "prompt": "0.000001", "completion": "0.000002" } },
        ] }).to_string()),
        "GET /props" => Played::body(200, "application/json", &json!({ "chat_template": "x",
            "default_generation_settings": { "n_ctx": 2048 } }).to_string()),
        _ => Played::body(404, "application/json", "{}"),
    }
    });
    let model = open_model(None, Some(&format!("{}/v1#m", server.url))).await.unwrap();
    let facts = model.inspect().await.unwrap();
    assert_eq!(
        (facts.context_tokens, &*facts.provider, facts.constrained),
        (Some(2048), "llama.cpp", Some(true))
    );
    let price = facts.price.unwrap();
    assert!((price.input - 1.0).abs() < 1e-9 && (price.output - 2.0).abs() < 1e-9 && facts.local);

    let first = open_model(None, Some(&format!("{}/v1", server.url))).await.unwrap();
    assert_eq!(first.facts().name, "other", "with no name the server's first model is meant");
}

#[tokio::test]
async fn names_that_lead_nowhere_are_refused() {
    let settings = |key: Option<&str>| ModelSettings {
        name: "openai/gpt".to_owned(),
        key_env: key.map(str::to_owned),
        ..ModelSettings::default()
    };
    for (name, key, kind, part) in [
        ("http://models.example/v1#m", None, Kind::Settings, "plain http"),
        ("https://me:word@models.example/v1#m", None, Kind::Settings, "password"),
        ("ftp://models.example/v1", None, Kind::Settings, "no http"),
        ("ollama/", None, Kind::Settings, "names no model"),
        ("openai/gpt", Some("WHEREFORE_NO_SUCH_VARIABLE"), Kind::KeyRefused, "WHEREFORE_NO_SUCH_VARIABLE"),
        ("openai/gpt", Some("sk=secret"), Kind::Settings, "environment variable"),
    ] {
        let error = open_model(Some(&settings(key)), Some(name)).await.err().unwrap();
        assert!(error.kind == kind && error.message.contains(part), "{name}: {error:?}");
        assert!(!error.message.contains("word@") && !error.message.contains("secret"), "{error:?}");
    }
}
