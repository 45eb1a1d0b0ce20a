//! The attempts, in groups by what they try to reach.

mod daemons;
mod exhaustion;
mod files;
mod git;
mod inherited;
mod kernel;
mod links;
mod masks;
mod mounts;
mod namespaces;
mod network;
mod overlay;
mod planting;
mod proc;
mod settings;
mod shared;
mod signals;
mod sockets;
mod terminal;

use crate::table::Attempt;

/// Each group with its attempts.
pub(crate) const ALL: &[(&str, &[Attempt])] = &[
    ("files", files::ROWS),
    ("masks", masks::ROWS),
    ("links", links::ROWS),
    ("git", git::ROWS),
    ("settings", settings::ROWS),
    ("proc", proc::ROWS),
    ("sockets", sockets::ROWS),
    ("network", network::ROWS),
    ("signals", signals::ROWS),
    ("namespaces", namespaces::ROWS),
    ("mounts", mounts::ROWS),
    ("kernel", kernel::ROWS),
    ("planting", planting::ROWS),
    ("terminal", terminal::ROWS),
    ("shared memory", shared::ROWS),
    ("inherited", inherited::ROWS),
    ("daemons", daemons::ROWS),
    ("exhaustion", exhaustion::ROWS),
    ("overlay", overlay::ROWS),
];
