//! Mounts: new ones, moved ones, and those that protect taken away.

use std::fs;
use std::io;
use std::path::Path;

use crate::inside::show_file;
use crate::sys;
use crate::table::Sign::{Changed, Leaked, Said};
use crate::table::{Attempt, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("mount a file system", Said, |at| {
        own_mounts();
        let (kind, target) = (sys::text("tmpfs"), sys::path(at.ws("sub")));
        sys::call(libc::SYS_mount, &[sys::at(&kind), sys::at(&target), sys::at(&kind), 0, 0])?;
        at.say("it is mounted");
        Ok(())
    }),
    attempt("bind the outside into the workspace", Leaked, |at| {
        own_mounts();
        bind(&at.outside(""), &at.ws("sub"), 0)?;
        show_file(at.ws("sub/secret"))
    }),
    attempt("bind through another process's root", Leaked, |at| {
        own_mounts();
        let root = if at.confined { "/proc/1/root" } else { "/proc/self/root" };
        bind(Path::new(&format!("{root}{}", at.outside("").display())), &at.ws("sub"), 0)?;
        show_file(at.ws("sub/secret"))
    }),
    attempt("mount a toolchain anew for writing", Changed, |at| {
        let flags = (libc::MS_REMOUNT | libc::MS_BIND) as usize;
        let target = sys::path(at.arena.join("tools"));
        sys::call(libc::SYS_mount, &[0, sys::at(&target), 0, flags, 0]).ok();
        fs::write(at.arena.join("tools/tool"), &at.word)
    }),
    attempt("set a mount's attributes", Changed, |at| {
        let attributes = [0_u64, 1, 0, 0];
        let target = sys::path(at.arena.join("tools"));
        let args = [sys::CWD, sys::at(&target), 0, attributes.as_ptr() as usize, 32];
        sys::call(libc::SYS_mount_setattr, &args).ok();
        fs::write(at.arena.join("tools/tool"), &at.word)
    }),
    attempt("unmount what protects git", Changed, |at| {
        let target = sys::path(at.ws(".git"));
        sys::call(libc::SYS_umount2, &[sys::at(&target), libc::MNT_DETACH as usize]).ok();
        fs::write(at.ws(".git/config"), &at.word)
    }),
    attempt("unmount in mounts of one's own", Changed, |at| {
        own_mounts();
        let target = sys::path(at.ws(".wherefore"));
        sys::call(libc::SYS_umount2, &[sys::at(&target), libc::MNT_DETACH as usize]).ok();
        fs::write(at.ws(".wherefore/session-log.md"), &at.word)
    }),
    attempt("make a file system by the new calls", Said, |at| {
        own_mounts();
        let kind = sys::text("tmpfs");
        let made = sys::call_fd(libc::SYS_fsopen, &[sys::at(&kind), 0])?;
        sys::call(libc::SYS_fsconfig, &[sys::raw(&made), 6, 0, 0, 0])?;
        let mount = sys::call_fd(libc::SYS_fsmount, &[sys::raw(&made), 0, 0])?;
        let (empty, target) = (sys::text(""), sys::path(at.ws("sub")));
        let args = [sys::raw(&mount), sys::at(&empty), sys::CWD, sys::at(&target), 4];
        sys::call(libc::SYS_move_mount, &args)?;
        at.say("it is mounted");
        Ok(())
    }),
    attempt("clone the root's mount", Leaked, |at| {
        own_mounts();
        let root = sys::text("/");
        let flags = (libc::OPEN_TREE_CLONE as usize) | libc::AT_RECURSIVE as usize;
        let tree = sys::call_fd(libc::SYS_open_tree, &[sys::CWD, sys::at(&root), flags])?;
        let path = at.outside("secret");
        show_file(format!("/proc/self/fd/{}{}", sys::raw(&tree), path.display()))
    }),
    attempt("pivot the root", Said, |at| {
        own_mounts();
        bind(&at.ws(""), &at.ws(""), libc::MS_REC)?;
        fs::create_dir_all(at.ws("old"))?;
        let (new, old) = (sys::path(at.ws("")), sys::path(at.ws("old")));
        // The control stops short of it: the mounts may be those of more than the control.
        if at.confined {
            sys::call(libc::SYS_pivot_root, &[sys::at(&new), sys::at(&old)])?;
        }
        at.say("it is pivoted");
        Ok(())
    }),
    attempt("change the root", Said, |at| {
        let root = sys::path(at.ws(""));
        sys::call(libc::SYS_unshare, &[libc::CLONE_NEWUSER as usize]).ok();
        sys::call(libc::SYS_chroot, &[sys::at(&root)])?;
        at.say("it is changed");
        Ok(())
    }),
    attempt("lay an overlay over the log", Said, |at| {
        own_mounts();
        for folder in ["upper", "work"] {
            fs::create_dir_all(at.ws(folder))?;
        }
        let kind = sys::text("overlay");
        let target = sys::path(at.ws("sub"));
        let option = sys::text(format!(
            "lowerdir={},upperdir={},workdir={},userxattr",
            at.ws("closed").display(),
            at.ws("upper").display(),
            at.ws("work").display()
        ));
        let args = [sys::at(&kind), sys::at(&target), sys::at(&kind), 0, sys::at(&option)];
        sys::call(libc::SYS_mount, &args)?;
        at.say("it is mounted");
        Ok(())
    }),
    attempt("open the device of user file systems", Said, |at| {
        sys::open("/dev/fuse", libc::O_RDWR, 0)?;
        at.say("it is open");
        Ok(())
    }),
    attempt("share mounts with the host", Changed, |at| {
        own_mounts();
        let root = sys::text("/");
        let shared = (libc::MS_REC | libc::MS_SHARED) as usize;
        if at.confined {
            sys::call(libc::SYS_mount, &[0, sys::at(&root), 0, shared, 0]).ok();
        }
        bind(&at.ws("sub"), &at.outside("names"), 0)?;
        fs::write(at.outside("names/keep"), &at.word)
    })
    .root(),
];

/// Mounts of the attempt's own, if they are to be had; what follows fails without them. Root's control has some.
fn own_mounts() {
    let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
    if uid == 0 && !std::env::args().any(|arg| arg == "confined=1") {
        return;
    }
    sys::call(libc::SYS_unshare, &[libc::CLONE_NEWNS as usize]).ok();
    if sys::call(libc::SYS_unshare, &[(libc::CLONE_NEWUSER | libc::CLONE_NEWNS) as usize]).is_ok() {
        fs::write("/proc/self/setgroups", "deny").ok();
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")).ok();
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")).ok();
    }
}

fn bind(from: &Path, to: &Path, more: u64) -> io::Result<()> {
    let (from, to) = (sys::path(from), sys::path(to));
    let flags = (libc::MS_BIND | more) as usize;
    sys::call(libc::SYS_mount, &[sys::at(&from), sys::at(&to), 0, flags, 0]).map(|_| ())
}
