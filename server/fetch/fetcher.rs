//! A fetch: hop by hop from its URL to the answer, each hop looked at as the first.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper::Method;
use hyper::header::{CONTENT_ENCODING, HeaderMap, HeaderName, LOCATION};
use rustls::ClientConfig;

use crate::address::reserved;
use crate::budget::Budget;
use crate::error::FetchError;
use crate::exchange::{self, Answer, Question, Start};
use crate::fetched::{Fetched, Redirect};
use crate::headers;
use crate::network::{MachineNetwork, Network};
use crate::permits::Permits;
use crate::reading;
use crate::target::Target;
use crate::tls;

/// Redirects that are followed.
const REDIRECTS: usize = 5;

/// What is fetched, and how much of it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The URL, as somebody wrote it.
    pub url: String,
    /// Whether the head of the answer is enough.
    pub head_only: bool,
    /// Headers to send beside ours.
    pub headers: Vec<(String, String)>,
    /// Bytes of the decoded body at most; the rest is left out.
    pub max_bytes: usize,
    /// How long the network may take for all of it.
    pub timeout: Duration,
    /// The servers that a person opened.
    pub permits: Permits,
}

/// Who says whether a host may be reached.
pub trait Gate: Send + Sync {
    /// Whether this host may be reached. It is asked before the host is looked up, once a fetch.
    fn may_reach(&self, host: &str) -> impl Future<Output = bool> + Send;
}

/// What fetches.
#[derive(Debug, Default)]
pub struct Fetcher<N = MachineNetwork> {
    network: N,
    tls: OnceLock<Arc<ClientConfig>>,
}

/// What is known on the way.
struct Trip<'a, G> {
    request: &'a Request,
    gate: &'a G,
    budget: Budget,
    headers: HeaderMap,
    reached: HashSet<String>,
}

impl Fetcher {
    /// A fetcher on the network of this machine.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<N: Network> Fetcher<N> {
    /// A fetcher on a network.
    pub fn on(network: N) -> Self {
        Self { network, tls: OnceLock::new() }
    }

    /// Fetches a URL, along its redirects.
    ///
    /// # Errors
    /// What is wrong with the request, where it may not go, or why no answer came.
    pub async fn fetch(&self, request: &Request, gate: &impl Gate) -> Result<Fetched, FetchError> {
        let mut target = Target::parse(&request.url, &request.permits)?;
        let mut trip = Trip {
            request,
            gate,
            budget: Budget::new(request.timeout),
            headers: headers::checked(&request.headers)?,
            reached: HashSet::new(),
        };
        let mut redirects = Vec::new();
        loop {
            let step = self.step(&mut trip, &target, redirects.len()).await;
            match step.map_err(|error| behind(&redirects, error))? {
                Step::There(answer) => return trip.read(target, answer, redirects).await,
                Step::On { status, next } => {
                    if !next.same_origin(&target) {
                        headers::leave_origin(&mut trip.headers);
                    }
                    redirects.push(Redirect { status, from: target.url().to_string() });
                    target = next;
                }
            }
        }
    }

    /// Asks one server.
    async fn step<G: Gate>(
        &self,
        trip: &mut Trip<'_, G>,
        target: &Target,
        done: usize,
    ) -> Result<Step, FetchError> {
        let answer = self.asked(trip, target).await?;
        let status = answer.response.status().as_u16();
        let location = answer.response.headers().get(LOCATION);
        let Some(location) = location.filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308)) else {
            return Ok(Step::There(answer));
        };
        if done == REDIRECTS {
            return Err(FetchError::Redirects { most: REDIRECTS });
        }
        let next = target.redirected(location.as_bytes(), &trip.request.permits);
        let next = next.map_err(|error| FetchError::Redirected {
            from: target.url().to_string(),
            source: Box::new(error.into()),
        })?;
        Ok(Step::On { status, next })
    }

    async fn asked<G: Gate>(&self, trip: &mut Trip<'_, G>, target: &Target) -> Result<Answer, FetchError> {
        let addresses = self.addresses(trip, target).await?;
        let tls = if target.is_https() { Some(self.tls()?) } else { None };
        let method = if trip.request.head_only { Method::HEAD } else { Method::GET };
        let question = Question { target, method, headers: trip.headers.clone() };
        let asked = async {
            let stream = exchange::connected(&self.network, target, &addresses).await?;
            exchange::exchange(stream, tls, question).await
        };
        trip.budget.within(asked).await?
    }

    /// Every address of the host, once each is known to be one that may be reached.
    async fn addresses<G: Gate>(
        &self,
        trip: &mut Trip<'_, G>,
        target: &Target,
    ) -> Result<Vec<IpAddr>, FetchError> {
        let host = target.host();
        if let Some(literal) = target.literal() {
            looked_at(target, literal)?;
        }
        if !trip.reached.contains(host) {
            if !trip.gate.may_reach(host).await {
                return Err(FetchError::Refused { host: host.to_owned() });
            }
            trip.reached.insert(host.to_owned());
        }
        let addresses = match target.literal() {
            Some(literal) => vec![literal],
            None => {
                let found = trip.budget.within(self.network.resolve(host)).await?;
                found.map_err(|source| FetchError::Resolve { host: host.to_owned(), source })?
            }
        };
        if addresses.is_empty() {
            return Err(FetchError::NoAddress { host: host.to_owned() });
        }
        addresses.iter().try_for_each(|address| looked_at(target, *address))?;
        Ok(addresses)
    }

    fn tls(&self) -> Result<Arc<ClientConfig>, FetchError> {
        if let Some(config) = self.tls.get() {
            return Ok(config.clone());
        }
        let config = tls::config().map_err(FetchError::Tls)?;
        Ok(self.tls.get_or_init(|| config).clone())
    }
}

enum Step {
    There(Answer),
    On { status: u16, next: Target },
}

impl<G> Trip<'_, G> {
    /// Reads the answer that is no redirect.
    async fn read(
        mut self,
        target: Target,
        answer: Answer,
        redirects: Vec<Redirect>,
    ) -> Result<Fetched, FetchError> {
        let most = self.request.max_bytes;
        let (head, body) = answer.response.into_parts();
        let is_empty = self.request.head_only || matches!(head.status.as_u16(), 204 | 304);
        let body = if is_empty {
            Start { bytes: Vec::new(), cut: false }
        } else {
            self.budget.within(exchange::read(body, target.host(), most)).await??
        };
        let coding = value(&head.headers, &CONTENT_ENCODING);
        let mut fetched = Fetched::new(target.url(), head.status.as_u16(), &head.headers, redirects);
        if is_empty {
            return Ok(fetched);
        }
        let work = tokio::task::spawn_blocking(move || {
            reading::read(&mut fetched, body, coding.as_deref(), most)?;
            Ok(fetched)
        });
        work.await.map_err(FetchError::Thread)?
    }
}

/// Holds an address against what may be reached there.
fn looked_at(target: &Target, address: IpAddr) -> Result<(), FetchError> {
    let refused = reserved(address).filter(|kind| !(target.is_granted() && kind.is_grantable()));
    match refused {
        None => Ok(()),
        Some(kind) => Err(FetchError::Address { host: target.host().to_owned(), address, kind }),
    }
}

/// An error, with the redirect that led to it.
fn behind(redirects: &[Redirect], error: FetchError) -> FetchError {
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
pub(crate) fn value(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
