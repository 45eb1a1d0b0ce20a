//! Batches of spans, sent to the collector with retries.

use std::time::Duration;

use prost::Message;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Url};

use super::otlp::{
    ExportRequest, InstrumentationScope, Resource, ResourceSpans, ScopeSpans, Span, text_attribute,
};
use crate::embed::http;

/// The longest time of one request.
const LIMIT: Duration = Duration::from_secs(10);
/// The pauses before each further try.
const PAUSES: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16)];
/// The longest pause that a collector may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The way to a collector.
#[derive(Debug)]
pub(super) struct SpanSender {
    client: Client,
    url: Url,
    headers: HeaderMap,
    resource: Resource,
}

impl SpanSender {
    /// A sender to that URL; nothing is sent yet. `workspace` is the folder's name, if it may be sent.
    ///
    /// # Errors
    /// The library's error: TLS cannot be set up.
    pub(super) fn new(url: Url, headers: HeaderMap, workspace: Option<&str>) -> reqwest::Result<Self> {
        let client = http::http_client(url.as_str())?;
        let mut attributes = vec![
            text_attribute("service.name", "wherefore"),
            text_attribute("service.version", env!("CARGO_PKG_VERSION")),
        ];
        attributes.extend(workspace.map(|name| text_attribute("wherefore.workspace", name)));
        Ok(Self { client, url, headers, resource: Resource { attributes } })
    }

    /// Sends spans; returns whether the collector took them. It is tried again if the other end is busy, broken or away.
    pub(super) async fn send_spans(&self, spans: Vec<Span>) -> Result<(), String> {
        let body = self.encode_body(spans);
        let mut pauses = PAUSES.into_iter();
        loop {
            let (why, asked) = match self.try_once(body.clone()).await {
                Ok(()) => return Ok(()),
                Err((why, false, _)) => return Err(why),
                Err((why, true, asked)) => (why, asked),
            };
            let Some(pause) = pauses.next() else { return Err(why) };
            tokio::time::sleep(asked.unwrap_or(pause).min(LONGEST_PAUSE)).await;
        }
    }

    /// Sends the last spans: they are tried once, since the end of a process waits for that.
    pub(super) async fn send_last(&self, spans: Vec<Span>) -> Result<(), String> {
        self.try_once(self.encode_body(spans)).await.map_err(|(why, ..)| why)
    }

    fn encode_body(&self, spans: Vec<Span>) -> Vec<u8> {
        let scope = InstrumentationScope {
            name: "wherefore".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let scope_spans = vec![ScopeSpans { scope: Some(scope), spans }];
        let resource_spans = vec![ResourceSpans { resource: Some(self.resource.clone()), scope_spans }];
        ExportRequest { resource_spans }.encode_to_vec()
    }

    /// Makes a try: returns why it failed, whether another one may help, and after which pause.
    async fn try_once(&self, body: Vec<u8>) -> Result<(), (String, bool, Option<Duration>)> {
        let request = self.client.post(self.url.clone()).timeout(LIMIT).headers(self.headers.clone());
        let sent = request.header(CONTENT_TYPE, "application/x-protobuf").body(body).send().await;
        let response = sent.map_err(|error| (http::failure_reason(&error.without_url()), true, None))?;
        let status = response.status();
        if status.is_success() {
            return Ok(());
        }
        let asked =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let again = matches!(status.as_u16(), 408 | 429 | 502 | 503 | 504) || status.as_u16() == 500;
        Err((format!("the collector answered {status}"), again, asked.map(Duration::from_secs)))
    }
}
