//! Namespaces by the system's `bwrap`, where this program may not make them itself: on such a machine a security module
//! allows them to that program alone. Landlock, seccomp and the limits are applied inside, by this program.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::launcher::SUBCOMMAND;
use crate::spec::{How, Spec};

const PROGRAM: &str = "/usr/bin/bwrap";

/// The size of a page, which a file takes at least.
const PAGE: u64 = 4096;

/// Where the sandbox shows this program.
const INSIDE: &str = "/run/wherefore-sandbox";

/// The command that starts `program` in namespaces.
pub(crate) fn command(spec: &Spec, program: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    // The helper is process 1, so that every process ends with it.
    command.args(["--unshare-all", "--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox"]);
    command.args(["--proc", "/proc", "--dev", "/dev"]);
    // Each is a file system of its own, so the space is divided.
    let size = (spec.limits.scratch / 4).max(PAGE).to_string();
    for (folder, mode) in [("/dev/shm", "1777"), ("/tmp", "1777"), ("/var/tmp", "1777")] {
        command.args(["--size", &size, "--perms", mode, "--tmpfs", folder]);
    }
    command.args(["--remount-ro", "/dev", "--size", &size, "--tmpfs"]).arg(spec.home.as_path());
    for shown in &spec.shown {
        let path = shown.path.as_path();
        match &shown.how {
            How::Link(target) => command.arg("--symlink").arg(target.as_path()).arg(path),
            How::Writable => command.arg("--bind").arg(path).arg(path),
            How::ReadOnly | How::Listed => command.arg("--ro-bind").arg(path).arg(path),
        };
    }
    let mut covered = BTreeSet::new();
    for path in spec.protected.iter().map(|path| path.as_path()) {
        match there(path) {
            There::Here => drop(command.arg("--ro-bind").arg(path).arg(path)),
            There::Behind(closed) => drop(covered.insert(closed)),
            There::Nowhere => {}
        }
    }
    for path in spec.masked.iter().map(|path| path.as_path()) {
        match there(path) {
            There::Here => drop(covered.insert(path.to_owned())),
            There::Behind(closed) => drop(covered.insert(closed)),
            There::Nowhere => {}
        }
    }
    covered.iter().for_each(|path| cover(&mut command, path));
    let own = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
    command.arg("--ro-bind").arg(own).arg(INSIDE).args(["--remount-ro", "/"]);
    command.args([OsString::from("--"), INSIDE.into(), SUBCOMMAND.into()]);
    command
}

fn cover(command: &mut Command, path: &Path) {
    if path.is_dir() {
        command.args(["--perms", "0000", "--tmpfs"]).arg(path).arg("--remount-ro").arg(path);
    } else {
        command.args(["--ro-bind", "/dev/null"]).arg(path);
    }
}

/// Where a path is, with no symlink on the way: `bwrap` would make what is missing, and follow the symlink.
enum There {
    Here,
    /// Behind a folder that this process may not enter. The command could open it, where it owns it.
    Behind(PathBuf),
    Nowhere,
}

fn there(path: &Path) -> There {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let open = |path: &Path| rustix::fs::openat2(CWD, path, flags, Mode::empty(), strict);
    match open(path) {
        Ok(_) => There::Here,
        Err(Errno::ACCESS) => {
            let closed = path.ancestors().skip(1).find(|folder| open(folder).is_ok());
            closed.map_or(There::Nowhere, |folder| There::Behind(folder.to_owned()))
        }
        Err(_) => There::Nowhere,
    }
}
