//! The transport to a URL: streamable HTTP.

use std::collections::HashMap;

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

use super::error::UpstreamError;
use super::expand::{UnsetVariable, expand_variables};
use crate::base::hidden::escape_hidden;
use crate::embed::http;
use crate::protocol::{McpServer, NetworkTarget};

/// The transport to a server's URL.
pub(super) type HttpTransport = StreamableHttpClientTransport<reqwest::Client>;

/// The host of a URL; any where it names none.
pub(super) fn url_host(url: &str) -> NetworkTarget {
    let url = reqwest::Url::parse(url).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).map_or(NetworkTarget::Any, NetworkTarget::Host)
}

/// A transport to the server's URL; nothing is sent yet.
///
/// # Errors
/// A header that cannot be sent, a variable that is not set, or a client that cannot be made.
pub(super) fn connect_http(name: &str, settings: &McpServer) -> Result<HttpTransport, UpstreamError> {
    let url = settings.url.clone().unwrap_or_default();
    let mut headers = HashMap::new();
    for (header, value) in &settings.headers {
        let value = expand_variables(value).map_err(|UnsetVariable(variable)| UpstreamError::NoVariable {
            server: name.to_owned(),
            variable,
        })?;
        let wrong = || UpstreamError::BadHeader {
            server: name.to_owned(),
            header: escape_hidden(header).into_owned(),
        };
        let key = HeaderName::from_bytes(header.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(&value).map_err(|_| wrong())?;
        // It may be a secret: nothing that shows requests shows it.
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    let client = http::http_client(&url)
        .map_err(|error| UpstreamError::Internal { server: name.to_owned(), why: error.to_string() })?;
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_urls() {
        assert_eq!(
            url_host("https://me@Example.org:8443/mcp?x"),
            NetworkTarget::Host("example.org".to_owned())
        );
        assert_eq!(url_host("http://[::1]/"), NetworkTarget::Host("[::1]".to_owned()));
        assert_eq!(url_host("${URL}"), NetworkTarget::Any);
    }

    #[tokio::test]
    async fn a_header_that_cannot_be_sent_is_named() {
        let mut settings = McpServer { url: Some("https://x.invalid/".to_owned()), ..McpServer::default() };
        assert!(connect_http("s", &settings).is_ok());
        settings.headers.insert("a b".to_owned(), "x".to_owned());
        assert!(connect_http("s", &settings).err().unwrap().to_string().contains("a b"));
        settings.headers = [("x-key".to_owned(), "${WHEREFORE_NO_SUCH}".to_owned())].into();
        assert!(connect_http("s", &settings).err().unwrap().to_string().contains("WHEREFORE_NO_SUCH"));
    }
}
