//! Clients of HTTP: no redirect followed, no proxy to this machine, TLS set up at the first need.

use std::error::Error;
use std::sync::Once;
use std::time::Duration;

/// The longest time for making a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// A client for one URL; nothing is sent yet.
///
/// # Errors
/// The library's error: TLS cannot be set up.
pub fn http_client(url: &str) -> reqwest::Result<reqwest::Client> {
    static PROVIDER: Once = Once::new();
    // If another provider is installed already, it is used.
    PROVIDER.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    // A redirect would carry the headers elsewhere.
    let mut client =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).connect_timeout(CONNECT);
    if is_loopback(url) {
        client = client.no_proxy();
    }
    client.build()
}

/// Returns the reason why a request failed, without its URL, which may hold a secret.
pub fn failure_reason(error: &reqwest::Error) -> String {
    let text = if error.is_timeout() { "it did not answer in time" } else { "the request failed" };
    with_sources(text.to_owned(), error)
}

/// Returns the message of an error, followed by those of its sources, which name the real cause.
pub fn with_sources(mut text: String, error: &(dyn Error + 'static)) -> String {
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        source = error.source();
    }
    text
}

/// Returns whether a URL leads to this machine.
pub fn is_loopback(url: &str) -> bool {
    let Ok(url) = reqwest::Url::parse(url) else { return false };
    match url.host_str().unwrap_or_default() {
        "localhost" | "[::1]" => true,
        host => host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback()),
    }
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn loopback_needs_no_proxy() {
        for (url, expected) in [
            ("http://127.0.0.1:80/mcp", true),
            ("http://localhost/mcp", true),
            ("https://[::1]:1/", true),
            ("https://127.0.0.1.example/", false),
            ("https://example/", false),
        ] {
            assert_eq!(is_loopback(url), expected, "{url}");
        }
    }
}
