//! Unix sockets of the host, of every kind and by every way to name them.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::host::{datagram_ear, open_to_all, stream_ear};
use crate::inside::{Inside, any};
use crate::run::Scene;
use crate::sys;
use crate::table::Sign::{Heard, Planted};
use crate::table::{Attempt, Need, attempt};

pub(super) const ROWS: &[Attempt] = &[
    attempt("call a socket of the host", Heard, |at| stream(at, &run(at, "stream.sock"))),
    attempt("send a datagram to a socket of the host", Heard, |at| {
        datagram(at, &run(at, "dgram.sock"), false)
    }),
    attempt("send a message to a socket of the host", Heard, |at| datagram(at, &run(at, "dgram.sock"), true)),
    attempt("send many messages at once", Heard, |at| {
        let socket = sys::socket(libc::AF_UNIX, libc::SOCK_DGRAM, 0)?;
        let (address, length) = sys::unix(&run(at, "dgram.sock"));
        let text = at.word.as_bytes();
        let mut part = libc::iovec { iov_base: text.as_ptr() as *mut _, iov_len: text.len() };
        let mut message: libc::mmsghdr = unsafe { std::mem::zeroed() };
        message.msg_hdr.msg_name = (&raw const address) as *mut _;
        message.msg_hdr.msg_namelen = length as u32;
        message.msg_hdr.msg_iov = &raw mut part;
        message.msg_hdr.msg_iovlen = 1;
        sys::call(libc::SYS_sendmmsg, &[sys::raw(&socket), &raw mut message as usize, 1, 0]).map(|_| ())
    }),
    attempt("call a socket of packets", Heard, |at| packets(at, &run(at, "packet.sock"))),
    attempt("call an abstract socket", Heard, |at| stream(at, &hidden(at, "stream"))),
    attempt("send a datagram to an abstract socket", Heard, |at| datagram(at, &hidden(at, "dgram"), false)),
    attempt("send a message to an abstract socket", Heard, |at| datagram(at, &hidden(at, "dgram"), true)),
    attempt("call an abstract socket of packets", Heard, |at| packets(at, &hidden(at, "packet"))),
    attempt("send from a bound abstract socket", Heard, |at| {
        let socket = sys::socket(libc::AF_UNIX, libc::SOCK_DGRAM, 0)?;
        let (own, length) = sys::unix(format!("@{}", at.word).as_bytes());
        sys::call(libc::SYS_bind, &[sys::raw(&socket), &raw const own as usize, length])?;
        let (address, length) = sys::unix(&hidden(at, "dgram"));
        sys::connect(&socket, &sys::bytes_of(&address)[..length])?;
        sys::write(&socket, at.word.as_bytes()).map(|_| ())
    }),
    attempt("call a socket in the host's /tmp", Heard, |at| {
        stream(at, format!("{}/stream.sock", at.fact("tmp")).as_bytes())
    }),
    attempt("send to a socket in the host's /tmp", Heard, |at| {
        datagram(at, format!("{}/dgram.sock", at.fact("tmp")).as_bytes(), true)
    }),
    attempt("call the agent of keys", Heard, |at| {
        let named = std::env::var("SSH_AUTH_SOCK").unwrap_or_default();
        any([stream(at, named.as_bytes()), stream(at, &run(at, "stream.sock"))])
    }),
    attempt("call the message bus", Heard, |at| {
        let named = std::env::var("DBUS_SESSION_BUS_ADDRESS").unwrap_or_default();
        let known = at.fact("run").to_owned() + "/stream.sock";
        any([stream(at, named.trim_start_matches("unix:path=").as_bytes()), stream(at, known.as_bytes())])
    }),
    attempt("call a socket in the workspace", Heard, |at| near(at, "ws/editor.sock"))
        .stage(|scene| listen(scene, "ws/editor.sock")),
    attempt("send to a socket in the workspace", Heard, |at| {
        std::env::set_current_dir(at.ws(""))?;
        datagram(at, b"editor.dgram", true)
    })
    .stage(|scene| {
        let path = scene.arena.at("ws/editor.dgram");
        datagram_ear(&scene.host.heard, UnixDatagram::bind(&path).unwrap());
        open_to_all(&path);
    }),
    attempt("call a socket deep in the workspace", Heard, |at| near(at, "ws/sub/deep/er/editor.sock")).stage(
        |scene| {
            fs::create_dir_all(scene.arena.at("ws/sub/deep/er")).unwrap();
            listen(scene, "ws/sub/deep/er/editor.sock");
        },
    ),
    attempt("call git's monitor of files", Heard, |at| near(at, "ws/.git/fsmonitor--daemon.ipc"))
        .stage(|scene| listen(scene, "ws/.git/fsmonitor--daemon.ipc")),
    attempt("call a socket beside a toolchain", Heard, |at| near(at, "tools/server.sock"))
        .stage(|scene| listen(scene, "tools/server.sock")),
    attempt("call a socket through a link", Heard, |at| {
        symlink(Path::new(at.fact("run")).join("stream.sock"), at.ws("soft"))?;
        near(at, "ws/soft")
    }),
    attempt("call a socket through a hard link", Heard, |at| near(at, "ws/hard")).stage(|scene| {
        let socket = scene.host.base.join("run/stream.sock");
        fs::hard_link(socket, scene.arena.at("ws/hard")).unwrap();
    }),
    attempt("call a socket by its descriptor", Heard, |at| {
        let fd = any([
            sys::open(at.ws("editor.sock"), libc::O_PATH, 0),
            sys::open(Path::new(at.fact("run")).join("stream.sock"), libc::O_PATH, 0),
        ])?;
        stream(at, format!("/proc/self/fd/{}", sys::raw(&fd)).as_bytes())
    })
    .stage(|scene| listen(scene, "ws/editor.sock")),
    attempt("call a socket through another process's root", Heard, |at| {
        let path = at.fact("run").to_owned() + "/stream.sock";
        any(["/proc/1/root", "/proc/self/root"].map(|root| stream(at, format!("{root}{path}").as_bytes())))
    }),
    attempt("call a socket that appears late", Heard, |at| {
        let end = Instant::now() + Duration::from_millis(1500);
        while Instant::now() < end && near(at, "ws/late.sock").is_err() {
            sys::sleep(10);
        }
        near(at, "ws/late.sock")
    })
    .need(Need::LateSocket)
    .known("sockets are covered at the start alone; later ones are closed by Landlock 9, of Linux 7.1"),
    attempt("call a masked socket by another name", Heard, |at| {
        fs::rename(at.ws("inner"), at.ws("other"))?;
        near(at, "ws/other/editor.sock")
    })
    .stage(|scene| {
        fs::create_dir_all(scene.arena.at("ws/inner")).unwrap();
        listen(scene, "ws/inner/editor.sock");
    }),
    attempt("move a socket and call it", Heard, |at| {
        fs::rename(at.ws("editor.sock"), at.ws("moved.sock"))?;
        near(at, "ws/moved.sock")
    })
    .stage(|scene| listen(scene, "ws/editor.sock")),
    attempt("leave a socket for the host to call", Planted, |at| {
        UnixListener::bind(at.ws("trap.sock")).map(|_| ())
    }),
];

