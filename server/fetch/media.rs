//! The kind of a body: a page, another text, or binary data.

/// A header `Content-Type`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MediaType {
    /// The type, such as `text/html`, in small letters; empty if none is given.
    pub(crate) essence: String,
    pub(crate) charset: Option<String>,
}

/// The form in which a body is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyKind {
    Page,
    Text,
    Binary,
}

/// Types outside of `text/` that are texts.
const TEXTS: &[&str] = &[
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/json5",
    "application/jsonl",
    "application/ndjson",
    "application/rtf",
    "application/sql",
    "application/toml",
    "application/typescript",
    "application/x-httpd-php",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-www-form-urlencoded",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
    "message/rfc822",
];

/// Bytes that are looked at for signs of a binary body.
const LOOKED_AT: usize = 4096;

impl MediaType {
    pub(crate) fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
        });
        // An invalid type counts as none.
        let essence = if essence.split_once('/').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty()) {
            essence
        } else {
            String::new()
        };
        Self { essence: essence.chars().take(100).collect(), charset }
    }

    /// Returns the form in which a body of this type is shown. Bytes that are no text are not shown as one, even if
    /// their type names one.
    pub(crate) fn body_kind(&self, bytes: &[u8]) -> BodyKind {
        if !is_wide(bytes, self.charset.as_deref()) && is_binary(bytes) {
            return BodyKind::Binary;
        }
        match self.essence.as_str() {
            "text/html" | "application/xhtml+xml" => BodyKind::Page,
            "" if looks_like_page(bytes) => BodyKind::Page,
            "" => BodyKind::Text,
            text if text.starts_with("text/") || TEXTS.contains(&text) => BodyKind::Text,
            text if text.ends_with("+json") || text.ends_with("+xml") || text.ends_with("+yaml") => {
                BodyKind::Text
            }
            _ => BodyKind::Binary,
        }
    }
}

/// Returns whether a character of the text has bytes that are zero.
fn is_wide(bytes: &[u8], charset: Option<&str>) -> bool {
    bytes.starts_with(&[0xff, 0xfe])
        || bytes.starts_with(&[0xfe, 0xff])
        || charset.is_some_and(|charset| charset.get(..6).is_some_and(|it| it.eq_ignore_ascii_case("utf-16")))
}

/// Returns whether bytes are binary, by the WHATWG's list of bytes that no text has.
fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(LOOKED_AT)];
    start.iter().any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

fn looks_like_page(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(512)]).to_ascii_lowercase();
    let start = start.trim_start_matches('\u{feff}').trim_start();
    ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.starts_with(tag))
}
