//! A proxy for a program that may reach named hosts alone: tunnels (`CONNECT`), and requests of HTTP without encryption.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::{Host, Url};

use crate::address::reserved;
use crate::error::{FetchError, ProxyError};
use crate::hosts::{HostList, Opened};
use crate::network::{MachineNetwork, Network};

/// Bytes of a request's head at most.
const LARGEST_HEAD: usize = 64 << 10;
/// Header lines of a request at most.
const MOST_HEADERS: usize = 100;
/// Connections at once at most; a further one waits.
const MOST_CONNECTIONS: usize = 256;
/// How long a client may take to say what it wants, and a host to take a connection.
const PATIENCE: Duration = Duration::from_secs(30);
/// Refused hosts that are remembered.
const REMEMBERED: usize = 20;

/// A proxy that carries connections to named hosts. Each host is looked up here, and the connection goes to an address
/// that was looked at.
#[derive(Debug)]
pub struct Proxy<N = MachineNetwork> {
    hosts: HostList,
    network: N,
    refused: Mutex<BTreeSet<String>>,
}

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    host: String,
    literal: Option<IpAddr>,
    port: u16,
    /// Whether the client's bytes are carried as they are, once it heard that the connection stands.
    is_tunnel: bool,
    /// The bytes that are sent to the host first.
    first: Vec<u8>,
}

impl Proxy {
    /// A proxy to `hosts` on the network of this machine.
    pub fn new(hosts: HostList) -> Self {
        Self::on(hosts, MachineNetwork)
    }
}

impl<N: Network + 'static> Proxy<N> {
    /// A proxy to `hosts` on a network.
    pub fn on(hosts: HostList, network: N) -> Self {
        Self { hosts, network, refused: Mutex::default() }
    }

    /// Serves the clients of `listener` until this is dropped; their connections go with it.
    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        let mut connections = JoinSet::new();
        loop {
            while connections.len() >= MOST_CONNECTIONS {
                connections.join_next().await;
            }
            while connections.try_join_next().is_some() {}
            match listener.accept().await {
                Ok((client, _)) => drop(connections.spawn(Arc::clone(&self).carry(client))),
                // Too many open files, or a client that is gone already.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// The hosts that were asked for and refused, each with its port.
    pub fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    async fn carry(self: Arc<Self>, mut client: TcpStream) {
        let Err(error) = self.connect(&mut client).await else { return };
        let status = match &error {
            ProxyError::Malformed => "400 Bad Request",
            ProxyError::Closed { .. } | ProxyError::Fetch(FetchError::Address { .. }) => "403 Forbidden",
            ProxyError::Fetch(_) | ProxyError::Broken(_) => "502 Bad Gateway",
        };
        let text = format!("wherefore: {error}\n");
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        );
        // Whoever asked may be gone.
        let _ = client.write_all(answer.as_bytes()).await;
    }

    /// Carries one client's connection to its end. An error is one from before the host's connection stood.
    async fn connect(&self, client: &mut TcpStream) -> Result<(), ProxyError> {
        let late = |_| io::Error::from(io::ErrorKind::TimedOut);
        let wanted = timeout(PATIENCE, head(client)).await.map_err(late)??;
        let mut host = timeout(PATIENCE, self.reach(&wanted)).await.map_err(late)??;
        if wanted.is_tunnel {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        }
        host.write_all(&wanted.first).await?;
        // However it ends, both sides saw it.
        let _ = copy_bidirectional(client, &mut host).await;
        Ok(())
    }

    async fn reach(&self, wanted: &Wanted) -> Result<TcpStream, ProxyError> {
        let Wanted { host, port, literal, .. } = wanted;
        let Some(opened) = self.hosts.opens(host, *port) else {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if refused.len() < REMEMBERED {
                refused.insert(format!("{host}:{port}"));
            }
            return Err(ProxyError::Closed { host: host.clone(), port: *port });
        };
        let addresses = match literal {
            Some(address) => vec![*address],
            None => {
                let found = self.network.resolve(host).await;
                found.map_err(|source| FetchError::Resolve { host: host.clone(), source })?
            }
        };
        addresses.iter().try_for_each(|address| looked_at(host, *address, opened))?;
        let mut last = FetchError::NoAddress { host: host.clone() };
        for address in addresses {
            match self.network.connect(SocketAddr::new(address, *port)).await {
                Ok(stream) => return Ok(stream),
                Err(source) => last = FetchError::Connect { host: host.clone(), source },
            }
        }
        Err(last.into())
    }
}

fn looked_at(host: &str, address: IpAddr, opened: Opened) -> Result<(), FetchError> {
    match reserved(address).filter(|kind| !(opened == Opened::Anywhere && kind.is_grantable())) {
        None => Ok(()),
        Some(kind) => Err(FetchError::Address { host: host.to_owned(), address, kind }),
    }
}

/// Reads the head of a request, and what came with it.
async fn head(client: &mut TcpStream) -> Result<Wanted, ProxyError> {
    let mut read = Vec::new();
    loop {
        let before = read.len();
        if before >= LARGEST_HEAD || client.read_buf(&mut read).await? == 0 {
            return Err(ProxyError::Malformed);
        }
        let from = before.saturating_sub(3);
        let end = read.get(from..).and_then(|new| new.windows(4).position(|four| four == b"\r\n\r\n"));
        if end.is_some() {
            return wanted(&read).ok_or(ProxyError::Malformed);
        }
    }
}

fn wanted(read: &[u8]) -> Option<Wanted> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let httparse::Status::Complete(end) = request.parse(read).ok()? else { return None };
    let (method, target, rest) = (request.method?, request.path?, read.get(end..)?);
    let is_tunnel = method == "CONNECT";
    let url = match is_tunnel {
        true => Url::parse(&format!("http://{target}/")).ok().filter(|url| url.path() == "/")?,
        false => Url::parse(target).ok().filter(|url| url.scheme() == "http")?,
    };
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    let host = url.host_str()?.trim_end_matches('.').to_owned();
    let literal = match url.host()? {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    };
    // A tunnel names its port; the parser leaves 80 out of a URL of http.
    let port = url.port_or_known_default()?;
    let first = if is_tunnel { rest.to_vec() } else { passed_on(&request, &url, rest)? };
    Some(Wanted { host, literal, port, is_tunnel, first })
}

/// The request as the host itself is asked, for one answer on this connection.
fn passed_on(request: &httparse::Request<'_, '_>, url: &Url, rest: &[u8]) -> Option<Vec<u8>> {
    let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
    let authority = url
        .port()
        .map_or(url.host_str()?.to_owned(), |port| format!("{}:{port}", url.host_str().unwrap_or("")));
    let mut sent =
        format!("{} {}{query} HTTP/1.1\r\nHost: {authority}\r\n", request.method?, url.path()).into_bytes();
    let hop = ["host", "connection", "keep-alive", "proxy-connection", "proxy-authorization"];
    for header in
        request.headers.iter().filter(|header| !hop.iter().any(|name| header.name.eq_ignore_ascii_case(name)))
    {
        sent.extend_from_slice(header.name.as_bytes());
        sent.extend_from_slice(b": ");
        sent.extend_from_slice(header.value);
        sent.extend_from_slice(b"\r\n");
    }
    sent.extend_from_slice(b"Connection: close\r\n\r\n");
    sent.extend_from_slice(rest);
    Some(sent)
}
