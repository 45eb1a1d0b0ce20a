//! Init: process 1 of a sandbox. It builds what the command sees, starts the command, and holds it to its limits.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, OwnedFd};
use std::process::exit;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::process::{DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, WaitStatus};

use crate::command;
use crate::control::Control;
use crate::enter::{Routine, leave_streams};
use crate::linux::{self, Used};
use crate::meter::Meter;
use crate::plan::Network;
use crate::root;
use crate::spec::{Limit, Spec, Stage, UsedByAll, Way, Word};
use crate::tree;
use crate::trouble::{At, Trouble};

/// How often the command is measured.
const TICK: Duration = Duration::from_millis(50);

/// The port of the proxy inside.
pub(crate) const PROXY_PORT: u16 = 3128;

/// Runs the command of `spec`, tells how it ended, and exits. It returns only what kept it from running.
pub(crate) fn run(control: &Control, spec: &Spec, routine: Routine) -> Result<(), Trouble> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at(Stage::Namespaces)?;
    if spec.way == Way::Namespaces {
        // Not before the plan came: it shows what is mounted now.
        linux::unshare_mounts().at(Stage::Namespaces)?;
        root::build(spec)?;
        rustix::system::sethostname(b"sandbox").at(Stage::Namespaces)?;
    }
    network(control, spec).at(Stage::Network)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).at(Stage::Rights)?;
    // In a namespace of ours this is process 1, and takes every orphan anyway.
    if spec.way != Way::Namespaces {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).at(Stage::Rights)?;
    }
    match linux::fork().at(Stage::Namespaces)? {
        None => Err(command::become_it(spec, routine)),
        Some(child) => {
            // Whoever reads them sees their end when the command's processes are gone, and does not wait for this one.
            leave_streams().at(Stage::Namespaces)?;
            let end = watch(control, spec, child).at(Stage::Namespaces);
            if spec.way == Way::Landlock {
                tree::kill_descendants();
            }
            let Some(end) = end? else { exit(1) };
            control.tell(&end.word(used_by_all(spec)));
            exit(0)
        }
    }
}

/// How a command ended, or by which limit.
struct End {
    status: Option<WaitStatus>,
    limit: Option<Limit>,
    peak_memory: u64,
}

impl End {
    fn word(&self, used: Option<UsedByAll>) -> Word {
        Word::Ended {
            code: self.status.and_then(WaitStatus::exit_status),
            signal: self.status.and_then(WaitStatus::terminating_signal),
            limit: self.limit,
            peak_memory: self.peak_memory,
            used,
        }
    }
}

/// Ends what the command left, and tells what all used. The server then need not wait until the kernel has taken the mounts
/// away. `None`: in namespaces that another program made, its processes end with that.
fn used_by_all(spec: &Spec) -> Option<UsedByAll> {
    if spec.way != Way::Namespaces {
        return None;
    }
    tree::end_namespace();
    let (own, all) = (linux::used_by_itself(), linux::used_by_children());
    Some(Used { cpu: own.cpu + all.cpu, ..all }.of_all())
}

/// Brings the loopback device up, and hands the proxy's listener out.
fn network(control: &Control, spec: &Spec) -> io::Result<()> {
    if spec.way == Way::Landlock {
        return Ok(());
    }
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    if spec.way == Way::Namespaces {
        linux::loopback_up(&socket)?;
    }
    if spec.network == Network::Proxy {
        rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PROXY_PORT))?;
        rustix::net::listen(&socket, 128)?;
        control.tell_with(&Word::Proxy, socket.as_fd())?;
    }
    Ok(())
}

/// Waits for the command's end, or for the limit that ends it. `None`: the server ends it.
fn watch(control: &Control, spec: &Spec, command: Pid) -> io::Result<Option<End>> {
    let handle = rustix::process::pidfd_open(command, PidfdFlags::empty())?;
    let end = spec.limits.wall.and_then(|wall| Instant::now().checked_add(wall));
    let mut meter = Meter::new(spec);
    loop {
        let left = end.map_or(TICK, |end| end.saturating_duration_since(Instant::now()));
        if wait(control, &handle, left.min(TICK))? {
            return Ok(None);
        }
        let status = reap(command);
        if status.is_some() {
            return Ok(Some(End { status, limit: None, peak_memory: meter.peak() }));
        }
        let over = end.is_some_and(|end| Instant::now() >= end).then_some(Limit::Wall);
        let limit = over.or_else(|| meter.over());
        if limit.is_some() {
            return Ok(Some(End { status, limit, peak_memory: meter.peak() }));
        }
    }
}

/// Waits until the command ends, at most for `longest`. The answer is whether the server wants the end, or is gone.
fn wait(control: &Control, command: &OwnedFd, longest: Duration) -> io::Result<bool> {
    let mut watched = [PollFd::new(command, PollFlags::IN), PollFd::new(control, PollFlags::RDHUP)];
    let longest = Timespec::try_from(longest).unwrap_or_default();
    rustix::io::retry_on_intr(|| poll(&mut watched, Some(&longest)))?;
    Ok(!watched[1].revents().is_empty())
}

/// Takes the ended processes away, so that none stays a zombie. The answer is the end of the command itself.
fn reap(command: Pid) -> Option<WaitStatus> {
    let mut end = None;
    while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
        if pid == command {
            end = Some(status);
        }
    }
    end
}
