//! From the bytes of a body to what is shown of it.

use url::Url;

use crate::charset;
use crate::decode;
use crate::error::FetchError;
use crate::exchange::Start;
use crate::fetched::{Content, Fetched};
use crate::media::{Kind, MediaType};
use crate::page;

/// Reads a body into its answer.
pub(crate) fn read(
    fetched: &mut Fetched,
    body: Start,
    coding: Option<&str>,
    most: usize,
) -> Result<(), FetchError> {
    let body = decode::decoded(body, coding, most)?;
    fetched.bytes = body.bytes.len();
    fetched.truncated = body.cut;
    if body.bytes.is_empty() {
        return Ok(());
    }
    let media = MediaType { essence: fetched.media_type.clone(), charset: fetched.said_charset.take() };
    let kind = media.kind(&body.bytes);
    if kind == Kind::Binary {
        fetched.content = Content::Binary;
        return Ok(());
    }
    let decoded = charset::text(&body, media.charset.as_deref(), kind == Kind::Page);
    drop(body);
    fetched.charset = Some(decoded.charset);
    fetched.replaced = decoded.replaced;
    fetched.content = match (kind, Url::parse(&fetched.url)) {
        (Kind::Page, Ok(url)) => {
            let page = page::read(&decoded.text, url, most);
            fetched.truncated |= page.cut;
            Content::Page { title: page.title, markdown: page.markdown }
        }
        _ => Content::Text(decoded.text),
    };
    Ok(())
}
