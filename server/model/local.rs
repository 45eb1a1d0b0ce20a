//! Servers of models on this machine, found on their usual ports.

use std::time::Duration;

use futures::future::join_all;
use reqwest::Url;
use serde_json::Value;

use crate::bounds::Bounds;
use crate::protocol::ModelApi;
use crate::server::Server;

/// The usual ports: Ollama, LM Studio, llama.cpp, vLLM (and llama-cpp-python), Jan.
pub const USUAL_PORTS: [u16; 5] = [11434, 1234, 8080, 8000, 1337];

/// How long a server may take to say what it is.
const PATIENCE: Duration = Duration::from_millis(280);
/// Models of one server that are kept.
const MODELS: usize = 1000;

/// A server of models on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalServer {
    /// What it is: `ollama`, `lmstudio`, `llama.cpp`, `vllm`, or `openai-compatible`.
    pub provider: String,
    /// The interface that it speaks.
    pub api: ModelApi,
    /// Where it is, as `url` in `[model]` takes it.
    pub url: String,
    /// The names of its models.
    pub models: Vec<String>,
}

/// The servers on these ports of this machine, within 300 ms, in the order of the ports.
pub async fn find_servers(ports: &[u16]) -> Vec<LocalServer> {
    join_all(ports.iter().map(|port| probe(*port))).await.into_iter().flatten().collect()
}

async fn probe(port: u16) -> Option<LocalServer> {
    let base = Url::parse(&format!("http://127.0.0.1:{port}")).ok()?;
    let bounds = Bounds { idle: PATIENCE, stream: 4 << 20, ..Bounds::default() };
    let server = Server::new(base, None, bounds).ok()?;
    let (ollama, listed) =
        futures::join!(server.json("/api/tags", None, PATIENCE), server.json("/v1/models", None, PATIENCE));
    let url = format!("http://127.0.0.1:{port}");
    if let Some(models) = ollama.ok().and_then(|tags| names(&tags["models"], "name")) {
        return Some(LocalServer { provider: "ollama".to_owned(), api: ModelApi::Ollama, url, models });
    }
    let listed = listed.ok()?;
    let models = names(&listed["data"], "id")?;
    let owner = listed["data"][0]["owned_by"].as_str().unwrap_or_default().to_lowercase();
    let provider = match (&*owner, port) {
        ("llamacpp", _) => "llama.cpp",
        ("vllm", _) => "vllm",
        ("organization_owner", _) | (_, 1234) => "lmstudio",
        _ => "openai-compatible",
    };
    Some(LocalServer { provider: provider.to_owned(), api: ModelApi::Chat, url: format!("{url}/v1"), models })
}

/// The names in a list of models; nothing where it is no such list.
fn names(list: &Value, member: &str) -> Option<Vec<String>> {
    let named = list.as_array()?.iter().filter_map(|model| model[member].as_str());
    // An embedding model answers no conversation.
    let talks = |name: &&str| !name.to_lowercase().contains("embed");
    Some(named.filter(talks).take(MODELS).map(str::to_owned).collect())
}
