//! What the kernel offers: paths that cannot escape, confinement, watching, locks.

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, ResolveFlags, flock, openat2};

use super::Check;
use crate::sandbox::{Launcher, Level, Tier};

/// Every check of the kernel.
pub(super) fn checks() -> Vec<Check> {
    let launcher = Launcher::own();
    let tier = launcher.probe();
    vec![beneath(), landlock(tier), namespaces(), sandbox(tier), watches(), locks()]
}

/// `openat2` with `RESOLVE_BENEATH`: tried, not looked up.
fn beneath() -> Check {
    let name = "openat2";
    let flags = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, ".", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty(), flags) {
        Ok(_) => Check::well(name, "the kernel keeps paths inside the workspace"),
        Err(error) => Check::lacking(
            name,
            format!("the kernel refuses it ({error}): wherefore opens a path folder by folder instead"),
            "Use Linux 5.6 or later, or allow openat2 in the container's seccomp profile.",
        ),
    }
}

/// Which version of Landlock the kernel offers.
fn landlock(tier: &Tier) -> Check {
    let name = "Landlock";
    match tier.landlock {
        1.. => Check::well(name, format!("version {}", tier.landlock)),
        _ => Check::lacking(
            name,
            "not among the active security modules",
            "Add landlock to the kernel's lsm= parameter.",
        ),
    }
}

/// What commands are confined with: a command is run in each tier until one works.
fn sandbox(tier: &Tier) -> Check {
    let name = "sandbox";
    let reasons = || tier.reasons.join("; ");
    match tier.level {
        Level::Namespaces => Check::well(name, format!("{}: commands run confined", tier.of_commands())),
        Level::Bubblewrap | Level::Landlock => Check::lacking(
            name,
            format!("{}: each command asks you, and what it changes is written at once", tier.of_commands()),
            reasons(),
        ),
        Level::Nothing => Check::lacking(name, "no command is run: none could be confined", reasons()),
    }
}

/// Whether a user may make namespaces.
fn namespaces() -> Check {
    let name = "user namespaces";
    let mend =
        "Set user.max_user_namespaces above 0, and kernel.unprivileged_userns_clone to 1 where it exists.";
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let most = number("/proc/sys/user/max_user_namespaces");
    let clone = number("/proc/sys/kernel/unprivileged_userns_clone");
    match (most, clone) {
        (Some(0), _) | (_, Some(0)) => Check::lacking(name, "switched off", mend),
        (Some(most), _) => Check::well(name, format!("up to {most}")),
        (None, _) => Check::lacking(name, "the kernel has none", mend),
    }
}

/// How many files may be watched.
fn watches() -> Check {
    let name = "inotify";
    let mend = "Set fs.inotify.max_user_watches to 524288 with sysctl.";
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
    match limit.and_then(|limit| limit.trim().parse::<u64>().ok()) {
        Some(limit) if limit >= 65_536 => Check::well(name, format!("{limit} watches")),
        Some(limit) => Check::lacking(name, format!("{limit} watches, too few for a large project"), mend),
        None => Check::lacking(name, "the kernel has none: wherefore sees changes on the disk late", mend),
    }
}

/// Advisory locks, which keep two servers off one workspace: tried in the temporary folder.
fn locks() -> Check {
    let name = "flock";
    let tried = tempfile::tempfile()
        .and_then(|file: File| Ok(flock(&file, FlockOperation::NonBlockingLockExclusive)?));
    match tried {
        Ok(()) => Check::well(name, "the kernel releases the locks of a process that ended"),
        Err(error) => {
            let folder = std::env::temp_dir();
            let mend = format!("Put {} on a local file system, or set TMPDIR.", Path::display(&folder));
            Check::broken(name, error.to_string(), mend)
        }
    }
}
