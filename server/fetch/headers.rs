//! The headers of a request: what a caller may set, and what goes along to another origin.

use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, RANGE, USER_AGENT,
};

use crate::error::HeaderError;

/// Headers of a caller's at most.
const MOST: usize = 32;

/// Bytes of their names and values at most.
const LARGEST: usize = 16 * 1024;

/// Headers that the connection sets, or that would make the request a different one from the one that the rules
/// judged.
const FORBIDDEN: &[&str] = &[
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
];

/// Headers that are sent to another origin too: none of them identifies the sender.
const HARMLESS: &[HeaderName] =
    &[ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, IF_MODIFIED_SINCE, IF_NONE_MATCH, RANGE, USER_AGENT];

/// The headers to send: the caller's, and ours if the caller set none.
pub(crate) fn check_headers(headers: &[(String, String)]) -> Result<HeaderMap, HeaderError> {
    let size: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if headers.len() > MOST || size > LARGEST {
        return Err(HeaderError::Many { most: MOST, bytes: LARGEST });
    }
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let shown = || name.chars().take(100).collect::<String>();
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| HeaderError::Name { name: shown() })?;
        if is_forbidden(key.as_str()) {
            return Err(HeaderError::Forbidden { name: shown() });
        }
        let value = Some(value).filter(|value| value.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~')));
        let value = value.and_then(|value| HeaderValue::from_str(value).ok());
        let value = value.ok_or_else(|| HeaderError::Value { name: shown() })?;
        map.append(key, value);
    }
    map.entry(USER_AGENT)
        .or_insert(HeaderValue::from_static(concat!("wherefore/", env!("CARGO_PKG_VERSION"))));
    map.entry(ACCEPT).or_insert(HeaderValue::from_static(
        "text/markdown, text/html;q=0.9, application/json;q=0.9, text/*;q=0.8, */*;q=0.5",
    ));
    // A part of an encoded text is no text.
    let coding = if map.contains_key(RANGE) { "identity" } else { "gzip, br, zstd" };
    map.insert(ACCEPT_ENCODING, HeaderValue::from_static(coding));
    Ok(map)
}

/// Removes headers that are for the origin that redirects: credentials, cookies, and headers that may be either.
pub(crate) fn leave_origin(headers: &mut HeaderMap) {
    let all = std::mem::take(headers);
    let mut last = None;
    for (name, value) in all {
        // A further value comes without its name.
        last = name.or(last);
        if let Some(name) = last.as_ref().filter(|name| HARMLESS.contains(name)) {
            headers.append(name, value);
        }
    }
}

fn is_forbidden(name: &str) -> bool {
    FORBIDDEN.contains(&name) || name.starts_with("proxy-") || name.starts_with("sec-")
}
