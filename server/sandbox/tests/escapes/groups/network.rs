//! The network, by every family of sockets that the kernel may have.

use std::io::{self, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};

use crate::host::FRAMES;
use crate::inside::{Inside, any, show};
use crate::sys;
use crate::table::Sign::{Heard, Looked, Said};
use crate::table::{Attempt, Need, attempt};

const FAST_OPEN: i32 = 0x2000_0000;

pub(super) const ROWS: &[Attempt] = &[
    attempt("connect to the host's loopback", Heard, |at| tcp(at, "tcp4")),
    attempt("connect to the host's own address", Heard, |at| tcp(at, "far4")),
    attempt("connect by IPv6", Heard, |at| tcp(at, "tcp6")),
    attempt("connect by IPv4 in IPv6", Heard, |at| {
        let mapped = at.fact("tcp4").replace("127.0.0.1:", "[::ffff:127.0.0.1]:");
        say_by_tcp(at, &mapped)
    }),
    attempt("connect by multipath TCP", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_STREAM, libc::IPPROTO_MPTCP)?;
        sys::connect(&socket, &sys::inet(at.fact("tcp4")))?;
        sys::write(&socket, at.word.as_bytes()).map(|_| ())
    }),
    attempt("connect by fast open", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_STREAM, 0)?;
        sys::send_to(&socket, at.word.as_bytes(), FAST_OPEN, &sys::inet(at.fact("tcp4"))).map(|_| ())
    }),
    attempt("send a datagram", Heard, |at| {
        UdpSocket::bind("0.0.0.0:0")?.send_to(at.word.as_bytes(), at.fact("udp4")).map(|_| ())
    }),
    attempt("send a datagram by a message", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
        sys::send_message(&socket, at.word.as_bytes(), &sys::inet(at.fact("udp4"))).map(|_| ())
    }),
    attempt("send a datagram on a connected socket", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, 0)?;
        sys::connect(&socket, &sys::inet(at.fact("udp4")))?;
        sys::write(&socket, at.word.as_bytes()).map(|_| ())
    }),
    attempt("send a datagram by IPv6", Heard, |at| {
        UdpSocket::bind("[::]:0")?.send_to(at.word.as_bytes(), at.fact("udp6")).map(|_| ())
    }),
    attempt("send a light datagram", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_UDPLITE)?;
        sys::send_to(&socket, at.word.as_bytes(), 0, &sys::inet(at.fact("lite"))).map(|_| ())
    }),
    attempt("ask a name server", Heard, |at| {
        let label = &at.word.as_bytes()[..63.min(at.word.len())];
        let head = [&[7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..], &[label.len() as u8]].concat();
        let question = [&head[..], label, &[0, 0, 1, 0, 1]].concat();
        UdpSocket::bind("0.0.0.0:0")?.send_to(&question, at.fact("dns")).map(|_| ())
    })
    .root(),
    attempt("send an echo by a raw socket", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP)?;
        sys::send_to(&socket, &echo(at), 0, &sys::inet("127.0.0.1:0")).map(|_| ())
    })
    .root(),
    attempt("send an echo by a ping socket", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_ICMP)?;
        sys::send_to(&socket, &echo(at), 0, &sys::inet("127.0.0.1:0")).map(|_| ())
    }),
    attempt("send a datagram by a raw socket", Heard, |at| {
        let socket = sys::socket(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_UDP)?;
        let to = sys::inet(at.fact("udp4"));
        let length = (8 + at.word.len()) as u16;
        let head = [&[0, 9][..], &to[2..4], &length.to_be_bytes(), &[0, 0]].concat();
        sys::send_to(&socket, &[&head, at.word.as_bytes()].concat(), 0, &to).map(|_| ())
    })
    .root(),
    attempt("send a frame by a packet socket", Heard, send_frame).root(),
    attempt("learn the host's interfaces", Looked, |_| show_links()).look(|scene| {
        let names = std::fs::read_dir("/sys/class/net").into_iter().flatten().flatten();
        let mut far = names.filter(|name| name.file_name() != "lo");
        let told = |name: &std::ffi::OsStr| {
            crate::arena::contains(&scene.ran.stdout, &[name.as_encoded_bytes(), &[0]].concat())
        };
        far.find(|name| told(&name.file_name())).map(|name| format!("{:?} is told", name.file_name()))
    }),
    attempt("open netlink of other families", Said, |at| {
        // Sockets' diagnostics, the firewall, events of devices, generic ones.
        let open = [4, 12, 15, 16].map(|family| sys::socket(libc::AF_NETLINK, libc::SOCK_RAW, family));
        any(open)?;
        at.say("one is open");
        Ok(())
    }),
    attempt("hear what devices do", Said, |at| {
        let socket = sys::socket(libc::AF_NETLINK, libc::SOCK_RAW, 15)?;
        let address = [16_u32.to_ne_bytes(), 0_u32.to_ne_bytes(), 1_u32.to_ne_bytes()].concat();
        sys::call(libc::SYS_bind, &[sys::raw(&socket), address.as_ptr() as usize, address.len()])?;
        at.say("it is heard");
        Ok(())
    }),
    attempt("listen to the machine around this one", Said, |at| {
        let socket = sys::socket(libc::AF_VSOCK, libc::SOCK_STREAM, 0)?;
        let mut address: libc::sockaddr_vm = unsafe { std::mem::zeroed() };
        address.svm_family = libc::AF_VSOCK as u16;
        (address.svm_cid, address.svm_port) = (libc::VMADDR_CID_ANY, libc::VMADDR_PORT_ANY);
        let bytes = sys::bytes_of(&address);
        sys::call(libc::SYS_bind, &[sys::raw(&socket), bytes.as_ptr() as usize, bytes.len()])?;
        at.say("a port is bound");
        Ok(())
    }),
    attempt("open sockets of rare families", Said, |at| {
        let families =
            [libc::AF_ALG, libc::AF_XDP, libc::AF_BLUETOOTH, libc::AF_CAN, libc::AF_TIPC, libc::AF_KEY];
        let kinds = [libc::SOCK_RAW, libc::SOCK_SEQPACKET, libc::SOCK_DGRAM];
        let ways = families.iter().flat_map(|family| kinds.map(|kind| sys::socket(*family, kind, 0)));
        any(ways)?;
        at.say("one is open");
        Ok(())
    })
    .root(),
    attempt("make a tunnel", Said, |at| {
        let device = sys::open("/dev/net/tun", libc::O_RDWR, 0)?;
        let mut request = [0_u8; 40];
        request[16] = 0x01;
        request[17] = 0x10;
        sys::call(libc::SYS_ioctl, &[sys::raw(&device), 0x4004_54ca, request.as_mut_ptr() as usize])?;
        at.say("it is made");
        Ok(())
    })
    .root(),
    attempt("be called by the host", Heard, |at| {
        let listener = TcpListener::bind(("0.0.0.0", at.number("port") as u16))?;
        listener.set_nonblocking(true)?;
        for _ in 0..100 {
            if let Ok((mut caller, _)) = listener.accept() {
                caller.write_all(at.word.as_bytes())?;
                break;
            }
            sys::sleep(10);
        }
        Ok(())
    })
    .need(Need::Caller),
    attempt("put an interface up", Said, |at| {
        let flags = (libc::CLONE_NEWUSER | libc::CLONE_NEWNET) as usize;
        sys::call(libc::SYS_unshare, &[flags])?;
        at.say("a network of one's own");
        Ok(())
    }),
];