fn run(at: &Inside, name: &str) -> Vec<u8> {
    format!("{}/{name}", at.fact("run")).into_bytes()
}

fn hidden(at: &Inside, kind: &str) -> Vec<u8> {
    format!("@{}-{kind}", at.fact("name")).into_bytes()
}

/// A socket that the host listens on in the arena.
fn listen(scene: &Scene, path: &str) {
    let path = scene.arena.at(path);
    stream_ear(&scene.host.heard, UnixListener::bind(&path).unwrap());
    open_to_all(&path);
}

/// Calls a socket of the arena by a short path, as a long one does not fit into an address.
fn near(at: &Inside, path: &str) -> io::Result<()> {
    let path = at.arena.join(path);
    std::env::set_current_dir(path.parent().unwrap())?;
    stream(at, path.file_name().unwrap().as_bytes())
}

fn stream(at: &Inside, name: &[u8]) -> io::Result<()> {
    tell(at, libc::SOCK_STREAM, name)
}

fn packets(at: &Inside, name: &[u8]) -> io::Result<()> {
    tell(at, libc::SOCK_SEQPACKET, name)
}

fn tell(at: &Inside, kind: i32, name: &[u8]) -> io::Result<()> {
    let socket = sys::socket(libc::AF_UNIX, kind, 0)?;
    let (address, length) = sys::unix(name);
    sys::connect(&socket, &sys::bytes_of(&address)[..length])?;
    sys::write(&socket, at.word.as_bytes())?;
    sys::sleep(50);
    Ok(())
}

fn datagram(at: &Inside, name: &[u8], message: bool) -> io::Result<()> {
    let socket = sys::socket(libc::AF_UNIX, libc::SOCK_DGRAM, 0)?;
    let (address, length) = sys::unix(name);
    let address = &sys::bytes_of(&address)[..length];
    let text = at.word.as_bytes();
    if message { sys::send_message(&socket, text, address) } else { sys::send_to(&socket, text, 0, address) }
        .map(|_| ())
}
