//! Resources of the host that an attempt may reach for: listeners, shared memory, queues, keys, files of others.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::arena::{contains, random};
use crate::sys;

/// The kind of the frames that the host listens for; it is kept free for experiments.
pub(crate) const FRAMES: u16 = 0x88b5;

/// All bytes that listeners of the host received.
pub(crate) type Heard = Arc<Mutex<Vec<u8>>>;

/// The host, made once for all attempts.
pub(crate) struct Host {
    pub base: PathBuf,
    /// A folder in the host's `/tmp`, and a name for what has to be unique.
    pub tmp: PathBuf,
    pub name: String,
    pub secret: String,
    pub heard: Heard,
    pub key: i32,
    ports: Vec<(&'static str, String)>,
}

impl Host {
    pub(crate) fn new() -> Self {
        let name = format!("wherefore-escapes-{}", std::process::id());
        let mut host = Self {
            base: std::env::var_os("WHEREFORE_ARENA").map_or("/var/tmp".into(), PathBuf::from).join(&name),
            tmp: Path::new("/tmp").join(&name),
            name,
            secret: random("marker"),
            heard: Heard::default(),
            key: std::process::id() as i32 | 0x5e00_0000,
            ports: Vec::new(),
        };
        host.folders();
        host.unix_ears();
        host.inet_ears();
        host.shared();
        host
    }

    /// The program that makes the attempts, where every user reaches it.
    pub(crate) fn program(&self) -> PathBuf {
        self.base.join("bin/attempt")
    }

