//! A proxy for a program that may reach named hosts alone: tunnels (`CONNECT`), and requests of HTTP without encryption.
//!
//! # Invariants
//!
//! - No command reaches a host that the person did not allow, and no private address behind a public name.
//!   Test: `named_hosts_alone_are_reached`, `the_hosts_that_the_person_allows_are_reached_and_no_other`

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

use crate::address::reserved_use;
use crate::error::{FetchError, ProxyError};
use crate::hosts::{HostAccess, HostList};
use crate::network::{MachineNetwork, NetworkConnector};

/// Bytes of a request's head at most.
const LARGEST_HEAD: usize = 64 << 10;
/// Header lines of a request at most.
const MOST_HEADERS: usize = 100;
/// Connections at once at most; a further one waits.
const MOST_CONNECTIONS: usize = 256;
/// The longest time for a client to send its request, and for a host to take a connection.
const PATIENCE: Duration = Duration::from_secs(30);
/// Refused hosts that are remembered.
const REMEMBERED: usize = 20;

/// A proxy that carries connections to named hosts. Each host is looked up here, and the connection goes to an address
/// that was looked at.
#[derive(Debug)]
pub struct HostProxy<N = MachineNetwork> {
    hosts: HostList,
    network: N,
    refused: Mutex<BTreeSet<String>>,
}

/// The request of a client.
#[derive(Debug, PartialEq, Eq)]
struct ProxyRequest {
    host: String,
    literal: Option<IpAddr>,
    port: u16,
    /// True if the client's bytes are carried unchanged, once it was informed that the connection is made.
    is_tunnel: bool,
    /// The bytes that are sent to the host first.
    first: Vec<u8>,
}

impl HostProxy {
    /// A proxy to `hosts` on the network of this machine.
    pub fn new(hosts: HostList) -> Self {
        Self::on_network(hosts, MachineNetwork)
    }
}

impl<N: NetworkConnector + 'static> HostProxy<N> {
    /// A proxy to `hosts` on a network.
    pub fn on_network(hosts: HostList, network: N) -> Self {
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
                Ok((client, _)) => drop(connections.spawn(Arc::clone(&self).carry_client(client))),
                // Too many open files, or a client that is gone already.
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// The hosts that were asked for and refused, each with its port.
    pub fn refused_hosts(&self) -> Vec<String> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    async fn carry_client(self: Arc<Self>, mut client: TcpStream) {
        let Err(error) = self.connect_client(&mut client).await else { return };
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
        // The client may be gone.
        let _ = client.write_all(answer.as_bytes()).await;
    }

    /// Carries one client's connection to its end. An error is one from before the host's connection stood.
    async fn connect_client(&self, client: &mut TcpStream) -> Result<(), ProxyError> {
        let late = |_| io::Error::from(io::ErrorKind::TimedOut);
        let wanted = timeout(PATIENCE, read_head(client)).await.map_err(late)??;
        let mut host = timeout(PATIENCE, self.reach_host(&wanted)).await.map_err(late)??;
        if wanted.is_tunnel {
            client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
        }
        host.write_all(&wanted.first).await?;
        // However it ends, both sides saw it.
        let _ = copy_bidirectional(client, &mut host).await;
        Ok(())
    }

    async fn reach_host(&self, wanted: &ProxyRequest) -> Result<TcpStream, ProxyError> {
        let ProxyRequest { host, port, literal, .. } = wanted;
        let Some(opened) = self.hosts.access_to(host, *port) else {
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
        addresses.iter().try_for_each(|address| check_address(host, *address, opened))?;
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

fn check_address(host: &str, address: IpAddr, opened: HostAccess) -> Result<(), FetchError> {
    match reserved_use(address).filter(|kind| !(opened == HostAccess::Anywhere && kind.is_grantable())) {
        None => Ok(()),
        Some(kind) => Err(FetchError::Address { host: host.to_owned(), address, kind }),
    }
}

/// Reads the head of a request, and what came with it.
async fn read_head(client: &mut TcpStream) -> Result<ProxyRequest, ProxyError> {
    let mut read = Vec::new();
    loop {
        let before = read.len();
        if before >= LARGEST_HEAD || client.read_buf(&mut read).await? == 0 {
            return Err(ProxyError::Malformed);
        }
        let from = before.saturating_sub(3);
        let end = read.get(from..).and_then(|new| new.windows(4).position(|four| four == b"\r\n\r\n"));
        if end.is_some() {
            return parse_request(&read).ok_or(ProxyError::Malformed);
        }
    }
}

fn parse_request(read: &[u8]) -> Option<ProxyRequest> {
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
    let first = if is_tunnel { rest.to_vec() } else { forward_head(&request, &url, rest)? };
    Some(ProxyRequest { host, literal, port, is_tunnel, first })
}

/// The request as the host itself is asked, for one answer on this connection.
fn forward_head(request: &httparse::Request<'_, '_>, url: &Url, rest: &[u8]) -> Option<Vec<u8>> {
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
