//! The model that the person chose, by a name or in the settings.

use std::sync::Arc;
use std::time::Duration;

use reqwest::Url;

use crate::base::hidden::escape_hidden;
use crate::bounds::AnswerBounds;
use crate::client::ModelClient;
use crate::key_command;
use crate::local::{LocalServer, USUAL_PORTS, find_servers};
use crate::protocol::{ModelApi, ModelSettings};
use crate::server::{KeyHeader, ModelServer, ServerKey, check_url};
use crate::{LanguageModel, ModelError, ModelErrorKind};

/// The forms of a model's name.
const FORMS: &str = "write `ollama/NAME`, `openai/NAME`, `anthropic/NAME`, `lmstudio/NAME`, `llamacpp/NAME`, `vllm/NAME` or \
                     `http://127.0.0.1:8080/v1#NAME`";

/// A provider of models under a short name: the name, its interface, its URL, the variable of its key.
type Provider = (&'static str, ModelApi, &'static str, Option<&'static str>);
const PROVIDERS: [Provider; 6] = [
    ("ollama", ModelApi::Ollama, "http://127.0.0.1:11434", None),
    ("lmstudio", ModelApi::Chat, "http://127.0.0.1:1234/v1", None),
    ("llamacpp", ModelApi::Chat, "http://127.0.0.1:8080/v1", None),
    ("vllm", ModelApi::Chat, "http://127.0.0.1:8000/v1", None),
    ("openai", ModelApi::Responses, "https://api.openai.com/v1", Some("OPENAI_API_KEY")),
    ("anthropic", ModelApi::Messages, "https://api.anthropic.com/v1", Some("ANTHROPIC_API_KEY")),
];

/// The choice of a model, of its server, and of the interface and the key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ModelChoice {
    provider: String,
    api: ModelApi,
    url: String,
    /// Empty for the server's own model.
    name: String,
    key_env: Option<String>,
    /// The command that prints the key, if the variable is not set.
    key_command: Vec<String>,
}

/// The model that `wanted` names, else that of the settings, else the first one of a server on this machine.
///
/// `wanted` is `ollama/NAME`, `openai/NAME`, `anthropic/NAME`, `lmstudio/NAME`, `llamacpp/NAME`, `vllm/NAME`, a server's URL
/// and a name as `http://127.0.0.1:8080/v1#NAME`, or the name alone of a model that a server on this machine has.
/// The settings' URL and key count for their own provider or server alone, so that no key goes elsewhere.
///
/// # Errors
/// The error in the name or the settings, or that there is no server.
pub async fn open_model(
    settings: Option<&ModelSettings>,
    wanted: Option<&str>,
) -> Result<Arc<dyn LanguageModel>, ModelError> {
    let bare = ModelSettings::default();
    let settings = settings.unwrap_or(&bare);
    let (choice, is_found) = match choose_model(settings, wanted)? {
        Some(choice) => (choice, false),
        None => (choose_local(wanted.unwrap_or(&settings.name), find_servers(&USUAL_PORTS).await)?, true),
    };
    let found = is_found.then(|| format!("{} at {}", choice.provider, choice.url));
    let set = |variable: &str| std::env::var(variable).ok().filter(|key| !key.trim().is_empty());
    let is_set = choice.key_env.as_deref().is_some_and(|name| set(name).is_some());
    let printed = match choice.key_command.is_empty() || is_set {
        true => None,
        false => Some(key_command::run_key_command(&choice.key_command).await?),
    };
    let client = make_client(settings, choice, |variable| std::env::var(variable).ok(), printed)?;
    client.facts.lock().found = found;
    Ok(Arc::new(with_model_name(client).await?))
}

/// Returns the choice by a name and the settings; `None` if a server has to be looked for.
fn choose_model(settings: &ModelSettings, wanted: Option<&str>) -> Result<Option<ModelChoice>, ModelError> {
    let own = parse_name(&settings.name)?;
    let wanted = match wanted {
        Some(wanted) => parse_name(wanted)?,
        None => own.clone(),
    };
    let from_settings = settings.url.as_ref().map(|url| ModelChoice {
        provider: own.as_ref().map_or_else(String::new, |own| own.provider.clone()),
        api: own.as_ref().map_or(ModelApi::Chat, |own| own.api),
        url: url.clone(),
        name: own.as_ref().map_or(&settings.name, |own| &own.name).clone(),
        key_env: None,
        key_command: Vec::new(),
    });
    let Some(mut choice) = wanted.or_else(|| from_settings.clone()) else { return Ok(None) };
    let is_own = own.as_ref().is_some_and(|own| own.provider == choice.provider && own.url == choice.url);
    if is_own || from_settings.as_ref().is_some_and(|own| url_origin(&own.url) == url_origin(&choice.url)) {
        if let Some(url) = &settings.url {
            choice.url.clone_from(url);
        }
        choice.api = settings.api.unwrap_or(choice.api);
        choice.key_env = settings.key_env.clone().or(choice.key_env);
        choice.key_command.clone_from(&settings.key_command);
    }
    Ok(Some(choice))
}

