//! Turns the bytes of a body into the text that is shown.

use url::Url;

use crate::answer::{BodyContent, FetchAnswer};
use crate::charset;
use crate::decode;
use crate::error::FetchError;
use crate::exchange::BodyStart;
use crate::media::{BodyKind, MediaType};
use crate::page;

/// Reads a body into its answer.
pub(crate) fn read_into(
    fetched: &mut FetchAnswer,
    body: BodyStart,
    coding: Option<&str>,
    most: usize,
) -> Result<(), FetchError> {
    let body = decode::decode_content(body, coding, most)?;
    fetched.bytes = body.bytes.len();
    fetched.truncated = body.cut;
    if body.bytes.is_empty() {
        return Ok(());
    }
    let media = MediaType { essence: fetched.media_type.clone(), charset: fetched.said_charset.take() };
    let kind = media.body_kind(&body.bytes);
    if kind == BodyKind::Binary {
        fetched.content = BodyContent::Binary;
        return Ok(());
    }
    let decoded = charset::decode_body(&body, media.charset.as_deref(), kind == BodyKind::Page);
    drop(body);
    fetched.charset = Some(decoded.charset);
    fetched.replaced = decoded.replaced;
    fetched.content = match (kind, Url::parse(&fetched.url)) {
        (BodyKind::Page, Ok(url)) => {
            let page = page::read_page(&decoded.text, url, most);
            fetched.truncated |= page.cut;
            BodyContent::Page { title: page.title, markdown: page.markdown }
        }
        _ => BodyContent::Text(decoded.text),
    };
    Ok(())
}
