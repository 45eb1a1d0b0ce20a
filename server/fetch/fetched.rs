//! The answer to a fetch.

use hyper::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use url::Url;

use crate::fetcher::value;
use crate::media::MediaType;

/// An answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that answered, after redirects.
    pub url: String,
    /// The status of HTTP.
    pub status: u16,
    /// The redirects on the way, first to last.
    pub redirects: Vec<Redirect>,
    /// The headers of the answer, but for cookies.
    pub headers: Vec<(String, String)>,
    /// The type that the server gives the body, as `text/html`; empty where it gives none.
    pub media_type: String,
    /// The encoding that the text was read in.
    pub charset: Option<&'static str>,
    /// Bytes of the body, decoded, as far as it was read.
    pub bytes: usize,
    /// Whether the body has more, or more text than is shown.
    pub truncated: bool,
    /// Whether bytes that are no characters were replaced by U+FFFD.
    pub replaced: bool,
    /// What the body holds.
    pub content: Content,
    pub(crate) said_charset: Option<String>,
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The status of HTTP.
    pub status: u16,
    /// The URL that redirected.
    pub from: String,
}

/// What a body holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Nothing: the answer has no body, or it was not asked for.
    Empty,
    /// A page, as Markdown.
    Page {
        /// The page's title.
        title: Option<String>,
        /// Its text.
        markdown: String,
    },
    /// Another text, as it is.
    Text(String),
    /// Bytes that are no text. They are not kept.
    Binary,
}

impl Fetched {
    pub(crate) fn new(url: &Url, status: u16, headers: &HeaderMap, redirects: Vec<Redirect>) -> Self {
        let media = MediaType::parse(&value(headers, &CONTENT_TYPE).unwrap_or_default());
        let shown = headers.iter().filter(|(name, _)| **name != SET_COOKIE);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            url: url.to_string(),
            status,
            redirects,
            headers: shown.map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect(),
            media_type: media.essence,
            charset: None,
            bytes: 0,
            truncated: false,
            replaced: false,
            content: Content::Empty,
            said_charset: media.charset,
        }
    }
}
