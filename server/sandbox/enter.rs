//! The process that builds a sandbox: what the hidden subcommand runs.
//!
//! The helper makes a user namespace and starts init in the other namespaces. It stays outside, so that it sees when the
//! server goes, and ends init then. With init, process 1 of its namespace, every process of the sandbox dies.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::process::{ExitCode, exit};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use crate::control::ControlSocket;
use crate::init;
use crate::linux;
use crate::private_files::LostFiles;
use crate::session_network::{self, NETWORK, NetworkNamespaces};
use crate::spec::{BuildStage, ConfinementWay, ControlMessage, LimitKind, SandboxSpec};
use crate::trouble::{AtStage, BuildFailure};

/// The second argument of a helper that makes its namespaces at once, while it waits for a plan.
pub(crate) const AHEAD: &str = "ahead";

/// The same, of a helper whose command stays in the session of the caller's terminal.
pub(crate) const AHEAD_AT_TERMINAL: &str = "ahead-at-terminal";

/// The same, of a helper that a network is sent to first, which it joins.
pub(crate) const AHEAD_IN_NETWORK: &str = "ahead-in-network";

/// The time past its limit after which the helper ends a sandbox: init ends it in time, unless a mount hangs.
const GRACE: Duration = Duration::from_secs(5);

/// A function of this program that runs in a sandbox in place of a command. It returns the exit code.
pub(crate) type RoutineFn = fn() -> i32;

/// Builds the sandbox that the plan on the standard input describes, runs its command, and returns when all of its
/// processes are gone. Call it before anything else: the process must have one thread.
pub fn enter_sandbox() -> ExitCode {
    enter_with(|| 1)
}

/// Like [`enter_sandbox`]. Where the plan asks for a routine and not for a program, `routine` runs.
pub fn enter_with(routine: fn() -> i32) -> ExitCode {
    // A program that leaks descriptors into its children must not lend them to a command.
    if linux::close_inherited().is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(control) = ControlSocket::of_standard_input() else { return ExitCode::FAILURE };
    match run_helper(&control, routine) {
        Ok(()) => ExitCode::SUCCESS,
        Err(trouble) => {
            control.send_message(&trouble.into_message());
            ExitCode::FAILURE
        }
    }
}

fn run_helper(control: &ControlSocket, routine: RoutineFn) -> Result<(), BuildFailure> {
    match std::env::args_os().nth(2).as_deref().and_then(OsStr::to_str) {
        Some(AHEAD) => {
            let _ = rustix::process::setsid();
            return run_ahead(control, None, routine);
        }
        Some(AHEAD_AT_TERMINAL) => return run_ahead(control, None, routine),
        Some(AHEAD_IN_NETWORK) => {
            let _ = rustix::process::setsid();
            let network = take_network(control).at_stage(BuildStage::Network)?;
            return run_ahead(control, Some(&network), routine);
        }
        Some(NETWORK) => return session_network::keep_network(control),
        _ => {}
    }
    let (spec, streams, network) = control.take_spec().at_stage(BuildStage::Plan)?;
    if spec.own_session {
        let _ = rustix::process::setsid();
    }
    linux::ignore_terminal_signals();
    take_streams(streams).at_stage(BuildStage::Plan)?;
    // The first to go if memory is short. It is a wish: a kernel may refuse it.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let child = match spec.way {
        ConfinementWay::Namespaces => {
            enter_network(network.as_ref())?;
            linux::fork_into_namespaces(spec.joins_network).at_stage(BuildStage::Namespaces)?
        }
        ConfinementWay::Inside | ConfinementWay::Landlock => {
            linux::fork_process().at_stage(BuildStage::Namespaces)?
        }
    };
    match child {
        None => init::run_init(control, &spec, routine),
        Some(child) => supervise_init(control, &spec, child).at_stage(BuildStage::Namespaces),
    }
}

