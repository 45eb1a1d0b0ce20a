//! fetch: the text behind a URL of the public internet.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::count::Count;
use crate::fetch::{
    BodyContent, FetchAnswer, FetchError, FetchRequest, HostPermits, HttpFetcher, ReachGate, host_of,
};
use crate::protocol::{CallEffects, Code, Fault, NetworkTarget};
use crate::registry::{Activity, ActivityOutput, CheckedCall, PermittedCall};
use crate::session::CallScope;

/// Bytes of a body where nothing else is asked for.
const USUAL: usize = 5_000_000;

/// Bytes of a body at most, whatever is asked for.
const MOST: usize = 20_000_000;

/// The time that the network may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Headers that the answer to a GET shows.
const SHOWN_HEADERS: [&str; 8] =
    ["age", "content-length", "etag", "last-modified", "link", "location", "retry-after", "www-authenticate"];

/// Fetches URLs.
#[derive(Default)]
pub(super) struct FetchUrl(HttpFetcher);

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FetchInput {
    url: String,
    #[serde(default)]
    method: FetchMethod,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    max_bytes: Option<Count>,
}

/// The method of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum FetchMethod {
    #[default]
    Get,
    Head,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FetchOutput {
    url: String,
    status: u16,
    format: FetchFormat,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    charset: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redirects: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

/// The format of a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FetchFormat {
    Markdown,
    Text,
    Binary,
    Empty,
}

impl Activity for FetchUrl {
    type Input = FetchInput;
    type Output = FetchOutput;

    fn call_effects(&self, input: &FetchInput) -> CallEffects {
        let host = host_of(&input.url).map_or(NetworkTarget::Any, NetworkTarget::Host);
        CallEffects { network: vec![host], ..CallEffects::default() }
    }

    fn ensure_ready(&self, call: &CheckedCall) -> Result<(), Fault> {
        host_of(call.text_argument("url").unwrap_or_default())
            .map(drop)
            .map_err(|error| fetch_fault(&error.into()))
    }

    async fn run_call(
        &self,
        input: Arc<FetchInput>,
        _: &PermittedCall,
        scope: &CallScope,
    ) -> Result<ActivityOutput<FetchOutput>, Fault> {
        let settings = scope.settings();
        let local = settings.fetch.local.iter().map(String::as_str);
        let request = FetchRequest {
            url: input.url.clone(),
            head_only: input.method == FetchMethod::Head,
            headers: input.headers.clone().into_iter().collect(),
            max_bytes: input.max_bytes.map_or(USUAL, |count| count.as_usize().clamp(1, MOST)),
            timeout: LIMIT,
            permits: HostPermits::parse(local).unwrap_or_default(),
        };
        let person = AskedHosts { scope, refusal: Mutex::default() };
        let fetched = tokio::select! {
            fetched = self.0.fetch(&request, &person) => fetched,
            () = scope.cancel_token().cancelled() => {
                return Err(Fault::new(Code::Cancelled, "the fetch was cancelled"));
            }
        };
        match fetched {
            Ok(fetched) => Ok(fetch_output(fetched, request.head_only, settings.limits.output_bytes)),
            Err(error) => Err(person.refusal.into_inner().unwrap_or_else(|| fetch_fault(&error))),
        }
    }
}

/// The rules and the person, asked about each host.
struct AskedHosts<'a> {
    scope: &'a CallScope,
    /// The reason why a host may not be reached.
    refusal: Mutex<Option<Fault>>,
}

impl ReachGate for AskedHosts<'_> {
    async fn may_reach(&self, host: &str) -> bool {
        let Some(hosts) = self.scope.host_gate() else { return false };
        let refusal = hosts.reach(host).await.err();
        let is_open = refusal.is_none();
        *self.refusal.lock() = refusal;
        is_open
    }
}

