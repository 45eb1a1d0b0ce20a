//! Namespaces by the system's `bwrap`, where this program may not make them itself: on such a machine a security module
//! allows them to that program alone. Landlock, seccomp and the limits are applied inside, by this program.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use crate::launcher::SUBCOMMAND;
use crate::spec::{How, Spec};

const PROGRAM: &str = "/usr/bin/bwrap";

/// Where the sandbox shows this program.
const INSIDE: &str = "/run/wherefore-sandbox";

/// The command that starts `program` in namespaces.
pub(crate) fn command(spec: &Spec, program: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(["--unshare-all", "--cap-drop", "ALL", "--hostname", "sandbox"]);
    command.args(["--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"]);
    command.args(["--perms", "1777", "--tmpfs", "/var/tmp"]);
    command.arg("--tmpfs").arg(spec.home.as_path());
    for shown in &spec.shown {
        let path = shown.path.as_path();
        match &shown.how {
            How::Link(target) => command.arg("--symlink").arg(target.as_path()).arg(path),
            How::Writable => command.arg("--bind").arg(path).arg(path),
            How::ReadOnly | How::Listed => command.arg("--ro-bind").arg(path).arg(path),
        };
    }
    for path in spec.protected.iter().map(|path| path.as_path()).filter(|path| is_there(path)) {
        command.arg("--ro-bind").arg(path).arg(path);
    }
    for path in spec.masked.iter().map(|path| path.as_path()).filter(|path| is_there(path)) {
        cover(&mut command, path);
    }
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

/// Whether `path` is there, with no symlink on the way: `bwrap` would make what is missing, and follow the symlink.
fn is_there(path: &Path) -> bool {
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty(), strict)
        .is_ok()
}
