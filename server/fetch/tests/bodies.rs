//! Answers: codings, encodings, types, and servers that do not keep to HTTP.

use std::io::Write;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Net, Reply, fetch, request, told};
use crate::{BodyContent, FetchAnswer, FetchError, FetchRequest};

/// Fifty million zeros in brotli.
const BROTLI_BOMB: &str = "cbffff3ff82700e2b14020f7fe8fffff7ff04f00c4611180eefd1fffffffe09f0088c30200ddfb3ffeffffc13f0110870\
                           500baf77ffcffff837f02200e0b0074effff20f5e0fff04401c1600e8a0eb01";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Returns the result of fetching this answer.
async fn answer(headers: &str, body: impl AsRef<[u8]>) -> Result<FetchAnswer, FetchError> {
    let (headers, body) = (headers.to_owned(), body.as_ref().to_vec());
    let net = Net::new(move |_| Reply::ok(&headers, &body)).await;
    fetch(&net, &request("http://public.test/")).await
}

fn text(fetched: &FetchAnswer) -> &str {
    match &fetched.content {
        BodyContent::Text(text) => text,
        BodyContent::Page { markdown, .. } => markdown,
        BodyContent::Empty => "(empty)",
        BodyContent::Binary => "(binary)",
    }
}

/// A content type, a body, and the text of it.
const TYPES: &[(&str, &[u8], &str)] = &[
    ("text/plain", b"a", "a"),
    ("text/plain; charset=utf-8", "grüße".as_bytes(), "grüße"),
    ("text/plain", b"\xef\xbb\xbfa", "a"),
    ("text/plain; charset=iso-8859-1", b"gr\xfc\xdfe \x80", "grüße €"),
    ("text/plain; charset=\"Shift_JIS\"", b"\x93\xfa\x96\x7b", "日本"),
    ("TEXT/PLAIN; CHARSET=UTF-16LE", b"a\0b\0", "ab"),
    ("text/plain", b"\xff\xfea\0", "a"),
    ("text/plain; charset=nonsense", "ü".as_bytes(), "ü"),
    ("text/plain; charset=", "ü".as_bytes(), "ü"),
    ("text/plain", b"gr\xfc\xdfe", "grüße"),
    ("text/plain; charset=utf-8", b"a\xffb\xc3", "a\u{fffd}b\u{fffd}"),
    ("text/plain; charset=utf-7", b"+ADw-b", "+ADw-b"),
    ("text/plain", b"a\0b", "(binary)"),
    ("text/plain", b"\x1b[31mred", "\u{1b}[31mred"),
    ("text/markdown", b"# a\n", "# a\n"),
    ("text/css", b"a{}", "a{}"),
    ("application/json", b"{\"a\": 1}", "{\"a\": 1}"),
    ("application/problem+json", b"{}", "{}"),
    ("application/atom+xml", b"<a/>", "<a/>"),
    ("image/svg+xml", b"<svg/>", "<svg/>"),
    ("application/xml", b"<a/>", "<a/>"),
    ("application/yaml", b"a: 1", "a: 1"),
    ("text/html", b"<p>a", "a"),
    ("Text/HTML ;charset=latin1", b"<p>\xfc", "ü"),
    ("application/xhtml+xml", b"<p>a</p>", "a"),
    ("text/html", b"<meta charset=koi8-r><p>\xd4\xc5\xd3\xd4", "тест"),
    ("text/html", b"<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=koi8-r'>\xd4", "т"),
    ("text/html; charset=utf-8", b"<meta charset=koi8-r>\xc3\xbc", "ü"),
    ("text/html", b"<meta charset=utf-16le><p>\xc3\xbc", "ü"),
    ("text/html", b"<!-- <meta charset=koi8-r> --><p>\xfc", "ü"),
    ("application/octet-stream", b"text", "(binary)"),
    ("application/pdf", b"%PDF-1.7", "(binary)"),
    ("application/zip", b"PK\x03\x04", "(binary)"),
    ("image/png", b"\x89PNG\r\n\x1a\n\0", "(binary)"),
    ("video/mp4", b"x", "(binary)"),
    ("text/html", b"\x89PNG\r\n\x1a\n\0", "(binary)"),
    ("application/json", b"\x7fELF\x02\x01\x01\0", "(binary)"),
    ("nonsense", b"a", "a"),
    ("/", b"a", "a"),
    ("", b"a", "a"),
    ("", b" <!DOCTYPE html><p>a", "a"),
    ("", b"<HTML><p>a", "a"),
    ("", b"\x7fELF\0", "(binary)"),
    ("text/plain", b"", "(empty)"),
];

