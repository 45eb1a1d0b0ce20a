//! The meaning of a server's error: its status, its type and its words, as a kind that a program can act on.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use crate::base::hidden::escape_hidden;
use crate::{ModelError, ModelErrorKind};

/// Characters of a server's words that are shown.
const SHOWN: usize = 300;

/// Words by which servers say that a conversation is too long: OpenAI, Anthropic, llama.cpp, vLLM, LM Studio, Ollama.
const TOO_LONG: [&str; 13] = [
    "context_length_exceeded",
    "maximum context length",
    "max context length",
    "context length exceeded",
    "exceed_context_size",
    "exceeds the available context",
    "exceed context window",
    "exceeds the context",
    "exceed context limit",
    "context window",
    "prompt is too long",
    "input is too long",
    "longer than the context",
];

/// Words by which servers say that a model lacks something.
const LACKS: [&str; 5] =
    ["does not support tools", "does not support chat", "not support function", "tool use is not", "--jinja"];

/// The error that a server gives in place of an answer.
pub(crate) fn refusal_error(status: Option<u16>, headers: Option<&HeaderMap>, body: &str) -> ModelError {
    let value = serde_json::from_str::<Value>(body).ok();
    let (kind_word, said) = match &value {
        Some(value) => error_words(value),
        None if body.trim_start().starts_with('<') => (String::new(), "a web page".to_owned()),
        None => (String::new(), body.to_owned()),
    };
    let all = format!("{kind_word} {said}").to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| all.contains(word));
    let kind = match status {
        _ if has(&TOO_LONG) => ModelErrorKind::ContextTooLong,
        _ if has(&["insufficient_quota", "credit balance", "billing"]) => ModelErrorKind::KeyRefused,
        Some(429) => ModelErrorKind::RateLimited { retry_after: headers.and_then(retry_after) },
        Some(401 | 403) => ModelErrorKind::KeyRefused,
        Some(413) => ModelErrorKind::ContextTooLong,
        Some(408 | 504) => ModelErrorKind::Timeout,
        Some(300..=399) => ModelErrorKind::Settings,
        _ if has(&LACKS) => ModelErrorKind::Unsupported,
        Some(404) => ModelErrorKind::UnknownModel,
        Some(501) => ModelErrorKind::Unsupported,
        Some(400..=499) => ModelErrorKind::BadRequest,
        Some(500..=599) => ModelErrorKind::Overloaded,
        _ if has(&["overloaded", "server_error", "api_error", "internal"]) => ModelErrorKind::Overloaded,
        _ if has(&["rate_limit", "rate limit"]) => ModelErrorKind::RateLimited { retry_after: None },
        _ if has(&["authentication", "permission_error", "invalid_api_key"]) => ModelErrorKind::KeyRefused,
        _ if has(&["not_found", "not found"]) => ModelErrorKind::UnknownModel,
        _ if has(&["invalid_request", "invalid_prompt"]) => ModelErrorKind::BadRequest,
        _ => ModelErrorKind::Overloaded,
    };
    // A server may quote a part of the key.
    let said = if kind == ModelErrorKind::KeyRefused { kind_word } else { said };
    let message = match (status, shorten_text(&said)) {
        (Some(status), said) if said.is_empty() => format!("it answers {status}"),
        (Some(status), said) => format!("it answers {status}: {said}"),
        (None, said) if said.is_empty() => "it ended the answer with an error".to_owned(),
        (None, said) => format!("it ended the answer with an error: {said}"),
    };
    let advice = advice_for(&kind);
    ModelError::new(kind, message, advice)
}

/// The type and the message of an error, in the forms that servers write.
fn error_words(value: &Value) -> (String, String) {
    let error = value.get("error").unwrap_or(value);
    let text = |name: &str| match error.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    match error {
        Value::String(said) => (text("type"), said.clone()),
        error => {
            let message = ["message", "detail", "error"].map(text).into_iter().find(|said| !said.is_empty());
            let param = text("param");
            let mut said = message.unwrap_or_else(|| error.to_string());
            if !param.is_empty() && !said.contains(&param) {
                said = format!("{said} (`{param}`)");
            }
            (format!("{} {}", text("type"), text("code")).trim().to_owned(), said)
        }
    }
}

fn advice_for(kind: &ModelErrorKind) -> &'static str {
    match kind {
        ModelErrorKind::KeyRefused => "set a key with credit in the environment variable that [model] names",
        ModelErrorKind::UnknownModel => "look at the model's name and the URL, or fetch the model first",
        ModelErrorKind::RateLimited { .. } => "wait, or use another model",
        ModelErrorKind::ContextTooLong => "shorten the conversation, or give the model a larger context",
        ModelErrorKind::Settings => "name the URL that it redirects to, as `url` in [model]",
        ModelErrorKind::Unsupported => "use a model that can do this",
        ModelErrorKind::BadRequest => "look at the server's words, or use another model",
        _ => "ask again later, or look at the log of that server",
    }
}

fn shorten_text(text: &str) -> String {
    let mut text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((at, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(at);
        text.push('…');
    }
    escape_hidden(&text).into_owned()
}

/// Returns the time that a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse::<u32>().ok()) {
        return Some(Duration::from_millis(millis.into()));
    }
    let value = text(RETRY_AFTER.as_str())?;
    match value.parse::<f32>() {
        Ok(seconds) => Duration::try_from_secs_f32(seconds).ok(),
        Err(_) => {
            let at = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
            let wait = u64::try_from(at.as_second()).ok()?.saturating_sub(now.as_secs());
            Some(Duration::from_secs(wait))
        }
    }
}
