//! The runtime socket: how other processes of the same person reach a running server.
//!
//! A server keeps two files in a folder that only its owner can enter: `NAME.json`, which says what it serves and
//! which it holds a lock on for as long as it lives, and `NAME.sock`. The talk is a JSON object a line: first the
//! token from the file, then requests `{id, method, params}` with answers `{id, result}` or `{id, error}`; or,
//! where the first line says so, another protocol ([`Speaks`]). A server that leaves answers what it took and says
//! `{left: true}`: what has no answer then was not taken, and the next server may be asked.

mod client;
mod error;
mod listener;
mod order;
mod place;

pub(crate) use client::{Sent, ServerLink, enter};
pub(crate) use error::{LinkError, SocketError};
pub(crate) use listener::{Doors, Greeting, SocketListener, Speaks, listen};
pub(crate) use order::StartOrder;
pub(crate) use place::{RunningServer, runtime_folder, servers};
