//! Features of the kernel: paths that cannot escape, confinement, watching, locks.

use std::fs::{self, File};
use std::path::Path;

use rustix::fs::{CWD, FlockOperation, Mode, OFlags, ResolveFlags, flock, openat2};

use super::super::apparmor::AppArmorProfile;
use super::DoctorCheck;
use crate::protocol::WithoutOverlay;
use crate::sandbox::{MachineTier, SandboxLauncher, SandboxLevel};
use crate::workspace::config::settings_at;

/// Every check of the kernel.
pub(super) fn check_kernel() -> Vec<DoctorCheck> {
    let launcher = SandboxLauncher::own();
    let tier = launcher.probe();
    let mut checks = vec![check_openat2(), check_landlock(tier), check_namespaces(), check_sandbox(tier)];
    checks.extend(check_profile());
    checks.extend([check_watches(), check_locks()]);
    checks
}

/// Checks whether AppArmor keeps commands from namespaces.
fn check_profile() -> Option<DoctorCheck> {
    let (purpose, lines) = AppArmorProfile::find_lacking()?.describe();
    let mend = "Run these lines; `wherefore init` shows them too.";
    Some(DoctorCheck { lines, ..DoctorCheck::lacking("AppArmor", purpose, mend) })
}

/// Checks `openat2` with `RESOLVE_BENEATH` by a call of it.
fn check_openat2() -> DoctorCheck {
    let name = "openat2";
    let flags = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match openat2(CWD, ".", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty(), flags) {
        Ok(_) => DoctorCheck::well(name, "the kernel keeps paths inside the workspace"),
        Err(error) => DoctorCheck::lacking(
            name,
            format!("the kernel refuses it ({error}): wherefore opens a path folder by folder instead"),
            "Use Linux 5.6 or later, or allow openat2 in the container's seccomp profile.",
        ),
    }
}

/// Which version of Landlock the kernel offers.
fn check_landlock(tier: &MachineTier) -> DoctorCheck {
    let name = "Landlock";
    match tier.landlock {
        1.. => DoctorCheck::well(name, format!("version {}", tier.landlock)),
        _ => DoctorCheck::lacking(
            name,
            "not among the active security modules",
            "Add landlock to the kernel's lsm= parameter.",
        ),
    }
}

/// Checks the sandbox tier: a command is run in each tier until one works.
fn check_sandbox(tier: &MachineTier) -> DoctorCheck {
    let name = "sandbox";
    let reasons = || tier.reasons.join("; ");
    match tier.level {
        SandboxLevel::Namespaces => {
            DoctorCheck::well(name, format!("{}: commands run confined", tier.of_commands()))
        }
        SandboxLevel::Bubblewrap | SandboxLevel::Landlock => DoctorCheck::lacking(
            name,
            format!("{}: {}", tier.of_commands(), words_without_overlay()),
            reasons(),
        ),
        SandboxLevel::Nothing => {
            DoctorCheck::lacking(name, "no command is run: none could be confined", reasons())
        }
    }
}

/// Describes the treatment of commands whose changes cannot be kept apart.
fn words_without_overlay() -> &'static str {
    let settings = settings_at(std::env::current_dir().ok().as_deref());
    match settings.sandbox.without_overlay {
        WithoutOverlay::Afterwards => {
            "commands write in place unasked, and you review afterwards what they changed"
        }
        WithoutOverlay::Ask => {
            "each command asks you, writes in place, and you review afterwards what it changed"
        }
        WithoutOverlay::Refuse => "no command runs that may write, by your settings or the project's",
    }
}

/// Checks that a user may make namespaces.
fn check_namespaces() -> DoctorCheck {
    let name = "user namespaces";
    let mend =
        "Set user.max_user_namespaces above 0, and kernel.unprivileged_userns_clone to 1 where it exists.";
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let most = number("/proc/sys/user/max_user_namespaces");
    let clone = number("/proc/sys/kernel/unprivileged_userns_clone");
    match (most, clone) {
        (Some(0), _) | (_, Some(0)) => DoctorCheck::lacking(name, "switched off", mend),
        (Some(most), _) => DoctorCheck::well(name, format!("up to {most}")),
        (None, _) => DoctorCheck::lacking(name, "the kernel has none", mend),
    }
}

/// Checks the number of files that may be watched.
fn check_watches() -> DoctorCheck {
    let name = "inotify";
    let mend = "Set fs.inotify.max_user_watches to 524288 with sysctl.";
    let limit = fs::read_to_string("/proc/sys/fs/inotify/max_user_watches").ok();
    match limit.and_then(|limit| limit.trim().parse::<u64>().ok()) {
        Some(limit) if limit >= 65_536 => DoctorCheck::well(name, format!("{limit} watches")),
        Some(limit) => {
            DoctorCheck::lacking(name, format!("{limit} watches, too few for a large project"), mend)
        }
        None => {
            DoctorCheck::lacking(name, "the kernel has none: wherefore sees changes on the disk late", mend)
        }
    }
}

/// Checks advisory locks, which keep two servers off one workspace, by a lock in the temporary folder.
fn check_locks() -> DoctorCheck {
    let name = "flock";
    let tried = tempfile::tempfile()
        .and_then(|file: File| Ok(flock(&file, FlockOperation::NonBlockingLockExclusive)?));
    match tried {
        Ok(()) => DoctorCheck::well(name, "the kernel releases the locks of a process that ended"),
        Err(error) => {
            let folder = std::env::temp_dir();
            let mend = format!("Put {} on a local file system, or set TMPDIR.", Path::display(&folder));
            DoctorCheck::broken(name, error.to_string(), mend)
        }
    }
}
