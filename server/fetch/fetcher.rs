//! A fetch: hop by hop from its URL to the answer, each hop looked at as the first.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::Method;
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderName, LOCATION};
use rustls::ClientConfig;

use crate::address::reserved_use;
use crate::answer::{FetchAnswer, HttpRedirect};
use crate::budget::NetworkBudget;
use crate::error::FetchError;
use crate::exchange::{self, BodyStart, OutgoingRequest, ServerAnswer};
use crate::headers;
use crate::network::{MachineNetwork, NetworkConnector};
use crate::permits::HostPermits;
use crate::reading;
use crate::target::FetchTarget;
use crate::tls;

/// Redirects that are followed.
const REDIRECTS: usize = 5;

/// The URL to fetch, and the limits.
#[derive(Clone, Debug)]
pub struct FetchRequest {
    /// The URL, as somebody wrote it.
    pub url: String,
    /// True if the head of the answer is enough.
    pub head_only: bool,
    /// Headers to send in addition to the default ones.
    pub headers: Vec<(String, String)>,
    /// Bytes of the decoded body at most; the rest is left out.
    pub max_bytes: usize,
    /// The longest time that the network may take for all of it.
    pub timeout: Duration,
    /// The servers that a person opened.
    pub permits: HostPermits,
}

/// Decides whether a host may be reached.
pub trait ReachGate: Send + Sync {
    /// Returns whether this host may be reached. It is called before the host is looked up, once a fetch.
    fn may_reach(&self, host: &str) -> impl Future<Output = bool> + Send;
}

/// Fetches URLs.
#[derive(Debug, Default)]
pub struct HttpFetcher<N = MachineNetwork> {
    network: N,
    tls: OnceLock<Arc<ClientConfig>>,
}

/// The state that is kept through the redirects of a fetch.
struct FetchTrip<'a, G> {
    request: &'a FetchRequest,
    gate: &'a G,
    budget: NetworkBudget,
    headers: HeaderMap,
    reached: HashSet<String>,
}

impl HttpFetcher {
    /// A fetcher on the network of this machine.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<N: NetworkConnector> HttpFetcher<N> {
    /// A fetcher on a network.
    pub fn on_network(network: N) -> Self {
        Self { network, tls: OnceLock::new() }
    }

    /// Fetches a URL, along its redirects.
    ///
    /// # Errors
    /// The error of the request, of a forbidden host, or of the missing answer.
    pub async fn fetch(
        &self,
        request: &FetchRequest,
        gate: &impl ReachGate,
    ) -> Result<FetchAnswer, FetchError> {
        let mut target = FetchTarget::parse(&request.url, &request.permits)?;
        let mut trip = FetchTrip {
            request,
            gate,
            budget: NetworkBudget::new(request.timeout),
            headers: headers::check_headers(&request.headers)?,
            reached: HashSet::new(),
        };
        let mut redirects = Vec::new();
        loop {
            let step = self.take_step(&mut trip, &target, redirects.len()).await;
            match step.map_err(|error| behind_redirect(&redirects, error))? {
                FetchStep::There(answer) => return trip.read_answer(target, answer, redirects).await,
                FetchStep::On { status, next } => {
                    if !next.same_origin(&target) {
                        headers::leave_origin(&mut trip.headers);
                    }
                    redirects.push(HttpRedirect { status, from: target.url().to_string() });
                    target = next;
                }
            }
        }
    }

