//! The streamable HTTP transport: on loopback only, with a bearer token, not for web pages, and with limits on the
//! resources of a client.
//!
//! rmcp's service answers the requests and checks their host and origin. The loop that accepts connections is ours, over
//! hyper: `axum::serve` hides the connection's builder, so it can neither end a request whose head does not come nor limit
//! how many connections there are. tower-http's layers are not used. Its body limit would answer a message that is too
//! long without its id, its time limit would end streams that a client listens to, and its bearer check compares the token
//! itself, in a time that shows how much of it is right.
//!
//! # Invariants
//!
//! - No client of the HTTP door holds a connection, a stream or a session for good.
//!   Test: `requests_that_do_not_come_and_answers_that_nobody_reads_end`, `sessions_that_nobody_ends_make_room`
//! - No web page and no other machine reaches the HTTP door.
//!   Test: `it_wants_the_token_and_no_page_of_another_site`

mod accept;
mod limits;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ServerHandler;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, JsonRpcRequest};
use rmcp::transport::common::http_header::HEADER_SESSION_ID;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::LONGEST;
use super::refusal::{self, ProtocolRefusal};
use crate::base::{hash, surrogates};
use crate::protocol::{Code, Fault};
use accept::ResponseForm;
use limits::{BodyError, HttpSessions, ReadDeadlineStream, SESSION};

/// The path of the protocol.
pub const PATH: &str = "/mcp";

/// Connections at the same time; further ones wait.
const CONNECTIONS: usize = 256;
/// Streams that clients listen to at the same time.
const STREAMS: usize = 128;
/// The first version of the protocol whose streams begin with an event that only has an id to resume from.
const PRIMED_SINCE: &str = "2025-11-25";
/// The longest time that a client may take to send a request's head.
const HEAD: Duration = Duration::from_secs(10);

/// A bound address that waits to be served.
#[derive(Debug)]
pub struct BoundAddress {
    listener: TcpListener,
    address: SocketAddr,
}

/// Binds an address of this machine's own: `127.0.0.1:PORT`, port 0 for any that is free.
///
/// # Errors
/// INVALID_ARGS for an address that is no loopback one or is taken.
pub async fn bind_loopback(address: &str) -> Result<BoundAddress, Fault> {
    let wrong = |what: String| {
        Fault::new(Code::InvalidArgs, what).with_suggestion("give a loopback address, as 127.0.0.1:7777")
    };
    let asked: SocketAddr = address.parse().map_err(|_| {
        wrong(format!("{address:?} is not an address: an address is an IP address and a port"))
    })?;
    if !asked.ip().is_loopback() {
        return Err(wrong(format!("{asked} is not a loopback address, so other machines could reach it")));
    }
    let listener = TcpListener::bind(asked).await.map_err(|error| wrong(format!("{asked}: {error}")))?;
    let address = listener.local_addr().map_err(|error| Fault::internal(error.to_string()))?;
    Ok(BoundAddress { listener, address })
}

impl BoundAddress {
    /// The URL for clients.
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves clients that show the token, or all where there is none, each session by a handler of its own. It ends
    /// when it is dropped, and its connections with it.
    pub async fn serve_clients<H: ServerHandler>(
        self,
        token: Option<String>,
        handler: impl Fn() -> H + Send + Sync + 'static,
    ) {
        let port = self.address.port();
        // A page of another site that a name leads here is detected by its host and its origin.
        let origins = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("http://{host}:{port}"));
        let config = StreamableHttpServerConfig::default()
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(LONGEST);
        let mut manager = LocalSessionManager::default();
        manager.session_config.keep_alive = Some(SESSION);
        let manager = Arc::new(manager);
        let door = Arc::new(HttpDoor {
            service: StreamableHttpService::new(move || Ok(handler()), manager.clone(), config),
            token: token.map(|token| hash::full_hash(token.as_bytes())),
            sessions: HttpSessions::new(manager),
            streams: Arc::new(Semaphore::new(STREAMS)),
        });
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
            let door = door.clone();
            connections.spawn(async move {
                let _place = place;
                serve_connection(stream, door).await;
            });
        }
    }
}

type Body = BoxBody<Bytes, Infallible>;

/// The state shared by all connections of one address.
struct HttpDoor<H: ServerHandler> {
    service: StreamableHttpService<H, LocalSessionManager>,
    /// The hash of the token.
    token: Option<String>,
    sessions: HttpSessions,
    /// Room for streams that a client listens to.
    streams: Arc<Semaphore>,
}

