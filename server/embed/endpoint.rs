//! A model behind HTTP: OpenAI's interface for embeddings, which Ollama and others speak too.

mod answer;

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{StreamExt, TryStreamExt, stream};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use serde_json::json;

use super::error::{EmbedError, EndpointError, SettingsError};
use crate::TextEmbedder;
use crate::base::hidden::escape_hidden;
use crate::http;
use crate::protocol::EmbeddingSettings;

/// Texts of one request, and bytes that end it early: a slow model is to answer in time.
const BATCH: (usize, usize) = (64, 16 << 10);
/// Requests under way at the same time.
const AT_ONCE: usize = 2;
/// Bytes of a text that are sent: no model takes more tokens than that.
const TEXT: usize = 8_000;
/// The longest time of one request; a model that is loaded for it needs a while.
const LIMIT: Duration = Duration::from_secs(60);
/// The highest number of tries if the other end is busy or broken.
const TRIES: u32 = 3;
/// The pause before the second try; each further one is four times as long.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that the other end may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// Bytes of the largest answer.
const LARGEST: usize = 32 << 20;
/// Bytes of an error's text that are read, and characters that are shown.
const ERROR: (usize, usize) = (64 << 10, 200);

/// An endpoint with a model.
#[derive(Debug)]
pub(super) struct EmbeddingEndpoint {
    client: Client,
    url: Url,
    /// The URL as it is shown: without what a secret could stand in.
    place: String,
    model: String,
    identity: String,
    key: Option<EndpointKey>,
}

/// The key, which nothing shows.
struct EndpointKey {
    header: HeaderValue,
    text: String,
}

impl std::fmt::Debug for EndpointKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key")
    }
}

/// The URL that requests go to.
///
/// # Errors
/// The error in the settings.
pub(super) fn request_url(settings: &EmbeddingSettings) -> Result<Url, SettingsError> {
    if settings.model.trim().is_empty() {
        return Err(SettingsError::NoModel);
    }
    if settings.url.trim().is_empty() {
        return Err(SettingsError::NoUrl);
    }
    let wrong = |name: &String| name.is_empty() || name.contains(['=', '\0', ':']);
    if settings.key_env.as_ref().is_some_and(wrong) {
        return Err(SettingsError::KeyVariable);
    }
    let mut url = Url::parse(settings.url.trim()).map_err(|_| SettingsError::NotHttp)?;
    match url.scheme() {
        "https" => {}
        "http" if http::is_loopback(url.as_str()) => {}
        "http" => {
            let host = escape_hidden(url.host_str().unwrap_or_default()).into_owned();
            return Err(SettingsError::PlainHttp { host });
        }
        _ => return Err(SettingsError::NotHttp),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SettingsError::PasswordInUrl);
    }
    url.set_fragment(None);
    url.path_segments_mut().map_err(|()| SettingsError::NotHttp)?.pop_if_empty().push("embeddings");
    Ok(url)
}

impl EmbeddingEndpoint {
    /// The endpoint of these settings; nothing is sent yet.
    ///
    /// # Errors
    /// [`EmbedError::Settings`] for settings that are wrong, [`EmbedError::NoKey`] if the variable of the key is not set.
    pub(super) fn new(settings: &EmbeddingSettings) -> Result<Self, EmbedError> {
        let url = request_url(settings)?;
        let key =
            settings.key_env.as_deref().map(|name| read_key(name, std::env::var(name).ok())).transpose()?;
        let client = http::http_client(url.as_str()).map_err(|error| EmbedError::Client(Arc::new(error)))?;
        let mut place = url.clone();
        place.set_query(None);
        let model = settings.model.trim().to_owned();
        let identity = format!("{url}\n{model}");
        Ok(Self { client, place: escape_hidden(place.as_str()).into_owned(), url, model, identity, key })
    }

    /// Returns its place, for a reader.
    pub(super) fn display_place(&self) -> &str {
        &self.place
    }