    fn folders(&self) {
        for folder in [self.base.join("bin"), self.base.join("run"), self.tmp.clone()] {
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::copy(std::env::current_exe().unwrap(), self.program()).unwrap();
        fs::write(self.tmp.join("secret"), &self.secret).unwrap();
        fs::write(self.shm(), &self.secret).unwrap();
        open_to_all(&self.shm());
    }

    /// A file of the host in its shared memory.
    pub(crate) fn shm(&self) -> PathBuf {
        Path::new("/dev/shm").join(&self.name)
    }

    /// Returns the facts of the host that an attempt is given.
    pub(crate) fn facts(&self) -> Vec<String> {
        let own = [
            format!("run={}", self.base.join("run").display()),
            format!("tmp={}", self.tmp.display()),
            format!("shm={}", self.shm().display()),
            format!("name={}", self.name),
            format!("key={}", self.key),
        ];
        let ports = self.ports.iter().map(|(name, address)| format!("{name}={address}"));
        own.into_iter().chain(ports).collect()
    }

    /// Returns whether a listener received `word`, or receives it within a moment.
    pub(crate) fn was_told(&self, word: &str, moment: u64) -> bool {
        let told = || contains(&self.heard.lock().unwrap(), word.as_bytes());
        let waits = (0..moment / 10).any(|_| {
            let now = told();
            if !now {
                sys::sleep(10);
            }
            now
        });
        waits || told()
    }

    fn unix_ears(&self) {
        for folder in [self.base.join("run"), self.tmp.clone()] {
            stream_ear(&self.heard, UnixListener::bind(folder.join("stream.sock")).unwrap());
            datagram_ear(&self.heard, UnixDatagram::bind(folder.join("dgram.sock")).unwrap());
            packet_ear(&self.heard, folder.join("packet.sock").as_os_str().as_encoded_bytes());
            for socket in ["stream.sock", "dgram.sock", "packet.sock"] {
                open_to_all(&folder.join(socket));
            }
        }
        let hidden = |kind: &str| SocketAddr::from_abstract_name(format!("{}-{kind}", self.name)).unwrap();
        stream_ear(&self.heard, UnixListener::bind_addr(&hidden("stream")).unwrap());
        datagram_ear(&self.heard, UnixDatagram::bind_addr(&hidden("dgram")).unwrap());
        packet_ear(&self.heard, format!("@{}-packet", self.name).as_bytes());
    }

    fn inet_ears(&mut self) {
        let far = far_address();
        for (name, any, near) in [("tcp4", "0.0.0.0:0", "127.0.0.1"), ("tcp6", "[::]:0", "[::1]")] {
            let Ok(listener) = TcpListener::bind(any) else { continue };
            let port = listener.local_addr().unwrap().port();
            self.ports.push((name, format!("{near}:{port}")));
            if let Some(far) = far.filter(|_| name == "tcp4") {
                self.ports.push(("far4", format!("{far}:{port}")));
            }
            tcp_ear(&self.heard, listener);
        }
        let udp = [("udp4", "127.0.0.1:0"), ("udp6", "[::1]:0"), ("dns", "127.0.0.153:53")];
        for (name, address) in udp {
            let Ok(socket) = UdpSocket::bind(address) else { continue };
            self.ports.push((name, socket.local_addr().unwrap().to_string()));
            raw_ear(&self.heard, socket.into());
        }
        let raw = |family, kind, protocol| sys::socket(family, kind | libc::SOCK_CLOEXEC, protocol);
        if let Ok(icmp) = raw(libc::AF_INET, libc::SOCK_RAW, libc::IPPROTO_ICMP) {
            raw_ear(&self.heard, icmp);
        }
        if let Ok(frames) = raw(libc::AF_PACKET, libc::SOCK_DGRAM, i32::from(FRAMES.to_be())) {
            raw_ear(&self.heard, frames);
        }
        if let Ok(lite) = raw(libc::AF_INET, libc::SOCK_DGRAM, libc::IPPROTO_UDPLITE) {
            let port = free_port();
            let address = format!("127.0.0.1:{port}");
            let bytes = sys::inet(&address);
            let bound = sys::call(libc::SYS_bind, &[sys::raw(&lite), bytes.as_ptr() as usize, bytes.len()]);
            if bound.is_ok() {
                self.ports.push(("lite", address));
                raw_ear(&self.heard, lite);
            }
        }
    }

    /// Shared memory, queues, semaphores and a key, open to all users.
    fn shared(&self) {
        let key = self.key as usize;
        let create = (libc::IPC_CREAT | 0o666) as usize;
        let Ok(segment) = sys::call(libc::SYS_shmget, &[key, 4096, create]) else { return };
        let memory = unsafe { libc::shmat(segment as i32, std::ptr::null(), 0) }.cast::<u8>();
        unsafe { memory.copy_from(self.secret.as_ptr(), self.secret.len()) };
        sys::call(libc::SYS_msgget, &[key, create]).ok();
        sys::call(libc::SYS_semget, &[key, 1, create]).ok();
        let old = unsafe { libc::umask(0) };
        let name = sys::text(&self.name);
        let flags = (libc::O_CREAT | libc::O_RDWR | libc::O_NONBLOCK) as usize;
        if let Ok(queue) = sys::call_fd(libc::SYS_mq_open, &[sys::at(&name), flags, 0o666, 0]) {
            let text = self.secret.as_bytes();
            sys::call(libc::SYS_mq_timedsend, &[sys::raw(&queue), text.as_ptr() as usize, text.len(), 0, 0])
                .ok();
        }
        unsafe { libc::umask(old) };
        self.add_key();
    }

    /// Adds a key to a session's keyring that the attempts inherit, open to any holder of the keyring.
    fn add_key(&self) {
        const JOIN: usize = 1;
        const SETPERM: usize = 5;
        let (kind, name) = (sys::text("user"), sys::text(&self.name));
        let Ok(ring) = sys::call(libc::SYS_keyctl, &[JOIN, sys::at(&name)]) else { return };
        let text = self.secret.as_bytes();
        let args = [sys::at(&kind), sys::at(&name), text.as_ptr() as usize, text.len(), ring as usize];
        let Ok(key) = sys::call(libc::SYS_add_key, &args) else { return };
        for id in [ring, key] {
            sys::call(libc::SYS_keyctl, &[SETPERM, id as usize, 0x3f3f_3f3f]).ok();
        }
    }

    /// Returns the current contents of the shared objects.
    pub(crate) fn shared_texts(&self) -> Vec<u8> {
        let key = self.key as usize;
        let mut texts = fs::read(self.shm()).unwrap_or_default();
        if let Ok(segment) = sys::call(libc::SYS_shmget, &[key, 4096, 0]) {
            let memory = unsafe { libc::shmat(segment as i32, std::ptr::null(), libc::SHM_RDONLY) };
            texts.extend_from_slice(unsafe { std::slice::from_raw_parts(memory.cast(), 4096) });
            unsafe { libc::shmdt(memory) };
        }
        if let Ok(queue) = sys::call(libc::SYS_msgget, &[key, 0]) {
            let mut message = [0_u8; 4096];
            let flags = (libc::IPC_NOWAIT | libc::MSG_NOERROR) as usize;
            while sys::call(
                libc::SYS_msgrcv,
                &[queue as usize, message.as_mut_ptr() as usize, 4000, 0, flags],
            )
            .is_ok()
            {
                note(&self.heard, &message);
            }
        }
        texts.extend_from_slice(&self.heard.lock().unwrap());
        texts
    }

    /// The value of the host's semaphore.
    pub(crate) fn semaphore(&self) -> i64 {
        let get = sys::call(libc::SYS_semget, &[self.key as usize, 1, 0]);
        get.and_then(|id| sys::call(libc::SYS_semctl, &[id as usize, 0, libc::GETVAL as usize])).unwrap_or(0)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let key = self.key as usize;
        let remove = libc::IPC_RMID as usize;
        if let Ok(id) = sys::call(libc::SYS_shmget, &[key, 4096, 0]) {
            sys::call(libc::SYS_shmctl, &[id as usize, remove, 0]).ok();
        }
        if let Ok(id) = sys::call(libc::SYS_msgget, &[key, 0]) {
            sys::call(libc::SYS_msgctl, &[id as usize, remove, 0]).ok();
        }
        if let Ok(id) = sys::call(libc::SYS_semget, &[key, 1, 0]) {
            sys::call(libc::SYS_semctl, &[id as usize, 0, remove]).ok();
        }
        sys::call(libc::SYS_mq_unlink, &[sys::at(&sys::text(&self.name))]).ok();
        fs::remove_file(self.shm()).ok();
        for folder in [&self.tmp, &self.base] {
            if let Err(error) = fs::remove_dir_all(folder) {
                eprintln!("{} is left behind: {error}", folder.display());
            }
        }
    }
}

pub(crate) fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
}

/// Returns a port that is free right now.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// An address of this machine that is not the loopback's. Nothing is sent to learn it.
fn far_address() -> Option<std::net::IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    socket.local_addr().ok().map(|address| address.ip()).filter(|ip| !ip.is_loopback())
}

