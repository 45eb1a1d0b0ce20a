//! Processes that want to live longer than they may.

use std::io;
use std::time::{Duration, Instant};

use crate::inside::show;
use crate::sys;
use crate::table::Sign::{Alive, Overran};
use crate::table::{Attempt, Need, attempt};

/// The lifetime of an attempt's daemon, if it is not ended before.
const LIFE: u64 = 4000;

pub(super) const ROWS: &[Attempt] = &[
    attempt("leave a daemon", Alive, |_| daemon(1, true)),
    attempt("leave many daemons", Alive, |_| daemon(20, true)),
    attempt("leave a child that keeps the output open", Overran, |_| daemon(1, false)),
    attempt("leave a child that forks for ever", Alive, |_| {
        sys::fork(|| {
            detach(true);
            chain(Instant::now() + Duration::from_millis(LIFE));
        })?;
        sys::sleep(50);
        Ok(())
    }),
    attempt("leave a stopped child", Alive, |_| {
        sys::fork(|| {
            detach(true);
            unsafe { libc::raise(libc::SIGSTOP) };
            sys::sleep(LIFE);
        })?;
        sys::sleep(50);
        Ok(())
    }),
    attempt("leave a child that adopts", Alive, |_| {
        sys::fork(|| {
            detach(true);
            sys::call(libc::SYS_prctl, &[libc::PR_SET_CHILD_SUBREAPER as usize, 1]).ok();
            sys::fork(|| sys::sleep(LIFE)).ok();
            sys::sleep(LIFE);
        })?;
        sys::sleep(50);
        Ok(())
    }),
    attempt("leave a child of the launcher", Alive, |_| {
        let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as usize;
        if sys::call(libc::SYS_clone, &[flags, 0, 0, 0, 0])? == 0 {
            detach(true);
            sys::sleep(LIFE);
            unsafe { libc::_exit(0) };
        }
        sys::sleep(50);
        Ok(())
    }),
    attempt("outlive the time limit", Overran, |_| {
        ignore_all();
        sys::sleep(LIFE);
        Ok(())
    })
    .limit(500, 1500),
    attempt("outlive the time limit in the background", Alive, |_| {
        daemon(3, true)?;
        ignore_all();
        sys::sleep(900);
        Ok(())
    })
    .limit(500, 2000),
    attempt("outlive the time limit while busy", Overran, |_| {
        ignore_all();
        let end = Instant::now() + Duration::from_millis(LIFE);
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        Ok(())
    })
    .limit(500, 1500),
    attempt("outlive the time limit while stopped", Overran, |_| {
        unsafe { libc::raise(libc::SIGSTOP) };
        Ok(())
    })
    .limit(500, 1500),
    attempt("outlive the time limit with no streams", Overran, |at| {
        show(format!("closing {}", at.word));
        for fd in 0..3 {
            unsafe { libc::close(fd) };
        }
        ignore_all();
        sys::sleep(LIFE);
        Ok(())
    })
    .limit(500, 1500),
    attempt("outlive a launcher that is killed", Alive, |_| {
        daemon(2, false)?;
        ignore_all();
        sys::sleep(LIFE);
        Ok(())
    })
    .need(Need::Signal(libc::SIGKILL)),
    attempt("outlive a launcher that is asked to end", Alive, |_| {
        daemon(2, false)?;
        sys::sleep(LIFE);
        Ok(())
    })
    .need(Need::Signal(libc::SIGTERM)),
    attempt("kill what watches it and live on", Overran, |at| {
        if at.confined {
            for pid in super::proc::pids() {
                if pid != std::process::id() as i32 {
                    sys::call(libc::SYS_kill, &[pid as usize, libc::SIGKILL as usize]).ok();
                    sys::call(libc::SYS_kill, &[pid as usize, libc::SIGSTOP as usize]).ok();
                }
            }
            sys::call(libc::SYS_kill, &[1, libc::SIGSTOP as usize]).ok();
        }
        sys::sleep(LIFE);
        Ok(())
    })
    .limit(500, 1500),
];

/// Ignores all signals that can be ignored.
fn ignore_all() {
    for signal in 1..32 {
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// A session of its own, no streams, no signals.
fn detach(quiet: bool) {
    unsafe { libc::setsid() };
    ignore_all();
    for fd in 0..3 {
        if quiet {
            unsafe { libc::close(fd) };
        }
    }
}

/// Forks twice, `count` times.
fn daemon(count: usize, quiet: bool) -> io::Result<()> {
    for _ in 0..count {
        let child = sys::fork(|| {
            detach(quiet);
            sys::fork(|| sys::sleep(LIFE)).ok();
        })?;
        sys::wait(child);
    }
    Ok(())
}

/// Each process lives for a moment and leaves another one.
fn chain(end: Instant) {
    while Instant::now() < end {
        let next = unsafe { libc::fork() };
        if next != 0 {
            unsafe { libc::_exit(0) };
        }
        sys::sleep(30);
    }
}
