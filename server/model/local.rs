//! Servers of models on this machine, found on their usual ports.

use std::time::Duration;

use futures::future::join_all;
use reqwest::Url;
use serde_json::Value;

use crate::bounds::AnswerBounds;
use crate::protocol::ModelApi;
use crate::server::ModelServer;

/// The usual ports: Ollama, LM Studio, llama.cpp, vLLM (and llama-cpp-python), Jan.
pub const USUAL_PORTS: [u16; 5] = [11434, 1234, 8080, 8000, 1337];

/// The longest time that a server may take to identify itself.
const PATIENCE: Duration = Duration::from_millis(280);
/// Models of one server that are kept.
const MODELS: usize = 1000;

/// A server of models on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// The kind of server: `ollama`, `lmstudio`, `llama.cpp`, `vllm`, or `openai-compatible`.
    pub provider: String,
    /// The interface that it speaks.
    pub api: ModelApi,
    /// Its URL, in the form of `url` in `[model]`.
    pub url: String,
    /// The names of its models.
    pub models: Vec<String>,
}

/// The servers on these ports of this machine, within 300 ms, in the order of the ports.
pub async fn find_servers(ports: &[u16]) -> Vec<LocalServer> {
    join_all(ports.iter().map(|port| probe_port(*port))).await.into_iter().flatten().collect()
}

async fn probe_port(port: u16) -> Option<LocalServer> {
    let base = Url::parse(&format!("http://127.0.0.1:{port}")).ok()?;
    let bounds = AnswerBounds { idle: PATIENCE, stream: 4 << 20, ..AnswerBounds::default() };
    let server = ModelServer::new(base, None, bounds).ok()?;
    let (ollama, listed) = futures::join!(
        server.fetch_json("/api/tags", None, PATIENCE),
        server.fetch_json("/v1/models", None, PATIENCE)
    );
    let url = format!("http://127.0.0.1:{port}");
    if let Some(models) = ollama.ok().and_then(|tags| model_names(&tags["models"], "name")) {
        return Some(LocalServer { provider: "ollama".to_owned(), api: ModelApi::Ollama, url, models });
    }
    let listed = listed.ok()?;
    let models = model_names(&listed["data"], "id")?;
    let owner = listed["data"][0]["owned_by"].as_str().unwrap_or_default().to_lowercase();
    let provider = match (&*owner, port) {
        ("llamacpp", _) => "llama.cpp",
        ("vllm", _) => "vllm",
        ("organization_owner", _) | (_, 1234) => "lmstudio",
        _ => "openai-compatible",
    };
    Some(LocalServer { provider: provider.to_owned(), api: ModelApi::Chat, url: format!("{url}/v1"), models })
}

/// The names in a list of models; `None` if it is no such list.
fn model_names(list: &Value, member: &str) -> Option<Vec<String>> {
    let named = list.as_array()?.iter().filter_map(|model| model[member].as_str());
    // An embedding model answers no conversation.
    let talks = |name: &&str| !name.to_lowercase().contains("embed");
    Some(named.filter(talks).take(MODELS).map(str::to_owned).collect())
}