/// Makes the namespaces before the plan is there.
fn run_ahead(
    control: &ControlSocket,
    network: Option<&NetworkNamespaces>,
    routine: RoutineFn,
) -> Result<(), BuildFailure> {
    linux::ignore_terminal_signals();
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    enter_network(network)?;
    let (to_init, from_helper) = ControlSocket::pair().at_stage(BuildStage::Namespaces)?;
    match linux::fork_into_namespaces(network.is_some()).at_stage(BuildStage::Namespaces)? {
        None => {
            drop(to_init);
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))
                .at_stage(BuildStage::Namespaces)?;
            // The end of the socket without a plan means that the helper is gone, or was never needed.
            let Ok((spec, streams, _)) = ControlSocket::from_end(from_helper).take_spec() else { exit(1) };
            take_streams(streams).at_stage(BuildStage::Plan)?;
            init::run_init(control, &spec, routine)
        }
        Some(child) => {
            drop(from_helper);
            let (spec, streams, _) = control.take_spec().at_stage(BuildStage::Plan)?;
            to_init.send_spec(&spec, &streams, None).at_stage(BuildStage::Plan)?;
            drop((to_init, streams));
            supervise_init(control, &spec, child).at_stage(BuildStage::Namespaces)
        }
    }
}

/// Joins a network, if there is one, and makes a user namespace: below that of the network, over which it has no rights.
fn enter_network(network: Option<&NetworkNamespaces>) -> Result<(), BuildFailure> {
    network.map_or(Ok(()), NetworkNamespaces::join).at_stage(BuildStage::Network)?;
    new_user().at_stage(BuildStage::Namespaces)
}

fn take_network(control: &ControlSocket) -> io::Result<NetworkNamespaces> {
    let (_, descriptors) = control.receive_descriptors()?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let both: Result<[OwnedFd; 2], _> = descriptors.try_into();
    let [user, network] = both.map_err(|_| io::ErrorKind::InvalidData)?;
    NetworkNamespaces::from_descriptors(user, network)
}

/// A user namespace in which this user is the only one, under its own number.
pub(crate) fn new_user() -> io::Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    linux::unshare_user()?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Waits for init, and ends it when the server asks for that or is gone.
fn supervise_init(control: &ControlSocket, spec: &SandboxSpec, init: Pid) -> io::Result<()> {
    leave_streams()?;
    let handle = rustix::process::pidfd_open(init, PidfdFlags::empty())?;
    let longest = spec.limits.wall.and_then(|wall| Timespec::try_from(wall.checked_add(GRACE)?).ok());
    let mut watched = [
        PollFd::new(&handle, PollFlags::IN),
        PollFd::new(control, PollFlags::IN | PollFlags::RDHUP | PollFlags::HUP),
    ];
    let woken = rustix::io::retry_on_intr(|| poll(&mut watched, longest.as_ref()));
    let hangs = woken == Ok(0);
    if spec.way == ConfinementWay::Landlock {
        // Init kills the others first: no namespace does so.
        let mut ended = [PollFd::new(&handle, PollFlags::IN)];
        let _ = poll(&mut ended, Timespec::try_from(GRACE).ok().as_ref());
        let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
    } else if hangs || watched[0].revents().is_empty() {
        let _ = rustix::process::pidfd_send_signal(&handle, Signal::KILL);
    }
    rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(init), WaitOptions::empty()))?;
    if hangs {
        let limit = Some(LimitKind::Wall);
        control.send_message(&ControlMessage::Ended {
            code: None,
            signal: None,
            limit,
            peak_memory: 0,
            used: None,
            lost: LostFiles::default(),
        });
    }
    control.send_message(&ControlMessage::Gone(linux::used_by_children().to_used_by_all()));
    Ok(())
}

/// Makes the command's streams those of this process, which it inherits.
fn take_streams([input, output, errors]: [OwnedFd; 3]) -> io::Result<()> {
    rustix::stdio::dup2_stdin(&input)?;
    rustix::stdio::dup2_stdout(&output)?;
    Ok(rustix::stdio::dup2_stderr(&errors)?)
}

/// Lets go of the command's streams, so that a reader sees their end when the command's processes are gone.
pub(crate) fn leave_streams() -> io::Result<()> {
    let nothing = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(rustix::stdio::dup2_stderr(&nothing)?)
}