fn tcp(at: &Inside, fact: &str) -> io::Result<()> {
    say_by_tcp(at, at.fact(fact))
}

fn say_by_tcp(at: &Inside, address: &str) -> io::Result<()> {
    let address = address.parse().map_err(io::Error::other)?;
    let mut stream = TcpStream::connect_timeout(&address, std::time::Duration::from_secs(1))?;
    stream.write_all(at.word.as_bytes())?;
    sys::sleep(50);
    Ok(())
}

/// An echo request that carries the word.
fn echo(at: &Inside) -> Vec<u8> {
    let mut message = [&[8, 0, 0, 0, 0, 7, 0, 1][..], at.word.as_bytes()].concat();
    if message.len() % 2 == 1 {
        message.push(0);
    }
    let sum: u32 = message.chunks(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]]))).sum();
    let folded = !(((sum & 0xffff) + (sum >> 16)) as u16);
    message[2..4].copy_from_slice(&folded.to_be_bytes());
    message
}

/// A frame of its own kind, put on the loopback.
fn send_frame(at: &Inside) -> io::Result<()> {
    let socket = sys::socket(libc::AF_PACKET, libc::SOCK_DGRAM, 0)?;
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = FRAMES.to_be();
    address.sll_ifindex = 1;
    address.sll_halen = 6;
    sys::send_to(&socket, at.word.as_bytes(), 0, sys::bytes_of(&address)).map(|_| ())
}

/// Asks for all interfaces by netlink, and shows the answer.
fn show_links() -> io::Result<()> {
    let socket = sys::socket(libc::AF_NETLINK, libc::SOCK_RAW, 0)?;
    let head = [36_u32.to_ne_bytes(), [18, 0, 1, 3], [1, 0, 0, 0], [0; 4]].concat();
    sys::write(&socket, &[&head[..], &[0; 20]].concat())?;
    let mut answer = vec![0_u8; 1 << 16];
    let args = [sys::raw(&socket), answer.as_mut_ptr() as usize, answer.len()];
    let length = sys::call(libc::SYS_read, &args)?;
    show(&answer[..length as usize]);
    Ok(())
}
