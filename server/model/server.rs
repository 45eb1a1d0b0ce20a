//! A server of models: where it is, its key, and how a request is made there.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::Value;

use crate::base::hidden::escape_hidden;
use crate::base::random;
use crate::bounds::AnswerBounds;
use crate::embed::http;
use crate::lines::{AnswerLines, silent_error};
use crate::refusal::refusal_error;
use crate::{ModelError, ModelErrorKind};

/// The longest time in which the text of an error may come.
const REFUSAL: Duration = Duration::from_secs(30);

/// A server.
#[derive(Clone, Debug)]
pub(crate) struct ModelServer {
    client: Client,
    /// The start of each path.
    base: Url,
    headers: HeaderMap,
    key: Option<ServerKey>,
    pub(crate) bounds: AnswerBounds,
}

/// A key, which nothing shows.
#[derive(Clone)]
pub(crate) struct ServerKey(Arc<str>);

impl std::fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl ServerKey {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.trim().into())
    }
}

/// The header in which a server wants its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `authorization: Bearer KEY`
    Bearer,
    /// The header `x-api-key`, with the version of the interface.
    Anthropic,
}

/// The URL of a server, if texts may go to it.
pub(crate) fn check_url(url: &str) -> Result<Url, ModelError> {
    let wrong =
        |message: String, advice: &str| Err(ModelError::new(ModelErrorKind::Settings, message, advice));
    let Ok(mut url) = Url::parse(url.trim()) else {
        return wrong("the model's URL is no URL".to_owned(), "write it as `http://127.0.0.1:8080/v1`");
    };
    if !url.username().is_empty() || url.password().is_some() {
        let advice = "put the key into an environment variable and name it as `key_env` in [model]";
        return wrong("the model's URL holds a name or a password".to_owned(), advice);
    }
    match url.scheme() {
        "https" => {}
        "http" if http::is_loopback(url.as_str()) => {}
        "http" => {
            let host = escape_hidden(url.host_str().unwrap_or_default()).into_owned();
            let message = format!("the model's URL is plain http to another machine, {host}");
            return wrong(message, "use https, or a tunnel that ends on this machine");
        }
        _ => {
            return wrong(
                "the model's URL is neither http nor https".to_owned(),
                "write it as `https://HOST/v1`",
            );
        }
    }
    url.set_fragment(None);
    url.set_query(None);
    Ok(url)
}

impl ModelServer {
    /// Makes a client of the server at `base`; sends nothing.
    pub(crate) fn new(
        base: Url,
        key: Option<(ServerKey, KeyHeader)>,
        bounds: AnswerBounds,
    ) -> Result<Self, ModelError> {
        let client = http::http_client(base.as_str()).map_err(|error| {
            let message = format!("no TLS can be set up: {}", http::failure_reason(&error));
            ModelError::new(ModelErrorKind::Unsupported, message, "look at the machine's certificates")
        })?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some((key, header)) = &key {
            let (name, value) = match header {
                KeyHeader::Bearer => ("authorization", format!("Bearer {}", key.0)),
                KeyHeader::Anthropic => ("x-api-key", key.0.to_string()),
            };
            let mut value = HeaderValue::from_str(&value).map_err(|_| {
                let message = "the model's key holds characters that no header may";
                let advice = "set the environment variable to the key alone";
                ModelError::new(ModelErrorKind::KeyRefused, message, advice)
            })?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(Self { client, base, headers, key: key.map(|(key, _)| key), bounds })
    }

    /// Adds a header to each request.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Returns its place, for a reader.
    pub(crate) fn display_url(&self) -> String {
        escape_hidden(self.base.as_str()).into_owned()
    }

    /// Returns whether it is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        http::is_loopback(self.base.as_str())
    }

