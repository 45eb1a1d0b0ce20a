//! An HTTP client for addresses that others choose: a model, or a page that redirects.
//!
//! Only the public internet is reached, by http and https. Each host is looked up once, every address of the answer is
//! held against the table of special ones, and the connection goes to an address that was looked at. So no name can
//! lead elsewhere between the look and the connection. Redirects are followed one by one under the same rules, and
//! credentials stay with the origin that they were set for. A person can name servers of their own machine as
//! [`HostPermits`]. What comes back is bounded in bytes and in time; pages are read as Markdown, and binary bodies are not
//! kept. A [`HostProxy`] holds the connections of another program to the same rules, and to the hosts that a person
//! named.
//!
//! # Invariants
//!
//! - No fetch reaches an address that is not public, by any spelling, name or redirect, but where a person named the
//!   host and port.
//!   Test: `what_is_refused_touches_nothing`, `every_address_of_a_name_is_looked_at`, `each_hop_is_looked_at`,
//!   `a_name_is_looked_up_once_a_hop_and_not_believed_at_the_next`, `a_person_opens_a_server_and_no_more`
//! - No call comes to a host on its way that the person was not asked about.
//!   Test: `a_redirect_asks_for_its_host`
//! - No credential of a fetch goes to another origin.
//!   Test: `credentials_stay_with_their_origin`
//! - No answer to a fetch fills the memory, takes long or ends the process, whatever a server sends.
//!   Test: `no_bomb_goes_off`, `a_flood_of_headers_ends_the_fetch`, `a_slow_server_is_left`,
//!   `no_page_takes_long_or_ends_the_process`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod address;
mod answer;
mod budget;
mod charset;
mod decode;
mod error;
mod exchange;
mod fetcher;
mod headers;
mod hosts;
mod media;
mod network;
mod page;
mod permits;
mod proxy;
mod reading;
mod target;
#[cfg(test)]
mod tests;
mod tls;

pub use address::{EmbeddedForm, ReservedUse, reserved_use};
pub use answer::{BodyContent, FetchAnswer, HttpRedirect};
pub use error::{FetchError, HeaderError, HostError, PermitError, UrlError};
pub use fetcher::{FetchRequest, HttpFetcher, ReachGate};
pub use hosts::HostList;
pub use network::{MachineNetwork, NetworkConnector};
pub use permits::HostPermits;
pub use proxy::HostProxy;
pub use target::{FetchTarget, host_of};