async fn serve_connection<H: ServerHandler>(stream: TcpStream, door: Arc<HttpDoor<H>>) {
    let respond = service_fn(move |request: Request<Incoming>| {
        let door = door.clone();
        async move { Ok::<_, Infallible>(door.answer_http_request(request).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD);
    if let Err(error) = http.serve_connection(TokioIo::new(ReadDeadlineStream::new(stream)), respond).await {
        tracing::debug!("a connection broke: {error}");
    }
}

impl<H: ServerHandler> HttpDoor<H> {
    async fn answer_http_request(&self, mut request: Request<Incoming>) -> Response<Body> {
        if request.uri().path() != PATH {
            return plain_response(StatusCode::NOT_FOUND, "the protocol is spoken at /mcp");
        }
        let token = self.token.as_ref();
        if token.is_some_and(|token| !shows_token(request.headers().get(AUTHORIZATION), token)) {
            let mut response =
                plain_response(StatusCode::UNAUTHORIZED, "send the header `Authorization: Bearer TOKEN`");
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        let Some(form) = ResponseForm::accepted_form(request.headers()) else {
            return accept::not_acceptable();
        };
        ResponseForm::accept_both(request.headers_mut());
        let session = request.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok());
        if let Some(session) = session {
            self.sessions.mark_used(session);
        }
        let is_primed = session.is_none_or(|session| self.sessions.is_primed(session));
        let response = match *request.method() {
            Method::POST => {
                let response = self.answer_post(request).await;
                if form == ResponseForm::Json { accept::collect_answer(response).await } else { response }
            }
            Method::GET if form == ResponseForm::Json => accept::not_acceptable(),
            Method::GET => self.open_stream(request).await,
            _ => self.service.handle(request.map(|_| Full::<Bytes>::default())).await,
        };
        if is_primed { response } else { accept::drop_priming(response) }
    }

    /// Answers a message. A malformed one is answered here, by its id if that can be read.
    async fn answer_post(&self, request: Request<Incoming>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let mut bytes = match limits::read_body(body).await {
            Ok(bytes) => bytes,
            Err(BodyError::Late) => {
                return closing_response(plain_response(
                    StatusCode::REQUEST_TIMEOUT,
                    "the body did not come in time",
                ));
            }
            Err(BodyError::Wrong(status, refusal)) => {
                return closing_response(refusal_response(status, &refusal));
            }
        };
        let mut is_primed = true;
        let kind = parts.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.trim_start().to_ascii_lowercase().starts_with("application/json") {
            if let Some(refusal) = refusal::unreadable_refusal(&bytes) {
                return refusal_response(StatusCode::BAD_REQUEST, &refusal);
            }
            let mended = std::str::from_utf8(&bytes).ok().and_then(surrogates::replace_halves);
            bytes = mended.map_or(bytes, Bytes::from);
            match serde_json::from_slice::<ClientJsonRpcMessage>(&bytes) {
                Ok(JsonRpcMessage::Request(JsonRpcRequest {
                    request: ClientRequest::InitializeRequest(initialize),
                    ..
                })) => {
                    is_primed = initialize.params.protocol_version.as_str() >= PRIMED_SINCE;
                    self.sessions.make_room().await;
                }
                Ok(_) => {}
                Err(_) => {
                    return refusal_response(StatusCode::BAD_REQUEST, &refusal::no_message_refusal(&bytes));
                }
            }
        }
        let response = self.service.handle(Request::from_parts(parts, Full::new(bytes))).await;
        if let Some(id) = response.headers().get(HEADER_SESSION_ID).and_then(|id| id.to_str().ok()) {
            self.sessions.add_session(id, is_primed);
        }
        if is_primed { response } else { accept::drop_priming(response) }
    }

    /// A stream that lasts as long as the client listens.
    async fn open_stream(&self, request: Request<Incoming>) -> Response<Body> {
        let Ok(place) = self.streams.clone().try_acquire_owned() else {
            return plain_response(StatusCode::SERVICE_UNAVAILABLE, "too many streams are open; close one");
        };
        let response = self.service.handle(request.map(|_| Full::<Bytes>::default())).await;
        response.map(|body| {
            body.map_frame(move |frame| {
                let _place = &place;
                frame
            })
            .boxed()
        })
    }
}

/// The answer to a malformed message.
fn refusal_response(status: StatusCode, refusal: &ProtocolRefusal) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(refusal.to_message().to_string())).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The last answer of its connection: the rest of the request is not read.
fn closing_response(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Returns whether a header shows the token of that hash. Hashes are compared, so that the time of the comparison
/// reveals nothing.
fn shows_token(header: Option<&HeaderValue>, token: &str) -> bool {
    let shown = header.and_then(|header| header.to_str().ok()).and_then(|header| header.split_once(' '));
    shown.is_some_and(|(scheme, shown)| {
        scheme.eq_ignore_ascii_case("bearer") && hash::full_hash(shown.trim().as_bytes()) == *token
    })
}

fn plain_response(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
