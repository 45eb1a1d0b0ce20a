//! `[telemetry]`: the program exports its calls before it ends, and ends in time without a collector.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::agent::{place, wherefore};

/// A collector that takes everything, and hands on what was posted to it.
fn collector() -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (send, posts) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream: TcpStream = stream.unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
            let mut post = Vec::new();
            // The end of a request is not looked for: what came by then is all of it.
            let _ = stream.read_to_end(&mut post);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            if send.send(post).is_err() {
                return;
            }
        }
    });
    (url, posts)
}

fn set(folder: &Path, settings: &str) {
    let config = folder.join("home/.config/wherefore");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), settings).unwrap();
}

const READ: [&str; 3] =
    ["call", "fs.read", r#"{"path": "a.txt", "why": "Learn the numbers before one is changed"}"#];

#[test]
fn a_call_of_the_command_line_is_exported_before_it_ends() {
    let place = place();
    let folder = place.path();
    let (url, posts) = collector();
    set(folder, &format!("[telemetry]\nendpoint = \"{url}\"\n"));
    assert!(wherefore(folder, &READ).output().unwrap().status.success());
    let post = posts.recv_timeout(Duration::from_secs(10)).unwrap();
    let text = String::from_utf8_lossy(&post);
    for part in ["POST /v1/traces", "execute_tool fs.read", "gen_ai.operation.name", "Learn the numbers"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("a.txt") && !text.contains("one\ntwo"), "{text}");
}

#[test]
fn a_project_cannot_export_and_a_dead_collector_holds_nothing_up() {
    let place = place();
    let folder = place.path();
    let (url, posts) = collector();
    std::fs::create_dir(folder.join("work/.wherefore")).unwrap();
    let of_project = format!("[telemetry]\nendpoint = \"{url}\"\n");
    std::fs::write(folder.join("work/.wherefore/config.toml"), of_project).unwrap();
    assert!(wherefore(folder, &READ).output().unwrap().status.success());
    assert!(posts.recv_timeout(Duration::from_millis(500)).is_err(), "a project's endpoint is not heard");
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    set(folder, &format!("[telemetry]\nendpoint = \"http://{dead}\"\n"));
    let since = Instant::now();
    assert!(wherefore(folder, &READ).output().unwrap().status.success());
    assert!(since.elapsed() < Duration::from_secs(15), "{:?}", since.elapsed());
}
