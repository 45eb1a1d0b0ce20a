//! The collector that the settings name, and the headers that it wants.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::base::hidden::escape_hidden;
use crate::embed::http::is_loopback;
use crate::protocol::TelemetrySettings;

/// The errors in the settings of the export.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what each means")]
pub enum TelemetryError {
    #[error("its `endpoint` is no http:// or https:// URL")]
    NotHttp,
    #[error(
        "its `endpoint` is plain http to {host}, where others can read it: use https, or a collector on this machine"
    )]
    PlainHttp { host: String },
    #[error(
        "its `endpoint` holds a password: put it into an environment variable and name that as `headers_env`"
    )]
    PasswordInUrl,
    #[error("`headers_env` is the name of an environment variable, not a header")]
    Variable,
    #[error("the environment variable {name} is not set")]
    NoHeaders { name: String },
    #[error("the environment variable {name} does not hold headers as name=value,name=value")]
    BadHeaders { name: String },
}

/// Checks the settings, and gives the URL that spans go to.
///
/// # Errors
/// The error in them.
pub fn check_endpoint(settings: &TelemetrySettings) -> Result<Url, TelemetryError> {
    let mut url = Url::parse(settings.endpoint.trim()).map_err(|_| TelemetryError::NotHttp)?;
    match url.scheme() {
        "https" => {}
        "http" if is_loopback(url.as_str()) => {}
        "http" => {
            let host = escape_hidden(url.host_str().unwrap_or_default()).into_owned();
            return Err(TelemetryError::PlainHttp { host });
        }
        _ => return Err(TelemetryError::NotHttp),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(TelemetryError::PasswordInUrl);
    }
    let wrong = |name: &String| name.is_empty() || name.contains(['=', '\0', ':', ',']);
    if settings.headers_env.as_ref().is_some_and(wrong) {
        return Err(TelemetryError::Variable);
    }
    url.set_fragment(None);
    if !url.path().ends_with("/v1/traces") {
        let mut parts = url.path_segments_mut().map_err(|()| TelemetryError::NotHttp)?;
        parts.pop_if_empty().push("v1").push("traces");
    }
    Ok(url)
}

/// The headers that the settings name.
///
/// # Errors
/// Fails if the variable is not set, or holds no headers.
pub(super) fn read_headers(settings: &TelemetrySettings) -> Result<HeaderMap, TelemetryError> {
    let mut headers = HeaderMap::new();
    let Some(variable) = &settings.headers_env else { return Ok(headers) };
    let name = escape_hidden(variable).into_owned();
    let Ok(text) = std::env::var(variable) else { return Err(TelemetryError::NoHeaders { name }) };
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let header = pair.split_once('=').and_then(|(key, value)| {
            let mut value = HeaderValue::from_str(value.trim()).ok()?;
            value.set_sensitive(true);
            Some((HeaderName::try_from(key.trim()).ok()?, value))
        });
        let Some((key, value)) = header else { return Err(TelemetryError::BadHeaders { name }) };
        headers.insert(key, value);
    }
    Ok(headers)
}
