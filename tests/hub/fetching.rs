//! fetch: which hosts a person is asked about, and what an agent reads.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wherefore::protocol::{Code, Envelope, Status};

use crate::support::Bench;

/// A server that redirects `/away` to `localhost`, and answers a page to everything else; its port.
async fn served() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let answer = match head.starts_with(b"GET /away ") {
                true => format!(
                    "302 Found\r\nLocation: http://localhost:{port}/page\r\nContent-Length: 0\r\n\r\n"
                ),
                false => {
                    let page = "<title>T</title><h1>Hello</h1><p>a <b>page</b></p>";
                    format!(
                        "200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{page}",
                        page.len()
                    )
                }
            };
            stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).await.unwrap();
        }
    });
    port
}

/// A workspace whose person opened both names of a server, and answers yes.
fn opened(port: u16) -> Bench {
    let bench = Bench::new(&[]);
    let local = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    bench.hub.settings_changed(Some(json!({ "fetch": { "local": local } })));
    bench.will_answer(Some("Allow"));
    bench
}

async fn fetch(bench: &Bench, url: &str) -> Envelope {
    bench.call("fetch", json!({ "url": url }), None).await
}

fn denied(answer: &Envelope) -> &str {
    let fault = answer.error.as_ref().unwrap();
    assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
    &fault.message
}

#[tokio::test]
async fn a_page_reads_as_markdown_and_its_host_is_asked_for_once() {
    let port = served().await;
    let bench = opened(port);
    let url = format!("http://127.0.0.1:{port}/");
    let answer = fetch(&bench, &url).await;
    assert_eq!(answer.error, None);
    let expected = json!({
        "url": url, "status": 200, "format": "markdown", "bytes": 50, "type": "text/html", "charset": "UTF-8",
        "headers": { "content-length": "50" }, "title": "T", "content": "# Hello\n\na **page**",
    });
    assert_eq!(answer.result.as_deref(), Some(&expected));
    // Nobody answers yes any more, and nobody is asked.
    bench.will_answer(Some("Deny"));
    assert_eq!(fetch(&bench, &url).await.status, Status::Ok);
    let alias = bench.call("download_url", json!({ "url": url }), None).await;
    assert_eq!(alias.status, Status::Ok);
    let other = fetch(&bench, &format!("http://localhost:{port}/")).await;
    assert_eq!(
        denied(&other),
        "asked-network (what is sent leaves this machine) asks first, and the person said no"
    );
    assert_eq!(bench.log().matches("\"rule\":\"asked-network").count(), 2, "{}", bench.log());
}

#[tokio::test]
async fn a_redirect_asks_for_its_host() {
    let port = served().await;
    let bench = opened(port);
    let away = format!("http://127.0.0.1:{port}/away");
    assert_eq!(fetch(&bench, &format!("http://127.0.0.1:{port}/")).await.status, Status::Ok);
    bench.will_answer(Some("Deny"));
    let answer = fetch(&bench, &away).await;
    assert!(denied(&answer).ends_with("and the person said no"), "{answer:?}");
    bench.will_answer(Some("Allow"));
    let answer = fetch(&bench, &away).await;
    let value = answer.result.unwrap();
    assert_eq!(value["redirects"], json!([away]));
    assert_eq!(value["url"], json!(format!("http://localhost:{port}/page")));
    bench.will_answer(None);
    assert_eq!(fetch(&bench, &away).await.status, Status::Ok);
}

#[tokio::test]
async fn what_cannot_be_fetched_is_a_fault_with_a_way_out() {
    let bench = Bench::new(&[]);
    bench.will_answer(Some("Allow"));
    for (url, code, part) in [
        ("http://127.0.0.1/", Code::PermissionDenied, "127.0.0.1 is an address of this machine"),
        ("http://2852039166/latest/", Code::PermissionDenied, "169.254.169.254 is a link-local"),
        ("http://[::ffff:10.0.0.1]/", Code::PermissionDenied, "IPv4-mapped"),
        ("http://127.0.0.1:22/", Code::InvalidArgs, "port 22"),
    ] {
        let fault = fetch(&bench, url).await.error.unwrap();
        assert_eq!(fault.code, code, "{url}: {}", fault.message);
        assert!(fault.message.contains(part) && fault.suggestion.is_some(), "{url}: {}", fault.message);
    }
    // A text that is no URL leads to no question.
    bench.will_answer(None);
    for url in ["file:///etc/passwd", "http://me:pw@host.test/", "nonsense", "http://a b/"] {
        assert_eq!(fetch(&bench, url).await.error.unwrap().code, Code::InvalidArgs, "{url}");
    }
    assert_eq!(bench.log().matches("\"rule\":\"asked-network").count(), 3, "{}", bench.log());
}

#[tokio::test]
async fn a_project_opens_no_server_of_this_machine() {
    let port = served().await;
    let settings = format!("[fetch]\nlocal = [\"127.0.0.1:{port}\"]\n");
    let bench = Bench::new(&[(".wherefore/config.toml", &settings)]);
    bench.will_answer(Some("Allow"));
    let fault = fetch(&bench, &format!("http://127.0.0.1:{port}/")).await.error.unwrap();
    assert!(fault.message.contains("the port"), "{}", fault.message);
    bench
        .hub
        .settings_changed(Some(json!({ "fetch": { "local": ["127.0.0.1", format!("127.0.0.1:{port}")] } })));
    let answer = fetch(&bench, &format!("http://127.0.0.1:{port}/")).await;
    assert_eq!(answer.result.map(|value| value["status"].clone()), Some(Value::from(200)));
}
