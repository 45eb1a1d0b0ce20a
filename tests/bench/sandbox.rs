//! The cost of a sandbox for a command, compared with `bwrap` with the same view of the host: `cargo bench -p
//! wherefore-sandbox`.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot run may fail loudly"
)]

use std::fs::{self, File};
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wherefore_sandbox::{LimitKind, SandboxLauncher, SandboxPlan, WriteEffects};

/// The number of runs of `true` in each way.
const STARTS: usize = 150;
/// Bytes of output.
const OUTPUT: usize = 100_000_000;
/// The larger folder: so many folders with ten files each.
const FOLDERS: usize = 8_000;

/// Processes that change their session and ignore what asks them to end.
const CROWD: &str = "import os, signal, time
for n in range(120):
  if os.fork() == 0:
    os.setsid(); break
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(s, signal.SIG_IGN)
time.sleep(77007)";

fn main() {
    let ready = launcher().with_ready_helper();
    let fresh = launcher();
    println!("tier {}, load {}", fresh.probe().level, load());
    starts(&fresh, &ready);
    limit(&ready);
    output(&ready);
    overlay(&fresh);
    println!("load {}", load());
}

fn launcher() -> SandboxLauncher {
    SandboxLauncher::with_program(env!("CARGO_BIN_EXE_sandbox-run"))
}

fn load() -> String {
    fs::read_to_string("/proc/loadavg").unwrap().split(' ').next().unwrap().to_owned()
}

/// `true` in each way, in turns.
fn starts(fresh: &SandboxLauncher, ready: &SandboxLauncher) {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    let plan = SandboxPlan::new(place.path(), ["true"]).with_writable(place.path());
    let has_bwrap = Path::new("/usr/bin/bwrap").exists();
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..STARTS {
        times[0].push(timed(|| assert!(Command::new("/usr/bin/true").status().unwrap().success())));
        times[1].push(timed(|| run(fresh, &plan)));
        times[2].push(timed(|| run(ready, &plan)));
        if has_bwrap {
            let mut bwrap = bwrap(place.path());
            times[3].push(timed(|| assert!(bwrap.status().unwrap().success())));
        }
    }
    let names = ["plain", "tier A", "tier A, helper kept ready", "bwrap, equal view"];
    for (name, times) in names.iter().zip(&mut times).filter(|(_, times)| !times.is_empty()) {
        println!(
            "true, {name}: p10 {:?}, p50 {:?}, p95 {:?}",
            at(times, 0.1),
            at(times, 0.5),
            at(times, 0.95)
        );
    }
    if has_bwrap {
        let [_, fresh, ready, bwrap] = times.each_mut().map(|times| at(times, 0.5).as_secs_f64());
        println!("true, tier A ÷ bwrap: {:.2}, with a helper kept ready {:.2}", fresh / bwrap, ready / bwrap);
    }
}

fn run(launcher: &SandboxLauncher, plan: &SandboxPlan) {
    let mut running = launcher.spawn(plan).unwrap();
    drop((running.take_output(), running.take_errors()));
    assert_eq!(running.wait().unwrap().exit_code, Some(0));
}

/// The view of wherefore's sandbox, made by `bwrap`.
fn bwrap(place: &Path) -> Command {
    let mut command = Command::new("/usr/bin/bwrap");
    command.args(["--unshare-all", "--cap-drop", "ALL", "--new-session", "--clearenv"]);
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"]);
    let folders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt"];
    let settings = ["alternatives", "group", "hosts", "ld.so.cache", "localtime", "nsswitch.conf", "passwd"];
    let settings = settings.map(|name| format!("/etc/{name}"));
    let more = ["ca-certificates", "ssl/certs", "terminfo", "fonts", "services", "protocols", "os-release"];
    let more = more.map(|name| format!("/etc/{name}"));
    for path in folders.iter().map(|path| (*path).to_owned()).chain(settings).chain(more) {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => command.arg("--symlink").arg(fs::read_link(&path).unwrap()),
            Ok(_) => command.arg("--ro-bind").arg(&path),
            Err(_) => continue,
        };
        command.arg(path);
    }
    command.arg("--tmpfs").arg(std::env::var_os("HOME").unwrap());
    command.arg("--bind").arg(place).arg(place).args(["--remount-ro", "/", "--chdir"]).arg(place);
    command.args(["--", "/usr/bin/true"]);
    command
}

