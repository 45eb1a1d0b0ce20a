//! A request and its answer, over a connection of its own to addresses that were checked before.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderMap};
use hyper::rt::{Read, Write};
use hyper::{Method, Response};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::error::FetchError;
use crate::network::NetworkConnector;
use crate::target::FetchTarget;
use crate::tls;

/// Addresses of a host that are tried.
const TRIED: usize = 4;

/// Headers of an answer at most.
const MOST_HEADERS: usize = 100;

/// Bytes of an answer's head at most.
const LARGEST_HEAD: usize = 64 * 1024;

/// The request.
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) target: &'a FetchTarget,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
}

/// An answer whose body is still to be read.
pub(crate) struct ServerAnswer {
    pub(crate) response: Response<Incoming>,
    _connection: ConnectionTask,
}

/// The task that moves a connection's bytes; it ends with its owner.
struct ConnectionTask(JoinHandle<()>);

impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A connection to the first of the addresses that takes one.
pub(crate) async fn connect_first(
    network: &impl NetworkConnector,
    target: &FetchTarget,
    addresses: &[IpAddr],
) -> Result<TcpStream, FetchError> {
    let mut failed = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses.iter().take(TRIED) {
        match network.connect(SocketAddr::new(*address, target.port())).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(FetchError::Connect { host: target.host().to_owned(), source: failed })
}

/// Asks over a connection, encrypted if `tls` is given.
pub(crate) async fn exchange_with(
    stream: TcpStream,
    tls: Option<Arc<ClientConfig>>,
    question: OutgoingRequest<'_>,
) -> Result<ServerAnswer, FetchError> {
    let Some(config) = tls else { return ask_server(TokioIo::new(stream), question).await };
    let host = question.target.host();
    match tls::encrypt_stream(config, host, stream).await {
        Ok(stream) => ask_server(TokioIo::new(stream), question).await,
        Err(source) => Err(FetchError::Encrypt { host: host.to_owned(), source }),
    }
}

async fn ask_server(
    stream: impl Read + Write + Unpin + Send + 'static,
    question: OutgoingRequest<'_>,
) -> Result<ServerAnswer, FetchError> {
    let OutgoingRequest { target, method, mut headers } = question;
    headers.insert(HOST, target.authority()?);
    let failed = |source| FetchError::Exchange { host: target.host().to_owned(), source };
    let mut client = http1::Builder::new();
    client.max_headers(MOST_HEADERS).max_buf_size(LARGEST_HEAD);
    let (mut sender, connection) = client.handshake(stream).await.map_err(failed)?;
    let connection = ConnectionTask(tokio::spawn(async move { drop(connection.await) }));
    let mut request = hyper::Request::new(Empty::<Bytes>::new());
    *request.method_mut() = method;
    *request.uri_mut() = target.path().parse().map_err(|_| crate::error::UrlError::Control)?;
    *request.headers_mut() = headers;
    let response = sender.send_request(request).await.map_err(failed)?;
    Ok(ServerAnswer { response, _connection: connection })
}

/// The first bytes of a body.
#[derive(Debug)]
pub(crate) struct BodyStart {
    pub(crate) bytes: Vec<u8>,
    /// True if there are more.
    pub(crate) cut: bool,
}

/// Reads at most so many bytes of a body.
pub(crate) async fn read_body(body: Incoming, host: &str, most: usize) -> Result<BodyStart, FetchError> {
    let mut body = body;
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|source| FetchError::Exchange { host: host.to_owned(), source })?;
        let Some(data) = frame.data_ref() else { continue };
        let room = most - bytes.len();
        bytes.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            return Ok(BodyStart { bytes, cut: true });
        }
    }
    Ok(BodyStart { bytes, cut: false })
}
