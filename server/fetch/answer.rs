//! The answer to a fetch.

use hyper::header::{CONTENT_TYPE, HeaderMap, SET_COOKIE};
use url::Url;

use crate::fetcher::header_value;
use crate::media::MediaType;

/// An answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchAnswer {
    /// The URL that answered, after redirects.
    pub url: String,
    /// The status of HTTP.
    pub status: u16,
    /// The redirects on the way, first to last.
    pub redirects: Vec<HttpRedirect>,
    /// The headers of the answer, but for cookies.
    pub headers: Vec<(String, String)>,
    /// The type that the server gives the body, as `text/html`; empty if it gives none.
    pub media_type: String,
    /// The encoding that the text was read in.
    pub charset: Option<&'static str>,
    /// Bytes of the body that were read, decoded.
    pub bytes: usize,
    /// True if the body has more, or more text than is shown.
    pub truncated: bool,
    /// True if bytes that are no characters were replaced by U+FFFD.
    pub replaced: bool,
    /// The contents of the body.
    pub content: BodyContent,
    pub(crate) said_charset: Option<String>,
}

/// A redirect that was followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRedirect {
    /// The status of HTTP.
    pub status: u16,
    /// The URL that redirected.
    pub from: String,
}

/// The contents of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyContent {
    /// Nothing: the answer has no body, or it was not asked for.
    Empty,
    /// A page, as Markdown.
    Page {
        /// The page's title.
        title: Option<String>,
        /// Its text.
        markdown: String,
    },
    /// Another text, unchanged.
    Text(String),
    /// Bytes that are no text. They are not kept.
    Binary,
}

impl FetchAnswer {
    pub(crate) fn new(url: &Url, status: u16, headers: &HeaderMap, redirects: Vec<HttpRedirect>) -> Self {
        let media = MediaType::parse(&header_value(headers, &CONTENT_TYPE).unwrap_or_default());
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
            content: BodyContent::Empty,
            said_charset: media.charset,
        }
    }
}
