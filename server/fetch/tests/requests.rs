//! Requests that are sent.

use std::time::Duration;

use super::{Net, Reply, fetch, request, told};
use crate::FetchRequest;

/// A header, and a part of the error; nothing if it is sent.
const HEADERS: &[(&str, &str, &str)] = &[
    ("X-Thing", "value", ""),
    ("Accept", "application/json", ""),
    ("Range", "bytes=0-9", ""),
    ("X-Tab", "a\tb", ""),
    ("Host", "internal", "may not be set"),
    ("host", "internal", "may not be set"),
    ("Content-Length", "5", "may not be set"),
    ("Transfer-Encoding", "chunked", "may not be set"),
    ("Connection", "upgrade", "may not be set"),
    ("Upgrade", "h2c", "may not be set"),
    ("Expect", "100-continue", "may not be set"),
    ("TE", "trailers", "may not be set"),
    ("Trailer", "x", "may not be set"),
    ("Keep-Alive", "1", "may not be set"),
    ("Proxy-Authorization", "x", "may not be set"),
    ("Proxy-Connection", "x", "may not be set"),
    ("Sec-Fetch-Site", "none", "may not be set"),
    ("Accept-Encoding", "gzip", "may not be set"),
    ("X-HTTP-Method-Override", "DELETE", "may not be set"),
    ("X-A", "b\r\nHost: evil", "cannot be sent"),
    ("X-A", "b\nc", "cannot be sent"),
    ("X-A", "b\0", "cannot be sent"),
    ("X-A", "ü", "cannot be sent"),
    ("X-A\r\nX-B", "c", "no name of a header"),
    ("X A", "c", "no name of a header"),
    ("X:A", "c", "no name of a header"),
    ("", "c", "no name of a header"),
];

#[tokio::test]
async fn headers_are_sent_or_refused_before_anything_is() {
    for (name, value, expected) in HEADERS {
        let net = Net::new(|_| Reply::ok("", "x")).await;
        let headers = vec![((*name).to_owned(), (*value).to_owned())];
        let outcome = fetch(&net, &FetchRequest { headers, ..request("http://public.test/") }).await;
        let requests = net.requests();
        if expected.is_empty() {
            let line = format!("{}: {value}\r\n", name.to_ascii_lowercase());
            assert!(requests[0].contains(&line), "{name}: {}", requests[0]);
        } else {
            assert!(told(&outcome).contains(expected), "{name}: {}", told(&outcome));
            assert!(requests.is_empty() && net.looked_up.lock().unwrap().is_empty(), "{name}");
        }
    }
}

#[tokio::test]
async fn headers_are_bounded() {
    let net = Net::new(|_| Reply::ok("", "x")).await;
    let many: Vec<_> = (0..33).map(|at| (format!("x-{at}"), String::new())).collect();
    let large = vec![("x".to_owned(), "a".repeat(20_000))];
    for headers in [many, large] {
        let outcome = fetch(&net, &FetchRequest { headers, ..request("http://public.test/") }).await;
        assert!(told(&outcome).contains("more than 32 headers"), "{}", told(&outcome));
    }
}

#[tokio::test]
async fn a_request_asks_for_the_path_of_its_host() {
    let net = Net::new(|_| Reply::ok("", "x")).await;
    for (url, line, host) in [
        ("http://public.test", "GET / HTTP/1.1", "public.test"),
        ("http://public.test:80/a?b=c#d", "GET /a?b=c HTTP/1.1", "public.test"),
        ("http://public.test:8080/a/../b", "GET /b HTTP/1.1", "public.test:8080"),
        ("http://PUBLIC.test/%7Eü?x=ä", "GET /%7E%C3%BC?x=%C3%A4 HTTP/1.1", "public.test"),
        ("http://public.test./x", "GET /x HTTP/1.1", "public.test"),
        ("http://93.184.216.34/", "GET / HTTP/1.1", "93.184.216.34"),
        ("http://public.test/a\"<>{}|^`b", "GET /a%22%3C%3E", "public.test"),
    ] {
        fetch(&net, &request(url)).await.unwrap();
        let sent = net.requests().pop().unwrap();
        assert!(sent.starts_with(line), "{url}: {sent}");
        assert!(sent.contains(&format!("host: {host}\r\n")), "{url}: {sent}");
    }
}

#[tokio::test]
async fn a_head_is_enough_where_no_more_is_wanted() {
    let net = Net::new(|_| {
        Reply::Whole(
            b"HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\nContent-Type: video/mp4\r\n\r\n".into(),
        )
    })
    .await;
    let fetched =
        fetch(&net, &FetchRequest { head_only: true, ..request("http://public.test/") }).await.unwrap();
    assert!(net.requests()[0].starts_with("HEAD / HTTP/1.1\r\n"));
    assert_eq!((fetched.bytes, fetched.truncated, fetched.content), (0, false, crate::BodyContent::Empty));
    assert!(fetched.headers.contains(&("content-length".to_owned(), "9000000000".to_owned())));
}

#[tokio::test]
async fn no_plain_server_passes_for_an_encrypted_one() {
    let net = Net::new(|_| Reply::ok("", "x")).await;
    let request = FetchRequest { timeout: Duration::from_secs(3), ..request("https://public.test/") };
    let told = told(&fetch(&net, &request).await);
    assert!(
        told.contains("no encrypted connection to public.test") || told.contains("no whole answer"),
        "{told}"
    );
    assert!(net.requests().is_empty());
}
