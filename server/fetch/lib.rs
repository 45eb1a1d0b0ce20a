//! An HTTP client for addresses that others choose: a model, or a page that redirects.
//!
//! Only the public internet is reached, by http and https. Each host is looked up once, every address of the answer is
//! held against the table of special ones, and the connection goes to an address that was looked at. So no name can
//! lead elsewhere between the look and the connection. Redirects are followed one by one under the same rules, and
//! credentials stay with the origin that they were meant for. A person can name servers of their own machine as
//! [`Permits`]. What comes back is bounded in bytes and in time; pages are read as Markdown, and binary bodies are not
//! kept. A [`Proxy`] holds the connections of another program to the same rules, and to the hosts that a person named.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod address;
mod budget;
mod charset;
mod decode;
mod error;
mod exchange;
mod fetched;
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

pub use address::{Reserved, Wrapper, reserved};
pub use error::{FetchError, HeaderError, HostError, PermitError, UrlError};
pub use fetched::{Content, Fetched, Redirect};
pub use fetcher::{Fetcher, Gate, Request};
pub use hosts::HostList;
pub use network::{MachineNetwork, Network};
pub use permits::Permits;
pub use proxy::Proxy;
pub use target::{Target, host_of};
