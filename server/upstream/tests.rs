//! Upstream servers of every kind, well-behaved and not: a real process at the other end of each.

mod bad;
mod calls;
mod consent;
mod http;
mod support;
