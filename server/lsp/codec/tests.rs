//! Frames, good and broken.

use super::*;

/// The results of a stream: bodies as they are, `!` for broken ones. Bodies that are no JSON are rejected.
async fn frames(input: impl AsyncRead + Unpin) -> Vec<String> {
    let mut frames = FrameReader::new(input);
    let mut out = Vec::new();
    while let Some(frame) = frames.next_frame().await.unwrap() {
        match frame {
            LspFrame::Broken { .. } => out.push("!".to_owned()),
            LspFrame::Body => {
                let body = frames.last_body();
                match serde_json::from_slice::<serde_json::Value>(body) {
                    Ok(_) => out.push(String::from_utf8(body.to_vec()).unwrap()),
                    Err(_) => {
                        out.push("!json".to_owned());
                        frames.reject_body();
                    }
                }
            }
        }
    }
    out
}

/// A reader that gives a byte at a time.
struct Trickle<'a>(&'a [u8]);

impl AsyncRead for Trickle<'_> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        buffer: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        if let Some((first, rest)) = self.0.split_first() {
            buffer.put_slice(&[*first]);
            self.0 = rest;
        }
        std::task::Poll::Ready(Ok(()))
    }
}

/// Checks a stream in one piece and byte by byte.
async fn check(input: impl AsRef<[u8]>, expected: &[&str]) {
    let input = input.as_ref();
    let name = String::from_utf8_lossy(input);
    assert_eq!(frames(input).await, expected, "{name}");
    assert_eq!(frames(Trickle(input)).await, expected, "byte by byte: {name}");
}

const NEXT: &str = "Content-Length: 4\r\n\r\ntrue";

#[tokio::test]
async fn good_frames() {
    check(format!("{NEXT}{NEXT}"), &["true", "true"]).await;
    check("content-LENGTH:2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}", &["{}"])
        .await;
    check("Content-Type: x\r\nX-Other: y\r\nContent-Length: 2\r\n\r\n{}", &["{}"]).await;
    check("\r\n\nContent-Length: 2\n\n{}\n", &["{}"]).await;
    check("Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", &["{}"]).await;
    check(
        "Content-Length: 31\r\n\r\n\"Content-Length: 4\\r\\n\\r\\ntrue\"",
        &["\"Content-Length: 4\\r\\n\\r\\ntrue\""],
    )
    .await;
    check("", &[]).await;
}

#[tokio::test]
async fn after_anything_the_next_frame_is_read() {
    for (bad, told) in [
        ("junk", "!"),
        ("\u{feff}", "!"),
        ("Content-Le", "!"),
        ("{\"jsonrpc\":\"2.0\"}\r\n", "!"),
        ("Content-Length: x\r\n\r\n{}", "!"),
        ("Content-Length: -2\r\n\r\n{}", "!"),
        ("Content-Length: +2\r\n\r\n{}", "!"),
        ("Content-Length: 2.0\r\n\r\n{}", "!"),
        ("Content-Length:\r\n\r\n{}", "!"),
        ("Content-Type: x\r\n\r\n{}", "!"),
        ("Content-Length: 2\r\nno colon\r\n\r\n{}", "!"),
        ("Content-Length: 107374182400\r\n\r\n", "!"),
        ("Content-Length: 107374182400\r\n\r\n{\"a\":[1,2", "!"),
        ("Content-Length: 99999999999999999999999999\r\n\r\n{}", "!"),
        ("Content-Length: 1000\r\n\r\n", "!"),
        ("Content-Length: 1000\r\n\r\n{}", "!"),
        ("Content-Length: 20\r\n", "!"),
        ("Content-Length: 20", "!"),
        ("Content-Length: 0\r\n\r\n", "!json"),
        ("Content-Length: 12\r\n\r\n{}", "!json"),
        ("Content-Length: 5\r\n\r\n{\"a\":true}", "!json"),
        ("Content-Length: 1\r\n\r\n{}", "!json"),
        ("Content-Length: 3\r\n\r\nnil", "!json"),
    ] {
        check(format!("{bad}{NEXT}"), &[told, "true"]).await;
        check(format!("{NEXT}{bad}{NEXT}{NEXT}"), &["true", told, "true", "true"]).await;
    }
    check([b"Content-Length: 3\r\n\r\n\"\xe2\x82".as_slice(), NEXT.as_bytes()].concat(), &["!json", "true"])
        .await;
    check([[0xff; 40].as_slice(), NEXT.as_bytes()].concat(), &["!", "true"]).await;
}

#[tokio::test]
async fn an_unfinished_end_is_told() {
    check("Content-Length: 20\r\n\r\n{}", &["!"]).await;
    check("Content-Le", &["!"]).await;
    check("Content-Length: 4\r\n\r\ntrue\r\n", &["true"]).await;
}

#[tokio::test]
async fn a_claim_allocates_nothing() {
    let mut frames = FrameReader::new(b"Content-Length: 67108864\r\n\r\n{".as_slice());
    assert!(matches!(frames.next_frame().await.unwrap(), Some(LspFrame::Broken { .. })));
    assert!(frames.buffer.capacity() < 4 << 20);
    let flood = vec![b'C'; 8 << 20];
    let mut frames = FrameReader::new(flood.as_slice());
    while frames.next_frame().await.unwrap().is_some() {}
    assert!(frames.buffer.capacity() < 4 << 20);
}

#[tokio::test]
async fn a_message_that_is_too_long_is_reported_by_its_id() {
    let long = |id: &str| {
        let text = "x".repeat(usize::try_from(BODY_LIMIT).unwrap());
        let body = match id.starts_with('"') {
            true => format!("{{\"method\":\"m\",\"params\":\"{text} Content-Length: 4\",\"id\":{id}}}"),
            false => format!("{{\"id\":{id},\"method\":\"m\",\"params\":\"{text}\"}}"),
        };
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    };
    let input = format!("{}{NEXT}{}{NEXT}", long("7"), long("\"last\""));
    let mut frames = FrameReader::new(input.as_bytes());
    for id in [serde_json::json!(7), serde_json::json!("last")] {
        let Some(LspFrame::Broken { id: found, .. }) = frames.next_frame().await.unwrap() else {
            panic!("{id}")
        };
        assert_eq!(found, Some(id));
        assert!(matches!(frames.next_frame().await.unwrap(), Some(LspFrame::Body)));
        assert_eq!(frames.last_body(), b"true");
    }
    assert!(frames.buffer.capacity() < 4 << 20);
}

#[tokio::test]
async fn a_claim_with_nothing_behind_it_is_reported() {
    let (mut ours, theirs) = tokio::io::duplex(1 << 10);
    let mut frames = FrameReader::new(theirs);
    tokio::io::AsyncWriteExt::write_all(&mut ours, b"Content-Length: 99999999999\r\n\r\n{}").await.unwrap();
    assert!(matches!(frames.next_frame().await.unwrap(), Some(LspFrame::Broken { id: None, .. })));
    tokio::io::AsyncWriteExt::write_all(&mut ours, NEXT.as_bytes()).await.unwrap();
    assert!(matches!(frames.next_frame().await.unwrap(), Some(LspFrame::Body)));
}
