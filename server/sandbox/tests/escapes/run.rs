//! Starts an attempt, unconfined or under the launcher, and waits for it no longer than it may take.

use std::fs;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::arena::{Arena, contains};
use crate::host::{Heard, Host, stream_ear};
use crate::sys;
use crate::table::{Attempt, Need};
use crate::victim::Victim;

/// Names that a caller of the launcher would have guarded.
const GUARDED: [&str; 13] = [
    ".git",
    ".wherefore",
    ".vscode",
    ".idea",
    ".devcontainer",
    ".husky",
    ".cursor",
    ".claude",
    ".mcp.json",
    ".envrc",
    ".nvim.lua",
    ".exrc",
    ".gitmodules",
];

/// Bytes of a stream that are kept to be looked at.
const KEPT: usize = 1 << 20;

/// A run of an attempt, with everything that the host may examine.
pub(crate) struct Scene<'a> {
    pub host: &'a Host,
    pub arena: Arena,
    pub row: &'static Attempt,
    pub word: String,
    /// The launcher, if the attempt is confined.
    pub launcher: Option<PathBuf>,
    pub victim: Option<Victim>,
    pub ran: Ran,
    /// The host's end of the attempt's terminal, and the end that the attempt got.
    pub terminal: Option<(OwnedFd, OwnedFd)>,
}

/// The results of a run.
#[derive(Default)]
pub(crate) struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub overran: Option<String>,
    /// Processes that were there after the end.
    pub alive: Vec<i32>,
}

impl Ran {
    /// Returns whether the attempt's program began at all.
    pub(crate) fn began(&self, word: &str) -> bool {
        contains(&self.stdout, format!("began {word}").as_bytes())
    }

    /// The last line of the standard error.
    pub(crate) fn complaint(&self) -> String {
        let text = String::from_utf8_lossy(&self.stderr);
        text.trim().lines().last().unwrap_or("it ended without a word").to_owned()
    }
}

type Stream = Arc<Mutex<Vec<u8>>>;

