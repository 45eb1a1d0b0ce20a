//! Servers that a background command starts: reached by later commands and by the person, until they end.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::commands::{repository, result};
use crate::support::Bench;

const SERVER: &str = "import http.server, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'served ' + self.path.encode())
    def log_message(self, *args): pass
http.server.HTTPServer.address_family = socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET
http.server.HTTPServer((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()
";

/// A port of this machine that nobody listens on.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts the server in the background, and waits until its port is known.
async fn start(bench: &Bench, address: &str, port: u16) -> (String, Value) {
    bench.write("server.py", SERVER);
    let cmd = ["python3", "-u", "server.py", address, &port.to_string()];
    let arguments = json!({ "cmd": cmd, "background": true, "timeout_ms": 60_000 });
    let started = result(bench.call("terminal.run", arguments, None).await);
    let id = started["id"].as_str().unwrap().to_owned();
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let listed = result(bench.call("process.list", json!({}), None).await);
        let own = listed.as_array().unwrap().iter().find(|process| process["id"] == json!(id)).unwrap();
        if own["ports"].is_array() {
            return (id, own["ports"].clone());
        }
        assert!(own["running"] == true && Instant::now() < until, "{listed}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn fetch(bench: &Bench, port: u16) -> Value {
    let line = format!(
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"http://localhost:{port}/x\", timeout=5).read().decode())'"
    );
    result(bench.call("terminal.run", json!({ "line": line }), None).await)
}

fn ask_as_person(url: &str) -> Option<String> {
    let mut stream = TcpStream::connect(url.strip_prefix("http://")?).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).ok()?;
    stream.write_all(b"GET /y HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_in_the_background_is_reached_until_it_ends() {
    let bench = repository(&[("a.txt", "a\n")]);
    let host = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free_port();
    let (id, ports) = start(&bench, "127.0.0.1", port).await;
    let url = ports[0]["url"].as_str().unwrap().to_owned();
    assert_eq!((&ports[0]["port"], ports.as_array().unwrap().len()), (&json!(port), 1));
    assert!(url.starts_with("http://127.0.0.1:"), "{ports}");
    let answer = fetch(&bench, port).await;
    assert_eq!(answer["stdout"], "served /x\n", "{answer}");
    assert!(ask_as_person(&url).is_some_and(|answer| answer.ends_with("served /y")), "{url}");
    // The network that they share leads nowhere else.
    let other = fetch(&bench, host.local_addr().unwrap().port()).await;
    assert!(other["exit_code"] == json!(1) && other["stderr"].to_string().contains("refused"), "{other}");
    let ended = result(bench.call("terminal.kill", json!({ "id": id }), None).await);
    assert_eq!(ended["running"], false, "{ended}");
    let until = Instant::now() + Duration::from_secs(10);
    while ask_as_person(&url).is_some() {
        assert!(Instant::now() < until, "the port is still open");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(fetch(&bench, port).await["exit_code"], 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_port_is_forwarded_past_services_and_only_where_the_settings_say_so() {
    let bench = repository(&[("a.txt", "a\n")]);
    let (_, ports) = start(&bench, "::1", 6379).await;
    let url = ports[0]["url"].as_str().unwrap().to_owned();
    assert_eq!(ports[0]["port"], json!(6379));
    assert!(!url.ends_with(":6379"), "what the person's programs expect there is no command's: {url}");
    assert!(ask_as_person(&url).is_some_and(|answer| answer.ends_with("served /y")), "{url}");
    bench.hub.settings_changed(Some(json!({ "sandbox": { "ports": "off" } })));
    let port = free_port();
    let (_, ports) = start(&bench, "127.0.0.1", port).await;
    assert_eq!(ports, json!([{ "port": port }]));
    assert_eq!(fetch(&bench, port).await["stdout"], "served /x\n");
}