#[tokio::test]
async fn a_body_is_what_its_type_and_its_bytes_say() {
    for (media, body, expected) in TYPES {
        let header = if media.is_empty() { String::new() } else { format!("Content-Type: {media}\r\n") };
        let fetched = answer(&header, body).await.unwrap();
        assert_eq!(text(&fetched), *expected, "{media} {:?}", String::from_utf8_lossy(body));
        assert_eq!(fetched.bytes, body.len());
        assert!(!fetched.truncated);
        assert_eq!(fetched.replaced, text(&fetched).contains('\u{fffd}'));
    }
}

#[tokio::test]
async fn codings_are_undone() {
    let plain = "text ".repeat(1000);
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
    zlib.write_all(plain.as_bytes()).unwrap();
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(plain.as_bytes()).unwrap();
    let zstd = compress_to_vec(plain.as_bytes(), CompressionLevel::Fastest);
    for (coding, body) in [
        ("gzip", gzip(plain.as_bytes())),
        ("GZIP", gzip(plain.as_bytes())),
        ("x-gzip", [gzip(&plain.as_bytes()[..2000]), gzip(&plain.as_bytes()[2000..])].concat()),
        ("deflate", zlib.finish().unwrap()),
        ("deflate", deflate.finish().unwrap()),
        ("zstd", zstd),
        ("identity", plain.clone().into_bytes()),
        ("", plain.clone().into_bytes()),
    ] {
        let fetched = answer(&format!("Content-Encoding: {coding}\r\n"), &body).await.unwrap();
        assert_eq!((text(&fetched), fetched.truncated), (plain.as_str(), false), "{coding}");
    }
    let fetched = answer("Content-Encoding: br\r\n", bytes("0b03806772c3bcc39f6503")).await.unwrap();
    assert_eq!(text(&fetched), "grüße");
}

#[tokio::test]
async fn a_coding_that_is_none_is_told() {
    let whole = gzip(b"text text text");
    for (coding, body, expected) in [
        ("gzip", b"no gzip".to_vec(), "gzip encoding cannot be read"),
        ("gzip", whole[..whole.len() - 9].to_vec(), "gzip encoding cannot be read"),
        ("br", b"\xff\xff\xff\xff".to_vec(), "br encoding cannot be read"),
        ("zstd", b"no zstd at all".to_vec(), "zstd encoding cannot be read"),
        // A window of two gigabytes.
        ("zstd", bytes("28b52ffd00a801000061"), "zstd encoding cannot be read"),
        ("deflate", b"\xff\xff".to_vec(), "deflate encoding cannot be read"),
        ("compress", b"x".to_vec(), "encoding \"compress\" is not one of"),
        ("gzip, gzip", gzip(&gzip(b"x")), "encoding \"gzip, gzip\" is not one of"),
    ] {
        let outcome = answer(&format!("Content-Encoding: {coding}\r\n"), body).await;
        assert!(told(&outcome).contains(expected), "{coding}: {}", told(&outcome));
    }
}

#[tokio::test]
async fn no_bomb_goes_off() {
    let zeros = vec![b'a'; 50_000_000];
    let gzipped = gzip(&zeros);
    let twice = gzip(&gzipped);
    assert!(twice.len() < 5000);
    for (coding, body) in [
        ("gzip", gzipped.clone()),
        ("br", bytes(BROTLI_BOMB)),
        ("zstd", compress_to_vec(zeros.as_slice(), CompressionLevel::Fastest)),
    ] {
        let began = Instant::now();
        let fetched = answer(&format!("Content-Encoding: {coding}\r\n"), body).await.unwrap();
        assert_eq!((fetched.bytes, fetched.truncated), (5_000_000, true), "{coding}");
        assert!(began.elapsed() < Duration::from_secs(60), "{coding}: {:?}", began.elapsed());
    }
}

#[tokio::test]
async fn a_body_is_cut_where_it_was_wanted() {
    let net = Net::new(|path| match path {
        "/umlauts" => Reply::ok("Content-Type: text/plain\r\n", "ü".repeat(1000)),
        "/page" => Reply::ok("Content-Type: text/html\r\n", format!("<p>{}", "word ".repeat(1000))),
        "/gzip" => Reply::ok("Content-Encoding: gzip\r\n", gzip("text ".repeat(1000).as_bytes())),
        _ => {
            let head = "HTTP/1.1 200 X\r\nContent-Type: text/plain\r\n\r\n";
            Reply::Endless(head.into(), vec![b'a'; 10_000])
        }
    })
    .await;
    for (path, bytes, length) in [
        ("/umlauts", 101, 100),
        ("/umlauts", 2000, 2000),
        ("/page", 50, 47),
        ("/gzip", 77, 77),
        ("/endless", 300_000, 300_000),
        ("/endless", 1, 1),
    ] {
        let request = FetchRequest { max_bytes: bytes, ..request(&format!("http://public.test{path}")) };
        let fetched = fetch(&net, &request).await.unwrap();
        assert_eq!((fetched.bytes, text(&fetched).len()), (bytes, length), "{path}");
        assert_eq!(fetched.truncated, (path, bytes) != ("/umlauts", 2000), "{path}");
        assert!(!fetched.replaced, "{path}");
    }
}

