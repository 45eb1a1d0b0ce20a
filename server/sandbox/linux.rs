//! The system calls that no safe crate wraps. All unsafe code of the project is here; each block has the reason why
//! it is sound.
//!
//! The functions that fork are for the process that `enter` runs in, which has one thread.
//!
//! # Invariants
//!
//! - No `unsafe` code of the server is outside of `sandbox/linux.rs`.
//!   Test: `unsafe_code_stands_in_one_file`
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use rustix::process::Pid;

use crate::spec::UsedByAll;

/// The restriction of a mount, in the form that `mount_setattr` takes.
#[derive(Clone, Copy)]
pub(crate) enum MountChange {
    /// No set-user-id bits and no device files.
    Plain,
    /// Like `Plain`, and nothing may be written.
    ReadOnly,
    /// No mount event goes to another namespace, nor comes from one.
    Private,
}

/// An instruction of a classic BPF program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BpfInstruction {
    /// The operation.
    pub(crate) code: u16,
    /// The number of instructions that a jump skips if its test holds.
    pub(crate) if_true: u8,
    /// The number of instructions that a jump skips if its test fails.
    pub(crate) if_false: u8,
    /// The operand.
    pub(crate) operand: u32,
}

/// The use of a process and its descendants, as counted by the kernel.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UsedResources {
    /// The processor time, of user and system together.
    pub(crate) cpu: Duration,
    /// The resident memory of the largest process, in bytes.
    pub(crate) largest: u64,
}

impl UsedResources {
    /// Converts this to the form that is sent to the server.
    pub(crate) fn to_used_by_all(self) -> UsedByAll {
        let cpu_us = u64::try_from(self.cpu.as_micros()).unwrap_or(u64::MAX);
        UsedByAll { cpu_us, largest: self.largest }
    }
}

fn check_result(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Moves this process into a user namespace of its own.
pub(crate) fn unshare_user() -> io::Result<()> {
    // SAFETY: the call takes a number and touches no memory.
    check_result(libc::c_long::from(unsafe { libc::unshare(libc::CLONE_NEWUSER) })).map(drop)
}

/// Moves this process into a mount namespace of its own.
pub(crate) fn unshare_mounts() -> io::Result<()> {
    // SAFETY: the call takes a number and touches no memory.
    check_result(libc::c_long::from(unsafe { libc::unshare(libc::CLONE_NEWNS) })).map(drop)
}

/// Moves this process into a network namespace of its own.
pub(crate) fn unshare_network() -> io::Result<()> {
    // SAFETY: the call takes a number and touches no memory.
    check_result(libc::c_long::from(unsafe { libc::unshare(libc::CLONE_NEWNET) })).map(drop)
}

/// Forks into all namespaces but those of users and of mounts; `keeps_network` stays in the network of this process. The
/// child gets `None`.
pub(crate) fn fork_into_namespaces(keeps_network: bool) -> io::Result<Option<Pid>> {
    let network = if keeps_network { 0 } else { libc::CLONE_NEWNET };
    fork_with(network | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWCGROUP)
}

/// Forks. The child gets `None`.
pub(crate) fn fork_process() -> io::Result<Option<Pid>> {
    fork_with(0)
}

fn fork_with(namespaces: libc::c_int) -> io::Result<Option<Pid>> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without CLONE_VM the child has a copy of the memory, as after fork(2). This process has one thread, so no
    // lock is held by a thread that the child lacks. The pointers are null, which the flags allow.
    let pid =
        check_result(unsafe { libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize) })?;
    Ok(Pid::from_raw(i32::try_from(pid).unwrap_or_default()))
}

/// Changes what the mount at `fd` may do; `deep` changes the mounts below it too.
pub(crate) fn change_mount(fd: impl AsFd, change: MountChange, deep: bool) -> io::Result<()> {
    let plain = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    let (attr_set, propagation) = match change {
        MountChange::Plain => (plain, 0),
        MountChange::ReadOnly => (plain | libc::MOUNT_ATTR_RDONLY, 0),
        MountChange::Private => (0, libc::MS_PRIVATE),
    };
    let attributes = libc::mount_attr { attr_set, attr_clr: 0, propagation, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH | if deep { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path is a string that ends with a zero, and the structure lives through the call, with its true size.
    check_result(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            fd.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    })
    .map(drop)
}

/// Brings the loopback device of this network namespace up.
pub(crate) fn loopback_up(socket: impl AsFd) -> io::Result<()> {
    // SAFETY: the structure is plain data, for which zeros are a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
        *to = from.cast_signed();
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: SIOCSIFFLAGS reads one `ifreq`, which lives through the call.
    let result = unsafe { libc::ioctl(socket.as_fd().as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    check_result(libc::c_long::from(result)).map(drop)
}

/// Closes every descriptor from 3 on. Only a process that has opened none itself may call it.
pub(crate) fn close_inherited() -> io::Result<()> {
    // SAFETY: the call takes numbers. The caller has just been executed and owns no descriptor yet, so none closes under an
    // owner.
    check_result(unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) }).map(drop)
}

/// Closes every descriptor from 3 on. Only a process that goes on with nothing of what it has opened may call it.
pub(crate) fn close_others() -> io::Result<()> {
    // SAFETY: the call takes numbers. The caller never returns to the owners of these descriptors: it exits from what it
    // does next.
    check_result(unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, 0_u32) }).map(drop)
}

