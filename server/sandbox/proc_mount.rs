//! `/proc` of a sandbox: it shows the processes inside, and nothing in it can be written.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Result;
use rustix::mount::{FsOpenFlags, MountAttrFlags};

use crate::kernel;
use crate::linux::{MountChange, change_mount};
use crate::root::{SandboxRoot, attach_mount, clone_mount, detached_mount};
use crate::spec::SandboxSpec;

/// Entries that hold information on the whole machine.
const COVERED: [&str; 5] = ["kcore", "keys", "timer_list", "sysrq-trigger", "kallsyms"];

/// The size in which the kernel counts shared memory.
const PAGE: u64 = 4096;

/// The lowest number of a process after the numbers wrapped around.
const RESERVED: u32 = 300;

/// Mounts `/proc`, after the limits that are set through it.
pub(crate) fn mount_proc(root: &SandboxRoot, spec: &SandboxSpec) -> Result<()> {
    let system = rustix::mount::fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    let tree = detached_mount(&system, MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
    write_value(&tree, "sys/user/max_user_namespaces", 0);
    if let Some(processes) = spec.limits.processes {
        limit_processes(&tree, processes);
    }
    limit_watches(&tree);
    if let Some(memory) = spec.limits.memory {
        write_value(&tree, "sys/kernel/shmall", u32::try_from(memory / PAGE).unwrap_or(u32::MAX));
    }
    change_mount(&tree, MountChange::ReadOnly, false)
        .map_err(|error| rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::INVAL))?;
    let place = root.mount_point(Path::new("proc"), true)?;
    attach_mount(&tree, &place)?;
    let nothing = root.mount_point(Path::new("dev/null"), false)?;
    for name in COVERED {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        if let Ok(entry) = rustix::fs::openat(&tree, name, flags, Mode::empty()) {
            attach_mount(&clone_mount(&nothing)?, &entry)?;
        }
    }
    Ok(())
}

/// Leaves as many numbers for processes as there may be.
fn limit_processes(tree: &OwnedFd, processes: u32) {
    if kernel::is_since(kernel::OWN_PID_MAX) {
        write_value(tree, "sys/kernel/ns_last_pid", RESERVED - 1);
        write_value(tree, "sys/kernel/pid_max", RESERVED.saturating_add(processes));
    }
}

/// Leaves half of the person's watches of files to programs outside, which share one number with the sandbox.
fn limit_watches(tree: &OwnedFd) {
    for name in ["instances", "watches"] {
        if let Some(most) = read_value(tree, &format!("sys/fs/inotify/max_user_{name}")) {
            write_value(tree, &format!("sys/user/max_inotify_{name}"), most / 2);
        }
    }
}

fn read_value(tree: &OwnedFd, name: &str) -> Option<u32> {
    let file = rustix::fs::openat(tree, name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut text = [0; 16];
    let len = rustix::io::read(file, &mut text).ok()?;
    std::str::from_utf8(&text[..len]).ok()?.trim().parse().ok()
}

/// Sets a value of this namespace. An older kernel has none of its own and refuses; the watch over the processes holds all the
/// same.
fn write_value(tree: &OwnedFd, name: &str, value: u32) {
    let opened = rustix::fs::openat(tree, name, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty());
    let _ = opened.and_then(|file| rustix::io::write(file, value.to_string().as_bytes()));
}
