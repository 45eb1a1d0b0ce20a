//! Signals, tracing, and other hands on processes of the host.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use crate::inside::{Inside, any, show};
use crate::sys;
use crate::table::Sign::{Harmed, Leaked};
use crate::table::{Attempt, Need, attempt};

const KILL: usize = libc::SIGKILL as usize;

const fn victim(name: &'static str, sign: crate::table::Sign, act: fn(&Inside) -> io::Result<()>) -> Attempt {
    attempt(name, sign, act).need(Need::Victim)
}

fn pid(at: &Inside) -> usize {
    at.number("victim") as usize
}

pub(super) const ROWS: &[Attempt] = &[
    victim("kill a process of the host", Harmed, |at| {
        sys::call(libc::SYS_kill, &[pid(at), KILL]).map(|_| ())
    }),
    victim("kill a thread of the host", Harmed, |at| {
        sys::call(libc::SYS_tgkill, &[pid(at), pid(at), KILL]).map(|_| ())
    }),
    victim("kill a group of the host", Harmed, |at| {
        let group = (-at.number("victim")) as usize;
        sys::call(libc::SYS_kill, &[group, KILL]).map(|_| ())
    }),
    victim("queue a signal", Harmed, |at| {
        let mut info = [0_i32; 32];
        (info[0], info[2]) = (libc::SIGTERM, libc::SI_QUEUE);
        let args = [pid(at), libc::SIGTERM as usize, info.as_ptr() as usize];
        sys::call(libc::SYS_rt_sigqueueinfo, &args).map(|_| ())
    }),
    victim("signal through a descriptor of the process", Harmed, |at| {
        let fd = pidfd(at)?;
        sys::call(libc::SYS_pidfd_send_signal, &[sys::raw(&fd), KILL, 0, 0]).map(|_| ())
    }),
    victim("have the kernel signal it when a pipe is ready", Harmed, |at| {
        let mut ends = [0_i32; 2];
        let pair = [libc::AF_UNIX as usize, libc::SOCK_STREAM as usize, 0, ends.as_mut_ptr() as usize];
        sys::call(libc::SYS_socketpair, &pair)?;
        let read = ends[0] as usize;
        sys::call(libc::SYS_fcntl, &[read, libc::F_SETOWN as usize, pid(at)])?;
        sys::call(libc::SYS_fcntl, &[read, 10, libc::SIGTERM as usize])?;
        sys::call(libc::SYS_fcntl, &[read, libc::F_SETFL as usize, libc::O_ASYNC as usize])?;
        sys::call(libc::SYS_write, &[ends[1] as usize, c"x".as_ptr() as usize, 1]).map(|_| ())
    }),
    victim("kill all that one may", Harmed, |at| {
        if !at.confined && at.fact("alone").is_empty() {
            return Err(io::Error::other("it would end all processes of a real user"));
        }
        sys::call(libc::SYS_kill, &[-1_isize as usize, KILL]).map(|_| ())
    })
    .user(),
    victim("set a process's limits", Harmed, |at| {
        let limit = libc::rlimit { rlim_cur: 7, rlim_max: 4096 };
        let args = [pid(at), libc::RLIMIT_NOFILE as usize, &raw const limit as usize, 0];
        sys::call(libc::SYS_prlimit64, &args).map(|_| ())
    }),
    victim("set a process's priority", Harmed, |at| {
        sys::call(libc::SYS_setpriority, &[0, pid(at), 15]).map(|_| ())
    }),
    victim("set a process's processors", Harmed, |at| {
        let one = [1_u64; 1];
        sys::call(libc::SYS_sched_setaffinity, &[pid(at), 8, one.as_ptr() as usize]).map(|_| ())
    }),
    victim("have a process killed first for memory", Harmed, |at| {
        fs::write(format!("/proc/{}/oom_score_adj", pid(at)), "900")
    }),
    victim("stop a process by tracing it", Harmed, |at| {
        for pid in at.victims() {
            if sys::call(libc::SYS_ptrace, &[libc::PTRACE_ATTACH as usize, pid as usize]).is_ok() {
                sys::sleep(1000);
            }
        }
        Ok(())
    }),
    victim("end a process by tracing it", Harmed, |at| {
        let options = libc::PTRACE_O_EXITKILL as usize;
        sys::call(libc::SYS_ptrace, &[libc::PTRACE_SEIZE as usize, pid(at), 0, options]).map(|_| ())
    }),
    victim("read a process's memory", Leaked, |at| {
        let mut held = [0_u8; 64];
        vector(at, libc::SYS_process_vm_readv, held.as_mut_ptr() as usize)?;
        show(held);
        Ok(())
    }),
    victim("write a process's memory", Harmed, |at| {
        let text = [b'w'; 64];
        vector(at, libc::SYS_process_vm_writev, text.as_ptr() as usize)
    }),
    victim("write a process's memory as a file", Harmed, |at| {
        let memory = fs::File::options().write(true).open(format!("/proc/{}/mem", pid(at)))?;
        std::os::unix::fs::FileExt::write_at(&memory, &[b'w'; 64], address(at)? as u64).map(|_| ())
    }),
    victim("take a descriptor from a process", Leaked, |at| {
        let fd = pidfd(at)?;
        let taken = sys::call_fd(libc::SYS_pidfd_getfd, &[sys::raw(&fd), 5, 0])?;
        show(io::read_to_string(fs::File::open(format!("/proc/self/fd/{}", sys::raw(&taken)))?)?);
        Ok(())
    }),
    victim("take descriptors from process 1", Leaked, |at| {
        for pid in at.victims() {
            let opened = sys::call_fd(libc::SYS_pidfd_open, &[pid as usize, 0])?;
            for number in 0..64 {
                let taken = sys::call_fd(libc::SYS_pidfd_getfd, &[sys::raw(&opened), number, 0]);
                let Ok(fd) = taken else { continue };
                let path = format!("/proc/self/fd/{}", sys::raw(&fd));
                any([crate::inside::show_file(format!("{path}/outside/secret")), regular(&path)]).ok();
            }
        }
        Ok(())
    }),
];

fn regular(path: &str) -> io::Result<()> {
    if fs::metadata(path)?.is_file() { crate::inside::show_file(path) } else { Ok(()) }
}

fn pidfd(at: &Inside) -> io::Result<OwnedFd> {
    sys::call_fd(libc::SYS_pidfd_open, &[pid(at), 0])
}

fn address(at: &Inside) -> io::Result<usize> {
    at.fact("address").parse().map_err(io::Error::other)
}

/// Copies between the attempt's memory and the victim's.
fn vector(at: &Inside, number: i64, local: usize) -> io::Result<()> {
    let own = libc::iovec { iov_base: local as *mut _, iov_len: 64 };
    let its = libc::iovec { iov_base: address(at)? as *mut _, iov_len: 64 };
    let args = [pid(at), &raw const own as usize, 1, &raw const its as usize, 1, 0];
    sys::call(number, &args).map(|_| ())
}
