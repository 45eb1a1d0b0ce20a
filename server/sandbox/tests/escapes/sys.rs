//! System calls as an attacker makes them: by number, with nothing in between.

use std::ffi::CString;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A system call's answer, or its error.
pub(crate) fn call(number: i64, args: &[usize]) -> io::Result<i64> {
    let arg = |at: usize| args.get(at).copied().unwrap_or(0);
    let done = unsafe { libc::syscall(number, arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)) };
    checked(done)
}

pub(crate) fn checked(done: i64) -> io::Result<i64> {
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(done) }
}

/// A system call that answers with a descriptor.
pub(crate) fn call_fd(number: i64, args: &[usize]) -> io::Result<OwnedFd> {
    let fd = call(number, args)?;
    Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
}

pub(crate) fn text(value: impl AsRef<[u8]>) -> CString {
    CString::new(value.as_ref()).unwrap()
}

pub(crate) fn path(value: impl AsRef<Path>) -> CString {
    text(value.as_ref().as_os_str().as_bytes())
}

pub(crate) fn at(value: &CString) -> usize {
    value.as_ptr() as usize
}

pub(crate) fn raw(fd: &impl AsRawFd) -> usize {
    fd.as_raw_fd() as usize
}

pub(crate) const CWD: usize = libc::AT_FDCWD as usize;

pub(crate) fn open(name: impl AsRef<Path>, flags: i32, mode: u32) -> io::Result<OwnedFd> {
    call_fd(libc::SYS_openat, &[CWD, at(&path(name)), flags as usize, mode as usize])
}

pub(crate) fn socket(family: i32, kind: i32, protocol: i32) -> io::Result<OwnedFd> {
    call_fd(libc::SYS_socket, &[family as usize, kind as usize, protocol as usize])
}

/// A unix address: a path, or with a leading `@` an abstract name.
pub(crate) fn unix(name: &[u8]) -> (libc::sockaddr_un, usize) {
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    address.sun_family = libc::AF_UNIX as u16;
    assert!(name.len() < address.sun_path.len(), "a short name");
    for (to, from) in address.sun_path.iter_mut().zip(name) {
        *to = *from as libc::c_char;
    }
    let hidden = name.first() == Some(&b'@');
    if hidden {
        address.sun_path[0] = 0;
    }
    let length = mem::offset_of!(libc::sockaddr_un, sun_path) + name.len() + usize::from(!hidden);
    (address, length)
}

/// The bytes of an internet address: `127.0.0.1:80` or `[::1]:80`.
pub(crate) fn inet(address: &str) -> Vec<u8> {
    let address: std::net::SocketAddr = address.parse().unwrap();
    let port = address.port().to_be_bytes();
    match address {
        std::net::SocketAddr::V4(v4) => {
            let family = (libc::AF_INET as u16).to_ne_bytes();
            [&family[..], &port, &v4.ip().octets(), &[0; 8]].concat()
        }
        std::net::SocketAddr::V6(v6) => {
            let family = (libc::AF_INET6 as u16).to_ne_bytes();
            [&family[..], &port, &[0; 4], &v6.ip().octets(), &[0; 4]].concat()
        }
    }
}

pub(crate) fn send_to(fd: &OwnedFd, data: &[u8], flags: i32, to: &[u8]) -> io::Result<i64> {
    let args = [raw(fd), data.as_ptr() as usize, data.len(), flags as usize, to.as_ptr() as usize, to.len()];
    call(libc::SYS_sendto, &args)
}

/// Sends by `sendmsg`, which a filter on `sendto` does not see.
pub(crate) fn send_message(fd: &OwnedFd, data: &[u8], to: &[u8]) -> io::Result<i64> {
    let mut part = libc::iovec { iov_base: data.as_ptr() as *mut _, iov_len: data.len() };
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_name = to.as_ptr() as *mut _;
    message.msg_namelen = to.len() as u32;
    message.msg_iov = &raw mut part;
    message.msg_iovlen = 1;
    call(libc::SYS_sendmsg, &[raw(fd), &raw const message as usize, 0])
}

pub(crate) fn connect(fd: &OwnedFd, to: &[u8]) -> io::Result<i64> {
    call(libc::SYS_connect, &[raw(fd), to.as_ptr() as usize, to.len()])
}

pub(crate) fn write(fd: &OwnedFd, data: &[u8]) -> io::Result<i64> {
    call(libc::SYS_write, &[raw(fd), data.as_ptr() as usize, data.len()])
}

/// The bytes of a value without pointers.
pub(crate) fn bytes_of<T>(value: &T) -> &[u8] {
    unsafe { std::slice::from_raw_parts((&raw const *value).cast(), mem::size_of::<T>()) }
}

/// Forks: the child does `work` and ends.
pub(crate) fn fork(work: impl FnOnce()) -> io::Result<i32> {
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        work();
        unsafe { libc::_exit(0) };
    }
    checked(i64::from(pid)).map(|pid| pid as i32)
}

pub(crate) fn wait(pid: i32) -> i32 {
    let mut status = 0;
    unsafe { libc::waitpid(pid, &raw mut status, 0) };
    status
}

pub(crate) fn sleep(ms: u64) {
    std::thread::sleep(std::time::Duration::from_millis(ms));
}

/// Returns whether a file has an extended attribute.
pub(crate) fn attribute(file: &Path, name: &str) -> bool {
    call(libc::SYS_lgetxattr, &[at(&path(file)), at(&text(name)), 0, 0]).is_ok()
}

const GET_FLAGS: usize = 0x8008_6601;
const SET_FLAGS: usize = 0x4008_6602;
const IMMUTABLE: i32 = 0x10;

/// Returns whether a regular file is immutable: no process can change or remove it.
pub(crate) fn immutable(file: &Path) -> bool {
    flags(file).is_ok_and(|(_, flags)| flags & IMMUTABLE != 0)
}

fn flags(file: &Path) -> io::Result<(OwnedFd, i32)> {
    let fd = open(file, libc::O_RDONLY | libc::O_NONBLOCK | libc::O_NOFOLLOW, 0)?;
    let mut flags = 0_i32;
    call(libc::SYS_ioctl, &[raw(&fd), GET_FLAGS, &raw mut flags as usize])?;
    Ok((fd, flags))
}

/// Makes a file immutable, or takes that off.
pub(crate) fn set_immutable(file: &Path, on: bool) -> io::Result<()> {
    let (fd, flags) = flags(file)?;
    let flags = if on { flags | IMMUTABLE } else { flags & !IMMUTABLE };
    call(libc::SYS_ioctl, &[raw(&fd), SET_FLAGS, &raw const flags as usize]).map(|_| ())
}
