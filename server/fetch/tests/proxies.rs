//! The proxy: named hosts are reached, at public addresses alone, and nothing else.

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{Net, Reply};
use crate::{HostList, HostProxy};

/// A client's request, and a part of the answer that it gets.
const ASKED: &[(&str, &str)] = &[
    ("GET http://public.test/a?b=c HTTP/1.1\r\nHost: evil.test\r\n\r\n", "200 X"),
    ("GET http://public.test:80/a HTTP/1.0\r\n\r\n", "200 X"),
    ("GET http://PUBLIC.test./a HTTP/1.1\r\n\r\n", "200 X"),
    ("CONNECT public.test:443 HTTP/1.1\r\n\r\nGET /in HTTP/1.1\r\n\r\n", "200 Connection established"),
    ("CONNECT a.other.test:443 HTTP/1.1\r\n\r\nGET /in HTTP/1.1\r\n\r\n", "200 Connection established"),
    ("CONNECT local.test:5432 HTTP/1.1\r\n\r\nGET /in HTTP/1.1\r\n\r\n", "200 Connection established"),
    ("CONNECT other.test:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT evilpublic.test:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT public.test.evil.test:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT public.test:22 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT public.test:8080 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT local.test:5433 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT private.other.test:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT metadata.test:80 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT mixed.other.test:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT 93.184.216.34:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT 2130706433:80 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT [::1]:80 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\n\r\n", "403 Forbidden"),
    ("CONNECT missing.other.test:443 HTTP/1.1\r\n\r\n", "502 Bad Gateway"),
    ("CONNECT public.test@evil.test:443 HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("CONNECT public.test:443/evil.test HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("CONNECT public.test:99999 HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("GET http://user:pw@public.test/ HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("GET https://public.test/ HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("GET /a HTTP/1.1\r\nHost: public.test\r\n\r\n", "400 Bad Request"),
    ("GET ftp://public.test/ HTTP/1.1\r\n\r\n", "400 Bad Request"),
    ("\x16\x03\x01 hello\r\n\r\n", "400 Bad Request"),
];

async fn asked(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn named_hosts_alone_are_reached() {
    let net = Net::new(|_| Reply::ok("", "body")).await;
    let net = net
        .name("a.other.test", &["93.184.216.35"])
        .name("private.other.test", &["10.0.0.7"])
        .name("mixed.other.test", &["93.184.216.35 127.0.0.1"])
        .name("local.test", &["127.0.0.1"])
        .name("metadata.test", &["169.254.169.254"]);
    let net: &'static Net = Box::leak(Box::new(net));
    let hosts = ["public.test", ".other.test", "local.test:5432", "metadata.test:80"];
    let proxy = Arc::new(HostProxy::on_network(HostList::parse(hosts).unwrap(), net));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(proxy.clone().serve(listener));
    for (request, expected) in ASKED {
        let answer = asked(port, request).await;
        assert!(answer.lines().next().unwrap_or("").contains(expected), "{request:?}: {answer}");
        assert!(!request.contains("/in") || answer.ends_with("body"), "{request:?}: {answer}");
    }
    let heard = net.requests();
    assert!(
        heard[0].starts_with("GET /a?b=c HTTP/1.1\r\nHost: public.test\r\nConnection: close"),
        "{heard:?}"
    );
    assert!(proxy.refused_hosts().contains(&"other.test:443".to_owned()), "{:?}", proxy.refused_hosts());
    serving.abort();
}

#[test]
fn an_entry_is_a_host_with_or_without_a_port() {
    for well in ["crates.io", ".npmjs.org", "localhost:5432", "[::1]:80", "::1", "1.2.3.4", "Bücher.example"]
    {
        assert!(HostList::parse([well]).is_ok() || well == "::1", "{well}");
    }
    for wrong in [
        "",
        "*",
        "*.npmjs.org",
        "https://crates.io",
        "a b",
        "crates.io/path",
        "host:",
        "host:0",
        "host:x",
        ":80",
    ] {
        assert!(HostList::parse([wrong]).is_err(), "{wrong}");
    }
}
