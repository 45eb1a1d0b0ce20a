//! A process of the host that an attempt may try to read or to harm.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use crate::arena::Arena;
use crate::host::Host;

/// Bytes that the victim holds.
const HELD: usize = 128;

/// The victim as the host sees it.
pub(crate) struct Victim {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The address of the secret in its memory.
    pub address: String,
    before: String,
}

/// The victim's program: it holds a secret, and prints at the end the bytes that it holds then.
pub(crate) fn main() -> ExitCode {
    let secret = std::env::var("VICTIM_SECRET").unwrap_or_default();
    let held: &'static mut [u8; HELD] = Box::leak(Box::new([0; HELD]));
    held[..secret.len()].copy_from_slice(secret.as_bytes());
    println!("{}", held.as_ptr() as usize);
    std::io::stdout().flush().ok();
    std::io::stdin().read_to_end(&mut Vec::new()).ok();
    let now = unsafe { std::ptr::read_volatile(held) };
    println!("{}", String::from_utf8_lossy(&now));
    ExitCode::SUCCESS
}

impl Victim {
    pub(crate) fn start(host: &Host, arena: &Arena) -> Self {
        let mut command = Command::new(host.program());
        command.args(["victim", &arena.secret]).env_clear().env("VICTIM_SECRET", &arena.secret);
        command.current_dir(arena.at("outside")).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        if arena.uid != 0 {
            command.uid(arena.uid).gid(arena.uid);
        }
        let secret = fs::File::open(arena.at("outside/secret")).unwrap();
        unsafe {
            command.pre_exec(move || {
                libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&secret), 5);
                Ok(())
            });
        }
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut address = String::new();
        output.read_line(&mut address).unwrap();
        let mut victim =
            Self { child, input, output, address: address.trim().to_owned(), before: String::new() };
        victim.before = victim.state();
        victim
    }

    pub(crate) fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// Returns the state of a process that can be changed from the outside, except for its memory.
    fn state(&self) -> String {
        let read =
            |name: &str| fs::read_to_string(format!("/proc/{}/{name}", self.pid())).unwrap_or_default();
        let lines = ["TracerPid:", "Cpus_allowed:", "ShdPnd:"];
        let status = read("status");
        let kept: Vec<&str> =
            status.lines().filter(|line| lines.iter().any(|l| line.starts_with(l))).collect();
        let nice =
            read("stat").rsplit(')').next().and_then(|rest| rest.split(' ').nth(17).map(str::to_owned));
        format!("{kept:?} {nice:?} {} {}", read("limits"), read("oom_score_adj"))
    }

    /// Returns the harm to the victim, if there is any.
    pub(crate) fn harm(&mut self, secret: &str) -> Option<String> {
        if let Ok(Some(status)) = self.child.try_wait() {
            return Some(format!("the victim ended: {status}"));
        }
        let status = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap_or_default();
        if status.rsplit(')').next().is_some_and(|rest| rest.starts_with(" T") || rest.starts_with(" t")) {
            return Some("the victim is stopped".to_owned());
        }
        if self.state() != self.before {
            return Some("the victim's state is changed".to_owned());
        }
        self.input.take();
        let mut held = String::new();
        let began = Instant::now();
        if !self.says_something() {
            return Some("the victim is stopped".to_owned());
        }
        self.output.read_line(&mut held).ok();
        let late = began.elapsed() > Duration::from_secs(1);
        (late || !held.starts_with(secret)).then(|| "the victim's memory is changed".to_owned())
    }
}

impl Victim {
    /// Returns whether it writes a line, or ends, within some seconds. A process that was stopped a moment ago does
    /// neither.
    fn says_something(&self) -> bool {
        let fd = std::os::fd::AsRawFd::as_raw_fd(self.output.get_ref());
        let mut watched = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        unsafe { libc::poll(&mut watched, 1, 5_000) == 1 }
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