fn note(heard: &Heard, said: &[u8]) {
    heard.lock().unwrap().extend_from_slice(said);
}

/// Reads the data of a connection, and answers, without keeping others waiting.
fn take(heard: &Heard, mut connection: impl Read + Write + Send + 'static) {
    let heard = heard.clone();
    thread::spawn(move || {
        let mut said = [0; 4096];
        if let Ok(length) = connection.read(&mut said) {
            note(&heard, &said[..length]);
            connection.write_all(b"heard\n").ok();
        }
    });
}

pub(crate) fn stream_ear(heard: &Heard, listener: UnixListener) {
    let heard = heard.clone();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            take(&heard, connection);
        }
    });
}

fn tcp_ear(heard: &Heard, listener: TcpListener) {
    let heard = heard.clone();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            take(&heard, connection);
        }
    });
}

pub(crate) fn datagram_ear(heard: &Heard, socket: UnixDatagram) {
    raw_ear(heard, socket.into());
}

fn raw_ear(heard: &Heard, socket: OwnedFd) {
    let heard = heard.clone();
    thread::spawn(move || {
        let mut said = [0_u8; 4096];
        loop {
            let got = unsafe { libc::recv(socket.as_raw_fd(), said.as_mut_ptr().cast(), said.len(), 0) };
            if got < 0 {
                break;
            }
            note(&heard, &said[..got as usize]);
        }
    });
}

fn packet_ear(heard: &Heard, name: &[u8]) {
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    let listener = sys::socket(libc::AF_UNIX, kind, 0).unwrap();
    let (address, length) = sys::unix(name);
    sys::call(libc::SYS_bind, &[sys::raw(&listener), &raw const address as usize, length]).unwrap();
    sys::call(libc::SYS_listen, &[sys::raw(&listener), 8]).unwrap();
    let heard = heard.clone();
    thread::spawn(move || {
        loop {
            let flags = libc::SOCK_CLOEXEC as usize;
            let Ok(fd) = sys::call(libc::SYS_accept4, &[sys::raw(&listener), 0, 0, flags]) else { break };
            take(&heard, fs::File::from(unsafe { OwnedFd::from_raw_fd(fd as i32) }));
        }
    });
}
