//! A server's facts on a model: the size of its context, its abilities, its price.

use serde_json::{Value, json};

use crate::client::{FACTS, ModelClient};
use crate::protocol::ModelApi;
use crate::{ModelError, ModelFacts, Price};

/// Tokens of context that Ollama is asked for if the settings give no number: its use of a model's memory grows with it.
const OLLAMA_CONTEXT: u64 = 32_768;

/// Asks the server, and keeps its answer.
pub(crate) async fn inspect_model(client: &ModelClient) -> Result<ModelFacts, ModelError> {
    let mut facts = client.facts.lock().clone();
    match client.api {
        ModelApi::Ollama => inspect_ollama(client, &mut facts).await?,
        ModelApi::Chat => inspect_chat(client, &mut facts).await?,
        ModelApi::Responses | ModelApi::Messages => inspect_hosted(client, &mut facts).await?,
    }
    if client.context.is_some() {
        facts.context_tokens = client.context;
    }
    *client.facts.lock() = facts.clone();
    Ok(facts)
}

async fn inspect_ollama(client: &ModelClient, facts: &mut ModelFacts) -> Result<(), ModelError> {
    let shown = client.server.fetch_json("api/show", Some(&json!({ "model": client.name })), FACTS).await?;
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

/// The many servers behind `/v1/models`: each has other fields.
async fn inspect_chat(client: &ModelClient, facts: &mut ModelFacts) -> Result<(), ModelError> {
    let listed = client.server.fetch_json("models", None, FACTS).await?;
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
    facts.price = parse_price(&of_model["pricing"]);
    if client.server.is_local() {
        if let Ok(props) = client.server.fetch_json("/props", None, FACTS).await {
            let context = number(&props, &["/default_generation_settings/n_ctx", "/n_ctx"]);
            facts.context_tokens = context.or(facts.context_tokens);
            if let Some(template) = props["chat_template"].as_str() {
                "llama.cpp".clone_into(&mut facts.provider);
                facts.constrained = Some(true);
                facts.native_calls = Some(template.contains("tools"));
            }
        } else if let Ok(shown) =
            client.server.fetch_json(&format!("/api/v0/models/{}", client.name), None, FACTS).await
        {
            let context = number(&shown, &["/loaded_context_length", "/max_context_length"]);
            facts.context_tokens = context.or(facts.context_tokens);
        }
        facts.context_tokens = facts.context_tokens.or_else(|| number(&of_model, &["/meta/n_ctx_train"]));
    }
    Ok(())
}

/// A hosted model, if the server gives more than its name.
async fn inspect_hosted(client: &ModelClient, facts: &mut ModelFacts) -> Result<(), ModelError> {
    let shown = client.server.fetch_json(&format!("models/{}", client.name), None, FACTS).await?;
    let names = ["max_input_tokens", "context_window", "context_length"];
    let context = names.iter().find_map(|name| shown[*name].as_u64());
    facts.context_tokens = context.or(facts.context_tokens);
    Ok(())
}

/// OpenRouter's prices: US dollars a token, as text.
fn parse_price(pricing: &Value) -> Option<Price> {
    let of = |name: &str| {
        let value = &pricing[name];
        value.as_f64().or_else(|| value.as_str()?.parse().ok()).filter(|price| *price >= 0.0)
    };
    Some(Price { input: of("prompt")? * 1e6, output: of("completion")? * 1e6 })
}
