//! A server of models: where it is, its key, and how a request is made there.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use serde_json::Value;

use crate::base::hidden::shown;
use crate::base::random;
use crate::bounds::Bounds;
use crate::embed::http;
use crate::lines::{Lines, silent};
use crate::refusal::refusal;
use crate::{ModelError, ModelErrorKind};

/// A server.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    client: Client,
    /// What stands before each path.
    base: Url,
    headers: HeaderMap,
    key: Option<Key>,
    pub(crate) bounds: Bounds,
}

/// A key, which nothing shows.
#[derive(Clone)]
pub(crate) struct Key(Arc<str>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.trim().into())
    }
}

/// How a server wants its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `authorization: Bearer KEY`
    Bearer,
    /// The header `x-api-key`, with the version of the interface.
    Anthropic,
}

/// The URL of a server, where texts may go to it.
pub(crate) fn checked(url: &str) -> Result<Url, ModelError> {
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
            let host = shown(url.host_str().unwrap_or_default()).into_owned();
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

impl Server {
    /// The server there; nothing is sent yet.
    pub(crate) fn new(base: Url, key: Option<(Key, KeyHeader)>, bounds: Bounds) -> Result<Self, ModelError> {
        let client = http::client(base.as_str()).map_err(|error| {
            let message = format!("no TLS can be set up: {}", http::why(&error));
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
    pub(crate) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Where it is, for a reader.
    pub(crate) fn place(&self) -> String {
        shown(self.base.as_str()).into_owned()
    }

    /// Whether it is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        http::is_loopback(self.base.as_str())
    }

    /// The URL of a path of the interface.
    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let before = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{before}/{path}"));
        url
    }

    /// The URL of a path beside the interface, from the server's root.
    fn beside(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(path);
        url
    }

    /// Posts a body once. The stream of the answer, and the type of its content.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<(Lines, String), ModelError> {
        let request = self.client.post(self.url(path)).headers(self.headers.clone()).body(body.to_string());
        let response = self.send(request).await?;
        let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().to_lowercase();
        Ok((Lines::new(response, self.bounds), kind))
    }

    /// A short JSON answer of the interface, or of a path from the server's root where that begins with `/`.
    pub(crate) async fn json(
        &self,
        path: &str,
        body: Option<&Value>,
        limit: Duration,
    ) -> Result<Value, ModelError> {
        let url = if path.starts_with('/') { self.beside(path) } else { self.url(path) };
        let request = match body {
            Some(body) => self.client.post(url).body(body.to_string()),
            None => self.client.get(url),
        };
        let ask = async {
            let response = self.send(request.headers(self.headers.clone())).await?;
            let (text, _) = Lines::new(response, self.bounds).rest().await?;
            serde_json::from_str(&text).map_err(|_| crate::answer::bad("it answered with no JSON"))
        };
        match tokio::time::timeout(limit, ask).await {
            Ok(answer) => answer.map_err(|error| self.named(error)),
            Err(_) => Err(self.named(silent(Bounds { idle: limit, ..self.bounds }))),
        }
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, ModelError> {
        let sent = tokio::time::timeout(self.bounds.idle, request.send()).await;
        let response = match sent {
            Err(_) => return Err(silent(self.bounds)),
            Ok(Err(error)) => return Err(unsent(&error)),
            Ok(Ok(response)) => response,
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        // The words of an error are short: what is longer tells no more.
        let bounds =
            Bounds { stream: 256 << 10, idle: self.bounds.idle.min(Duration::from_secs(10)), ..self.bounds };
        let body = Lines::new(response, bounds).rest().await.map(|(text, _)| text).unwrap_or_default();
        Err(refusal(Some(status), Some(&headers), &body))
    }

    /// The error with the server's place, and without the key.
    pub(crate) fn named(&self, mut error: ModelError) -> ModelError {
        let place = self.place();
        if !error.message.contains(&place) {
            error.message = format!("the model's server at {place}: {}", error.message);
        }
        if let Some(Key(key)) = self.key.as_ref().filter(|Key(key)| !key.is_empty()) {
            error.message = error.message.replace(&**key, "…");
        }
        error
    }

    /// How long to wait before the next try, where the error lets hope that one helps.
    pub(crate) fn pause(&self, error: &ModelError, tries: u32, waited: Duration) -> Option<Duration> {
        if !error.retryable() || tries >= self.bounds.tries {
            return None;
        }
        // What is silent for minutes is asked again by a person.
        if error.kind == ModelErrorKind::Timeout && self.bounds.idle > self.bounds.patience {
            return None;
        }
        let asked = match error.kind {
            ModelErrorKind::RateLimited { retry_after } => retry_after,
            _ => None,
        };
        let own = jittered(self.bounds.pause * 2_u32.saturating_pow(tries.saturating_sub(1)));
        let pause = asked.unwrap_or(own);
        (waited + pause <= self.bounds.patience).then_some(pause)
    }
}

/// The pause, up to a quarter longer or shorter, so that many clients do not come back together.
fn jittered(pause: Duration) -> Duration {
    let chance = random::bytes().map_or(128, |bytes| bytes[0]);
    pause.mul_f32(0.75 + f32::from(chance) / 510.0)
}

fn unsent(error: &reqwest::Error) -> ModelError {
    let why = http::why(error);
    if error.is_connect() || error.is_builder() {
        let advice = "start that server, or name another one as `--model` or in [model]";
        return ModelError::new(ModelErrorKind::Absent, format!("no server answers there: {why}"), advice);
    }
    let advice = "ask again, or look at the log of that server";
    ModelError::new(ModelErrorKind::BadAnswer, format!("the connection broke: {why}"), advice)
}
