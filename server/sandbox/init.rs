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
use crate::control::ControlSocket;
use crate::enter::{RoutineFn, leave_streams};
use crate::linux::{self, UsedResources};
use crate::meter::UsageMeter;
use crate::plan::NetworkAccess;
use crate::private_files::{LostFiles, PrivateFiles};
use crate::root;
use crate::spec::{BuildStage, ConfinementWay, ControlMessage, LimitKind, SandboxSpec, UsedByAll};
use crate::tree;
use crate::trouble::{AtStage, BuildFailure};

/// The interval between measurements of the command, and the interval while it uses much of its memory limit.
const TICK: Duration = Duration::from_millis(50);
const SHORT_TICK: Duration = Duration::from_millis(10);

/// The port of the proxy inside.
pub(crate) const PROXY_PORT: u16 = 3128;

/// Runs the command of `spec`, reports its end, and exits. It returns only with an error that kept it from running.
pub(crate) fn run_init(
    control: &ControlSocket,
    spec: &SandboxSpec,
    routine: RoutineFn,
) -> Result<(), BuildFailure> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).at_stage(BuildStage::Namespaces)?;
    if spec.way == ConfinementWay::Namespaces {
        // Not before the plan came: it shows what is mounted now.
        linux::unshare_mounts().at_stage(BuildStage::Namespaces)?;
        root::build_root(spec)?;
        rustix::system::sethostname(b"sandbox").at_stage(BuildStage::Namespaces)?;
    }
    fill_home(spec).at_stage(BuildStage::Root)?;
    set_up_network(control, spec).at_stage(BuildStage::Network)?;
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable).at_stage(BuildStage::Rights)?;
    // In the sandbox's own namespace this is process 1, and adopts every orphan anyway.
    if spec.way != ConfinementWay::Namespaces {
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).at_stage(BuildStage::Rights)?;
    }
    let before = PrivateFiles::list(spec);
    match linux::fork_process().at_stage(BuildStage::Namespaces)? {
        None => Err(command::become_command(control, spec, routine)),
        Some(child) => {
            // A reader of the streams then sees their end when the command's processes are gone, and does not wait
            // for this process.
            leave_streams().at_stage(BuildStage::Namespaces)?;
            let end = watch_command(control, spec, child).at_stage(BuildStage::Namespaces);
            if spec.way == ConfinementWay::Landlock {
                tree::kill_descendants();
            }
            let Some(end) = end? else { exit(1) };
            let used = used_by_all(spec);
            control.send_message(&end.to_message(used, PrivateFiles::list(spec).added_since(&before)));
            exit(0)
        }
    }
}

/// The end of a command: its status, or the limit that ended it.
struct ProcessEnd {
    status: Option<WaitStatus>,
    limit: Option<LimitKind>,
    peak_memory: u64,
}

impl ProcessEnd {
    fn to_message(&self, used: Option<UsedByAll>, lost: LostFiles) -> ControlMessage {
        ControlMessage::Ended {
            code: self.status.and_then(WaitStatus::exit_status),
            signal: self.status.and_then(WaitStatus::terminating_signal),
            limit: self.limit,
            peak_memory: self.peak_memory,
            used,
            lost,
        }
    }
}

/// Ends the remaining processes of the command, and returns their total use. The server then need not wait until the
/// kernel has removed the mounts. `None`: in namespaces that another program made, its processes end with that
/// program.
fn used_by_all(spec: &SandboxSpec) -> Option<UsedByAll> {
    if spec.way != ConfinementWay::Namespaces {
        return None;
    }
    tree::end_namespace();
    let (own, all) = (linux::used_by_itself(), linux::used_by_children());
    Some(UsedResources { cpu: own.cpu + all.cpu, ..all }.to_used_by_all())
}

/// Puts the files into the private home folder that stand there at the start.
fn fill_home(spec: &SandboxSpec) -> io::Result<()> {
    for (below, bytes) in &spec.home_files {
        let file = spec.home.as_path().join(below.as_path());
        file.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(file, bytes.as_path().as_os_str().as_encoded_bytes())?;
    }
    Ok(())
}

/// Brings the loopback device up, and hands the proxy's listener out.
fn set_up_network(control: &ControlSocket, spec: &SandboxSpec) -> io::Result<()> {
    if spec.way == ConfinementWay::Landlock {
        return Ok(());
    }
    let flags = SocketFlags::CLOEXEC;
    let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    if spec.way == ConfinementWay::Namespaces && !spec.joins_network {
        linux::loopback_up(&socket)?;
    }
    if spec.network == NetworkAccess::Proxy {
        rustix::net::bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PROXY_PORT))?;
        rustix::net::listen(&socket, 128)?;
        control.send_with_descriptor(&ControlMessage::Proxy, socket.as_fd())?;
    }
    Ok(())
}

/// Waits for the command's end, or for the limit that ends it. `None`: the server ends it.
fn watch_command(
    control: &ControlSocket,
    spec: &SandboxSpec,
    command: Pid,
) -> io::Result<Option<ProcessEnd>> {
    let handle = rustix::process::pidfd_open(command, PidfdFlags::empty())?;
    let end = spec.limits.wall.and_then(|wall| Instant::now().checked_add(wall));
    let mut meter = UsageMeter::new(spec);
    loop {
        let tick = if meter.is_near() { SHORT_TICK } else { TICK };
        let left = end.map_or(tick, |end| end.saturating_duration_since(Instant::now()));
        if wait_command(control, &handle, left.min(tick))? {
            return Ok(None);
        }
        let status = reap_children(command);
        if status.is_some() {
            return Ok(Some(ProcessEnd { status, limit: None, peak_memory: meter.peak() }));
        }
        let over = end.is_some_and(|end| Instant::now() >= end).then_some(LimitKind::Wall);
        let limit = over.or_else(|| meter.exceeded_limit());
        if limit.is_some() {
            return Ok(Some(ProcessEnd { status, limit, peak_memory: meter.peak() }));
        }
    }
}

/// Waits until the command ends, at most for `longest`. The answer is whether the server wants the end, or is gone.
fn wait_command(control: &ControlSocket, command: &OwnedFd, longest: Duration) -> io::Result<bool> {
    let mut watched = [PollFd::new(command, PollFlags::IN), PollFd::new(control, PollFlags::RDHUP)];
    let longest = Timespec::try_from(longest).unwrap_or_default();
    rustix::io::retry_on_intr(|| poll(&mut watched, Some(&longest)))?;
    Ok(!watched[1].revents().is_empty())
}

/// Takes the ended processes away, so that none stays a zombie. The answer is the end of the command itself.
fn reap_children(command: Pid) -> Option<WaitStatus> {
    let mut end = None;
    while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
        if pid == command {
            end = Some(status);
        }
    }
    end
}
