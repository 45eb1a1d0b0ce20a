//! The runtime socket: how other processes of the same person reach a running server.
//!
//! A server keeps two files in a folder that only its owner can enter: `NAME.json`, which describes the server and
//! which it holds a lock on for as long as it lives, and `NAME.sock`. The talk is a JSON object a line: first the
//! token from the file, then requests `{id, method, params}` with answers `{id, result}` or `{id, error}`; to a
//! client whose greeting says `asks` the server sends questions `{asks, question}`, which it answers by `{answers, answer}`; or,
//! if the first line asks for it, another protocol ([`SpokenProtocol`]). A server that leaves answers the requests that it
//! took and sends `{left: true}`: a request without an answer then was not taken, and the next server may be asked.
//!
//! # Invariants
//!
//! - No second server of a folder is started for an agent, nor for an editor that comes after the agents.
//!   Test: `an_editor_that_comes_later_takes_the_review_over`

mod client;
mod error;
mod listener;
mod liveness;
mod rule_questions;
mod running_server;
mod start_order;

pub(crate) use client::{RuleAsker, SentRequest, ServerLink, connect_to};
pub(crate) use error::{LinkError, SocketError};
pub(crate) use listener::{ClientGreeting, ConnectionHandler, SocketListener, SpokenProtocol, listen_socket};
pub(crate) use liveness::{SILENCE, ServerLiveness};
pub(crate) use running_server::{RunningServer, running_servers, runtime_folder};
pub(crate) use start_order::StartOrder;