    /// The URL of a path of the interface.
    fn api_url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let before = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{before}/{path}"));
        url
    }

    /// Returns the URL of a path outside of the interface, from the server's root.
    fn root_url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }

    /// Posts a body once. The stream of the answer, and the type of its content.
    pub(crate) async fn post_body(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<(AnswerLines, String), ModelError> {
        let request =
            self.client.post(self.api_url(path)).headers(self.headers.clone()).body(body.to_string());
        let response = self.send_request(request).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_lowercase();
        Ok((AnswerLines::new(response, self.bounds), kind))
    }

    /// A short JSON answer of the interface, or of a path from the server's root if that begins with `/`.
    pub(crate) async fn fetch_json(
        &self,
        path: &str,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Value, ModelError> {
        let url = if path.starts_with('/') { self.root_url(path) } else { self.api_url(path) };
        let request = match body {
            Some(body) => self.client.post(url).body(body.to_string()),
            None => self.client.get(url),
        };
        let ask = async {
            let response = self.send_request(request.headers(self.headers.clone())).await?;
            let (text, _) = AnswerLines::new(response, self.bounds).read_rest().await?;
            serde_json::from_str(&text).map_err(|_| crate::answer::bad_answer("it answered with no JSON"))
        };
        match tokio::time::timeout(limit, ask).await {
            Ok(answer) => answer.map_err(|error| self.with_server_name(error)),
            Err(_) => Err(self.with_server_name(silent_error(AnswerBounds { idle: limit, ..self.bounds }))),
        }
    }

    async fn send_request(&self, request: reqwest::RequestBuilder) -> Result<Response, ModelError> {
        let sent = tokio::time::timeout(self.bounds.idle, request.send()).await;
        let response = match sent {
            Err(_) => return Err(silent_error(self.bounds)),
            Ok(Err(error)) => return Err(send_error(&error)),
            Ok(Ok(response)) => response,
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // The text of an error is short: the rest of a longer one adds nothing.
        let bounds = AnswerBounds {
            stream: 256 << 10,
            idle: self.bounds.idle.min(Duration::from_secs(10)),
            ..self.bounds
        };
        let rest = tokio::time::timeout(REFUSAL, AnswerLines::new(response, bounds).read_rest()).await;
        let body = rest.ok().and_then(Result::ok).map(|(text, _)| text).unwrap_or_default();
        Err(refusal_error(Some(status), Some(&headers), &body))
    }

    /// The error with the server's place, and without the key.
    pub(crate) fn with_server_name(&self, mut error: ModelError) -> ModelError {
        let place = self.display_url();
        if !error.message.contains(&place) {
            error.message = format!("the model's server at {place}: {}", error.message);
        }
        if let Some(ServerKey(key)) = self.key.as_ref().filter(|ServerKey(key)| !key.is_empty()) {
            error.message = error.message.replace(&**key, "…");
        }
        error
    }

    /// Returns the pause before the next try, if it may help after this error.
    pub(crate) fn retry_pause(&self, error: &ModelError, tries: u32, waited: Duration) -> Option<Duration> {
        if !error.is_retryable() || tries >= self.bounds.tries {
            return None;
        }
        // A request that was silent for minutes is repeated by a person.
        if error.kind == ModelErrorKind::Timeout && self.bounds.idle > self.bounds.patience {
            return None;
        }
        let asked = match error.kind {
            ModelErrorKind::RateLimited { retry_after } => retry_after,
            _ => None,
        };
        let own = jitter_pause(self.bounds.pause * 2_u32.saturating_pow(tries.saturating_sub(1)));
        let pause = asked.unwrap_or(own);
        (waited + pause <= self.bounds.patience).then_some(pause)
    }
}

/// The pause, up to a quarter longer or shorter, so that many clients do not come back together.
fn jitter_pause(pause: Duration) -> Duration {
    let chance = random::random_bytes().map_or(128, |bytes| bytes[0]);
    pause.mul_f32(0.75 + f32::from(chance) / 510.0)
}

fn send_error(error: &reqwest::Error) -> ModelError {
    let why = http::failure_reason(error);
    if error.is_connect() || error.is_builder() {
        let advice = "start that server, or name another one as `--model` or in [model]";
        return ModelError::new(ModelErrorKind::Absent, format!("no server answers there: {why}"), advice);
    }
    let advice = "ask again, or look at the log of that server";
    ModelError::new(ModelErrorKind::BadAnswer, format!("the connection broke: {why}"), advice)
}
