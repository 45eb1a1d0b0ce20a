//! Limits, and that nothing outlives them.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use wherefore_sandbox::{LimitKind, SandboxError, SandboxPlan, WriteEffects};

use crate::place::{Outcome, Place, launcher, reader};

/// A hundred and twenty-one processes, each in a session of its own, that ignore what asks them to end.
const CROWD: &str = "
import os, signal, sys, time
for n in range(120):
    if os.fork() == 0:
        os.setsid()
        break
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
sys.stdout.write('.')
sys.stdout.flush()
time.sleep(MARK)
";

/// A number of seconds that no other process sleeps.
fn crowd(mark: u32) -> String {
    CROWD.replace("MARK", &mark.to_string())
}

/// Returns the number of the host's processes that have `mark` in their command line.
fn alive(mark: u32) -> usize {
    let has = |folder: &Path| {
        let line = fs::read(folder.join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(&format!("time.sleep({mark})"))
    };
    fs::read_dir("/proc").unwrap().flatten().filter(|entry| has(&entry.path())).count()
}

fn limited(place: &Place, script: &str, change: impl FnOnce(&mut SandboxPlan)) -> Outcome {
    let mut plan = place.plan(["/usr/bin/python3", "-c", script]);
    change(&mut plan);
    place.run(&plan)
}

#[test]
fn the_time_limit_ends_the_whole_crowd() {
    let Some(place) = Place::new() else { return };
    let mark = 100_000 + std::process::id();
    let outcome = limited(&place, &crowd(mark), |plan| plan.limits.wall = Some(Duration::from_millis(1500)));
    assert_eq!(outcome.report.limit, Some(LimitKind::Wall));
    assert_eq!(outcome.output.len(), 121, "{}", outcome.errors);
    assert_eq!(alive(mark), 0);
}

#[test]
fn a_kill_ends_the_whole_crowd() {
    let Some(place) = Place::new() else { return };
    let mark = 200_000 + std::process::id();
    let script = crowd(mark);
    let mut running = launcher().spawn(&place.plan(["/usr/bin/python3", "-c", &script])).unwrap();
    let output = reader(running.take_output());
    let until = Instant::now() + Duration::from_secs(10);
    while alive(mark) < 121 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Instant::now();
    running.killer().unwrap().kill();
    let report = running.wait().unwrap();
    assert!(report.killed && report.exit_code.is_none(), "{report:?}");
    assert!(killed.elapsed() < Duration::from_secs(20), "{:?}", killed.elapsed());
    assert_eq!(alive(mark), 0);
    output.join().unwrap();
}

#[test]
fn what_a_command_leaves_behind_ends_with_it() {
    let Some(place) = Place::new() else { return };
    let started = Instant::now();
    let outcome = place.sh("setsid sleep 30 & echo done");
    assert_eq!((outcome.output.as_str(), outcome.report.exit_code), ("done\n", Some(0)));
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn memory_processes_files_and_time_are_bounded() {
    let Some(place) = Place::new() else { return };
    let hungry = "import os, time\nif os.fork(): os.fork()\nx = bytearray(150 << 20)\ntime.sleep(20)";
    let outcome = limited(&place, hungry, |plan| plan.limits.memory = Some(256 << 20));
    assert_eq!(outcome.report.limit, Some(LimitKind::Memory), "{}", outcome.errors);
    let bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass";
    let outcome = limited(&place, bomb, |plan| {
        plan.limits.processes = Some(64);
        plan.limits.wall = Some(Duration::from_secs(3));
    });
    assert!(
        matches!(outcome.report.limit, Some(LimitKind::Processes | LimitKind::Wall)),
        "{:?}",
        outcome.report
    );
    let outcome =
        limited(&place, "while True: pass", |plan| plan.limits.cpu = Some(Duration::from_millis(300)));
    assert_eq!(outcome.report.limit, Some(LimitKind::Cpu));
    let outcome = limited(&place, "open('big', 'wb').write(bytes(3 << 20))", |plan| {
        plan.limits.file_size = Some(1 << 20);
    });
    assert_ne!(outcome.report.exit_code, Some(0));
    assert!(fs::metadata(place.path().join("big")).unwrap().len() <= 1 << 20);
}

#[test]
fn memory_that_is_only_reserved_counts_for_nothing() {
    let Some(place) = Place::new() else { return };
    // As a program with AddressSanitizer does: terabytes, of which it touches some pages.
    let reserves = "import mmap\nflags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000\n\
                    m = mmap.mmap(-1, 1 << 43, flags)\nm[1 << 42] = 1\nprint('used')";
    let outcome = limited(&place, reserves, |plan| plan.limits.memory = Some(4 << 30));
    assert_eq!(outcome.output, "used\n", "{}", outcome.errors);
    let hungry = "x = bytearray(1300 << 20)\nimport time\ntime.sleep(20)";
    let outcome = limited(&place, hungry, |plan| plan.limits.memory = Some(1100 << 20));
    assert_eq!(outcome.report.limit, Some(LimitKind::Memory), "{}", outcome.errors);
}

#[test]
fn how_it_ended_is_told() {
    let Some(place) = Place::new() else { return };
    assert_eq!(place.sh("exit 7").report.exit_code, Some(7));
    assert_eq!(place.sh("kill -9 $$").report.signal, Some(9));
    let missing = place.try_run(&place.plan(["no-such-program"]));
    assert!(matches!(missing, Err(SandboxError::Program { .. })));
    let hungry = limited(&place, "x = bytearray(64 << 20); x[::4096] = bytes(len(x[::4096]))", |_| {});
    assert!(hungry.report.peak_memory > 60 << 20, "{:?}", hungry.report);
}

#[test]
fn memory_that_no_process_maps_and_memory_that_all_share_is_counted() {
    let Some(place) = Place::new() else { return };
    let unmapped = "import os, time\nf = os.memfd_create('x')\nfor n in range(300): os.write(f, bytes(1 << 20))\ntime.sleep(20)";
    let outcome = limited(&place, unmapped, |plan| plan.limits.memory = Some(256 << 20));
    assert_eq!(outcome.report.limit, Some(LimitKind::Memory), "{}", outcome.errors);
    let shared = "import mmap, time\nm = mmap.mmap(-1, 300 << 20)\nfor n in range(0, 300 << 20, 4096): m[n] = 1\ntime.sleep(20)";
    let outcome = limited(&place, shared, |plan| plan.limits.memory = Some(256 << 20));
    assert_eq!(outcome.report.limit, Some(LimitKind::Memory), "{}", outcome.errors);
    let divided =
        "import mmap, os, time\nm = mmap.mmap(-1, 100 << 20)\nfor n in range(0, 100 << 20, 4096): m[n] = 1
for n in range(4):
  if os.fork() == 0:
    sum(m[n] for n in range(0, 100 << 20, 4096)); time.sleep(1); os._exit(0)
for n in range(4): os.wait()";
    let outcome = limited(&place, divided, |plan| plan.limits.memory = Some(256 << 20));
    assert_eq!((outcome.report.limit, outcome.report.exit_code), (None, Some(0)), "{}", outcome.errors);
}

#[test]
fn what_stands_in_private_folders_and_in_a_layer_is_counted() {
    let Some(place) = Place::new() else { return };
    for folder in ["/dev/shm", "/tmp", "/var/tmp"] {
        let fill = format!(
            "import time\nf = open('{folder}/x', 'wb')\nfor n in range(300): f.write(bytes(1 << 20))\nf.flush(); time.sleep(20)"
        );
        let outcome = limited(&place, &fill, |plan| plan.limits.memory = Some(128 << 20));
        assert_eq!(outcome.report.limit, Some(LimitKind::Memory), "{folder}: {}", outcome.errors);
    }
    let layers = tempfile::tempdir().unwrap();
    let fill = "import os, time\nf = open('x', 'wb')\nfor n in range(300): f.write(bytes(1 << 20))\nf.flush(); os.fsync(f); time.sleep(20)";
    let outcome = limited(&place, fill, |plan| {
        plan.limits.disk = Some(64 << 20);
        plan.effects = WriteEffects::Overlay { folder: layers.path().to_owned(), direct: Vec::new() };
    });
    assert_eq!(outcome.report.limit, Some(LimitKind::Disk), "{}", outcome.errors);
}

#[test]
fn no_more_processes_are_there_at_once_than_the_limit_says() {
    let Some(place) = Place::new() else { return };
    let script = "import os, time
n = 0
try:
  while n < 400:
    if os.fork() == 0:
      time.sleep(5); os._exit(0)
    n += 1
except OSError: pass
print(n)";
    let outcome = limited(&place, script, |plan| plan.limits.processes = Some(32));
    assert_eq!(outcome.output, "31\n", "{} {:?}", outcome.errors, outcome.report);
}

#[test]
fn odd_limits_are_true_limits() {
    let Some(place) = Place::new() else { return };
    let mut plan = place.plan(["sleep", "20"]);
    plan.limits.wall = Some(Duration::from_millis(1));
    assert_eq!(place.run(&plan).report.limit, Some(LimitKind::Wall));
    for long in [Duration::from_secs(24 * 60 * 60), Duration::MAX] {
        let mut plan = place.plan(["true"]);
        plan.limits.wall = Some(long);
        plan.limits.scratch = 0;
        assert_eq!(place.run(&plan).report.exit_code, Some(0));
    }
}

#[test]
fn the_scratch_space_is_bounded_in_bytes_and_in_files() {
    let Some(place) = Place::new() else { return };
    let mut plan = place.plan(["sh", "-c", "head -c 3000000 /dev/zero > /tmp/big; head -c 3000000 /dev/zero > /dev/shm/big; du -sk --total /tmp/big /dev/shm/big | tail -1 | cut -f1"]);
    plan.limits.scratch = 1 << 20;
    // With a page or two more, which the files that cover others may take.
    let kilobytes: u64 = place.run(&plan).output.trim().parse().unwrap();
    assert!((1000..1100).contains(&kilobytes), "{kilobytes}");
    let many = "n = 0\ntry:\n  while n < 9999: open(f'/tmp/{n}', 'w').close(); n += 1\nexcept OSError: pass\nprint(n < 2000)";
    let outcome = limited(&place, many, |plan| plan.limits.scratch = 1 << 20);
    assert_eq!(outcome.output, "True\n", "{}", outcome.errors);
}