/// Each server's answer, and a part of the outcome.
const SERVERS: &[(&str, &str)] = &[
    ("HTTP/1.1 204 No Content\r\n\r\n", "204"),
    ("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", "304"),
    ("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", "404"),
    ("HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n", "500"),
    ("HTTP/1.0 200 OK\r\n\r\nbody", "200"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabcdef", "200"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nabc", "breaks off"),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc", "breaks off"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc", "breaks off"),
    ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc", "breaks off"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "breaks off"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nabc", "breaks off"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "breaks off"),
    ("HTTP/1.1 200 OK\r\nbroken", "breaks off"),
    ("HTTP/1.1 200 OK\r\nA B: c\r\n\r\n", "breaks off"),
    ("HTTP/1.1 999999 OK\r\n\r\n", "breaks off"),
    ("HTTP/2.0 200 OK\r\n\r\n", "breaks off"),
    ("SSH-2.0-OpenSSH_9.6\r\n", "breaks off"),
    ("+OK redis\r\n", "breaks off"),
    ("", "breaks off"),
    ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "200"),
    ("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "101"),
];

#[tokio::test]
async fn a_server_that_keeps_to_nothing_is_told() {
    for (sent, expected) in SERVERS {
        let net = Net::new(move |_| Reply::Whole(sent.as_bytes().to_vec())).await;
        let request = FetchRequest { timeout: Duration::from_secs(5), ..request("http://public.test/") };
        let outcome = fetch(&net, &request).await;
        assert!(told(&outcome).contains(expected), "{sent:?}: {}", told(&outcome));
    }
}

#[tokio::test]
async fn a_flood_of_headers_ends_the_fetch() {
    for head in [
        (0..200).map(|at| format!("X-{at}: a\r\n")).collect::<String>(),
        format!("X-A: {}\r\n", "a".repeat(200_000)),
        format!("X-{}: a\r\n", "A".repeat(200_000)),
        format!("Location: /{}\r\n", "a".repeat(200_000)),
    ] {
        let net = Net::new(move |_| Reply::ok(&head, "x")).await;
        let told = told(&fetch(&net, &request("http://public.test/")).await);
        assert!(told.contains("breaks off or sends no HTTP"), "{told}");
    }
    let net =
        Net::new(|_| Reply::Endless(b"HTTP/1.1 200 OK\r\n".into(), b"X-A: bbbbbbbbbbbb\r\n".into())).await;
    let told = told(&fetch(&net, &request("http://public.test/")).await);
    assert!(told.contains("breaks off or sends no HTTP"), "{told}");
}

#[tokio::test]
async fn a_slow_server_is_left() {
    let whole = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n";
    let pause = Duration::from_millis(20);
    for (name, reply) in [
        (
            "drip",
            (|| Reply::Drip(b"HTTP/1.1 200 OK\r\nX: ".into(), Duration::from_millis(20))) as fn() -> Reply,
        ),
        ("silence", || Reply::Silence),
        ("continues", || Reply::Endless(Vec::new(), b"HTTP/1.1 100 Continue\r\n\r\n".into())),
    ] {
        let net = Net::new(move |_| reply()).await;
        late(name, &net).await;
    }
    let net = Net::new(move |_| Reply::Drip(whole.into(), pause)).await;
    late("a dripping body", &net).await;
    let net = Net::new(|path| match path {
        "/" => Reply::redirect("/on"),
        _ => Reply::Silence,
    })
    .await;
    late("behind a redirect", &net).await;
}

async fn late(name: &str, net: &Net) {
    let request = FetchRequest { timeout: Duration::from_millis(400), ..request("http://public.test/") };
    let began = Instant::now();
    let outcome = fetch(net, &request).await;
    assert_eq!(told(&outcome), "no whole answer within 0.4 s", "{name}");
    assert!(began.elapsed() < Duration::from_secs(30), "{name}: {:?}", began.elapsed());
}