impl Scene<'_> {
    /// Runs the attempt, as often as its need asks for.
    pub(crate) fn run(&mut self) {
        let times = if self.row.need == Need::Swapper { 6 } else { 1 };
        if self.row.need == Need::Victim {
            self.victim = Some(Victim::start(self.host, &self.arena));
        }
        for _ in 0..times {
            self.run_once();
        }
    }

    fn run_once(&mut self) {
        let port = crate::host::free_port();
        let mut command = self.command(port);
        self.terminal = (self.row.need == Need::Terminal).then(|| terminal(&mut command));
        if self.row.need == Need::Descriptors {
            self.leave_open(&mut command);
        }
        let began = Instant::now();
        let mut child = command.spawn().unwrap();
        drop(command);
        let (out, err) = (follow(child.stdout.take()), follow(child.stderr.take()));
        let done = Arc::new(AtomicBool::new(false));
        let helper = self.helper(child.id() as i32, port, done.clone());
        let limit = Duration::from_millis(self.row.within);
        let ended = wait(&mut child, began, limit);
        let first = child.id() as i32;
        self.ran.alive = alive_after(first, &self.word, patience(self.row));
        done.store(true, Ordering::Relaxed);
        helper.join().unwrap();
        let closed = drained(&out) && drained(&err);
        if !self.ran.alive.is_empty() || !closed {
            kill_all(first, &self.word);
        }
        child.kill().ok();
        child.wait().ok();
        drained(&out);
        self.ran.stdout.append(&mut out.0.lock().unwrap());
        self.ran.stderr.append(&mut err.0.lock().unwrap());
        self.ran.overran = match (ended, closed) {
            (false, _) => Some(format!("it ran longer than {} ms", self.row.within)),
            (true, false) => Some("a stream stayed open after the end".to_owned()),
            _ => None,
        };
    }

    fn command(&self, port: u16) -> Command {
        let arena = &self.arena;
        let program = self.host.program();
        let mut command = match &self.launcher {
            Some(launcher) => {
                let mut command = Command::new(launcher);
                command.args(self.options()).arg("--").arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(["attempt", self.row.name]).arg(&arena.path).arg(&self.word);
        command.args(self.host.facts()).arg(format!("port={port}"));
        for file in ["ws/.env", "outside/secret"] {
            let number = fs::metadata(arena.at(file)).map_or(0, |meta| meta.ino());
            command.arg(format!("{file}={number}"));
        }
        if let Some(victim) = &self.victim {
            command.arg(format!("victim={}", victim.pid())).arg(format!("address={}", victim.address));
        }
        if self.launcher.is_some() {
            command.arg("confined=1");
        }
        if arena.uid != 0 && unsafe { libc::getuid() } == 0 {
            command.arg("alone=1").uid(arena.uid).gid(arena.uid);
        }
        command.current_dir(arena.at("ws")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.environment(&mut command);
        command
    }

    fn environment(&self, command: &mut Command) {
        let secret = &self.arena.secret;
        let socket = self.host.base.join("run/stream.sock");
        command.env_clear().env("HOME", self.arena.at("home")).env("LANG", "C.UTF-8");
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("SSH_AUTH_SOCK", &socket);
        command.env("DBUS_SESSION_BUS_ADDRESS", format!("unix:path={}", socket.display()));
        for name in ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "GIT_CONFIG_PARAMETERS", "NODE_OPTIONS"] {
            command.env(name, secret);
        }
        command.env("LD_LIBRARY_PATH", format!("/nonexistent/{secret}"));
    }

    /// Returns the launcher's options: the paths that a caller would protect in this workspace, and further options
    /// of the attempt.
    fn options(&self) -> Vec<String> {
        let mut options = Vec::new();
        let mut add = |option: &str, path: PathBuf| {
            if fs::symlink_metadata(&path).is_ok() {
                options.extend([option.to_owned(), path.display().to_string()]);
            }
        };
        add("--root", self.arena.at("ws"));
        add("--write", self.arena.at("ws"));
        for kept in ["ws/.git", "ws/.wherefore", "ws/.vscode", "ws/.husky"] {
            add("--protect", self.arena.at(kept));
        }
        add("--read-only", self.arena.at("tools"));
        add("--read-only", self.host.base.join("bin"));
        add("--quarantine", self.arena.at("quarantine"));
        add("--empty", self.arena.at("ws/.env"));
        add("--empty", self.arena.at("ws/closed"));
        options.extend(GUARDED.iter().flat_map(|name| ["--guard".to_owned(), (*name).to_owned()]));
        let limits = [
            "--wall-ms",
            &self.row.wall.to_string(),
            "--memory-mb",
            "128",
            "--scratch-mb",
            "64",
            "--processes",
            "64",
        ];
        options.extend(limits.map(str::to_owned));
        let arena = self.arena.path.display().to_string();
        options.extend(self.row.options.iter().map(|option| option.replace("{arena}", &arena)));
        options
    }

    /// Leaves descriptors of the host open in the command.
    fn leave_open(&self, command: &mut Command) {
        let secret = fs::File::open(self.arena.at("outside/secret")).unwrap();
        let folder = fs::File::open(self.arena.at("outside")).unwrap();
        let target = fs::File::options().append(true).open(self.arena.at("outside/target")).unwrap();
        let socket = UnixStream::connect(self.host.base.join("run/stream.sock")).unwrap();
        unsafe {
            command.pre_exec(move || {
                let given: [(RawFd, RawFd); 4] = [
                    (secret.as_raw_fd(), 9),
                    (folder.as_raw_fd(), 10),
                    (socket.as_raw_fd(), 11),
                    (target.as_raw_fd(), 200),
                ];
                // Copies out of the way first, because a source may have the number of a target.
                let spare = given.map(|(from, to)| (libc::fcntl(from, libc::F_DUPFD, 300), to));
                for (from, to) in spare {
                    libc::dup2(from, to);
                    libc::close(from);
                }
                Ok(())
            });
        }
    }

    /// Does the host's part while the command runs.
    fn helper(&self, launcher: i32, port: u16, done: Arc<AtomicBool>) -> thread::JoinHandle<()> {
        let ws = self.arena.at("ws");
        let heard = self.host.heard.clone();
        match self.row.need {
            Need::LateSocket => thread::spawn(move || late_socket(&ws, &heard)),
            Need::Signal(signal) => thread::spawn(move || {
                sys::sleep(600);
                unsafe { libc::kill(launcher, signal) };
            }),
            Need::Caller => thread::spawn(move || call_port(port, &heard, &done)),
            Need::Swapper => thread::spawn(move || swap(&ws, &done)),
            _ => thread::spawn(|| {}),
        }
    }
}

fn late_socket(ws: &std::path::Path, heard: &Heard) {
    sys::sleep(400);
    let path = ws.join("late.sock");
    if let Ok(listener) = UnixListener::bind(&path) {
        crate::host::open_to_all(&path);
        stream_ear(heard, listener);
    }
}

/// Connects to the attempt's port, and keeps the received bytes.
fn call_port(port: u16, heard: &Heard, done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        let address = ([127, 0, 0, 1], port).into();
        if let Ok(mut stream) = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            stream.set_read_timeout(Some(Duration::from_millis(300))).ok();
            let mut said = [0; 256];
            let length = stream.read(&mut said).unwrap_or(0);
            heard.lock().unwrap().extend_from_slice(&said[..length]);
            break;
        }
        sys::sleep(10);
    }
}

