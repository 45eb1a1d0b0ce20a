//! New namespaces, in which one would be root again, and namespaces of others.

use std::fs;
use std::io;

use crate::inside::{Inside, any};
use crate::sys;
use crate::table::Sign::Said;
use crate::table::{Attempt, Need, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("unshare the users", Said, |at| unshare(at, libc::CLONE_NEWUSER)),
    attempt("unshare the mounts", Said, |at| unshare(at, libc::CLONE_NEWNS)),
    attempt("unshare the network", Said, |at| unshare(at, libc::CLONE_NEWNET)),
    attempt("unshare the processes", Said, |at| unshare(at, libc::CLONE_NEWPID)),
    attempt("unshare the control groups", Said, |at| unshare(at, libc::CLONE_NEWCGROUP)),
    attempt("unshare the clock", Said, |at| unshare(at, 0x80)),
    attempt("clone into new users", Said, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD) as usize;
        cloned(at, sys::call(libc::SYS_clone, &[flags, 0, 0, 0, 0])?)
    }),
    attempt("clone with flags in the upper half", Said, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD) as usize | 0xdead_0000_0000_0000;
        cloned(at, sys::call(libc::SYS_clone, &[flags, 0, 0, 0, 0])?)
    }),
    attempt("clone anew into new users", Said, |at| {
        let args = [libc::CLONE_NEWUSER as u64, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
        cloned(at, sys::call(libc::SYS_clone3, &[args.as_ptr() as usize, 64])?)
    }),
    attempt("become root in users of one's own", Said, |at| {
        let (uid, gid) = unsafe { (libc::getuid(), libc::getgid()) };
        sys::call(libc::SYS_unshare, &[libc::CLONE_NEWUSER as usize])?;
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/gid_map", format!("0 {gid} 1"))?;
        fs::write("/proc/self/uid_map", format!("0 {uid} 1"))?;
        sys::call(libc::SYS_setresuid, &[0, 0, 0])?;
        at.say("it is root");
        Ok(())
    }),
    attempt("raise the limit of namespaces", Said, |at| {
        for (limit, most) in [("user", "100"), ("mnt", "100"), ("net", "100")] {
            if at.confined {
                fs::write(format!("/proc/sys/user/max_{limit}_namespaces"), most).ok();
            }
        }
        unshare(at, libc::CLONE_NEWUSER)
    }),
    attempt("enter the namespaces of another process", Said, |at| {
        let kinds = ["net", "mnt", "pid", "ipc", "uts", "cgroup"];
        let paths =
            at.victims().into_iter().flat_map(|pid| kinds.map(|kind| format!("/proc/{pid}/ns/{kind}")));
        any(paths.map(|path| {
            let fd = sys::open(path, libc::O_RDONLY, 0)?;
            sys::call(libc::SYS_setns, &[sys::raw(&fd), 0])
        }))?;
        at.say("one is entered");
        Ok(())
    })
    .need(Need::Victim)
    .root(),
    attempt("enter them by a descriptor of the process", Said, |at| {
        any(at.victims().into_iter().map(|pid| {
            let fd = sys::call_fd(libc::SYS_pidfd_open, &[pid as usize, 0])?;
            sys::call(libc::SYS_setns, &[sys::raw(&fd), (libc::CLONE_NEWNET | libc::CLONE_NEWUTS) as usize])
        }))?;
        at.say("they are entered");
        Ok(())
    })
    .need(Need::Victim)
    .root(),
    attempt("take back what was dropped", Said, |at| {
        let (uid, keep) = (unsafe { libc::getuid() }, libc::PR_SET_KEEPCAPS as usize);
        sys::call(libc::SYS_prctl, &[keep, 1]).ok();
        sys::call(libc::SYS_setresuid, &[uid as usize, uid as usize, uid as usize])?;
        capable(at)
    })
    .root(),
    attempt("be capable of more than a user is", Said, capable).root(),
    attempt("become another user", Said, |at| {
        any([12_345_usize, 1, 65_534].map(|uid| sys::call(libc::SYS_setresuid, &[uid, uid, uid])))?;
        at.say("it is another");
        Ok(())
    })
    .root(),
    attempt("join another group", Said, |at| {
        let groups = [0_u32, 6, 42];
        let number = libc::SYS_setgroups;
        sys::call(number, &[3, groups.as_ptr() as usize])?;
        at.say("it is joined");
        Ok(())
    })
    .root(),
];

fn unshare(at: &Inside, kind: i32) -> io::Result<()> {
    let alone = sys::call(libc::SYS_unshare, &[kind as usize]);
    let with_users = || sys::call(libc::SYS_unshare, &[(kind | libc::CLONE_NEWUSER) as usize]);
    alone.or_else(|_| with_users())?;
    at.say("it is unshared");
    Ok(())
}

/// The two sides of a clone.
fn cloned(at: &Inside, pid: i64) -> io::Result<()> {
    if pid == 0 {
        unsafe { libc::_exit(0) };
    }
    sys::wait(pid as i32);
    at.say("it is cloned");
    Ok(())
}

fn capable(at: &Inside) -> io::Result<()> {
    let status = fs::read_to_string("/proc/self/status")?;
    let empty = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0");
        u64::from_str_radix(line.trim(), 16) == Ok(0)
    };
    let kinds = ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"];
    let kept: Vec<&str> = kinds.into_iter().filter(|kind| !empty(kind)).collect();
    if !kept.is_empty() {
        at.say(&format!("{kept:?} are not empty"));
    }
    Ok(())
}