fn url_origin(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| url.origin().ascii_serialization())
}

/// Reads a model's name; `None` if it names no server.
fn parse_name(text: &str) -> Result<Option<ModelChoice>, ModelError> {
    let text = text.trim();
    if text.starts_with("http://") || text.starts_with("https://") {
        let (url, name) = text.split_once('#').unwrap_or((text, ""));
        let checked = check_url(url)?;
        let provider = checked.host_str().unwrap_or_default().to_owned();
        let (url, name) = (url.to_owned(), name.to_owned());
        return Ok(Some(ModelChoice {
            provider,
            api: ModelApi::Chat,
            url,
            name,
            key_env: None,
            key_command: Vec::new(),
        }));
    }
    if text.contains("://") {
        let message = format!("the model `{}` is named by no http or https", escape_hidden(text));
        return Err(ModelError::new(ModelErrorKind::Settings, message, FORMS));
    }
    let Some((head, name)) = text.split_once('/') else { return Ok(None) };
    let provider = PROVIDERS.iter().find(|(known, ..)| known.eq_ignore_ascii_case(head));
    let Some((provider, api, url, key)) = provider else { return Ok(None) };
    if name.is_empty() && !matches!(*provider, "llamacpp" | "lmstudio" | "vllm") {
        let message = format!("`{provider}/` names no model");
        return Err(ModelError::new(ModelErrorKind::Settings, message, FORMS));
    }
    let choice = ModelChoice {
        provider: (*provider).to_owned(),
        api: *api,
        url: (*url).to_owned(),
        name: name.to_owned(),
        key_env: key.map(str::to_owned),
        key_command: Vec::new(),
    };
    Ok(Some(choice))
}

/// A model of a server on this machine: that of this name, else the first.
fn choose_local(name: &str, servers: Vec<LocalServer>) -> Result<ModelChoice, ModelError> {
    let has = |server: &LocalServer| {
        let mut models = server.models.iter();
        match name.trim() {
            "" => models.next().cloned(),
            name => {
                models.find(|model| *model == name || model.strip_suffix(":latest") == Some(name)).cloned()
            }
        }
    };
    let found = servers.iter().find_map(|server| has(server).map(|model| (server, model)));
    if let Some((server, name)) = found {
        let (provider, url) = (server.provider.clone(), server.url.clone());
        return Ok(ModelChoice {
            provider,
            api: server.api,
            url,
            name,
            key_env: None,
            key_command: Vec::new(),
        });
    }
    let ports = USUAL_PORTS.map(|port| port.to_string()).join(", ");
    if name.trim().is_empty() {
        let there: Vec<String> =
            servers.iter().map(|server| format!("{} at {}", server.provider, server.url)).collect();
        let there = match there.is_empty() {
            true => format!("no server of models answers on this machine (ports {ports})"),
            false => format!("what answers on this machine has none yet: {}", there.join(", ")),
        };
        let message = format!("no model is set, and {there}");
        let advice = "start Ollama, LM Studio, llama.cpp or vLLM and fetch a model there, or set `name` under [model] in your \
                      config.toml, as `name = \"ollama/qwen3\"`; `--model` names one for this run";
        return Err(ModelError::new(ModelErrorKind::Absent, message, advice));
    }
    let all: Vec<&str> =
        servers.iter().flat_map(|server| server.models.iter().map(String::as_str)).take(10).collect();
    let there = if all.is_empty() {
        "no server answers there".to_owned()
    } else {
        format!("there are {}", all.join(", "))
    };
    let message = format!(
        "no server on this machine (ports {ports}) has the model `{}`: {}",
        escape_hidden(name),
        escape_hidden(&there)
    );
    Err(ModelError::new(ModelErrorKind::UnknownModel, message, FORMS))
}

fn make_client(
    settings: &ModelSettings,
    choice: ModelChoice,
    variable: impl Fn(&str) -> Option<String>,
    printed: Option<ServerKey>,
) -> Result<ModelClient, ModelError> {
    let url = check_url(&choice.url)?;
    let idle = Duration::from_secs(settings.idle_s.clamp(1, 3600));
    let header = match choice.api {
        ModelApi::Messages => KeyHeader::Anthropic,
        _ => KeyHeader::Bearer,
    };
    let key = match printed {
        Some(key) => Some(key),
        None => choice.key_env.as_deref().map(|name| read_key(name, &variable)).transpose()?,
    };
    let bounds = AnswerBounds { idle, ..AnswerBounds::default() };
    let mut server = ModelServer::new(url, key.map(|key| (key, header)), bounds)?;
    if choice.api == ModelApi::Messages {
        server = server.with_header("anthropic-version", "2023-06-01");
    }
    let mut client = ModelClient::new(server, choice.api, choice.name, choice.provider);
    client.context = settings.context_tokens;
    client.facts.lock().context_tokens = settings.context_tokens;
    Ok(client)
}