/// Swaps a folder of the workspace with a link, until `done` is set.
fn swap(ws: &std::path::Path, done: &AtomicBool) {
    let (one, other) = (sys::path(ws.join("swap")), sys::path(ws.join("swap2")));
    while !done.load(Ordering::Relaxed) {
        let args = [sys::CWD, sys::at(&one), sys::CWD, sys::at(&other), libc::RENAME_EXCHANGE as usize];
        sys::call(libc::SYS_renameat2, &args).ok();
        thread::yield_now();
    }
}

/// Reads a stream in the background. The second part is true once it is at its end.
fn follow(stream: Option<impl Read + Send + 'static>) -> (Stream, Arc<AtomicBool>) {
    let kept = Stream::default();
    let ended = Arc::new(AtomicBool::new(false));
    let (to, flag) = (kept.clone(), ended.clone());
    thread::spawn(move || {
        let mut part = vec![0; 1 << 16];
        if let Some(mut stream) = stream {
            while let Ok(length @ 1..) = stream.read(&mut part) {
                let mut kept = to.lock().unwrap();
                let room = KEPT.saturating_sub(kept.len());
                kept.extend_from_slice(&part[..length.min(room)]);
            }
        }
        flag.store(true, Ordering::Relaxed);
    });
    (kept, ended)
}

/// Returns whether a stream is at its end, given a moment to get there.
fn drained(stream: &(Stream, Arc<AtomicBool>)) -> bool {
    let began = Instant::now();
    while !stream.1.load(Ordering::Relaxed) && began.elapsed() < Duration::from_millis(300) {
        sys::sleep(2);
    }
    stream.1.load(Ordering::Relaxed)
}

fn wait(child: &mut Child, began: Instant, limit: Duration) -> bool {
    while began.elapsed() < limit {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        sys::sleep(3);
    }
    false
}

/// Processes, begun with or after `first`, whose arguments hold the attempt's word.
fn holders(first: i32, word: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // Numbers grow, until they begin again.
        if pid < first && first < 4_000_000 {
            continue;
        }
        let Ok(line) = fs::read(entry.path().join("cmdline")) else { continue };
        if contains(&line, word.as_bytes()) {
            found.push(pid);
        }
    }
    found
}

/// Returns the longest time that the processes of a run may take to end. A killed launcher cannot wait for them, and
/// the machine may be busy.
fn patience(row: &Attempt) -> Duration {
    Duration::from_millis(if matches!(row.need, Need::Signal(_)) { 1500 } else { 60 })
}

/// Returns the processes that are alive when the run has ended, and stay so for more than a moment.
fn alive_after(first: i32, word: &str, moment: Duration) -> Vec<i32> {
    let began = Instant::now();
    loop {
        let found = holders(first, word);
        if found.is_empty() || began.elapsed() > moment {
            return found;
        }
        sys::sleep(10);
    }
}

fn kill_all(first: i32, word: &str) {
    for _ in 0..200 {
        let found = holders(first, word);
        if found.is_empty() {
            return;
        }
        for pid in found {
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        sys::sleep(5);
    }
}

/// Gives the command a terminal of its own; the answer is the host's end, and the command's end held open.
fn terminal(command: &mut Command) -> (OwnedFd, OwnedFd) {
    let (mut host, mut its) = (0, 0);
    let none = std::ptr::null_mut();
    let opened = unsafe { libc::openpty(&raw mut host, &raw mut its, none, none.cast(), none.cast()) };
    assert_eq!(opened, 0, "a terminal");
    for fd in [host, its] {
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
    let ends = unsafe { (OwnedFd::from_raw_fd(host), OwnedFd::from_raw_fd(its)) };
    command.stdin(Stdio::from(ends.1.try_clone().unwrap()));
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            libc::ioctl(0, libc::TIOCSCTTY, 0);
            Ok(())
        });
    }
    ends
}