    /// Vectors of the texts of one request.
    async fn embed_batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let body = json!({ "model": self.model, "input": texts }).to_string();
        let mut pause = PAUSE;
        for left in (0..TRIES).rev() {
            let response = self.send_request(body.clone()).await?;
            let status = response.status();
            if status.is_success() {
                let bytes = self.read_body(response, LARGEST).await?;
                return answer::read_vectors(&bytes, texts.len())
                    .map_err(|error| self.endpoint_error(error.into()));
            }
            let asked = pause_asked(&response);
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            let wait = asked.unwrap_or(pause);
            if !busy || left == 0 || wait > LONGEST_PAUSE {
                return Err(self.refusal_error(response).await);
            }
            drop(response);
            tokio::time::sleep(wait).await;
            pause *= 4;
        }
        Err(self.endpoint_error(EndpointError::NotAsked))
    }

    async fn send_request(&self, body: String) -> Result<Response, EmbedError> {
        let mut request = self.client.post(self.url.clone()).timeout(LIMIT);
        request = request.header(CONTENT_TYPE, "application/json");
        if let Some(key) = &self.key {
            request = request.header(AUTHORIZATION, key.header.clone());
        }
        request.body(body).send().await.map_err(|error| self.request_error(error))
    }

    /// The body of an answer, if it is not larger than that many bytes.
    async fn read_body(&self, mut response: Response, most: usize) -> Result<Vec<u8>, EmbedError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.request_error(error))? {
            if bytes.len() + chunk.len() > most {
                return Err(self.endpoint_error(EndpointError::LargeAnswer { most }));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// Returns the error of a status that is no success, with the message of the other end.
    async fn refusal_error(&self, response: Response) -> EmbedError {
        let status = response.status();
        let said = match status {
            // The text may quote a part of the key.
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => String::new(),
            _ => {
                let said = self.read_body(response, ERROR.0).await.unwrap_or_default();
                self.hide_key(&answer::error_text(&said, ERROR.1))
            }
        };
        self.endpoint_error(EndpointError::Status { status, said })
    }

    fn request_error(&self, error: reqwest::Error) -> EmbedError {
        let said = self.hide_key(&escape_hidden(&http::failure_reason(&error)));
        // A secret may stand in the URL.
        self.endpoint_error(EndpointError::Request { said, source: Arc::new(error.without_url()) })
    }

    /// The text without the key.
    fn hide_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(&key.text, "…"),
            None => text.to_owned(),
        }
    }

    fn endpoint_error(&self, source: EndpointError) -> EmbedError {
        EmbedError::Endpoint {
            model: escape_hidden(&self.model).into_owned(),
            place: self.place.clone(),
            source,
        }
    }
}

impl TextEmbedder for EmbeddingEndpoint {
    fn model_name(&self) -> &str {
        &self.model
    }

    fn identity(&self) -> &str {
        &self.identity
    }

    fn embed_texts(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let cut = |mut text: String| {
                text.truncate(text.floor_char_boundary(TEXT));
                // Some refuse a text of nothing.
                if text.trim().is_empty() { "-".to_owned() } else { text }
            };
            let texts: Vec<String> = texts.into_iter().map(cut).collect();
            let batches =
                stream::iter(split_batches(texts)).map(|batch| async move { self.embed_batch(&batch).await });
            let vectors: Vec<Vec<Vec<f32>>> = batches.buffered(AT_ONCE).try_collect().await?;
            let vectors = vectors.concat();
            let length = vectors.first().map(Vec::len);
            if let Some(other) = vectors.iter().find(|vector| Some(vector.len()) != length) {
                let (one, other) = (length.unwrap_or_default(), other.len());
                return Err(self.endpoint_error(EndpointError::Lengths { one, other }));
            }
            Ok(vectors)
        })
    }
}

/// Texts in the order they came, as many together as go out in one request.
fn split_batches(texts: Vec<String>) -> Vec<Vec<String>> {
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut bytes = 0;
    for text in texts {
        let length = text.len();
        match batches.last_mut() {
            Some(batch) if batch.len() < BATCH.0 && bytes + length <= BATCH.1 => {
                batch.push(text);
                bytes += length;
            }
            _ => {
                batches.push(vec![text]);
                bytes = length;
            }
        }
    }
    batches
}

/// The key in a variable, as a header.
fn read_key(name: &str, value: Option<String>) -> Result<EndpointKey, EmbedError> {
    let name = escape_hidden(name).into_owned();
    let text = value
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .ok_or_else(|| EmbedError::NoKey { variable: name.clone() })?;
    let mut header = HeaderValue::from_str(&format!("Bearer {text}"))
        .map_err(|_| EmbedError::BadKey { variable: name })?;
    header.set_sensitive(true);
    Ok(EndpointKey { header, text })
}

/// The pause that an answer asks for, in seconds.
fn pause_asked(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests;
