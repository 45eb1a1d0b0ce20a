//! A network for tests: names lead to public addresses, and those to servers on loopback. The policy is the real one.

mod addresses;
mod bodies;
mod hosts;
mod pages;
mod proxies;
mod redirects;
mod requests;
mod urls;

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{FetchAnswer, FetchError, FetchRequest, HostPermits, HttpFetcher, NetworkConnector, ReachGate};

/// The address that `public.test` pretends to have, and `other.test`, one further.
const PUBLIC: [u8; 4] = [93, 184, 216, 34];

/// The answer of a server to a request.
enum Reply {
    /// Sends this and closes.
    Whole(Vec<u8>),
    /// Sends the first, then the second until the connection ends.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends the first, then a byte at a time.
    Drip(Vec<u8>, Duration),
    /// Sends nothing.
    Silence,
}

impl Reply {
    fn ok(headers: &str, body: impl AsRef<[u8]>) -> Self {
        Self::with(200, headers, body)
    }

    fn with(status: u16, headers: &str, body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut reply =
            format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n{headers}\r\n", body.len()).into_bytes();
        reply.extend_from_slice(body);
        Self::Whole(reply)
    }

    fn redirect(to: &str) -> Self {
        Self::with(302, &format!("Location: {to}\r\n"), "")
    }
}

type Answers = dyn Fn(&str) -> Reply + Send + Sync;

/// A network with one server behind every public address.
struct Net {
    server: SocketAddr,
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    /// Every request that the server read.
    requests: Arc<Mutex<Vec<String>>>,
    looked_up: Mutex<Vec<String>>,
    connected: Mutex<Vec<SocketAddr>>,
}

impl Net {
    /// A network whose server answers the path of a request.
    async fn new(answers: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        let requests = Arc::default();
        tokio::spawn(serve(listener, Arc::new(answers), Arc::clone(&requests)));
        let [a, b, c, d] = PUBLIC;
        let net = Self {
            server,
            names: HashMap::new(),
            requests,
            looked_up: Mutex::default(),
            connected: Mutex::default(),
        };
        net.name("public.test", &[&format!("{a}.{b}.{c}.{d}")])
            .name("other.test", &[&format!("{a}.{b}.{c}.{}", d + 1)])
    }

    /// Gives a name its addresses: one text an answer, the last for all further ones.
    fn name(mut self, host: &str, answers: &[&str]) -> Self {
        let read = |text: &&str| text.split_whitespace().map(|one| one.parse().unwrap()).collect();
        self.names.insert(host.to_owned(), answers.iter().map(read).collect());
        self
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl NetworkConnector for &Net {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let mut looked_up = self.looked_up.lock().unwrap();
        let before = looked_up.iter().filter(|name| *name == host).count();
        looked_up.push(host.to_owned());
        let answers = self.names.get(host).ok_or_else(|| io::Error::other("no such host"))?;
        Ok(answers[before.min(answers.len() - 1)].clone())
    }

    async fn connect(&self, address: SocketAddr) -> io::Result<TcpStream> {
        self.connected.lock().unwrap().push(address);
        // A permit's server is the one of this test.
        if address.ip().is_loopback() || address.ip().to_string().starts_with("93.184.216.") {
            return TcpStream::connect(self.server).await;
        }
        Err(io::ErrorKind::ConnectionRefused.into())
    }
}

async fn serve(listener: TcpListener, answers: Arc<Answers>, requests: Arc<Mutex<Vec<String>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, answers.clone(), requests.clone()));
    }
}

async fn answer(mut stream: TcpStream, answers: Arc<Answers>, requests: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    requests.lock().unwrap().push(head);
    // The client may be gone.
    drop(reply(&mut stream, answers(&path)).await);
}

async fn reply(stream: &mut TcpStream, reply: Reply) -> io::Result<()> {
    match reply {
        Reply::Whole(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await
        }
        Reply::Endless(head, chunk) => {
            stream.write_all(&head).await?;
            loop {
                stream.write_all(&chunk).await?;
            }
        }
        Reply::Drip(head, pause) => {
            stream.write_all(&head).await?;
            loop {
                tokio::time::sleep(pause).await;
                stream.write_all(b"x").await?;
            }
        }
        Reply::Silence => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(())
        }
    }
}

/// A person who allows every host but those that are named.
#[derive(Default)]
struct Person {
    no: Vec<&'static str>,
    asked: Mutex<Vec<String>>,
}

impl ReachGate for Person {
    async fn may_reach(&self, host: &str) -> bool {
        self.asked.lock().unwrap().push(host.to_owned());
        !self.no.contains(&host)
    }
}

fn request(url: &str) -> FetchRequest {
    FetchRequest {
        url: url.to_owned(),
        head_only: false,
        headers: Vec::new(),
        max_bytes: 5_000_000,
        timeout: Duration::from_secs(20),
        permits: HostPermits::default(),
    }
}

async fn fetch(net: &Net, request: &FetchRequest) -> Result<FetchAnswer, FetchError> {
    HttpFetcher::on_network(net).fetch(request, &Person::default()).await
}

/// Returns the outcome of a fetch, in a line.
fn told(outcome: &Result<FetchAnswer, FetchError>) -> String {
    match outcome {
        Ok(fetched) => format!("{} {}", fetched.status, fetched.url),
        Err(error) => error.to_string(),
    }
}
