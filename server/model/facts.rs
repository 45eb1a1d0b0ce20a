//! What a server tells of a model: the size of its context, what it can do, what it costs.

use serde_json::{Value, json};

use crate::client::{Client, FACTS};
use crate::protocol::ModelApi;
use crate::{ModelError, ModelFacts, Price};

/// Tokens of context that Ollama is asked for where nobody said how many: what it takes of a model's memory grows with it.
const OLLAMA_CONTEXT: u64 = 32_768;

/// Asks the server, and keeps what it says.
pub(crate) async fn inspect(client: &Client) -> Result<ModelFacts, ModelError> {
    let mut facts = client.facts.lock().clone();
    match client.api {
        ModelApi::Ollama => ollama(client, &mut facts).await?,
        ModelApi::Chat => chat(client, &mut facts).await?,
        ModelApi::Responses | ModelApi::Messages => hosted(client, &mut facts).await?,
    }
    if client.context.is_some() {
        facts.context_tokens = client.context;
    }
    *client.facts.lock() = facts.clone();
    Ok(facts)
}

async fn ollama(client: &Client, facts: &mut ModelFacts) -> Result<(), ModelError> {
    let shown = client.server.json("api/show", Some(&json!({ "model": client.name })), FACTS).await?;
    let info = shown["model_info"].as_object();
    let mut lengths = info.into_iter().flatten().filter(|(name, _)| name.ends_with(".context_length"));
    let most = lengths.find_map(|(_, length)| length.as_u64());
    let set = shown["parameters"]
        .as_str()
        .unwrap_or_default()
        .lines()
        .find_map(|line| line.trim().strip_prefix("num_ctx")?.trim().parse::<u64>().ok());
    let context = set.unwrap_or(OLLAMA_CONTEXT);
    facts.context_tokens = Some(most.map_or(context, |most| context.min(most)));
    if let Some(abilities) = shown["capabilities"].as_array() {
        facts.native_calls = Some(abilities.iter().any(|ability| ability == "tools"));
    }
    Ok(())
}

/// The many servers behind `/v1/models`: each says other things.
async fn chat(client: &Client, facts: &mut ModelFacts) -> Result<(), ModelError> {
    let listed = client.server.json("models", None, FACTS).await?;
    let models = listed["data"].as_array();
    let mut named = models.into_iter().flatten();
    let of_model = named.find(|model| model["id"] == client.name).cloned().unwrap_or_default();
    let number = |value: &Value, paths: &[&str]| {
        paths.iter().find_map(|path| value.pointer(path).and_then(Value::as_u64)).filter(|count| *count > 0)
    };
    // vLLM, OpenRouter, LM Studio, Groq.
    let paths = [
        "/max_model_len",
        "/context_length",
        "/loaded_context_length",
        "/max_context_length",
        "/context_window",
    ];
    facts.context_tokens = number(&of_model, &paths);
    facts.price = price(&of_model["pricing"]);
    if client.server.is_local() {
        if let Ok(props) = client.server.json("/props", None, FACTS).await {
            let context = number(&props, &["/default_generation_settings/n_ctx", "/n_ctx"]);
            facts.context_tokens = context.or(facts.context_tokens);
            if let Some(template) = props["chat_template"].as_str() {
                "llama.cpp".clone_into(&mut facts.provider);
                facts.constrained = Some(true);
                facts.native_calls = Some(template.contains("tools"));
            }
        } else if let Ok(shown) =
            client.server.json(&format!("/api/v0/models/{}", client.name), None, FACTS).await
        {
            let context = number(&shown, &["/loaded_context_length", "/max_context_length"]);
            facts.context_tokens = context.or(facts.context_tokens);
        }
        facts.context_tokens = facts.context_tokens.or_else(|| number(&of_model, &["/meta/n_ctx_train"]));
    }
    Ok(())
}

/// A hosted model, where the server says more of it than its name.
async fn hosted(client: &Client, facts: &mut ModelFacts) -> Result<(), ModelError> {
    let shown = client.server.json(&format!("models/{}", client.name), None, FACTS).await?;
    let names = ["max_input_tokens", "context_window", "context_length"];
    let context = names.iter().find_map(|name| shown[*name].as_u64());
    facts.context_tokens = context.or(facts.context_tokens);
    Ok(())
}

/// OpenRouter's prices: US dollars a token, as text.
fn price(pricing: &Value) -> Option<Price> {
    let of = |name: &str| {
        let value = &pricing[name];
        value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|price| *price >= 0.0)
    };
    Some(Price { input: of("prompt")? * 1e6, output: of("completion")? * 1e6 })
}
