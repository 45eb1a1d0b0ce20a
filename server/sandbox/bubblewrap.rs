//! Namespaces by the system's `bwrap`, if this program may not make them itself: on such a machine a security module
//! allows them to that program alone. Landlock, seccomp and the limits are applied inside, by this program.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::launcher::SUBCOMMAND;
use crate::private_folder::PrivateFolder;
use crate::spec::{SandboxSpec, ShowMode};

const PROGRAM: &str = "/usr/bin/bwrap";

/// The size of a page, which a file takes at least.
const PAGE: u64 = 4096;

/// The path of this program inside the sandbox.
const INSIDE: &str = "/run/wherefore-sandbox";

/// The file of [`make_covers`] that holds nothing.
const EMPTY: &str = "empty";

/// A folder of what covers files: one that is empty, and the bytes of those that show others, by their number.
pub(crate) fn make_covers(spec: &SandboxSpec) -> io::Result<PrivateFolder> {
    let folder = PrivateFolder::make()?;
    fs::write(folder.path().join(EMPTY), "")?;
    for (number, (_, bytes)) in spec.replacements().enumerate() {
        fs::write(folder.path().join(number.to_string()), bytes)?;
    }
    Ok(folder)
}

/// Returns the command that starts `program` in namespaces. The files that cover others are taken from `make_covers`.
pub(crate) fn bwrap_command(spec: &SandboxSpec, covers: &Path, program: &Path) -> Command {
    let mut command = Command::new(PROGRAM);
    // The helper is process 1, so that every process ends with it.
    command.args(["--unshare-all", "--as-pid-1", "--cap-drop", "ALL", "--hostname", "sandbox"]);
    command.args(["--proc", "/proc", "--dev", "/dev"]);
    // Each is a file system of its own, so the space is divided.
    let size = (spec.limits.scratch / 4).max(PAGE).to_string();
    for (folder, mode) in [("/dev/shm", "1777"), ("/tmp", "1777"), ("/var/tmp", "1777")] {
        match &spec.temporary {
            Some(kept) if folder == "/tmp" => command.arg("--bind").arg(kept.as_path()).arg(folder),
            _ => command.args(["--size", &size, "--perms", mode, "--tmpfs", folder]),
        };
    }
    command.args(["--remount-ro", "/dev", "--size", &size, "--tmpfs"]).arg(spec.home.as_path());
    for shown in &spec.shown {
        let path = shown.path.as_path();
        match &shown.how {
            ShowMode::Link(target) => command.arg("--symlink").arg(target.as_path()).arg(path),
            ShowMode::Writable => command.arg("--bind").arg(path).arg(path),
            ShowMode::ReadOnly | ShowMode::Listed => command.arg("--ro-bind").arg(path).arg(path),
        };
    }
    let mut covered = BTreeSet::new();
    for path in spec.protected.iter().map(|path| path.as_path()) {
        match reach_of(path) {
            PathReach::Here => drop(command.arg("--ro-bind").arg(path).arg(path)),
            PathReach::Behind(closed) => drop(covered.insert(closed)),
            PathReach::Nowhere => {}
        }
    }
    for path in spec.masked.iter().map(|path| path.as_path()) {
        match reach_of(path) {
            PathReach::Here => drop(covered.insert(path.to_owned())),
            PathReach::Behind(closed) => drop(covered.insert(closed)),
            PathReach::Nowhere => {}
        }
    }
    let replaced = spec.replacements().map(|(path, _)| path).enumerate();
    let replaced = replaced.map(|(number, path)| (path, number.to_string()));
    let emptied = spec.emptied.iter().map(|path| (path.as_path(), EMPTY.to_owned()));
    let mut bare: Vec<(&Path, String)> = Vec::new();
    for (path, cover) in emptied.chain(replaced) {
        match reach_of(path) {
            PathReach::Here => bare.push((path, cover)),
            PathReach::Behind(closed) => drop(covered.insert(closed)),
            PathReach::Nowhere => {}
        }
    }
    covered.iter().for_each(|path| close_path(&mut command, path));
    // The contents of a covered folder cannot be reached any more.
    let mut above: Vec<&Path> = covered.iter().map(PathBuf::as_path).collect();
    for (path, cover) in bare {
        if above.iter().any(|above| path.starts_with(above)) {
            continue;
        }
        if path.is_dir() {
            command.args(["--perms", "0555", "--tmpfs"]).arg(path).arg("--remount-ro").arg(path);
            above.push(path);
        } else {
            command.arg("--ro-bind").arg(covers.join(cover)).arg(path);
        }
    }
    let own = fs::canonicalize(program).unwrap_or_else(|_| program.to_owned());
    command.arg("--ro-bind").arg(own).arg(INSIDE).args(["--remount-ro", "/"]);
    command.args([OsString::from("--"), INSIDE.into(), SUBCOMMAND.into()]);
    command
}

fn close_path(command: &mut Command, path: &Path) {
    if path.is_dir() {
        command.args(["--perms", "0000", "--tmpfs"]).arg(path).arg("--remount-ro").arg(path);
    } else {
        command.args(["--ro-bind", "/dev/null"]).arg(path);
    }
}

/// The state of a path without symlinks on the way: `bwrap` would create a missing path, and follow a symlink.
enum PathReach {
    Here,
    /// Behind a folder that this process may not enter. The command could open it, if it owns it.
    Behind(PathBuf),
    Nowhere,
}

fn reach_of(path: &Path) -> PathReach {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let open = |path: &Path| rustix::fs::openat2(CWD, path, flags, Mode::empty(), strict);
    match open(path) {
        Ok(_) => PathReach::Here,
        Err(Errno::ACCESS) => {
            let closed = path.ancestors().skip(1).find(|folder| open(folder).is_ok());
            closed.map_or(PathReach::Nowhere, |folder| PathReach::Behind(folder.to_owned()))
        }
        Err(_) => PathReach::Nowhere,
    }
}
