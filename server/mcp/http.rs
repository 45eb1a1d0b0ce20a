//! The streamable HTTP transport: on loopback only, with a bearer token, for no web page.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::LONGEST;
use crate::base::hash;
use crate::protocol::{Code, Fault};

/// Where the protocol is spoken.
pub const PATH: &str = "/mcp";

/// Connections at the same time; further ones wait.
const CONNECTIONS: usize = 256;
/// How long a client may take to send a request's head.
const HEAD: Duration = Duration::from_secs(10);

/// A bound address that waits to be served.
#[derive(Debug)]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
}

/// Binds an address of this machine's own: `127.0.0.1:PORT`, port 0 for any that is free.
///
/// # Errors
/// INVALID_ARGS for an address that is no loopback one or is taken.
pub async fn bind(address: &str) -> Result<Bound, Fault> {
    let wrong = |what: String| {
        Fault::new(Code::InvalidArgs, what)
            .suggest("give an address of this machine alone, as 127.0.0.1:7777")
    };
    let asked: SocketAddr = address
        .parse()
        .map_err(|_| wrong(format!("{address:?} is no address: it has an IP address and a port")))?;
    if !asked.ip().is_loopback() {
        return Err(wrong(format!("{asked} can be reached from other machines")));
    }
    let listener = TcpListener::bind(asked).await.map_err(|error| wrong(format!("{asked}: {error}")))?;
    let address = listener.local_addr().map_err(|error| Fault::internal(error.to_string()))?;
    Ok(Bound { listener, address })
}

impl Bound {
    /// Where clients find it.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients that show the token, or all where there is none, each session by a handler of its own. It ends
    /// when it is dropped, and its connections with it.
    pub async fn serve<H: ServerHandler>(
        self,
        token: Option<String>,
        handler: impl Fn() -> H + Send + Sync + 'static,
    ) {
        let port = self.address.port();
        // A page of another site that a name leads here is known by its host and its origin.
        let origins = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}"));
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(LONGEST);
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(handler()), sessions, config);
        let token = token.map(|token| Arc::new(hash::full(token.as_bytes())));
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            while connections.try_join_next().is_some() {}
            let Ok(place) = room.clone().acquire_owned().await else { return };
            let stream = match self.listener.accept().await {
                Ok((stream, _)) => stream,
                // Too many open files, say: the next one may do.
                Err(error) => {
                    tracing::warn!("no connection was accepted: {error}");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let (service, token) = (service.clone(), token.clone());
            connections.spawn(async move {
                let _place = place;
                talk(stream, service, token).await;
            });
        }
    }
}

type Body = BoxBody<Bytes, Infallible>;

async fn talk<H: ServerHandler>(
    stream: TcpStream,
    service: StreamableHttpService<H, LocalSessionManager>,
    token: Option<Arc<String>>,
) {
    let respond = service_fn(move |request: Request<Incoming>| {
        let (service, token) = (service.clone(), token.clone());
        async move { Ok::<_, Infallible>(respond(request, &service, token.as_deref()).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    if let Err(error) = http.serve_connection(TokioIo::new(stream), respond).await {
        tracing::debug!("a connection broke: {error}");
    }
}

async fn respond<H: ServerHandler>(
    request: Request<Incoming>,
    service: &StreamableHttpService<H, LocalSessionManager>,
    token: Option<&String>,
) -> Response<Body> {
    if request.uri().path() != PATH {
        return plain(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp");
    }
    if token.is_some_and(|token| !shows(request.headers().get(AUTHORIZATION), token)) {
        let mut response = plain(StatusCode::UNAUTHORIZED, "send the header `Authorization: Bearer TOKEN`");
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        return response;
    }
    service.handle(request).await
}

/// Whether a header shows the token of that hash. Hashes are compared so that the time taken tells nothing of it.
fn shows(header: Option<&HeaderValue>, token: &str) -> bool {
    let shown = header.and_then(|header| header.to_str().ok()).and_then(|header| header.split_once(' '));
    shown.is_some_and(|(scheme, shown)| {
        scheme.eq_ignore_ascii_case("bearer") && hash::full(shown.trim().as_bytes()) == *token
    })
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