/// The answer, with at most so many bytes of text.
fn fetch_output(fetched: FetchAnswer, is_head: bool, most: usize) -> ActivityOutput<FetchOutput> {
    let headers =
        fetched.headers.into_iter().filter(|(name, _)| is_head || SHOWN_HEADERS.contains(&name.as_str()));
    let (format, title, mut content) = match fetched.content {
        BodyContent::Empty => (FetchFormat::Empty, None, None),
        BodyContent::Binary => (FetchFormat::Binary, None, None),
        BodyContent::Text(text) => (FetchFormat::Text, None, Some(text)),
        BodyContent::Page { title, markdown } => (FetchFormat::Markdown, title, Some(markdown)),
    };
    let mut rest = fetched.truncated.then(|| {
        "read more of it with a larger `max_bytes`, or a part of it with the header `Range`".to_owned()
    });
    if let Some(text) = content.as_mut().filter(|text| text.len() > most) {
        rest = Some(format!(
            "the text has {} bytes, and a result holds {most} (limits.output_bytes): fetch a part with the header `Range`, \
             or a page that says less",
            text.len()
        ));
        text.truncate(text.floor_char_boundary(most));
    }
    let mut output = ActivityOutput::from_value(FetchOutput {
        url: fetched.url,
        status: fetched.status,
        format,
        bytes: fetched.bytes,
        r#type: Some(fetched.media_type).filter(|media| !media.is_empty()),
        charset: fetched.charset.map(str::to_owned),
        redirects: fetched.redirects.into_iter().map(|redirect| redirect.from).collect(),
        headers: headers.collect(),
        title,
        content,
    });
    output.truncated = rest.is_some();
    output.rest = rest;
    if fetched.replaced {
        output.warnings.push("bytes that are no characters stand as U+FFFD in the text".to_owned());
    }
    output
}

/// A failure as the caller reads it.
fn fetch_fault(error: &FetchError) -> Fault {
    let (code, suggestion) = fetch_advice(error);
    Fault::new(code, error.to_string()).with_suggestion(suggestion)
}

fn fetch_advice(error: &FetchError) -> (Code, &'static str) {
    match error {
        FetchError::Url(_) => (
            Code::InvalidArgs,
            "give a whole http or https URL; the person can name a server of theirs as fetch.local",
        ),
        FetchError::Header(_) => (Code::InvalidArgs, "leave that header out, or mend its value"),
        FetchError::Address { .. } => (
            Code::PermissionDenied,
            "go on without it; the person can name a server of their own machine or network as fetch.local in their settings",
        ),
        FetchError::Refused { .. } => {
            (Code::PermissionDenied, "go on without it, or ask the person to allow it")
        }
        FetchError::Resolve { .. } | FetchError::NoAddress { .. } => {
            (Code::NotFound, "look whether the host is spelled right")
        }
        FetchError::Connect { .. } => {
            (Code::NotFound, "look whether host and port are right, or try again later")
        }
        FetchError::Encrypt { .. } => {
            (Code::Unsupported, "tell the person: the server's certificate may be wrong")
        }
        FetchError::Exchange { .. } | FetchError::Decode { .. } | FetchError::Coding { .. } => {
            (Code::Unsupported, "try again, or fetch it from elsewhere")
        }
        FetchError::Late(_) => {
            (Code::Timeout, "try again, ask for less with `max_bytes`, or fetch it from elsewhere")
        }
        FetchError::Redirects { .. } => {
            (Code::QuotaExceeded, "fetch the URL that it leads to, if you know it")
        }
        FetchError::Redirected { source, .. } => fetch_advice(source),
        FetchError::Tls(_) | FetchError::Thread(_) => {
            (Code::Internal, "go on without it, and tell the person")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_its_way_out() {
        let refused = |url: &str| fetch_fault(&host_of(url).unwrap_err().into());
        let file = refused("file:///etc/passwd");
        assert_eq!(file.code, Code::InvalidArgs);
        assert!(file.message.contains("only http and https") && file.suggestion.is_some());
        let from = "http://a.test/".to_owned();
        let late = FetchError::Redirected { from, source: Box::new(FetchError::Late(LIMIT)) };
        assert_eq!(fetch_fault(&late).code, Code::Timeout);
    }
}
