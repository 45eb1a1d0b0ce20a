//! Files that endanger a user who touches them later: setuid files, devices, pipes, and such.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Command;

use crate::inside::Inside;
use crate::sys;
use crate::table::Sign::{Planted, Said};
use crate::table::{Attempt, attempt};

const SETS_USER: u32 = 0o4755;

pub(super) const ROWS: &[Attempt] = &[
    attempt("make a file set the user", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        fs::set_permissions(at.ws("tool"), fs::Permissions::from_mode(SETS_USER))
    }),
    attempt("make a file set the group", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        fs::set_permissions(at.ws("tool"), fs::Permissions::from_mode(0o2755))
    }),
    attempt("set the mode by a descriptor", Planted, |at| {
        let fd = sys::open(at.ws("tool"), libc::O_CREAT | libc::O_WRONLY, 0o755)?;
        sys::call(libc::SYS_fchmod, &[sys::raw(&fd), SETS_USER as usize]).map(|_| ())
    }),
    attempt("set the mode by the old call", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        let path = sys::path(at.ws("tool"));
        #[cfg(target_arch = "x86_64")]
        return sys::call(libc::SYS_chmod, &[sys::at(&path), SETS_USER as usize]).map(|_| ());
        #[cfg(not(target_arch = "x86_64"))]
        sys::call(libc::SYS_fchmodat, &[sys::CWD, sys::at(&path), SETS_USER as usize]).map(|_| ())
    }),
    attempt("set the mode by the newest call", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        let path = sys::path(at.ws("tool"));
        sys::call(452, &[sys::CWD, sys::at(&path), SETS_USER as usize, 0]).map(|_| ())
    }),
    attempt("open a file with that mode", Planted, |at| {
        sys::open(at.ws("tool"), libc::O_CREAT | libc::O_WRONLY, SETS_USER).map(|_| ())
    }),
    attempt("open it by the newer call", Planted, |at| {
        let how = [(libc::O_CREAT | libc::O_WRONLY) as u64, u64::from(SETS_USER), 0];
        let path = sys::path(at.ws("tool"));
        sys::call(libc::SYS_openat2, &[sys::CWD, sys::at(&path), how.as_ptr() as usize, 24]).map(|_| ())
    }),
    attempt("create a file with that mode", Planted, |at| {
        let path = sys::path(at.ws("tool"));
        #[cfg(target_arch = "x86_64")]
        return sys::call(libc::SYS_creat, &[sys::at(&path), SETS_USER as usize]).map(|_| ());
        #[cfg(not(target_arch = "x86_64"))]
        Err(io::Error::other(format!("{path:?}: this processor has no such call")))
    }),
    attempt("link a nameless file with that mode", Planted, |at| {
        let fd = sys::open(at.ws(""), libc::O_TMPFILE | libc::O_WRONLY, SETS_USER)?;
        let (old, new) = (sys::text(format!("/proc/self/fd/{}", sys::raw(&fd))), sys::path(at.ws("tool")));
        let follow = libc::AT_SYMLINK_FOLLOW as usize;
        sys::call(libc::SYS_linkat, &[sys::CWD, sys::at(&old), sys::CWD, sys::at(&new), follow]).map(|_| ())
    }),
    attempt("make a node with that mode", Planted, |at| node(at, libc::S_IFREG | SETS_USER, 0)),
    attempt("give a file a capability", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        let value: Vec<u8> = [0x0200_0001_u32, 0xffff_ffff, 0, 0x1ff, 0].map(u32::to_le_bytes).concat();
        attribute(at, "security.capability", &value)
    })
    .root(),
    attempt("give a file a trusted attribute", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        attribute(at, "trusted.wherefore", b"x")
    })
    .root(),
    attempt("give a file to another user", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        chown(at.ws("tool"), Some(12_345), Some(12_345))
    })
    .root(),
    attempt("make a file that nobody can change", Planted, |at| {
        fs::write(at.ws("tool"), "x")?;
        sys::set_immutable(&at.ws("tool"), true)
    })
    .root(),
    attempt("make a node of a device", Planted, |at| node(at, libc::S_IFCHR | 0o666, 0x0101)).root(),
    attempt("make a node of a disk", Planted, |at| node(at, libc::S_IFBLK | 0o666, 0xfe00)).root(),
    attempt("make what an overlay takes for a hole", Planted, |at| node(at, libc::S_IFCHR, 0)),
    attempt("leave a pipe for the host to read", Planted, |at| node(at, libc::S_IFIFO | 0o666, 0)),
    attempt("put a pipe in a file's place", Planted, |at| {
        fs::remove_file(at.ws("README.md"))?;
        let path = sys::path(at.ws("README.md"));
        let mode = (libc::S_IFIFO | 0o666) as usize;
        sys::call(libc::SYS_mknodat, &[sys::CWD, sys::at(&path), mode, 0]).map(|_| ())
    }),
    attempt("leave a core dump", Planted, |at| {
        let limit = [libc::RLIM_INFINITY; 2];
        sys::call(libc::SYS_setrlimit, &[libc::RLIMIT_CORE as usize, limit.as_ptr() as usize])?;
        std::env::set_current_dir(at.ws(""))?;
        let child = sys::fork(|| unsafe { libc::abort() })?;
        sys::wait(child);
        Ok(())
    }),
    attempt("say that a file is longer than the disk", Planted, |at| {
        let fd = sys::open(at.ws("long"), libc::O_CREAT | libc::O_WRONLY, 0o644)?;
        sys::call(libc::SYS_ftruncate, &[sys::raw(&fd), 1 << 40]).map(|_| ())
    }),
    attempt("run a program that sets the user", Said, |at| {
        let told = Command::new(at.arena.join("tools/setter")).arg("-u").output()?;
        if told.stdout == b"0\n" {
            at.say("it runs as root");
        }
        Ok(())
    })
    .user()
    .stage(|scene| {
        let tool = scene.arena.at("tools/setter");
        if unsafe { libc::getuid() } == 0 {
            fs::copy("/usr/bin/id", &tool).unwrap();
            chown(&tool, Some(0), Some(0)).unwrap();
            fs::set_permissions(&tool, fs::Permissions::from_mode(SETS_USER)).unwrap();
        }
    }),
];

fn node(at: &Inside, mode: u32, device: usize) -> io::Result<()> {
    let path = sys::path(at.ws("node"));
    sys::call(libc::SYS_mknodat, &[sys::CWD, sys::at(&path), mode as usize, device]).map(|_| ())
}

fn attribute(at: &Inside, name: &str, value: &[u8]) -> io::Result<()> {
    let (path, name) = (sys::path(at.ws("tool")), sys::text(name));
    let args = [sys::at(&path), sys::at(&name), value.as_ptr() as usize, value.len(), 0];
    sys::call(libc::SYS_setxattr, &args).map(|_| ())
}
