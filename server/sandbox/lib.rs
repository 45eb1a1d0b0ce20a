//! Runs a command confined: in namespaces of its own, with an allow-list of files, without the host's network, with
//! limits that hold.
//!
//! The server starts its own program once more as a hidden subcommand ([`SUBCOMMAND`], whose code is [`enter`]) and hands
//! it the plan on a socket. That process, the helper, makes a user namespace and starts init in the other namespaces.
//! Init builds the root file system, starts the command, and holds it to its limits. When init ends, the kernel kills
//! whatever is left in its process namespace. Init ends with the helper, and the helper when the server's end of the
//! socket closes.
//!
//! ```no_run
//! use wherefore_sandbox::{Launcher, Plan};
//!
//! # fn main() -> Result<(), wherefore_sandbox::SandboxError> {
//! let report = Launcher::own().spawn(&Plan::new(".", ["true"]))?.wait()?;
//! assert_eq!(report.exit_code, Some(0));
//! # Ok(())
//! # }
//! ```
#![cfg(target_os = "linux")]

mod bubblewrap;
mod bytes;
mod command;
mod confine;
mod control;
mod devices;
mod enter;
mod error;
mod grants;
mod helper;
mod hooks;
mod init;
mod kernel;
mod launcher;
mod linked;
mod linux;
mod look;
mod memory;
mod mend;
mod meter;
mod opened;
mod overlay;
mod overlay_mount;
mod plan;
mod probe;
mod proc_mount;
mod quarantine;
mod recall;
mod resolve;
mod root;
mod running;
mod seccomp;
mod signal;
mod spec;
mod survey;
mod tier;
mod tree;
mod trouble;
mod view;

pub use enter::{enter, enter_with};
pub use error::SandboxError;
pub use launcher::{Launcher, SUBCOMMAND};
pub use overlay::{Change, ChangeKind, Overlay, open_layers};
pub use plan::{Effects, Limits, Network, PROTECTED_NAMES, Plan, Streams};
pub use running::{Killer, Report, Running};
pub use signal::signal_name;
pub use spec::{Limit, Stage};
pub use survey::{Planted, PlantedKind};
pub use tier::{CommandTier, Level, Tier};