/// Marks every descriptor from 3 on, so that it closes when another program is executed.
pub(crate) fn close_on_exec() -> io::Result<()> {
    // SAFETY: the call takes numbers. With CLOSE_RANGE_CLOEXEC no descriptor closes that an owner here still holds.
    check_result(unsafe { libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) })
        .map(drop)
}

/// Gives every signal that this process ignores its default action back, and blocks none.
pub(crate) fn default_signals() {
    // SAFETY: SIG_DFL is an action that every signal number takes, and an empty set lives through the call.
    unsafe {
        for signal in [libc::SIGPIPE, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGTSTP]
        {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Ignores the signals that a terminal sends to its foreground group, so that the command alone answers them.
pub(crate) fn ignore_terminal_signals() {
    // SAFETY: SIG_IGN is an action that these signal numbers take.
    unsafe {
        for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTSTP, libc::SIGHUP] {
            libc::signal(signal, libc::SIG_IGN);
        }
    }
}

/// Confines this process by a seccomp filter. It needs `no_new_privs`.
pub(crate) fn filter_system_calls(program: &[BpfInstruction]) -> io::Result<()> {
    let filter: Vec<libc::sock_filter> = program
        .iter()
        .map(|at| libc::sock_filter { code: at.code, jt: at.if_true, jf: at.if_false, k: at.operand })
        .collect();
    let len = u16::try_from(filter.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let program = libc::sock_fprog { len, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the program points to `len` instructions, which live through the call; the kernel copies them.
    check_result(unsafe {
        libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0_u32, &raw const program)
    })
    .map(drop)
}

/// Executes `program` in place of this one. It returns only the error.
pub(crate) fn replace_process(
    program: &CString,
    arguments: &[CString],
    environment: &[CString],
) -> io::Error {
    let pointers = |texts: &[CString]| -> Vec<*const libc::c_char> {
        texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
    };
    let (arguments, environment) = (pointers(arguments), pointers(environment));
    // SAFETY: both arrays end with a null pointer, and each other pointer is to a string that ends with a zero.
    unsafe { libc::execve(program.as_ptr(), arguments.as_ptr(), environment.as_ptr()) };
    io::Error::last_os_error()
}

/// The version of Landlock's interface; 0 if there is none.
pub(crate) fn landlock_version() -> i32 {
    const VERSION: u32 = 1;
    // SAFETY: with this flag the call takes no structure, so a null pointer of size zero is what it wants.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, VERSION) };
    i32::try_from(version).unwrap_or_default().max(0)
}

/// Kills every other process of the namespace that this one is the first of. Elsewhere it kills none.
pub(crate) fn kill_namespace() {
    if std::process::id() == 1 {
        // SAFETY: the call takes numbers and touches no memory.
        unsafe { libc::kill(-1, libc::SIGKILL) };
    }
}

/// Returns the use of this process's descendants that it waited for.
pub(crate) fn used_by_children() -> UsedResources {
    used_by(libc::RUSAGE_CHILDREN)
}

/// Returns the use of this process itself.
pub(crate) fn used_by_itself() -> UsedResources {
    used_by(libc::RUSAGE_SELF)
}

fn used_by(who: libc::c_int) -> UsedResources {
    // SAFETY: the structure is plain data, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes one `rusage`, which lives through it.
    unsafe { libc::getrusage(who, &raw mut usage) };
    let time = |at: libc::timeval| {
        Duration::from_secs(at.tv_sec.unsigned_abs()) + Duration::from_micros(at.tv_usec.unsigned_abs())
    };
    UsedResources {
        cpu: time(usage.ru_utime) + time(usage.ru_stime),
        largest: usage.ru_maxrss.unsigned_abs() * 1024,
    }
}
