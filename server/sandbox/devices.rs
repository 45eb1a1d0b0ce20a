//! `/dev` of a sandbox: the devices that hold no state, terminals of its own, and shared memory of its own.

use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Result;
use rustix::mount::{FsOpenFlags, MountAttrFlags};

use crate::root::{SandboxRoot, attach_mount, clone_mount};

const DEVICES: [&str; 6] = ["dev/null", "dev/zero", "dev/full", "dev/random", "dev/urandom", "dev/tty"];

const LINKS: [(&str, &str); 5] = [
    ("/proc/self/fd", "dev/fd"),
    ("/proc/self/fd/0", "dev/stdin"),
    ("/proc/self/fd/1", "dev/stdout"),
    ("/proc/self/fd/2", "dev/stderr"),
    ("pts/ptmx", "dev/ptmx"),
];

/// Fills `/dev` of the sandbox: the machine's devices without state, links, and terminals of its own.
pub(crate) fn make_devices(root: &SandboxRoot) -> Result<()> {
    for device in DEVICES {
        let from = rustix::fs::openat(
            CWD,
            Path::new("/").join(device),
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        attach_mount(&clone_mount(&from)?, &root.mount_point(Path::new(device), false)?)?;
    }
    for (target, link) in LINKS {
        rustix::fs::symlinkat(target, root, link)?;
    }
    let terminals = rustix::mount::fsopen("devpts", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_set_string(&terminals, "ptmxmode", "0666")?;
    rustix::mount::fsconfig_set_string(&terminals, "mode", "0600")?;
    let terminals = mounted_terminals(&terminals)?;
    attach_mount(&terminals, &root.mount_point(Path::new("dev/pts"), true)?)
}

/// A mount of terminals: they are devices, so it is one without `nodev`.
fn mounted_terminals(system: &std::os::fd::OwnedFd) -> Result<std::os::fd::OwnedFd> {
    rustix::mount::fsconfig_create(system)?;
    let flags = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    rustix::mount::fsmount(system, rustix::mount::FsMountFlags::FSMOUNT_CLOEXEC, flags)
}