    /// Asks one server.
    async fn take_step<G: ReachGate>(
        &self,
        trip: &mut FetchTrip<'_, G>,
        target: &FetchTarget,
        done: usize,
    ) -> Result<FetchStep, FetchError> {
        let answer = self.ask_target(trip, target).await?;
        let status = answer.response.status().as_u16();
        let location = answer.response.headers().get(LOCATION);
        let Some(location) = location.filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308)) else {
            return Ok(FetchStep::There(answer));
        };
        if done == REDIRECTS {
            return Err(FetchError::Redirects { most: REDIRECTS });
        }
        let next = target.follow_redirect(location.as_bytes(), &trip.request.permits);
        let next = next.map_err(|error| FetchError::Redirected {
            from: target.url().to_string(),
            source: Box::new(error.into()),
        })?;
        Ok(FetchStep::On { status, next })
    }

    async fn ask_target<G: ReachGate>(
        &self,
        trip: &mut FetchTrip<'_, G>,
        target: &FetchTarget,
    ) -> Result<ServerAnswer, FetchError> {
        let addresses = self.permitted_addresses(trip, target).await?;
        let tls = if target.is_https() { Some(self.tls_config()?) } else { None };
        let method = if trip.request.head_only { Method::HEAD } else { Method::GET };
        let question = OutgoingRequest { target, method, headers: trip.headers.clone() };
        let asked = async {
            let stream = exchange::connect_first(&self.network, target, &addresses).await?;
            exchange::exchange_with(stream, tls, question).await
        };
        trip.budget.run_within(asked).await?
    }

    /// Returns every address of the host, once each is known to be one that may be reached.
    async fn permitted_addresses<G: ReachGate>(
        &self,
        trip: &mut FetchTrip<'_, G>,
        target: &FetchTarget,
    ) -> Result<Vec<IpAddr>, FetchError> {
        let host = target.host();
        if let Some(literal) = target.ip_literal() {
            check_address(target, literal)?;
        }
        if !trip.reached.contains(host) {
            if !trip.gate.may_reach(host).await {
                return Err(FetchError::Refused { host: host.to_owned() });
            }
            trip.reached.insert(host.to_owned());
        }
        let addresses = match target.ip_literal() {
            Some(literal) => vec![literal],
            None => {
                let found = trip.budget.run_within(self.network.resolve(host)).await?;
                found.map_err(|source| FetchError::Resolve { host: host.to_owned(), source })?
            }
        };
        if addresses.is_empty() {
            return Err(FetchError::NoAddress { host: host.to_owned() });
        }
        addresses.iter().try_for_each(|address| check_address(target, *address))?;
        Ok(addresses)
    }

    fn tls_config(&self) -> Result<Arc<ClientConfig>, FetchError> {
        if let Some(config) = self.tls.get() {
            return Ok(config.clone());
        }
        let config = tls::client_config().map_err(FetchError::Tls)?;
        Ok(self.tls.get_or_init(|| config).clone())
    }
}

enum FetchStep {
    There(ServerAnswer),
    On { status: u16, next: FetchTarget },
}

impl<G> FetchTrip<'_, G> {
    /// Reads the answer that is no redirect.
    async fn read_answer(
        mut self,
        target: FetchTarget,
        answer: ServerAnswer,
        redirects: Vec<HttpRedirect>,
    ) -> Result<FetchAnswer, FetchError> {
        let most = self.request.max_bytes;
        let (head, body) = answer.response.into_parts();
        let is_empty = self.request.head_only || matches!(head.status.as_u16(), 204 | 304);
        let body = if is_empty {
            BodyStart { bytes: Vec::new(), cut: false }
        } else {
            self.budget.run_within(exchange::read_body(body, target.host(), most)).await??
        };
        let coding = header_value(&head.headers, &CONTENT_ENCODING);
        let mut fetched = FetchAnswer::new(target.url(), head.status.as_u16(), &head.headers, redirects);
        if is_empty {
            return Ok(fetched);
        }
        let work = tokio::task::spawn_blocking(move || {
            reading::read_into(&mut fetched, body, coding.as_deref(), most)?;
            Ok(fetched)
        });
        work.await.map_err(FetchError::Thread)?
    }
}

/// Holds an address against what may be reached there.
fn check_address(target: &FetchTarget, address: IpAddr) -> Result<(), FetchError> {
    let refused = reserved_use(address).filter(|kind| !(target.is_granted() && kind.is_grantable()));
    match refused {
        None => Ok(()),
        Some(kind) => Err(FetchError::Address { host: target.host().to_owned(), address, kind }),
    }
}

/// An error, with the redirect that led to it.
fn behind_redirect(redirects: &[HttpRedirect], error: FetchError) -> FetchError {
    match (redirects.last(), error) {
        (None, error) => error,
        (
            Some(_),
            error @ (FetchError::Redirects { .. } | FetchError::Redirected { .. } | FetchError::Late(_)),
        ) => error,
        (Some(last), error) => FetchError::Redirected { from: last.from.clone(), source: Box::new(error) },
    }
}

/// A header as text.
pub(crate) fn header_value(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