fn read_key(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<ServerKey, ModelError> {
    let name = name.trim();
    if name.is_empty() || name.contains(['=', '\0', ':']) {
        let message = "`key_env` under [model] is the name of an environment variable, and no key";
        return Err(ModelError::new(
            ModelErrorKind::Settings,
            message,
            "put the key into a variable and name that",
        ));
    }
    match variable(name).filter(|text| !text.trim().is_empty()) {
        Some(text) => Ok(ServerKey::new(&text)),
        None => {
            let message =
                format!("the environment variable {} with the model's key is not set", escape_hidden(name));
            let advice = "set it where wherefore is started, or name another one as `key_env` under [model]";
            Err(ModelError::new(ModelErrorKind::KeyRefused, message, advice))
        }
    }
}

/// The client with the name of the server's own model, if none was named.
async fn with_model_name(mut client: ModelClient) -> Result<ModelClient, ModelError> {
    if !client.name.is_empty() {
        return Ok(client);
    }
    let listed = client.server.fetch_json("models", None, crate::client::FACTS).await?;
    let Some(name) = listed["data"][0]["id"].as_str() else {
        let message = format!("the server at {} lists no model", client.server.display_url());
        return Err(ModelError::new(ModelErrorKind::UnknownModel, message, FORMS));
    };
    name.clone_into(&mut client.name);
    name.clone_into(&mut client.facts.lock().name);
    Ok(client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_to_its_own_server_alone() {
        let settings = |name: &str, url: Option<&str>| ModelSettings {
            name: name.to_owned(),
            url: url.map(str::to_owned),
            key_env: Some("MINE".to_owned()),
            ..ModelSettings::default()
        };
        let local = "http://127.0.0.1:8080/v1#m";
        let hosted = settings("https://models.example/v1#big", None);
        let placed = settings("openai/gpt", Some("https://proxy.example/v1"));
        for (settings, wanted, url, key) in [
            (&hosted, None, "https://models.example/v1", Some("MINE")),
            (&hosted, Some("https://models.example/v1#small"), "https://models.example/v1", Some("MINE")),
            (&hosted, Some(local), "http://127.0.0.1:8080/v1", None),
            (&hosted, Some("anthropic/claude"), "https://api.anthropic.com/v1", Some("ANTHROPIC_API_KEY")),
            (&placed, None, "https://proxy.example/v1", Some("MINE")),
            (&placed, Some("openai/other"), "https://proxy.example/v1", Some("MINE")),
            (&placed, Some("ollama/qwen3:8b"), "http://127.0.0.1:11434", None),
        ] {
            let choice = choose_model(settings, wanted).unwrap().unwrap();
            assert_eq!((&*choice.url, choice.key_env.as_deref()), (url, key), "{wanted:?}");
        }
        assert_eq!(choose_model(&ModelSettings::default(), Some("qwen3:8b")).unwrap(), None);
    }

    #[test]
    fn a_name_alone_is_looked_for_on_this_machine() {
        let server = |provider: &str, models: &[&str]| LocalServer {
            provider: provider.to_owned(),
            api: ModelApi::Chat,
            url: format!("http://127.0.0.1/{provider}"),
            models: models.iter().map(|name| (*name).to_owned()).collect(),
        };
        let servers =
            vec![server("empty", &[]), server("a", &["one:latest", "two"]), server("b", &["three"])];
        for (name, expected) in [
            ("", Ok("one:latest")),
            ("one", Ok("one:latest")),
            ("three", Ok("three")),
            ("four", Err("one:latest, two")),
        ] {
            match (choose_local(name, servers.clone()), expected) {
                (Ok(choice), Ok(model)) => assert_eq!(choice.name, model),
                (Err(error), Err(part)) => assert!(error.message.contains(part), "{error}"),
                (found, _) => panic!("{name}: {found:?}"),
            }
        }
        for (servers, part) in
            [(Vec::new(), "11434"), (vec![server("ollama", &[])], "ollama at http://127.0.0.1/ollama")]
        {
            let error = choose_local("", servers).unwrap_err();
            assert!(error.kind == ModelErrorKind::Absent && error.message.contains(part), "{error:?}");
        }
    }
}
