//! Runs a command confined: in namespaces of its own, with an allow-list of files, without the host's network, with
//! limits that hold.
//!
//! The server starts its own program once more as a hidden subcommand ([`SUBCOMMAND`], whose code is [`enter_sandbox`]) and hands
//! it the plan on a socket. That process, the helper, makes a user namespace and starts init in the other namespaces.
//! Init builds the root file system, starts the command, and holds it to its limits. When init ends, the kernel kills
//! whatever is left in its process namespace. Init ends with the helper, and the helper when the server's end of the
//! socket closes.
//!
//! ```no_run
//! use wherefore_sandbox::{SandboxLauncher, SandboxPlan};
//!
//! # fn main() -> Result<(), wherefore_sandbox::SandboxError> {
//! let report = SandboxLauncher::own().spawn(&SandboxPlan::new(".", ["true"]))?.wait()?;
//! assert_eq!(report.exit_code, Some(0));
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//!
//! - No confined command writes outside of the folders that its plan names, or under a protected name in them.
//!   Test: `a_command_writes_what_it_may_and_nothing_else`, `protected_and_masked_paths_hold`,
//!   `a_protected_folder_is_not_written_on_an_overlay_either`
//! - No confined command reaches the network, or a socket of the host, where its plan has the network off.
//!   Test: `nothing_of_the_host_is_reached`, `only_local_families_are_there`,
//!   `abstract_sockets_of_the_host_are_not_reached`, `sockets_of_the_host_in_the_workspace_are_covered`
//! - No process of a confined command outlives the command, its limit, or the process that started it.
//!   Test: `what_a_command_leaves_behind_ends_with_it`, `the_time_limit_ends_the_whole_crowd`,
//!   `nothing_outlives_the_process_that_started_a_command`
//! - No command runs in a lower tier than its plan allows.
//!   Test: `no_command_runs_in_a_lower_tier_than_its_plan_allows`
//! - No file with a protected name, no socket, FIFO or device that a confined command made stays where it made it.
//!   The rules name what is protected; the sandbox has no list of its own.
//!   Test: `what_a_command_plants_is_moved_away_and_told`,
//!   `no_file_that_makes_programs_run_stays_where_a_command_made_it`,
//!   `what_runs_is_closed_to_commands_and_what_package_managers_install_is_not`
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]
#![cfg(target_os = "linux")]

mod accounts;
mod bubblewrap;
mod bytes;
mod command;
mod confine;
mod control;
mod devices;
mod enter;
mod error;
mod folder_scan;
mod grants;
mod guard;
mod hard_links;
mod helper;
mod hooks;
mod init;
mod kernel;
mod launcher;
mod layer_compare;
mod layer_reader;
mod linux;
mod listening_ports;
mod memory;
mod meter;
mod opened_folders;
mod overlay;
mod overlay_mount;
mod plan;
mod private_files;
mod private_folder;
mod probe;
mod proc_mount;
mod quarantine;
mod resolve;
mod root;
mod running_command;
mod seccomp;
mod session_network;
mod signal;
mod spec;
mod survey;
mod survey_cache;
mod tier;
mod tier_advice;
mod tree;
mod trouble;
mod view;

pub use enter::{enter_sandbox, enter_with};
pub use error::SandboxError;
pub use guard::PathGuard;
pub use launcher::{SUBCOMMAND, SandboxLauncher};
pub use layer_compare::same_bytes;
pub use layer_reader::{hide_lower, hides_lower};
pub use listening_ports::ListeningPort;
pub use overlay::{OverlayChange, OverlayChangeKind, OverlayLayers, UnreadReason};
pub use plan::{
    CacheFolder, EarlierLayer, FileReplacement, NetworkAccess, RunLimits, SandboxPlan, StandardStreams,
    WriteEffects,
};
pub use running_command::{CommandKiller, RunReport, RunningCommand};
pub use session_network::{NetworkNamespaces, SessionNetwork};
pub use signal::signal_name;
pub use spec::{BuildStage, LimitKind};
pub use survey::{PlantedEntry, PlantedKind};
pub use tier::{CommandTier, MachineTier, SandboxLevel};