/// A crowd that a limit of 500 ms ends.
fn limit(launcher: &SandboxLauncher) {
    let place = tempfile::tempdir().unwrap();
    let mut times = Vec::new();
    for _ in 0..10 {
        let mut plan = SandboxPlan::new(place.path(), ["/usr/bin/python3", "-c", CROWD]);
        plan.limits.wall = Some(Duration::from_millis(500));
        times.push(timed(|| {
            let running = launcher.spawn(&plan).unwrap();
            assert_eq!(running.wait().unwrap().limit, Some(LimitKind::Wall));
        }));
        assert_eq!(crowd(), 0, "nothing is left");
    }
    println!(
        "a limit of 500 ms, 121 processes: p50 {:?}, slowest {:?}",
        at(&mut times, 0.5),
        at(&mut times, 1.0)
    );
}

fn crowd() -> usize {
    let has = |folder: &Path| {
        String::from_utf8_lossy(&fs::read(folder.join("cmdline")).unwrap_or_default())
            .contains("sleep(77007)")
    };
    fs::read_dir("/proc").unwrap().flatten().filter(|entry| has(&entry.path())).count()
}

/// A large output, read by the same code in turns: of `cat` itself, and of `cat` in a sandbox.
fn output(launcher: &SandboxLauncher) {
    let place = tempfile::tempdir().unwrap();
    let big = place.path().join("big");
    let line: Vec<u8> =
        (0..OUTPUT).map(|at| if at % 80 == 79 { b'\n' } else { b'a' + (at % 23) as u8 }).collect();
    fs::write(&big, line).unwrap();
    let plan = SandboxPlan::new(place.path(), ["cat".as_ref(), big.as_os_str()]);
    let (mut plain, mut confined) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        plain.push(timed(|| {
            let mut cat = Command::new("cat").arg(&big).stdout(Stdio::piped()).spawn().unwrap();
            assert_eq!(read(cat.stdout.take().unwrap().into()), OUTPUT);
            cat.wait().unwrap();
        }));
        confined.push(timed(|| {
            let mut running = launcher.spawn(&plan).unwrap();
            assert_eq!(read(running.take_output().unwrap()), OUTPUT);
            assert_eq!(running.wait().unwrap().exit_code, Some(0));
        }));
    }
    let [plain, confined] = [&mut plain, &mut confined].map(|times| at(times, 0.5));
    let ratio = confined.as_secs_f64() / plain.as_secs_f64();
    println!("100 MB, cat to a pipe: {plain:?}, in a sandbox: {confined:?}, {ratio:.2} times");
}

fn read(stream: OwnedFd) -> usize {
    let (mut stream, mut total, mut buffer) = (File::from(stream), 0, vec![0; 1 << 16]);
    loop {
        match stream.read(&mut buffer).unwrap() {
            0 => return total,
            len => total += len,
        }
    }
}

/// `true` over a large folder, compared with an empty one.
fn overlay(launcher: &SandboxLauncher) {
    let (empty, large) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..FOLDERS {
        let folder = large.path().join(format!("{}/{number}", number / 100));
        fs::create_dir_all(&folder).unwrap();
        (0..10).for_each(|file| drop(File::create(folder.join(file.to_string())).unwrap()));
    }
    let through = |place: &Path| SandboxPlan::new(place, ["true"]).with_writable(place);
    let layered = |place: &Path| {
        let layers = tempfile::tempdir().unwrap();
        let mut plan = through(place);
        plan.effects = WriteEffects::Overlay { folder: layers.path().to_owned(), direct: Vec::new() };
        timed(|| run(launcher, &plan))
    };
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..40 {
        times[0].push(timed(|| run(launcher, &through(empty.path()))));
        times[1].push(timed(|| run(launcher, &through(large.path()))));
        times[2].push(layered(empty.path()));
        times[3].push(layered(large.path()));
    }
    let [plain, swept, little, much] = times.each_mut().map(|times| at(times, 0.5));
    println!("an empty folder: written to {plain:?}, under an overlay {little:?}");
    println!("{} files: written to {swept:?}, under an overlay {much:?}", FOLDERS * 10);
}

/// The duration of `work`. A pause follows it, so that its leftover work does not slow the next one.
fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    let time = began.elapsed();
    thread::sleep(Duration::from_millis(20));
    time
}

/// The quantile `q`.
fn at(times: &mut [Duration], q: f64) -> Duration {
    times.sort();
    let time = times[((times.len() - 1) as f64 * q).round() as usize];
    Duration::from_micros(time.as_micros() as u64)
}
